package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
)

// assisted returns a document in which an assistant acts between others.
func assisted(order string) *record.Document {
	d := &record.Document{Status: record.Sent, SentAt: &now, SigningOrder: order}
	for i, role := range []string{record.Signer, record.Assistant, record.Signer, record.Approver, record.Reader} {
		d.Invitations = append(d.Invitations, record.Invitation{ID: fmt.Sprint(i), Name: role + fmt.Sprint(i), Role: role,
			Email: fmt.Sprint(i, "@x.org"), Status: record.Pending, Authentication: record.ByLink, Position: i + 1})
	}
	d.Invitations[0].Status, d.Invitations[1].Status = record.Signed, record.Notified
	text := func(id, of, name string) record.Field {
		return record.Field{ID: id, Invitation: of, Type: pdf.FieldText, Name: name, Required: true}
	}
	d.Fields = []record.Field{text("a", "0", "city"), text("b", "2", "city"), text("c", "3", "city"), text("d", "3", "street"),
		{ID: "e", Invitation: "2", Type: pdf.FieldSignature}, {ID: "f", Invitation: "2", Type: pdf.FieldInitials},
		{ID: "g", Invitation: "2", Type: pdf.FieldDateSigned}, {ID: "h", Invitation: "2", Type: pdf.FieldAttachment},
		{ID: "i", Invitation: "2", Type: pdf.FieldImage}, {ID: "j", Invitation: "2", Type: pdf.FieldStamp},
		{ID: "k", Invitation: "2", Type: pdf.FieldName}, {ID: "l", Invitation: "2", Type: pdf.FieldText, ReadOnly: true, Value: "fixed"}}
	return d
}

func TestAssistantsAreAskedForWhatOthersFillInLater(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(d *record.Document)
		want   string
	}{
		{"in order", func(*record.Document) {}, "signer2: b k l; approver3: c d"},
		{"in parallel", func(d *record.Document) { d.SigningOrder = record.Parallel }, ""},
		{"at the same position", func(d *record.Document) { d.Invitations[2].Position = 2 }, "approver3: c d"},
		{"in another order", func(d *record.Document) { d.Invitations[2].Position = 9 }, "approver3: c d; signer2: b k l"},
		{"after acting", func(d *record.Document) { d.Invitations[1].Status = record.FilledIn }, ""},
		{"for those who can still act", func(d *record.Document) { d.Invitations[2].Status = record.Delegated }, "approver3: c d"},
		{"for a group", func(d *record.Document) {
			d.Invitations[3].Role, d.Invitations[3].Position = record.Signer, 3
			d.Invitations[2].Group, d.Invitations[3].Group = "Board", "board"
		}, "signer2 / approver3: b c d k l"},
	} {
		d := assisted(record.Sequential)
		tt.change(d)
		var got []string
		for _, part := range record.AskedOf(d, &d.Invitations[1]) {
			var ids []string
			for _, x := range part.Fields {
				ids = append(ids, x.ID)
				if x.Required || x == d.Field(x.ID) {
					t.Errorf("%s: %s is required, or no copy", tt.name, x.ID)
				}
			}
			got = append(got, part.Name+": "+strings.Join(ids, " "))
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s: asked for %q, want %q", tt.name, s, tt.want)
		}
	}
}

func TestAssistantsPrefill(t *testing.T) {
	t.Parallel()
	d := assisted(record.Sequential)
	inv := &d.Invitations[1]
	asked := record.AskedOf(d, inv)
	var f fault.Fields
	values := record.EnteredIn(asked, map[string]string{"b": " Rome ", "c": "Oslo", "l": "changed"}, now)
	changed := record.Prefill(&f, d, inv, asked, values, now)
	if err := f.Err(); err != nil || !slices.Equal(changed, []string{"city", "c"}) {
		t.Fatalf("changed %q, refused %v", changed, err)
	}
	for id, want := range map[string]string{"a": "", "b": "Rome", "c": "Oslo", "d": "", "k": "", "l": "fixed"} {
		if x := d.Field(id); x.Value != want || x.Filled || (x.AssistedBy != "") != (id == "b" || id == "c") {
			t.Errorf("%s is %q, filled %v, by %q", id, x.Value, x.Filled, x.AssistedBy)
		}
	}
	if got := record.AssistedFields(d, inv); len(got) != 2 || got[0].Key() != "city" || got[1].Key() != "city" {
		t.Errorf("the assistant has filled in %v", got)
	}
	signer := &d.Invitations[2]
	if got := record.EnteredIn(record.AskedOf(d, signer), nil, now); got["b"] != "Rome" || got["k"] != "signer2" {
		t.Errorf("the signatory finds %v", got)
	}
}

func TestADocumentWaitsForItsAssistants(t *testing.T) {
	t.Parallel()
	d := assisted(record.Sequential)
	inv := &d.Invitations[1]
	who := account.Actor{Kind: account.ActorSignatory, Invitation: "1"}
	if got := words(d.ActionsOf(who, now)); got != "fill_in decline delegate" {
		t.Errorf("the assistant is offered %q", got)
	}
	if got := code(d.Signable(&d.Invitations[2], now)); got != "not_your_turn" {
		t.Errorf("the next one is refused with %q", got)
	}
	if sign, fill := code(inv.Asks(record.ActionSign)), code(d.Invitations[0].Asks(record.ActionFillIn)); sign != "assistant_does_not_sign" || fill != "only_assistants_fill_in" {
		t.Errorf("refused with %q and %q", sign, fill)
	}
	inv.Status = record.FilledIn
	again, replace := code(d.Signable(inv, now)), code(d.Replaceable(inv, now))
	if next := code(d.Signable(&d.Invitations[2], now)); again != "already_filled_in" || replace != again || next != "" {
		t.Errorf("afterwards they are refused with %q and %q, the next one with %q", again, replace, next)
	}
	if got := d.Stage(inv, true, now); got != record.StageSigned {
		t.Errorf("the link opens %q", got)
	}
}
