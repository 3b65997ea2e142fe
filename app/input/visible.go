package input

import (
	"strings"
	"unicode"
)

// Visible returns a text without the characters that have no look of their own and change how
// others are read: directional controls, which show "exe.pdf" for "fdp.exe", zero-width and filler
// characters, and tags, which make two different names look the same. Joiners stay between letters
// and symbols, where Persian, Indic scripts and emoji need them.
func Visible(s string) string {
	if !strings.ContainsFunc(s, isInvisible) && strings.ContainsFunc(s, isSeen) {
		return s
	}
	runes := []rune(s)
	var out strings.Builder
	for i, r := range runes {
		joins := isJoiner(r) && i > 0 && i+1 < len(runes) && isJoined(runes[i-1]) && isJoined(runes[i+1])
		if joins || !isInvisible(r) {
			out.WriteRune(r)
		}
	}
	if !strings.ContainsFunc(out.String(), isSeen) {
		return ""
	}
	return out.String()
}

// OneLine returns a visible text of somebody else for output in lines, in which it must not look like
// another line.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, Visible(s))
}

// isSeen reports whether the character leaves a trace by itself. Variation selectors only choose
// the look of the one before them.
func isSeen(r rune) bool {
	return !unicode.IsSpace(r) && !isInvisible(r) && !unicode.Is(unicode.Variation_Selector, r)
}

func isJoiner(r rune) bool { return r == '\u200C' || r == '\u200D' }

// isJoined reports whether a joiner next to the character can have an effect: only outside of Latin,
// Greek and Cyrillic, whose letters never join.
func isJoined(r rune) bool {
	if unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r)
}

// isInvisible reports whether the character is a format control (category Cf), a line or paragraph
// separator, a filler of Hangul, or another one that is drawn as nothing.
func isInvisible(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
		// Signs that enclose digits are drawn.
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	case r == '\u034F', r == '\u115F', r == '\u1160', r == '\u17B4', r == '\u17B5', r == '\u2800', r == '\u3164', r == '\uFFA0':
		return true
	}
	return r >= '\U000E0000' && r <= '\U000E0FFF'
}
