package app_test

import (
	"bufio"
	"net"
	"net/mail"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// strictOffice is a mail server that accepts good addresses and rejects others with
// various errors.
func strictOffice(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go serveStrictly(textproto.NewConn(c))
		}
	}()
	return ln.Addr().String()
}

func serveStrictly(c *textproto.Conn) {
	defer c.Close()
	say := func(line string) bool { return c.PrintfLine("%s", line) == nil }
	for ok := say("220 strict"); ok; {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		switch upper := strings.ToUpper(line); {
		case strings.HasPrefix(upper, "RCPT") && strings.Contains(line, "bad@"):
			ok = say("550 5.1.1 nobody of that name lives here")
		case strings.HasPrefix(upper, "RCPT") && strings.Contains(line, "later@"):
			ok = say("451 4.3.0 come back later")
		case upper == "DATA":
			say("354 go on")
			if _, err := c.ReadDotBytes(); err != nil {
				return
			}
			ok = say("250 2.0.0 taken as number 17")
		case upper == "QUIT":
			say("221 bye")
			return
		default:
			ok = say("250 fine")
		}
	}
}

func withServer(address string) func(*app.Config) {
	return func(c *app.Config) {
		host, port, _ := strings.Cut(address, ":")
		c.Mail.Host, c.Mail.TLS, c.Mail.From = host, "none", "Paraph <paraph@company.example>"
		c.Mail.Port, _ = strconv.Atoi(port)
		c.Network.Egress = []string{host}
	}
}

// sendTo sends a document to a person, and returns its identifier.
func sendTo(t *testing.T, c *apptest.Client, email string) string {
	t.Helper()
	data := apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{apptest.Map{"name": "Ben Buyer", "email": email}}}
	return c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 201).Text(t, "id")
}

func settle(t *testing.T, s *apptest.Server) {
	t.Helper()
	if err := s.Test.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
}

// refused checks the code of a refusal.
func refused(t *testing.T, r *apptest.Response, status int, code string) {
	t.Helper()
	if r.Want(t, status); r.Text(t, "code") != code {
		t.Errorf("%s: %s, want %s", r.What, r.Body, code)
	}
}

func TestOutbox(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withServer(strictOffice(t)))
	c := s.Company(t)
	good, bad, late := sendTo(t, c, "good@signer.example"), sendTo(t, c, "bad@signer.example"), sendTo(t, c, "later@signer.example")
	settle(t, s)
	invitations := func(query string) *apptest.Response { return c.Get(t, "/outbox?"+query).Want(t, 200) }
	for document, want := range map[string][2]string{good: {"sent", "2.0.0 taken as number 17"}, bad: {"failed", "nobody of that name lives here"}, late: {"queued", "come back later"}} {
		r := invitations("document_id=" + document + "&search=" + map[string]string{good: "good", bad: "bad", late: "later"}[document])
		if r.Int(t, "meta.total") != 1 || r.Text(t, "data.0.status") != want[0] || r.Text(t, "data.0.kind") != "invitation" || r.Int(t, "data.0.attempts") != 1 {
			t.Fatalf("%s: %s", want[0], r.Body)
		}
		words, _ := r.At(t, "data.0.last_error").(string)
		if want[0] == "sent" {
			words = r.Text(t, "data.0.reply")
		}
		if !strings.Contains(words, want[1]) {
			t.Errorf("%s says %q, want %q", want[0], words, want[1])
		}
	}
	if r := invitations("status=failed,queued&search=&sort=created_at%7Casc"); !slices.Equal(r.Texts(t, "data", "to"), []string{"bad@signer.example", "later@signer.example"}) {
		t.Errorf("failed and queued: %s", r.Body)
	}
	failedOne, queued := invitations("status=failed").Text(t, "data.0.id"), invitations("status=queued").Text(t, "data.0.id")
	sent := invitations("status=sent&search=good").Text(t, "data.0.id")

	one := c.Get(t, "/outbox/"+sent).Want(t, 200)
	if !strings.Contains(one.Text(t, "text"), "/s/") || len(one.At(t, "links").(apptest.List)) != 1 {
		t.Errorf("one message: %s", one.Body)
	}
	eml := c.Get(t, "/outbox/"+sent+"/source.eml").Want(t, 200)
	m, err := mail.ReadMessage(bufio.NewReader(strings.NewReader(string(eml.Body))))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Header.Get("To"), "good@signer.example") || !strings.HasPrefix(m.Header.Get("Message-Id"), "<"+sent) || !strings.HasPrefix(m.Header.Get("Content-Type"), "multipart/alternative") {
		t.Errorf("source: %v", m.Header)
	}

	refused(t, c.Post(t, "/outbox/"+sent+"/retry", nil), 409, "message_sent")
	refused(t, c.Post(t, "/outbox/"+sent+"/cancel", nil), 409, "message_not_queued")
	if r := c.Post(t, "/outbox/"+queued+"/cancel", nil).Want(t, 200); r.Text(t, "status") != "cancelled" {
		t.Errorf("cancelled: %s", r.Body)
	}
	s.Advance(t, "1h")
	if r := c.Get(t, "/outbox/"+queued).Want(t, 200); r.Text(t, "status") != "cancelled" || r.Int(t, "attempts") != 1 {
		t.Errorf("a cancelled message was tried: %s", r.Body)
	}
	for _, id := range []string{failedOne, queued} {
		c.Post(t, "/outbox/"+id+"/retry", nil).Want(t, 200)
	}
	settle(t, s)
	for id, want := range map[string]string{failedOne: "failed", queued: "queued"} {
		if r := c.Get(t, "/outbox/"+id).Want(t, 200); r.Text(t, "status") != want || r.Int(t, "attempts") != 2 {
			t.Errorf("tried again: %s", r.Body)
		}
	}
	for _, query := range []string{"status=nope", "sort=to%7Casc", "per_page=0"} {
		c.Get(t, "/outbox?"+query).Want(t, 422)
	}
	if r := invitations("status=archived,deleted"); r.Int(t, "meta.total") != 0 {
		t.Errorf("archived: %s", r.Body)
	}
	all, page := invitations("per_page=100"), invitations("status=active&per_page=2&page=2")
	if got, want := page.Texts(t, "data", "id"), all.Texts(t, "data", "id")[2:4]; !slices.Equal(got, want) {
		t.Errorf("page two is %v, want %v", got, want)
	}
	if problems := s.Check(t.Context(), false); len(problems) != 0 {
		t.Errorf("check reports %v", problems)
	}
}

