package mail_test

import (
	"errors"
	"strings"
	"testing"

	"paraph/app/mail"
)

// Most servers take no addresses beyond ASCII, so a domain is always sent in ASCII.
func TestDomainsAreSentInASCII(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"ben@münchen.example": "ben@xn--mnchen-3ya.example", "ben@MÜNCHEN.example": "ben@xn--mnchen-3ya.example",
		"ben@例子.公司": "ben@xn--fsqu00a.xn--55qx5d", "Ben@Example.org": "Ben@Example.org",
	} {
		s := (&server{}).start(t)
		m := message()
		m.To[0].Email, m.ReplyTo.Email = email, email
		lines, err := s.client().Talk(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for _, l := range lines {
			said.WriteString(l.Text + "\n")
		}
		if !strings.Contains(said.String(), "RCPT TO:<"+want+">") {
			t.Errorf("%s: said %s", email, said.String())
		}
		if got := s.got(&s.messages)[0]; strings.Count(got, "<"+want+">") != 2 {
			t.Errorf("%s: sent %s", email, got)
		}
	}
	if mail.ValidEmail("ben@a‑b.example") || mail.ValidEmail("ben@xn--a.example") {
		t.Error("a domain without a form in ASCII is accepted")
	}
}

// Addresses beyond ASCII before the @ go to servers that offer SMTPUTF8 (RFC 6531). Others would refuse them with words
// that say little, or bounce them later.
func TestAddressesBeyondASCIINeedAServerThatTakesThem(t *testing.T) {
	t.Parallel()
	const email = "jörg@münchen.example"
	m := message()
	m.To[0].Email = email
	s := (&server{}).start(t)
	if err := s.client().Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := s.got(&s.messages)[0]; !strings.Contains(got, "<jörg@xn--mnchen-3ya.example>") {
		t.Errorf("sent %s", got)
	}
	old := (&server{asciiOnly: true}).start(t)
	err := old.client().Send(t.Context(), m)
	if !errors.Is(err, mail.ErrRejected) || mail.Why(err).String() != "mail.address" || len(old.got(&old.messages)) > 0 {
		t.Errorf("a server without SMTPUTF8: %v, %s", err, mail.Why(err))
	}
	m.To[0].Email, m.ReplyTo.Email = "ben@münchen.example", email
	if err := old.client().Send(t.Context(), m); err != nil {
		t.Fatalf("with such an address to reply to: %v", err)
	}
	if got := old.got(&old.messages)[0]; strings.Contains(got, "Reply-To") || !strings.Contains(got, "<ben@xn--mnchen-3ya.example>") {
		t.Errorf("sent %s", got)
	}
}
