package text

import (
	"slices"

	gobidi "github.com/go-text/typesetting/bidi"
	"golang.org/x/text/unicode/bidi"
)

// A direction is the direction of a paragraph. Neutral text takes the direction
// of its first strong character, or left to right if it has none.
type direction uint8

const (
	neutral direction = iota
	leftToRight
	rightToLeft
)

// A span is text[start:end] of one embedding level (Unicode UAX #9).
type span struct {
	start, end int
	level      int
}

// bidi divides text into spans in visual order.
func (sh *shaper) bidi(text []rune, base direction) (spans []span, rtl bool) {
	if len(text) == 0 {
		return nil, base == rightToLeft
	}
	if base == neutral {
		base = firstStrong(text)
	}
	rtl = base == rightToLeft
	way := gobidi.LeftToRight
	if rtl {
		way = gobidi.RightToLeft
	}
	for start := 0; start < len(text); start += maxBidi {
		runs := sh.paragraph.Segment(text[start:min(start+maxBidi, len(text))], way)
		for i := range runs.NumRuns() {
			r := runs.Run(i)
			spans = append(spans, span{start + r.Start, start + r.End, int(r.Level)})
		}
	}
	if !rtl {
		spans = splitNumbers(text, spans)
	}
	return visual(spans), rtl
}

// maxBidi is the number of runes processed together. The running time of the
// library grows with the square of their number if they are digits.
const maxBidi = 4096

func firstStrong(text []rune) direction {
	for _, r := range text {
		switch class(r) {
		case bidi.L:
			return leftToRight
		case bidi.R, bidi.AL:
			return rightToLeft
		}
	}
	return leftToRight
}

func class(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	return p.Class()
}

// splitNumbers splits the left-to-right spans of a left-to-right paragraph
// where a number next to right-to-left text, which has level 2, borders on text
// of level 0. The library joins the two, although the number belongs to its
// neighbour and changes sides with it.
func splitNumbers(text []rune, spans []span) []span {
	var out []span
	for i, s := range spans {
		if s.level%2 != 0 {
			out = append(out, s)
			continue
		}
		from, to := s.start, s.end
		if i > 0 {
			from = numberAfter(text, s)
		}
		if i+1 < len(spans) {
			to = max(from, numberBefore(text, s))
		}
		for _, part := range []span{{s.start, from, 2}, {from, to, 0}, {to, s.end, 2}} {
			if part.start < part.end {
				out = append(out, part)
			}
		}
	}
	return out
}

// numberAfter returns the end of the number at the start of s.
func numberAfter(text []rune, s span) int {
	end := s.start
	for i := s.start; i < s.end; i++ {
		switch class(text[i]) {
		case bidi.EN, bidi.AN, bidi.ET:
			end = i + 1
		case bidi.ES, bidi.CS, bidi.NSM, bidi.BN:
		default:
			return end
		}
	}
	return end
}

// numberBefore returns the start of the number at the end of s. European digits
// belong to it if the last strong character before them is right-to-left;
// otherwise their level is 0.
func numberBefore(text []rune, s span) int {
	start := s.end
	european, known := false, false
	for i := s.end - 1; i >= s.start; i-- {
		switch class(text[i]) {
		case bidi.AN:
			start = i
		case bidi.EN:
			if !known { // the same for all digits, as there are no letters between them
				european, known = afterRightToLeft(text[:i]), true
			}
			if !european {
				return start
			}
			start = i
		case bidi.CS, bidi.ES, bidi.ET, bidi.NSM, bidi.BN:
		default:
			return start
		}
	}
	return start
}

func afterRightToLeft(text []rune) bool {
	for _, r := range slices.Backward(text) {
		switch class(r) {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
	}
	return false
}

// visual reorders spans into visual order (UAX #9, L2).
func visual(spans []span) []span {
	top := 0
	for _, s := range spans {
		top = max(top, s.level)
	}
	for level := top; level > 0; level-- {
		for i := 0; i < len(spans); i++ {
			from := i
			for i < len(spans) && spans[i].level >= level {
				i++
			}
			slices.Reverse(spans[from:i])
		}
	}
	return spans
}

// Visual returns the characters of a line from left to right, in a paragraph of the
// given direction. It is the order in which [Fonts.Layout] draws them.
func Visual(line []rune, backwards bool) []rune {
	if !backwards && !slices.ContainsFunc(line, bends) {
		return line
	}
	base := leftToRight
	if backwards {
		base = rightToLeft
	}
	spans, _ := newShaper().bidi(line, base)
	out := make([]rune, 0, len(line))
	for _, s := range spans {
		from := len(out)
		out = append(out, line[s.start:s.end]...)
		if s.level%2 != 0 {
			slices.Reverse(out[from:])
		}
	}
	return out
}

// RightToLeft reports whether a paragraph is written from right to left.
func RightToLeft(paragraph []rune) bool { return firstStrong(paragraph) == rightToLeft }

// bends reports whether a character can make others run from right to left.
func bends(r rune) bool {
	switch class(r) {
	case bidi.R, bidi.AL, bidi.AN:
		return true
	}
	return false
}
