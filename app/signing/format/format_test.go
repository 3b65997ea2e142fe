package format_test

import (
	"strings"
	"testing"
	"time"

	"paraph/app/signing/format"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ format, locale, value, want string }{
		{"0", "en", "12", "12"},
		{"000", "en", "7", "007"},
		{"#,##0", "en", "1234567", "1,234,567"},
		{"#,##0", "de", "1234567", "1.234.567"},
		{"#,##0", "hi", "1234567", "12,34,567"},
		{"#,##0.00 €", "de", "1234.5", "1.234,50 €"},
		{"EUR #,##0.00", "en", "-1234.5", "-EUR 1,234.50"},
		{"0.0##", "en", "2.25", "2.25"},
		{"0.0##", "en", "2", "2.0"},
		{"0.0##", "en", "2.2500", "2.25"},
		{"#.##", "en", "0.5", ".5"},
		{"#", "en", "0", "0"},
		{"0.0 %", "fr", "7.5", "7,5 %"},
		{"#,##0.00", "fr", "1234567.5", "1\u00a0234\u00a0567,50"},
		{"#,##0.00", "ar", "1234.5", "١٬٢٣٤٫٥٠"},
		{"#,##0", "en", "0", "0"},
		{"#,##0", "en", "9007199254740993", "9,007,199,254,740,993"},
		{"#,##0.00", "en", "123456789012345678901234567890.12", "123,456,789,012,345,678,901,234,567,890.12"},
		{"0", "en", "1.5", "1.5"},
		{"0", "en", "1e3", "1000"},
		{"0", "en", "none", "none"},
	} {
		f, err := format.ParseNumber(tt.format)
		if err != nil {
			t.Errorf("%q: %v", tt.format, err)
			continue
		}
		if got := f.Write(tt.value, tt.locale); got != tt.want {
			t.Errorf("%q of %v in %s: %q, want %q", tt.format, tt.value, tt.locale, got, tt.want)
		}
	}
}

func TestNumbersAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for typed, wants := range map[string]map[string]string{
		"1234,50":       {"de fr nl it es pt pl cs uk tr ar en ja": "1234.50"},
		"1.234,50":      {"de fr nl ar en he": "1234.50"},
		"1,234.50":      {"de en ko": "1234.50"},
		"1.234":         {"de nl tr fr": "1234", "en he zh ar": "1.234"},
		"1,234":         {"de fr uk": "1.234", "en ja": "1234"},
		"1234.50":       {"de fr en": "1234.50"},
		"0.125":         {"de en": "0.125"},
		"1.234.567":     {"de en": "1234567"},
		"12,34,567.8":   {"en": "1234567.8"},
		"1 234 567,5":   {"fr de": "1234567.5"},
		"1\u202f234,5":  {"fr": "1234.5"},
		"1\u00a0234,5":  {"fr": "1234.5"},
		"1’234.50":      {"de": "1234.50"},
		"٥٠٫٢":          {"ar en": "50.2"},
		"١٬٢٣٤٫٥٠":      {"ar": "1234.50"},
		"١٢٣٤،٥٠":       {"ar": "1234.50"},
		"۱۲۳":           {"ar de": "123"},
		"１２３４．５":        {"ja": "1234.5"},
		"−5":            {"de": "-5"},
		"\u200f-5":      {"he": "-5"},
		"- 5":           {"fr": "-5"},
		"+5":            {"en": "5"},
		",5":            {"de": "0.5"},
		"5,":            {"de": "5"},
		"007":           {"de": "7"},
		"-0":            {"de": "0"},
		"3,1415":        {"en de": "3.1415"},
		"12 34":         {"en de fr": ""},
		"1.2.3":         {"en de": ""},
		"1,23,45":       {"en de": ""},
		"1 234.567,5.6": {"en de": ""},
		"1.234.567 890": {"de": ""},
		"0 123":         {"de": ""},
		"1234 567":      {"de": ""},
		"5-":            {"en": ""},
		"--5":           {"en": ""},
		"":              {"en": ""},
		".":             {"en": ""},
		"-":             {"en": ""},
		"zwölf":         {"de": ""},
		"12 €":          {"de": ""},
		"1e3":           {"en": ""},
		"1,234 5":       {"de": ""},
	} {
		for locales, want := range wants {
			for _, locale := range strings.Fields(locales) {
				got, ok := format.Read(typed, locale)
				if ok != (want != "") || ok && got != want {
					t.Errorf("%q in %s: %q, %v; want %q", typed, locale, got, ok, want)
				}
			}
		}
	}
}

