package mail_test

import (
	"slices"
	"strings"
	"testing"

	"paraph/app/mail"
)

// TestTalkReportsWhatTheServerSaid compares the conversations of messages that a server takes and refuses, and looks
// for the password in all of them.
func TestTalkReportsWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		server *server
		client func(*mail.SMTP)
		want   []string // in this order
		fails  bool
	}{
		{"taken", &server{greeting: "220 hello", done: "250 2.0.0 queued as 4711"}, nil, []string{"220 hello", "> EHLO client.test", "> MAIL FROM:<sign@example.com> BODY=8BITMIME SMTPUTF8", "> RCPT TO:<zoe@example.org>", "> DATA", "354 go ahead", "250 2.0.0 queued as 4711"}, false},
		{"refused", &server{rcpt: "550 5.1.1 nobody here"}, nil, []string{"> RCPT TO:<zoe@example.org>", "550 5.1.1 nobody here"}, true},
		{"over STARTTLS", &server{startTLS: true, mechanisms: "PLAIN"}, func(s *mail.SMTP) { s.TLS = "starttls" }, []string{"> STARTTLS", "220 go ahead", "> EHLO client.test", "235 welcome", "> DATA"}, false},
		{"encrypted from the start", &server{implicitTLS: true, mechanisms: "PLAIN"}, func(s *mail.SMTP) { s.TLS = "tls" }, []string{"> EHLO client.test", "235 welcome", "> DATA"}, false},
		{"wrong password", &server{mechanisms: "PLAIN", auth: "535 5.7.8 no such pa55word"}, nil, []string{"> EHLO client.test"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := c.server.start(t)
			client := s.client()
			if c.server.mechanisms != "" {
				client.Username, client.Password = "me", mail.NewSecret("pa55word")
			}
			if c.client != nil {
				c.client(&client)
			}
			lines, err := client.Talk(t.Context(), message())
			if (err != nil) != c.fails {
				t.Errorf("%v", err)
			}
			var said []string
			for _, l := range lines {
				text := l.Text
				if l.Ours {
					text = "> " + text
				}
				said = append(said, text)
			}
			if all := strings.Join(said, "\n"); strings.Contains(all, "pa55word") || strings.Contains(all, "AG1lAHBhNTV3b3Jk") || strings.Contains(all, "Hallo") {
				t.Errorf("the password or the message is in %s", all)
			}
			from := 0
			for _, want := range c.want {
				i := slices.Index(said[from:], want)
				if i < 0 {
					t.Fatalf("no %q after line %d of %q", want, from, said)
				}
				from += i + 1
			}
		})
	}
}
