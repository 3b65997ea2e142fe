package record_test

import (
	"maps"
	"strings"
	"testing"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
)

// noRules are those of fields without conditions.
var noRules = record.RulesFor(&record.Document{}, "", nil, now)

func TestValuesFitTheirFields(t *testing.T) {
	t.Parallel()
	choices := []string{"red", "green"}
	long := strings.Repeat("é", record.MaxValue)
	for _, tt := range []struct {
		x           record.Field
		value, want string // what is stored
		refused     string
	}{
		{record.Field{Type: pdf.FieldText}, " a\tb\r\nc ", "a\tb\r\nc", ""},
		{record.Field{Type: pdf.FieldText}, "a\x00", "", "fields.f control_characters"},
		{record.Field{Type: pdf.FieldText}, "a\xff", "", "fields.f not_utf8"},
		{record.Field{Type: pdf.FieldText}, long, long, ""},
		{record.Field{Type: pdf.FieldText}, long + "é", "", "fields.f too_long 10000"},
		{record.Field{Type: pdf.FieldText, Min: new(2.0), Max: new(3.0)}, "éé", "éé", ""},
		{record.Field{Type: pdf.FieldText, Min: new(2.0), Max: new(3.0)}, "ééé", "ééé", ""},
		{record.Field{Type: pdf.FieldText, Min: new(2.0)}, "é", "", "fields.f too_few_characters 2"},
		{record.Field{Type: pdf.FieldText, Max: new(3.0)}, "éééé", "", "fields.f too_many_characters 3"},
		{record.Field{Type: pdf.FieldCompany, Min: new(2.0), Max: new(3.0)}, "Example", "Example", ""},
		{record.Field{Type: pdf.FieldText, Pattern: `\d{2}`}, "12", "12", ""},
		{record.Field{Type: pdf.FieldText, Pattern: `\d{2}`}, "123", "", `fields.f not_in_format \d{2}`},
		{record.Field{Type: pdf.FieldText, Pattern: `.*`}, long[:2000], long[:2000], ""},
		{record.Field{Type: pdf.FieldText, Pattern: `.*`}, long[:2002], "", "fields.f too_long 1000"},
		{record.Field{Type: pdf.FieldNumber}, "1.50", "1.50", ""},
		{record.Field{Type: pdf.FieldNumber}, "one", "", "fields.f not_a_number"},
		{record.Field{Type: pdf.FieldNumber}, "NaN", "", "fields.f not_a_number"},
		{record.Field{Type: pdf.FieldNumber}, "-Inf", "", "fields.f not_a_number"},
		{record.Field{Type: pdf.FieldNumber, Min: new(2.5), Max: new(3.0)}, "2.5", "2.5", ""},
		{record.Field{Type: pdf.FieldNumber, Min: new(2.5), Max: new(3.0)}, "3", "3", ""},
		{record.Field{Type: pdf.FieldNumber, Min: new(2.5)}, "2.4", "", "fields.f too_small 2.5"},
		{record.Field{Type: pdf.FieldNumber, Max: new(3.0)}, "3.1", "", "fields.f too_great 3"},
		{record.Field{Type: pdf.FieldDate}, "2026-02-28", "2026-02-28", ""},
		{record.Field{Type: pdf.FieldDate}, "0001-01-01", "0001-01-01", ""},
		{record.Field{Type: pdf.FieldDate}, "9999-12-31", "9999-12-31", ""},
		{record.Field{Type: pdf.FieldDate}, "0000-01-01", "", "fields.f not_a_date"},
		{record.Field{Type: pdf.FieldDate}, "2026-02-30", "", "fields.f not_a_date"},
		{record.Field{Type: pdf.FieldDateSigned}, "2026-02-28T23:00:00-05:00", "2026-02-28", ""},
		{record.Field{Type: pdf.FieldCheckbox}, "YES", "true", ""},
		{record.Field{Type: pdf.FieldCheckbox, Required: true}, "on", "true", ""},
		{record.Field{Type: pdf.FieldCheckbox}, "off", "false", ""},
		{record.Field{Type: pdf.FieldCheckbox}, "maybe", "", "fields.f not_true_or_false"},
		{record.Field{Type: pdf.FieldEmail}, "ann@example.org", "ann@example.org", ""},
		{record.Field{Type: pdf.FieldEmail}, "ann", "", "fields.f not_an_email"},
		{record.Field{Type: pdf.FieldSelect, Options: choices}, "green", "green", ""},
		{record.Field{Type: pdf.FieldSelect, Options: choices}, "blue", "", "fields.f not_one_of red, green"},
		{record.Field{Type: pdf.FieldRadio, Options: choices}, "red", "red", ""},
		{record.Field{Type: pdf.FieldRadio, Options: choices}, "true", "", "fields.f not_one_of red, green"},
		{record.Field{Type: pdf.FieldRadio, Group: "g"}, "1", "true", ""},
		{record.Field{Type: pdf.FieldRadio, Group: "g"}, "red", "", "fields.f not_true_or_false"},
	} {
		tt.x.ID, tt.x.Name = "1", "f"
		var f fault.Fields
		values := map[string]string{}
		tt.x.Fill(&f, noRules, tt.value, values)
		if got := faults(&f); got != tt.refused {
			t.Errorf("%.20q for %+v: got %q, want %q", tt.value, tt.x, got, tt.refused)
		}
		stored, filled := values["1"]
		if stored != tt.want || tt.x.Value != tt.want || filled != (tt.refused == "") || tt.x.Filled != filled {
			t.Errorf("%.20q for %s: stored %.20q, %.20q, filled %v", tt.value, tt.x.Type, stored, tt.x.Value, tt.x.Filled)
		}
	}
}

