package words

import (
	"fmt"
	"strings"
	"time"
)

// Date formats a day in words, such as 3 December 2026.
func (l *Language) Date(t time.Time) string { return l.date("date.day", t) }

// ShortDate formats a day briefly, such as 3 Dec 2026, for tables.
func (l *Language) ShortDate(t time.Time) string {
	months := strings.Split(l.Say("date.months.short"), ",")
	return l.Say("date.short", "day", t.Day(), "month", months[(int(t.Month())-1)%len(months)], "year", t.Year())
}

// InFigures formats a day as people type it, such as 31.12.2026. English, where figures can be read in two ways, has
// the month's name.
func (l *Language) InFigures(t time.Time) string { return l.date("date.figures", t) }

// agoLimit is the age up to which times are relative.
const agoLimit = 7 * 24 * time.Hour

// Ago formats a time of the last week relative to now, such as "3 hours ago", and other times as a
// short date in the time's zone. The script that keeps open pages up to date counts likewise.
func (l *Language) Ago(t, now time.Time) string {
	age := now.Sub(t)
	for _, unit := range []struct {
		key  string
		size time.Duration
	}{{"ago.days", 24 * time.Hour}, {"ago.hours", time.Hour}, {"ago.minutes", time.Minute}} {
		if age >= unit.size && age < agoLimit {
			return l.Say(unit.key, "n", int(age/unit.size))
		}
	}
	if age >= agoLimit || age < -time.Minute {
		return l.ShortDate(t)
	}
	return l.Say("ago.now")
}

// Moment formats a day and a time of day in words, with the zone.
func (l *Language) Moment(t time.Time) string {
	return l.Say("date.moment", "date", l.Date(t), "time", t.Format("15:04"), "zone", zoneOf(t))
}

// Stamp formats a day in figures and a time of day with seconds, with the zone.
func (l *Language) Stamp(t time.Time) string {
	return l.date("date.figures", t) + " " + t.Format("15:04:05") + " " + zoneOf(t)
}

// UTC formats a time in UTC, identically in every language, so that times can be compared.
func UTC(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func (l *Language) date(key string, t time.Time) string {
	return l.Say(key, "day", t.Day(), "month", l.Month(t.Month(), false), "year", t.Year(),
		"mm", fmt.Sprintf("%02d", t.Month()), "dd", fmt.Sprintf("%02d", t.Day()), "m", int(t.Month()))
}

// Month returns the name of a month as it stands beside a day. Short is the usual abbreviation; a language that
// has none, or only a number, has the whole name.
func (l *Language) Month(m time.Month, short bool) string {
	if months := strings.Split(l.Say("date.months.short"), ","); short && len(months) == 12 && strings.Trim(months[m-1], "0123456789") != "" {
		return months[m-1]
	}
	if months := strings.Split(l.Say("date.months"), ","); len(months) == 12 {
		return months[m-1]
	}
	return m.String()
}

// MonthNames returns what people call each month who read the language, and then what they call it in English.
func (l *Language) MonthNames() [][12][]string {
	var own [12][]string
	for _, key := range []string{"date.months", "date.months.short", "date.months.also"} {
		for i, names := range strings.Split(l.SayOr(key, ""), ",") {
			if i < len(own) {
				own[i] = append(own[i], strings.Split(names, "/")...)
			}
		}
	}
	if l.fallback == nil || l.fallback == l {
		return [][12][]string{own}
	}
	return append([][12][]string{own}, l.fallback.MonthNames()...)
}

// DateOrder returns in which order the language writes day, month and year in figures: "DMY", "MDY" or "YMD".
// English readers have both of the first; that of most is MDY.
func (l *Language) DateOrder() string {
	base, _ := l.tag.Base()
	switch base.String() {
	case "en":
		return "MDY"
	case "ja", "ko", "zh":
		return "YMD"
	}
	return "DMY"
}

// zoneOf returns a zone as an offset from UTC, which is understood everywhere, unlike
// abbreviations.
func zoneOf(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return "UTC"
	}
	return t.Format("UTC-07:00")
}
