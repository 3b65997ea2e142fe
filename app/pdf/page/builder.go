// Package page makes new PDF files: pages with text, lines and pictures, their
// fonts embedded, conforming to PDF/A-2b (PDF/A-3b with attachments) as long as
// no CMYK picture is used. The same calls produce the same bytes.
//
// A [Builder] draws at given coordinates, from the top left of a page; a [Flow]
// sets headings, paragraphs and tables one below the other and begins new pages.
package page

import (
	"sync"
	"time"

	"paraph/app/pdf/object"
	"paraph/app/pdf/text"
)

// A4 in points.
const (
	A4Width  = 595.276
	A4Height = 841.89
)

// Info describes a document. All fields are optional. Times are not taken from
// the clock.
type Info struct {
	Title    string
	Author   string
	Subject  string
	Language string // BCP 47, such as "de-AT"
	Creator  string // the program that created the document
	Created  time.Time
}

// An Attachment is a file inside the PDF (ISO 32000-2 §14.13).
type Attachment struct {
	Name         string // of the file
	MediaType    string // such as application/json
	Description  string
	Relationship string // Source, Data, Alternative, Supplement or Unspecified; "" is Unspecified
	Modified     time.Time
	Data         []byte
}

// A Builder draws pages and then writes them to one file. It is not safe for
// concurrent use.
type Builder struct {
	set         *text.Set
	info        Info
	pages       []*sheet
	attachments []Attachment
	pictures    map[[32]byte]*text.Picture
	lacking     bool     // a character is in no font
	finish      []func() // called when the number of pages is known
}

// A sheet is one page.
type sheet struct {
	*text.Drawing
	width, height float64
	flow          *Flow   // the flow that began the page, or nil
	buffer        *[]byte // holds its operators
}

// buffers is a pool of buffers for the operators of pages.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// New returns a document without pages.
func New(fonts *text.Fonts, info Info) *Builder {
	return &Builder{set: fonts.NewSet(), info: info, pictures: make(map[[32]byte]*text.Picture)}
}

// Reserve includes the characters of ASCII in the fonts of a new document, drawn or
// not: it grows by some kilobytes, and is made faster (see [text.Set.Reserve]).
func (b *Builder) Reserve(bold bool) { b.set.Reserve(text.Style{Bold: bold}) }

// Pages returns the current number of pages.
func (b *Builder) Pages() int { return len(b.pages) }

// NewPage begins a page of the given size in points. Sizes invalid in PDF,
// under 3 or over 14,400, are brought into that range.
func (b *Builder) NewPage(width, height float64) {
	p := &sheet{Drawing: b.set.NewDrawing(), width: side(width), height: side(height), buffer: buffers.Get().(*[]byte)}
	p.Reuse(*p.buffer)
	b.pages = append(b.pages, p)
}

// side limits a length to the range in ISO 32000-1 Annex C. NaN becomes the
// minimum.
func side(v float64) float64 {
	if !(v >= 3) {
		return 3
	}
	return min(v, 14400)
}

// page returns the current page, beginning an A4 page if there is none.
func (b *Builder) page() *sheet {
	if len(b.pages) == 0 {
		b.NewPage(A4Width, A4Height)
	}
	return b.pages[len(b.pages)-1]
}

// Text draws a line of text whose baseline starts at x and y from the top left
// of the page. Colours range from 0 to 1.
func (b *Builder) Text(x, y, size float64, bold, italic bool, red, green, blue float64, s string) {
	p := b.page()
	p.Fill(text.Color{R: red, G: green, B: blue})
	line := b.set.Fonts().Layout(text.Style{Bold: bold, Italic: italic}, size, s)
	b.lacking = b.lacking || len(line.Missing) > 0
	p.Text(x, p.height-y, line)
}

// Lacking reports whether a character of a text is in no font, so that it isn't drawn.
func (b *Builder) Lacking() bool { return b.lacking }

// Measure returns the width of a line of text, in points.
func (b *Builder) Measure(size float64, bold, italic bool, s string) float64 {
	return b.set.Fonts().Measure(text.Style{Bold: bold, Italic: italic}, size, s)
}

// Line draws a straight line.
func (b *Builder) Line(x1, y1, x2, y2, width float64, red, green, blue float64) {
	p := b.page()
	p.Stroke(text.Color{R: red, G: green, B: blue}, width)
	p.Line(x1, p.height-y1, x2, p.height-y2)
}

// Rect fills a rectangle whose top left corner is at x, y.
func (b *Builder) Rect(x, y, w, h float64, red, green, blue float64) {
	p := b.page()
	p.Fill(text.Color{R: red, G: green, B: blue})
	p.Rect(x, p.height-y-h, w, h)
}

// Image draws a JPEG, PNG or GIF in a rectangle whose top left corner is at x,
// y. A picture that is used repeatedly is embedded once. The error wraps
// [text.ErrPicture].
func (b *Builder) Image(x, y, w, h float64, data []byte) error {
	picture, err := b.picture(data)
	if err != nil {
		return err
	}
	p := b.page()
	p.Picture(x, p.height-y-h, w, h, picture)
	return nil
}

// Attach embeds a file in the document.
func (b *Builder) Attach(a Attachment) { b.attachments = append(b.attachments, a) }

func name(s string) object.Name { return object.Name(s) }
