package notify

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"paraph/app/mishap"
	"paraph/app/webhook"
	"paraph/kv"
)

// Posting is organised by webhook: each webhook with pending deliveries has a job, which posts
// a few at a time. So a slow receiver delays only itself, however much is queued for it.
const (
	pumpJob = "webhook"
	// WebhookWorkers is how many webhooks are posted to concurrently.
	WebhookWorkers = 16
	// pumpWidth is how many deliveries to one webhook are in progress concurrently.
	pumpWidth = 4
	// workerSlice is how long a webhook keeps its worker while others may be waiting.
	workerSlice = 15 * time.Second
)

// deliveryBackoff lists the pauses after failed attempts: about three days in total. Further
// attempts are a day apart.
var deliveryBackoff = []time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
	12 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitter is the maximum fraction added to a pause, so that deliveries that failed
// together are not retried together.
const jitter = 0.1

func pause(attempt int) time.Duration {
	d := deliveryBackoff[min(attempt, len(deliveryBackoff))-1]
	return d + time.Duration(rand.Float64()*jitter*float64(d))
}

// Handlers returns the jobs that post and clean up.
func (s *Webhooks) Handlers() []kv.Handler {
	return []kv.Handler{
		{Kind: pumpJob, Run: s.pump, Backoff: []time.Duration{
			time.Second, 10 * time.Second, time.Minute, time.Minute, time.Minute, time.Hour, time.Hour}},
		{Kind: deliverySweep, Timeout: 10 * time.Minute, Run: s.sweep, Backoff: []time.Duration{time.Minute, time.Hour}},
	}
}

// pumpNext schedules posting to a webhook for when its next delivery is due,
// unless it is paused.
func (s *Webhooks) pumpNext(tx *kv.Tx, w Webhook) error {
	if !w.Enabled {
		return nil
	}
	var first *Delivery
	err := deliveries.Each(tx, "due", kv.K(w.ID), func(_ string, d Delivery) (bool, error) {
		first = &d
		return false, nil
	})
	if err != nil || first == nil {
		return err
	}
	due := tx.Now
	if first.Next.After(due) {
		due = *first.Next
	}
	return s.Jobs.Add(tx, kv.Job{Kind: pumpJob, Scope: w.Company, Key: w.ID, Payload: []byte(w.ID), Due: due})
}

// pump posts the due deliveries of one webhook for a while, and schedules the rest for later. A
// job that starts while another is running has nothing to do: the other one checks again after
// it has released the webhook.
func (s *Webhooks) pump(ctx context.Context, job kv.Job) error {
	id := string(job.Payload)
	if !s.take(id) {
		return nil
	}
	err := s.pumpSlice(ctx, id)
	s.leave(id)
	if err != nil {
		return err
	}
	return s.DB.For(job.Scope).Update(func(tx *kv.Tx) error {
		w, err := webhooks.Get(tx, id)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		return errors.Join(err, s.pumpNext(tx, w))
	})
}

func (s *Webhooks) take(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pumping[id] {
		return false
	}
	s.pumping[id] = true
	return true
}

func (s *Webhooks) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pumping, id)
}

func (s *Webhooks) pumpSlice(ctx context.Context, id string) (err error) {
	end := time.Now().Add(workerSlice)
	for more := true; more && err == nil && time.Now().Before(end); {
		more, err = s.pumpSome(ctx, id)
	}
	return err
}

// pumpSome posts the next few due deliveries concurrently.
func (s *Webhooks) pumpSome(ctx context.Context, id string) (more bool, err error) {
	w, due, err := s.due(id)
	if errors.Is(err, errTokenEnded) {
		return false, s.pauseEnded(w)
	}
	if err != nil || len(due) == 0 {
		return false, err
	}
	errs := make([]error, len(due))
	var posting sync.WaitGroup
	for i := range due {
		posting.Go(func() { _, errs[i] = s.post(ctx, w, due[i]) })
	}
	posting.Wait()
	return true, errors.Join(errs...)
}

