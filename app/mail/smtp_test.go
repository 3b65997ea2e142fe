package mail_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"paraph/app/mail"
)

func TestSendIsTaken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		server *server
		client func(*mail.SMTP)
		logins string
	}{
		{"plain", &server{}, nil, ""},
		{"starttls", &server{startTLS: true}, func(c *mail.SMTP) { c.TLS = "starttls" }, ""},
		{"starttls is the default", &server{startTLS: true}, func(c *mail.SMTP) { c.TLS = "" }, ""},
		{"tls", &server{implicitTLS: true}, func(c *mail.SMTP) { c.TLS = "tls" }, ""},
		{"login over starttls", &server{startTLS: true, mechanisms: "LOGIN PLAIN"}, func(c *mail.SMTP) {
			c.TLS, c.Username, c.Password = "starttls", "ann", mail.NewSecret("hunter2")
		}, "|ann|hunter2"},
		{"login over tls", &server{implicitTLS: true, mechanisms: "PLAIN"}, func(c *mail.SMTP) {
			c.TLS, c.Username, c.Password = "tls", "ann", mail.NewSecret("hunter2")
		}, "|ann|hunter2"},
		{"login without encryption, as configured", &server{mechanisms: "PLAIN"}, func(c *mail.SMTP) {
			c.Username, c.Password = "ann", mail.NewSecret("hunter2")
		}, "|ann|hunter2"},
		{"hangs up at the end", &server{noQuit: true}, nil, ""},
		{"rude at the end", &server{quit: "500 what?"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.server.start(t)
			c := s.client()
			if tt.client != nil {
				tt.client(&c)
			}
			if err := c.Send(t.Context(), message()); err != nil {
				t.Fatal(err)
			}
			if got := s.got(&s.messages); len(got) != 1 {
				t.Fatalf("the server has %d messages, want 1", len(got))
			}
			if got := strings.Join(s.got(&s.logins), " "); got != tt.logins {
				t.Errorf("login %q, want %q", got, tt.logins)
			}
			if tt.server.quit == "" && !tt.server.noQuit {
				if err := c.Check(t.Context()); err != nil {
					t.Errorf("check: %v", err)
				}
			}
		})
	}
}

func TestSendIsRefused(t *testing.T) {
	t.Parallel()
	login := func(c *mail.SMTP) { c.Username, c.Password = "ann", mail.NewSecret("hunter2") }
	for _, tt := range []struct {
		name   string
		server *server
		client func(*mail.SMTP)
		want   error // nil: neither of the sentinels
	}{
		{"no such mailbox", &server{rcpt: says(550)}, nil, mail.ErrRejected},
		{"sender refused", &server{from: says(553)}, nil, mail.ErrRejected},
		{"too large", &server{data: says(552)}, nil, mail.ErrRejected},
		{"spam", &server{done: says(554)}, nil, mail.ErrRejected},
		{"mailbox busy", &server{rcpt: says(450)}, nil, nil},
		{"greylisted", &server{from: says(451)}, nil, nil},
		{"disk full", &server{done: says(452)}, nil, nil},
		{"going down", &server{done: says(421)}, nil, nil},
		{"asks for the message again", &server{done: says(354)}, nil, nil},
		{"goes on after the message", &server{done: says(150)}, nil, nil},
		{"status beyond all classes", &server{done: says(999)}, nil, nil},
		{"garbage after the message", &server{done: "\x00\xff what?"}, nil, nil},
		{"nothing after the message", &server{done: hangUp}, nil, nil},
		{"half a reply after the message", &server{done: "250-2.0.0 taken\r\n" + hangUp}, nil, nil},
		{"takes the message before it has it", &server{data: says(250)}, nil, nil},
		{"garbage instead of a recipient", &server{rcpt: "\x00\xff what?"}, nil, nil},
		{"wants the message instead of a recipient", &server{rcpt: says(354)}, nil, nil},
		{"hangs up on the sender", &server{from: hangUp}, nil, nil},
		{"hangs up on the message", &server{data: "354 go ahead\r\n" + hangUp}, nil, nil},
		{"not greeted", &server{greeting: says(554)}, nil, nil},
		{"busy greeting", &server{greeting: says(421)}, nil, nil},
		{"wants a login", &server{from: says(530)}, nil, nil},
		{"login refused", &server{auth: says(535), mechanisms: "PLAIN"}, login, mail.ErrLogin},
		{"login echoed", &server{
			auth:       "535 got " + base64.StdEncoding.EncodeToString([]byte("\x00ann\x00hunter2")) + " hunter2",
			mechanisms: "PLAIN",
		}, login, mail.ErrLogin},
		{"no login offered", &server{}, login, mail.ErrLogin},
		{"no known login", &server{mechanisms: "GSSAPI"}, login, mail.ErrLogin},
		{"no encryption offered", &server{}, func(c *mail.SMTP) { c.TLS = "starttls" }, mail.ErrTLS},
		{"unknown certificate", &server{startTLS: true}, func(c *mail.SMTP) { c.TLS, c.RootCAs = "starttls", nil }, mail.ErrTLS},
		{"unknown certificate, tls", &server{implicitTLS: true}, func(c *mail.SMTP) { c.TLS, c.RootCAs = "tls", nil }, mail.ErrTLS},
		{"other name", &server{implicitTLS: true}, func(c *mail.SMTP) { c.TLS, c.Host = "tls", "localhost" }, mail.ErrTLS},
		{"tls to a plain server", &server{}, func(c *mail.SMTP) { c.TLS = "tls" }, mail.ErrTLS},
		{"wrong setting", &server{}, func(c *mail.SMTP) { c.TLS = "maybe" }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.server.start(t)
			c := s.client()
			if tt.client != nil {
				tt.client(&c)
			}
			err := c.Send(t.Context(), message())
			if err == nil {
				t.Fatal("no error")
			}
			for _, sentinel := range []error{mail.ErrRejected, mail.ErrLogin, mail.ErrTLS} {
				if errors.Is(err, sentinel) != (tt.want == sentinel) {
					t.Errorf("%v: is %v is %t", err, sentinel, tt.want != sentinel)
				}
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "aHVudGVyMg") ||
				strings.Contains(err.Error(), base64.StdEncoding.EncodeToString([]byte("\x00ann\x00hunter2"))) {
				t.Errorf("the password is in the error: %v", err)
			}
			if n := len(s.got(&s.messages)); n > 1 {
				t.Errorf("the server has %d messages", n)
			}
		})
	}
}

