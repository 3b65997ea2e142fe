package notify

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/mail"
	"paraph/app/signing"
	"paraph/kv"
)

// Source returns a message in its transmitted form: RFC 5322, the content of an .eml file.
func (s *Outbox) Source(who account.Call, id string) ([]byte, error) {
	m, err := s.Messages.Get(who, id)
	if err != nil {
		return nil, err
	}
	if m.Invitation != "" && !m.Private() && !signing.MaySeeLinks(who) {
		return nil, who.Require(account.ScopeWrite)
	}
	return s.Encode(m)
}

// Encode returns the source of a message, without its links and codes if these were removed.
func (s *Outbox) Encode(m Message) ([]byte, error) {
	var b bytes.Buffer
	err := s.envelope(m).Encode(&b)
	return b.Bytes(), err
}

// envelope returns a message as the mail server receives it.
func (s *Outbox) envelope(m Message) mail.Message {
	return mail.Message{ID: m.ID, From: s.transport.Load().From, To: []mail.Address{{Name: m.ToName, Email: m.To}},
		Subject: m.Subject, Text: m.Text, HTML: m.HTML, Date: m.CreatedAt}
}

// CanSend reports whether there is a mail server.
func (s *Outbox) CanSend() bool { return s.transport.Load().Sender != nil }

// Mails reports whether messages reach their recipients without being passed on by hand.
func (s *Outbox) Mails() bool { return s.CanSend() || s.Captures }

func errNoServer() error {
	return fault.Conflict("mail_not_configured")
}

// Retry sends a message that is waiting, failed, canceled, or kept from before there was a mail
// server.
func (s *Outbox) Retry(who account.Call, id string) (Message, error) {
	return s.edit(who, id, s.again)
}

// again queues a message.
func (s *Outbox) again(tx *kv.Tx, m *Message) error {
	switch {
	case m.Status == Sent || m.Status == Bounced: // its link has been removed
		return fault.Conflict("message_sent")
	case !s.CanSend():
		return errNoServer()
	}
	m.Status = Queued
	return s.queue(tx, m)
}

// Cancel prevents a waiting message from being sent.
func (s *Outbox) Cancel(who account.Call, id string) (Message, error) {
	return s.edit(who, id, func(tx *kv.Tx, m *Message) error {
		if m.Status != Queued {
			return fault.Conflict("message_not_queued")
		}
		m.Status = Cancelled
		return s.Jobs.Remove(tx, jobID(m.ID))
	})
}

// edit changes a message of the company that is not currently being sent. It shows no link or code:
// who wants one reads the message or has it revealed, which is recorded.
func (s *Outbox) edit(who account.Call, id string, change func(tx *kv.Tx, m *Message) error) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if m, err = s.Messages.load(tx, who, id); err != nil {
			return err
		}
		return errors.Join(s.editIn(tx, &m, change), who.Once.Done(tx, m.ID))
	})
	if err != nil {
		return Message{}, err
	}
	return m.changedBy(who), nil
}

func (s *Outbox) editIn(tx *kv.Tx, m *Message, change func(tx *kv.Tx, m *Message) error) error {
	job, err := s.Jobs.Get(tx, jobID(m.ID))
	switch {
	case err == nil && job.State == kv.JobRunning:
		return fault.Conflict("message_sending")
	case err != nil && !errors.Is(err, kv.ErrNotFound):
		return err
	}
	if err := change(tx, m); err != nil {
		return err
	}
	return s.Messages.store(tx, *m)
}

// testKind is the kind of the message that tests mail delivery.
const testKind = "test"

// SendTest immediately sends a message to an address, or ("") to the caller, and returns the
// mail server's reply. If the server refuses, the error contains its own words.
func (s *Outbox) SendTest(ctx context.Context, who account.Call, address string) (reply string, err error) {
	if err := admin(who); err != nil {
		return "", err
	}
	if address = strings.TrimSpace(address); address == "" {
		address = who.Email
	}
	var f fault.Fields
	input.CheckEmail(&f, "email", address)
	if err := f.Err(); err != nil {
		return "", err
	}
	if !s.CanSend() {
		return "", errNoServer()
	}
	if _, wait, ok := s.tests.Allow(who.UserID); !ok {
		return "", fault.Throttled(s.tests.Limit(), wait)
	}
	m, err := s.testMessage(who, address)
	if err != nil {
		return "", err
	}
	reply, err = s.deliver(ctx, m)
	if err != nil {
		return "", fault.Conflict("mail_not_sent", mail.Why(err)).Because(err)
	}
	return reply, nil
}

// TestMessage writes the message that tests whether mail works, without recording it.
func (s *Outbox) TestMessage(who account.Call, address string) (mail.Message, error) {
	m, err := s.testMessage(who, address)
	return s.envelope(m), err
}

func (s *Outbox) testMessage(who account.Call, address string) (m Message, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		company, err := account.LoadCompany(tx, who.CompanyID)
		if err != nil {
			return err
		}
		m, err = s.Texts.compose(tx, Message{Kind: testKind, To: address}, company.Locale, map[string]string{"company": company.Name})
		m.ID, m.CreatedAt = s.NewID().String(), tx.Now
		return err
	})
	return m, err
}
