package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// TestWebhookPages takes a webhook from creation to deletion with forms alone.
func TestWebhookPages(t *testing.T) {
	t.Parallel()
	var works atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !works.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, "<b>the receiver's words</b>")
	}))
	t.Cleanup(receiver.Close)
	s := apptest.New(t, func(c *app.Config) {
		c.Webhooks.AllowPrivate, c.Network.Egress, c.Webhooks.Attempts = true, []string{"any"}, 1
	})
	c := s.Company(t)
	v := browse(t, c)
	if status, html := v.send("/app/settings/webhooks", "url", "example.org", "which", "some", "event.document.sent", "yes"); status != http.StatusUnprocessableEntity {
		t.Errorf("a bad address: %d", status)
	} else {
		v.contains(html, "full address", `value="example.org"`, `name="event.document.sent" value="yes" checked`, `value="some" checked`)
	}
	status, html := v.send("/app/settings/webhooks", "url", receiver.URL+"/hooks?a=1&b=it's", "which", "some", "event.document.created", "yes", "event.document.sent", "yes")
	secret := regexp.MustCompile(`id="secret"[^>]*>(whsec_[^<]+)<`).FindStringSubmatch(html)
	if status != http.StatusCreated || secret == nil {
		t.Fatalf("after adding: %d %.2000s", status, html)
	}
	v.contains(html, "document.created, document.sent", "Nothing sent yet")
	if _, again := v.get("/app/settings/webhooks"); strings.Contains(again, "whsec_") {
		t.Error("the secret is shown again")
	}
	at := "/app/settings/webhooks/" + c.Get(t, "/webhooks").Text(t, "data.0.id")
	_, html = v.send(at + "/test")
	v.contains(html, "accept the test. See below", "503 Service Unavailable", "&lt;b&gt;the receiver", "webhook.test", "Webhook-Signature", `b=it&#39;\&#39;&#39;s`)
	c.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, http.StatusCreated)
	if err := s.Test.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	_, html = v.get(at + "?status=failed")
	v.contains(html, "document.created", "Failing", "Resend 2 failed", "0% of 2 attempts")
	works.Store(true)
	_, html = v.send(at + "/redeliver")
	v.contains(html, "Messages being resent: 2.")
	if err := s.Test.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	_, html = v.get(at + "?status=delivered")
	v.contains(html, "Working", "200 OK", "50% of 4 attempts")
	_, html = v.get(at + "?status=waiting")
	v.contains(html, "No matching deliveries")
	delivery := regexp.MustCompile(at + `/deliveries/[0-9A-Z]+`).FindString(v.must(at))
	if _, html := v.send(delivery + "/redeliver"); !strings.Contains(html, "The message is being resent.") {
		t.Errorf("after sending again: %.1000s", html)
	}
	_, html = v.send(at+"/pause", "x", "y")
	v.contains(html, "The webhook is paused", "Paused", "Enable")
	if status, html := v.send(delivery + "/redeliver"); status != http.StatusConflict || !strings.Contains(html, "Enable it first") {
		t.Errorf("while it is paused: %d", status)
	}
	_, html = v.send(at + "/enable")
	v.contains(html, "The webhook is enabled")
	_, html = v.send(at, "url", receiver.URL, "which", "all")
	v.contains(html, "The webhook has been saved", "All events")
	v.contains(v.must(at+"/rotate"), "Create a new secret")
	_, html = v.send(at + "/rotate")
	if fresh := regexp.MustCompile(`id="secret"[^>]*>(whsec_[^<]+)<`).FindStringSubmatch(html); fresh == nil || fresh[1] == secret[1] {
		t.Errorf("the new secret is %v", fresh)
	}
	v.contains(v.must(at+"/delete"), "This can&#39;t be undone")
	_, html = v.send(at + "/delete")
	v.contains(html, "The webhook has been deleted", "No webhooks yet")
	if status, _ := v.get(at); status != http.StatusNotFound {
		t.Errorf("it is still there: %d", status)
	}
}

// must returns a page that has to exist.
func (v *visitor) must(path string) string {
	v.t.Helper()
	status, html := v.get(path)
	if status != http.StatusOK {
		v.t.Fatalf("%s: %d %.500s", path, status, html)
	}
	return html
}

// TestWebhookPagesAreForAdministrators opens them in other roles, and those of
// another company.
func TestWebhookPagesAreForAdministrators(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	id := c.Post(t, "/webhooks", apptest.Map{"url": "https://hooks.example/"}).Want(t, http.StatusCreated).Text(t, "id")
	member := browse(t, c.Member(t, account.RoleMember))
	stranger := browse(t, s.Company(t))
	for _, path := range []string{"/" + id, "/" + id + "/rotate", "/" + id + "/delete"} {
		if status, _ := member.get("/app/settings/webhooks" + path); status != http.StatusForbidden {
			t.Errorf("a member gets %d from %s", status, path)
		}
		if status, _ := stranger.get("/app/settings/webhooks" + path); status != http.StatusNotFound {
			t.Errorf("a stranger gets %d from %s", status, path)
		}
	}
	for _, path := range []string{"", "/" + id, "/" + id + "/pause", "/" + id + "/test", "/" + id + "/rotate", "/" + id + "/redeliver", "/" + id + "/delete"} {
		if status, _ := member.send("/app/settings/webhooks"+path, "url", "https://hooks.example/x"); status != http.StatusForbidden {
			t.Errorf("a member may post to %s: %d", path, status)
		}
		if path == "" {
			continue
		}
		if status, _ := stranger.send("/app/settings/webhooks"+path, "url", "https://hooks.example/x"); status != http.StatusNotFound {
			t.Errorf("a stranger may post to %s: %d", path, status)
		}
	}
	if r := c.Get(t, "/webhooks/"+id).Want(t, http.StatusOK); r.At(t, "enabled") != true || r.Text(t, "url") != "https://hooks.example/" {
		t.Errorf("it was changed: %s", r.Body)
	}
}
