package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Plain returns a writer of text to w, in which nothing can move the cursor, change what has been printed
// before, or turn the direction around: names, titles and messages come from servers and files that may
// mean harm. Such characters are written as JSON writes them, so that JSON stays the same.
func Plain(w io.Writer) io.Writer { return &plain{to: w} }

type plain struct {
	to   io.Writer
	mu   sync.Mutex
	rest []byte // the beginning of a character
}

// Write implements [io.Writer].
func (p *plain) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := append(p.rest, b...)
	var out bytes.Buffer
	for len(in) > 0 && utf8.FullRune(in) {
		r, size := utf8.DecodeRune(in)
		if harmless(r) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		in = in[size:]
	}
	p.rest = bytes.Clone(in)
	if _, err := p.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// harmless reports whether a character only shows itself. Marks of direction that affect nothing but
// their neighbours are.
func harmless(r rune) bool {
	turns := r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
	return r == '\n' || r == '\t' || !unicode.IsControl(r) && !turns
}
