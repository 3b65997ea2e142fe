package docx

import (
	"strconv"
	"strings"
)

// text fills the placeholders %1 to %9 of a level's text.
func (n *numbering) text(u *num, i int) string {
	v := u.level(i)
	if v.format == "bullet" || v.format == "none" && !strings.Contains(v.text, "%") {
		return v.text
	}
	var b strings.Builder
	for t := v.text; t != ""; {
		if len(t) >= 2 && t[0] == '%' && t[1] >= '1' && t[1] <= '9' {
			j := int(t[1] - '1')
			of := u.level(j)
			count := u.list.counts[j]
			if !u.list.started[j] {
				count = u.start(j)
			}
			format := of.format
			if v.legal {
				format = "decimal"
			}
			b.WriteString(n.number(count, format))
			t = t[2:]
			continue
		}
		b.WriteByte(t[0])
		t = t[1:]
	}
	return b.String()
}

// number writes v in a number format of §17.18.59.
func (n *numbering) number(v int, format string) string {
	switch format {
	case "", "decimal", "bullet":
		return strconv.Itoa(v)
	case "none":
		return ""
	case "decimalZero":
		if v >= 0 && v < 10 {
			return "0" + strconv.Itoa(v)
		}
		return strconv.Itoa(v)
	case "lowerLetter":
		return letters(v, latin)
	case "upperLetter":
		return strings.ToUpper(letters(v, latin))
	case "lowerRoman":
		return strings.ToLower(roman(v))
	case "upperRoman":
		return roman(v)
	case "ordinal":
		return strconv.Itoa(v) + ordinalSuffix(v)
	case "russianLower":
		return letters(v, cyrillic)
	case "russianUpper":
		return strings.ToUpper(letters(v, cyrillic))
	case "numberInDash":
		return "- " + strconv.Itoa(v) + " -"
	}
	n.unknown(format)
	return strconv.Itoa(v)
}

var (
	latin    = []rune("abcdefghijklmnopqrstuvwxyz")
	cyrillic = []rune("абвгдежзиклмнопрстуфхцчшщыэюя")
)

// letters counts a, b, … z, aa, bb, … as Word does.
func letters(v int, alphabet []rune) string {
	if v <= 0 || v > 20*len(alphabet) {
		return strconv.Itoa(v)
	}
	v--
	return strings.Repeat(string(alphabet[v%len(alphabet)]), v/len(alphabet)+1)
}

func roman(v int) string {
	if v <= 0 || v >= 5000 {
		return strconv.Itoa(v)
	}
	var b strings.Builder
	for _, d := range []struct {
		v int
		s string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"},
		{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; v >= d.v; v -= d.v {
			b.WriteString(d.s)
		}
	}
	return b.String()
}

func ordinalSuffix(v int) string {
	if v%100 >= 11 && v%100 <= 13 {
		return "th"
	}
	switch v % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
