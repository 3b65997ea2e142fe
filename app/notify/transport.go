package notify

import (
	"context"
	"errors"
	"time"

	"paraph/app/mail"
	"paraph/kv"
)

// Transport is how messages leave.
type Transport struct {
	Sender Sender // nil: nothing is sent, and the outbox keeps every message
	Server string // name of the mail server, for evidence
	From   mail.Address
}

// SetTransport changes how messages leave from now on.
func (s *Outbox) SetTransport(t Transport) { s.transport.Store(&t) }

func (s *Outbox) deliver(ctx context.Context, m Message) (reply string, err error) {
	return s.transport.Load().Sender.Deliver(ctx, s.envelope(m))
}

// place is where a message about an account or with a code is kept if it can't be sent: the outbox of a company, for
// those who may act for the person.
type place struct {
	Company, User, Link string
	Expires             time.Time // of the link or code; zero for none
	Used                bool      // or replaced
}

// keep keeps a message in the outbox to be handed over.
func (s *Outbox) keep(tx *kv.Tx, m *Message) error {
	m.Status = Kept
	p := m.Else
	if p == nil {
		return nil
	}
	m.Company, m.User, m.Link, m.Else = p.Company, p.User, p.Link, nil
	if p.Used {
		m.forget()
	}
	return s.forgetAt(tx, m.Company, m.Link, p.Expires)
}

// hurried is how many messages become due in one transaction.
const hurried = 200

// Hurry makes every waiting message due now: another mail server may take it, and without one it is kept.
func (s *Outbox) Hurry(ctx context.Context) error {
	var waiting []string
	err := s.DB.View(func(tx *kv.Tx) error {
		for offset := 0; ; offset += hurried {
			page, err := s.Jobs.List(tx, kv.JobWaiting, kv.Query{Offset: offset, Limit: hurried})
			for _, job := range page.Items {
				if job.Kind == sendJob {
					waiting = append(waiting, job.ID)
				}
			}
			if err != nil || ctx.Err() != nil || offset+hurried >= page.Total {
				return err
			}
		}
	})
	for len(waiting) > 0 && err == nil && ctx.Err() == nil {
		n := min(len(waiting), hurried)
		err = s.DB.Update(func(tx *kv.Tx) error { return s.hurry(tx, waiting[:n]) })
		waiting = waiting[n:]
	}
	return err
}

func (s *Outbox) hurry(tx *kv.Tx, ids []string) error {
	for _, id := range ids {
		job, err := s.Jobs.Get(tx, id)
		if errors.Is(err, kv.ErrNotFound) || err == nil && job.State != kv.JobWaiting {
			continue // it was done meanwhile
		}
		if err != nil {
			return err
		}
		if err := s.Jobs.Retry(tx, id); err != nil {
			return err
		}
	}
	return nil
}
