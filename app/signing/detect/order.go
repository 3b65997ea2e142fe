package detect

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"paraph/app/pdf/pdfium"
)

// row is a line of a page as PDFium found it.
type row struct {
	words    []pdfium.Word
	backward bool // it has characters that are read from right to left, or braces as only such lines have them
}

// rowsOf divides the words of a page into rows. PDFium orders what is read from right to left in several ways, depending
// on how the file draws it.
func rowsOf(words []pdfium.Word) []row {
	var out []row
	top, bottom := 0.0, 0.0
	for _, w := range words {
		if middle := w.Y + w.H/2; len(out) == 0 || middle < top || middle > bottom {
			out = append(out, row{})
			top, bottom = w.Y, w.Y+w.H
		}
		last := &out[len(out)-1]
		last.words = append(last.words, w)
		top, bottom = min(top, w.Y), max(bottom, w.Y+w.H)
	}
	var open tagState
	for i := range out {
		r := &out[i]
		before := open
		r.backward = slices.ContainsFunc(r.words, func(w pdfium.Word) bool { return strings.ContainsFunc(w.Text, backward) }) || open.next(r.words)
		if r.backward {
			open = before
			open.skip(r.words)
		}
	}
	return out
}

// tagState is whether a text tag goes on in the next line.
type tagState struct {
	open  bool
	lines int // since it began
}

// next follows the braces of a row, and reports whether they are in an order that only rows have that are read from
// right to left.
func (s *tagState) next(words []pdfium.Word) (mirrored bool) {
	s.begin()
	for _, w := range words {
		for at := 0; at+1 < len(w.Text); at++ {
			switch w.Text[at : at+2] {
			case "{{":
				mirrored = mirrored || s.open
				s.open, s.lines = true, 0
			case "}}":
				mirrored = mirrored || !s.open
				s.open = false
			default:
				continue
			}
			at++
		}
	}
	return mirrored
}

// skip follows the braces of a row whichever way they point.
func (s *tagState) skip(words []pdfium.Word) {
	s.begin()
	for _, w := range words {
		if n := strings.Count(w.Text, "{{") + strings.Count(w.Text, "}}"); n%2 == 1 {
			s.open, s.lines = !s.open, 0
		}
	}
}

func (s *tagState) begin() {
	if s.lines++; s.lines > maxTagLines {
		s.open = false
	}
}

