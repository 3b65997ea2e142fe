package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestFaultsOfMail lets the mail server fail in every way, for some of the messages.
func TestFaultsOfMail(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		now, later string // status of the message
		attempts   int
		attention  string // of the document
	}{
		"":         {"queued", "kept", 2, ""},
		"timeout":  {"queued", "kept", 2, ""},
		"rejected": {"failed", "failed", 1, "mail_failed"},
		"bounced":  {"bounced", "bounced", 1, "mail_failed"},
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			c, other := testCompany(t, obj{}), testCompany(t, obj{})
			id := faulty(t, c, obj{"target": "mail", "to": "Signer1@signer.example", "kind": "invitation", "times": want.attempts, "answer": answer})
			d, elsewhere := sent(t, c, 2), sent(t, other, 1)
			status := func(c *apptest.Client, to string) *apptest.Response {
				t.Helper()
				return c.Get(t, "/test/outbox?kind=invitation&to="+to).Want(t, 200)
			}
			mail := status(c, "signer1@signer.example")
			if mail.Text(t, "data.0.status") != want.now || mail.Int(t, "data.0.attempts") != 1 || mail.Text(t, "data.0.last_error") == "" {
				t.Errorf("the message is %s", mail.Body)
			}
			for who, to := range map[*apptest.Client]string{c: "signer2@signer.example", other: "signer1@signer.example"} {
				if mail := status(who, to); mail.Text(t, "data.0.status") != "kept" {
					t.Errorf("another message is %s", mail.Body)
				}
			}
			kind := func() string {
				if d := c.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200); d.At(t, "attention") != nil {
					return d.Text(t, "attention")
				}
				return ""
			}
			if got := kind(); got != want.attention {
				t.Errorf("attention is %q", got)
			}
			c.Post(t, "/test/clock", obj{"advance": "1h"}).Want(t, 200)
			if mail := status(c, "signer1@signer.example"); mail.Text(t, "data.0.status") != want.later || mail.Int(t, "data.0.attempts") != want.attempts {
				t.Errorf("later the message is %s", mail.Body)
			}
			if all := c.Get(t, "/test/faults").Want(t, 200); all.Text(t, "data.0.id") != id || all.Int(t, "data.0.hits") != want.attempts {
				t.Errorf("the fault is %s", all.Body)
			}
			if d := other.Get(t, "/documents/"+elsewhere.Text(t, "id")).Want(t, 200); d.At(t, "attention") != nil {
				t.Errorf("elsewhere: %s", d.Body)
			}
		})
	}
}

