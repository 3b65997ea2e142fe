package api_test

import (
	"strings"
	"testing"

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
