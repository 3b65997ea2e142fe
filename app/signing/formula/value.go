package formula

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Numbers are fractions, so that 0.1 + 0.2 is 0.3 and 100 / 3 * 3 is 100. maxBits limits
// them: products of many numbers become long.
const maxBits = 4096

// maxDecimals is the largest number of decimals of a result, as in formats of numbers.
const maxDecimals = 9

func bounded(n *big.Rat) (any, error) {
	if n.Num().BitLen() > maxBits || n.Denom().BitLen() > maxBits {
		return nil, ErrRange
	}
	return n, nil
}

func limited(s string) (any, error) {
	if utf8.RuneCountInString(s) > maxText {
		return nil, ErrRange
	}
	return s, nil
}

// read returns the value of a field. What is no value of its type is missing: the field
// itself is refused because of it.
func read(kind Type, s string) any {
	switch {
	case kind == Truth:
		return s == "true"
	case s == "":
		return nil
	case kind == Number:
		if n := readNumber(s); n != nil {
			return n
		}
		return nil
	case kind == Date:
		if day, err := time.Parse(time.DateOnly, s); err == nil {
			return day
		}
		return nil
	}
	return s
}

// plainNumber is how long a number can be that is read digit by digit.
const plainNumber = 100

// readNumber reads what fields accept as a number, nil if it is none. Exponents, which
// may be hostile, are read as far as floating-point numbers go.
func readNumber(s string) *big.Rat {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	if len(s) > plainNumber || strings.Trim(s, "+-.0123456789") != "" {
		return new(big.Rat).SetFloat64(n) // nil if it is infinite
	}
	out, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return out
}

// write returns a value in the form in which fields store it.
func write(v any, decimals int) (string, error) {
	switch v := v.(type) {
	case *big.Rat:
		return writeNumber(v, decimals)
	case time.Time:
		return v.Format(time.DateOnly), nil
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		return v, nil
	}
	return "", nil
}

// writeNumber rounds half away from zero. Numbers are drawn as floating-point numbers, so
// those are refused that would be drawn with other digits.
func writeNumber(n *big.Rat, decimals int) (string, error) {
	if decimals >= 0 {
		if s := shortest(n.FloatString(decimals)); drawable(s) {
			return s, nil
		}
		return "", ErrRange
	}
	for decimals = maxDecimals; decimals >= 0; decimals-- {
		if s := shortest(n.FloatString(decimals)); drawable(s) {
			return s, nil
		}
	}
	return "", ErrRange
}

// shortest drops zeros at the end of decimals, and the sign of zero.
func shortest(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

func drawable(s string) bool {
	n, err := strconv.ParseFloat(s, 64)
	return err == nil && strconv.FormatFloat(n, 'f', -1, 64) == s && n < 1e15 && n > -1e15
}

// compare compares values of the same type.
func compare(a, b any) int {
	switch a := a.(type) {
	case *big.Rat:
		return a.Cmp(b.(*big.Rat))
	case time.Time:
		return a.Compare(b.(time.Time))
	case string:
		return cmp.Compare(a, b.(string))
	}
	if a == b {
		return 0
	}
	return 1
}

// maxWhole is the largest whole number that dates and roundings take.
const maxWhole = 10_000_000

func whole(v any) (int, error) {
	n := v.(*big.Rat)
	if !n.IsInt() || !n.Num().IsInt64() || n.Num().Int64() > maxWhole || n.Num().Int64() < -maxWhole {
		return 0, ErrRange
	}
	return int(n.Num().Int64()), nil
}

func dayNumber(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

func addDays(t time.Time, days int, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return inCalendar(t.AddDate(0, 0, days))
}

// addMonths keeps the day, or takes the last one of a shorter month.
func addMonths(t time.Time, n int) (any, error) {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return inCalendar(first.AddDate(0, 0, min(t.Day(), last)-1))
}

func inCalendar(t time.Time) (any, error) {
	if t.Year() < 1 || t.Year() > 9999 {
		return nil, ErrRange
	}
	return t, nil
}

// round rounds half away from zero.
func round(n *big.Rat, decimals int) (any, error) {
	out, _ := new(big.Rat).SetString(n.FloatString(decimals))
	return bounded(out)
}

// floor returns the largest whole number that is not greater.
func floor(n *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(n.Num(), n.Denom()))
}
