package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

const (
	maxHeader = 64 << 10 // bytes of the first entry
	maxName   = 256      // bytes of an entry's name
	// maxOthers bounds the entries whose hashes are kept until the manifest is read: all but the
	// files. In pieces of 4 MB they hold a terabyte of records.
	maxOthers = 1 << 18
)

// Reader reads the content of an archive. Head receives the whole first entry. Visit, which may
// be nil, receives each entry between that and the manifest; its content is verified only once
// reading has ended.
type Reader struct {
	Head  func(name string, content []byte) error
	Visit func(name string, r io.Reader) error
}

// Read reads a whole archive and compares every entry with the manifest.
func (v Reader) Read(r io.Reader) error {
	c := newChecker(r, v)
	for c.err == nil && !c.done {
		c.entry()
	}
	if c.err == nil {
		c.end(r)
	}
	if c.err != nil && c.at != "" {
		return fmt.Errorf("%s: %w", c.at, c.err)
	}
	return c.err
}

// ReadHead reads only the beginning of an archive.
func (v Reader) ReadHead(r io.Reader) error {
	c := newChecker(r, v)
	c.entry()
	return c.err
}

func newChecker(r io.Reader, v Reader) *checker {
	return &checker{Reader: v, tar: tar.NewReader(r), files: sha256.New(), others: map[string]string{}}
}

// checker compares entries with the manifest. Files are in the order of the manifest, so a
// running hash over their lines replaces a list.
type checker struct {
	Reader
	tar    *tar.Reader
	begun  bool
	at     string // the entry being read
	last   string
	files  hash.Hash
	count  int
	others map[string]string // hashes of all other entries
	done   bool
	err    error
}

func (c *checker) entry() {
	h, err := c.tar.Next()
	if err != nil {
		c.fail(unexpected(err))
		return
	}
	c.at = h.Name[:min(len(h.Name), maxName)]
	switch {
	case len(h.Name) > maxName:
		c.fail(errors.New("its name is too long"))
	case h.Typeflag != tar.TypeReg:
		c.fail(errors.New("not a file"))
	case !c.begun:
		c.begun = true
		c.head(h.Name)
	case h.Name == manifestEntry:
		c.manifest()
		c.done = true
	default:
		c.content(h.Name)
	}
}

func (c *checker) fail(err error) {
	switch {
	case c.err != nil || err == nil:
	case errors.Is(err, ErrNoKey) || errors.Is(err, errTarget):
		c.err = err
	default:
		c.err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (c *checker) head(name string) {
	b, err := io.ReadAll(io.LimitReader(c.tar, maxHeader))
	if err != nil {
		c.fail(err)
		return
	}
	if c.err = c.Head(name, b); c.err != nil {
		return
	}
	sum := sha256.Sum256(b)
	c.others[name] = hex.EncodeToString(sum[:])
}

// content passes an entry on and records its hash.
func (c *checker) content(name string) {
	hash := sha256.New()
	source := &source{r: c.tar}
	r := io.TeeReader(source, hash)
	if c.Visit != nil {
		if err := c.Visit(name, r); err != nil {
			c.fail(cmpErr(source.err, err))
			return
		}
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		c.fail(err)
		return
	}
	c.note(name, hex.EncodeToString(hash.Sum(nil)))
}

// cmpErr prefers the error of the archive to the visitor's error it caused.
func cmpErr(archive, visitor error) error {
	if archive != nil {
		return archive
	}
	return fmt.Errorf("%w: %w", errTarget, visitor)
}

// errTarget marks failures of the restore's target, as opposed to a damaged archive.
var errTarget = errors.New("restoring")

// source records read failures.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func (c *checker) note(name, sum string) {
	if rest, ok := strings.CutPrefix(name, Files); ok {
		if rest != sum {
			c.fail(fmt.Errorf("content has the hash %s", sum))
		}
		if name <= c.last {
			c.fail(errors.New("out of order"))
		}
		c.last = name
		c.count++
		fmt.Fprintf(c.files, "%s  %s\n", sum, name)
		return
	}
	switch {
	case c.others[name] != "":
		c.fail(errors.New("occurs twice"))
		return
	case len(c.others) >= maxOthers:
		c.fail(fmt.Errorf("more than %d entries that are not files", maxOthers))
		return
	}
	c.others[name] = sum
}

// manifest compares what was read with the manifest.
func (c *checker) manifest() {
	files, count := sha256.New(), 0
	lines := bufio.NewScanner(c.tar)
	for lines.Scan() && c.err == nil {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		switch {
		case !ok:
			c.fail(errors.New("invalid line"))
		case strings.HasPrefix(name, Files):
			count++
			fmt.Fprintln(files, lines.Text())
		case c.others[name] != sum:
			c.at = name
			c.fail(errors.New("content differs from what was written"))
		default:
			delete(c.others, name)
		}
	}
	c.fail(lines.Err())
	if c.err == nil && (count != c.count || !bytes.Equal(files.Sum(nil), c.files.Sum(nil)) || len(c.others) > 0) {
		c.fail(errors.New("does not match the content of the archive"))
	}
}

// end checks that nothing follows.
func (c *checker) end(r io.Reader) {
	if _, err := c.tar.Next(); !errors.Is(err, io.EOF) {
		c.fail(errors.New("data after the end"))
		return
	}
	n, err := io.Copy(io.Discard, r) // so that the checks of all layers below have run
	if n > 0 {
		err = errors.Join(errors.New("data after the end"), err)
	}
	c.fail(err)
}