func TestRequiredFieldsAreFilled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		x       record.Field
		value   string
		refused string
	}{
		{record.Field{Type: pdf.FieldText}, " ", ""},
		{record.Field{Type: pdf.FieldText, Required: true}, " ", "fields.f required"},
		{record.Field{Type: pdf.FieldText, Required: true}, "false", ""},
		{record.Field{Type: pdf.FieldNumber, Min: new(1.0)}, "", ""},
		{record.Field{Type: pdf.FieldCheckbox, Required: true}, "false", "fields.f required"},
		{record.Field{Type: pdf.FieldCheckbox, Required: true}, "no", "fields.f required"},
		{record.Field{Type: pdf.FieldRadio, Required: true}, "false", "fields.f required"},
		{record.Field{Type: pdf.FieldRadio, Required: true, Group: "g"}, "false", ""},
		{record.Field{Type: pdf.FieldRadio, Required: true, Options: []string{"false"}}, "false", ""},
		{record.Field{Type: pdf.FieldSignature, Required: true}, "", ""},
	} {
		tt.x.Label = "f"
		var f fault.Fields
		tt.x.Fill(&f, noRules, tt.value, map[string]string{})
		if got := faults(&f); got != tt.refused {
			t.Errorf("%q for %+v: got %q, want %q", tt.value, tt.x, got, tt.refused)
		}
	}
	drawn := record.Field{ID: "1", Type: pdf.FieldStamp}
	values := map[string]string{}
	if drawn.Fill(&fault.Fields{}, noRules, "text", values); drawn.Filled || drawn.Value != "" || len(values) > 0 {
		t.Errorf("a text was accepted as the picture of %+v", drawn)
	}
}

func TestFieldsAreNamedByNameLabelOrIdentifier(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]record.Field{"n": {ID: "1", Name: "n", Label: "l"}, "l": {ID: "1", Label: "l"}, "1": {ID: "1"}} {
		if got := x.Key(); got != want || x.Arg().String() != want {
			t.Errorf("got %q and %q, want %q", got, x.Arg(), want)
		}
	}
}

