package app_test

import (
	"regexp"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// withoutMail is an appliance that can't send mail and does not let tests read what would have been sent.
func withoutMail(c *app.Config) { c.Server.TestControls = false }

// asked is a sent document with one invitation, and the path and token of its link.
type asked struct {
	document, invitation, token string
}

func (i asked) path() string { return "/documents/" + i.document + "/" + i.invitation }

func sendWith(t *testing.T, c *apptest.Client, person apptest.Map) asked {
	t.Helper()
	person["name"], person["email"] = "Ben Buyer", "ben@signer.example"
	data := apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{person}}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 201)
	_, token, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	return asked{d.Text(t, "id"), d.Text(t, "invitations.0.id"), token}
}

// TestCodesByMailNeedAMailServer checks that nobody can be asked for a code that can't reach them.
func TestCodesByMailNeedAMailServer(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, withoutMail).Company(t)
	person := apptest.Map{"name": "Ben", "email": "ben@signer.example", "authentication": "email_code"}
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{person}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 422)
	if !strings.Contains(string(r.Body), "no_mail_for_codes") || !strings.Contains(string(r.Body), "No e-mail can be sent from here") {
		t.Errorf("the refusal is %s", r.Body)
	}
	person["authentication"] = "link"
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{person}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id") + "/invitations/" + d.Text(t, "invitations.0.id")
	c.Patch(t, at, apptest.Map{"authentication": "email_code"}).Want(t, 422)
	c.Patch(t, at, apptest.Map{"authentication": "access_code", "access_code": "open sesame"}).Want(t, 200)
}

// TestCodeOfAnEarlierInvitationIsInTheOutbox follows an invitation that asks for a code by e-mail, and a draft that
// does, after the mail server was removed.
func TestCodeOfAnEarlierInvitationIsInTheOutbox(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	s, err := apptest.StartIn(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	owner := s.Company(t)
	sent := sendWith(t, owner, apptest.Map{"authentication": "email_code"})
	draft := owner.Post(t, "/documents/"+sent.document+"/duplicate", nil).Want(t, 201).Text(t, "id")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = apptest.StartIn(dir, clock, withoutMail); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	c := s.Login(t, owner.Email)
	if r := c.Post(t, "/documents/"+draft+"/send", nil).Want(t, 422); !strings.Contains(string(r.Body), "no_mail_for_codes") {
		t.Errorf("sending the copy: %s", r.Body)
	}
	page := string(s.Anonymous().Get(t, "/s/"+sent.token).Want(t, 200).Body)
	if strings.Contains(page, "we will send") || !strings.Contains(page, "Owner Person") || !strings.Contains(page, "No e-mail can be sent from here") {
		t.Errorf("the page before the code says %s", page)
	}
	said := s.With(sent.token).Post(t, sent.path()+"/code", nil).Want(t, 202)
	if !strings.Contains(said.Text(t, "message"), "Ask the sender") {
		t.Errorf("the answer is %s", said.Body)
	}
	kept := c.Get(t, "/outbox?document_id="+sent.document).Want(t, 200)
	if kept.Text(t, "data.0.kind") != "signing_code" {
		t.Fatalf("the outbox holds %s", kept.Body)
	}
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(c.Get(t, "/outbox/"+kept.Text(t, "data.0.id")).Want(t, 200).Text(t, "text"))
	s.With(sent.token).Post(t, sent.path()+"/identify", apptest.Map{"code": code}).Want(t, 200)
}
