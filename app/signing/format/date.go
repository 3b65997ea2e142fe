package format

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Dates is how a language writes dates.
type Dates struct {
	Order  string         // of days in figures, unless a year of four digits comes first: DMY, MDY or YMD
	Months [][12][]string // what months are called, in the languages that are tried one after another
}

// fillers are words and endings of numbers that say nothing in a date.
var fillers = map[string]bool{"de": true, "del": true, "of": true, "the": true, "st": true, "nd": true, "rd": true, "th": true,
	"er": true, "o": true, "года": true, "року": true, "р": true, "r": true, "roku": true, "年": true, "月": true, "日": true, "号": true,
	"년": true, "월": true, "일": true}

// eras are the years before those that Japanese dates are counted in.
var eras = map[string]int{"令和": 2018, "平成": 1988, "昭和": 1925}

// ReadDate reads a day as people write it who read a language: 31.12.2026, 12/31/26, 31 décembre 2026, 2026年12月31日,
// with the digits of any script. Where figures can be read in two ways the order of the language counts; where it has
// none for them, as with 1/2/2026 in Japanese, they are no date. A year of two digits is the one that ends so between
// eighty years before today and twenty after. ok is false if s is no date.
func ReadDate(s string, in Dates, today time.Time) (day string, ok bool) {
	numbers, month, at, ok := in.parts(s)
	if !ok {
		return s, false
	}
	if len(numbers) == 1 && month == 0 && len(numbers[0]) == 8 { // without anything between
		s := numbers[0]
		if first := s[:2]; first == "19" || first == "20" {
			if day, ok := dayOf(s[:4], s[4:6], s[6:], 0, today); ok {
				return day, true
			}
		}
		numbers = []string{s[:2], s[2:4], s[4:]}
	}
	var y, m, d string
	switch {
	case month != 0 && len(numbers) == 2 && len(numbers[0]) == 4 && at == 1: // 2026 December 31
		y, d = numbers[0], numbers[1]
	case month != 0 && len(numbers) == 2:
		d, y = numbers[0], numbers[1]
	case month != 0 || len(numbers) != 3:
		return s, false
	case len(numbers[0]) == 4 || in.Order == "YMD" && len(numbers[2]) < 4:
		y, m, d = numbers[0], numbers[1], numbers[2]
	default:
		d, m, y = numbers[0], numbers[1], numbers[2]
		day, dayFirst := dayOf(y, m, d, 0, today)
		other, monthFirst := dayOf(y, d, m, 0, today)
		switch {
		case dayFirst && monthFirst && day != other && in.Order == "YMD":
			return s, false
		case monthFirst && (in.Order == "MDY" || !dayFirst):
			return other, true
		case dayFirst:
			return day, true
		}
		return s, false
	}
	if day, ok = dayOf(y, m, d, month, today); !ok {
		return s, false
	}
	return day, true
}

// parts returns the numbers in a date, and the month if it has a name, with the number of numbers before it.
func (in Dates) parts(s string) (numbers []string, month time.Month, at int, ok bool) {
	era := 0
	all := split(s)
	for i := 0; i < len(all); i++ {
		part := all[i]
		if first := part[0]; first >= '0' && first <= '9' {
			if era != 0 {
				part, era = yearOfEra(part, era), 0
			}
			numbers = append(numbers, part)
			continue
		}
		named, isMonth := in.month(part)
		if !isMonth && i+1 < len(all) { // the name may be of two words
			if named, isMonth = in.month(part + " " + all[i+1]); isMonth {
				i++
			}
		}
		since, isEra := eras[strings.TrimSuffix(part, "元年")]
		switch {
		case isEra && strings.HasSuffix(part, "元年"): // its first year
			numbers = append(numbers, yearOfEra("1", since))
		case isEra && len(numbers) == 0:
			era = since
		case isMonth && month == 0:
			month, at = named, len(numbers)
		case !fillers[strings.ToLower(part)]:
			return nil, 0, 0, false
		}
	}
	return numbers, month, at, len(numbers) > 0
}

// month returns the month of a name, which may be shortened to three letters where only one month begins so.
// Case, accents and points don't count.
func (in Dates) month(name string) (time.Month, bool) {
	if name = foldMonth(name); name == "" {
		return 0, false
	}
	for _, names := range in.Months {
		begun := map[time.Month]bool{}
		for i, all := range names {
			for _, of := range all {
				of = foldMonth(of)
				if of == name {
					return time.Month(i + 1), true
				}
				if strings.HasPrefix(of, name) && utf8.RuneCountInString(name) >= 3 {
					begun[time.Month(i+1)] = true
				}
			}
		}
		for m := range begun {
			if len(begun) == 1 {
				return m, true
			}
		}
	}
	return 0, false
}

var monthFolder = strings.NewReplacer("ı", "i", "’", "", "'", "", "׳", "", ".", "")

func foldMonth(name string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	return monthFolder.Replace(strings.TrimSpace(cases.Fold().String(bare)))
}

// yearOfEra returns a year of an era as one of four digits.
func yearOfEra(year string, since int) string {
	n, ok := figure(year)
	if !ok || n < 1 || n > 99 {
		return ""
	}
	return time.Date(since+n, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006")
}

// split divides a date into its numbers, in digits from 0 to 9, and its words. What else stands between them, such
// as points and strokes, says nothing, but what can't stand there makes a part of its own.
func split(s string) (parts []string) {
	const word, digit, between = 1, 2, 3
	last := between
	for _, r := range s {
		r = asciiDigit(r)
		kind := between
		switch {
		case r >= '0' && r <= '9':
			kind = digit
		case unicode.In(r, unicode.L, unicode.M) || strings.ContainsRune("׳'’º", r):
			kind = word
		case unicode.Is(unicode.Zs, r) || strings.ContainsRune("./-,‐‑–—−／．－，،؍·\u200e\u200f\u061c", r):
			last = between
			continue
		default:
			kind, last = word, between
		}
		if kind != last {
			parts = append(parts, "")
		}
		parts[len(parts)-1] += string(r)
		last = kind
	}
	return parts
}

// dayOf returns a day of its figures, or of a month that has been named.
func dayOf(year, month, day string, named time.Month, today time.Time) (string, bool) {
	y, isYear := figure(year)
	m, isMonth := figure(month)
	d, isDay := figure(day)
	if named != 0 {
		m, isMonth = int(named), true
	}
	switch {
	case !isYear || !isMonth || !isDay || len(day) > 2 || len(month) > 2:
		return "", false
	case len(year) == 2:
		y += (today.Year() + 20) / 100 * 100
		if y > today.Year()+20 {
			y -= 100
		}
	case len(year) != 4 || y == 0:
		return "", false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Year() != y || int(t.Month()) != m || t.Day() != d {
		return "", false // there is no such day
	}
	return t.Format(time.DateOnly), true
}

// figure returns the value of a few digits.
func figure(s string) (n int, ok bool) {
	if s == "" || len(s) > 4 {
		return 0, false
	}
	for _, r := range s {
		n = 10*n + int(r-'0')
	}
	return n, true
}
