package notify

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/webhook"
	"paraph/kv"
)

// States of a delivery.
const (
	DeliveryWaiting   = "waiting"   // for its first or its next attempt
	DeliveryDelivered = "delivered" // the receiver responded 2xx
	DeliveryFailed    = "failed"    // given up
)

// DeliveryStatuses lists the states of a delivery.
func DeliveryStatuses() []string {
	return []string{DeliveryWaiting, DeliveryDelivered, DeliveryFailed}
}

// TestEvent is the kind of the event used to test a receiver.
const TestEvent = "webhook.test"

// Delivery is one event to be delivered to one webhook.
type Delivery struct {
	ID        string
	Company   string
	Webhook   string
	Event     string // the identifier shown to the receiver, the same in every attempt
	Type      string
	Document  string
	Body      string // "": too large to be stored
	Status    string
	Attempts  int // of this round; a redelivery starts over
	Tries     []Try
	Headers   map[string]string // of the last request
	Answer    webhook.Answer    // of the last attempt
	Next      *time.Time        `json:",omitempty"` // while waiting
	CreatedAt time.Time
}

// Try is one attempt at a delivery.
type Try struct {
	At           time.Time
	Status       int          // 0: no response
	Code         webhook.Code `json:",omitempty"` // why there was no response
	Error        string       `json:",omitempty"` // the same in English, in records from before there was a code
	Milliseconds int
}

// Problem returns in words why there was no response, "" if there was one.
func (t Try) Problem(say fault.Sayer) string {
	if t.Code == "" {
		return t.Error
	}
	return say("webhook.error."+string(t.Code), nil)
}

// Last returns the last attempt, or nil.
func (d Delivery) Last() *Try {
	if len(d.Tries) == 0 {
		return nil
	}
	return &d.Tries[len(d.Tries)-1]
}

// maxTries is how many attempts of a delivery are kept.
const maxTries = 30

const anyStatus = "*"

var deliveries = kv.NewCollection("deliveries", kv.JSON[Delivery](),
	kv.Index[Delivery]{Name: "webhook", Counted: true, Depth: 2, Keys: func(d Delivery) []kv.Key {
		return []kv.Key{kv.K(d.Webhook, anyStatus), kv.K(d.Webhook, d.Status)}
	}},
	kv.Index[Delivery]{Name: "due", Keys: func(d Delivery) []kv.Key {
		if d.Status != DeliveryWaiting || d.Next == nil {
			return nil
		}
		return []kv.Key{kv.K(d.Webhook, kv.KeyTime(*d.Next))}
	}})

// DeliveryQuery selects deliveries of a webhook, newest first.
type DeliveryQuery struct {
	Offset, Limit int
	Status        string // "" for all
	Ascending     bool
}

// ListDeliveries lists the deliveries of one of the company's webhooks.
func (s *Webhooks) ListDeliveries(who account.Call, id string, q DeliveryQuery) (list list.Page[Delivery], err error) {
	if err := admin(who); err != nil {
		return list, err
	}
	if q.Status == "" {
		q.Status = anyStatus
	} else if !slices.Contains(DeliveryStatuses(), q.Status) {
		var f fault.Fields
		f.OneOf("status", DeliveryStatuses()...)
		return list, f.Err()
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		if _, err := loadWebhook(tx, who, id); err != nil {
			return err
		}
		page, err := deliveries.Page(tx, kv.Query{Index: "webhook", Prefix: kv.K(id, q.Status), Descending: !q.Ascending, Offset: q.Offset, Limit: q.Limit})
		list.Items, list.Total = page.Items, page.Total
		return err
	})
	return list, err
}

// Posting is a delivery that was tried, with the address.
type Posting struct {
	Delivery
	URL string
}

// WantedPostings selects what was posted; empty members select nothing.
type WantedPostings struct {
	Company  string
	Document string
	Type     string // of the event
	URL      string
	Status   string
}

func (w WantedPostings) fits(p Posting) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return len(p.Tries) > 0 && is(w.Company, p.Company) && is(w.Document, p.Document) && is(w.Type, p.Type) && is(w.URL, p.URL) && is(w.Status, p.Status)
}

// Posted returns what was posted to receivers, newest first. Deliveries that wait for their first
// attempt are not included.
func (s *Webhooks) Posted(w WantedPostings, offset, limit int) (found list.Page[Posting], err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		urls := map[string]string{}
		var all []Posting
		err := webhooks.Each(tx, "", nil, func(id string, w Webhook) (bool, error) {
			urls[id] = w.URL
			return true, nil
		})
		if err != nil {
			return err
		}
		err = deliveries.Each(tx, "", nil, func(_ string, d Delivery) (bool, error) {
			if p := (Posting{d, urls[d.Webhook]}); w.fits(p) {
				all = append(all, p)
			}
			return true, nil
		})
		slices.Reverse(all)
		first := min(offset, len(all))
		found = list.Page[Posting]{Items: all[first:min(first+limit, len(all))], Total: len(all)}
		for i := range found.Items {
			err = errors.Join(err, s.withBody(tx, &found.Items[i].Delivery))
		}
		return err
	})
	return found, err
}

