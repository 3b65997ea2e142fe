// Package blob stores files on disk under the SHA-256 of their content.
//
// A caller may rely on this: a file that has a [Ref] is complete and on disk, even after a
// power cut; it never changes; and [Store.Open] returns only content that has just been read
// and matches its hash. A file without a Ref does not exist. Storing the same content twice
// stores it once.
//
// The folder belongs to one process at a time. Its layout is a/b/<hash>, where a and b are the
// first two digits of the hash, temp for files being written, and partial for uploads that
// arrive in pieces.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

var (
	// ErrNotFound reports that no blob has this hash, or that the string is not a hash.
	ErrNotFound = errors.New("blob: not found")

	// ErrCorrupt reports that the bytes on disk no longer match their hash.
	ErrCorrupt = errors.New("blob: content does not match its hash")

	// ErrNoSpace reports that the file system is full, or has less space left than
	// Options.Reserve. Nothing of the blob being written remains.
	ErrNoSpace = errors.New("blob: no space left")

	// ErrClosed reports that a Writer was used after Commit or Abort.
	ErrClosed = errors.New("blob: writer is closed")
)

const (
	tempDir    = "temp"
	partialDir = "partial"
	hexDigits  = "0123456789abcdef"
	hashLen    = 2 * sha256.Size

	// spaceEvery is how many bytes a Writer accepts between two checks of the free space.
	spaceEvery = 8 << 20
)

// Options configure a Store. The zero value is usable.
type Options struct {
	// Reserve is how many bytes of the file system are kept free: below it no new blob is
	// started, so that records and indexes still have space.
	Reserve int64

	// NoSync leaves it to the system when to write to the disk, for a store that is removed with
	// the process.
	NoSync bool

	// Beside is the folder of another store, or empty: what is in it is found here, too. Nothing is written
	// to it.
	Beside string

	// Fetch opens a blob that is kept elsewhere, or returns ErrNotFound. Blobs that are read come back into
	// the folder through it. It may be nil.
	Fetch func(hash string) (io.ReadCloser, error)

	// Evicts says that Evict may be called, so that blobs handed to other processes are kept from it for a while.
	Evicts bool

	// Now is the clock that dates blobs for Sweep. The default is time.Now.
	Now func() time.Time

	// Log receives reports of damaged blobs. By default they are discarded.
	Log *slog.Logger
}

// Ref identifies a stored blob.
type Ref struct {
	Hash string // SHA-256, 64 lower-case hexadecimal digits
	Size int64  // bytes
}

// Store is a folder of blobs. Its methods are safe for concurrent use.
type Store struct {
	dir     string
	beside  string
	reserve int64
	noSync  bool
	fetch   func(hash string) (io.ReadCloser, error)
	evicts  bool
	now     func() time.Time
	log     *slog.Logger

	fetching singleflight.Group

	// naming serialises giving a blob its name with Sweep's check of its age and removal, so
	// that content stored again while it is being swept survives.
	naming sync.Mutex
	holds  int // guarded by naming: while positive, Sweep removes nothing
}

// Hold keeps Sweep from removing anything until release is called, so that a backup finds every
// blob that its records name.
func (s *Store) Hold() (release func()) {
	s.hold(1)
	return sync.OnceFunc(func() { s.hold(-1) })
}

func (s *Store) hold(n int) {
	s.naming.Lock()
	defer s.naming.Unlock()
	s.holds += n
}

// Open creates the folder if needed, and removes files left half written by an interrupted
// process. There is nothing to close.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, beside: o.Beside, reserve: o.Reserve, noSync: o.NoSync, fetch: o.Fetch, evicts: o.Evicts, now: o.Now, log: o.Log}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.makeFolders(); err != nil {
		return nil, fmt.Errorf("blob: open %s: %w", dir, noSpace(err))
	}
	if err := s.removeLeftovers(); err != nil {
		return nil, fmt.Errorf("blob: open %s: %w", dir, err)
	}
	return s, nil
}

// makeFolders creates all 256 leaf folders up front, so that a commit never has to create and
// sync one: it costs two syncs, whatever the hash.
func (s *Store) makeFolders() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	made, err := mkdirs(s.dir, tempDir, partialDir)
	if err != nil {
		return err
	}
	for _, a := range hexDigits {
		parent := filepath.Join(s.dir, string(a))
		again, err := mkdirs(s.dir, string(a))
		if err != nil {
			return err
		}
		made = made || again
		leaves := make([]string, 0, len(hexDigits))
		for _, b := range hexDigits {
			leaves = append(leaves, string(b))
		}
		if again, err = mkdirs(parent, leaves...); err != nil {
			return err
		}
		if again {
			if err := s.syncDir(parent); err != nil {
				return err
			}
		}
	}
	if !made {
		return nil
	}
	return errors.Join(s.syncDir(s.dir), s.syncDir(filepath.Dir(s.dir)))
}