// backward reports whether a character is read from right to left.
func backward(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// glyph is a character at its place.
type glyph struct {
	r           rune
	left, right float64
	ink         span
	way         int8 // 1 for characters read from left to right, -1 for those from right to left, 0 for those as their neighbours
}

// closeBy is the width of a gap that is a space, as a share of the height of the words around it.
const closeBy = .08

// backwardLine returns a row that is read from right to left, at least in part, in the order in which people read it:
// that is the order of the places of its characters turned round as UAX #9 turns what is written. The braces of tags,
// which fonts and programs mirror or not, are as they are written. Open is whether a tag goes on from the row above.
func (r row) line(size Size, open bool) (l *textLine, stillOpen bool) {
	seen := r.seen(size)
	outside := 0
	depth := false
	for i, g := range seen {
		if brace(seen, i) {
			depth = !depth
		}
		if !depth {
			outside += int(g.way)
		}
	}
	var best *textLine
	most := 0
	for _, base := range []int8{-1, 1} {
		l, after := arranged(seen, base, open)
		points := 2 * l.sense(open)
		if outside < 0 == (base < 0) && outside != 0 {
			points++
		}
		if best == nil || points > most {
			best, most, stillOpen = l, points, after
			best.backward = base < 0
		}
	}
	for _, w := range r.words {
		if best.bottom == 0 {
			best.top, best.bottom = w.Y, w.Y+w.H
		}
		best.top, best.bottom = min(best.top, w.Y), max(best.bottom, w.Y+w.H)
	}
	return best, stillOpen
}

// seen returns the characters of a row from left to right, with spaces where there are gaps.
func (r row) seen(size Size) []glyph {
	words := slices.Clone(r.words)
	slices.SortStableFunc(words, func(a, b pdfium.Word) int {
		switch x, y := a.X+a.W/2, b.X+b.W/2; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var out []glyph
	for i, w := range words {
		if i > 0 {
			before := words[i-1]
			if end := before.X + before.W; (w.X-end)*size.Width > closeBy*min(w.H, before.H)*size.Height {
				out = append(out, glyph{r: ' ', left: end, right: w.X})
			}
		}
		runes := []rune(normal(w.Text))
		if strings.ContainsFunc(w.Text, backward) {
			slices.Reverse(runes)
		}
		step := w.W / float64(len(runes))
		for k, c := range runes {
			g := glyph{r: c, left: w.X + float64(k)*step, right: w.X + float64(k+1)*step, ink: span{w.Top, w.Bottom}}
			switch {
			case backward(c):
				g.way = -1
			case unicode.IsLetter(c) || unicode.IsDigit(c):
				g.way = 1
			case unicode.IsMark(c) && strings.ContainsFunc(w.Text, backward):
				g.way = -1
			}
			out = append(out, g)
		}
	}
	return out
}

// brace reports whether two equal braces begin at a place.
func brace(all []glyph, i int) bool {
	is := func(k int) bool { return k >= 0 && k < len(all) && (all[k].r == '{' || all[k].r == '}') }
	return is(i) && is(i+1) && !is(i+2) && !is(i-1)
}

// arranged returns characters in the order in which they are read if the line as a whole is read one way.
func arranged(seen []glyph, base int8, open bool) (l *textLine, after bool) {
	ways := make([]int8, len(seen))
	for i := range seen {
		ways[i] = seen[i].way
	}
	for i := 0; i < len(ways); {
		if ways[i] != 0 {
			i++
			continue
		}
		end := i
		for end < len(ways) && ways[end] == 0 {
			end++
		}
		way := base
		if i > 0 && end < len(ways) && ways[i-1] == ways[end] {
			way = ways[end]
		}
		for ; i < end; i++ {
			ways[i] = way
		}
	}
	var runs [][]glyph
	for i := 0; i < len(seen); {
		end := i
		for end < len(seen) && ways[end] == ways[i] {
			end++
		}
		run := slices.Clone(seen[i:end])
		if ways[i] < 0 {
			slices.Reverse(run)
		}
		runs = append(runs, run)
		i = end
	}
	if base < 0 {
		slices.Reverse(runs)
	}
	all := slices.Concat(runs...)
	paired(all, "()")
	paired(all, "[]")
	l = &textLine{}
	for i := 0; i < len(all); i++ {
		if brace(all, i) {
			all[i].r, all[i+1].r = '{', '{'
			if open {
				all[i].r, all[i+1].r = '}', '}'
			}
			open = !open
		}
		l.text = append(l.text, all[i].r)
		l.left = append(l.left, all[i].left)
		l.right = append(l.right, all[i].right)
		l.ink = append(l.ink, all[i].ink)
	}
	return l, open
}

// paired lets brackets open before they close: some programs write what mirrored ones look like.
func paired(all []glyph, pair string) {
	open, closing := rune(pair[0]), rune(pair[1])
	var at []int
	wrong := false
	for i, g := range all {
		if g.r != open && g.r != closing {
			continue
		}
		wrong = wrong || (g.r == open) != (len(at)%2 == 0)
		at = append(at, i)
	}
	if !wrong || len(at)%2 == 1 {
		return
	}
	for k, i := range at {
		all[i].r = open
		if k%2 == 1 {
			all[i].r = closing
		}
	}
}

// sense returns how many text tags a line has that say something, less what none of them says.
func (l *textLine) sense(open bool) int {
	points := 0
	text := string(l.text)
	if open {
		text = "{{" + text
	}
	for _, m := range tagPattern.FindAllStringSubmatch(text, Most) {
		x, ok := Tag(m[1], true)
		if ok && x.Unsupported == "" {
			points++
		}
		for i, part := range strings.Split(m[1], ";") {
			key, _, named := strings.Cut(part, "=")
			if !named && i > 0 || named && strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII }) {
				points--
			}
		}
	}
	return points
}

// columns joins the words of text that is written from top to bottom, or from bottom to top, whose characters PDFium
// takes for words of their own. What begins with the braces of a tag or ends with them stays a word of its own.
func columns(words []pdfium.Word, size Size) []pdfium.Word {
	out := make([]pdfium.Word, 0, len(words))
	for i := 0; i < len(words); {
		end, tall := i+1, size.tall(words[i])
		down := 0
		for end < len(words) {
			way := size.follows(words[end-1], words[end])
			if way == 0 || down != 0 && way != down {
				break
			}
			down = way
			tall = tall || size.tall(words[end])
			end++
		}
		if !tall || end == i+1 {
			out = append(out, words[i])
			i++
			continue
		}
		joined := words[i]
		for _, w := range words[i+1 : end] {
			if strings.HasPrefix(w.Text, "{{") || strings.HasSuffix(joined.Text, "}}") || size.apart(joined, w, down) {
				out = append(out, joined)
				joined = w
				continue
			}
			joined = join(joined, w)
		}
		out = append(out, joined)
		i = end
	}
	return out
}

// join returns two words as one.
func join(a, b pdfium.Word) pdfium.Word {
	out := a
	out.Text += b.Text
	out.X, out.Y = min(a.X, b.X), min(a.Y, b.Y)
	out.W, out.H = max(a.X+a.W, b.X+b.W)-out.X, max(a.Y+a.H, b.Y+b.H)-out.Y
	out.Top, out.Bottom = min(a.Top, b.Top), max(a.Bottom, b.Bottom)
	return out
}

// tall reports whether a word is so much higher than wide that it is vertical. Some short horizontal words are higher
// than wide as well.
func (s Size) tall(w pdfium.Word) bool {
	n, high := utf8.RuneCountInString(w.Text), w.H*s.Height/max(w.W*s.Width, 1e-9)
	square := strings.ContainsFunc(w.Text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
	return high > 1.4 && (n > 4 || n > 1 && square) || high > 2 && n == 4
}

// follows returns 1 if a word stands below another in the same column, -1 if above, otherwise 0.
func (s Size) follows(a, b pdfium.Word) int {
	shared := min(a.X+a.W, b.X+b.W) - max(a.X, b.X)
	if shared < .6*min(a.W, b.W) || s.flat(a) || s.flat(b) {
		return 0
	}
	gap, touching := .7*max(a.W, b.W)*s.Width, -.3*min(a.H, b.H)*s.Height
	if d := (b.Y - a.Y - a.H) * s.Height; d > touching && d < gap && b.Y > a.Y {
		return 1
	}
	if d := (a.Y - b.Y - b.H) * s.Height; d > touching && d < gap && b.Y < a.Y {
		return -1
	}
	return 0
}

// flat reports whether a word is horizontal.
func (s Size) flat(w pdfium.Word) bool {
	return utf8.RuneCountInString(w.Text) > 2 && w.W*s.Width > 1.2*w.H*s.Height
}

// apart reports whether a space divides two words of a column.
func (s Size) apart(a, b pdfium.Word, down int) bool {
	gap := b.Y - a.Y - a.H
	if down < 0 {
		gap = a.Y - b.Y - b.H
	}
	return gap*s.Height > .12*max(a.W, b.W)*s.Width
}
