package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Content is an archive to be stored, neither compressed nor encrypted.
type Content struct {
	What   string // used in messages, such as "backup"
	Stream io.Reader
	// Read reads the content from r and checks it. It is called for the stream, and again for
	// the stored file, unless that can only be decrypted elsewhere.
	Read func(r io.Reader) error
	// Name returns the file name to use in a folder, after Read was called.
	Name func() string
}

// Encode compresses and encrypts an archive, checking it on the way.
func (c Content) Encode(w io.Writer, keys Keys) (err error) {
	e, err := keys.Encode(w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	from, to := &source{r: c.Stream}, &source{}
	err = c.Read(io.TeeReader(from, writerSpy{e, to}))
	switch {
	case from.err != nil:
		return fmt.Errorf("the %s ended early (see the log of a running server): %w", c.What, from.err)
	case to.err != nil:
		return fmt.Errorf("cannot write the %s: %w", c.What, to.err)
	case err != nil:
		return fmt.Errorf("the %s is damaged: %w", c.What, err)
	}
	return e.Close()
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

// Counter counts and hashes the bytes written through it.
type Counter struct {
	Bytes int64
	w     io.Writer
	hash  hash.Hash
}

// NewCounter returns a counter that passes its input on to w.
func NewCounter(w io.Writer) *Counter { return &Counter{w: w, hash: sha256.New()} }

// Write implements [io.Writer].
func (c *Counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.hash.Write(p[:n])
	c.Bytes += int64(n)
	return n, err
}

// ReadBack compares the stored bytes with the written ones and, unless only others can decrypt
// them, reads the archive as a user would. It returns the fingerprint.
func (c Content) ReadBack(r io.Reader, written *Counter, keys Keys) (print string, err error) {
	sum, first := sha256.New(), &beginning{hash: sha256.New()}
	both := io.MultiWriter(sum, first)
	if keys.Encrypts() && len(keys.Identities) == 0 {
		if _, err := io.Copy(both, r); err != nil {
			return "", err
		}
	} else if err := Open(io.TeeReader(r, both), keys, c.Read); err != nil {
		return "", err
	}
	if !bytes.Equal(sum.Sum(nil), written.hash.Sum(nil)) {
		return "", fmt.Errorf("%w: content differs from what was written", ErrDamaged)
	}
	return first.print(), nil
}