// TestTypedNumbersAreReadAgain writes numbers as each language has them, and reads them.
func TestTypedNumbersAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, locale := range strings.Fields("ar cs de en es fr he it ja ko nl pl pt tr uk zh") {
		for _, v := range strings.Fields("0 7 -7 1.234 -1234.50 1234567 0.5 1234567.125 123456789012345678901234567890.1") {
			for _, written := range []string{format.Typed(v, locale), format.Decimal(v, locale), separated(t, v, locale)} {
				if got, ok := format.Read(written, locale); !ok || got != v {
					t.Errorf("%s is %q in %s, which reads %q, %v", v, written, locale, got, ok)
				}
			}
		}
	}
}

// separated writes a number in groups, with as many decimals as it has.
func separated(t *testing.T, v, locale string) string {
	t.Helper()
	_, decimals, divided := strings.Cut(v, ".")
	pattern := "#,##0"
	if divided {
		pattern += "." + strings.Repeat("0", len(decimals))
	}
	f, err := format.ParseNumber(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return f.Write(v, locale)
}

func TestTextsOfAFormatMayBeTyped(t *testing.T) {
	t.Parallel()
	f, err := format.ParseNumber("EUR #,##0.00 net")
	if err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"5", "EUR 5", "EUR5 net", "5 net", " 5net "} {
		if got := f.Bare(typed); got != "5" {
			t.Errorf("%q: %q, want 5", typed, got)
		}
	}
	if got := f.Bare("-EUR 5"); got != "-5" {
		t.Errorf("a negative amount: %q", got)
	}
}

func TestFitsRefusesRounding(t *testing.T) {
	t.Parallel()
	f, err := format.ParseNumber("#,##0.00")
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[string]bool{"1": true, "1.5": true, "1.25": true, "1.2500": true, "1.255": false, "-3.001": false, "1000000000000000": true} {
		if got := f.Fits(v); got != want {
			t.Errorf("%v fits: %v, want %v", v, got, want)
		}
	}
}

func TestInvalidFormats(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "abc", "0.", "0.0.0", "#,#0", "0#", "0.#0", "#,##0,000", "0;0", "'0'", "0.0000000000", "0 0"} {
		if _, err := format.ParseNumber(s); err == nil {
			t.Errorf("%q is accepted for numbers", s)
		}
	}
	for _, s := range []string{"", "DD.MM", "DD.MM.YYYY HH", "DD/DD/YYYY", "MMMMM D YYYY", "abc", "D MMMM YYYYY", "D MMMM YYYY Y"} {
		if _, err := format.ParseDate(s); err == nil {
			t.Errorf("%q is accepted for dates", s)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, time.March, 5, 0, 0, 0, 0, time.UTC)
	month := func(m time.Month, short bool) string {
		if short {
			return m.String()[:3]
		}
		return m.String()
	}
	for f, want := range map[string]string{
		"YYYY-MM-DD": "2026-03-05", "DD.MM.YYYY": "05.03.2026", "MM/dd/yyyy": "03/05/2026", "D MMMM YYYY": "5 March 2026",
		"MMM D, YYYY": "Mar 5, 2026", "d/m/yy": "5/3/26", "YYYY年M月D日": "2026年3月5日",
	} {
		d, err := format.ParseDate(f)
		if err != nil {
			t.Errorf("%q: %v", f, err)
			continue
		}
		if got := d.Write(day, month); got != want {
			t.Errorf("%q: %q, want %q", f, got, want)
		}
	}
}

// FuzzFormats checks that every accepted format can be written.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{"#,##0.00 €", "DD.MM.YYYY", "YYYY年M月D日", "000.##"} {
		f.Add(s, "1234.5")
	}
	f.Fuzz(func(t *testing.T, s, v string) {
		if got, ok := format.Read(v, "de"); ok {
			if again, ok := format.Read(format.Typed(got, "de"), "de"); !ok || again != got {
				t.Errorf("%q is read as %q, and that as %q", v, got, again)
			}
		}
		if n, err := format.ParseNumber(s); err == nil && v != "" && n.Write(v, "de") == "" {
			t.Errorf("%q writes %v as an empty text", s, v)
		}
		if d, err := format.ParseDate(s); err == nil && d.Write(time.Unix(0, 0).UTC(), func(m time.Month, _ bool) string { return m.String() }) == "" {
			t.Errorf("%q writes a date as an empty text", s)
		}
	})
}
