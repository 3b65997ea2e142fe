package pki

import (
	"bytes"
	"errors"
	"fmt"
)

// Limits of the parser; real signatures are far below them.
const (
	maxEncoded  = 16 << 20 // bytes of one CMS structure
	maxDepth    = 48       // nesting of elements
	maxElements = 200_000
)

var errMalformed = errors.New("pki: malformed ASN.1")

// toDER returns the first element of its input in a form that a DER parser accepts: indefinite
// and overlong lengths become definite and short, octet strings in pieces are joined (X.690 §8,
// §10). Other elements are returned unchanged, without a copy. The data after the element is
// returned as rest.
func toDER(in []byte) (der, rest []byte, err error) {
	w := berWalk{}
	n, plain, err := w.measure(in, 0)
	if err != nil {
		return nil, nil, err
	}
	if n > maxEncoded {
		return nil, nil, fmt.Errorf("%w: more than %d bytes", errMalformed, maxEncoded)
	}
	if plain {
		return in[:n], in[n:], nil
	}
	der, err = convert(in[:n])
	return der, in[n:], err
}

// berWalk counts elements, so that small hostile inputs cannot cost much.
type berWalk struct{ elements int }

// header is the beginning of an element.
type header struct {
	tag         byte
	size        int // of the header itself
	length      int // of the contents; -1 if indefinite
	minimal     bool
	constructed bool
}

func readHeader(in []byte) (header, error) {
	if len(in) < 2 {
		return header{}, fmt.Errorf("%w: it ends too early", errMalformed)
	}
	h := header{tag: in[0], constructed: in[0]&0x20 != 0, minimal: true}
	if h.tag&0x1f == 0x1f {
		return header{}, fmt.Errorf("%w: tag number above 30", errMalformed)
	}
	first := in[1]
	switch {
	case first < 0x80:
		h.size, h.length = 2, int(first)
	case first == 0x80:
		if !h.constructed {
			return header{}, fmt.Errorf("%w: indefinite length of a primitive element", errMalformed)
		}
		h.size, h.length, h.minimal = 2, -1, false
		return h, nil
	default:
		if err := h.readLongLength(in, int(first&0x7f)); err != nil {
			return header{}, err
		}
	}
	if h.length > len(in)-h.size {
		return header{}, fmt.Errorf("%w: it ends too early", errMalformed)
	}
	return h, nil
}

func (h *header) readLongLength(in []byte, octets int) error {
	if octets > 8 || len(in) < 2+octets {
		return fmt.Errorf("%w: unusable length", errMalformed)
	}
	for _, b := range in[2 : 2+octets] {
		if h.length >= 1<<32 {
			return fmt.Errorf("%w: unusable length", errMalformed)
		}
		h.length = h.length<<8 | int(b)
	}
	h.size = 2 + octets
	h.minimal = h.length >= 0x80 && in[2] != 0
	return nil
}

// measure returns the length of the first element and whether it needs no conversion.
func (w *berWalk) measure(in []byte, depth int) (n int, plain bool, err error) {
	if w.elements++; w.elements > maxElements || depth > maxDepth {
		return 0, false, fmt.Errorf("%w: too deep or too many elements", errMalformed)
	}
	h, err := readHeader(in)
	if err != nil {
		return 0, false, err
	}
	if !h.constructed {
		return h.size + h.length, h.minimal, nil
	}
	plain = h.minimal && h.tag != constructedOctets
	rest := in[h.size:]
	if h.length >= 0 {
		rest = rest[:h.length]
	}
	n = h.size
	for {
		if h.length >= 0 && len(rest) == 0 {
			return n, plain, nil
		}
		if h.length < 0 && bytes.HasPrefix(rest, endOfContents) {
			return n + len(endOfContents), false, nil
		}
		size, childPlain, err := w.measure(rest, depth+1)
		if err != nil {
			return 0, false, err
		}
		n, rest, plain = n+size, rest[size:], plain && childPlain
	}
}

const constructedOctets = 0x24

var endOfContents = []byte{0, 0}

// convert rewrites exactly one element that measure has accepted.
func convert(in []byte) ([]byte, error) {
	h, err := readHeader(in)
	if err != nil {
		return nil, err
	}
	body := in[h.size:]
	if h.length < 0 {
		body = body[:len(body)-len(endOfContents)]
	}
	if !h.constructed {
		return encodeElement(h.tag, body), nil
	}
	var out []byte
	w := berWalk{}
	for len(body) > 0 {
		n, _, err := w.measure(body, 0)
		if err != nil {
			return nil, err
		}
		child, err := convert(body[:n])
		if err != nil {
			return nil, err
		}
		if h.tag == constructedOctets {
			if child, err = octets(child); err != nil {
				return nil, err
			}
		}
		out, body = append(out, child...), body[n:]
	}
	if h.tag == constructedOctets {
		return encodeElement(constructedOctets&^0x20, out), nil
	}
	return encodeElement(h.tag, out), nil
}

// octets returns the contents of one piece of an octet string.
func octets(piece []byte) ([]byte, error) {
	h, err := readHeader(piece)
	if err != nil {
		return nil, err
	}
	if h.tag != constructedOctets&^0x20 {
		return nil, fmt.Errorf("%w: an octet string has a piece that is something else", errMalformed)
	}
	return piece[h.size:], nil
}

func encodeElement(tag byte, body []byte) []byte {
	out := make([]byte, 0, len(body)+6)
	out = append(out, tag)
	n := len(body)
	switch {
	case n < 0x80:
		out = append(out, byte(n))
	case n < 1<<8:
		out = append(out, 0x81, byte(n))
	case n < 1<<16:
		out = append(out, 0x82, byte(n>>8), byte(n))
	case n < 1<<24:
		out = append(out, 0x83, byte(n>>16), byte(n>>8), byte(n))
	default:
		out = append(out, 0x84, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(out, body...)
}
