package pdfium

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
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
		total += len(pt.Text) + 24*len(pt.Words)
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
			c.add(r, box{})
			continue
		}
		c.add(r, view.rect(float32At(b, 0), float32At(b, 4), float32At(b, 8), float32At(b, 12)))
	}
	return c.page(), d.err
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

// view converts page space to fractions of the displayed page. The three
// corners that PDFium maps account for CropBox, Rotate and the direction of y.
type view struct {
	x, y           float64 // upper left corner in page space
	ax, ay, bx, by float64 // fractions per unit: right and down
}

// corner is the device size passed to FPDF_DeviceToPage.
const corner = 1000

func (p *page) view() view {
	x0, y0 := p.pagePoint(0, 0)
	x1, y1 := p.pagePoint(corner, 0)
	x2, y2 := p.pagePoint(0, corner)
	a, b, c, e := x1-x0, y1-y0, x2-x0, y2-y0
	det := a*e - b*c
	if det == 0 {
		return view{}
	}
	return view{x: x0, y: y0, ax: e / det, ay: -c / det, bx: -b / det, by: a / det}
}

func (p *page) pagePoint(x, y uint64) (float64, float64) {
	p.call("FPDF_DeviceToPage", p.handle, 0, 0, corner, corner, 0, x, y, p.temp, p.temp+8)
	b := p.bytes(p.temp, 16)
	return float64At(b, 0), float64At(b, 8)
}

func (v view) point(x, y float32) (float64, float64) {
	dx, dy := float64(x)-v.x, float64(y)-v.y
	return v.ax*dx + v.ay*dy, v.bx*dx + v.by*dy
}

func (v view) rect(left, top, right, bottom float32) box {
	x0, y0 := v.point(left, top)
	x1, y1 := v.point(right, bottom)
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// box is an area in fractions of the page. The zero box is empty.
type box struct {
	x0, y0, x1, y1 float64
}

func (b box) valid() bool {
	return b != box{} && !math.IsNaN(b.x0+b.y0+b.x1+b.y1) && !math.IsInf(b.x0+b.y0+b.x1+b.y1, 0)
}

func (b box) union(c box) box {
	switch {
	case !c.valid():
		return b
	case !b.valid():
		return c
	}
	return box{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
}

// collector assembles characters into lines and words.
type collector struct {
	text    strings.Builder
	words   []Word
	word    strings.Builder
	box     box
	high    rune // first half of a surrogate pair
	last    rune // of the word
	joining bool // after a hyphen at the end of a line
}

// space handles a character that belongs to no word and reports whether r is
// one.
func (c *collector) space(r rune) bool {
	switch {
	case r == lineHyphen || r == 0xFFFE:
		c.joining = true
		c.endWord()
	case r == '\r' || r == '\n':
		c.endWord()
		if r == '\n' && !c.joining {
			c.text.WriteByte('\n')
		}
	case unicode.IsSpace(r):
		c.endWord()
		c.text.WriteByte(' ')
	case r < ' ' || r == 0x7F:
		// other control characters are not text
	default:
		return false
	}
	return true
}

func (c *collector) add(r rune, b box) {
	c.joining = false
	if utf16.IsSurrogate(r) {
		c.high, r = r, utf16.DecodeRune(c.high, r)
		if r == unicode.ReplacementChar {
			return
		}
	}
	c.high = 0
	if brace := c.last == '}' && r != '}' || c.last != '{' && r == '{'; brace {
		c.endWord() // so that the box of a text tag does not include what it touches
	}
	c.last = r
	c.text.WriteRune(r)
	c.word.WriteRune(r)
	c.box = c.box.union(b)
}

func (c *collector) endWord() {
	if c.word.Len() > 0 && c.box.valid() {
		c.words = append(c.words, Word{c.word.String(), c.box.x0, c.box.y0, c.box.x1 - c.box.x0, c.box.y1 - c.box.y0})
	}
	c.word.Reset()
	c.box, c.last = box{}, 0
}

func (c *collector) page() PageText {
	c.endWord()
	return PageText{Text: c.text.String(), Words: c.words}
}
