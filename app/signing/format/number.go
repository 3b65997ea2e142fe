package format

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Numbers are kept as decimal texts, such as -1234.50: a sign if they are negative, digits, and a point before
// decimals. So they are exact, however long, and keep the zeros that were typed.

// Canonical returns a number in the notation of programs, such as +1234.50 or 1.2e3, as a decimal text.
// ok is false if s is none.
func Canonical(s string) (decimal string, ok bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "+-.0123456789eE") != "" || math.IsInf(n, 0) { // 0x10 and NaN parse too
		return s, false
	}
	if strings.ContainsAny(s, "eE") {
		s = strconv.FormatFloat(n, 'f', -1, 64)
	}
	negative := strings.HasPrefix(s, "-")
	whole, decimals, _ := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	return assemble(negative, whole, decimals), true
}

// assemble returns a number of digits as a decimal text.
func assemble(negative bool, whole, decimals string) string {
	out := strings.TrimLeft(whole, "0")
	if out == "" {
		out = "0"
	}
	if decimals != "" {
		out += "." + decimals
	}
	if negative && strings.Trim(out, "0.") != "" {
		return "-" + out
	}
	return out
}

// Read reads a number as people write it who read a language: 1.234,50 in German, 1 234,50 in French, with the
// digits of any script. A point or comma that the language doesn't have before decimals groups digits where
// groups are whole, as in 1.234 in German; elsewhere, as in 0.5, it can only stand before decimals. ok is false
// if s is no number.
func Read(s, locale string) (decimal string, ok bool) {
	s = strings.TrimSpace(strings.Map(plain, s))
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	digits = strings.TrimSpace(digits)
	if strings.Trim(digits, "0123456789.,٫ '") != "" || !strings.ContainsAny(digits, "0123456789") {
		return s, false
	}
	whole, decimals := divide(digits, separatorsOf(locale, true).decimal)
	if strings.Trim(decimals, "0123456789") != "" {
		return s, false
	}
	if whole, ok = ungroup(whole); !ok {
		return s, false
	}
	return assemble(negative, whole, decimals), true
}

// plain returns the character that stands for one of the same meaning in numbers: digits of all scripts are
// written in ASCII, groups are divided by a blank, an apostrophe, a point or a comma. What only controls the
// direction of text is left out.
func plain(r rune) rune {
	switch r {
	case '\u200e', '\u200f', '\u061c':
		return -1
	case '−', '‐', '‑', '–', '﹣', '－':
		return '-'
	case '＋':
		return '+'
	case '．':
		return '.'
	case '，', '٬', '،':
		return ','
	case '’', '‘', 'ʼ', '＇':
		return '\''
	}
	if unicode.Is(unicode.Zs, r) {
		return ' '
	}
	return asciiDigit(r)
}

// asciiDigit returns the digit of the same value from 0 to 9. Other characters stay as they are.
func asciiDigit(r rune) rune {
	if r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r) {
		return r
	}
	zero := r // digits come in tens, each from its zero
	for unicode.Is(unicode.Nd, zero-1) {
		zero--
	}
	return '0' + (r-zero)%10
}

// ASCIIDigits writes the digits of all scripts as 0 to 9.
func ASCIIDigits(s string) string { return strings.Map(asciiDigit, s) }

// divide returns the parts of a number before and after its decimal separator, which is mark unless the number
// says otherwise.
func divide(s, mark string) (whole, decimals string) {
	if before, after, ok := strings.Cut(s, "٫"); ok {
		return before, after
	}
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return s, ""
	}
	sign := s[last : last+1]
	switch first := strings.IndexAny(s, ".,"); {
	case strings.Count(s, sign) > 1: // several can only group
		return s, ""
	case s[first:first+1] != sign, sign == mark: // the other one groups
	default:
		if _, groups := ungroup(s); groups {
			return s, ""
		}
	}
	return s[:last], s[last+1:]
}

// ungroup removes what divides the digits of a whole number into groups of three, or as in India of two and
// at last three. ok is false if there are other groups.
func ungroup(s string) (digits string, ok bool) {
	at := strings.IndexAny(s, "., '")
	if at < 0 {
		return s, true
	}
	mark := s[at : at+1]
	groups := strings.Split(s, mark)
	digits = strings.Join(groups, "")
	if strings.ContainsAny(digits, "., '") || groups[0] == "" || groups[0][0] == '0' || len(groups[len(groups)-1]) != 3 {
		return s, false
	}
	size := len(groups[1])
	for _, g := range groups[1 : len(groups)-1] {
		if len(g) != size {
			return s, false
		}
	}
	return digits, len(groups[0]) <= size && (size == 3 || size == 2)
}

