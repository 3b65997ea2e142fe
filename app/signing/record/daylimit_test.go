package record_test

import (
	"testing"
	"time"

	"paraph/app/pdf"
	"paraph/app/signing/record"
)

func TestDaysRelativeToToday(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ limit, today, want string }{
		{"2026-12-31", "2026-01-01", "2026-12-31"}, {"today", "2026-01-31", "2026-01-31"}, {"today+30d", "2026-01-31", "2026-03-02"},
		{"today-1w", "2026-01-03", "2025-12-27"}, {"today+1m", "2026-01-31", "2026-02-28"}, {"today+1m", "2028-01-31", "2028-02-29"},
		{"today-1m", "2026-03-31", "2026-02-28"}, {"today+12m", "2026-11-30", "2027-11-30"}, {"today-18y", "2028-02-29", "2010-02-28"},
		{"today-18y", "2026-11-23", "2008-11-23"}, {"today+0d", "2026-11-23", "2026-11-23"}, {"today+9999y", "2026-11-23", "9999-12-31"}, {"today-9999y", "2026-11-23", "0001-01-01"}, {"", "2026-11-23", ""},
	} {
		today, err := time.Parse(time.DateOnly, tt.today)
		if err != nil {
			t.Fatal(err)
		}
		x := record.Field{Type: pdf.FieldDate, Latest: tt.limit}
		if first, last := x.Days(today.Add(23 * time.Hour)); first != "" || last != tt.want {
			t.Errorf("%s on %s: %q to %q, want %q", tt.limit, tt.today, first, last, tt.want)
		}
	}
}
