package record

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
)

// relativeDay matches a limit of a date that depends on the day of signing.
var relativeDay = regexp.MustCompile(`^today(?:([+-][0-9]{1,4})([dwmy]))?$`)

// resolveDay returns the day that a limit of a date means today: a date such as
// 2026-12-31, or today, today+30d, today-18y (d, w, m, y).
func resolveDay(limit string, today time.Time) (day time.Time, ok bool) {
	if day, err := time.Parse(time.DateOnly, limit); err == nil {
		return day, day.Year() >= 1
	}
	m := relativeDay.FindStringSubmatch(limit)
	if m == nil {
		return time.Time{}, false
	}
	year, month, of := today.Date()
	day = time.Date(year, month, of, 0, 0, 0, 0, time.UTC)
	n, err := strconv.Atoi(m[1])
	switch {
	case m[1] == "":
		return day, true
	case err != nil:
		return time.Time{}, false
	}
	switch m[2] {
	case "d":
		day = day.AddDate(0, 0, n)
	case "w":
		day = day.AddDate(0, 0, 7*n)
	case "m":
		day = addMonths(day, n)
	case "y":
		day = addMonths(day, 12*n)
	}
	return clampDay(day), true
}

// The first and the last day that dates can have.
var (
	firstDay = time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
)

// clampDay keeps a limit that is out of the range of dates in force.
func clampDay(day time.Time) time.Time {
	switch {
	case day.Before(firstDay):
		return firstDay
	case day.After(lastDay):
		return lastDay
	}
	return day
}

// addMonths keeps the day, or takes the last one of a shorter month.
func addMonths(day time.Time, n int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}

// sampleDay takes the place of today where only the form of a limit matters.
var sampleDay = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxYears is how far a limit that depends on the day of signing may be from it.
const maxYears = 1000

// readDay checks the form of a limit, and returns what it means on sampleDay.
func readDay(limit string) (day time.Time, ok bool) {
	day, ok = resolveDay(limit, sampleDay)
	far := day.Before(sampleDay.AddDate(-maxYears, 0, 0)) || day.After(sampleDay.AddDate(maxYears, 0, 0))
	return day, ok && !(far && isRelative(limit))
}

func isRelative(limit string) bool { return strings.HasPrefix(limit, "today") }

// foldDay returns the form in which a limit of a date is stored.
func foldDay(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }

// DayLimit reads a limit of a date, nil if it is none.
func DayLimit(s string) *string {
	s = foldDay(s)
	if _, ok := readDay(s); !ok {
		return nil
	}
	return &s
}

// applyDays checks the limits of a date.
func (in *FieldInput) applyDays(f *fault.Fields, x *Field) {
	read := func(name string, to, v *string, number *float64) (day time.Time, relative, ok bool) {
		if v != nil {
			*to = foldDay(*v)
		}
		day, ok = readDay(*to)
		switch {
		case x.Type != pdf.FieldDate && v != nil && *to != "":
			f.Add(name, "not_a_number")
		case x.Type == pdf.FieldDate && (number != nil || v != nil && *to != "" && !ok):
			f.Add(name, "not_a_day")
		}
		return day, isRelative(*to), ok
	}
	first, relative, ok := read("min", &x.Earliest, in.Earliest, in.Min)
	last, also, known := read("max", &x.Latest, in.Latest, in.Max)
	if x.Type == pdf.FieldDate && ok && known && relative == also && last.Before(first) {
		f.Add("max", "max_below_min")
	}
}

// Days returns the earliest and the latest date that the field accepts today, "" if any.
func (x *Field) Days(today time.Time) (first, last string) {
	if day, ok := resolveDay(x.Earliest, today); ok {
		first = day.Format(time.DateOnly)
	}
	if day, ok := resolveDay(x.Latest, today); ok {
		last = day.Format(time.DateOnly)
	}
	return first, last
}

// acceptToday checks a value that a recipient entered like accept, and whether it lies
// within the field's dates.
func (x *Field) acceptToday(v string, today time.Time) (string, *Flaw) {
	v, why := x.accept(v)
	if why != nil || x.Type != pdf.FieldDate || x.ReadOnly && x.Formula == "" {
		return v, why
	}
	switch first, last := x.Days(today); {
	case v < first: // dates have the order of their text
		return v, NewFlaw("too_early", fault.Text("limit", first))
	case last != "" && v > last:
		return v, NewFlaw("too_late", fault.Text("limit", last))
	}
	return v, nil
}

// Accepts reports whether a recipient may enter a value.
func (x *Field) Accepts(v string, today time.Time) bool {
	_, why := x.acceptToday(v, today)
	return why == nil
}
