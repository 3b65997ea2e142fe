package notify

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"paraph/app/account"
	"paraph/app/mail"
	"paraph/app/mishap"
)

// subject returns what a message is to the mishaps of a test double.
func (m Message) subject() mishap.Subject {
	s := mishap.Subject{Target: mishap.Mail, Company: cmp.Or(m.Company, m.Origin), To: m.To, Kind: m.Kind}
	if s.Company == "" && m.Else != nil {
		s.Company = m.Else.Company
	}
	return s
}

// failingSender is the mail server of a message that is to fail, in a test double.
type failingSender struct{ *mishap.Entry }

// Deliver implements [Sender].
func (s failingSender) Deliver(ctx context.Context, m mail.Message) (reply string, err error) {
	if err := s.Connect(ctx); err != nil {
		return "", err
	}
	if s.Answer == mishap.Rejected {
		return "", fmt.Errorf("%w: %s", mail.ErrRejected, noMailbox)
	}
	return "250 2.0.0 Ok: queued", nil
}

const noMailbox = "550 5.1.1 no such mailbox"

// bounce returns a message of a test double that a mail server has taken.
func (s *Service) bounce(m Message) error {
	if m.Company == "" {
		return nil // it is about an account, and nobody could report its return
	}
	var report bytes.Buffer
	fmt.Fprintf(&report, `Content-Type: multipart/report; report-type=delivery-status; boundary=part

--part
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example

Final-Recipient: rfc822; %s
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; %s

--part
Content-Type: text/rfc822-headers

Message-ID: <%s@mail.example>

--part--
`, m.To, noMailbox, m.ID)
	_, err := s.Bounce(account.System(m.Company), &report)
	return err
}
