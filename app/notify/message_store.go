package notify

import (
	"errors"

	"paraph/app/input"
	"paraph/kv"
)

var outbox = kv.NewCollection("outbox", kv.JSON[Message](),
	kv.Index[Message]{Name: "created", Counted: true, Keys: func(m Message) []kv.Key {
		return []kv.Key{kv.K(everybody), kv.K(m.Company)}
	}},
	kv.Index[Message]{Name: "status", Counted: true, Depth: 2, Keys: func(m Message) []kv.Key {
		return []kv.Key{kv.K(m.Company, m.Status)}
	}},
	kv.Index[Message]{Name: "everywhere", Counted: true, Keys: func(m Message) []kv.Key {
		switch {
		case m.Status == Failed || m.Status == Bounced:
			return []kv.Key{kv.K(Failed)}
		case m.Company == "" && m.Link != "" && m.Status != Sent:
			return []kv.Key{kv.K(Kept)}
		}
		return nil
	}},
	kv.Index[Message]{Name: "to", Keys: func(m Message) []kv.Key {
		return []kv.Key{kv.K(m.Company, input.FoldEmail(m.To))}
	}},
	kv.Index[Message]{Name: "document", Keys: func(m Message) []kv.Key {
		if m.Document == "" || m.Company == "" {
			return nil
		}
		return []kv.Key{kv.K(m.Company, m.Document)}
	}},
	kv.Index[Message]{Name: "link", Keys: func(m Message) []kv.Key {
		link := m.Link
		if m.Else != nil {
			link = m.Else.Link
		}
		if link == "" {
			return nil
		}
		return []kv.Key{kv.K(link)}
	}},
	kv.Index[Message]{Name: "user", Keys: func(m Message) []kv.Key {
		if m.User == "" {
			return nil
		}
		return []kv.Key{kv.K(m.Company, m.User)}
	}})

// everybody is the index key for the messages of all companies.
const everybody = "*"

// Collections lists the collections of this package, for the check of the data folder.
func Collections() []kv.Checker {
	return []kv.Checker{outbox, webhooks, deliveries, mailTexts, textChanges}
}

// write composes a message and adds it to the outbox.
func (s *Outbox) write(tx *kv.Tx, m Message, locale string, facts map[string]string) error {
	m, err := s.Texts.compose(tx, m, locale, facts)
	if err != nil {
		return err
	}
	return s.put(tx, m)
}

// put records a message and, if there is a mail server, the job that sends it.
func (s *Outbox) put(tx *kv.Tx, m Message) error {
	m.ID, m.CreatedAt, m.Status = s.NewID().String(), tx.NowIn(m.Company), Queued
	tx.OnCommit(s.Messages.isAdded)
	add := s.queue
	if !s.CanSend() && !s.Mishaps.Awaits(m.subject()) {
		add = s.keep
	}
	return errors.Join(add(tx, &m), s.Messages.store(tx, m))
}

// queue schedules a message to be sent now, replacing a job that is not running.
func (s *Outbox) queue(tx *kv.Tx, m *Message) error {
	return s.Jobs.Add(tx, kv.Job{ID: jobID(m.ID), Kind: sendJob, Scope: m.Company, Payload: []byte(m.ID)})
}

// jobID returns the identifier of the job that sends a message.
func jobID(message string) string { return sendJob + "/" + message }

// change changes the message of a job in the turn of its company.
func (s *Outbox) change(job kv.Job, change func(tx *kv.Tx, m *Message) error) error {
	return s.DB.For(job.Scope).Update(func(tx *kv.Tx) error {
		m, err := s.Messages.read(tx, string(job.Payload))
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := change(tx, &m); err != nil {
			return err
		}
		return s.Messages.store(tx, m)
	})
}
