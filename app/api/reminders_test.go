package api_test

import (
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// TestCompanyReminders checks that the company's reminder days and deadline
// apply to documents that set none, sent at once or step by step.
func TestCompanyReminders(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	c.Patch(t, "/company", apptest.Map{"reminder_days": []int{2, 4}, "default_expiry_days": 5}).Want(t, 200)
	data := apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "Lease")})).Want(t, 201)
	id := d.Text(t, "id")
	if d.At(t, "expires_at") == nil {
		t.Error("the company's deadline is not set")
	}
	for day, want := range []int{0, 0, 1, 1, 2} {
		if got := c.Get(t, "/documents/"+id+"/invitations").Want(t, 200).Int(t, "data.0.reminders_sent"); got != want {
			t.Errorf("day %d: %d reminders, want %d", day, got, want)
		}
		s.Advance(t, "24h")
	}
	if got := c.Get(t, "/documents/"+id).Want(t, 200).Text(t, "status"); got != "expired" {
		t.Errorf("after the deadline: %s", got)
	}
}

// TestNoMailsForRecipients sends a document whose owner passes the links on: only the owner is
// written to.
func TestNoMailsForRecipients(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := sent(t, c, 2, obj{"send_emails": false, "remind_every_days": 1, "signing_order": "sequential"})
	at := "/documents/" + d.Text(t, "id")
	if d.At(t, "send_emails") != false || d.At(t, "allow_delegation") != false || d.Text(t, "invitations.0.status") != "notified" {
		t.Fatalf("the document is %s", d.Body)
	}
	s.Advance(t, "48h")
	if got := c.Get(t, at).Want(t, 200).Int(t, "invitations.0.reminders_sent"); got != 0 {
		t.Errorf("%d reminders were sent", got)
	}
	failed(t, c.Post(t, at+"/remind", nil), 409)
	first := s.With(link(t, d, 0))
	failed(t, first.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/delegate", obj{"name": "Dora", "email": "dora@signer.example"}), 409)
	first.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	second := c.Get(t, at).Want(t, 200)
	s.With(link(t, second, 1)).Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/sign", obj{}).Want(t, 200)
	patience.Until(t, "the owner is told", func() (string, bool) {
		r := c.Get(t, "/outbox").Want(t, 200)
		kinds := r.Texts(t, "data", "kind")
		if len(kinds) > 1 || len(kinds) == 1 && (kinds[0] != "completed_owner" || r.Text(t, "data.0.to") != c.Email) {
			t.Fatalf("messages: %s", r.Body)
		}
		return string(r.Body), len(kinds) == 1
	})
	draft := draft(t, c, 1, obj{"allow_delegation": false})
	r := c.Post(t, "/documents/"+draft.Text(t, "id")+"/send", obj{"send_emails": false}).Want(t, 200)
	if r.At(t, "send_emails") != false {
		t.Errorf("said at sending: %s", r.Body)
	}
}
