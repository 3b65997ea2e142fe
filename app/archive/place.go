package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Partial is the file name suffix of an archive being written.
const Partial = ".partial"

// Place is the destination of an archive.
type Place struct {
	dir  string
	name string // empty: chosen later
}

// PlaceFor returns the place for a file that does not exist yet, or for a folder in which the
// archive will be named later.
func PlaceFor(out string) (Place, error) {
	full, err := filepath.Abs(out)
	if err != nil {
		return Place{}, err
	}
	info, err := os.Stat(full)
	switch {
	case err == nil && info.IsDir():
		return Place{dir: full}, nil
	case err == nil:
		return Place{}, fmt.Errorf("%s already exists; name another file, or a folder", out)
	case !errors.Is(err, fs.ErrNotExist):
		return Place{}, err
	case strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator)):
		return Place{dir: full}, os.MkdirAll(full, 0o700)
	}
	return Place{filepath.Dir(full), filepath.Base(full)}, nil
}

// Stored describes a stored archive.
type Stored struct {
	Path        string
	Size        int64
	Fingerprint string // of its beginning; see [Fingerprint]
}

// Fill writes an archive under a temporary name, reads it back and renames it.
func (p Place) Fill(c Content, keys Keys) (Stored, error) {
	if err := RemoveStale(filepath.Join(p.dir, "*"+Partial), time.Now(), time.Hour); err != nil {
		return Stored{}, err
	}
	f, err := os.CreateTemp(p.dir, "paraph-*"+Partial) // 0600
	if err != nil {
		return Stored{}, fmt.Errorf("cannot write the %s: %w", c.What, err)
	}
	r, err := p.store(f, c, keys)
	if err != nil {
		return Stored{}, errors.Join(err, f.Close(), ignoreMissing(os.Remove(f.Name())))
	}
	return r, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (p Place) store(f *os.File, c Content, keys Keys) (Stored, error) {
	written := NewCounter(f)
	if err := c.Encode(written, keys); err != nil {
		return Stored{}, err
	}
	if err := f.Sync(); err != nil {
		return Stored{}, fmt.Errorf("cannot write the %s: %w", c.What, err)
	}
	DropCache(f)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Stored{}, err
	}
	print, err := c.ReadBack(f, written, keys)
	if err != nil {
		return Stored{}, fmt.Errorf("the %s just written is damaged: %w", c.What, err)
	}
	name := p.name
	if name == "" {
		name = c.Name()
	}
	path := filepath.Join(p.dir, name)
	if err := errors.Join(f.Close(), NameNew(f.Name(), path), SyncDir(p.dir)); err != nil {
		return Stored{}, err
	}
	return Stored{Path: path, Size: written.Bytes, Fingerprint: print}, nil
}

// Open decrypts and decompresses an archive, passes it to read, and checks that nothing follows
// its end.
func Open(r io.Reader, keys Keys, read func(io.Reader) error) error {
	d, err := keys.Decode(r)
	if err != nil {
		return err
	}
	if err = errors.Join(read(d), d.Close()); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, r); err != nil || n > 0 {
		return fmt.Errorf("%w: %d bytes follow its end: %w", ErrDamaged, n, err)
	}
	return nil
}

// NameNew renames a file without replacing another.
func NameNew(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return os.Remove(from)
	} else if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; name another file, or a folder", to)
	}
	return os.Rename(from, to) // a file system without hard links
}

// fingerprintBytes is how much of an archive identifies it. The first entry holds a random ID,
// and an encrypted one begins with a random key.
const fingerprintBytes = 64 << 10

// beginning hashes the first bytes of an archive.
type beginning struct {
	hash hash.Hash
	n    int
}

func (b *beginning) Write(p []byte) (int, error) {
	first := p[:min(len(p), fingerprintBytes-b.n)]
	b.n += len(first)
	b.hash.Write(first)
	return len(p), nil
}

func (b *beginning) print() string { return hex.EncodeToString(b.hash.Sum(nil)) }

// Fingerprint returns the hash of the beginning of a stored archive.
func Fingerprint(r io.Reader) (string, error) {
	b := &beginning{hash: sha256.New()}
	if _, err := io.Copy(b, io.LimitReader(r, fingerprintBytes)); err != nil {
		return "", fmt.Errorf("archive: %w", err)
	}
	return b.print(), nil
}

// RemoveAbandoned removes files that no living process claims, and that have not been written to
// for a minute. Where a claim can't be seen, it removes them after the given time.
func RemoveAbandoned(pattern string, now time.Time, age time.Duration) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || now.Sub(info.ModTime()) < time.Minute {
			continue // a process may be about to claim it
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if Claim(f) == nil {
			err = os.Remove(path)
		}
		if err = errors.Join(err, f.Close()); ignoreMissing(err) != nil {
			return err
		}
	}
	return RemoveStale(pattern, now, age)
}

// RemoveStale removes files that have not been written to for some time.
func RemoveStale(pattern string, now time.Time, age time.Duration) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && now.Sub(info.ModTime()) > age {
			err = os.Remove(path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