func (s *Store) syncDir(path string) error {
	if s.noSync {
		return nil
	}
	return syncDir(path)
}

func (s *Store) sync(f *os.File) error {
	if s.noSync {
		return nil
	}
	return f.Sync()
}

// mkdirs creates the named folders inside parent and reports whether any was new.
func mkdirs(parent string, names ...string) (made bool, err error) {
	for _, name := range names {
		err := os.Mkdir(filepath.Join(parent, name), 0o700)
		switch {
		case err == nil:
			made = true
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
	}
	return made, nil
}

func (s *Store) removeLeftovers() error {
	temp := filepath.Join(s.dir, tempDir)
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(temp, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// path returns the path of a blob, or ErrNotFound if the string is not a hash. It is the only
// way from a string to a file name, so nothing outside the store can be named.
func (s *Store) path(hash string) (string, error) {
	if !validHash(hash) {
		return "", fmt.Errorf("%w: not a hash", ErrNotFound)
	}
	return filepath.Join(s.dir, hash[:1], hash[1:2], hash), nil
}

// found returns the path of the blob to read: in the store beside, if it is not in this one.
func (s *Store) found(hash string) (string, error) {
	path, err := s.path(hash)
	if err != nil || s.beside == "" {
		return path, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return filepath.Join(s.beside, hash[:1], hash[1:2], hash), nil
}

func validHash(hash string) bool {
	if len(hash) != hashLen {
		return false
	}
	for i := range len(hash) {
		if c := hash[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Put stores everything read from r. It stops early if ctx ends.
func (s *Store) Put(ctx context.Context, r io.Reader) (Ref, error) {
	w, err := s.Create()
	if err != nil {
		return Ref{}, err
	}
	if _, err := io.Copy(w, contextReader{ctx, r}); err != nil {
		return Ref{}, errors.Join(err, w.Abort())
	}
	return w.Commit()
}

// contextReader ends a copy when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// Temp opens a new scratch file in the same file system. The caller closes it and removes it by
// its name; forgotten ones are removed by the next Open.
func (s *Store) Temp() (*os.File, error) {
	if err := s.CheckSpace(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Join(s.dir, tempDir), "scratch-*")
	if err != nil {
		return nil, fmt.Errorf("blob: scratch file: %w", noSpace(err))
	}
	return f, nil
}

// Has reports whether there is a blob with this hash. It does not read it.
func (s *Store) Has(hash string) (bool, error) {
	path, err := s.found(hash)
	if err != nil {
		return false, nil
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("blob %s: %w", hash, err)
	}
	return info.Mode().IsRegular(), nil
}

// Verify reads the whole blob and compares it with its hash. It returns nil, ErrNotFound,
// ErrCorrupt, or the disk's error. It fetches nothing.
func (s *Store) Verify(hash string) error {
	f, _, _, err := s.openHere(hash)
	if err != nil {
		return err
	}
	return f.Close()
}

// Remove deletes a blob. A File already open on it stays readable. The removal is not synced: a
// power cut may restore the blob, which does no harm.
func (s *Store) Remove(hash string) error {
	path, err := s.path(hash)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("blob %s: %w", hash, ErrNotFound)
	case err != nil:
		return fmt.Errorf("blob %s: remove: %w", hash, err)
	}
	return nil
}

// CheckSpace returns ErrNoSpace if less than the reserve is free.
func (s *Store) CheckSpace() error {
	if s.reserve <= 0 {
		return nil
	}
	free, err := freeSpace(s.dir)
	if err != nil {
		return fmt.Errorf("blob: free space of %s: %w", s.dir, err)
	}
	if free < s.reserve {
		return fmt.Errorf("%w: %d bytes free, %d reserved", ErrNoSpace, free, s.reserve)
	}
	return nil
}

// noSpace adds ErrNoSpace to the file system's errors for a full disk.
func noSpace(err error) error {
	if isFull(err) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// buffers are those of sum, for reuse: blobs are read many times a second.
var buffers = sync.Pool{New: func() any { return new([128 << 10]byte) }}

// sum returns the hash, the size and the state of the hash of everything r reads.
func sum(r io.Reader) (hash string, size int64, state []byte, err error) {
	h := sha256.New()
	buffer := buffers.Get().(*[128 << 10]byte)
	defer buffers.Put(buffer)
	if size, err = io.CopyBuffer(h, onlyReader{r}, buffer[:]); err != nil {
		return "", 0, nil, err
	}
	if state, err = h.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return "", 0, nil, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, state, nil
}

// onlyReader hides WriteTo, which would use a buffer of its own.
type onlyReader struct{ io.Reader }
