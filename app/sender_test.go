package app_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/names"
)

// TestSenderIsLookedUp asks DNS about the domain of mail.from, in the API, on the page and by the doctor.
func TestSenderIsLookedUp(t *testing.T) {
	t.Parallel()
	dns := names.Serve(t, map[string][]string{"acme.example": {"v=spf1 mx ~all"}, "_dmarc.acme.example": {"v=DMARC1; p=none"}, "s1._domainkey.acme.example": {"v=DKIM1; p="}})
	post := newPostOffice(t)
	port, err := strconv.Atoi(post.port())
	if err != nil {
		t.Fatal(err)
	}
	configure := func(c *app.Config) {
		c.Mail.Host, c.Mail.Port, c.Mail.TLS, c.Mail.From, c.Mail.DKIMSelector = "127.0.0.1", port, "none", "Contracts <contracts@Acme.example>", "s1"
		c.Network.Egress, c.Network.DNS = []string{"127.0.0.1"}, dns.Address
	}
	s := apptest.New(t, configure)
	c := administrator(t, s)
	r := c.Get(t, "/installation/mail/sender").Want(t, 200)
	if r.Text(t, "domain") != "acme.example" || r.At(t, "asked") != true || r.At(t, "message") != nil {
		t.Errorf("the response is %s", r.Body)
	}
	for i, want := range []string{"spf_fine", "dkim_revoked", "dmarc_none"} {
		if got := r.Text(t, "records."+strconv.Itoa(i)+".code"); got != want {
			t.Errorf("%s, want %s: %s", got, want, r.Body)
		}
	}
	if !strings.Contains(r.Text(t, "records.1.remedy"), "another key") || r.At(t, "records.0.remedy") != nil || r.Text(t, "records.0.found.0") != "v=spf1 mx ~all" {
		t.Errorf("the advice is %s", r.Body)
	}
	before := dns.Asked.Load()
	s.Company(t).Get(t, "/installation/mail/sender").Want(t, 404)
	if dns.Asked.Load() != before {
		t.Error("anyone can cause DNS queries")
	}
}

// TestDoctorLooksUpTheSender reports what is missing, with or without a server.
func TestDoctorLooksUpTheSender(t *testing.T) {
	t.Parallel()
	dns := names.Serve(t, map[string][]string{"acme.example": {"v=spf1 mx ~all"}})
	data := filepath.Join(t.TempDir(), "data")
	p := serve(t, data)
	p.stop()
	settings := []string{"mail.host=127.0.0.1", "mail.port=" + closedPort(t), "mail.tls=none", "mail.from=contracts@acme.example", "network.egress=127.0.0.1"}
	f := findings(t, 1, data, append(settings, "network.dns="+dns.Address)...)["sender"]
	for _, want := range []string{"SPF: acme.example lists", "DKIM was not checked", "DMARC: acme.example has no policy."} {
		if f.State != "warning" || !strings.Contains(f.Text, want) {
			t.Errorf("without %q: %+v", want, f)
		}
	}
	if !strings.Contains(f.Remedy, "_dmarc.acme.example") {
		t.Errorf("the remedy is %q", f.Remedy)
	}
	if f := findings(t, 1, data, settings...)["sender"]; f.State != "skipped" || !strings.Contains(f.Text, "network.dns") {
		t.Errorf("without DNS: %+v", f)
	}
	local := findings(t, 1, data, "mail.host=127.0.0.1", "mail.port="+closedPort(t), "mail.tls=none")["sender"]
	if local.State != "warning" || !strings.Contains(local.Text, "localhost") {
		t.Errorf("a local domain: %+v", local)
	}
}

// TestSenderIsNotLookedUpUnlessAllowed tries all configurations that must not cause DNS queries.
func TestSenderIsNotLookedUpUnlessAllowed(t *testing.T) {
	t.Parallel()
	post := newPostOffice(t)
	for _, x := range []struct {
		change func(*app.Config)
		want   string
	}{
		{func(*app.Config) {}, "Set network.dns"},
		{func(c *app.Config) { c.Mail.From = "Paraph <paraph@localhost>" }, "is not public"},
		{func(c *app.Config) { c.Mail.Host = "" }, "No mail is sent"},
	} {
		s := apptest.New(t, func(c *app.Config) {
			port, err := strconv.Atoi(post.port())
			if err != nil {
				t.Error(err)
			}
			c.Mail.Host, c.Mail.Port, c.Mail.TLS, c.Mail.From = "127.0.0.1", port, "none", "Contracts <contracts@acme.example>"
			c.Network.Egress = []string{"127.0.0.1"}
			x.change(c)
		})
		if r := administrator(t, s).Get(t, "/installation/mail/sender").Want(t, 200); r.At(t, "asked") != false || !strings.Contains(r.Text(t, "message"), x.want) {
			t.Errorf("%s: %s", x.want, r.Body)
		}
	}
}
