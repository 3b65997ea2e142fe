package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

// refused checks that a value was refused with a code, and returns the sentence.
func refused(t *testing.T, r *apptest.Response, field, code string) string {
	t.Helper()
	failed(t, r, 422, field)
	codes, _ := r.At(t, "codes").(obj)[field].(list)
	sentences, _ := r.At(t, "errors").(obj)[field].(list)
	if len(codes) != 1 || codes[0] != code {
		t.Errorf("want %s for %s: %s", code, field, r.Body)
		return ""
	}
	return sentences[0].(string)
}

// TestHintsAreKeptAndNeverDrawn sets hints, copies them, and signs.
func TestHintsAreKeptAndNeverDrawn(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	long := strings.Repeat("é", 201)
	for _, member := range []string{"help", "placeholder"} {
		x := d.field(1, 0, "text", "city", obj{member: long})
		refused(t, d.Put(t, d.at+"/fields", obj{"fields": list{x}}), "fields.0."+member, "too_long")
	}
	hinted := obj{"help": "As on the deed", "placeholder": "Vienna"}
	id := d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "text", "city", hinted), d.field(2, 1, "text", "other", nil)}}).
		Want(t, 200).Text(t, "data.0.id")
	d.Patch(t, d.at+"/fields/"+id, obj{"required": false}).Want(t, 200)
	for _, at := range []string{
		d.at, "/documents/" + d.Post(t, d.at+"/duplicate", nil).Want(t, 201).Text(t, "id"),
		"/templates/" + d.Post(t, d.at+"/template", nil).Want(t, 201).Text(t, "id"),
	} {
		r := d.Get(t, at).Want(t, 200)
		if r.Text(t, "fields.0.help") != "As on the deed" || r.Text(t, "fields.0.placeholder") != "Vienna" || r.At(t, "fields.1.help") != nil {
			t.Errorf("%s: %s", at, r.Body)
		}
	}
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	d.Post(t, d.at+"/"+d.people[0]+"/sign", nil).Want(t, 200)
	d.Post(t, d.at+"/"+d.people[1]+"/sign", obj{"fields": obj{"other": "x"}}).Want(t, 200)
	if text := apptest.PagesText(t, d.Get(t, d.at+"/download").Want(t, 200).Body); strings.Contains(text, "deed") || strings.Contains(text, "Vienna") {
		t.Errorf("drawn is %q", text)
	}
}

// TestOwnersSayWhatAPatternMeans checks the sentence and the code of a value that doesn't fit.
func TestOwnersSayWhatAPatternMeans(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	const own = `Two letters {field} & <two> digits.`
	x := d.field(1, 0, "text", "code", obj{"pattern": "[A-Z]{2}[0-9]{2}", "pattern_message": own})
	x["value"] = "a"
	if got := refused(t, d.Put(t, d.at+"/fields", obj{"fields": list{x}}), "fields.0.value", "not_in_format"); got != own {
		t.Errorf("of a default value: %q", got)
	}
	delete(x, "value")
	r := d.Put(t, d.at+"/fields", obj{"fields": list{x, d.field(2, 0, "text", "plain", obj{"pattern": "[0-9]+"}), d.field(3, 1, "text", "o", nil)}}).Want(t, 200)
	if r.Text(t, "data.0.pattern_message") != own || r.At(t, "data.1.pattern_message") != nil {
		t.Errorf("stored is %s", r.Body)
	}
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	sign := func(code, plain string) *apptest.Response {
		return d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": obj{"code": code, "plain": plain}})
	}
	if got := refused(t, sign("AB1", "1"), "fields.code", "not_in_format"); got != own {
		t.Errorf("got %q", got)
	}
	if got := refused(t, sign("AB12", "x"), "fields.plain", "not_in_format"); !strings.Contains(got, "[0-9]+") {
		t.Errorf("without a sentence: %q", got)
	}
	sign("AB12", "1").Want(t, 200)
}

