package detect

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
)

var (
	tagPattern    = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
	anchorPattern = regexp.MustCompile(`(?i)\\(o?[a-z]{1,3})(\d{1,2})\\|/(o?[a-z]{1,3})(\d{1,2})/|\*\*([a-z]+(?:_[a-z]+)?)_(\d{1,2})\*\*`)
	blankPattern  = regexp.MustCompile(`_{4,}`)
	boxPattern    = regexp.MustCompile(`[☐□◻❏❑❒⬜]|\[[ _]\]`)
)

// Limits of what is read. A file may have been made to exceed them, so that every place that
// looks like a field counts, also if it turns out to be none.
const (
	minBlank    = 4       // underscores of a line to write on
	maxTag      = 1000    // characters of a text tag
	maxTagLines = 8       // that a text tag extends over
	maxPageText = 1 << 20 // characters of a page
	maxBeside   = 4000    // characters of the line below a blank, where its label may be
)

// Text finds tags, lines to write on and boxes to tick in the text of a file's pages. Pages without a
// size are skipped. If loose is set, every text in double braces is a tag. It ends early, with
// the error of ctx, when ctx ends.
func Text(ctx context.Context, pages []pdfium.PageText, sizes []Size, loose bool) ([]Field, error) {
	var out []Field
	signatures := 0
	for i := range min(len(pages), len(sizes)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lines := textLines(pages[i].Words, sizes[i])
		found := append(tags(lines, sizes[i], loose), blanks(lines, sizes[i], &signatures)...)
		found = append(found, boxes(lines, sizes[i], max(1, signatures))...)
		slices.SortStableFunc(found, func(a, b Field) int {
			return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.X, b.X))
		})
		for _, x := range found {
			if len(out) == Most {
				return out, nil
			}
			x.Page = i + 1
			for k := range x.Covers {
				x.Covers[k].Page = i + 1
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// tags finds the text tags of a page, which may extend over several lines.
func tags(lines []*textLine, size Size, loose bool) []Field {
	script, starts := joined(lines)
	var out []Field
	add := func(x Field, from, to int) {
		if !loose && x.Type == pdf.FieldSelect && len(x.Options) == 0 {
			return
		}
		x.Text = short(script[from:to])
		parts := spread(lines, starts, script, from, to)
		if len(parts) == 0 || len(parts) > maxTagLines {
			return
		}
		x.line = parts[0].line
		for _, p := range parts {
			x.Covers = append(x.Covers, lines[p.line].area(p.from, p.to))
		}
		place(&x, size, lines[x.line], parts[0].from, parts[0].to)
		out = append(out, x)
	}
	for _, m := range tagPattern.FindAllStringSubmatchIndex(script, Most) {
		if m[1]-m[0] > 4*maxTag {
			continue
		}
		if x, ok := Tag(unbroken(lines, starts, script, m[0], m[1]), loose); ok {
			add(x, m[0], m[1])
		}
	}
	for _, m := range anchorPattern.FindAllStringSubmatchIndex(script, Most) {
		i := 2
		for m[i] < 0 {
			i += 4
		}
		if x, ok := anchor(script[m[i]:m[i+1]], script[m[i+2]:m[i+3]]); ok {
			add(x, m[0], m[1])
		}
	}
	return out
}

// unbroken returns what is between the braces of a tag, which begins and ends somewhere in the joined text
// of lines, without the spaces where a word was only broken for lack of room. Programs move a word to the
// next line if it fits there: one that is wider than the lines of the tag was broken.
func unbroken(lines []*textLine, starts []int, script string, from, to int) string {
	parts := spread(lines, starts, script, from, to)
	if len(parts) < 2 || len(parts) > maxTagLines {
		return script[from+2 : to-2]
	}
	room := 0.0
	for _, p := range parts {
		l := lines[p.line]
		left, right := l.extent(p.from, p.to)
		room = max(room, right-left)
	}
	var b strings.Builder
	for i, p := range parts {
		text := lines[p.line].text[p.from:p.to]
		b.WriteString(string(text))
		if i+1 == len(parts) {
			break
		}
		width, last := lines[p.line].wordBefore(p.from, p.to), text[len(text)-1]
		next := lines[parts[i+1].line]
		for _, q := range parts[i+1:] { // the word may go on through several lines
			w, ends := lines[q.line].wordAfter(q.from, q.to)
			if width += w; ends {
				break
			}
		}
		if first := next.text[parts[i+1].from]; width > room && next.text[parts[i+1].from] != ' ' || last == '-' || unspaced(last) && unspaced(first) {
			continue
		}
		b.WriteByte(' ')
	}
	body := b.String()
	return strings.TrimSuffix(strings.TrimPrefix(body, "{{"), "}}")
}

// unspaced reports whether a script has no spaces between its words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordBefore returns the width of the word at the end of a part of a line.
func (l *textLine) wordBefore(from, to int) float64 {
	at := to
	for at > from && l.text[at-1] != ' ' {
		at--
	}
	if at == to {
		return 0
	}
	left, right := l.extent(at, to)
	return right - left
}

// wordAfter returns the width of the word at the beginning of a part of a line, and whether it ends there.
func (l *textLine) wordAfter(from, to int) (width float64, ends bool) {
	at := from
	for at < to && l.text[at] != ' ' {
		at++
	}
	if at == from {
		return 0, true
	}
	left, right := l.extent(from, at)
	return right - left, at < to || l.text[at-1] == '-'
}

// WithoutTags returns a text without the text tags in it.
func WithoutTags(text string) string {
	out := tagPattern.ReplaceAllStringFunc(text, func(tag string) string {
		if _, ok := Tag(tag[2:len(tag)-2], true); ok && len(tag) <= 4*maxTag {
			return ""
		}
		return tag
	})
	out = anchorPattern.ReplaceAllStringFunc(out, func(tag string) string {
		m := anchorPattern.FindStringSubmatch(tag)
		if _, ok := anchor(cmp.Or(m[1], m[3], m[5]), cmp.Or(m[2], m[4], m[6])); ok {
			return ""
		}
		return tag
	})
	return out
}

// joined joins the lines of a page with spaces and returns where in the text each
// begins.
func joined(lines []*textLine) (text string, starts []int) {
	var b strings.Builder
	for _, l := range lines {
		starts = append(starts, b.Len())
		b.WriteString(string(l.text))
		b.WriteByte(' ')
	}
	return b.String(), starts
}

// part is a part of a line, in characters.
type part struct{ line, from, to int }

// spread returns the parts of lines that a part of the joined text consists of.
func spread(lines []*textLine, starts []int, script string, from, to int) []part {
	line, exact := slices.BinarySearch(starts, from)
	if !exact {
		line--
	}
	var out []part
	for ; line < len(lines) && starts[line] < to && len(out) <= maxTagLines; line++ {
		l := lines[line]
		a := utf8.RuneCountInString(script[starts[line]:max(from, starts[line])])
		b := a + utf8.RuneCountInString(script[max(from, starts[line]):to])
		if b = min(b, len(l.text)); a < b {
			out = append(out, part{line, a, b})
		}
	}
	return out
}

// place puts a field over a part of a line. Its size, if it has one, is in points until
// then, and in fractions of the page after it. A signature stands on the line and extends
// above it; typed text is as high as the line's text. In text that is read from right to left, fields begin at the right.
// In vertical text, they stand at the top of what they replace.
func place(x *Field, size Size, l *textLine, from, to int) {
	least := sizeOf(x)
	if x.Source == InLine {
		least.Width = min(least.Width, 40)
	}
	left, right := l.extent(from, to)
	x.X = left
	switch {
	case x.Width > 0:
		x.Width /= size.Width
	case x.Type == pdf.FieldCheckbox || x.Type == pdf.FieldRadio && len(x.Options) == 0:
		x.Width = least.Width / size.Width
	default:
		x.Width = max(right-left, least.Width/size.Width)
	}
	beside := x.Source == InTag && least.Height <= 18
	switch {
	case x.Height > 0:
		x.Height /= size.Height
	case beside && !l.vertical:
		x.Height = max(least.Height/size.Height, l.bottom-l.top)
	default:
		x.Height = least.Height / size.Height
	}
	switch x.Y = l.bottom - x.Height; {
	case l.vertical:
		x.Y = l.top
	case beside:
		x.Y = (l.top+l.bottom)/2 - x.Height/2
	}
	x.Width, x.Height = max(SmallestEdge, min(x.Width, 1)), max(SmallestEdge, min(x.Height, 1))
	if l.backward {
		x.X = right - x.Width
	}
	x.X, x.Y = inPage(x.X, x.Width), inPage(x.Y, x.Height)
}

// inPage shifts a start position so that the length fits between 0 and 1.
func inPage(at, length float64) float64 {
	if math.IsNaN(at) {
		return 0
	}
	return max(0, min(at, 1-length))
}
