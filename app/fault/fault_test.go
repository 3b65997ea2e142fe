package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"paraph/app/fault"
)

func TestRefusalsAreToldApartByKindAndCode(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	err := fmt.Errorf("load: %w", fault.Conflict("document_not_draft").Because(cause))
	if fault.KindOf(err) != fault.KindConflict || fault.CodeOf(err) != "document_not_draft" {
		t.Errorf("got %v, %q", fault.KindOf(err), fault.CodeOf(err))
	}
	for _, tt := range []struct {
		target error
		want   bool
	}{
		{fault.ErrConflict, true}, {fault.ErrNotFound, false}, {cause, true},
		{fault.Conflict("document_not_draft"), true}, {fault.Conflict("other"), false},
	} {
		if got := errors.Is(err, tt.target); got != tt.want {
			t.Errorf("Is(%v) = %v", tt.target, got)
		}
	}
	if fault.KindOf(cause) != fault.KindInternal || fault.CodeOf(cause) != "" || fault.FieldsOf(cause) != nil {
		t.Error("a foreign error is not internal")
	}
	if got := fault.Throttled(6, time.Second); got.RetryAfter != time.Second || got.Limit != 6 {
		t.Errorf("got %+v", got)
	}
	if got := fault.Kind(200).String(); got != "internal" {
		t.Errorf("an unknown kind is %q", got)
	}
}

func TestProgramsSeeTheWordOfACode(t *testing.T) {
	t.Parallel()
	for code, want := range map[fault.Code]string{
		"last_owner": "last_owner", "role_not_allowed.approver": "role_not_allowed", "not_found.document": "not_found",
	} {
		if got := code.Word(); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}

func TestTheLogHasEverything(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fault.Unauthenticated(), "unauthenticated"},
		{fault.NotFound("document"), "not_found: not_found.document"},
		{fault.TooLarge("file_too_large", fault.Text("limit", "10 MB")).Because(errors.New("read")), "too_large: file_too_large limit=10 MB: read"},
		{fault.Invalid("email", "not_an_email"), "invalid; email: not_an_email field=email"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	var f fault.Fields
	if f.Err() != nil || !f.Empty() {
		t.Error("no faults are an error")
	}
	f.Required("brand_color")
	in := f.At("invitations", 0)
	in.Add("email", "not_an_email")
	in.Under("auth").Selected("kind")
	f.Between("days", 1, 10)
	f.TooLong("name", 5)
	f.TooMany("files", 3)
	f.Taken("slug")
	f.OneOf("on_decline", "notify", "void")
	f.Add("fields.x", "too_small", fault.Text("field", "Rent"), fault.Decimal("limit", 1.5))
	if !in.Has("email") || in.Has("brand_color") || in.Empty() {
		t.Error("a part does not know its own faults")
	}
	var got [][]string
	for _, x := range fault.FieldsOf(f.Err()) {
		row := []string{x.Name, string(x.Code)}
		for _, a := range x.Args {
			row = append(row, a.Name+"="+a.String())
		}
		got = append(got, row)
	}
	want := [][]string{
		{"brand_color", "required", "field=brand color"},
		{"invitations.0.email", "not_an_email", "field=invitations.0.email"},
		{"invitations.0.auth.kind", "not_selectable", "field=invitations.0.auth.kind"},
		{"days", "not_between", "field=days", "low=1", "high=10"},
		{"name", "too_long", "field=name", "limit=5"},
		{"files", "too_many", "field=files", "limit=3"},
		{"slug", "taken", "field=slug"},
		{"on_decline", "not_one_of", "field=on decline", "choices=notify, void"},
		{"fields.x", "too_small", "field=Rent", "limit=1.5"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNumbersCount(t *testing.T) {
	t.Parallel()
	if n, ok := fault.Number("n", int64(3)).Count(); !ok || n != 3 {
		t.Errorf("got %d, %v", n, ok)
	}
	if _, ok := fault.Text("n", "3").Count(); ok {
		t.Error("a text counts")
	}
}

func TestFaultsSurviveBeingStored(t *testing.T) {
	t.Parallel()
	want := fault.FieldsOf(fault.Invalid("rent", "too_small", fault.Number("limit", 3), fault.Decimal("low", 1.5),
		fault.Time("last", time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)), fault.Term("what", "rent", fault.Text("unit", "month"))))
	b, err := json.Marshal(want)
	var got []fault.Field
	if err := errors.Join(err, json.Unmarshal(b, &got)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
