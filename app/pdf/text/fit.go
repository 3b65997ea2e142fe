package text

import (
	"cmp"
	"sort"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/segmenter"
)

// smallestCell is the size below which characters in cells are not shrunk, in points.
const smallestCell = 4

// Fits reports whether a value is drawn whole: nothing of it is clipped, and no number is divided between lines.
func (f *Fonts) Fits(b Box, v Field) bool {
	if v.Text == "" {
		return true
	}
	if v.Cells > 0 {
		_, whole := f.cellSize(b, v)
		return whole
	}
	_, whole := f.fit(b, v)
	return whole
}

// Room returns how many characters of a value fit from its beginning.
func (f *Fonts) Room(b Box, v Field) int {
	all := letters(v.Text)
	return sort.Search(len(all), func(n int) bool {
		v.Text = strings.Join(all[:n+1], "")
		return !f.Fits(b, v)
	})
}

// fit chooses the size and the line breaks. whole is false if the text does not fit all the same.
func (f *Fonts) fit(b Box, v Field) (lines []Run, whole bool) {
	size := v.Size
	if size <= 0 {
		size = min(defaultSize, b.Height*0.7)
	}
	least := cmp.Or(v.Smallest, minSize)
	size = min(max(size, least), b.Height)
	least = min(least, size)
	width := b.Width - 2*b.pad()
	if v.Multiline && !v.OneLine {
		return f.fitLines(v, size, least, width, b.Height)
	}
	line := f.Layout(v.Style, size, v.Text)
	if line.Width > width || v.Size <= 0 && line.Height() > b.Height {
		scale := min(1, width/max(line.Width, slack))
		if v.Size <= 0 {
			scale = min(scale, b.Height/line.Height())
		}
		line = f.Layout(v.Style, max(size*scale, least), v.Text)
	}
	if line.Width > width+slack && !v.OneLine && 2*line.Height() <= b.Height {
		return f.fitLines(v, line.Size, line.Size, width, b.Height)
	}
	if above, below := b.overflow(v, line); above > 0 || below > 0 {
		_, high := line.ink()
		line = f.Layout(v.Style, max(line.Size*b.Height/(b.Height+2*max(above, below)), min(smallestCell, line.Size)), v.Text)
		above, below = b.overflow(v, line)
		return []Run{line}, line.Width <= width+slack && above <= high*tolerance && below <= high*tolerance
	}
	return []Run{line}, line.Width <= width+slack
}

// tolerance is how much of the height of its ink may be missing above or below a line: no more than the
// smoothing of an edge.
const tolerance = 0.03

// overflow returns how far the ink of a single line is above and below its box.
func (b Box) overflow(v Field, line Run) (above, below float64) {
	if line.Height() <= b.Height {
		return 0, 0
	}
	base := b.top(v, line.Height()) - line.Ascent
	low, high := line.ink()
	return max(0, base+high-b.Height), max(0, -(base + low))
}

// ink returns the lowest and the highest place of a line, from its baseline up.
func (r Run) ink() (low, high float64) {
	for _, g := range r.Glyphs {
		unit := r.Size / float64(g.face.sfnt.upem)
		add := func(id, y int) {
			if o := g.face.sfnt.outline(id); len(o) >= 10 {
				low = min(low, g.Y+float64(i16(o, 4)+y)*unit)
				high = max(high, g.Y+float64(i16(o, 8)+y)*unit)
			}
		}
		if g.parts == nil {
			add(g.id, 0)
		}
		for _, p := range g.parts {
			add(p.id, p.y)
		}
	}
	return low, high
}

// fitLines wraps text at the largest size at which all lines fit in the box and no word is divided. Words that
// are too wide at the least size are divided, unless they are numbers.
func (f *Fonts) fitLines(v Field, size, least, width, height float64) (lines []Run, whole bool) {
	paragraphs := f.measure(v.Style, v.Text)
	fits := func(size float64, divides bool) bool {
		total := 0.0
		for _, p := range paragraphs {
			if wide, number := p.tooWide(width / size); number || wide && !divides {
				return false
			}
			total += p.height * size * float64(len(p.lines(width/size)))
		}
		return total <= height+slack
	}
	divides := !fits(least, false)
	whole = !divides || fits(least, true)
	if !fits(size, divides) {
		low, high := least, size
		for high-low > 0.1 {
			if middle := (low + high) / 2; fits(middle, divides) {
				low = middle
			} else {
				high = middle
			}
		}
		size = low
	}
	return f.WrapLines(v.Style, size, width, v.Text), whole
}

// tooWide reports whether a word is wider than a line, and whether one that is a number is.
func (p *paragraph) tooWide(width float64) (word, number bool) {
	for _, w := range p.words {
		if p.width(w.start, w.end) > width+slack {
			word, number = true, number || isNumber(p.text[w.start:w.end])
		}
	}
	return word, number
}

// isNumber reports whether a word has digits and no letters.
func isNumber(word []rune) bool {
	digits := false
	for _, r := range word {
		if unicode.IsLetter(r) {
			return false
		}
		digits = digits || unicode.IsDigit(r)
	}
	return digits
}

// cellSize returns the size of characters that are each drawn in a cell. whole is false if there are more
// characters than cells, or if one is too wide all the same.
func (f *Fonts) cellSize(b Box, v Field) (size float64, whole bool) {
	width := b.Width / float64(v.Cells)
	size = v.Size
	if size <= 0 {
		size = min(defaultSize, b.Height*0.7, width*1.2)
	}
	size = min(size, b.Height)
	all, widest := letters(v.Text), 0.0
	for _, letter := range all {
		widest = max(widest, f.Measure(v.Style, size, letter))
	}
	if widest <= width {
		return size, len(all) <= v.Cells
	}
	smaller := max(size*width/widest, min(size, smallestCell))
	return smaller, len(all) <= v.Cells && widest*smaller/size <= width+slack
}

// letters divides a text into what its readers take for characters (UAX #29).
func letters(s string) []string {
	var out []string
	var it segmenter.Segmenter
	it.Init([]rune(s))
	for all := it.GraphemeIterator(); all.Next(); {
		out = append(out, string(all.Grapheme().Text))
	}
	return out
}
