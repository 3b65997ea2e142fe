package app_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// mayMail allows connections to mail servers on this machine, and configures none.
func mayMail(c *app.Config) {
	withoutMail(c)
	c.Network.Egress = []string{"127.0.0.1"}
}

// administrator returns the owner of a new company who may administer the installation.
func administrator(t *testing.T, s *apptest.Server) *apptest.Client {
	t.Helper()
	c := s.Company(t)
	if err := s.Accounts.Companies.SetInstallation(c.Email, true); err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *postOffice) settings(more apptest.Map) apptest.Map {
	port, err := strconv.Atoi(p.port())
	if err != nil {
		panic(err)
	}
	m := apptest.Map{"host": "127.0.0.1", "port": port, "tls": "none", "from": "Contracts <contracts@acme.example>"}
	for name, value := range more {
		m[name] = value
	}
	return m
}

// mailStates returns the states of the messages about a document.
func mailStates(t *testing.T, c *apptest.Client, document string) []string {
	t.Helper()
	return c.Get(t, "/outbox?document_id="+document).Want(t, 200).Texts(t, "data", "status")
}

// awaitStatus waits until all messages about a document have a status.
func awaitStatus(t *testing.T, c *apptest.Client, document, status string) {
	t.Helper()
	patience.Until(t, "every message is "+status, func() (string, bool) {
		all := mailStates(t, c, document)
		return strings.Join(all, " "), len(all) > 0 && !slices.ContainsFunc(all, func(s string) bool { return s != status })
	})
}

// TestMailServerIsSetInTheWebApp turns mail on and off while the server runs.
func TestMailServerIsSetInTheWebApp(t *testing.T) {
	t.Parallel()
	dir, clock, post := t.TempDir(), app.NewClock(), newPostOffice(t)
	s, err := apptest.StartIn(dir, clock, mayMail)
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	t.Cleanup(func() {
		if !closed {
			s.Close()
		}
	})
	c := administrator(t, s)
	const at = "/installation/mail"
	if v := c.Get(t, at).Want(t, 200); v.At(t, "host") != nil || v.At(t, "configured") != false {
		t.Errorf("before: %s", v.Body)
	}
	before := sendWith(t, c, apptest.Map{})
	awaitStatus(t, c, before.document, "kept")
	coded := apptest.Map{"title": "Lease", "invitations": apptest.List{apptest.Map{"name": "Ben", "email": "ben@signer.example", "authentication": "email_code"}}}
	c.Post(t, "/documents", coded).Want(t, 422)

	set := c.Put(t, at, post.settings(apptest.Map{"username": "paraph", "password": "a secret of ours"})).Want(t, 200)
	if bytes.Contains(set.Body, []byte("secret of ours")) || set.At(t, "password") != true {
		t.Errorf("the response is %s", set.Body)
	}
	c.Put(t, at, post.settings(apptest.Map{"username": "paraph"})).Want(t, 200)
	moved := post.settings(apptest.Map{"username": "paraph", "host": "localhost"})
	if r := c.Put(t, at, moved).Want(t, 422); !strings.Contains(string(r.Body), "host_not_allowed") || !strings.Contains(string(r.Body), `"password"`) {
		t.Errorf("changing the host without the password: %s", r.Body)
	}
	c.Put(t, at, post.settings(nil)).Want(t, 200)
	tried := c.Post(t, at+"/test", apptest.Map{"email": "ann@acme.example"}).Want(t, 200)
	if lines := tried.Texts(t, "lines", "text"); tried.At(t, "accepted") != true || !slices.Contains(lines, "220 post office") || !slices.Contains(lines, "RCPT TO:<ann@acme.example>") {
		t.Errorf("the test says %s", tried.Body)
	}
	if r := c.Post(t, at+"/test", apptest.Map{"server": post.settings(apptest.Map{"tls": "starttls"})}).Want(t, 200); r.At(t, "accepted") != false || r.Text(t, "error") == "" {
		t.Errorf("a server without encryption: %s", r.Body)
	}
	sent := sendWith(t, c, apptest.Map{})
	awaitStatus(t, c, sent.document, "sent")
	c.Post(t, "/documents", coded).Want(t, 201)
	if r := c.Post(t, "/outbox/"+c.Get(t, "/outbox?document_id="+before.document).Text(t, "data.0.id")+"/retry", nil); r.Status != 200 {
		t.Errorf("sending what was kept: %d", r.Status)
	}
	awaitStatus(t, c, before.document, "sent")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	closed = true
	noPassword(t, dir)
	restarted(t, dir, clock, post, c, sent)
}

