package docx

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// levels returns the embedding level of every character of a line by the
// Unicode Bidirectional Algorithm (UAX #9), without explicit embeddings and
// isolates, for which DOCX has its own markup. Objects count as neutral.
func levels(text []rune, rtl bool) []uint8 {
	base := uint8(0)
	if rtl {
		base = 1
	}
	classes := make([]bidi.Class, len(text))
	for i, r := range text {
		p, _ := bidi.LookupRune(r)
		classes[i] = p.Class()
	}
	original := slices.Clone(classes)
	weak(classes, rtl)
	brackets(classes, original, text, rtl)
	neutral(classes, rtl)
	out := make([]uint8, len(text))
	for i, c := range classes {
		out[i] = implicit(c, base)
	}
	resetEnds(out, original, base)
	return out
}

func direction(rtl bool) bidi.Class {
	if rtl {
		return bidi.R
	}
	return bidi.L
}

// weak applies the rules W1 to W7.
func weak(c []bidi.Class, rtl bool) {
	strong := direction(rtl)
	previous := strong
	for i := range c {
		switch c[i] {
		case bidi.NSM: // W1
			c[i] = previous
		case bidi.EN: // W2
			if strong == bidi.AL {
				c[i] = bidi.AN
			}
		case bidi.L, bidi.R, bidi.AL:
			strong = c[i]
		case bidi.LRE, bidi.RLE, bidi.LRO, bidi.RLO, bidi.PDF, bidi.LRI, bidi.RLI, bidi.FSI, bidi.PDI, bidi.BN,
			bidi.Control:
			c[i] = bidi.ON
		}
		previous = c[i]
	}
	for i := range c { // W3, W4
		switch {
		case c[i] == bidi.AL:
			c[i] = bidi.R
		case i == 0 || i+1 == len(c) || c[i-1] != c[i+1]:
		case c[i] == bidi.ES && c[i-1] == bidi.EN:
			c[i] = bidi.EN
		case c[i] == bidi.CS && (c[i-1] == bidi.EN || c[i-1] == bidi.AN):
			c[i] = c[i-1]
		}
	}
	terminators(c)
	strong = direction(rtl)
	for i := range c {
		switch c[i] {
		case bidi.L, bidi.R:
			strong = c[i]
		case bidi.EN: // W7
			if strong == bidi.L {
				c[i] = bidi.L
			}
		case bidi.ES, bidi.CS, bidi.ET: // W6
			c[i] = bidi.ON
		}
	}
}

// terminators applies W5: terminators next to a European number become part of it.
func terminators(c []bidi.Class) {
	for i := 0; i < len(c); i++ {
		if c[i] != bidi.ET {
			continue
		}
		end := i
		for end < len(c) && c[end] == bidi.ET {
			end++
		}
		if i > 0 && c[i-1] == bidi.EN || end < len(c) && c[end] == bidi.EN {
			for j := i; j < end; j++ {
				c[j] = bidi.EN
			}
		}
		i = end - 1
	}
}

// maxOpen bounds the open brackets that are remembered (BD16).
const maxOpen = 63

// brackets applies N0: both brackets of a pair get the same direction.
func brackets(c, original []bidi.Class, text []rune, rtl bool) {
	base := direction(rtl)
	for _, pair := range bracketPairs(c, text) {
		inside := bidi.ON // nothing strong
		for _, k := range c[pair.open+1 : pair.shut] {
			if k = strongOf(k); k == base {
				inside = base
				break
			} else if k != bidi.ON {
				inside = k
			}
		}
		if inside == bidi.ON {
			continue
		}
		if inside != base { // then the text before the pair decides
			before := base
			for i := pair.open - 1; i >= 0; i-- {
				if k := strongOf(c[i]); k != bidi.ON {
					before = k
					break
				}
			}
			if before == base {
				inside = base
			}
		}
		for _, at := range []int{pair.open, pair.shut} {
			c[at] = inside
			for i := at + 1; i < len(c) && original[i] == bidi.NSM; i++ {
				c[i] = inside // marks of a bracket
			}
		}
	}
}

// strongOf returns L or R as a class counts for brackets, or ON.
func strongOf(k bidi.Class) bidi.Class {
	switch k {
	case bidi.L:
		return bidi.L
	case bidi.R, bidi.EN, bidi.AN:
		return bidi.R
	}
	return bidi.ON
}

type bracketPair struct{ open, shut int }

