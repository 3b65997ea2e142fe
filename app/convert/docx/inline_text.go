package docx

import (
	"strings"
	"unicode"
)

// text adds characters, capitalized if the format says so, and splits off tabs
// and drawn signs.
func (c *collector) text(s string, f *format) {
	s = symbolText(s, *f)
	if f.caps {
		s = strings.ToUpper(s)
	}
	start := 0
	flush := func(end int) {
		if t := printable(s[start:end]); t != "" {
			c.letters(t, f)
		}
	}
	for i, r := range s {
		if r != '\t' && !isDrawn(r) {
			continue
		}
		flush(i)
		start = i + len(string(r))
		if r == '\t' {
			c.add(item{kind: tabItem, f: f})
		} else {
			c.add(item{kind: shapeItem, f: f, shape: r})
		}
	}
	flush(len(s))
}

// letters adds text; small capitals take two sizes.
func (c *collector) letters(s string, f *format) {
	if !f.smallCaps || f.caps {
		c.add(item{f: f, text: s})
		return
	}
	small := *f
	small.size *= 0.8
	for s != "" {
		end := strings.IndexFunc(s, unicode.IsLower)
		if end < 0 {
			end = len(s)
		}
		if end > 0 {
			c.add(item{f: f, text: s[:end]})
		}
		s = s[end:]
		if end = strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLower(r) }); end < 0 {
			end = len(s)
		}
		if end > 0 {
			c.add(item{f: c.d.intern(small), text: strings.ToUpper(s[:end])})
		}
		s = s[end:]
	}
}

// printable drops invisible characters: controls and soft hyphens.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r), r == '\u00AD', r == '\uFFFC', r == '\uFEFF':
			return -1
		}
		return r
	}, s)
}

func (c *collector) symbol(k *node, f *format) {
	code, ok := hex(k.attr("w:char"))
	if !ok {
		return
	}
	g := *f
	font := k.attr("w:font")
	g.symbol, g.wingdings = font == "Symbol", isWingdings(font)
	c.text(symbolRune(code, g), f)
}

func hex(s string) (rune, bool) {
	v := rune(0)
	for _, r := range strings.ToLower(s) {
		i := strings.IndexRune("0123456789abcdef", r)
		if i < 0 || v > 0xFFFF {
			return 0, false
		}
		v = v<<4 | rune(i)
	}
	return v, s != "" && unicode.IsPrint(v) || isPrivate(v)
}

// ruby shows a reading aid in parentheses after its characters (§17.3.3.25).
func (c *collector) ruby(k *node, f *format) {
	c.d.findings.add("ruby")
	if base := k.child("w:rubyBase"); base != nil {
		c.content(base)
	}
	if reading := k.child("w:rt"); reading != nil && reading.find("w:t") != nil {
		c.text("(", f)
		c.content(reading)
		c.text(")", f)
	}
}
