package docx

import (
	"strconv"
	"strings"
)

// maxLength bounds every length, in points: more than the largest page.
const maxLength = 20000.0

// toggle is a property that is on, off or unset.
type toggle int8

const (
	unset toggle = iota
	on
	off
)

func (t toggle) or(over toggle) toggle {
	if over != unset {
		return over
	}
	return t
}

// xor combines a toggle of a character style with that of the paragraph style
// (ISO/IEC 29500-1 §17.7.3).
func (t toggle) xor(over toggle) toggle {
	if t == on && over == on {
		return off
	}
	return t.or(over)
}

func readToggle(n *node) toggle {
	if n == nil {
		return unset
	}
	switch n.val() {
	case "0", "false", "off", "none":
		return off
	}
	return on
}

// length is a length in points that may be unset.
type length struct {
	points float64
	set    bool
}

func (l length) or(over length) length {
	if over.set {
		return over
	}
	return l
}

func points(v float64) length { return length{v, true} }

var units = map[string]float64{"pt": 1, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "pc": 12, "pi": 12}

// measure reads a number of the given unit (in points), or a number with its
// own unit, as in strict files.
func measure(s string, unit float64) length {
	if len(s) > 2 {
		if u, ok := units[s[len(s)-2:]]; ok {
			s, unit = s[:len(s)-2], u
		}
	}
	v, ok := decimal(s)
	if !ok {
		return length{}
	}
	return points(min(max(v*unit, -maxLength), maxLength))
}

// decimal reads a plain number, without exponents or infinities.
func decimal(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789.+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// twips reads a twentieth of a point, the usual unit.
func twips(s string) length { return measure(s, 1.0/20) }

// emu reads English Metric Units, 12,700 to the point.
func emu(s string) float64 { return measure(s, 1.0/12700).points }

// integer parses a small number, and returns otherwise if it cannot.
func integer(s string, otherwise int) int {
	v, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || v < -1_000_000 || v > 1_000_000 {
		return otherwise
	}
	return v
}

// colour is red, green, blue, 0 to 1.
type colour [3]float64

// readColour reads RRGGBB; false for "auto" and everything else.
func readColour(s string) (colour, bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(strings.TrimPrefix(s, "#")) != 6 {
		return colour{}, false
	}
	return colour{float64(v>>16) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}, true
}

// highlights are the names of §17.18.40.
var highlights = map[string]colour{
	"black": {0, 0, 0}, "blue": {0, 0, 1}, "cyan": {0, 1, 1}, "green": {0, 1, 0}, "magenta": {1, 0, 1}, "red": {1, 0, 0},
	"yellow": {1, 1, 0}, "white": {1, 1, 1}, "darkBlue": {0, 0, .5}, "darkCyan": {0, .5, .5}, "darkGreen": {0, .5, 0},
	"darkMagenta": {.5, 0, .5}, "darkRed": {.5, 0, 0}, "darkYellow": {.5, .5, 0}, "darkGray": {.5, .5, .5}, "lightGray": {.75, .75, .75},
}

// shade reads w:shd: the fill, mixed with the pattern's colour if it is solid
// or a percentage.
func shade(n *node) (colour, bool) {
	if n == nil {
		return colour{}, false
	}
	fill, filled := readColour(n.attr("w:fill"))
	part := 0.0
	if p, ok := strings.CutPrefix(n.val(), "pct"); ok {
		part = float64(integer(p, 0)) / 100
	} else if n.val() == "solid" {
		part = 1
	}
	if part <= 0 || part > 1 {
		return fill, filled
	}
	if !filled {
		fill = colour{1, 1, 1}
	}
	front, _ := readColour(n.attr("w:color"))
	for i := range fill {
		fill[i] += (front[i] - fill[i]) * part
	}
	return fill, true
}

// border is the line along an edge.
type border struct {
	set    bool // specified, even if as "none"
	width  float64
	colour colour
	space  float64
}

func (b border) or(over border) border {
	if over.set {
		return over
	}
	return b
}

func (b border) visible() bool { return b.set && b.width > 0 }

func readBorder(n *node) border {
	if n == nil {
		return border{}
	}
	b := border{set: true}
	if v := n.val(); v == "" || v == "nil" || v == "none" {
		return b
	}
	b.width = min(max(measure(n.attr("w:sz"), 1.0/8).points, 0.25), 12)
	b.space = min(max(measure(n.attr("w:space"), 1).points, 0), 31)
	b.colour, _ = readColour(n.attr("w:color"))
	return b
}
