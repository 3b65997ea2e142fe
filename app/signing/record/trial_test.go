package record_test

import (
	"cmp"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/signing/record"
)

// TestWhatIsKnownIsTriedBeforeSending has fields that could never be signed, each with the reason, and
// fields like them that could.
func TestWhatIsKnownIsTriedBeforeSending(t *testing.T) {
	t.Parallel()
	const undrawn = "\U00013000" // an Egyptian hieroglyph
	shownIf := func(field, value string) *record.Condition {
		return &record.Condition{Then: record.ConditionShow, Match: record.MatchAll, When: []record.Test{{Field: field, Op: record.OpEquals, Value: value}}}
	}
	number := func(name, value string) record.Field {
		return record.Field{Type: pdf.FieldNumber, Name: name, ReadOnly: true, Value: value}
	}
	button := func(value string, fixed bool) record.Field {
		return record.Field{Type: pdf.FieldRadio, Group: "g", ReadOnly: fixed, Required: true, Value: value}
	}
	for name, tt := range map[string]struct {
		fields []record.Field
		reason string // "" if it can be signed
	}{
		"option":                        {[]record.Field{{Type: pdf.FieldSelect, Options: []string{undrawn}}}, "undrawable_characters"},
		"choice that is no option":      {[]record.Field{{Type: pdf.FieldSelect, Options: []string{"a"}, Value: "b"}}, "not_one_of"},
		"format":                        {[]record.Field{{Type: pdf.FieldNumber, Format: "0 " + undrawn}}, "undrawable_characters"},
		"name":                          {[]record.Field{{Type: pdf.FieldName, ReadOnly: true, Value: undrawn}}, ""},
		"pattern":                       {[]record.Field{{Type: pdf.FieldText, ReadOnly: true, Value: "x", Pattern: "[0-9]+"}}, "not_in_format"},
		"pattern of an address":         {[]record.Field{{Type: pdf.FieldEmail, ReadOnly: true, Pattern: "[0-9]+"}}, "not_in_format"},
		"limit":                         {[]record.Field{{Type: pdf.FieldNumber, Value: "9", Max: new(5.0)}}, "too_great"},
		"cells":                         {[]record.Field{{Type: pdf.FieldText, Required: true, Look: record.Look{Cells: 3}, Min: new(4.0)}}, "too_many_characters"},
		"shortest text":                 {[]record.Field{{Type: pdf.FieldText, Required: true, Min: new(1000.0)}}, "no_room"},
		"shortest text, not required":   {[]record.Field{{Type: pdf.FieldText, Min: new(1000.0)}}, ""},
		"shortest text with room":       {[]record.Field{{Type: pdf.FieldText, Required: true, Min: new(5.0)}}, ""},
		"pattern of nothing":            {[]record.Field{{Type: pdf.FieldText, Required: true, Pattern: "a^b"}}, "not_in_format"},
		"pattern beyond the limit":      {[]record.Field{{Type: pdf.FieldText, Required: true, Pattern: "[0-9]{6}", Max: new(5.0)}}, "not_in_format"},
		"pattern beyond the cells":      {[]record.Field{{Type: pdf.FieldText, Required: true, Pattern: "[0-9]{6}", Look: record.Look{Cells: 5}}}, "not_in_format"},
		"pattern, not required":         {[]record.Field{{Type: pdf.FieldText, Pattern: "a^b"}}, ""},
		"pattern of a name":             {[]record.Field{{Type: pdf.FieldName, Required: true, Pattern: "a$b"}}, "not_in_format"},
		"pattern with a value":          {[]record.Field{{Type: pdf.FieldText, Required: true, Pattern: "[0-9]{5}", Look: record.Look{Cells: 5}}}, ""},
		"no length":                     {[]record.Field{{Type: pdf.FieldText, Required: true, Min: new(1.2), Max: new(1.8)}}, "too_many_characters"},
		"no room for a length":          {[]record.Field{{Type: pdf.FieldText, Required: true, Max: new(0.0)}}, "too_many_characters"},
		"range without a number":        {[]record.Field{{Type: pdf.FieldNumber, Required: true, Format: "0", Min: new(1.2), Max: new(1.4)}}, "too_great"},
		"range with a number":           {[]record.Field{{Type: pdf.FieldNumber, Required: true, Format: "0.0", Min: new(1.2), Max: new(1.4)}}, ""},
		"range with one decimal":        {[]record.Field{{Type: pdf.FieldNumber, Required: true, Format: "0.0", Min: new(1.21), Max: new(1.29)}}, "too_great"},
		"range of any number":           {[]record.Field{{Type: pdf.FieldNumber, Required: true, Min: new(1.2), Max: new(1.4)}}, ""},
		"range of large numbers":        {[]record.Field{{Type: pdf.FieldNumber, Required: true, Min: new(1e9)}}, ""},
		"range without room":            {[]record.Field{{Type: pdf.FieldNumber, Required: true, Min: new(1e40)}}, "no_room"},
		"number beyond the cells":       {[]record.Field{{Type: pdf.FieldNumber, Required: true, Min: new(1000.0), Look: record.Look{Cells: 3}}}, "too_many_characters"},
		"dates of which there are none": {[]record.Field{{Type: pdf.FieldDate, Required: true, Earliest: "today", Latest: "2020-01-01"}}, "too_early"},
		"dates of which there are some": {[]record.Field{{Type: pdf.FieldDate, Required: true, Earliest: "2020-01-01", Latest: "today"}}, ""},
		"date without room":             {[]record.Field{{Type: pdf.FieldDate, Required: true, Width: .01}}, "no_room"},
		"pattern of no date":            {[]record.Field{{Type: pdf.FieldDate, Required: true, Pattern: "[0-9]{4}"}}, "not_in_format"},
		"pattern of Januaries":          {[]record.Field{{Type: pdf.FieldDate, Required: true, Pattern: "[0-9]+-01-.*"}}, ""},
		"address without room":          {[]record.Field{{Type: pdf.FieldEmail, Required: true, Width: .003}}, "no_room"},
		"number to call without room":   {[]record.Field{{Type: pdf.FieldPhone, Required: true, Width: .01}}, "no_room"},
		"options that match nothing":    {[]record.Field{{Type: pdf.FieldSelect, Required: true, Options: []string{"a", "b"}, Pattern: "[0-9]"}}, "not_in_format"},
		"options without room":          {[]record.Field{{Type: pdf.FieldSelect, Required: true, Options: []string{strings.Repeat("wide", 200)}}}, "no_room"},
		"one option with room":          {[]record.Field{{Type: pdf.FieldSelect, Required: true, Options: []string{strings.Repeat("wide", 200), "a"}}}, ""},
		"linked choices":                {[]record.Field{{Type: pdf.FieldSelect, Name: "a", Required: true, Options: []string{"a"}}, {Type: pdf.FieldSelect, Name: "a", Options: []string{"b"}}}, "not_one_of"},
		"no number":                     {[]record.Field{{Type: pdf.FieldNumber, ReadOnly: true, Value: "x"}}, "not_a_number"},
		"empty":                         {[]record.Field{{Type: pdf.FieldText, ReadOnly: true}, {Type: pdf.FieldCheckbox, ReadOnly: true, Value: "false"}}, ""},
		"constant formula":              {[]record.Field{{Type: pdf.FieldNumber, ReadOnly: true, Formula: "1 / 0"}}, "formula_divided_by_zero"},
		"formula over fixed values":     {[]record.Field{number("a", "0"), {Type: pdf.FieldNumber, ReadOnly: true, Formula: "1 / a"}}, "formula_divided_by_zero"},
		"formula over formulas":         {[]record.Field{number("a", "1"), {Type: pdf.FieldNumber, Name: "b", ReadOnly: true, Formula: "a - 1"}, {Type: pdf.FieldNumber, ReadOnly: true, Formula: "1 / b"}}, "formula_divided_by_zero"},
		"formula with a box":            {[]record.Field{{Type: pdf.FieldText, ReadOnly: true, Formula: `"` + undrawn + `"`}}, "undrawable_characters"},
		"formula over what is typed":    {[]record.Field{{Type: pdf.FieldNumber, Name: "a"}, {Type: pdf.FieldNumber, ReadOnly: true, Formula: "1 / a"}}, ""},
		"formula over a default":        {[]record.Field{{Type: pdf.FieldNumber, Name: "a", Value: "0"}, {Type: pdf.FieldNumber, ReadOnly: true, Formula: "1 / a"}}, ""},
		"formula beyond its limit":      {[]record.Field{{Type: pdf.FieldNumber, ReadOnly: true, Formula: "2 * 3", Max: new(5.0)}}, "too_great"},
		"hidden by a fixed value":       {[]record.Field{number("a", "1"), {Type: pdf.FieldText, ReadOnly: true, Value: "x", Pattern: "[0-9]+", Condition: shownIf("a", "2")}}, ""},
		"shown by a fixed value":        {[]record.Field{number("a", "2"), {Type: pdf.FieldText, ReadOnly: true, Value: "x", Pattern: "[0-9]+", Condition: shownIf("a", "2")}}, "not_in_format"},
		"shown by what is typed":        {[]record.Field{{Type: pdf.FieldNumber, Name: "a"}, {Type: pdf.FieldText, ReadOnly: true, Value: "x", Pattern: "[0-9]+", Condition: shownIf("a", "2")}}, "not_in_format"},
		"two choices for good":          {[]record.Field{button("true", true), button("true", true)}, "several_choices"},
		"no choice for good":            {[]record.Field{button("", true), button("false", true)}, "required"},
		"a choice":                      {[]record.Field{button("", true), button("", false)}, ""},
		"two choices, to be reviewed":   {[]record.Field{button("true", false), button("true", false)}, ""},
	} {
		d := draft()
		d.Files[0].Pages[1] = record.Size{Width: 595, Height: 842}
		for i, x := range tt.fields {
			x.ID, x.File, x.Invitation, x.Page = string(rune('p'+i)), "f1", "i1", 2
			x.Width, x.Height, x.X, x.Y = cmp.Or(x.Width, .1), .05, .5, .1*float64(i)
			d.Fields = append(d.Fields, x)
		}
		got := ""
		for _, p := range record.Problems(d, paper(t)) {
			if p.Code == "value_unsignable" {
				got += p.Args[1].String()
			} else if p.Severity == record.SeverityError {
				t.Errorf("%s: %s", name, p.Code)
			}
		}
		if got != tt.reason || strings.Contains(got, " ") {
			t.Errorf("%s: got %q, want %q", name, got, tt.reason)
		}
	}
}