func TestValuesReachTheFieldsTheyName(t *testing.T) {
	t.Parallel()
	own := []*record.Field{{ID: "AA", Name: "BB"}, {ID: "BB", Name: "x"}, {ID: "CC", Name: "x"}, {ID: "DD"}}
	for key, want := range map[string]map[string]string{
		"aa": {"AA": "v"}, "bb": {"BB": "v"}, "x": {"BB": "v", "CC": "v"}, "X": {}, "zz": {},
	} {
		values := map[string]string{}
		if done := record.SetValue(own, values, key, "v"); done != (len(want) > 0) || !maps.Equal(values, want) {
			t.Errorf("%s: got %v, %v, want %v", key, values, done, want)
		}
	}
}

func TestOneButtonOfAGroupIsChosen(t *testing.T) {
	t.Parallel()
	own := []*record.Field{{ID: "1", Type: pdf.FieldRadio, Group: "g", Name: "red"}, {ID: "2", Type: pdf.FieldRadio, Group: "g", Label: "green"},
		{ID: "3", Type: pdf.FieldRadio, Group: "h", Name: "red"}, {ID: "4", Type: pdf.FieldCheckbox, Group: "g", Name: "blue"},
		{ID: "5", Type: pdf.FieldRadio, Name: "alone"}}
	for _, tt := range []struct {
		group, choice string
		want          map[string]string
	}{
		{"g", "red", map[string]string{"1": "true", "2": "false"}}, {"g", "green", map[string]string{"1": "false", "2": "true"}},
		{"g", "2", map[string]string{"1": "false", "2": "true"}}, {"h", "red", map[string]string{"3": "true"}},
		{"g", "blue", nil}, {"", "alone", nil}, {"i", "red", nil},
	} {
		values := map[string]string{}
		done := record.SetGroup(own, values, tt.group, tt.choice)
		if done != (tt.want != nil) || !maps.Equal(values, tt.want) {
			t.Errorf("%s of %q: got %v, %v, want %v", tt.choice, tt.group, values, done, tt.want)
		}
	}
}

func TestGroupsHaveOneChoice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, second string
		required      bool
		want          string
	}{
		{"true", "false", true, ""}, {"false", "", true, "fields.g required"}, {"false", "false", false, ""},
		{"true", "true", true, "fields.g several_choices"}, {"true", "true", false, "fields.g several_choices"}, {"false", "true", false, ""},
	} {
		own := []*record.Field{{ID: "1", Type: pdf.FieldRadio, Group: "g", Required: tt.required}, {ID: "2", Type: pdf.FieldRadio, Group: "g"},
			{ID: "3", Type: pdf.FieldCheckbox, Group: "g"}, {ID: "4", Type: pdf.FieldRadio, Required: true}}
		var f fault.Fields
		record.CheckGroups(&f, noRules, own, map[string]string{"1": tt.first, "2": tt.second, "3": "true", "4": "true"})
		if got := faults(&f); got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}

func TestAutomaticValues(t *testing.T) {
	t.Parallel()
	inv := &record.Invitation{Name: "Ann", Email: "ann@example.org"}
	for _, tt := range []struct {
		x    record.Field
		want string
	}{
		{record.Field{Type: pdf.FieldDateSigned, Value: "2020-01-01"}, "2026-03-02"}, {record.Field{Type: pdf.FieldName}, "Ann"},
		{record.Field{Type: pdf.FieldName, Value: "Ben"}, "Ben"}, {record.Field{Type: pdf.FieldEmail}, "ann@example.org"},
		{record.Field{Type: pdf.FieldEmail, Value: "ben@example.org"}, "ben@example.org"}, {record.Field{Type: pdf.FieldText}, ""},
		{record.Field{Type: pdf.FieldText, Value: "default"}, "default"},
	} {
		if got := tt.x.Automatic(inv, now); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.x, got, tt.want)
		}
	}
}
