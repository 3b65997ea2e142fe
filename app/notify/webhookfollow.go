package notify

import (
	"context"
	"errors"
	"time"

	"paraph/app/signing"
	"paraph/kv"
)

const webhookFollower = "webhooks"

// maxUnmarked is how many entries that nobody wanted may be looked at again after
// a restart. Where nobody listens, moving on costs no commit.
const maxUnmarked = 1000

// Run follows the journal until ctx ends, and begins the cleaning of deliveries.
func (s *Webhooks) Run(ctx context.Context) error {
	if err := s.ScheduleSweep(); err != nil {
		return err
	}
	return s.DB.Follow(ctx, webhookFollower, func(context.Context) (bool, error) { return s.step() })
}

// CaughtUp has everything that happened so far recorded for those who want it.
func (s *Webhooks) CaughtUp(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = s.step(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Reset forgets what was looked at, when the store was emptied.
func (s *Webhooks) Reset() {
	s.following.Lock()
	defer s.following.Unlock()
	s.seen = 0
}

// news is a part of the journal, and where it ends.
type news struct {
	entries []signing.Entry
	last    uint64
	mark    bool // the place has to be stored though nobody wants any of it
}

// step looks at the next events.
func (s *Webhooks) step() (more bool, err error) {
	s.following.Lock()
	defer s.following.Unlock()
	n, err := s.next()
	if err != nil || n.last == 0 {
		return false, err
	}
	if len(n.entries) > 0 || n.mark {
		err = s.DB.Update(func(tx *kv.Tx) error {
			told, err := s.tell(tx, n.entries)
			if told < len(n.entries) {
				n.last = n.entries[told].Seq - 1
			}
			return errors.Join(err, kv.SetPlace(tx, webhookFollower, n.last))
		})
	}
	if err == nil {
		s.seen = n.last
	}
	return true, err
}

// next gives those of the next entries that some webhook may want.
func (s *Webhooks) next() (n news, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		place, err := kv.Place(tx, webhookFollower)
		if err != nil {
			return err
		}
		head, err := s.Signing.JournalHead(tx)
		if err != nil {
			return err
		}
		from := max(place, s.seen)
		if head <= from {
			return nil
		}
		some, err := anyWebhook(tx)
		if err != nil {
			return err
		}
		if !some {
			s.seen = head
			return nil
		}
		entries, err := s.Signing.NextEvents(tx, from, steps)
		if err != nil || len(entries) == 0 {
			return err
		}
		n.last = entries[len(entries)-1].Seq
		n.mark = n.last > place+maxUnmarked
		n.entries, err = wantedBySome(tx, entries)
		return err
	})
	return n, err
}

func wantedBySome(tx *kv.Tx, entries []signing.Entry) (out []signing.Entry, err error) {
	hooks := byCompany{}
	for _, e := range entries {
		some, err := hooks.wanting(tx, e)
		if err != nil {
			return nil, err
		}
		if len(some) > 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// byCompany keeps the webhooks of companies while entries are looked at.
type byCompany map[string][]Webhook

// wanting are the webhooks that are to be told of an entry.
func (c byCompany) wanting(tx *kv.Tx, e signing.Entry) (out []Webhook, err error) {
	company := e.Value.Company
	all, ok := c[company]
	if !ok {
		if all, err = ofCompany(tx, company); err != nil {
			return nil, err
		}
		c[company] = all
	}
	for _, w := range all {
		if e.Seq > w.From && w.Wants(e.Value.Type) {
			out = append(out, w)
		}
	}
	return out, nil
}

const (
	// keptBody is how large a body may be to be kept with its delivery. A larger
	// one, of a document for very many people, is made anew for every try.
	keptBody = 16 << 10
	// toldAtOnce is how many bytes of bodies go into one transaction, about.
	toldAtOnce = 256 << 10
)

// tell makes the deliveries of some entries, and says how many entries that were.
func (s *Webhooks) tell(tx *kv.Tx, entries []signing.Entry) (told int, err error) {
	hooks, waiting, size := byCompany{}, map[string]Webhook{}, 0
	for ; told < len(entries) && size < toldAtOnce; told++ {
		some, err := hooks.wanting(tx, entries[told])
		if err != nil {
			return told, err
		}
		n, err := s.tellOne(tx, entries[told], some)
		if err != nil {
			return told, err
		}
		size += n
		for _, w := range some {
			waiting[w.ID] = w
		}
	}
	for _, w := range waiting {
		if err := s.pumpNext(tx, w); err != nil {
			return told, err
		}
	}
	return told, nil
}

// tellOne makes the deliveries of an entry, and says how large they are.
func (s *Webhooks) tellOne(tx *kv.Tx, e signing.Entry, some []Webhook) (size int, err error) {
	if len(some) == 0 {
		return 0, nil // they were changed meanwhile
	}
	h, err := s.Signing.Happening(tx, e)
	if err != nil {
		return 0, err
	}
	body, err := bodyOf(h)
	if err != nil {
		return 0, err
	}
	if len(body) > keptBody {
		body = ""
	}
	for _, w := range some {
		d := Delivery{ID: s.NewID().String(), Company: w.Company, Webhook: w.ID, Event: e.ID, Type: e.Value.Type, Document: e.Value.Document,
			Body: body, Status: DeliveryWaiting, Next: &tx.Now, CreatedAt: tx.Now}
		if err := deliveries.Put(tx, d.ID, d); err != nil {
			return 0, err
		}
		size += len(body)
	}
	return size, nil
}

// withBody gives a delivery its body, if that is not kept.
func (s *Webhooks) withBody(tx *kv.Tx, d *Delivery) error {
	if d.Body != "" {
		return nil
	}
	h, err := s.Signing.HappeningOf(tx, d.Event)
	if err != nil {
		return err
	}
	d.Body, err = bodyOf(h)
	return err
}

const (
	deliverySweep      = "webhook_sweep"
	deliverySweepEvery = time.Hour
	// maxDeliveries is how many deliveries of one webhook are kept.
	maxDeliveries = 10_000
)

// ScheduleSweep has the cleaning of deliveries begin now.
func (s *Webhooks) ScheduleSweep() error {
	return s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now) })
}

