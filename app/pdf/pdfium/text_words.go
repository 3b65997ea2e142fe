package pdfium

import (
	"strings"
	"unicode"
	"unicode/utf16"
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
	if brace := c.last == '}' && r != '}' || c.last != '{' && r == '{'; brace {
		c.endWord() // so that the box of a text tag does not include what it touches
	}
	c.last = r
	c.text.WriteRune(r)
	c.word.WriteRune(r)
	c.box, c.ink = c.box.union(b), c.ink.union(ink)
}

func (c *collector) endWord() {
	if c.word.Len() > 0 && c.box.valid() {
		c.words = append(c.words, Word{c.word.String(), c.box.x0, c.box.y0, c.box.x1 - c.box.x0, c.box.y1 - c.box.y0, c.ink.y0, c.ink.y1})
	}
	c.word.Reset()
	c.box, c.ink, c.last = box{}, box{}, 0
}

func (c *collector) page() PageText {
	c.endWord()
	return PageText{Text: c.text.String(), Words: c.words}
}
