package html

import (
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// inherited are the properties that an element hands on to those within it.
type inherited struct {
	size                                      float64 // of the font, in points
	bold, italic, underline, strike           bool
	caps, pre, hidden, mono, rightToLeft      bool
	colour, shade, align, vertical, listStyle string
	line                                      float64 // height of a line, in ems; 0 for normal
	indent                                    float64 // of the first line
}

// border is one side of a box.
type border struct {
	width  float64 // points
	colour string
}

// measure is a length in points, or a part of what is around it.
type measure struct {
	points, part float64
}

func (m measure) of(whole float64) float64 { return m.points + m.part*whole }

// style is the computed style of an element.
type style struct {
	inherited
	display                         string
	top, bottom, left, right        float64 // margins and paddings
	padding                         float64 // of a cell
	borders                         [4]border
	background                      string
	width, height                   measure
	breakBefore, breakAfter, keep   bool
	marginLeftAuto, marginRightAuto bool
}

// base is the style of text without any.
func base() inherited { return inherited{size: 12} }

// defaults set what browsers do for an element.
func (s *style) defaults(n *node) {
	em := s.size
	switch n.tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		i := n.tag[1] - '1'
		s.size = em * []float64{2, 1.5, 1.17, 1, 0.83, 0.67}[i]
		s.top = s.size * []float64{0.67, 0.83, 1, 1.33, 1.67, 2.33}[i]
		s.bottom, s.bold, s.keep = s.top, true, true
	case "p", "dl", "fieldset":
		s.top, s.bottom = em, em
	case "ul", "ol", "menu":
		s.left = 30
		if !slices.ContainsFunc(ancestors(n), func(x *node) bool { return x.tag == "li" }) {
			s.top, s.bottom = em, em
		}
	case "blockquote", "figure":
		s.top, s.bottom, s.left, s.right = em, em, 30, 30
	case "dd":
		s.left = 30
	case "pre":
		s.top, s.bottom, s.pre, s.mono, s.size = em, em, true, true, em*0.8125
	case "hr":
		s.top, s.bottom, s.borders[2] = em/2, em/2, border{0.75, "808080"}
	case "th":
		s.bold, s.align = true, "center"
	case "b", "strong", "dt", "legend":
		s.bold = true
	case "i", "em", "cite", "var", "dfn", "address":
		s.italic = true
	case "u", "ins":
		s.underline = true
	case "s", "del", "strike":
		s.strike = true
	case "small":
		s.size = em * 0.83
	case "big":
		s.size = em * 1.2
	case "sub", "sup":
		s.vertical = n.tag + "script"
		if n.tag == "sup" {
			s.vertical = "superscript"
		}
	case "code", "kbd", "samp", "tt":
		s.mono = true
	case "mark":
		s.shade = "FFFF00"
	case "a":
		if n.attr("href") != "" {
			s.colour, s.underline = "0563C1", true
		}
	case "center", "caption":
		s.align = "center"
	}
	s.display = "inline"
	if paragraphEnds[n.tag] || blocks[n.tag] {
		s.display = "block"
	}
	s.attributes(n)
}

var blocks = set("html body li dt dd legend caption tr td th thead tbody tfoot summary")

func ancestors(n *node) (all []*node) {
	for n = n.up; n != nil; n = n.up {
		all = append(all, n)
	}
	return all
}

// attributes reads those that stand for styles.
func (s *style) attributes(n *node) {
	for _, a := range n.attrs {
		v := strings.ToLower(strings.TrimSpace(a.Val))
		switch a.Key {
		case "align":
			s.set("text-align", v)
		case "valign":
			s.set("vertical-align", v)
		case "bgcolor":
			s.set("background-color", v)
		case "color":
			s.set("color", v)
		case "dir":
			s.rightToLeft = v == "rtl"
		case "hidden":
			s.hidden = true
		case "width", "height":
			if _, err := strconv.ParseFloat(v, 64); err == nil {
				v += "px"
			}
			s.set(a.Key, v)
		case "type":
			if n.tag == "ol" || n.tag == "ul" {
				s.listStyle = listTypes[a.Val]
			}
		}
	}
}

