package api_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestReader follows somebody who has to read a document before others sign it.
func TestReader(t *testing.T) {
	t.Parallel()
	c := company(t)
	reader := obj{"name": "Rea Reader", "email": "rea@reader.example", "role": "reader", "position": 1}
	people := list{reader, merged(signer(1), obj{"position": 2}), obj{"name": "Vic", "email": "vic@copy.example", "role": "viewer", "position": 3}}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "House rules", "signing_order": "sequential", "invitations": people},
		apptest.File{Name: "rules.pdf", Content: apptest.PDF(t, "No smoking.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	failed(t, c.Put(t, at+"/fields", obj{"fields": list{obj{"type": "text", "file_id": "0", "invitation_id": ids[0], "page": 1, "x": .1, "y": .1, "width": .2, "height": .05}}}), 422, "fields.0.invitation_id")
	failed(t, c.Post(t, at+"/"+ids[0]+"/read", obj{}), 409)

	d = c.Post(t, at+"/send", obj{}).Want(t, 200)
	if d.Text(t, "invitations.0.status") != "notified" || d.Text(t, "invitations.1.status") != "pending" {
		t.Errorf("after sending, the invitations are %v", d.Texts(t, "invitations", "status"))
	}
	mine, stranger := server(t).With(link(t, d, 0)), company(t)
	if mails := server(t).Mails(t, "rea@reader.example"); len(mails) != 1 || !strings.Contains(mails[0].Subject, "asks you to read: House rules") {
		t.Errorf("the reader got %+v", mails)
	}
	if got := fmt.Sprint(mine.Get(t, at).Want(t, 200).At(t, "allowed_actions")); got != "[read decline delegate download]" {
		t.Errorf("the reader may %s", got)
	}
	failed(t, stranger.Post(t, at+"/"+ids[0]+"/read", obj{}), 404)
	failed(t, mine.Post(t, at+"/"+ids[1]+"/read", obj{}), 404)
	for _, refused := range []struct{ path, code string }{
		{ids[0] + "/sign", "reader_does_not_sign"}, {ids[1] + "/sign", "not_your_turn"}, {ids[1] + "/read", "not_your_turn"},
		{ids[2] + "/read", "viewer_does_not_sign"}, {ids[0] + "/consent", "no_consent_asked"},
	} {
		who := c
		if refused.path == ids[0]+"/consent" {
			who = mine
		}
		if r := failed(t, who.Post(t, at+"/"+refused.path, obj{}), 409); r.Text(t, "code") != refused.code {
			t.Errorf("%s is refused with %s", refused.path, r.Body)
		}
	}

	d = mine.Post(t, at+"/"+ids[0]+"/read", obj{}).Want(t, 200)
	if d.Text(t, "invitations.0.status") != "read" || d.Text(t, "invitations.0.read_at") == "" || d.At(t, "invitations.0.signed_at") != nil ||
		d.Text(t, "invitations.1.status") != "notified" || d.Int(t, "progress.signed") != 1 || d.Int(t, "progress.total") != 2 {
		t.Errorf("after reading it is %s", d.Body)
	}
	if r := failed(t, c.Post(t, at+"/"+ids[0]+"/read", obj{}), 409); r.Text(t, "code") != "already_read" {
		t.Errorf("reading twice is refused with %s", r.Body)
	}
	if r := failed(t, c.Post(t, at+"/"+ids[1]+"/read", obj{}), 409); r.Text(t, "code") != "only_readers_confirm" {
		t.Errorf("a signer who only reads is refused with %s", r.Body)
	}
	d = c.Post(t, at+"/"+ids[1]+"/sign", obj{}).Want(t, 200)
	if d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 2)
	seen := false
	for _, kind := range c.Get(t, at+"/events?per_page=100").Want(t, 200).Texts(t, "data", "type") {
		seen = seen || kind == "invitation.read"
	}
	text := strings.Join(strings.Fields(apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)), " ")
	for _, want := range []string{"reads and confirms", "has confirmed reading it", "Confirmed reading it", "Signatures 1 of 1", "Confirmed through"} {
		if !strings.Contains(text, want) {
			t.Errorf("the certificate lacks %q:\n%s", want, text)
		}
	}
	if !seen {
		t.Error("the audit trail does not say that the reader confirmed")
	}
}

// TestReaderCompletes lets the reader be the last to act, with a code for proof.
func TestReaderCompletes(t *testing.T) {
	t.Parallel()
	c := company(t)
	people := list{signer(1), obj{"name": "Rea", "email": "rea@last.example", "role": "reader", "authentication": "access_code", "access_code": "4711"}}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Rules", "send": true, "invitations": people},
		apptest.File{Name: "rules.pdf", Content: apptest.PDF(t, "No smoking.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	mine := server(t).With(link(t, d, 1))
	c.Post(t, at+"/"+ids[0]+"/sign", obj{}).Want(t, 200)
	failed(t, mine.Post(t, at+"/"+ids[1]+"/read", obj{}), 422, "code")
	failed(t, mine.Post(t, at+"/"+ids[1]+"/read", obj{"code": "0815"}), 422, "code")
	mine.Post(t, at+"/"+ids[1]+"/read", obj{"code": "4711"}).Want(t, 200)
	if d = c.Get(t, at).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 2)
}

// TestReaderEnds tries to read documents that have ended.
func TestReaderEnds(t *testing.T) {
	t.Parallel()
	c := company(t)
	for _, end := range []struct{ name, code string }{{"void", "document_voided"}, {"decline", "document_declined"}} {
		d := draft(t, c, 1)
		at := "/documents/" + d.Text(t, "id")
		reader := c.Post(t, at+"/invite", obj{"invitations": list{obj{"name": "Rea", "email": "rea@" + end.name + ".example", "role": "reader"}}}).Want(t, 201).Text(t, "data.0.id")
		d = c.Post(t, at+"/send", obj{}).Want(t, 200)
		if end.name == "void" {
			c.Post(t, at+"/void", obj{"reason": "Wrong."}).Want(t, 200)
		} else {
			c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/decline", obj{"reason": "No."}).Want(t, 200)
		}
		if r := failed(t, c.Post(t, at+"/"+reader+"/read", obj{}), 409); r.Text(t, "code") != end.code {
			t.Errorf("%s: refused with %s", end.name, r.Body)
		}
	}
}