// TestFaultsOfWebhooks lets deliveries fail in every way, without a receiver that fails.
func TestFaultsOfWebhooks(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Webhooks.AllowPrivate, c.Network.Egress = true, []string{"any"} })
	var posted atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posted.Add(1) }))
	t.Cleanup(receiver.Close)
	company := func() *apptest.Client {
		made := s.Anonymous().Post(t, "/test/companies", nil).Want(t, 201)
		c := s.With(made.Text(t, "token"))
		c.CompanyID = made.Text(t, "id")
		return c
	}
	other := company()
	hook := func(c *apptest.Client) string {
		return c.Post(t, "/webhooks", obj{"url": receiver.URL + "/events", "events": list{"document.sent", "document.created"}}).Want(t, 201).Text(t, "id")
	}
	hook(other)
	for _, x := range []struct {
		fault  obj
		status int
		why    string // why there was no status
		lasts  bool
	}{
		{obj{}, 0, "refused", false},
		{obj{"answer": "timeout"}, 0, "timeout", false},
		{obj{"answer": "cut"}, 0, "reset", false},
		{obj{"status": 503, "delay": "1ms"}, 503, "", false},
		{obj{"status": 410}, 410, "", true},
	} {
		c := company()
		id := hook(c)
		before := posted.Load()
		faulty(t, c, merged(x.fault, obj{"target": "webhooks", "url": receiver.URL + "/*", "type": "document.sent"}))
		sent(t, c, 1)
		found := c.Get(t, "/test/webhooks?wait=5s&type=document.sent").Want(t, 200)
		state := "waiting"
		if x.lasts {
			state = "failed"
		}
		if found.Text(t, "data.0.status") != state || x.status != 0 && found.Int(t, "data.0.status_code") != x.status {
			t.Errorf("%v: the delivery is %s", x.fault, found.Body)
		}
		if x.why != "" && (found.At(t, "data.0.status_code") != nil || found.Text(t, "data.0.error") != map[string]string{
			"refused": "The receiver refused the connection.", "timeout": "The receiver didn't respond in time.",
			"reset": "The receiver closed the connection."}[x.why]) {
			t.Errorf("%v: the delivery failed because %v", x.fault, found.At(t, "data.0.error"))
		}
		if found.At(t, "data.0.request.headers").(obj)["Webhook-Signature"] == "" {
			t.Errorf("%v: no signature", x.fault)
		}
		if c.Get(t, "/webhooks/"+id).Want(t, 200).At(t, "enabled") != !x.lasts {
			t.Errorf("%v: the webhook is paused or not", x.fault)
		}
		c.Post(t, "/test/clock", obj{"advance": "1h"}).Want(t, 200)
		late := c.Get(t, "/test/webhooks?type=document.sent").Want(t, 200)
		if delivered := late.Text(t, "data.0.status") == "delivered"; delivered == x.lasts {
			t.Errorf("%v: later the delivery is %s", x.fault, late.Body)
		}
		want := before + 2
		if x.lasts {
			want-- // of the document's creation
		}
		if posted.Load() != want {
			t.Errorf("%v: the receiver got %d messages", x.fault, posted.Load()-before)
		}
	}
	faulty(t, company(), obj{"target": "webhooks"})
	sent(t, other, 1)
	if found := other.Get(t, "/test/webhooks?wait=5s&type=document.sent").Want(t, 200); found.Text(t, "data.0.status") != "delivered" {
		t.Errorf("the fault of another company: %s", found.Body)
	}
}

