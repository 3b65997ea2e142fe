// Package notify tells people what happened: it follows the journal, writes a
// message for everybody concerned into the outbox, and has it sent by a job
// when there is a mail server. Without one the outbox keeps every message, and
// its links work all the same.
//
// A message is recorded in the same transaction in which the follower moves on,
// so nobody is told twice and nobody is forgotten.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/mail"
	"paraph/app/signing"
	"paraph/app/words"
	"paraph/kv"
)

// Sender hands a message to a mail server, and gives what that said.
type Sender interface {
	Deliver(ctx context.Context, m mail.Message) (reply string, err error)
}

// Options are what the service needs from its surroundings.
type Options struct {
	DB      *kv.DB
	Jobs    *kv.Jobs
	Words   *words.Catalogue
	Sender  Sender // nil: nothing is sent, the outbox keeps it all
	From    mail.Address
	NewID   func() ulid.ULID
	BaseURL string // for links of messages that belong to no document
	Days    int    // after so many days a message is removed; 0 keeps it
	Now     func() time.Time
	Log     *slog.Logger
}

// Service writes and sends messages.
type Service struct {
	Options
	signing *signing.Service
	wording *wording
	tests   *account.Limiter // test messages, per person
}

// New makes the service. Follow must be told of the signing room before Run.
func New(o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w, err := newWording(o.Words)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{Options: o, wording: w, tests: account.NewLimiter(6, time.Minute, o.Now)}, nil
}

// Follow names the room whose journal is followed.
func (s *Service) Follow(documents *signing.Service) { s.signing = documents }

// States of a message.
const (
	Kept   = "kept"   // no mail server: it is here to be read
	Queued = "queued" // on its way, or waiting for another try
	Sent   = "sent"
	Failed = "failed" // given up

	Cancelled = "cancelled" // somebody did not want it sent
)

// Message is one mail, as the outbox keeps it. ID also makes its Message-ID, by
// which a receiver can tell a repetition.
type Message struct {
	ID         string
	Company    string
	Document   string
	Invitation string
	Kind       string
	To         string
	ToName     string
	Subject    string
	Text       string
	HTML       string
	Links      []string
	Status     string
	Attempts   int
	LastError  string
	Reply      string // what the mail server said when it took it
	CreatedAt  time.Time
	SentAt     *time.Time
}

var outbox = kv.NewCollection("outbox", kv.JSON[Message](),
	kv.Index[Message]{Name: "created", Counted: true, Keys: func(m Message) []kv.Key {
		return []kv.Key{kv.K(everybody), kv.K(m.Company)}
	}},
	kv.Index[Message]{Name: "status", Counted: true, Depth: 2, Keys: func(m Message) []kv.Key {
		return []kv.Key{kv.K(m.Company, m.Status)}
	}},
	kv.Index[Message]{Name: "to", Keys: func(m Message) []kv.Key {
		return []kv.Key{kv.K(m.Company, account.FoldEmail(m.To))}
	}},
	kv.Index[Message]{Name: "document", Keys: func(m Message) []kv.Key {
		if m.Document == "" {
			return nil
		}
		return []kv.Key{kv.K(m.Company, m.Document)}
	}})

// everybody stands in an index key for the messages of all companies.
const everybody = "*"

// Collections lists what is stored here, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{outbox, webhooks, deliveries} }

const (
	follower = "mail"
	sendJob  = "mail"
)

// Run follows the journal until ctx ends, and begins the daily removal of old
// messages.
func (s *Service) Run(ctx context.Context) error {
	if err := s.ScheduleSweep(); err != nil {
		return err
	}
	for {
		changed := s.DB.Changed()
		more, err := s.step()
		switch {
		case err != nil && ctx.Err() == nil:
			s.Log.Error("following the journal for mail", "error", err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Second):
			}
		case more:
		default:
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
		}
	}
}

// steps is how many events are looked at in one transaction.
const steps = 64

// step looks at the next events and moves on, in one transaction.
func (s *Service) step() (more bool, err error) {
	idle, err := s.idle()
	if err != nil || idle {
		return false, err
	}
	err = s.DB.Update(func(tx *kv.Tx) error {
		place, err := kv.Place(tx, follower)
		if err != nil {
			return err
		}
		entries, err := s.signing.NextEvents(tx, place, steps)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := s.tell(tx, e); err != nil {
				return err
			}
			place = e.Seq
		}
		more = len(entries) == steps
		return kv.SetPlace(tx, follower, place)
	})
	return more, err
}

// idle says whether there is nothing new, so that looking costs no commit.
func (s *Service) idle() (bool, error) {
	var idle bool
	err := s.DB.View(func(tx *kv.Tx) error {
		place, err := kv.Place(tx, follower)
		if err != nil {
			return err
		}
		head, err := s.signing.JournalHead(tx)
		idle = head <= place
		return err
	})
	return idle, err
}

