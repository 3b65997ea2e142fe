// Package format formats the values of number and date fields as a document's author
// specified, such as 1.234,50 € or 31 December 2026.
//
// A format changes how a value is drawn, never its meaning: a number with more
// decimals than its format allows is refused, not rounded.
package format

import (
	"errors"
	"strings"
	"time"
)

// Errors for invalid formats.
var (
	ErrNumber = errors.New("not a number format")
	ErrDate   = errors.New("not a date format")
)

// maxDecimals is the largest number of decimals in a format.
const maxDecimals = 9

// Number is a parsed number format: a pattern in the notation of spreadsheets and
// of UTS #35, such as "#,##0.00", with text before and after it.
type Number struct {
	before, after string
	grouped       bool
	integers      int // minimum number of digits before the separator
	least, most   int // decimals
}

// ParseNumber reads a number format: "0", "#,##0", "0.00", "#,##0.##", each with
// text before and after, such as "EUR #,##0.00" or "0.0 %". Digits 0 are always
// shown, # only where needed; a comma groups thousands.
func ParseNumber(s string) (Number, error) {
	start := strings.IndexAny(s, "#0")
	end := strings.LastIndexAny(s, "#0") + 1
	if start < 0 {
		return Number{}, ErrNumber
	}
	n := Number{before: s[:start], after: s[end:]}
	if strings.ContainsAny(n.before+n.after, ".,;#0*'\"") {
		return Number{}, ErrNumber
	}
	whole, decimals, hasDecimals := strings.Cut(s[start:end], ".")
	if hasDecimals && decimals == "" {
		return Number{}, ErrNumber
	}
	return n, n.read(whole, decimals)
}

func (n *Number) read(whole, decimals string) error {
	if first, last, ok := strings.Cut(whole, ","); ok {
		n.grouped = true
		if len(last) != 3 || strings.Contains(last, ",") {
			return ErrNumber
		}
		whole = first + last
	}
	n.integers = strings.Count(whole, "0")
	n.least, n.most = strings.Count(decimals, "0"), len(decimals)
	if whole != strings.Repeat("#", len(whole)-n.integers)+strings.Repeat("0", n.integers) ||
		decimals != strings.Repeat("0", n.least)+strings.Repeat("#", n.most-n.least) ||
		n.most > maxDecimals || n.integers > 15 {
		return ErrNumber
	}
	return nil
}

// Decimals returns the maximum number of decimals in the format.
func (n Number) Decimals() int { return n.most }

// Fits reports whether a number, a decimal text, can be written without rounding.
func (n Number) Fits(v string) bool {
	_, decimals, _ := strings.Cut(v, ".")
	return len(strings.TrimRight(decimals, "0")) <= n.most
}

// Date is a parsed date format.
type Date []string // tokens and the text between them

// tokens of date formats; longer ones precede their own prefixes.
var tokens = []string{"YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "D"}

// ParseDate reads a date format of YYYY, YY, MMMM (the month's name), MMM (its usual
// abbreviation), MM, M, DD and D, in upper or lower case. Any text
// without Latin letters may stand between them, as in "DD.MM.YYYY", "D MMMM YYYY" or
// "YYYY年M月D日". Year, month and day must each occur once.
func ParseDate(s string) (Date, error) {
	var d Date
	seen := map[byte]int{}
	upper := strings.ToUpper(s)
	if len(upper) != len(s) {
		return nil, ErrDate
	}
	for at := 0; at < len(s); {
		token := tokenAt(upper[at:])
		if token == "" {
			if c := upper[at]; c >= 'A' && c <= 'Z' {
				return nil, ErrDate
			}
			d = append(d, s[at:at+1])
			at++
			continue
		}
		seen[token[0]]++
		d = append(d, token)
		at += len(token)
	}
	if seen['Y'] != 1 || seen['M'] != 1 || seen['D'] != 1 {
		return nil, ErrDate
	}
	return d, nil
}

func tokenAt(s string) string {
	for _, t := range tokens {
		if strings.HasPrefix(s, t) {
			return t
		}
	}
	return ""
}

// Write formats a date; month returns the name of a month, abbreviated if short is set.
func (d Date) Write(t time.Time, month func(m time.Month, short bool) string) string {
	var b strings.Builder
	for _, part := range d {
		switch part {
		case "YYYY":
			b.WriteString(t.Format("2006"))
		case "YY":
			b.WriteString(t.Format("06"))
		case "MMMM", "MMM":
			b.WriteString(month(t.Month(), part == "MMM"))
		case "MM":
			b.WriteString(t.Format("01"))
		case "M":
			b.WriteString(t.Format("1"))
		case "DD":
			b.WriteString(t.Format("02"))
		case "D":
			b.WriteString(t.Format("2"))
		default:
			b.WriteString(part)
		}
	}
	return b.String()
}
