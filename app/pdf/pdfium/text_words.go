package pdfium

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/bidi"
)

// collector assembles characters into lines and words.
type collector struct {
	text    strings.Builder
	words   []Word
	word    strings.Builder
	box     box
	ink     box
	high    rune // first half of a surrogate pair
	last    rune // of the word
	letter  rune // the last that is no mark
	lastBox box
	rtl     bool // the word is read from right to left
	way     int  // 1 if its characters are drawn one after another to the right, -1 to the left, 0 unknown
	glyph   int  // where in the word its last letter begins
	glued   bool // no space comes before the word
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

func (c *collector) add(r rune, b, ink box) {
	c.joining = false
	if utf16.IsSurrogate(r) {
		c.high, r = r, utf16.DecodeRune(c.high, r)
		if r == unicode.ReplacementChar {
			return
		}
	}
	c.high = 0
	if c.word.Len() > 0 && c.divides(r, b) {
		c.endWord()
		c.glued = true
	}
	c.text.WriteRune(r)
	if c.word.Len() > 0 && c.ligature(r, b) {
		// PDFium turns characters round, also those that one glyph stands for.
		word := c.word.String()
		c.word.Reset()
		c.word.WriteString(word[:c.glyph] + string(r) + word[c.glyph:])
	} else {
		if !unicode.IsMark(r) {
			c.glyph = c.word.Len()
		}
		c.word.WriteRune(r)
	}
	c.last = r
	if !unicode.IsMark(r) {
		c.letter, c.rtl, c.lastBox = r, rightToLeft(r), b
	}
	c.box, c.ink = c.box.union(b), c.ink.union(ink)
}

// divides reports whether a character begins another word though no space comes before it: where the box of a word
// would include what it only touches, or would not tell in which order its characters are drawn.
func (c *collector) divides(r rune, b box) bool {
	if c.last == '}' && r != '}' || c.last != '{' && r == '{' {
		return true // so that the box of a text tag is its own
	}
	if unicode.IsMark(r) {
		return false
	}
	switch {
	case rightToLeft(r) != c.rtl:
		return true
	case c.ligature(r, b):
		return false
	}
	if !b.valid() || !c.lastBox.valid() {
		return false
	}
	if middle := (b.y0 + b.y1) / 2; middle < c.lastBox.y0 || middle > c.lastBox.y1 {
		return false
	}
	forward, wide := b.x0+b.x1-c.lastBox.x0-c.lastBox.x1, max(b.x1-b.x0, c.lastBox.x1-c.lastBox.x0)
	switch {
	case c.rtl:
		return forward > wide
	case forward > wide && c.way < 0, forward < -wide && (c.way > 0 || c.lastBox.x0-b.x1 > wide/2):
		return true
	case forward > wide:
		c.way = 1
	case forward < -wide: // text that stands on its head
		c.way = -1
	}
	return false
}

// ligature reports whether a lam is drawn by the same glyph as the alef before it, as only these two are: no further to
// the left.
func (c *collector) ligature(r rune, b box) bool {
	if !c.rtl || r != 'ل' || !strings.ContainsRune("اأإآٱ", c.letter) || !b.valid() {
		return false
	}
	return b.x0 >= c.lastBox.x0-(b.x1-b.x0)/50 && b.x1 <= c.lastBox.x1+(b.x1-b.x0)*1.1
}

// rightToLeft reports whether a character belongs to a script that is written from right to left.
func rightToLeft(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

func (c *collector) endWord() {
	if c.word.Len() > 0 && c.box.valid() {
		c.words = append(c.words, Word{c.word.String(), c.box.x0, c.box.y0, c.box.x1 - c.box.x0, c.box.y1 - c.box.y0, c.ink.y0, c.ink.y1, c.glued})
	}
	c.word.Reset()
	c.box, c.ink, c.last, c.glued, c.way, c.glyph = box{}, box{}, 0, false, 0, 0
}

func (c *collector) page() PageText {
	c.endWord()
	return PageText{Text: c.text.String(), Words: c.words}
}
