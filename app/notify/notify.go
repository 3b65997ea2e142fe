// Package notify notifies people of events: it follows the journal, writes a message for
// everybody concerned to the outbox, and schedules a job that sends it if there is a mail
// server. Without one the outbox keeps every message, and its links still work.
//
// A message is recorded in the transaction that moves the follower on, so nobody is notified
// twice and nobody is left out.
package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/mail"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Service follows the journal for the outbox, and schedules the sending of its messages.
type Service struct {
	*Outbox
	records *store.Store

	sending *signing.Sending

	follower *kv.Follower[record.Event]
}

// New returns the service that fills an outbox from the journal.
func New(outbox *Outbox, s *signing.Services) *Service {
	n := &Service{Outbox: outbox, records: s.Store, sending: s.Sending}
	n.follower = kv.NewFollower(kv.FollowerOptions[record.Event]{
		DB: n.DB, Log: store.Journal(), Name: follower, InTurn: true, Match: isNotified, Do: n.tell})
	return n
}

const (
	follower = "mail"
	sendJob  = "mail"
	// MailWorkers is how many messages are sent concurrently, at most half of them for one
	// company.
	MailWorkers = 8
)

// Run follows the journal until ctx ends, and schedules the daily removal of old messages.
func (s *Service) Run(ctx context.Context) error {
	if err := s.ScheduleSweep(); err != nil {
		return err
	}
	return s.follower.Run(ctx)
}

// CaughtUp adds the messages for all events so far to the outbox.
func (s *Service) CaughtUp(ctx context.Context) error { return s.follower.CaughtUp(ctx) }

// Handlers returns the jobs that send messages and remove old ones.
func (s *Service) Handlers() []kv.Handler {
	return []kv.Handler{
		{Kind: sendJob, Timeout: time.Minute, Run: s.send, OnDead: s.giveUp, Backoff: []time.Duration{
			10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}},
		{Kind: forgetJob, Timeout: time.Minute, Run: s.forgetExpired, Backoff: upkeepWaits()},
		{Kind: sweepJob, Timeout: 10 * time.Minute, Run: s.sweep, Backoff: upkeepWaits()},
	}
}

// upkeepWaits returns the pauses between attempts at removing what has expired.
func upkeepWaits() []time.Duration {
	return []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}
}

func (s *Service) send(ctx context.Context, job kv.Job) error {
	id := string(job.Payload)
	var m Message
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		m, err = s.Messages.read(tx, id)
		return err
	})
	if errors.Is(err, kv.ErrNotFound) || err == nil && m.Status != Queued {
		return nil
	}
	if err != nil {
		return err
	}
	t := *s.transport.Load()
	x := s.Mishaps.Take(m.subject())
	if x != nil {
		t.Sender = failingSender{x}
	}
	if t.Sender == nil {
		return s.change(job, s.keep)
	}
	reply, sendErr := t.Sender.Deliver(ctx, s.envelope(m))
	err = s.change(job, func(tx *kv.Tx, m *Message) error {
		m.Attempts++
		if sendErr == nil {
			m.Status, m.SentAt, m.LastError, m.Reply = Sent, &tx.Now, "", reply
			m.Server, m.Link, m.Else = t.Server, "", nil
			m.forget()
			return nil
		}
		m.LastError = sendErr.Error()
		return nil
	})
	m.Server = t.Server
	if sendErr != nil && errors.Is(sendErr, mail.ErrRejected) {
		sendErr = kv.Permanent(sendErr)
	}
	if sendErr == nil && err == nil {
		err = s.delivered(m, reply)
	}
	if sendErr == nil && err == nil && x != nil {
		err = s.bounce(m)
	}
	return errors.Join(sendErr, err)
}

// delivered records on the document of a message that the mail server accepted it.
func (s *Service) delivered(m Message, reply string) error {
	var errs []error
	if m.Company != "" && m.Document != "" && m.Attempts > 0 {
		errs = append(errs, s.sending.MailDelivered(m.Company, m.Document, m.To))
	}
	if m.Invitation != "" && slices.Contains(evidenceKinds, m.Kind) {
		errs = append(errs, s.sending.MailAccepted(s.mailed(m, reply)))
	}
	return errors.Join(errs...)
}

// evidenceKinds lists the kinds of messages whose delivery is evidence: they hold the link or a code
// needed for signing.
var evidenceKinds = []string{"invitation", "reminder", string(signing.MailCode)}

func (s *Service) mailed(m Message, reply string) signing.Mailed {
	return signing.Mailed{Company: cmp.Or(m.Company, m.Origin), Document: m.Document, Invitation: m.Invitation, Kind: m.Kind,
		Address: m.To, Server: m.Server, Reply: reply}
}

// giveUp marks a message as failed after its last attempt, and reports that to the document's
// owner.
func (s *Service) giveUp(ctx context.Context, job kv.Job) {
	var failed Message
	err := s.change(job, func(tx *kv.Tx, m *Message) error {
		if now, err := s.Jobs.Get(tx, job.ID); err == nil && now.State != kv.JobDead {
			return nil // it is already being retried
		}
		m.Status = Failed
		failed = *m
		return nil
	})
	if err == nil && failed.Company != "" && failed.Document != "" {
		err = s.sending.MailFailed(account.System(failed.Company), failed.Document, failed.To)
	}
	if err != nil {
		s.Log.Error("cannot mark a message as failed", "message", string(job.Payload), "error", err)
	}
}