// bracketPairs finds the pairs of a line, ordered by their beginning (BD16).
func bracketPairs(c []bidi.Class, text []rune) (pairs []bracketPair) {
	type opened struct {
		at     int
		closer rune
	}
	var stack []opened
	for i, r := range text {
		p, _ := bidi.LookupRune(r)
		if !p.IsBracket() || c[i] != bidi.ON {
			continue
		}
		if p.IsOpeningBracket() {
			if len(stack) == maxOpen {
				return nil
			}
			stack = append(stack, opened{i, closing(r)})
			continue
		}
		for j := len(stack) - 1; j >= 0; j-- {
			if stack[j].closer == sameBracket(r) {
				pairs = append(pairs, bracketPair{stack[j].at, i})
				stack = stack[:j]
				break
			}
		}
	}
	slices.SortFunc(pairs, func(a, b bracketPair) int { return a.open - b.open })
	return pairs
}

// closing returns the bracket that closes one: the next in Unicode that closes, nearly always.
func closing(open rune) rune {
	switch open {
	case 0x298D:
		return 0x2990
	case 0x298F:
		return 0x298E
	}
	for r := open + 1; r <= open+2; r++ {
		if p, _ := bidi.LookupRune(r); p.IsBracket() && !p.IsOpeningBracket() {
			return sameBracket(r)
		}
	}
	return -1
}

// sameBracket returns the angle bracket that another one is canonically equivalent to.
func sameBracket(r rune) rune {
	if r == 0x232A {
		return 0x3009
	}
	return r
}

// neutral applies N1 and N2.
func neutral(c []bidi.Class, rtl bool) {
	side := func(k bidi.Class) bidi.Class {
		switch k {
		case bidi.L:
			return bidi.L
		case bidi.S: // a tab separates the text before it, e.g. a list's number
			return direction(rtl)
		}
		return bidi.R // R, EN, AN
	}
	isNeutral := func(k bidi.Class) bool {
		return k != bidi.L && k != bidi.R && k != bidi.EN && k != bidi.AN && k != bidi.S
	}
	before := direction(rtl)
	for i := 0; i < len(c); i++ {
		if !isNeutral(c[i]) {
			before = side(c[i])
			continue
		}
		end := i
		for end < len(c) && isNeutral(c[end]) {
			end++
		}
		after := direction(rtl)
		if end < len(c) {
			after = side(c[end])
		}
		to := direction(rtl)
		if before == after {
			to = before
		}
		for j := i; j < end; j++ {
			c[j] = to
		}
		i = end - 1
	}
}

// implicit applies I1 and I2.
func implicit(c bidi.Class, base uint8) uint8 {
	switch {
	case base == 0 && c == bidi.R, base == 1 && c != bidi.R:
		return base + 1
	case base == 0 && (c == bidi.AN || c == bidi.EN):
		return 2
	}
	return base
}

// resetEnds applies L1: tabs, and spaces before tabs and at the end, get the
// paragraph's level.
func resetEnds(out []uint8, original []bidi.Class, base uint8) {
	trailing := true
	for i := len(out) - 1; i >= 0; i-- {
		switch original[i] {
		case bidi.S, bidi.B:
			trailing = true
			out[i] = base
		case bidi.WS:
			if trailing {
				out[i] = base
			}
		default:
			trailing = false
		}
	}
}

// reorder puts pieces into visual order, left to right, by their levels (L2).
func reorder[T any](things []T, level func(T) uint8) {
	highest, lowestOdd := uint8(0), uint8(255)
	for _, t := range things {
		l := level(t)
		highest = max(highest, l)
		if l%2 == 1 {
			lowestOdd = min(lowestOdd, l)
		}
	}
	for l := highest; l >= lowestOdd && l > 0; l-- {
		for i := 0; i < len(things); i++ {
			end := i
			for end < len(things) && level(things[end]) >= l {
				end++
			}
			slices.Reverse(things[i:end])
			i = max(i, end-1)
		}
	}
}

// isRTL reports whether a text contains a character of a right-to-left script.
func isRTL(text []rune) bool {
	for _, r := range text {
		if r < 0x590 {
			continue
		}
		p, _ := bidi.LookupRune(r)
		if c := p.Class(); c == bidi.R || c == bidi.AL || c == bidi.AN {
			return true
		}
	}
	return false
}

var mirrors = map[rune]rune{
	'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»', '»': '«',
	'‹': '›', '›': '‹', '≤': '≥', '≥': '≤',
}

// mirrored reverses punctuation between right-to-left words and mirrors its
// brackets.
func mirrored(s string) string {
	rs := []rune(s)
	slices.Reverse(rs)
	for i, r := range rs {
		if m, ok := mirrors[r]; ok {
			rs[i] = m
		}
	}
	return string(rs)
}
