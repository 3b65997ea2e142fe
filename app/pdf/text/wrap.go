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
	widths := make([]float64, len(text))
	for _, g := range whole.Glyphs {
		widths[g.at] += g.Advance
	}
	for from := 0; from < len(text); {
		to := sh.breakLine(text[from:], widths[from:], width)
		lines = append(lines, f.layout(sh, style, size, trim(text[from:from+to]), base))
		from += to
	}
	return lines
}

// breakLine says how many runes of text make the next line.
func (sh *shaper) breakLine(text []rune, widths []float64, width float64) int {
	sh.segments.Init(text)
	fits := 0
	used := 0.0
	for words := sh.segments.LineIterator(); words.Next(); {
		w := words.Line()
		end := w.Offset + len(w.Text)
		solid := w.Offset + len(trim(w.Text))
		if used+sum(widths[w.Offset:solid]) > width+slack {
			break
		}
		used += sum(widths[w.Offset:end])
		fits = end
	}
	if fits > 0 {
		return fits
	}
	return sh.breakWord(text, widths, width)
}

// breakWord divides a word that is wider than the line.
func (sh *shaper) breakWord(text []rune, widths []float64, width float64) int {
	fits := 0
	used := 0.0
	for clusters := sh.segments.GraphemeIterator(); clusters.Next(); {
		g := clusters.Grapheme()
		end := g.Offset + len(g.Text)
		used += sum(widths[g.Offset:end])
		if used > width+slack && fits > 0 {
			break
		}
		fits = end
	}
	return max(fits, min(1, len(text)))
}

// slack keeps rounding from breaking a line that fits exactly.
const slack = 0.01

func trim(text []rune) []rune {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}