// Whatever is at the other end, Send comes back in time with an error.
func TestSendIsBounded(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(net.Conn){
		"hangs up":      func(net.Conn) {},
		"says nothing":  func(c net.Conn) { drain(c) },
		"talks garbage": func(c net.Conn) { write(c, "\x00\xff garbage\r\nmore\r\n"); drain(c) },
		"speaks HTTP":   func(c net.Conn) { write(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); drain(c) },
		"empty lines":   func(c net.Conn) { write(c, "\r\n\r\n\r\n"); drain(c) },
		"half a reply":  func(c net.Conn) { write(c, "22"); drain(c) },
		"short code":    func(c net.Conn) { write(c, "4\r\n"); drain(c) },
		"endless line": func(c net.Conn) {
			for write(c, strings.Repeat("220-x", 4096)) {
			}
		},
		"endless lines": func(c net.Conn) {
			for write(c, strings.Repeat("220-x\r\n", 4096)) {
			}
		},
		"silent after greeting": func(c net.Conn) { write(c, "220 hello\r\n"); drain(c) },
		"greets for ever": func(c net.Conn) {
			for write(c, "220 hello\r\n") {
			}
		},
		"half open in data": func(c net.Conn) {
			write(c, "220 hello\r\n250 hello\r\n250 ok\r\n250 ok\r\n354 go\r\n")
			drain(c)
		},
		"stops reading": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := make(chan struct{})
			if handle == nil {
				handle = func(c net.Conn) {
					write(c, "220 hello\r\n250 hello\r\n250 ok\r\n250 ok\r\n354 go\r\n")
					<-over
				}
			}
			var port int
			serve(t, &port, handle)
			t.Cleanup(func() { close(over) })
			c := mail.SMTP{Host: "127.0.0.1", Port: port, TLS: "none", Timeout: 300 * time.Millisecond}
			m := message()
			m.Attachments = []mail.Attachment{{Name: "large.pdf", Data: make([]byte, 8<<20)}}
			began := time.Now()
			err := c.Send(t.Context(), m)
			if err == nil {
				t.Fatal("no error")
			}
			if errors.Is(err, mail.ErrRejected) {
				t.Errorf("%v is for good", err)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("took %v: %v", took, err)
			}
			if len(err.Error()) > 500 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestSendEndsWithItsContext(t *testing.T) {
	t.Parallel()
	var port int
	accepted := make(chan struct{}, 1)
	serve(t, &port, func(c net.Conn) { accepted <- struct{}{}; drain(c) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-accepted; cancel() }()
	err := mail.SMTP{Host: "127.0.0.1", Port: port, TLS: "none", Timeout: time.Minute}.Send(ctx, message())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

func TestSendToNobody(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	err = mail.SMTP{Host: "127.0.0.1", Port: port, TLS: "none"}.Send(t.Context(), message())
	if err == nil || errors.Is(err, mail.ErrRejected) {
		t.Errorf("got %v, want an error that may pass", err)
	}
}

func drain(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func write(c net.Conn, s string) bool {
	_, err := io.WriteString(c, s)
	return err == nil
}