// separators are how a language writes numbers.
type separators struct {
	zero           rune // of its digits
	decimal, group string
	last, others   int // digits in the last group and in the others
}

// separatorsOf returns how a language writes numbers, with its own digits or those from 0 to 9.
func separatorsOf(locale string, western bool) separators {
	tag := language.Make(locale)
	if western {
		if latin, err := tag.SetTypeForKey("nu", "latn"); err == nil {
			tag = latin
		}
	}
	sample := []rune(message.NewPrinter(tag).Sprint(number.Decimal(1234567890123.5)))
	var at []int // of the digits
	for i, r := range sample {
		if unicode.Is(unicode.Nd, r) {
			at = append(at, i)
		}
	}
	out := separators{zero: sample[at[0]] - 1, decimal: string(sample[at[12]+1 : at[13]])}
	for i := range at[:12] {
		if at[i+1] == at[i]+1 {
			continue
		}
		out.group = string(sample[at[i]+1 : at[i+1]])
		out.others, out.last = out.last, 12-i
	}
	out.others -= out.last
	return out
}

// write writes a decimal text, with groups if they are wanted.
func (s separators) write(decimal string, grouped bool) string {
	whole, decimals, divided := strings.Cut(decimal, ".")
	out := []string{s.digits(decimals)}
	if divided {
		out = append(out, s.decimal)
	}
	size := s.last
	for grouped && size > 0 && len(whole) > size {
		out = append(out, s.digits(whole[len(whole)-size:]), s.group)
		whole, size = whole[:len(whole)-size], s.others
	}
	out = append(out, s.digits(whole))
	slices.Reverse(out)
	return strings.Join(out, "")
}

// digits writes digits in those of the language.
func (s separators) digits(ascii string) string {
	if s.zero == '0' {
		return ascii
	}
	return strings.Map(func(r rune) rune { return s.zero + r - '0' }, ascii)
}

// Write formats a number with the separators of a language. It never rounds: decimals for which the format has
// no place are written too. What is no number stays as it is.
func (n Number) Write(v, locale string) string {
	v, ok := Canonical(v)
	if !ok {
		return v
	}
	digits, negative := strings.CutPrefix(v, "-")
	whole, decimals, _ := strings.Cut(digits, ".")
	decimals = strings.TrimRight(decimals, "0")
	decimals += strings.Repeat("0", max(0, n.least-len(decimals)))
	whole = strings.TrimLeft(whole, "0")
	whole = strings.Repeat("0", max(0, n.integers-len(whole))) + whole
	if whole == "" && decimals == "" {
		whole = "0"
	}
	if decimals != "" {
		whole += "." + decimals
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + n.before + separatorsOf(locale, false).write(whole, n.grouped) + n.after
}

// Decimal writes a number without a format: its digits with the decimal separator of a language. What is no
// number stays as it is.
func Decimal(v, locale string) string { return decimalIn(v, separatorsOf(locale, false)) }

// Typed writes a number as people type it who read a language, with the digits from 0 to 9, which keyboards have
// everywhere. [Read] reads it again.
func Typed(v, locale string) string { return decimalIn(v, separatorsOf(locale, true)) }

func decimalIn(v string, in separators) string {
	n, ok := Canonical(v)
	if !ok {
		return v
	}
	digits, negative := strings.CutPrefix(n, "-")
	if negative {
		return "-" + in.write(digits, false)
	}
	return in.write(digits, false)
}

// Bare returns a number as it was typed without the text that the format puts before and after it.
func (n Number) Bare(s string) string {
	s = strings.TrimSpace(s)
	if before := strings.TrimSpace(n.before); before != "" {
		sign, rest := "", s
		if strings.HasPrefix(s, "-") {
			sign, rest = "-", strings.TrimSpace(s[1:])
		}
		if rest, ok := strings.CutPrefix(rest, before); ok {
			s = sign + strings.TrimSpace(rest)
		}
	}
	if after := strings.TrimSpace(n.after); after != "" {
		s = strings.TrimSpace(strings.TrimSuffix(s, after))
	}
	return s
}