// listTypes maps the type of a list to the number format of Word.
var listTypes = map[string]string{
	"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
	"disc": "•", "circle": "◦", "square": "▪", "decimal": "decimal", "lower-alpha": "lowerLetter", "lower-latin": "lowerLetter",
	"upper-alpha": "upperLetter", "upper-latin": "upperLetter", "lower-roman": "lowerRoman", "upper-roman": "upperRoman",
	"decimal-leading-zero": "decimalZero", "none": "none",
}

// silent are properties without meaning on paper, or whose loss nobody sees.
var silent = set("border-collapse border-spacing box-sizing cursor orphans widows font-family -webkit-print-color-adjust " +
	"print-color-adjust text-rendering word-wrap overflow-wrap word-break hyphens min-width max-width min-height outline " +
	"transition table-layout overflow clear empty-cells caption-side user-select appearance resize content unicode-bidi")

// set applies a declaration. It returns false for a property, or a value of it, that is not known.
func (s *style) set(property, v string) bool {
	switch property {
	case "color":
		return assign(&s.colour, colour(v))
	case "background-color", "background":
		if v == "transparent" || v == "none" || v == "inherit" {
			s.background = ""
			return true
		}
		return assign(&s.background, colour(v))
	case "font-weight":
		weight, _ := strconv.Atoi(v)
		s.bold = v == "bold" || v == "bolder" || weight >= 600
	case "font-style":
		s.italic = v != "normal"
	case "font-size":
		return s.fontSize(v)
	case "font-family":
		s.mono = strings.Contains(v, "mono") || strings.Contains(v, "courier")
	case "text-decoration", "text-decoration-line":
		s.underline, s.strike = strings.Contains(v, "underline"), strings.Contains(v, "line-through")
	case "text-align":
		s.align = v
	case "text-transform":
		s.caps = v == "uppercase"
		return s.caps || v == "none"
	case "text-indent":
		s.indent = length(v, s.size).points
	case "line-height":
		s.line = lineHeight(v, s.size)
	case "white-space":
		s.pre = strings.HasPrefix(v, "pre")
	case "direction":
		s.rightToLeft = v == "rtl"
	case "visibility":
		s.hidden = v != "visible"
	case "list-style", "list-style-type":
		for _, word := range strings.Fields(v) {
			if listTypes[word] != "" {
				s.listStyle = listTypes[word]
			}
		}
	case "vertical-align":
		s.vertical = map[string]string{"super": "superscript", "sub": "subscript", "middle": "center", "top": "top", "bottom": "bottom"}[v]
	case "display":
		s.display = v
		return slices.Contains([]string{"none", "block", "inline", "inline-block", "table", "table-row", "table-cell", "list-item"}, v)
	case "width":
		s.width = length(v, s.size)
	case "height":
		s.height = length(v, s.size)
	default:
		return s.box(property, v)
	}
	return true
}

func assign(to *string, v string) bool {
	if v != "" {
		*to = v
	}
	return v != ""
}

// box applies what concerns the box of an element.
func (s *style) box(property, v string) bool {
	always := v == "always" || v == "page" || v == "left" || v == "right"
	name, side, _ := strings.Cut(property, "-")
	switch {
	case property == "page-break-before" || property == "break-before":
		s.breakBefore = always
	case property == "page-break-after" || property == "break-after":
		s.breakAfter = always
		s.keep = s.keep || strings.HasPrefix(v, "avoid")
	case property == "page-break-inside" || property == "break-inside":
	case name == "margin" || name == "padding":
		s.sides(name, side, v)
	case name == "border" && (side == "" || sideOf[side] > 0):
		b := readBorder(v)
		for i := range s.borders {
			if side == "" || sideOf[side] == i+1 {
				s.borders[i] = b
			}
		}
	default:
		return silent[property]
	}
	return true
}

var sideOf = map[string]int{"top": 1, "right": 2, "bottom": 3, "left": 4}