// noPassword checks that the records do not contain the password.
func noPassword(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "kv", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if raw, err := os.ReadFile(name); err == nil && bytes.Contains(raw, []byte("secret of ours")) {
			t.Errorf("%s contains the password", name)
		}
	}
}

// restarted starts the server again, and turns mail off while the mail server is away.
func restarted(t *testing.T, dir string, clock *app.Clock, post *postOffice, owner *apptest.Client, sent asked) {
	t.Helper()
	s, err := apptest.StartIn(dir, clock, mayMail)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	c := s.Login(t, owner.Email)
	if v := c.Get(t, "/installation/mail").Want(t, 200); v.Text(t, "host") != "127.0.0.1" {
		t.Fatalf("after the restart: %s", v.Body)
	}
	c.Put(t, "/installation/mail", post.settings(apptest.Map{"port": 1})).Want(t, 200) // without a listener
	late := sendWith(t, c, apptest.Map{})
	awaitStatus(t, c, late.document, "queued")
	member := c.Member(t, "member")
	s.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": member.Email}).Want(t, 202)
	c.Delete(t, "/installation/mail").Want(t, 204)
	awaitStatus(t, c, late.document, "kept")
	patience.Until(t, "the password link is kept", func() (string, bool) {
		reveal := heldFor(t, c, member.Email)
		return reveal, reveal != ""
	})
	c.Post(t, heldFor(t, c, member.Email), nil).Want(t, 200)
	if page := string(c.Get(t, "/app/settings/email", "Cookie", "paraph_session="+c.Token).Want(t, 200).Body); !strings.Contains(page, "No mail server is configured") {
		t.Error("the page does not say that there is no mail server")
	}
}

// TestConfiguredMailServerWins checks that the web app cannot change what the configuration sets.
func TestConfiguredMailServerWins(t *testing.T) {
	t.Parallel()
	post := newPostOffice(t)
	s := apptest.New(t, func(c *app.Config) {
		c.Mail.Host, c.Mail.TLS, c.Network.Egress = "127.0.0.1", "none", []string{"127.0.0.1"}
		c.Mail.Port, _ = strconv.Atoi(post.port())
	})
	c := administrator(t, s)
	if v := c.Get(t, "/installation/mail").Want(t, 200); v.At(t, "configured") != true || v.Text(t, "host") != "127.0.0.1" {
		t.Errorf("%s", v.Body)
	}
	refused(t, c.Put(t, "/installation/mail", post.settings(nil)), 409, "mail_server_configured")
	refused(t, c.Delete(t, "/installation/mail"), 409, "mail_server_configured")
	refused(t, c.Post(t, "/installation/mail/test", apptest.Map{"server": post.settings(nil)}), 409, "mail_server_configured")
	c.Post(t, "/installation/mail/test", nil).Want(t, 200)
	page := string(c.Get(t, "/admin/mail", "Cookie", "paraph_session="+c.Token).Want(t, 200).Body)
	if !strings.Contains(page, "is set in the configuration") || strings.Contains(page, `name="host"`) {
		t.Error("the page does not say that the configuration wins")
	}
}

// TestOnlyAdministratorsSeeTheMailServer tries everyone except the administrators of the installation.
func TestOnlyAdministratorsSeeTheMailServer(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, mayMail, func(c *app.Config) { c.Server.TestControls = true })
	admin, owner := administrator(t, s), s.Company(t)
	token := s.With(admin.Post(t, "/tokens", apptest.Map{"name": "x", "scopes": apptest.List{"read", "write", "sign", "admin"}}).Want(t, 201).Text(t, "token"))
	for _, c := range []*apptest.Client{owner, token} {
		c.Get(t, "/installation/mail").Want(t, 404)
		c.Put(t, "/installation/mail", apptest.Map{"host": "127.0.0.1"}).Want(t, 404)
		c.Delete(t, "/installation/mail").Want(t, 404)
		c.Post(t, "/installation/mail/test", apptest.Map{"server": apptest.Map{"host": "x"}}).Want(t, 404)
	}
	owner.Get(t, "/admin/mail", "Cookie", "paraph_session="+owner.Token).Want(t, 404)
	s.Advance(t, "10m")
	refused(t, admin.Put(t, "/installation/mail", apptest.Map{"host": "127.0.0.1"}), http.StatusForbidden, "proof_required")
	admin.Put(t, "/installation/mail", apptest.Map{"host": "127.0.0.1", "tls": "none", "current_password": apptest.Password}).Want(t, 200)
}