// Tried returns a channel that is closed with the next attempt at a delivery.
func (s *Webhooks) Tried() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempted
}

func (s *Webhooks) isTried() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.attempted)
	s.attempted = make(chan struct{})
}

// GetDelivery returns one delivery.
func (s *Webhooks) GetDelivery(who account.Call, id, delivery string) (d Delivery, err error) {
	if err := admin(who); err != nil {
		return Delivery{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		if _, d, err = loadDelivery(tx, who, id, delivery); err != nil {
			return err
		}
		return s.withBody(tx, &d)
	})
	return d, err
}

func loadDelivery(tx *kv.Tx, who account.Call, id, delivery string) (Webhook, Delivery, error) {
	w, err := loadWebhook(tx, who, id)
	if err != nil {
		return Webhook{}, Delivery{}, err
	}
	d, err := deliveries.Get(tx, delivery)
	if errors.Is(err, kv.ErrNotFound) || err == nil && d.Webhook != id {
		return Webhook{}, Delivery{}, fault.NotFound("delivery")
	}
	return w, d, err
}

func errPaused() error {
	return fault.Conflict("webhook_paused")
}

// Redeliver posts a delivery again, with the full number of attempts. The receiver sees the
// same identifier and the same body.
func (s *Webhooks) Redeliver(who account.Call, id, delivery string) (d Delivery, err error) {
	if err := admin(who); err != nil {
		return Delivery{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		var w Webhook
		if w, d, err = loadDelivery(tx, who, id, delivery); err != nil {
			return err
		}
		if !w.Enabled {
			return errPaused()
		}
		if err := again(tx, &d); err != nil {
			return err
		}
		return errors.Join(s.pumpNext(tx, w), who.Once.Done(tx, w.ID, d.ID))
	})
	if err != nil {
		return Delivery{}, err
	}
	return d, nil
}

// again queues a delivery for its first attempt.
func again(tx *kv.Tx, d *Delivery) error {
	d.Status, d.Attempts, d.Next = DeliveryWaiting, 0, &tx.Now
	return deliveries.Put(tx, d.ID, *d)
}

// redeliverBatch is how many deliveries are queued again in one transaction.
const redeliverBatch = 50

// RedeliverFailed queues all failed deliveries again, and returns their number. With progress,
// as recorded with the last batch ([account.Once]), it goes on where it ended early.
func (s *Webhooks) RedeliverFailed(ctx context.Context, who account.Call, id string, progress ...string) (n int, err error) {
	if err := admin(who); err != nil {
		return 0, err
	}
	more := true
	if len(progress) == 2 {
		more = progress[1] == unfinished
		if n, err = strconv.Atoi(progress[0]); err != nil {
			return 0, err
		}
	}
	for more && err == nil {
		err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
			w, err := loadWebhook(tx, who, id)
			if err != nil {
				return err
			}
			if !w.Enabled {
				return errPaused()
			}
			page, err := deliveries.Page(tx, kv.Query{Index: "webhook", Prefix: kv.K(id, DeliveryFailed), Limit: redeliverBatch})
			for i := range page.Items {
				err = errors.Join(err, again(tx, &page.Items[i]))
			}
			n, more = n+len(page.Items), len(page.Items) == redeliverBatch
			state := ""
			if more {
				state = unfinished
			}
			return errors.Join(err, s.pumpNext(tx, w), who.Once.Done(tx, id, strconv.Itoa(n), state), ctx.Err())
		})
	}
	return n, err
}

// unfinished says that there are more deliveries to queue.
const unfinished = "unfinished"

// TestWebhook immediately posts a test event, even to a paused webhook, and returns the result.
// There is only one attempt.
func (s *Webhooks) TestWebhook(ctx context.Context, who account.Call, id string) (Delivery, error) {
	w, err := s.GetWebhook(who, id)
	if err != nil {
		return Delivery{}, err
	}
	if _, wait, ok := s.tests.Allow(who.CompanyID); !ok {
		return Delivery{}, fault.Throttled(s.tests.Limit(), wait)
	}
	var d Delivery
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d = Delivery{ID: s.NewID().String(), Company: w.Company, Webhook: w.ID, Event: s.NewID().String(), Type: TestEvent,
			Status: DeliveryFailed, CreatedAt: tx.Now}
		d.Body, err = s.TestBody(w.ID, tx.Now)
		return errors.Join(err, deliveries.Put(tx, d.ID, d), who.Once.Done(tx, w.ID, d.ID))
	})
	if err != nil {
		return Delivery{}, err
	}
	return s.post(ctx, w, d)
}
