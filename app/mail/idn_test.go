package mail_test

import (
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
