package pdfium

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// lineHyphen is PDFium's character for a hyphen at the end of a line.
const lineHyphen = 2

// text reads every page in turn.
func (d *document) text(yield func(PageText) error) error {
	n, err := d.pages()
	if err != nil {
		return err
	}
	total := 0
	for k := range n {
		pt, err := d.pageText(k)
		if err != nil {
			return err
		}
		total += len(pt.Text) + 32*len(pt.Words)
		if total > MaxTextBytes {
			return fmt.Errorf("%w: text over %d bytes", ErrTooLarge, MaxTextBytes)
		}
		if err := yield(pt); err != nil {
			return err
		}
	}
	return nil
}

// pageText reads one page. A page that PDFium can't load is treated as empty,
// so that the other pages of a damaged file are still searchable.
func (d *document) pageText(number int) (PageText, error) {
	p, err := d.page(number)
	if errors.Is(err, ErrDamaged) {
		return PageText{}, nil
	}
	if err != nil {
		return PageText{}, err
	}
	defer p.close()
	view := p.view()
	tp := d.call("FPDFText_LoadPage", p.handle)
	defer d.call("FPDFText_ClosePage", tp)
	var c collector
	for k := range max(0, d.callInt("FPDFText_CountChars", tp)) {
		r := rune(d.call("FPDFText_GetUnicode", tp, uint64(k)))
		if c.space(r) {
			continue
		}
		ok := d.call("FPDFText_GetLooseCharBox", tp, uint64(k), d.temp)
		b := d.bytes(d.temp, 16) // FS_RECTF: left, top, right, bottom
		if d.err != nil {
			return PageText{}, d.err
		}
		if ok == 0 {
			c.add(r, box{}, box{})
			continue
		}
		loose := view.rect(float32At(b, 0), float32At(b, 4), float32At(b, 8), float32At(b, 12))
		c.add(r, loose, d.ink(tp, k, view))
	}
	return c.page(), d.err
}

// ink returns the box around what is drawn of a character.
func (d *document) ink(textPage uint64, k int, v view) box {
	// left, right, bottom, top
	if d.call("FPDFText_GetCharBox", textPage, uint64(k), d.temp, d.temp+8, d.temp+16, d.temp+24) == 0 {
		return box{}
	}
	b := d.bytes(d.temp, 32)
	if d.err != nil {
		return box{}
	}
	return v.rect(float32(float64At(b, 0)), float32(float64At(b, 24)), float32(float64At(b, 8)), float32(float64At(b, 16)))
}

// plain returns the text of the first pages, at most limit bytes.
func (d *document) plain(limit int) ([]byte, error) {
	n, err := d.pages()
	if err != nil {
		return nil, err
	}
	var out []byte
	for k := 0; k < n && len(out) < limit; k++ {
		if k > 0 {
			out = append(out, '\f')
		}
		if out, err = d.appendPlain(out, k); err != nil {
			return nil, err
		}
	}
	return cut(out, limit), nil
}

func (d *document) appendPlain(out []byte, number int) ([]byte, error) {
	p, err := d.page(number)
	if errors.Is(err, ErrDamaged) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer p.close()
	tp := d.call("FPDFText_LoadPage", p.handle)
	defer d.call("FPDFText_ClosePage", tp)
	n := max(0, d.callInt("FPDFText_CountChars", tp))
	buf := d.malloc(2 * (n + 1))
	defer d.free(buf)
	written := max(1, d.callInt("FPDFText_GetText", tp, 0, uint64(n), buf)) // includes the final NUL
	b := d.bytes(buf, 2*(written-1))
	if d.err != nil {
		return nil, d.err
	}
	return appendUTF16(out, b), nil
}

// appendUTF16 appends little-endian UTF-16, converting line endings to \n,
// joining words broken at the end of a line, and dropping other control
// characters.
func appendUTF16(out, b []byte) []byte {
	joining := false
	for k := 0; k+1 < len(b); k += 2 {
		r := rune(binary.LittleEndian.Uint16(b[k:]))
		if utf16.IsSurrogate(r) && k+3 < len(b) {
			if full := utf16.DecodeRune(r, rune(binary.LittleEndian.Uint16(b[k+2:]))); full != unicode.ReplacementChar {
				r = full
				k += 2
			}
		}
		switch {
		case r == lineHyphen || r == 0xFFFE:
			joining = true
		case joining && (r == '\r' || r == '\n'):
		case r == '\n' || r == '\t' || r >= ' ' && r != 0x7F:
			joining = false
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// cut shortens b to at most limit bytes, at a character boundary.
func cut(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	for limit > 0 && !utf8.RuneStart(b[limit]) {
		limit--
	}
	return b[:max(0, limit)]
}
