package text

import (
	"strings"

	"paraph/app/linebreak"
)

// WrapLines sets s in lines of at most width points. It breaks at line breaks,
// elsewhere where Unicode allows it (UAX #14) and between the words of languages
// that are written without spaces, and inside a word only if the word alone is
// too wide. Spaces at the end of a line are dropped. An empty s
// yields one empty line. If width is too small for any text, each line has one
// character.
func (f *Fonts) WrapLines(style Style, size, width float64, s string) []Run {
	return f.recent.get(linesKey{style, size, true, width, s}, func() (lines []Run) {
		sh := f.shapers.take()
		defer f.shapers.put(sh)
		for _, paragraph := range paragraphs(s) {
			lines = f.wrap(lines, sh, style, size, width, sh.clean(paragraph))
		}
		return lines
	})
}

func paragraphs(s string) []string {
	if !strings.ContainsAny(s, "\r\n\u0085\u2028\u2029") {
		return []string{s}
	}
	return strings.Split(lineBreaks.Replace(s), "\n")
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func (f *Fonts) wrap(lines []Run, sh *shaper, style Style, size, width float64, text []rune) []Run {
	whole := f.layout(sh, style, size, text, neutral)
	if whole.Width <= width || len(text) == 0 {
		return append(lines, whole)
	}
	base := leftToRight
	if whole.RightToLeft {
		base = rightToLeft
	}
	p := newParagraph(sh, text, whole)
	for _, l := range p.lines(width) {
		lines = append(lines, f.layout(sh, style, size, trim(text[l.start:l.end]), base))
	}
	return lines
}

// A paragraph knows its possible break positions and the widths of its parts.
type paragraph struct {
	text   []rune
	at     []float64 // width of the text before each rune, and of the whole text
	words  []stretch // including the following spaces
	height float64   // of a line
}

func newParagraph(sh *shaper, text []rune, whole Run) *paragraph {
	p := &paragraph{text: text, at: whole.starts(len(text)), height: whole.Height()}
	for _, w := range sh.breaks.Parts(text) {
		p.words = append(p.words, stretch{w.Start, w.End})
	}
	return p
}

// measure returns the paragraphs of s at a size of one point.
func (f *Fonts) measure(style Style, s string) []*paragraph {
	var all []*paragraph
	for _, s := range paragraphs(s) {
		whole := f.Layout(style, 1, s)
		sh := f.shapers.take()
		all = append(all, newParagraph(sh, appendClean(nil, s), whole))
		f.shapers.put(sh)
	}
	return all
}

// starts returns the widths of the first n runes, for each n up to the whole.
func (r Run) starts(runes int) []float64 {
	at := make([]float64, runes+1)
	for _, g := range r.Glyphs {
		at[g.at+1] += g.Advance
	}
	for i := range runes {
		at[i+1] += at[i]
	}
	return at
}

// A stretch is text[start:end].
type stretch struct{ start, end int }

// lines fills each line with as many words as fit.
func (p *paragraph) lines(width float64) []stretch {
	var lines []stretch
	var line stretch
	for _, w := range p.words {
		if p.width(line.start, w.end) > width+slack {
			if line.end > line.start {
				lines = append(lines, line)
			}
			line.start = w.start
			if p.width(w.start, w.end) > width+slack {
				lines, line.start = p.divide(lines, w, width)
			}
		}
		line.end = w.end
	}
	return append(lines, line)
}

// width returns the width of text[start:end] without trailing spaces.
func (p *paragraph) width(start, end int) float64 {
	for end > start && p.text[end-1] == ' ' {
		end--
	}
	return p.at[end] - p.at[start]
}

// divide breaks a word that is wider than a line; rest is where its last part
// begins.
func (p *paragraph) divide(lines []stretch, w stretch, width float64) (_ []stretch, rest int) {
	rest = w.start
	may := linebreak.Within(p.text[w.start:w.end])
	for start := w.start; start < w.end; {
		end := start + 1
		for !may[end-w.start] {
			end++
		}
		if p.width(rest, end) > width+slack && start > rest {
			lines = append(lines, stretch{rest, start})
			rest = start
		}
		start = end
	}
	return lines, rest
}

// slack keeps rounding errors from breaking a line that fits exactly.
const slack = 0.01

func trim(text []rune) []rune {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}
