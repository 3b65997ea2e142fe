package backup

import (
	"bytes"
	"context"
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

// Options configure a backup.
type Options struct {
	Keys  Keys
	Since string // an earlier backup, or a folder of them; empty for a full one
}

// Take makes a backup. out is a file that does not exist yet, or a folder, which
// gets a file named after the time. The backup is read back before it gets its name.
func Take(ctx context.Context, from Origin, out string, o Options) (Record, error) {
	var q Request
	if o.Since != "" {
		known, err := from.Known(ctx)
		if err != nil {
			return Record{}, err
		}
		if q.Parent, err = recognize(o.Since, known); err != nil {
			return Record{}, err
		}
	}
	return take(ctx, from, out, q, o.Keys)
}

func take(ctx context.Context, from Origin, out string, q Request, keys Keys) (Record, error) {
	place, err := placeFor(out)
	if err != nil {
		return Record{}, err
	}
	stream, err := from.Open(ctx, q)
	if err != nil {
		return Record{}, err
	}
	r, err := place.fill(stream, keys)
	if err = errors.Join(err, stream.Close()); err != nil {
		return Record{}, err
	}
	return r, from.Done(ctx, r)
}

// place is the destination of an archive.
type place struct {
	dir  string
	name string // empty: after the time
}

func placeFor(out string) (place, error) {
	full, err := filepath.Abs(out)
	if err != nil {
		return place{}, err
	}
	info, err := os.Stat(full)
	switch {
	case err == nil && info.IsDir():
		return place{dir: full}, nil
	case err == nil:
		return place{}, fmt.Errorf("%s exists already; name another file, or a folder", out)
	case !errors.Is(err, fs.ErrNotExist):
		return place{}, err
	case strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator)):
		return place{dir: full}, os.MkdirAll(full, 0o700)
	}
	return place{filepath.Dir(full), filepath.Base(full)}, nil
}

// fill writes an archive under a temporary name, reads it back and names it.
func (p place) fill(stream io.Reader, keys Keys) (r Record, err error) {
	if err := removeStale(filepath.Join(p.dir, "*"+partial), time.Now(), time.Hour); err != nil {
		return Record{}, err
	}
	f, err := os.CreateTemp(p.dir, "paraph-*"+partial) // 0600
	if err != nil {
		return Record{}, fmt.Errorf("the backup cannot be written: %w", err)
	}
	r, err = p.store(f, stream, keys)
	if err != nil {
		return Record{}, errors.Join(err, f.Close(), ignoreMissing(os.Remove(f.Name())))
	}
	return r, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (p place) store(f *os.File, stream io.Reader, keys Keys) (Record, error) {
	written := &counter{w: f, hash: sha256.New()}
	header, damaged, err := encodeTo(written, stream, keys)
	if err != nil {
		return Record{}, err
	}
	if err := f.Sync(); err != nil {
		return Record{}, fmt.Errorf("the backup cannot be written: %w", err)
	}
	if err := readBack(f, written, keys); err != nil {
		return Record{}, fmt.Errorf("the backup that was just written is not good: %w", err)
	}
	print, err := fingerprint(f)
	if err != nil {
		return Record{}, err
	}
	name := p.name
	if name == "" {
		name = header.FileName(keys.Encrypts())
	}
	path := filepath.Join(p.dir, name)
	if err := errors.Join(f.Close(), nameNew(f.Name(), path), syncDir(p.dir)); err != nil {
		return Record{}, err
	}
	return Record{Header: header, Where: path, Size: written.n, Fingerprint: print, Encrypted: keys.Encrypts(), Damaged: damaged}, nil
}

// encodeTo compresses and encrypts an archive, and checks it on the way. damaged
// are the files that it lacks.
func encodeTo(w io.Writer, stream io.Reader, keys Keys) (h Header, damaged []string, err error) {
	e, err := keys.encode(w)
	if err != nil {
		return Header{}, nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	from, to := &source{r: stream}, &source{}
	h, err = read(io.TeeReader(from, writerSpy{e, to}), func(_ Header, name string, r io.Reader) error {
		if name != damagedEntry {
			return nil
		}
		b, err := io.ReadAll(r)
		damaged = strings.Fields(string(b))
		return err
	})
	switch {
	case from.err != nil:
		return h, nil, fmt.Errorf("the backup ended early (the log of a running server says why): %w", from.err)
	case to.err != nil:
		return h, nil, fmt.Errorf("the backup cannot be written: %w", to.err)
	case err != nil:
		return h, nil, fmt.Errorf("the backup is not good: %w", err)
	}
	return h, damaged, e.Close()
}

// writerSpy records how writing failed.
type writerSpy struct {
	w    io.Writer
	note *source
}

func (s writerSpy) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		s.note.err = err
	}
	return n, err
}

// counter counts and hashes the bytes written through it.
type counter struct {
	w    io.Writer
	hash hash.Hash
	n    int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.hash.Write(p[:n])
	c.n += int64(n)
	return n, err
}

// readBack compares a file with what was written to it and, unless only others can
// decrypt it, reads it as a restore would.
func readBack(f *os.File, written *counter, keys Keys) error {
	dropCache(f)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	if keys.Encrypts() && len(keys.Identities) == 0 {
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
	} else if _, err := readArchive(io.TeeReader(f, sum), keys, nil); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), written.hash.Sum(nil)) {
		return fmt.Errorf("%w: its content is not what was written", ErrDamaged)
	}
	return nil
}

// readArchive reads and checks an encoded archive to its very end.
func readArchive(r io.Reader, keys Keys, visit func(h Header, name string, r io.Reader) error) (h Header, err error) {
	d, err := keys.decode(r)
	if err != nil {
		return Header{}, err
	}
	h, err = read(d, visit)
	if err = errors.Join(err, d.Close()); err != nil {
		return h, err
	}
	if n, err := io.Copy(io.Discard, r); err != nil || n > 0 {
		return h, fmt.Errorf("%w: %d bytes follow its end: %w", ErrDamaged, n, err)
	}
	return h, nil
}

// nameNew renames a file without replacing another.
func nameNew(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return os.Remove(from)
	} else if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; name another file, or a folder", to)
	}
	return os.Rename(from, to) // a file system without links
}

// fingerprintBytes is how much of an archive identifies it. The first entry holds a
// random ID, and an encrypted one begins with a random key.
const fingerprintBytes = 64 << 10

func fingerprint(f io.ReaderAt) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f, 0, fingerprintBytes)); err != nil {
		return "", fmt.Errorf("backup: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
