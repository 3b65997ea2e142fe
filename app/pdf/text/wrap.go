package text

import "strings"

// WrapLines sets s in lines of at most width points. It breaks at line breaks,
// else where Unicode allows (UAX #14), and inside a word only when the word alone
// is too wide. Spaces at the end of a line are dropped. An empty s is one empty
// line. A width that holds nothing still holds one character a line.
func (f *Fonts) WrapLines(style Style, size, width float64, s string) []Run {
	sh := f.shapers.take()
	defer f.shapers.give(sh)
	var lines []Run
	for _, paragraph := range strings.Split(lineBreaks.Replace(s), "\n") {
		lines = f.wrap(lines, sh, style, size, width, clean(paragraph))
	}
	return lines
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
	for _, l := range sh.breakLines(text, whole.starts(len(text)), width) {
		lines = append(lines, f.layout(sh, style, size, trim(text[l.start:l.end]), base))
	}
	return lines
}

// starts gives the width of the first n runes, for each n up to the whole.
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

// breakLines fills each line with as many words as it holds.
func (sh *shaper) breakLines(text []rune, at []float64, width float64) []stretch {
	var words []stretch
	sh.segments.Init(text)
	for it := sh.segments.LineIterator(); it.Next(); {
		w := it.Line()
		words = append(words, stretch{w.Offset, w.Offset + len(w.Text)})
	}
	var lines []stretch
	var line stretch
	for _, w := range words {
		solid := w.start + len(trim(text[w.start:w.end]))
		if at[solid]-at[line.start] > width+slack {
			if line.end > line.start {
				lines = append(lines, line)
			}
			line.start = w.start
			if at[solid]-at[w.start] > width+slack {
				lines, line.start = sh.breakWord(lines, text, at, w, width)
			}
		}
		line.end = w.end
	}
	return append(lines, line)
}

// breakWord divides a word that is wider than a line; rest is where its last
// part begins.
func (sh *shaper) breakWord(lines []stretch, text []rune, at []float64, w stretch, width float64) (_ []stretch, rest int) {
	rest = w.start
	sh.segments.Init(text[w.start:w.end])
	for it := sh.segments.GraphemeIterator(); it.Next(); {
		g := it.Grapheme()
		start := w.start + g.Offset
		solid := start + len(trim(g.Text))
		if at[solid]-at[rest] > width+slack && start > rest {
			lines = append(lines, stretch{rest, start})
			rest = start
		}
	}
	return lines, rest
}

// slack keeps rounding from breaking a line that fits exactly.
const slack = 0.01

func trim(text []rune) []rune {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}