var errTokenEnded = errors.New("notify: the token that made the webhook was revoked or has expired")

// pauseEnded pauses a webhook of a program whose token no longer works.
func (s *Webhooks) pauseEnded(w Webhook) error {
	return s.DB.For(w.Company).Update(func(tx *kv.Tx) error {
		now, err := webhooks.Get(tx, w.ID)
		if errors.Is(err, kv.ErrNotFound) || err == nil && now.Token != w.Token {
			return nil
		}
		if err != nil {
			return err
		}
		now.Enabled = false
		return webhooks.Put(tx, now.ID, now)
	})
}

// due returns the next few due deliveries; none for a webhook that is paused or deleted.
func (s *Webhooks) due(id string) (w Webhook, due []Delivery, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		w, err = webhooks.Get(tx, id)
		if errors.Is(err, kv.ErrNotFound) || err == nil && !w.Enabled {
			return nil
		}
		if err != nil {
			return err
		}
		if works, err := w.works(tx); err != nil || !works {
			return cmp.Or(err, errTokenEnded)
		}
		now := tx.NowIn(w.Company)
		return deliveries.Each(tx, "due", kv.K(id), func(_ string, d Delivery) (bool, error) {
			if d.Next.After(now) {
				return false, nil
			}
			err := s.withBody(tx, &d)
			due = append(due, d)
			return len(due) < pumpWidth, err
		})
	})
	return w, due, err
}

// post makes one attempt at a delivery and records the result. An attempt cut short by the end
// of the process does not count.
func (s *Webhooks) post(ctx context.Context, w Webhook, d Delivery) (Delivery, error) {
	// Receivers compare the time of the message with their own clock, which a test double does
	// not control.
	begun := time.Now()
	m := webhook.Message{URL: w.URL, ID: d.Event, At: begun, Body: []byte(d.Body), Keys: s.keys(w, s.NowIn(w.Company))}
	client := s.Client
	if x := s.Mishaps.Take(mishap.Subject{Target: mishap.Webhooks, Company: w.Company, URL: w.URL, Type: d.Type}); x != nil {
		client = client.Via(x)
	}
	answer, postErr := client.Post(ctx, m)
	took := int(time.Since(begun).Milliseconds())
	if ctx.Err() != nil {
		return d, ctx.Err()
	}
	t := Try{At: s.NowIn(w.Company), Status: answer.Status, Milliseconds: took}
	if postErr != nil {
		t.Code = webhook.CodeOf(postErr)
		s.Log.Debug("webhook post failed", "webhook", w.ID, "delivery", d.ID, "error", errors.Unwrap(postErr))
	}
	err := s.DB.For(w.Company).Update(func(tx *kv.Tx) error {
		now, err := deliveries.Get(tx, d.ID)
		if errors.Is(err, kv.ErrNotFound) {
			return nil // the webhook was deleted
		}
		if err != nil {
			return err
		}
		d = now
		d.Headers, d.Answer = m.Headers(), answer
		return s.record(tx, &d, t)
	})
	return d, err
}

// record stores the result of an attempt, and updates the webhook.
func (s *Webhooks) record(tx *kv.Tx, d *Delivery, t Try) error {
	w, err := webhooks.Get(tx, d.Webhook)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	tx.OnCommit(s.isTried)
	d.Tries = append(d.Tries, t)
	d.Tries = d.Tries[max(0, len(d.Tries)-maxTries):]
	d.Attempts++
	d.Next = nil
	ok := d.Answer.OK()
	switch {
	case ok:
		d.Status = DeliveryDelivered
	case d.Answer.Gone():
		d.Status = DeliveryFailed
		w.Enabled, w.Gone = false, true
	case d.Type == TestEvent || d.Attempts >= s.Attempts:
		d.Status = DeliveryFailed
	default:
		d.Status, d.Next = DeliveryWaiting, new(tx.Now.Add(pause(d.Attempts)))
	}
	w.tried(ok, tx.Now)
	return errors.Join(deliveries.Put(tx, d.ID, *d), webhooks.Put(tx, w.ID, w))
}
