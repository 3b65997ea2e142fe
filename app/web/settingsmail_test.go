package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// postOffice is a mail server that accepts everything, or refuses it with its
// own message.
type postOffice struct {
	port    int
	refuses atomic.Bool
	mu      sync.Mutex
	taken   []string
}

func openPostOffice(t *testing.T) *postOffice {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postOffice{port: ln.Addr().(*net.TCPAddr).Port}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *postOffice) serve(c net.Conn) {
	defer c.Close()
	say := func(s string) { fmt.Fprintf(c, "%s\r\n", s) }
	say("220 post.example")
	var message strings.Builder
	reading := false
	for lines := bufio.NewScanner(c); lines.Scan(); {
		line := lines.Text()
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); {
		case reading && line == ".":
			reading = false
			p.mu.Lock()
			p.taken = append(p.taken, message.String())
			p.mu.Unlock()
			message.Reset()
			say("250 Safe in the bag as 4711")
		case reading:
			message.WriteString(line + "\n")
		case verb == "RCPT" && p.refuses.Load():
			say("550 5.1.1 Nobody of that name lives here")
		case verb == "DATA":
			reading = true
			say("354 Go on")
		case verb == "QUIT":
			say("221 Bye")
			return
		default:
			say("250 OK")
		}
	}
}

func (p *postOffice) config(c *app.Config) {
	c.Mail.Host, c.Mail.Port, c.Mail.TLS, c.Mail.Password = "127.0.0.1", p.port, "none", ""
	c.Network.Egress = []string{"127.0.0.1"}
}

func TestMailPage(t *testing.T) {
	t.Parallel()
	p := openPostOffice(t)
	s := apptest.New(t, p.config)
	owner := s.Company(t)
	v := browse(t, owner)
	_, html := v.get("/app/settings/email")
	v.contains(html, "127.0.0.1", fmt.Sprint(p.port))
	status, html := v.send("/app/settings/email/test", "email", owner.Email)
	if status != http.StatusOK {
		t.Errorf("%d: %.300s", status, html)
	}
	v.contains(html, "The mail server accepted the message", "Safe in the bag as 4711")
	p.refuses.Store(true)
	status, html = v.send("/app/settings/email/test", "email", owner.Email)
	if status != http.StatusConflict {
		t.Errorf("a test that is refused: %d", status)
	}
	v.contains(html, "Nobody of that name lives here")
	if status, _ = v.send("/app/settings/email/test", "email", "nobody"); status != http.StatusUnprocessableEntity {
		t.Errorf("an address that is none: %d", status)
	}
	member := browse(t, owner.Member(t, account.RoleMember))
	if status, _ = member.send("/app/settings/email/test", "email", owner.Email); status != http.StatusForbidden {
		t.Errorf("a member sends: %d", status)
	}
}

// TestMailWithoutServer keeps messages, whose links can be copied.
func TestMailWithoutServer(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	_, link := ask(t, owner, "ben@signer.example")
	s.Mails(t, "ben@signer.example")
	w := colleague(t, owner)
	w.Visit(s.URL + "/app/settings/outbox")
	w.Click(`tbody a`)
	_, token, _ := strings.Cut(link, "/s/")
	if strings.Contains(w.HTML, "/retry") || strings.Contains(w.HTML, "/cancel") || strings.Contains(w.HTML, token) {
		t.Error("what can't be done is offered, or the link is shown without being asked for")
	}
	w.Click(`form[action$="/reveal"] button`)
	if got := w.Read(".copyline code"); got != link {
		t.Errorf("the link is %q, want %q", got, link)
	}
	w.Click(`.narrow a.btn`)
	w.Click(`.tabs a[href$="tab=preview"]`)
	w.See(`iframe.mailframe`)
	v := browse(t, owner)
	_, html := v.get("/app/settings/email")
	v.contains(html, "No mail server is configured")
}

// TestOutbox checks a message that is refused at first, and sent later.
func TestOutbox(t *testing.T) {
	t.Parallel()
	p := openPostOffice(t)
	p.refuses.Store(true)
	s := apptest.New(t, p.config)
	owner := s.Company(t)
	document, _ := ask(t, owner, "ben@signer.example")
	s.Mails(t, "ben@signer.example") // waits until everything due is done
	v := browse(t, owner)
	_, html := v.get("/app/settings/outbox?status=failed&to=BEN")
	v.contains(html, "/app/documents/"+document, "Failed")
	attention := func() any { return owner.Get(t, "/documents/"+document).Want(t, http.StatusOK).At(t, "attention") }
	if got := attention(); got != "mail_failed" {
		t.Errorf("the document needs attention for %v", got)
	}
	_, id, _ := strings.Cut(html, `href="/app/settings/outbox/`)
	id, _, _ = strings.Cut(id, `"`)
	page := "/app/settings/outbox/" + id
	for tab, want := range map[string]string{"": "Nobody of that name lives here", "text": "<dd>Request to sign</dd>", "headers": "Message-ID:", "raw": "multipart/alternative", "preview": page + "/preview"} {
		_, html := v.get(page + "?tab=" + tab)
		v.contains(html, want)
	}
	res, mail := fetch(t, s.URL+page+"/preview", "Cookie", "paraph_session="+owner.Token)
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "img-src") || !strings.Contains(mail, "<!doctype") {
		t.Errorf("%s: %.200s", policy, mail)
	}
	if status, source := v.get(page + "/message.eml"); status != http.StatusOK || !strings.HasPrefix(source, "Date:") && !strings.Contains(source, "Subject:") {
		t.Errorf("%d: %.200s", status, source)
	}
	p.refuses.Store(false)
	v.send(page + "/retry")
	s.Mails(t, "ben@signer.example")
	_, html = v.get(page)
	v.contains(html, "Sent", "Safe in the bag")
	if got := attention(); got != nil {
		t.Errorf("it was delivered, yet the document needs attention for %v", got)
	}
	if status, _ := v.send(page + "/retry"); status != http.StatusConflict {
		t.Errorf("it is sent again: %d", status)
	}
	if status, _ := v.send(page + "/cancel"); status != http.StatusConflict {
		t.Errorf("it is cancelled: %d", status)
	}
	stranger := browse(t, s.Company(t))
	for _, path := range []string{page, page + "/preview", page + "/message.eml"} {
		if status, _ := stranger.get(path); status != http.StatusNotFound {
			t.Errorf("another company gets %d from %s", status, path)
		}
	}
	for _, action := range []string{"/retry", "/cancel"} {
		if status, _ := stranger.send(page + action); status != http.StatusNotFound {
			t.Errorf("another company posts to %s: %d", action, status)
		}
	}
	member := browse(t, owner.Member(t, account.RoleMember))
	for _, path := range []string{"/app/settings/outbox", page, page + "/preview", page + "/message.eml", "/app/settings/email"} {
		if status, _ := member.get(path); status != http.StatusForbidden {
			t.Errorf("a member gets %d from %s", status, path)
		}
	}
}