// TestLimitsOfDates checks what may limit a date, and what is stored.
func TestLimitsOfDates(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	for _, tt := range []struct {
		kind     string
		min, max any
		want     string // the fault, or "" for none
	}{
		{"date", "2026-12-31", "2027-01-01", ""}, {"date", "today", "today+30d", ""}, {"date", " Today - 18y ", nil, ""},
		{"date", "today+2w", "today+1m", ""}, {"date", "2030-01-01", "today", ""}, {"date", "", nil, ""},
		{"date", 3, nil, "min not_a_day"}, {"date", "tomorrow", nil, "min not_a_day"}, {"date", nil, "today+1", "max not_a_day"},
		{"date", nil, "2026-02-30", "max not_a_day"}, {"date", "today-9999y", nil, "min not_a_day"}, {"date", "today+10000d", nil, "min not_a_day"},
		{"date", "today+1001y", nil, "min not_a_day"}, {"date", nil, "today+7999y", "max not_a_day"}, {"date", "today-1000y", nil, ""},
		{"date", "today+1d", "today", "max max_below_min"}, {"date", "2027-01-01", "2026-12-31", "max max_below_min"},
		{"number", 1, 2.5, ""}, {"number", "today", nil, "min not_a_number"}, {"text", nil, "2026-12-31", "max not_a_number"},
	} {
		x := d.field(1, 0, tt.kind, "x", obj{"min": tt.min, "max": tt.max})
		maps.DeleteFunc(x, func(_ string, v any) bool { return v == nil })
		r := d.Put(t, d.at+"/fields", obj{"fields": list{x}})
		if at, code, ok := strings.Cut(tt.want, " "); ok {
			refused(t, r, "fields.0."+at, code)
			continue
		}
		want := tt.min
		if s, ok := tt.min.(string); ok {
			if want = strings.ToLower(strings.ReplaceAll(s, " ", "")); want == "" {
				want = nil
			}
		} else if n, ok := tt.min.(int); ok {
			want = float64(n)
		}
		if got := r.Want(t, 200).At(t, "data.0.min"); got != want {
			t.Errorf("%v is stored as %v", tt.min, got)
		}
	}
	id := d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "date", "x", obj{"min": "today", "max": "today+1y"})}}).Want(t, 200).Text(t, "data.0.id")
	r := d.Patch(t, d.at+"/fields/"+id, obj{"min": ""}).Want(t, 200)
	if r.At(t, "min") != nil || r.Text(t, "max") != "today+1y" {
		t.Errorf("after its minimum was removed: %s", r.Body)
	}
}

// TestDatesRelativeToSigning signs in the time zone of the company. The two zones are never
// on the same day.
func TestDatesRelativeToSigning(t *testing.T) {
	t.Parallel()
	for zone, offset := range map[string]time.Duration{"Pacific/Kiritimati": 14 * time.Hour, "Etc/GMT+12": -12 * time.Hour} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			c := company(t)
			c.Patch(t, "/company", obj{"timezone": zone}).Want(t, 200)
			d := newConditional(t, c)
			optional := func(n int, name, low, high string) obj {
				return d.field(n, 0, "date", name, obj{"required": false, "min": low, "max": high})
			}
			d.Put(t, d.at+"/fields", obj{"fields": list{optional(1, "start", "today", "today+2w"), optional(2, "birth", "", "today-18y"),
				optional(3, "fixed", "2026-01-01", "2026-12-31"), d.field(4, 0, "date_signed", "signed", nil), d.field(5, 1, "text", "other", nil)}}).Want(t, 200)
			d.Post(t, d.at+"/send", nil).Want(t, 200)
			day := func(years, days int) string {
				return time.Now().UTC().Add(offset).AddDate(years, 0, days).Format(time.DateOnly)
			}
			sign := func(name, value string) *apptest.Response {
				return d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": obj{name: value}})
			}
			before := day(0, 0)
			for _, tt := range []struct{ name, value, code, limit string }{
				{"start", day(0, -1), "too_early", day(0, 0)}, {"start", day(0, 15), "too_late", day(0, 14)},
				{"birth", day(0, 0), "too_late", ""}, {"fixed", "2025-12-31", "too_early", "2026-01-01"}, {"fixed", "2027-01-01", "too_late", "2026-12-31"},
				{"start", "soon", "not_a_date", ""},
			} {
				if got := refused(t, sign(tt.name, tt.value), "fields."+tt.name, tt.code); !strings.Contains(got, tt.limit) && before == day(0, 0) {
					t.Errorf("%s %s: %q does not name %s", tt.name, tt.value, got, tt.limit)
				}
			}
			r := d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": obj{"start": day(0, 1), "birth": day(-18, -1), "fixed": "2026-12-31"}}).Want(t, 200)
			if r.Text(t, "fields.0.value") != day(0, 1) && before == day(0, 0) {
				t.Errorf("stored is %s", r.Body)
			}
			if r.Text(t, "fields.3.value") != day(0, 0) && before == day(0, 0) {
				t.Errorf("signed on %s, not %s", r.Text(t, "fields.3.value"), day(0, 0))
			}
		})
	}
}