// sides adds margins and paddings, which are the same on paper without a background.
func (s *style) sides(name, side, v string) {
	words := strings.Fields(v)
	if len(words) == 0 || len(words) > 4 {
		return
	}
	at := func(i int) string {
		switch {
		case i < len(words):
			return words[i]
		case i == 3 && len(words) > 1:
			return words[1]
		}
		return words[max(0, i-2)%len(words)]
	}
	if side != "" {
		at = func(int) string { return v }
	}
	edges := [4]*float64{&s.top, &s.right, &s.bottom, &s.left}
	for i, edge := range edges {
		if side != "" && sideOf[side] != i+1 {
			continue
		}
		l := length(at(i), s.size).points
		if name == "padding" {
			l += *edge
		}
		*edge = l
		auto := at(i) == "auto"
		s.marginLeftAuto = s.marginLeftAuto || auto && i == 3
		s.marginRightAuto = s.marginRightAuto || auto && i == 1
	}
	if name == "padding" {
		s.padding = length(at(0), s.size).points
	}
}

func readBorder(v string) (b border) {
	b = border{0.75, "000000"}
	drawn := false
	for _, word := range strings.Fields(v) {
		switch {
		case word == "none" || word == "hidden" || word == "0":
			return border{}
		case slices.Contains([]string{"solid", "dashed", "dotted", "double", "groove", "ridge", "inset", "outset"}, word):
			drawn = true
		case colour(word) != "":
			b.colour = colour(word)
		default:
			if l := length(word, 12); l.points > 0 {
				b.width = l.points
			}
		}
	}
	if !drawn {
		return border{}
	}
	return b
}

func (s *style) fontSize(v string) bool {
	named := map[string]float64{
		"xx-small": 7, "x-small": 7.5, "small": 10, "medium": 12, "large": 13.5, "x-large": 18, "xx-large": 24,
		"smaller": s.size / 1.2, "larger": s.size * 1.2,
	}
	size := named[v]
	if size == 0 {
		size = length(v, s.size).of(s.size)
	}
	if size <= 0 {
		return false
	}
	s.size = min(max(size, 1), 200)
	return true
}

func lineHeight(v string, size float64) float64 {
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		return min(max(n, 0), 10)
	}
	return min(max(length(v, size).of(size)/size, 0), 10)
}

var lengths = regexp.MustCompile(`^(-?[0-9]*\.?[0-9]+)(px|pt|em|rem|ex|ch|%|mm|cm|in|pc)?$`)

// length reads a length; anything else is 0.
func length(v string, em float64) measure {
	m := lengths.FindStringSubmatch(v)
	if m == nil {
		return measure{}
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n > 100_000 || n < -100_000 {
		return measure{}
	}
	unit := map[string]float64{
		"px": 0.75, "pt": 1, "em": em, "rem": 12, "ex": em / 2, "ch": em / 2, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72, "pc": 12,
	}
	if m[2] == "%" {
		return measure{part: n / 100}
	}
	return measure{points: n * unit[m[2]]}
}

var rgb = regexp.MustCompile(`^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/].*)?\)$`)

// colour returns a colour as six hexadecimal digits, "" if it is none.
func colour(v string) string {
	if c, ok := colornames.Map[v]; ok {
		return digits(c)
	}
	if m := rgb.FindStringSubmatch(v); m != nil {
		var n [3]uint8
		for i := range n {
			x, _ := strconv.Atoi(m[i+1]) // three digits
			n[i] = uint8(min(x, 255))
		}
		return digits(color.RGBA{R: n[0], G: n[1], B: n[2]})
	}
	hex, ok := strings.CutPrefix(v, "#")
	if !ok || strings.Trim(hex, "0123456789abcdef") != "" {
		return ""
	}
	switch len(hex) {
	case 3, 4:
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	case 6, 8:
		hex = hex[:6]
	default:
		return ""
	}
	return strings.ToUpper(hex)
}

func digits(c color.RGBA) string { return fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B) }
