package record_test

import (
	"slices"
	"testing"

	"paraph/app/fault"
	"paraph/app/signing/record"
)

// chain returns a document in which the second signer names the third.
func chain(order, first, second string) *record.Document {
	d := &record.Document{Status: record.Sent, SentAt: &now, SigningOrder: order, Files: []record.File{{ID: "f"}}}
	d.Invitations = []record.Invitation{
		{ID: "1", Name: "Ann", Email: "ann@x.org", Role: record.Signer, Status: first, Position: 1},
		{ID: "2", Name: "Ben", Email: "ben@x.org", Role: record.Reader, Status: second, Position: 2},
		{ID: "3", RoleName: "Manager", Role: record.Signer, NamedByPrevious: true, Status: record.Pending, Position: 3},
	}
	return d
}

func TestTheRecipientBeforeNamesTheNext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		order, first, second string
		by                   []string
	}{
		{record.Sequential, record.Notified, record.Pending, nil},
		{record.Sequential, record.Signed, record.Notified, []string{"2"}},
		{record.Sequential, record.Notified, record.Read, []string{"1"}},
		{record.Parallel, record.Signed, record.Notified, nil},
	} {
		d := chain(tt.order, tt.first, tt.second)
		var by []string
		for i := range d.Invitations {
			if inv := &d.Invitations[i]; inv.Open() && record.Names(d, inv) != nil {
				by = append(by, inv.ID)
			}
		}
		if !slices.Equal(by, tt.by) {
			t.Errorf("%+v: named by %v", tt, by)
		}
	}
	d := chain(record.Sequential, record.Signed, record.Read)
	if events := d.Notify(now); len(events) > 0 || d.Invitations[2].Status != record.Pending {
		t.Errorf("an unnamed person was notified: %+v", events)
	}
	var f fault.Fields
	in := record.InvitationInput{Name: new("Cy"), Email: new("ANN@x.org")}
	if in.NamePerson(&f, d, &d.Invitations[2]); f.Empty() {
		t.Error("somebody invited was named")
	}
	f, in.Email = fault.Fields{}, new("cy@x.org")
	if e := in.NamePerson(&f, d, &d.Invitations[2]); !f.Empty() || e.Data["email"] != "cy@x.org" || d.Invitations[2].Unnamed() {
		t.Errorf("naming somebody: %v, %+v", f.Err(), e)
	}
	if events := d.Notify(now); len(events) != 1 {
		t.Errorf("a named person was not notified: %+v", events)
	}
}

func TestOnlyThoseWithSomebodyBeforeThemCanBeNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(d *record.Document)
		want   bool
	}{
		"in order":     {func(*record.Document) {}, true},
		"in any order": {func(d *record.Document) { d.SigningOrder = record.Parallel }, false},
		"first":        {func(d *record.Document) { d.Invitations[2].Position = 1 }, false},
		"a viewer":     {func(d *record.Document) { d.Invitations[2].Role = record.Viewer }, false},
		"in a group":   {func(d *record.Document) { d.Invitations[2].Group = "Board" }, false},
		"two at once": {func(d *record.Document) {
			d.Invitations = append(d.Invitations, d.Invitations[2])
			d.Invitations[3].ID = "4"
		}, false},
	} {
		d := chain(record.Sequential, record.Pending, record.Pending)
		d.Status = record.Draft
		tt.change(d)
		found := slices.ContainsFunc(record.Problems(d, paper(t)), func(p record.Problem) bool { return p.Code == "cannot_be_named" })
		if found == tt.want {
			t.Errorf("%s: a problem is reported: %v", name, found)
		}
	}
}
