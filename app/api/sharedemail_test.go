package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestTwoPeopleShareAnAddress invites two people of one e-mail address, which has to be said. Each has a link, a message
// and evidence of their own.
func TestTwoPeopleShareAnAddress(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	const address = "home@family.example"
	ann, bob := obj{"name": "Ann", "email": address}, obj{"name": "Bob", "email": "Home@family.example"}
	failed(t, c.Post(t, "/documents", obj{"title": "Lease", "invitations": list{ann, bob}}), 422, "invitations.1.email")
	sign := func(who any, y float64) obj {
		return obj{"type": "text", "name": "place", "invitation_id": who, "x": .1, "y": y, "width": .3, "height": .05}
	}
	data := obj{"invitations": list{ann, merged(bob, obj{"shares_email": true})}, "send": true, "fields": list{sign("0", .1), sign("1", .3)}}
	d := draft(t, c, 0, data)
	first, second := link(t, d, 0), link(t, d, 1)
	mails := s.Mails(t, address)
	mails = append(mails, s.Mails(t, "Home@family.example")...)
	seen := ""
	for _, m := range mails {
		seen += fmt.Sprint(m)
	}
	if first == second || !strings.Contains(seen, first) || !strings.Contains(seen, second) {
		t.Errorf("%d messages do not have both links", len(mails))
	}
	at := "/documents/" + d.Text(t, "id") + "/"
	failed(t, c.With(first).Post(t, at+d.Text(t, "invitations.1.id")+"/sign", obj{"fields": obj{"place": "Rome"}}), 404)
	c.With(first).Post(t, at+d.Text(t, "invitations.0.id")+"/sign", obj{"fields": obj{"place": "Rome"}}).Want(t, 200)
	got := c.Get(t, strings.TrimSuffix(at, "/")).Want(t, 200)
	if got.Text(t, "status") != "sent" || got.Text(t, "invitations.0.status") != "signed" || got.Text(t, "invitations.1.status") == "signed" {
		t.Fatalf("one has signed: %s", got.Body)
	}
	c.With(second).Post(t, at+d.Text(t, "invitations.1.id")+"/sign", obj{"fields": obj{"place": "Oslo"}}).Want(t, 200)
	got = c.Get(t, strings.TrimSuffix(at, "/")).Want(t, 200)
	if got.Text(t, "status") != "completed" || got.Text(t, "fields.0.value") != "Rome" || got.Text(t, "fields.1.value") != "Oslo" {
		t.Errorf("both have signed: %s", got.Body)
	}
	if named := c.Post(t, "/documents", merged(obj{"title": "By address"}, data, obj{"send": false, "fields": list{sign(address, .1)}})); named.Status != 422 {
		t.Errorf("an address of two people says which: %d", named.Status)
	}
}