func TestOutboxWalls(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c, other := s.Company(t), s.Company(t)
	sendTo(t, c, "ben@signer.example")
	c.Post(t, "/email/reverify", apptest.Map{}).Want(t, 202)
	settle(t, s)
	r := c.Get(t, "/outbox").Want(t, 200)
	if r.Int(t, "meta.total") != 1 { // the invitation; the check of the owner's address is the installation's
		t.Fatalf("the outbox holds %s", r.Body)
	}
	id := r.Texts(t, "data", "id")[slices.Index(r.Texts(t, "data", "kind"), "invitation")]
	for _, path := range []string{"", "/source.eml"} {
		other.Get(t, "/outbox/"+id+path).Want(t, 404)
		c.Member(t, account.RoleMember).Get(t, "/outbox/"+id+path).Want(t, 403)
	}
	for _, act := range []string{"/retry", "/cancel", "/reveal"} {
		other.Post(t, "/outbox/"+id+act, nil).Want(t, 404)
	}
	if r := other.Get(t, "/outbox").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("another company's outbox holds %s", r.Body)
	}
	refused(t, c.Post(t, "/outbox/"+id+"/retry", nil), 409, "mail_not_configured")
	refused(t, c.Post(t, "/outbox/test", nil), 409, "mail_not_configured")
	s.Advance(t, "31d")
	c = s.Login(t, c.Email)
	if r := c.Get(t, "/outbox").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("after a month the outbox still holds %s", r.Body)
	}
}

func TestTestMessage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withServer(strictOffice(t)))
	c := s.Company(t)
	if r := c.Post(t, "/outbox/test", apptest.Map{"email": "me@signer.example"}).Want(t, 200); !strings.Contains(r.Text(t, "reply"), "taken as number 17") {
		t.Errorf("the server said %s", r.Body)
	}
	c.Post(t, "/outbox/test", nil).Want(t, 200)
	r := c.Post(t, "/outbox/test", apptest.Map{"email": "bad@signer.example"})
	if refused(t, r, 409, "mail_not_sent"); !strings.Contains(r.Text(t, "message"), "550") || !strings.Contains(r.Text(t, "message"), "nobody of that name lives here") {
		t.Errorf("the server's error is missing: %s", r.Body)
	}
	c.Post(t, "/outbox/test", apptest.Map{"email": "nobody"}).Want(t, 422)
	c.Member(t, account.RoleMember).Post(t, "/outbox/test", nil).Want(t, 403)
	for range 3 {
		c.Post(t, "/outbox/test", nil).Want(t, 200)
	}
	c.Post(t, "/outbox/test", nil).Want(t, 429)
}

// TestBouncedInvitationNeedsAttention bounces an invitation that the mail server accepted at first.
func TestBouncedInvitationNeedsAttention(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withServer(strictOffice(t)))
	c, other := s.Company(t), s.Company(t)
	document := sendTo(t, c, "good@signer.example")
	settle(t, s)
	id := c.Get(t, "/outbox?document_id="+document+"&search=good").Want(t, 200).Text(t, "data.0.id")
	report := "From: MAILER-DAEMON@mx.example\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b1\r\n\r\n" +
		"--b1\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n" +
		"Final-Recipient: rfc822; good@signer.example\r\nAction: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; 552 5.2.2 the box is full\r\n\r\n" +
		"--b1\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <" + id + "@company.example>\r\nSubject: Lease\r\n\r\nText\r\n--b1--\r\n"
	body := func(text string) apptest.Raw { return apptest.Raw{Type: "message/rfc822", Body: []byte(text)} }
	other.Post(t, "/outbox/bounces", body(report)).Want(t, 404)
	c.Member(t, account.RoleMember).Post(t, "/outbox/bounces", body(report)).Want(t, 403)
	refused(t, c.Post(t, "/outbox/bounces", body("Subject: hello\r\n\r\nhello")), 409, "not_a_delivery_report")
	for range 2 {
		if r := c.Post(t, "/outbox/bounces", body(report)).Want(t, 200); r.Text(t, "status") != "bounced" || r.Text(t, "last_error") != "552 5.2.2 the box is full" {
			t.Errorf("the message is %s", r.Body)
		}
	}
	if r := c.Get(t, "/documents/"+document).Want(t, 200); r.Text(t, "attention") != "mail_failed" {
		t.Errorf("the document is %s", r.Body)
	}
	events := c.Get(t, "/documents/"+document+"/events?per_page=100").Want(t, 200)
	if n := strings.Count(string(events.Body), `"invitation.bounced"`); n != 1 || !strings.Contains(string(events.Body), "the box is full") {
		t.Errorf("found %d times in %s", n, events.Body)
	}
}
