package format_test

import (
	"testing"
	"time"

	"paraph/app/signing/format"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format, locale string
		value          float64
		want           string
	}{
		{"0", "en", 12, "12"},
		{"000", "en", 7, "007"},
		{"#,##0", "en", 1234567, "1,234,567"},
		{"#,##0", "de", 1234567, "1.234.567"},
		{"#,##0.00", "en", 1234.5, "1,234.50"},
		{"#,##0.00 €", "de", 1234.5, "1.234,50 €"},
		{"EUR #,##0.00", "en", -1234.5, "-EUR 1,234.50"},
		{"0.0##", "en", 2.25, "2.25"},
		{"0.0##", "en", 2, "2.0"},
		{"#.##", "en", 0.5, ".5"},
		{"0.0 %", "fr", 7.5, "7,5 %"},
		{"#,##0", "en", 0, "0"},
		{"#,##0", "en", 9007199254740991, "9,007,199,254,740,991"},
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

func TestFitsRefusesRounding(t *testing.T) {
	t.Parallel()
	f, err := format.ParseNumber("#,##0.00")
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[float64]bool{1: true, 1.5: true, 1.25: true, 0.1: true, 1.255: false, -3.001: false, 1e15: true} {
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
		f.Add(s, 1234.5)
	}
	f.Fuzz(func(t *testing.T, s string, v float64) {
		if n, err := format.ParseNumber(s); err == nil && n.Write(v, "de") == "" {
			t.Errorf("%q writes %v as an empty text", s, v)
		}
		if d, err := format.ParseDate(s); err == nil && d.Write(time.Unix(0, 0).UTC(), func(m time.Month, _ bool) string { return m.String() }) == "" {
			t.Errorf("%q writes a date as an empty text", s)
		}
	})
}