func TestFaultsOfTimestamps(t *testing.T) {
	t.Parallel()
	c, other := testCompany(t, obj{}), testCompany(t, obj{})
	d := draft(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	faulty(t, c, obj{"target": "timestamps"})
	if refused := failed(t, c.Post(t, at+"/send", nil), 503); refused.Text(t, "code") != "timestamp_unavailable" {
		t.Errorf("sending without a timestamp: %s", refused.Body)
	}
	c.Post(t, at+"/send", nil).Want(t, 200)
	faulty(t, c, obj{"target": "timestamps", "answer": "timeout"}) // the signature goes without, the seal covers it
	completed(t, other)
	signed := c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	if signed.Text(t, "status") != "completed" {
		t.Errorf("signed without a timestamp: %s", signed.Body)
	}
	if all := c.Get(t, "/test/faults").Want(t, 200); all.Int(t, "data.0.hits") != 1 || all.Int(t, "data.1.hits") != 1 {
		t.Errorf("the faults are %s", all.Body)
	}
}

func TestFaultsOfSealing(t *testing.T) {
	t.Parallel()
	c, other := testCompany(t, obj{}), testCompany(t, obj{})
	faulty(t, c, obj{"target": "sealing", "times": 2})
	d := completed(t, c)
	at := "/documents/" + d.Text(t, "id")
	if d.Text(t, "status") != "sent" || d.Text(t, "attention") != "sealing" {
		t.Errorf("the document is %s", d.Body)
	}
	if d := completed(t, other); d.Text(t, "status") != "completed" {
		t.Errorf("elsewhere the document is %s", d.Body)
	}
	if mail := c.Get(t, "/test/outbox?kind=sealing_delayed").Want(t, 200); mail.Int(t, "meta.total") != 1 {
		t.Errorf("the owner is told %s", mail.Body)
	}
	c.Post(t, "/test/clock", obj{"advance": "1h"}).Want(t, 200)
	if d := c.Get(t, at).Want(t, 200); d.Text(t, "status") != "completed" || d.At(t, "attention") != nil {
		t.Errorf("later the document is %s", d.Body)
	}
	if all := c.Get(t, "/test/faults").Want(t, 200); all.Int(t, "data.0.hits") != 2 {
		t.Errorf("the fault is %s", all.Body)
	}
}

// TestFaultsOfTheDisk refuses every change of a company for lack of room, and leaves nothing of it.
func TestFaultsOfTheDisk(t *testing.T) {
	t.Parallel()
	c, other := testCompany(t, obj{}), testCompany(t, obj{})
	d := sent(t, c, 2)
	sign := "/documents/" + d.Text(t, "id") + "/" + d.Text(t, "invitations.0.id") + "/sign"
	file := apptest.Multipart(t, obj{}, apptest.File{Name: "more.pdf", Content: apptest.PDF(t, "More.")})
	open := draft(t, c, 1)
	upload := "/documents/" + open.Text(t, "id") + "/upload"
	full := func(r *apptest.Response) {
		t.Helper()
		if failed(t, r, http.StatusInsufficientStorage); r.Text(t, "code") != "no_space" {
			t.Errorf("%s: %s", r.What, r.Body)
		}
	}
	faulty(t, c, obj{"target": "disk", "times": 4})
	full(c.Post(t, "/documents", obj{"title": "Lease"}))
	full(c.Post(t, upload, file))
	full(c.Post(t, sign, obj{}))
	other.Post(t, "/documents", obj{"title": "Lease"}).Want(t, 201)
	c.Get(t, "/documents").Want(t, 200)
	full(c.Post(t, "/contacts", obj{"name": "Ben", "email": "ben@example.org"}))
	if all := c.Get(t, "/test/faults").Want(t, 200); all.Int(t, "data.0.hits") != 4 {
		t.Errorf("the fault is %s", all.Body)
	}
	now := c.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200)
	if c.Get(t, "/documents").Int(t, "meta.total") != 2 || len(c.Get(t, "/documents/"+open.Text(t, "id")).At(t, "files").(list)) != 1 ||
		slices.Contains(now.Texts(t, "invitations", "status"), "signed") {
		t.Errorf("something was changed: %s", now.Body)
	}
	c.Post(t, upload, file).Want(t, 201)
	c.Post(t, sign, obj{}).Want(t, 200)
}

// TestFaultsOfOthersInput asks for what can't happen to a target.
func TestFaultsOfOthersInput(t *testing.T) {
	t.Parallel()
	c := testCompany(t, obj{})
	for _, x := range []struct {
		fault obj
		wrong string
	}{
		{obj{"target": "moon"}, "target"},
		{obj{"target": "mail", "path": "/documents"}, "path"},
		{obj{"target": "mail", "status": 503}, "status"},
		{obj{"target": "mail", "answer": "broken"}, "answer"},
		{obj{"target": "webhooks", "status": 200}, "status"},
		{obj{"target": "webhooks", "status": 500, "answer": "timeout"}, "status"},
		{obj{"target": "webhooks", "to": "ben@example.org"}, "to"},
		{obj{"target": "timestamps", "answer": "cut"}, "answer"},
		{obj{"target": "sealing", "delay": "90s"}, "delay"},
		{obj{"target": "disk", "answer": "refused"}, "answer"},
		{obj{"target": "disk", "delay": "1s"}, "delay"},
		{obj{"status": 503, "kind": "invitation"}, "kind"},
	} {
		failed(t, c.Post(t, "/test/faults", x.fault), 422, x.wrong)
	}
	if all := c.Get(t, "/test/faults").Want(t, 200); len(all.At(t, "data").(list)) != 0 {
		t.Errorf("the faults are %s", all.Body)
	}
}
