package app_test

import (
	"bufio"
	"mime"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// postOffice is a mail server that accepts everything and records the subjects
// and identifiers each address received.
type postOffice struct {
	ln   net.Listener
	mu   sync.Mutex
	mail map[string]map[string]bool // "address subject" → Message-IDs
}

func newPostOffice(t testing.TB) *postOffice {
	t.Helper()
	return newPostOfficeAt(t, "127.0.0.1:0")
}

// newPostOfficeAt opens one at an address.
func newPostOfficeAt(t testing.TB, address string) *postOffice {
	t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	p := &postOffice{ln: ln, mail: map[string]map[string]bool{}}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			open.Go(func() { p.serve(textproto.NewConn(c)) })
		}
	})
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *postOffice) port() string {
	_, port, _ := net.SplitHostPort(p.ln.Addr().String())
	return port
}

// serve speaks SMTP (RFC 5321) until the client quits or the connection breaks.
func (p *postOffice) serve(c *textproto.Conn) {
	defer c.Close()
	say := func(line string) bool { return c.PrintfLine("%s", line) == nil }
	ok := say("220 post office")
	for ok {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "DATA":
			if !say("354 go on") {
				return
			}
			message, err := mail.ReadMessage(bufio.NewReader(c.DotReader()))
			if err != nil {
				return
			}
			p.take(message.Header)
			ok = say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			ok = say("250 fine")
		}
	}
}

func (p *postOffice) take(h mail.Header) {
	var words mime.WordDecoder
	subject, err := words.DecodeHeader(h.Get("Subject"))
	if err != nil {
		subject = h.Get("Subject")
	}
	to := h.Get("To")
	if a, err := mail.ParseAddress(to); err == nil {
		to = a.Address
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	about := to + " " + subject
	if p.mail[about] == nil {
		p.mail[about] = map[string]bool{}
	}
	p.mail[about][h.Get("Message-Id")] = true
}

// received returns the mails by address and subject, with their identifiers.
func (p *postOffice) received() map[string][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string][]string{}
	for about, ids := range p.mail {
		for id := range ids {
			out[about] = append(out[about], id)
		}
	}
	return out
}