func (s *Webhooks) sweepAt(tx *kv.Tx, at time.Time) error {
	return s.Jobs.Add(tx, kv.Job{Kind: deliverySweep, Key: "hourly", Due: at})
}

// sweep removes deliveries that are old, and the oldest of webhooks that have too
// many.
func (s *Webhooks) sweep(ctx context.Context, _ kv.Job) error {
	err := s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now.Add(deliverySweepEvery)) })
	for more := true; more && err == nil; {
		err = s.DB.Update(func(tx *kv.Tx) (err error) {
			more, err = s.removeOld(tx)
			return errors.Join(err, ctx.Err())
		})
	}
	if err != nil {
		return err
	}
	full, err := s.full()
	for _, id := range full {
		for more := true; more && err == nil; {
			err = s.DB.Update(func(tx *kv.Tx) (err error) {
				more, err = removeOldest(tx, id, maxDeliveries)
				return errors.Join(err, ctx.Err())
			})
		}
	}
	return err
}

// removeOld removes some of what is older than deliveries are kept. Identifiers
// grow with time, so the oldest come first.
func (s *Webhooks) removeOld(tx *kv.Tx) (more bool, err error) {
	before := tx.Now.AddDate(0, 0, -s.Days)
	var old []string
	err = deliveries.Each(tx, "", nil, func(id string, d Delivery) (bool, error) {
		if d.CreatedAt.After(before) {
			return false, nil
		}
		if d.Status != DeliveryWaiting {
			old = append(old, id)
		}
		return len(old) < sweepBatch, nil
	})
	return len(old) == sweepBatch, errors.Join(err, removeAll(tx, old))
}

// full are the webhooks with more deliveries than are kept.
func (s *Webhooks) full() (ids []string, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		return webhooks.Each(tx, "", nil, func(id string, _ Webhook) (bool, error) {
			n, err := deliveries.Count(tx, "webhook", kv.K(id, anyStatus))
			if n > maxDeliveries {
				ids = append(ids, id)
			}
			return true, err
		})
	})
	return ids, err
}

// removeOldest removes some of the oldest deliveries of a webhook, until there are
// keep of them.
func removeOldest(tx *kv.Tx, webhook string, keep int) (more bool, err error) {
	page, err := deliveries.Page(tx, kv.Query{Index: "webhook", Prefix: kv.K(webhook, anyStatus), Limit: sweepBatch})
	if err != nil {
		return false, err
	}
	n := max(0, min(page.Total-keep, len(page.IDs)))
	return page.Total-n > keep, removeAll(tx, page.IDs[:n])
}

func removeAll(tx *kv.Tx, ids []string) error {
	for _, id := range ids {
		if err := deliveries.Delete(tx, id); err != nil {
			return err
		}
	}
	return nil
}
