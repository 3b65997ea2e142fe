package web_test

import (
	"fmt"
	"net/http"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestMailServerPage sets the mail server by forms alone.
func TestMailServerPage(t *testing.T) {
	t.Parallel()
	p := openPostOffice(t)
	s := apptest.New(t, func(c *app.Config) { c.Network.Egress = []string{"127.0.0.1"} })
	owner := s.Company(t)
	v := browse(t, owner)
	if status, _ := v.get("/admin/mail"); status != http.StatusNotFound {
		t.Errorf("somebody else sees the page: %d", status)
	}
	if status, _ := v.send("/admin/mail/off"); status != http.StatusNotFound {
		t.Errorf("somebody else turns mail off: %d", status)
	}
	if err := s.Accounts.Companies.SetInstallation(owner.Email, true); err != nil {
		t.Fatal(err)
	}
	_, html := v.get("/app/settings/email")
	v.contains(html, `href="/admin/mail"`)
	_, html = v.get("/admin/mail")
	v.contains(html, "No mail server is configured", `name="host"`)
	form := []string{"host", "127.0.0.1", "port", fmt.Sprint(p.port), "tls", "none", "from", "Contracts <contracts@acme.example>", "username", "", "password", "", "email", "ann@acme.example"}
	_, html = v.send("/admin/mail/test", form...)
	v.contains(html, "The mail server accepted the message", "← 220 post.example", "→ RCPT TO:&lt;ann@acme.example&gt;", "← 250 Safe in the bag as 4711")
	p.refuses.Store(true)
	_, html = v.send("/admin/mail/test", form...)
	v.contains(html, "The message was not sent", "← 550 5.1.1 Nobody of that name lives here")
	_, html = v.send("/admin/mail", form...)
	v.contains(html, "Messages are sent through this server", `value="127.0.0.1"`, `action="/admin/mail/off"`)
	if status, html := v.send("/admin/mail", "host", "http://x", "tls", "none", "from", "nobody"); status != http.StatusUnprocessableEntity {
		t.Errorf("a host that is none: %d", status)
	} else {
		v.contains(html, "must be the name or address of a server", "must be a valid email address")
	}
	_, html = v.send("/admin/mail/off")
	v.contains(html, "Mail is turned off", "No mail server is configured")
}
