package notify

import (
	"context"
	"errors"
	"time"

	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

const webhookFollower = "webhooks"

// Run follows the journal until ctx ends, and schedules the removal of old deliveries.
func (s *Webhooks) Run(ctx context.Context) error {
	if err := s.ScheduleSweep(); err != nil {
		return err
	}
	return s.follower.Run(ctx)
}

// CaughtUp records the deliveries for all events so far.
func (s *Webhooks) CaughtUp(ctx context.Context) error { return s.follower.CaughtUp(ctx) }

func newWebhookFollower(s *Webhooks) *kv.Follower[record.Event] {
	return kv.NewFollower(kv.FollowerOptions[record.Event]{DB: s.DB, Log: store.Journal(), Name: webhookFollower,
		Idle:   func(tx *kv.Tx) (bool, error) { some, err := anyWebhook(tx); return !some, err },
		InTurn: true, Match: anySubscribed, Do: s.deliver})
}

// anySubscribed reports whether any webhook is subscribed to an entry.
func anySubscribed(tx *kv.Tx, e record.Entry) (bool, error) {
	some, err := subscribed(tx, e)
	return len(some) > 0, err
}

// subscribed lists the webhooks subscribed to an entry.
func subscribed(tx *kv.Tx, e record.Entry) (out []Webhook, err error) {
	all, err := ofCompany(tx, e.Value.Company)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if e.Seq > w.From && w.Subscribes(string(e.Value.Type)) {
			out = append(out, w)
		}
	}
	return out, nil
}

// keptBody is the maximum size of a body stored with its delivery. A larger one, of a document
// with very many people, is rebuilt for every attempt.
const keptBody = 16 << 10

// deliver creates the deliveries of an entry.
func (s *Webhooks) deliver(tx *kv.Tx, e record.Entry, _ int) (int, error) {
	some, err := subscribed(tx, e)
	if err != nil || len(some) == 0 { // they may have been changed in the meantime
		return 0, err
	}
	event, err := s.Trail.FeedEvent(tx, e)
	if err != nil {
		return 0, err
	}
	body, err := s.Body(event)
	if err != nil {
		return 0, err
	}
	if len(body) > keptBody {
		body = ""
	}
	for _, w := range some {
		d := Delivery{ID: s.NewID().String(), Company: w.Company, Webhook: w.ID, Event: e.ID, Type: string(e.Value.Type),
			Document: e.Value.Document, Body: body, Status: DeliveryWaiting, Next: &tx.Now, CreatedAt: tx.Now}
		if err := errors.Join(deliveries.Put(tx, d.ID, d), s.pumpNext(tx, w)); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// withBody builds the body of a delivery if it is not stored.
func (s *Webhooks) withBody(tx *kv.Tx, d *Delivery) error {
	if d.Body != "" {
		return nil
	}
	event, err := s.Trail.GetFeedEvent(tx, d.Event)
	if err != nil {
		return err
	}
	d.Body, err = s.Body(event)
	return err
}

const (
	deliverySweep      = "webhook_sweep"
	deliverySweepEvery = time.Hour
	// maxDeliveries is how many deliveries of one webhook are kept.
	maxDeliveries = 10_000
)

// ScheduleSweep starts the removal of old deliveries now.
func (s *Webhooks) ScheduleSweep() error {
	return s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now) })
}

func (s *Webhooks) sweepAt(tx *kv.Tx, at time.Time) error {
	return s.Jobs.Add(tx, kv.Job{Kind: deliverySweep, Key: "hourly", Due: at})
}

// sweep removes old deliveries, and the oldest of webhooks that have too many.
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

// removeOld removes some of the deliveries past their retention time. Identifiers grow with
// time, so the oldest come first.
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

// full lists the webhooks with more deliveries than are kept.
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

// removeOldest removes some of a webhook's oldest deliveries, down to keep.
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
