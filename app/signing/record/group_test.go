package record_test

import (
	"slices"
	"testing"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
)

// board returns a document that any one of two people signs before a third.
func board(first, second, third string) *record.Document {
	d := &record.Document{Status: record.Sent, SentAt: &now, SigningOrder: record.Sequential}
	d.Invitations = []record.Invitation{
		{ID: "ann", Name: "Ann", Email: "ann@x.org", Role: record.Signer, Group: "Board", Status: first, Position: 1},
		{ID: "ben", Name: "Ben", Email: "ben@x.org", Role: record.Signer, Group: "board", Status: second, Position: 1},
		{ID: "cy", Name: "Cy", Email: "cy@x.org", Role: record.Signer, Status: third, Position: 2},
	}
	d.Fields = []record.Field{
		{ID: "1", Invitation: "ann", Type: pdf.FieldSignature}, {ID: "2", Invitation: "ben", Type: pdf.FieldText},
		{ID: "3", Invitation: "cy", Type: pdf.FieldText},
	}
	return d
}

func fieldsOf(d *record.Document, invitation string) (ids string) {
	for _, x := range d.UnsortedFieldsOf(invitation) {
		ids += x.ID
	}
	return ids
}

func TestAnyOneOfAGroupIsAsked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, second, third string
		waits                []string
		acted, total         int
		ann, ben, cy         string // code of the refusal
	}{
		{record.Notified, record.Notified, record.Pending, []string{"Ann / Ben"}, 0, 2, "", "", "not_your_turn"},
		{record.NotNeeded, record.Signed, record.Notified, []string{"Cy"}, 1, 2, "group_acted", "already_signed", ""},
		{record.NotNeeded, record.Signed, record.Signed, nil, 2, 2, "group_acted", "already_signed", "already_signed"},
		{record.Delegated, record.Viewed, record.Pending, []string{"Ben"}, 0, 2, "invitation_delegated", "", "not_your_turn"},
		{record.Declined, record.Viewed, record.Pending, nil, 0, 2, "invitation_declined", "document_declined", "document_declined"},
	} {
		d := board(tt.first, tt.second, tt.third)
		progress := d.Progress()
		if progress.Signed != tt.acted || progress.Total != tt.total || !slices.Equal(d.WaitingFor(), tt.waits) {
			t.Errorf("%+v: %d of %d have acted, it waits for %v", tt, progress.Signed, progress.Total, d.WaitingFor())
		}
		for i, want := range []string{tt.ann, tt.ben, tt.cy} {
			if got := code(d.Signable(&d.Invitations[i], now)); got != want {
				t.Errorf("%+v: %s is refused with %q, want %q", tt, d.Invitations[i].Name, got, want)
			}
		}
	}
}

func TestTheFirstToActActsForTheGroup(t *testing.T) {
	t.Parallel()
	d := board(record.Viewed, record.Notified, record.Pending)
	if ann, ben := fieldsOf(d, "ann"), fieldsOf(d, "ben"); ann != "12" || ben != "12" || fieldsOf(d, "cy") != "3" {
		t.Errorf("before, Ann has the fields %s, Ben %s", ann, ben)
	}
	if record.FirstOfGroup(d, &d.Invitations[1]).ID != "ann" {
		t.Error("the signature field is not that of the first")
	}
	d.Invitations[1].Status = record.Signed
	events := record.ActForGroup(d, &d.Invitations[1], now)
	if len(events) != 1 || events[0].Type != record.EventInvitationNotNeeded || events[0].Invitation != "ann" || events[0].Data["by"] != "ben@x.org" {
		t.Errorf("got %+v", events)
	}
	ann := &d.Invitations[0]
	if by := record.ActedFor(d, ann); ann.Status != record.NotNeeded || by == nil || by.ID != "ben" || d.Stage(ann, true, now) != record.StageNotNeeded {
		t.Errorf("afterwards, Ann is %s, for whom %v acted", ann.Status, by)
	}
	if mine, theirs := fieldsOf(d, "ann"), fieldsOf(d, "ben"); mine != "" || theirs != "12" {
		t.Errorf("afterwards, Ann has the fields %q, Ben %q", mine, theirs)
	}
	if got := code(d.Replaceable(ann, now)); got != "group_acted" {
		t.Errorf("replacing Ann is refused with %q", got)
	}
	if record.ActedFor(d, &d.Invitations[2]) != nil || len(record.ActForGroup(d, &d.Invitations[2], now)) > 0 {
		t.Error("somebody without a group acts for others")
	}
}

func TestGroupsKeepFieldsAndPosition(t *testing.T) {
	t.Parallel()
	d := board(record.Pending, record.Pending, record.Pending)
	d.Invitations[0].Position, d.Invitations[1].Position = 3, 5
	record.AlignGroups(d, nil)
	if a, b := d.Invitations[0].Position, d.Invitations[1].Position; a != 3 || b != 3 {
		t.Errorf("the group is at %d and %d", a, b)
	}
	d.Invitations[1].Position = 7
	record.AlignGroups(d, &d.Invitations[1])
	if p := d.Invitations; p[0].Position != 7 || p[1].Position != 7 || p[2].Position != 2 {
		t.Errorf("the group is at %d and %d, the other at %d", p[0].Position, p[1].Position, p[2].Position)
	}
	record.LeaveFields(d, &d.Invitations[0])
	if d.Fields[0].Invitation != "ben" || len(d.Fields) != 3 {
		t.Errorf("the fields are now %+v", d.Fields)
	}
	record.LeaveFields(d, &d.Invitations[2])
	if len(d.Fields) != 2 {
		t.Errorf("the fields are now %+v", d.Fields)
	}
}

func TestGroupsThatMakeNoSenseAreReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		change func(d *record.Document)
		want   []fault.Code
	}{
		{func(*record.Document) {}, nil},
		{func(d *record.Document) { d.Invitations[1].Group = "" }, []fault.Code{"group_of_one"}},
		{func(d *record.Document) { d.Invitations[1].Role = record.Approver }, []fault.Code{"group_roles"}},
		{func(d *record.Document) {
			d.Invitations[0].Role, d.Invitations[1].Role = record.Viewer, record.Viewer
			d.Fields = nil
		}, []fault.Code{"group_of_viewer"}},
	} {
		d := board(record.Pending, record.Pending, record.Pending)
		d.Status = record.Draft
		d.Files = []record.File{{ID: "f", Pages: []record.Size{{}}}}
		tt.change(d)
		var got []fault.Code
		for _, p := range record.Problems(d, paper(t)) {
			if slices.Contains([]fault.Code{"group_of_one", "group_roles", "group_of_viewer"}, p.Code) {
				got = append(got, p.Code)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("got %v, want %v", got, tt.want)
		}
	}
}
