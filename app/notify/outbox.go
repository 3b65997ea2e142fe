package notify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/app/mail"
	"paraph/app/signing"
	"paraph/kv"
)

// statuses lists all states of a message.
var statuses = []string{Kept, Queued, Sent, Failed, Bounced, Cancelled}

// OutboxQuery selects messages of a company, newest first by default.
type OutboxQuery struct {
	Offset, Limit int
	Statuses      []string // any of these; empty: all
	To            string   // the beginning of an address; "" for any
	Document      string   // "" for any
	Ascending     bool
}

// ListMessages lists the messages about a company's documents, for its
// administrators. Messages that only their recipient may read (a new password, a
// code) belong to no company and are not listed.
func (s *Outbox) ListMessages(_ context.Context, who account.Actor, q OutboxQuery) (list list.Page[Message], err error) {
	if err := admin(who); err != nil {
		return list, err
	}
	if q.Statuses, err = wanted(q.Statuses); err != nil {
		return list, err
	}
	q.Offset, q.Limit = max(q.Offset, 0), max(q.Limit, 0)
	q.Statuses = slices.Compact(slices.Sorted(slices.Values(q.Statuses)))
	err = s.DB.View(func(tx *kv.Tx) error {
		switch {
		case q.Document != "":
			list, err = q.walk(s, tx, "document", kv.K(who.CompanyID, q.Document))
		case q.To != "":
			list, err = q.walk(s, tx, "to", kv.K(who.CompanyID).Starting(input.FoldEmail(q.To)))
		case len(q.Statuses) == 0:
			list, err = q.part(s, tx, "created", kv.K(who.CompanyID), q.Offset, q.Limit)
		default:
			list, err = q.union(s, tx, who.CompanyID)
		}
		return err
	})
	return list, err
}

// wanted parses states, including the words that all lists accept: every message is active,
// none is archived or deleted.
func wanted(words []string) (out []string, err error) {
	for _, word := range words {
		switch {
		case word == "active":
			out = append(out, statuses...)
		case word == "archived" || word == "deleted" || slices.Contains(statuses, word):
			out = append(out, word)
		default:
			var f fault.Fields
			f.OneOf("status", append([]string{"active", "archived", "deleted"}, statuses...)...)
			return nil, f.Err()
		}
	}
	return out, nil
}

func admin(who account.Actor) error {
	if who.IsSignatory() {
		return fault.Forbidden("signatory_not_allowed")
	}
	return who.Require(account.ScopeAdmin)
}

// part reads a page directly from an index.
func (q OutboxQuery) part(s *Outbox, tx *kv.Tx, index string, prefix kv.Key, offset, limit int) (list.Page[Message], error) {
	p, err := outbox.Page(tx, kv.Query{Index: index, Prefix: prefix, Descending: !q.Ascending, Offset: offset, Limit: limit})
	return list.Page[Message]{Items: p.Items, Total: p.Total}, errors.Join(err, s.unsealAll(p.Items))
}

// union merges the messages in several states.
func (q OutboxQuery) union(s *Outbox, tx *kv.Tx, company string) (list.Page[Message], error) {
	var all list.Page[Message]
	for _, status := range q.Statuses {
		part, err := q.part(s, tx, "status", kv.K(company, status), 0, q.Offset+q.Limit)
		if err != nil {
			return list.Page[Message]{}, err
		}
		all.Items, all.Total = append(all.Items, part.Items...), all.Total+part.Total
	}
	all.Items = q.window(all.Items)
	return all, nil
}

// walk scans the few messages about one document or to one person.
func (q OutboxQuery) walk(s *Outbox, tx *kv.Tx, index string, prefix kv.Key) (list.Page[Message], error) {
	var found []Message
	err := outbox.Each(tx, index, prefix, func(_ string, m Message) (bool, error) {
		fits := len(q.Statuses) == 0 || slices.Contains(q.Statuses, m.Status)
		if fits && strings.HasPrefix(input.FoldEmail(m.To), input.FoldEmail(q.To)) {
			found = append(found, m)
		}
		return true, nil
	})
	total, shown := len(found), q.window(found)
	return list.Page[Message]{Items: shown, Total: total}, errors.Join(err, s.unsealAll(shown))
}

// window sorts messages and returns one page of them.
func (q OutboxQuery) window(all []Message) []Message {
	slices.SortFunc(all, func(a, b Message) int {
		if !q.Ascending {
			a, b = b, a
		}
		return cmp.Compare(a.ID, b.ID)
	})
	all = all[min(q.Offset, len(all)):]
	return all[:min(q.Limit, len(all))]
}

