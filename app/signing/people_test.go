package signing_test

import (
	"testing"

	"paraph/app/apptest"
	"paraph/app/fault"
	"paraph/app/signing/record"
)

func TestReplaceInvitationsKeepsKnownPeople(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	who, id := actor(t, c), draft(t, c, 2, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})
	d, err := c.Signing.Drafts.Get(who, id)
	if err != nil {
		t.Fatal(err)
	}
	one, two := d.Invitations[0].ID, d.Invitations[1].ID
	for _, of := range []string{one, two} {
		c.Post(t, "/documents/"+id+"/fields", apptest.Map{"fields": apptest.List{apptest.Map{"invitation_id": of, "type": "signature", "x": .1, "y": .1, "width": .2, "height": .05}}}).Want(t, 201)
	}
	person := func(id, name, email, role string) record.InvitationInput {
		return record.InvitationInput{ID: id, Name: &name, Email: &email, Role: &role}
	}
	// A new person takes over the second's address, and the second the first's; the first is removed.
	d, err = c.Signing.Drafts.ReplaceInvitations(who, id, []record.InvitationInput{person("", "New", "s2@example.org", "approver"), person(two, "Two", "s1@example.org", "signer")})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Invitations) != 2 || d.Invitations[1].ID != two || d.Invitations[1].Email != "s1@example.org" || d.Invitations[0].Role != "approver" || len(d.Fields) != 1 || d.Fields[0].Invitation != two {
		t.Errorf("got %+v with fields %+v", d.Invitations, d.Fields)
	}
	bad := []record.InvitationInput{person(two, "Two", "same@example.org", "viewer"), person(two, "", "Same@example.org", "signer"), person("", "X", "nonsense", "king")}
	_, err = c.Signing.Drafts.ReplaceInvitations(who, id, bad)
	said := fault.Words(fault.FieldsOf(err))
	for _, at := range []string{"invitations.0.role", "invitations.1.email", "invitations.1.name", "invitations.2.email", "invitations.2.role"} {
		if len(said[at]) == 0 {
			t.Errorf("no error for %s: %v", at, err)
		}
	}
	if now, err := c.Signing.Drafts.Get(who, id); err != nil || len(now.Invitations) != 2 || now.Invitations[0].Name != "New" {
		t.Errorf("a refused change was stored: %+v, %v", now.Invitations, err)
	}
}
