package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold normalises text for comparison: compatibility forms, case, accents and optional marks
// are removed. Marks that make a different letter (Indic vowels, Thai, kana voicing) stay. The
// result is a new slice.
func fold(text string) []byte {
	if isASCII(text) {
		return foldASCII(text)
	}
	text = norm.NFKD.String(strings.ToValidUTF8(text, " "))
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if isDropped(r) {
			continue
		}
		if r < utf8.RuneSelf {
			out = append(out, foldByte(byte(r)))
			continue
		}
		if s, ok := foldedTo[r]; ok {
			out = append(out, s...)
			continue
		}
		if digit, ok := digitOf(r); ok {
			out = append(out, digit)
			continue
		}
		out = utf8.AppendRune(out, unicode.ToLower(unicode.ToUpper(r)))
	}
	// Recompose Hangul and kana.
	return norm.NFC.Bytes(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func foldASCII(s string) []byte {
	out := []byte(s)
	for i, c := range out {
		out[i] = foldByte(c)
	}
	return out
}

func foldByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// foldedTo maps letters that Unicode does not decompose but people type without their stroke,
// dot or ligature, Arabic letters used interchangeably, and marks used for ' and -.
var foldedTo = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o",
	'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d", 'ħ': "h", 'Ħ': "h", 'ı': "i", 'ł': "l", 'Ł': "l",
	'ŋ': "n", 'Ŋ': "n", 'þ': "th", 'Þ': "th", 'ŧ': "t", 'Ŧ': "t", 'ə': "e", 'Ə': "e",
	'’': "'", 'ʼ': "'", '‐': "-", '–': "-",
	'ς': "σ", 'ى': "ي", 'ی': "ي", 'ک': "ك", 'ة': "ه", 'ۀ': "ه", 'ھ': "ه", 'ہ': "ه",
}

// dropped contains the marks that may be omitted in writing, and invisible characters.
var dropped = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1},                                                                                     // soft hyphen
		{0x0300, 0x036f, 1},                                                                                     // accents
		{0x0483, 0x0489, 1},                                                                                     // Cyrillic marks
		{0x0591, 0x05bd, 1}, {0x05bf, 0x05bf, 1}, {0x05c1, 0x05c2, 1}, {0x05c4, 0x05c5, 1}, {0x05c7, 0x05c7, 1}, // Hebrew points
		{0x0610, 0x061a, 1}, {0x0640, 0x0640, 1}, {0x064b, 0x065f, 1}, {0x0670, 0x0670, 1}, // Arabic vowels, tatweel
		{0x06d6, 0x06dc, 1}, {0x06df, 0x06e8, 1}, {0x06ea, 0x06ed, 1},
		{0x0711, 0x0711, 1}, {0x0730, 0x074a, 1}, // Syriac
		{0x08d3, 0x08ff, 1},                                                                                     // Arabic extended
		{0x093c, 0x093c, 1}, {0x09bc, 0x09bc, 1}, {0x0a3c, 0x0a3c, 1}, {0x0abc, 0x0abc, 1}, {0x0b3c, 0x0b3c, 1}, // nukta
		{0x1ab0, 0x1aff, 1}, {0x1dc0, 0x1dff, 1}, // accents
		{0x200b, 0x200f, 1}, {0x202a, 0x202e, 1}, {0x2060, 0x2064, 1}, {0x2066, 0x2069, 1}, // joiners, directions
		{0x20d0, 0x20ff, 1}, // marks for symbols
		{0xfe00, 0xfe0f, 1}, // variants
		{0xfe20, 0xfe2f, 1}, // half marks
		{0xfeff, 0xfeff, 1}, // byte order mark
	},
}

func isDropped(r rune) bool { return r >= 0xad && unicode.Is(dropped, r) }

// digitOf returns the ASCII digit for a decimal digit of any script. Unicode stores them in
// runs of ten that begin with zero.
func digitOf(r rune) (byte, bool) {
	if r < 0x0660 || !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, ranges := range unicode.Nd.R16 {
		if rune(ranges.Lo) <= r && r <= rune(ranges.Hi) {
			return '0' + byte((r-rune(ranges.Lo))%10), true
		}
	}
	for _, ranges := range unicode.Nd.R32 {
		if rune(ranges.Lo) <= r && r <= rune(ranges.Hi) {
			return '0' + byte((r-rune(ranges.Lo))%10), true
		}
	}
	return 0, false
}

// cut shortens text to at most n bytes, between two runes.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