// GetMessage returns one message of the company, for its administrators.
func (s *Outbox) GetMessage(_ context.Context, who account.Actor, id string) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		m, err = s.load(tx, who, id)
		return err
	})
	return m.shownTo(who), err
}

// shownTo returns the message as a reader may see it: a message to an invited person contains
// their link, which is shown only to those who may send or sign. Links and codes that only
// [Service.Reveal] shows are removed.
func (m Message) shownTo(who account.Actor) Message {
	switch {
	case m.Private():
		return m.Covered()
	case m.Invitation != "" && !signing.MaySeeLinks(who):
		m.Text, m.HTML, m.Links = "", "", nil
	}
	return m
}

func (s *Outbox) load(tx *kv.Tx, who account.Actor, id string) (Message, error) {
	m, err := s.read(tx, id)
	if errors.Is(err, kv.ErrNotFound) || err == nil && (m.Company == "" || m.Company != who.CompanyID) {
		return Message{}, fault.NotFound("message")
	}
	return m, err
}

// Source returns a message in its transmitted form: RFC 5322, the content of an .eml file.
func (s *Outbox) Source(ctx context.Context, who account.Actor, id string) ([]byte, error) {
	m, err := s.GetMessage(ctx, who, id)
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
func (s *Outbox) Retry(_ context.Context, who account.Actor, id string) (Message, error) {
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
func (s *Outbox) Cancel(_ context.Context, who account.Actor, id string) (Message, error) {
	return s.edit(who, id, func(tx *kv.Tx, m *Message) error {
		if m.Status != Queued {
			return fault.Conflict("message_not_queued")
		}
		m.Status = Cancelled
		return s.Jobs.Remove(tx, jobID(m.ID))
	})
}

// edit changes a message of the company that is not currently being sent.
func (s *Outbox) edit(who account.Actor, id string, change func(tx *kv.Tx, m *Message) error) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if m, err = s.load(tx, who, id); err != nil {
			return err
		}
		return errors.Join(s.editIn(tx, &m, change), who.Once.Done(tx, m.ID))
	})
	if err != nil {
		return Message{}, err
	}
	return m.shownTo(who), nil
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
	return s.store(tx, *m)
}

// testKind is the kind of the message that tests mail delivery.
const testKind = "test"

// SendTest immediately sends a message to an address, or ("") to the caller, and returns the
// mail server's reply. If the server refuses, the error contains its own words.
func (s *Outbox) SendTest(ctx context.Context, who account.Actor, address string) (reply string, err error) {
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
func (s *Outbox) TestMessage(who account.Actor, address string) (mail.Message, error) {
	m, err := s.testMessage(who, address)
	return s.envelope(m), err
}

func (s *Outbox) testMessage(who account.Actor, address string) (m Message, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		company, err := account.LoadCompany(tx, who.CompanyID)
		if err != nil {
			return err
		}
		m, err = s.compose(tx, Message{Kind: testKind, To: address}, company.Locale, map[string]string{"company": company.Name})
		m.ID, m.CreatedAt = s.NewID().String(), tx.Now
		return err
	})
	return m, err
}

// sweepJob removes old messages, once a day.
const (
	sweepJob   = "outbox_sweep"
	sweepEvery = 24 * time.Hour
	sweepBatch = 500
)

// ScheduleSweep starts the daily removal of old messages now.
func (s *Outbox) ScheduleSweep() error {
	return s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now) })
}

func (s *Outbox) sweepAt(tx *kv.Tx, at time.Time) error {
	return s.Jobs.Add(tx, kv.Job{Kind: sweepJob, Key: "daily", Due: at})
}

// sweep removes messages past their retention time that are no longer waiting.
func (s *Outbox) sweep(ctx context.Context, _ kv.Job) error {
	err := s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now.Add(sweepEvery)) })
	for more := true; more && err == nil; {
		err = s.DB.Update(func(tx *kv.Tx) (err error) {
			more, err = s.sweepSome(tx)
			return errors.Join(err, ctx.Err())
		})
	}
	return errors.Join(err, s.sealOld(ctx))
}

func (s *Outbox) sweepSome(tx *kv.Tx) (more bool, err error) {
	if s.Days == 0 {
		return false, nil
	}
	before := tx.Now.AddDate(0, 0, -s.Days)
	var old []string
	err = outbox.Each(tx, "created", kv.K(everybody), func(id string, m Message) (bool, error) {
		if m.CreatedAt.After(before) {
			return false, nil
		}
		if m.Status != Queued {
			old = append(old, id)
		}
		return len(old) < sweepBatch, nil
	})
	for _, id := range old {
		err = errors.Join(err, outbox.Delete(tx, id))
	}
	return len(old) == sweepBatch, err
}
