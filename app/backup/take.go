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
	"strings"
)

// Options configure a backup.
type Options struct {
	Keys  Keys
	Since string // an earlier backup, or a folder of them; empty for a full one
	Buckets
}

// Take makes a backup. out is a file that does not exist yet, or a folder or a bucket,
// which gets a file named after the time. The backup is read back before it gets its
// name.
func Take(ctx context.Context, from Origin, out string, o Options) (Record, error) {
	var q Request
	if o.Since != "" {
		known, err := from.Known(ctx)
		if err != nil {
			return Record{}, err
		}
		if q.Parent, err = o.Buckets.recognize(ctx, o.Since, known); err != nil {
			return Record{}, err
		}
	}
	in, name, err := o.Buckets.place(out, true)
	if err != nil {
		return Record{}, err
	}
	if name != "" {
		if f, err := in.read(ctx, name); err == nil {
			return Record{}, errors.Join(errTaken(out), f.Close())
		}
	}
	return take(ctx, from, place{in, name}, q, o.Keys)
}

func take(ctx context.Context, from Origin, to place, q Request, keys Keys) (Record, error) {
	stream, err := from.Open(ctx, q)
	if err != nil {
		return Record{}, err
	}
	r, err := to.fill(ctx, stream, keys)
	if err = errors.Join(err, stream.Close()); err != nil {
		return Record{}, err
	}
	return r, from.Done(ctx, r)
}

// place is the destination of an archive.
type place struct {
	in   location
	name string // empty: after the time
}

// fill writes an archive under a temporary name, reads it back and names it.
func (p place) fill(ctx context.Context, stream io.Reader, keys Keys) (r Record, err error) {
	d, err := p.in.draft(ctx)
	if err != nil {
		return Record{}, fmt.Errorf("the backup cannot be written: %w", err)
	}
	r, err = p.store(ctx, d, stream, keys)
	if err != nil {
		return Record{}, errors.Join(err, d.discard())
	}
	return r, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (p place) store(ctx context.Context, d draft, stream io.Reader, keys Keys) (Record, error) {
	written := &counter{w: d, hash: sha256.New()}
	header, damaged, err := encodeTo(written, stream, keys)
	if err != nil {
		return Record{}, err
	}
	if err := d.finish(ctx); err != nil {
		return Record{}, fmt.Errorf("the backup cannot be written: %w", err)
	}
	print, err := readBack(ctx, d, written, keys)
	if err != nil {
		return Record{}, fmt.Errorf("the backup that was just written is not good: %w", err)
	}
	name := p.name
	if name == "" {
		name = header.FileName(keys.Encrypts())
	}
	if err := d.keep(ctx, name); err != nil {
		return Record{}, err
	}
	return Record{Header: header, Where: p.in.where(name), Size: written.n, Fingerprint: print, Encrypted: keys.Encrypts(), Damaged: damaged}, nil
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

// readBack compares a draft with what was written to it and, unless only others can
// decrypt it, reads it as a restore would. It returns the fingerprint.
func readBack(ctx context.Context, d draft, written *counter, keys Keys) (print string, err error) {
	f, err := d.read(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum, first := sha256.New(), &beginning{hash: sha256.New()}
	both := io.MultiWriter(sum, first)
	if keys.Encrypts() && len(keys.Identities) == 0 {
		if _, err := io.Copy(both, f); err != nil {
			return "", err
		}
	} else if _, err := readArchive(io.TeeReader(f, both), keys, nil); err != nil {
		return "", err
	}
	if !bytes.Equal(sum.Sum(nil), written.hash.Sum(nil)) {
		return "", fmt.Errorf("%w: its content is not what was written", ErrDamaged)
	}
	return first.print(), nil
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

// fingerprintBytes is how much of an archive identifies it. The first entry holds a
// random ID, and an encrypted one begins with a random key.
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

func fingerprint(r io.Reader) (string, error) {
	b := &beginning{hash: sha256.New()}
	if _, err := io.Copy(b, io.LimitReader(r, fingerprintBytes)); err != nil {
		return "", fmt.Errorf("backup: %w", err)
	}
	return b.print(), nil
}