// TestGroupsOfBoxes signs with different numbers of boxes ticked in a group.
func TestGroupsOfBoxes(t *testing.T) {
	t.Parallel()
	c := company(t)
	box := func(d *conditional, n int, name string, more obj) obj {
		x := d.field(n, 0, "checkbox", name, obj{"required": false, "group": "extras"})
		maps.Copy(x, more)
		return x
	}
	limits := func(least, most int) obj { return obj{"group_min": least, "group_max": most} }
	fixed := obj{"read_only": true, "value": true}
	hidden := on(when("kind", "equals", "large"))
	for name, tt := range map[string]struct {
		a, b, c obj // settings of the boxes
		ticked  string
		code    string // of the group, "" if it may be signed
		limit   string
	}{
		"none of two":       {limits(2, 0), nil, nil, "", "too_few_ticks", "2"},
		"one of two":        {limits(2, 0), nil, nil, "b", "too_few_ticks", "2"},
		"two":               {limits(2, 0), nil, nil, "a c", "", ""},
		"three of two":      {limits(0, 2), nil, nil, "a b c", "too_many_ticks", "2"},
		"exactly two":       {limits(2, 2), nil, nil, "b c", "", ""},
		"none is fine":      {limits(0, 2), nil, nil, "", "", ""},
		"the strictest":     {limits(1, 3), limits(2, 2), nil, "a", "too_few_ticks", "2"},
		"more than there":   {limits(9, 0), nil, nil, "a b", "too_few_ticks", "3"},
		"all there are":     {limits(9, 0), nil, nil, "a b c", "", ""},
		"fixed ones":        {limits(2, 0), fixed, nil, "a", "", ""},
		"fixed, too many":   {limits(0, 1), fixed, fixed, "a", "too_many_ticks", "1"},
		"fixed, over":       {limits(0, 1), fixed, fixed, "", "", ""},
		"hidden, few":       {limits(2, 0), nil, hidden, "a c", "too_few_ticks", "2"},
		"hidden, not asked": {limits(3, 0), nil, hidden, "a b", "", ""},
		"hidden, many":      {limits(0, 2), nil, hidden, "a b c", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newConditional(t, c)
			d.Put(t, d.at+"/fields", obj{"fields": list{box(d, 1, "a", tt.a), box(d, 2, "b", tt.b), box(d, 3, "c", tt.c),
				d.field(4, 0, "text", "kind", obj{"required": false}), d.field(5, 1, "checkbox", "d", obj{"required": false, "group": "extras"})}}).Want(t, 200)
			d.Post(t, d.at+"/send", nil).Want(t, 200)
			values := obj{}
			for name := range strings.FieldsSeq(tt.ticked) {
				values[name] = true
			}
			r := d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": values})
			if tt.code == "" {
				r.Want(t, 200)
				d.Post(t, d.at+"/"+d.people[1]+"/sign", nil).Want(t, 200)
				return
			}
			if got := refused(t, r, "fields.extras", tt.code); !strings.Contains(got, tt.limit) {
				t.Errorf("%q does not name %s", got, tt.limit)
			}
		})
	}
	d := newConditional(t, c)
	for at, limits := range map[string]obj{"group_min": limits(-1, 0), "group_max": limits(3, 2)} {
		failed(t, d.Put(t, d.at+"/fields", obj{"fields": list{box(d, 1, "a", limits)}}), 422, "fields.0."+at)
	}
	r := d.Put(t, d.at+"/fields", obj{"fields": list{box(d, 1, "a", limits(1, 2)), box(d, 2, "b", nil)}}).Want(t, 200)
	if r.Int(t, "data.0.group_min") != 1 || r.Int(t, "data.0.group_max") != 2 || r.At(t, "data.1.group_min") != nil {
		t.Errorf("stored is %s", r.Body)
	}
}

// TestValueByIdentifierCounts sends two values for one field: one under its identifier, one under
// its name.
func TestValueByIdentifierCounts(t *testing.T) {
	t.Parallel()
	c := company(t)
	for range 6 { // the order of JSON members is not kept
		d := newConditional(t, c)
		id := d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "text", "floor", nil), d.field(2, 1, "text", "other", nil)}}).Want(t, 200).Text(t, "data.0.id")
		d.Post(t, d.at+"/send", nil).Want(t, 200)
		r := d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": obj{"floor": "by name", id: "by identifier"}}).Want(t, 200)
		if got := r.Text(t, "fields.0.value"); got != "by identifier" {
			t.Fatalf("the value is %q", got)
		}
	}
}

// TestRepeatedFieldsTakeOneValue fills in one of several fields with the same name,
// by identifier.
func TestRepeatedFieldsTakeOneValue(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	r := d.Put(t, d.at+"/fields", obj{"fields": list{
		d.field(1, 0, "text", "town", nil), d.field(3, 0, "text", "town", nil), d.field(5, 0, "text", "town", obj{"value": "Delft"}),
		d.field(7, 0, "text", "town", on(when("other", "filled"))), d.field(9, 0, "text", "other", obj{"required": false}),
		d.field(11, 0, "number", "town", obj{"required": false}), d.field(13, 1, "text", "town", obj{"required": false}),
		d.field(15, 0, "text", "town", obj{"value": "Fixed", "read_only": true}),
	}}).Want(t, 200)
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	first := d.at + "/" + d.people[0] + "/sign"
	refused(t, d.Post(t, first, nil), "fields.town", "required")
	d.Post(t, first, obj{"fields": obj{r.Text(t, "data.1.id"): "Utrecht"}}).Want(t, 200)
	got := d.Get(t, d.at).Want(t, 200)
	for i, want := range []any{"Utrecht", "Utrecht", "Utrecht", nil, nil, nil, nil, "Fixed"} {
		if v := got.At(t, fmt.Sprintf("fields.%d.value", i)); v != want {
			t.Errorf("field %d is %v, want %v", i, v, want)
		}
	}
}
