package record_test

import (
	"strings"
	"testing"

	"paraph/app/signing/record"
)

// TestProblemsSayWhatHasNoRoom checks drafts whose labels, defaults, options and limits are too long for their
// fields. What is fixed can't be sent so; the rest is worth a warning.
func TestProblemsSayWhatHasNoRoom(t *testing.T) {
	t.Parallel()
	on := paper(t)
	const long = "More than there is room for in a field that is as small as this one"
	for _, x := range []struct {
		field         record.Field
		width, height float64 // points
		want          string
	}{
		{record.Field{Type: "label", Value: long, ReadOnly: true}, 30, 12, "error value_unsignable no_room"},
		{record.Field{Type: "label", Value: long, ReadOnly: true}, 300, 12, ""},
		{record.Field{Type: "text", Value: long, ReadOnly: true}, 30, 12, "error value_unsignable no_room"},
		{record.Field{Type: "text", Value: long}, 30, 12, "error value_unsignable no_room"},
		{record.Field{Type: "text", Value: "\U00013000", ReadOnly: true}, 100, 20, "error value_unsignable undrawable_characters"},
		{record.Field{Type: "text", Value: "\U00013000"}, 100, 20, "error value_unsignable undrawable_characters"},
		{record.Field{Type: "number", Value: "1234567.50", ReadOnly: true}, 20, 30, "error value_unsignable no_room"},
		{record.Field{Type: "name", ReadOnly: true}, 12, 12, "error value_unsignable no_room"},
		{record.Field{Type: "name"}, 12, 12, "warning value_unsignable.prefilled no_room"},
		{record.Field{Type: "date_signed"}, 12, 12, "error value_unsignable no_room"},
		{record.Field{Type: "date", Look: record.Look{}, Format: "DD MMMM YYYY"}, 40, 12, "warning no_room.date"},
		{record.Field{Type: "date", Format: "DD.MM.YY"}, 40, 12, ""},
		{record.Field{Type: "select", Options: []string{"a", long}}, 30, 12, "warning value_unsignable.option no_room"},
		{record.Field{Type: "radio", Options: []string{"a", long}}, 30, 12, "warning value_unsignable.option no_room"},
		{record.Field{Type: "select", Options: []string{"A1", "B"}, Pattern: "[A-Z][0-9]"}, 80, 12, "warning value_unsignable.option not_in_format"},
		{record.Field{Type: "text", Value: "x", Pattern: "[0-9]+"}, 80, 12, "error value_unsignable not_in_format"},
		{record.Field{Type: "text", Pattern: "a^b"}, 80, 12, "warning value_unsignable.any not_in_format"},
		{record.Field{Type: "email", Pattern: "[0-9]+"}, 80, 12, "warning value_unsignable.prefilled not_in_format"},
		{record.Field{Type: "date_signed", Pattern: "[0-9]+"}, 80, 12, "error value_unsignable not_in_format"},
		{record.Field{Type: "date", Value: "2020-01-01", Earliest: "today"}, 80, 12, "error value_unsignable too_early"},
		{record.Field{Type: "text", Max: new(200.)}, 30, 12, "warning no_room.limit"},
		{record.Field{Type: "text", Max: new(5.)}, 40, 12, ""},
		{record.Field{Type: "text", Required: true}, 3, 12, "error value_unsignable no_room"},
		{record.Field{Type: "text"}, 3, 12, "warning value_unsignable.any no_room"},
		{record.Field{Type: "text", Value: "WWWW", Look: record.Look{Cells: 4}}, 12, 12, "error value_unsignable no_room"},
		{record.Field{Type: "text", Value: "1234", Look: record.Look{Cells: 4}}, 16, 12, ""},
		{record.Field{Type: "text", Value: long, ReadOnly: true, Look: record.Look{Mask: record.MaskAll}}, 30, 12, ""},
	} {
		f := x.field
		f.ID, f.File, f.Invitation, f.Page = "x", "f", "a", 1
		f.Width, f.Height = x.width/600, x.height/800
		d := &record.Document{
			Files:       []record.File{{ID: "f", Name: "f.pdf", Pages: []record.Size{{Width: 600, Height: 800}}}},
			Invitations: []record.Invitation{{ID: "a", Name: "Benjamina Buyer", Email: "a@x.org", Role: record.Signer}},
			Fields:      []record.Field{f},
		}
		got := ""
		for _, p := range record.Problems(d, on) {
			switch code := string(p.Code); {
			case strings.HasPrefix(code, "value_unsignable"):
				got = p.Severity + " " + code + " " + p.Args[len(p.Args)-1].String()
			case strings.HasPrefix(code, "no_room"):
				got = p.Severity + " " + code
			}
		}
		if got != x.want {
			t.Errorf("%+v in %v × %v: %q, want %q", x.field, x.width, x.height, got, x.want)
		}
	}
}
