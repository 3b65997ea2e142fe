package detect

import (
	"strings"
	"unicode"

	"paraph/app/pdf/pdfium"
)

// Positions of a field relative to the phrase that it is anchored to.
const (
	At     = "at" // at its beginning
	Above  = "above"
	Below  = "below"
	Beside = "beside" // after its end
)

// Elsewhere is the position of a field that was moved away from its phrase, to another page. The
// phrase only determines what is covered, in whatever place it has once placeholders are filled in.
const Elsewhere = "elsewhere"

// Positions lists those that can be asked for.
func Positions() []string { return []string{At, Above, Below, Beside} }

// Anchor is a phrase of a file that determines the place of a field.
type Anchor struct {
	Text       string
	Occurrence int // of the phrase in the file, from 1
	Position   string
	X, Y       float64 // offset to the right and down, in points
	Cover      bool    // the phrase is covered
}

// Places reports whether the phrase determines the place of the field.
func (a Anchor) Places() bool { return a.Position != Elsewhere }

// Moved returns the anchor of a field that was moved or resized by hand and keeps its distance
// from the phrase.
func (a Anchor) Moved(from, to Field, size Size) Anchor {
	a.X += (to.X - from.X) * size.Width
	a.Y += (a.foot(&to) - a.foot(&from)) * size.Height
	return a
}

// foot returns the height on the page that a field keeps when it is resized.
func (a Anchor) foot(x *Field) float64 {
	switch {
	case a.Position == Below:
		return x.Y
	case a.Position == Above, drawn(x):
		return x.Y + x.Height
	}
	return x.Y + x.Height/2
}

// Phrases finds phrases in the text of a file.
type Phrases struct {
	pages []pdfium.PageText
	sizes []Size
	text  []string // of each page, folded

	page  int // where the last phrase was found
	lines []*textLine
}

// NewPhrases folds the text of a file's pages. Pages without a size are skipped.
func NewPhrases(pages []pdfium.PageText, sizes []Size) *Phrases {
	p := &Phrases{pages: pages[:min(len(pages), len(sizes))], sizes: sizes}
	for i, page := range p.pages {
		text, _ := joined(textLines(page.Words, sizes[i]))
		p.text = append(p.text, fold(text))
	}
	return p
}

// fold makes the case of letters irrelevant without changing the number of characters.
func fold(s string) string { return strings.Map(unicode.ToLower, s) }

// Place determines the page and position of a field by its anchor, its size by its type
// unless it has one, and what the anchor covers. It returns false if the phrase does
// not occur that often. Where it does not occur at all, spaces don't count: what divides
// words in a PDF is only the distance between characters.
func (p *Phrases) Place(x *Field, a Anchor) bool {
	phrase := fold(normal(oneLine(a.Text)))
	if phrase == "" {
		return false
	}
	left := a.Occurrence
	for i, text := range p.text {
		if from, found := nth(text, phrase, &left); found {
			return p.place(x, a, i, from, from+len(phrase))
		}
	}
	if left < a.Occurrence {
		return false
	}
	phrase = strings.ReplaceAll(phrase, " ", "")
	for i, text := range p.text {
		if from, found := nth(strings.ReplaceAll(text, " ", ""), phrase, &left); found {
			return p.place(x, a, i, spaced(text, from), spaced(text, from+len(phrase)-1)+1)
		}
	}
	return false
}

// nth returns where a phrase occurs for the left-th time, and otherwise reduces left by the
// number of occurrences.
func nth(text, phrase string, left *int) (at int, found bool) {
	for {
		n := strings.Index(text[at:], phrase)
		if n < 0 {
			return 0, false
		}
		if *left--; *left == 0 {
			return at + n, true
		}
		at += n + len(phrase)
	}
}

// spaced returns the place in a text of a byte of the same text without spaces.
func spaced(text string, n int) int {
	for i := range len(text) {
		if text[i] == ' ' {
			continue
		}
		if n--; n < 0 {
			return i
		}
	}
	return len(text)
}

// linesOf returns the lines of a page, to which the next anchor probably refers too.
func (p *Phrases) linesOf(page int) []*textLine {
	if p.lines == nil || p.page != page {
		p.page, p.lines = page, textLines(p.pages[page].Words, p.sizes[page])
	}
	return p.lines
}

// place puts a field next to a part of a page's text.
func (p *Phrases) place(x *Field, a Anchor, page, from, to int) bool {
	lines := p.linesOf(page)
	starts := make([]int, len(lines))
	length := 0
	for i, l := range lines {
		starts[i] = length
		length += len(fold(string(l.text))) + 1
	}
	parts := spread(lines, starts, p.text[page], from, to)
	if len(parts) == 0 {
		return false
	}
	first, last := lines[parts[0].line], lines[parts[len(parts)-1].line]
	size := p.sizes[page]
	x.Source, x.Page = InTag, page+1
	if x.Width == 0 {
		x.Width = sizeOf(x).Width / size.Width
	}
	if x.Height == 0 {
		x.Height = sizeOf(x).Height / size.Height
		if !first.vertical {
			x.Height = max(x.Height, first.bottom-first.top)
		}
	}
	left, right := first.extent(parts[0].from, parts[0].to)
	x.X, x.Y = left, first.base(x)
	if first.backward {
		x.X = right - x.Width
	}
	switch a.Position {
	case Above:
		x.Y = first.top - x.Height
	case Below:
		x.Y = last.bottom
	case Beside:
		const gap = 4 // points
		end := last.area(parts[len(parts)-1].from, parts[len(parts)-1].to)
		switch x.X, x.Y = end.X+end.Width+gap/size.Width, last.base(x); {
		case last.backward:
			x.X = end.X - gap/size.Width - x.Width
		case last.vertical:
			x.X, x.Y = end.X, end.Y+end.Height+gap/size.Height
		}
	}
	x.Width, x.Height = min(x.Width, 1), min(x.Height, 1)
	x.X, x.Y = inPage(x.X+a.X/size.Width, x.Width), inPage(x.Y+a.Y/size.Height, x.Height)
	if a.Cover {
		for _, q := range parts[:min(len(parts), maxTagLines)] {
			area := lines[q.line].area(q.from, q.to)
			area.Page = page + 1
			x.Covers = append(x.Covers, area)
		}
	}
	return true
}

// sizeOf returns the usual size of a field, in points.
func sizeOf(x *Field) Size {
	if size, ok := leastSize[x.Type]; ok {
		return size
	}
	return Size{Width: 120, Height: 18}
}

// drawn reports whether a field is for what is drawn rather than typed.
func drawn(x *Field) bool { return sizeOf(x).Height > 18 }

// base returns the top edge of a field on a line: what is drawn stands on it, what is
// typed is centred.
func (l *textLine) base(x *Field) float64 {
	switch {
	case l.vertical:
		return l.top
	case drawn(x):
		return l.bottom - x.Height
	}
	return (l.top+l.bottom)/2 - x.Height/2
}
