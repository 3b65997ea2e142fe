package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

// lifter streams JSON and extracts the contents of files, the strings at
// files[n].content, which may be far larger than memory. It replaces each by a short
// string that the caller chooses.
type lifter struct {
	in   *bufio.Reader
	out  bytes.Buffer
	take func(content io.Reader) (instead string, err error)

	levels []level
	inside bool // of a string being copied
	escape bool
	name   []byte // of the current member; nil if there is none
	err    error
}

// level is an open object or array.
type level struct {
	object bool
	naming bool   // the next string names a member
	name   string // of the member whose value follows
}

const longestName = 16 // of the members in use here

func newLifter(in *bufio.Reader, take func(io.Reader) (string, error)) *lifter {
	return &lifter{in: in, take: take}
}

func (l *lifter) Read(p []byte) (int, error) {
	for l.out.Len() == 0 && l.err == nil {
		l.err = l.step()
	}
	if l.out.Len() > 0 {
		return l.out.Read(p)
	}
	return 0, l.err
}

// step copies some bytes, or extracts one content.
func (l *lifter) step() error {
	if l.inside {
		return l.copyString()
	}
	c, err := l.in.ReadByte()
	if err != nil {
		return err
	}
	top := l.top()
	switch c {
	case '{', '[':
		if len(l.levels) == deepest {
			return tooDeep()
		}
		l.levels = append(l.levels, level{object: c == '{', naming: c == '{'})
	case '}', ']':
		l.levels = l.levels[:max(0, len(l.levels)-1)]
	case ',':
		top.naming = top.object
	case ':':
		top.naming = false
	case '"':
		if l.isContent() {
			return l.lift()
		}
		l.inside = true
		if top.naming {
			l.name = make([]byte, 0, longestName)
		}
	}
	return l.out.WriteByte(c)
}

func (l *lifter) top() *level {
	if len(l.levels) == 0 {
		return &level{}
	}
	return &l.levels[len(l.levels)-1]
}

// isContent reports whether the string that begins is the content of a file.
func (l *lifter) isContent() bool {
	return len(l.levels) == 3 && l.levels[0].name == "files" && !l.levels[1].object &&
		l.levels[2].object && !l.levels[2].naming && l.levels[2].name == "content"
}

// copyString copies the buffered part of a string.
func (l *lifter) copyString() error {
	chunk, err := buffered(l.in)
	if err != nil {
		return err
	}
	n := len(chunk)
	for i, c := range chunk {
		if l.escape {
			l.escape = false
		} else if c == '\\' {
			l.escape = true
		} else if c == '"' {
			n, l.inside = i+1, false
			break
		}
	}
	if l.name != nil && len(l.name) < longestName {
		l.name = append(l.name, chunk[:n]...)
	}
	if !l.inside && l.name != nil {
		l.top().name = string(bytes.TrimSuffix(l.name, []byte(`"`)))
		l.name = nil
	}
	l.out.Write(chunk[:n])
	_, err = l.in.Discard(n)
	return err
}

// lift extracts one content and writes its replacement.
func (l *lifter) lift() error {
	content := &stringReader{in: l.in}
	instead, err := l.take(content)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	quoted, err := json.Marshal(instead)
	l.out.Write(quoted)
	return err
}

// buffered returns the bytes a reader has buffered, at least one.
func buffered(in *bufio.Reader) ([]byte, error) {
	if _, err := in.Peek(1); err != nil {
		return nil, unexpected(err)
	}
	return in.Peek(in.Buffered())
}

// unexpected returns the error for a text that ends inside a string.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// stringReader reads a JSON string up to its closing quote. Base64 needs only
// escapes of single ASCII characters.
type stringReader struct {
	in  *bufio.Reader
	end bool
}

func (s *stringReader) Read(p []byte) (int, error) {
	if s.end {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	chunk, err := buffered(s.in)
	if err != nil {
		return 0, err
	}
	switch n := bytes.IndexAny(chunk, `"\`); {
	case n < 0:
		n = copy(p, chunk)
		return s.pass(n, n)
	case n > 0:
		n = copy(p, chunk[:n])
		return s.pass(n, n)
	case chunk[0] == '"':
		s.end = true
		if _, err := s.in.Discard(1); err != nil {
			return 0, err
		}
		return 0, io.EOF
	}
	c, n, err := s.escaped()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return s.pass(1, n)
}

// pass consumes n bytes of the text, which decode to got bytes.
func (s *stringReader) pass(got, n int) (int, error) {
	_, err := s.in.Discard(n)
	return got, err
}

// escaped returns the character of an escape, and the length of the escape.
func (s *stringReader) escaped() (c byte, length int, err error) {
	head, err := s.in.Peek(2)
	if err != nil {
		return 0, 0, unexpected(err)
	}
	switch head[1] {
	case 'n', 'r':
		return '\n', 2, nil
	case 'u':
		head, err := s.in.Peek(6)
		if err != nil {
			return 0, 0, unexpected(err)
		}
		code, err := strconv.ParseUint(string(head[2:]), 16, 7)
		if err != nil {
			code = '?' // not base64
		}
		return byte(code), 6, nil
	}
	return head[1], 2, nil
}