// CaughtUp waits until everything that happened so far has its messages in the
// outbox.
func (s *Service) CaughtUp(ctx context.Context) error {
	for {
		changed := s.DB.Changed()
		idle, err := s.idle()
		if err != nil || idle {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// put records a message and, with a mail server, the job that sends it.
func (s *Service) put(tx *kv.Tx, m Message) error {
	m.ID, m.CreatedAt, m.Status = s.NewID().String(), tx.Now, Kept
	if s.Sender != nil {
		m.Status = Queued
		if err := s.queue(tx, m); err != nil {
			return err
		}
	}
	return outbox.Put(tx, m.ID, m)
}

// queue has a message sent now, in place of a job that is not running.
func (s *Service) queue(tx *kv.Tx, m Message) error {
	return s.Jobs.Add(tx, kv.Job{ID: jobID(m.ID), Kind: sendJob, Scope: m.Company, Payload: []byte(m.ID), Due: tx.Now})
}

// jobID is the job that sends a message.
func jobID(message string) string { return sendJob + "/" + message }

// Handlers are the jobs that send messages and remove old ones.
func (s *Service) Handlers() []kv.Handler {
	return []kv.Handler{
		{Kind: sendJob, Timeout: time.Minute, Run: s.send, OnDead: s.giveUp, Backoff: []time.Duration{
			10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}},
		{Kind: sweepJob, Timeout: 10 * time.Minute, Run: s.sweep},
	}
}

func (s *Service) send(ctx context.Context, job kv.Job) error {
	id := string(job.Payload)
	var m Message
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		m, err = outbox.Get(tx, id)
		return err
	})
	if errors.Is(err, kv.ErrNotFound) || err == nil && m.Status != Queued {
		return nil
	}
	if err != nil {
		return err
	}
	reply, sendErr := s.Sender.Deliver(ctx, s.envelope(m))
	err = s.change(id, func(tx *kv.Tx, m *Message) {
		m.Attempts++
		if sendErr == nil {
			m.Status, m.SentAt, m.LastError, m.Reply = Sent, &tx.Now, "", reply
			return
		}
		m.LastError = sendErr.Error()
	})
	if sendErr != nil && errors.Is(sendErr, mail.ErrRejected) {
		sendErr = kv.Permanent(sendErr)
	}
	if sendErr == nil && err == nil && m.Document != "" && m.Attempts > 0 {
		err = s.signing.MailDelivered(ctx, m.Company, m.Document, m.To)
	}
	return errors.Join(sendErr, err)
}

func (s *Service) change(id string, change func(tx *kv.Tx, m *Message)) error {
	return s.DB.Update(func(tx *kv.Tx) error {
		m, err := outbox.Get(tx, id)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		change(tx, &m)
		return outbox.Put(tx, id, m)
	})
}

// giveUp marks a message that no try has brought out, and has the document say
// so to its owner.
func (s *Service) giveUp(ctx context.Context, job kv.Job) {
	var failed Message
	err := s.change(string(job.Payload), func(tx *kv.Tx, m *Message) {
		if now, err := s.Jobs.Get(tx, job.ID); err == nil && now.State != kv.JobDead {
			return // somebody has it tried again already
		}
		m.Status = Failed
		failed = *m
	})
	if err == nil && failed.Document != "" {
		err = s.signing.MailFailed(ctx, failed.Company, failed.Document, failed.To)
	}
	if err != nil {
		s.Log.Error("marking a message as failed", "message", string(job.Payload), "error", err)
	}
}

// List gives messages, newest first, and how many there are. An empty company
// lists those of all.
func (s *Service) List(company string, offset, limit int) ([]Message, int, error) {
	prefix := kv.K(everybody)
	if company != "" {
		prefix = kv.K(company)
	}
	var page kv.Page[Message]
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		page, err = outbox.Page(tx, kv.Query{Index: "created", Prefix: prefix, Descending: true, Offset: offset, Limit: limit})
		return err
	})
	return page.Items, page.Total, err
}

// Mail records a message of the account room, or of an identification, in the
// caller's transaction.
func (s *Service) Mail(tx *kv.Tx, m account.Mail) error {
	data := map[string]string{"name": m.Name, "base": strings.TrimSuffix(s.BaseURL, "/")}
	for k, v := range m.Data {
		data[k] = v
	}
	if token := data["token"]; token != "" {
		path, ok := accountLinks[m.Kind]
		if !ok {
			return fmt.Errorf("notify: no link for a message of kind %s", m.Kind)
		}
		data["link"] = data["base"] + path + token
	}
	return s.write(tx, Message{Kind: string(m.Kind), To: m.To, ToName: m.Name}, m.Locale, data)
}

// accountLinks are the pages that tokens of messages lead to.
var accountLinks = map[account.MailKind]string{
	account.MailVerifyEmail: "/confirm/",
	account.MailReset:       "/reset/",
	account.MailInvite:      "/join/",
}
