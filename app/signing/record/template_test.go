package record_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
)

func TestVariablesAreFilledIn(t *testing.T) {
	t.Parallel()
	template := func() *record.Document {
		return &record.Document{Template: true, Title: "Lease of {{Flat}}", Subject: "{{today}}", Message: "Dear {{tenant.name}}, {{ flat }}",
			Files: place.Files, Invitations: []record.Invitation{{ID: "i1", RoleName: "Tenant", Name: "Ann", Message: "{{sender.name}} of {{company}}"}},
			Fields: []record.Field{{ID: "x", File: "f1", Invitation: "i1", Type: pdf.FieldNumber, Value: "{{rent}}", Width: .1, Height: .1, Page: 1}}}
	}
	if got, want := template().Variables(), []string{"flat", "rent"}; !slices.Equal(got, want) {
		t.Errorf("variables %v, want %v", got, want)
	}
	company := account.Company{Name: "Acme", Timezone: "Pacific/Kiritimati"} // where it is the next day already
	known := template().BuiltinVariables(account.Actor{Name: "Sam", Email: "sam@x.org"}, company, now.Add(2*time.Hour))
	if want := map[string]string{"sender.name": "Sam", "sender.email": "sam@x.org", "company": "Acme", "today": "2026-03-03", "tenant.name": "Ann", "tenant.email": ""}; !maps.Equal(known, want) {
		t.Errorf("got %v, want %v", known, want)
	}
	for _, tt := range []struct {
		given   map[string]string
		refused string
	}{
		{map[string]string{"FLAT": "3", "rent": "900"}, ""}, {map[string]string{"flat": "3"}, "variables.rent required"},
		{map[string]string{"flat": "3", "rent": "9", "pet": "cat"}, "variables.pet unknown_variable"},
		{map[string]string{"flat": "3\x00", "rent": "9"}, "variables.flat control_characters"},
		{map[string]string{"flat": "3", "rent": "much"}, "fields.0.value not_a_number"},
		{map[string]string{"flat": strings.Repeat("x", 250), "rent": "9"}, "title too_long 255"},
	} {
		var f fault.Fields
		d := template()
		d.FillIn(&f, tt.given, known, record.Writing{})
		if got := faults(&f); got != tt.refused {
			t.Errorf("%v: got %q", tt.given, got)
		}
		if tt.refused != "" {
			continue
		}
		got := []string{d.Title, d.Subject, d.Message, d.Invitations[0].Message, d.Fields[0].Value}
		if want := []string{"Lease of 3", "2026-03-03", "Dear Ann, 3", "Sam of Acme", "900"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFieldsArePresetByName(t *testing.T) {
	t.Parallel()
	d := record.Document{Files: place.Files, Invitations: place.Invitations, Fields: []record.Field{
		{ID: "1", Name: "rent", Type: pdf.FieldNumber}, {ID: "2", Name: "rent", Type: pdf.FieldText}, {ID: "3", Name: "here", Type: pdf.FieldSignature}}}
	for i := range d.Fields {
		x := &d.Fields[i]
		x.File, x.Invitation, x.Width, x.Height, x.Page = "f1", "i1", .1, .1, 1
	}
	var f fault.Fields
	d.Preset(&f, "", map[string]string{"rent": "900", "here": "me", "pets": "2"}, record.Writing{})
	if got := faults(&f); got != "values.here unknown_field, values.pets unknown_field" || d.Fields[0].Value != "900" || d.Fields[1].Value != "900" || d.Fields[2].Value != "" {
		t.Errorf("got %q, %+v", got, d.Fields)
	}
	f = fault.Fields{}
	if d.Preset(&f, "", map[string]string{"rent": "much"}, record.Writing{}); faults(&f) != "values.rent.value not_a_number" {
		t.Errorf("got %q", faults(&f))
	}
}

func TestPeopleAndRolesAreDistinct(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		template bool
		inv      record.Invitation
		want     string
	}{
		{false, record.Invitation{ID: "3", Email: "ANN@x.org"}, "email already_invited"}, {false, record.Invitation{ID: "1", Email: "ann@x.org"}, ""},
		{false, record.Invitation{ID: "3", RoleName: "tenant"}, ""}, {true, record.Invitation{ID: "3", RoleName: "tenant"}, "role_name role_exists"},
		{true, record.Invitation{ID: "3"}, ""}, {true, record.Invitation{ID: "3", RoleName: "Landlord"}, ""},
	} {
		d := record.Document{Template: tt.template, Invitations: []record.Invitation{{ID: "1", Email: "ann@x.org"}, {ID: "2", RoleName: "Tenant"}}}
		var f fault.Fields
		if d.Distinct(&f, &tt.inv); faults(&f) != tt.want {
			t.Errorf("%+v: got %q", tt, faults(&f))
		}
	}
}

func TestRolesAreFoundByIdentifierOrName(t *testing.T) {
	t.Parallel()
	d := record.Document{Invitations: []record.Invitation{{ID: "1"}, {ID: "2", RoleName: "Tenant"}}}
	for ref, want := range map[string]int{"1": 0, "2": 1, "TENANT": 1, "": -1, "3": -1} {
		if got := d.RoleIndex(ref); got != want {
			t.Errorf("%q: got %d, want %d", ref, got, want)
		}
	}
}

func TestTheTrailBeginsWithWhatADocumentWasMadeFrom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d    record.Document
		want record.Event
	}{
		{record.Document{Title: "t", Template: true}, record.NewEvent(record.EventTemplateCreated).With("title", "t")},
		{record.Document{Title: "t"}, record.NewEvent(record.EventDocumentCreated).With("title", "t")},
		{record.Document{Title: "t", MadeFrom: &record.Source{Template: "x"}}, record.NewEvent(record.EventDocumentCreated).With("title", "t").With("template", "x")},
	} {
		if got := tt.d.CreatedEvent(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("got %+v, want %+v", got, tt.want)
		}
	}
}

func TestTemplatesKeepTheTimeAllowed(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, tt := range []struct {
		d    record.Document
		want int
	}{
		{record.Document{ExpiresDays: 9}, 9}, {record.Document{CreatedAt: now, ExpiresAt: in(7 * day)}, 7},
		{record.Document{CreatedAt: now, ExpiresAt: in(7*day - 12*time.Hour)}, 7},
		{record.Document{CreatedAt: now, ExpiresAt: in(7*day - 13*time.Hour)}, 6},
		{record.Document{CreatedAt: now, SentAt: in(2 * day), ExpiresAt: in(7 * day)}, 5},
		{record.Document{CreatedAt: now, ExpiresAt: in(1)}, 1},
		{record.Document{CreatedAt: now, ExpiresAt: in(4000 * day)}, 3650},
	} {
		if got := tt.d.DeadlineDays(); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.d.ExpiresAt, got, tt.want)
		}
	}
}
