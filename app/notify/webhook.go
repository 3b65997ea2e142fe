package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/signing/trail"
	"paraph/app/webhook"
	"paraph/kv"
)

// WebhookOptions are the dependencies and settings of webhooks.
type WebhookOptions struct {
	DB       *kv.DB
	Jobs     *kv.Jobs
	Store    *store.Store
	Trail    *trail.Trail
	Client   *webhook.Client
	Key      []byte // from which secrets are derived
	NewID    func() ulid.ULID
	Attempts int // per delivery
	Days     int // days after which a delivery is removed
	Now      func() time.Time
	Log      *slog.Logger

	Body     func(trail.FeedEvent) (string, error)              // builds the message about an event
	TestBody func(webhook string, at time.Time) (string, error) // builds a test message
}

// Webhooks notifies programs of events: it follows the journal, makes a delivery for every
// webhook subscribed to an event, and posts it until the receiver has accepted it. A delivery
// is recorded in the transaction that moves the follower on, so no event is left out; a
// receiver may get one twice and can tell by its identifier.
type Webhooks struct {
	WebhookOptions
	tests    *limit.Limiter // test messages, per company
	follower *kv.Follower[signing.Event]

	mu      sync.Mutex
	pumping map[string]bool // webhooks being posted to
}

// NewWebhooks returns the service.
func NewWebhooks(o WebhookOptions) *Webhooks {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Webhooks{WebhookOptions: o, tests: limit.New(20, time.Minute, o.Now), pumping: map[string]bool{}}
	s.follower = newWebhookFollower(s)
	return s
}

// Webhook is a receiver of a company's events.
type Webhook struct {
	ID        string
	Company   string
	URL       string
	Events    []string // kinds; AllEvents alone means all
	Enabled   bool
	Gone      bool // paused because the receiver responded 410
	CreatedAt time.Time
	UpdatedAt time.Time
	// FailingSince is the time of the first failure since the last success.
	FailingSince *time.Time `json:",omitempty"`
	Days         []WebhookDay
	// Generation counts the webhook's secrets. The previous one is also used for signing until
	// OldUntil.
	Generation int
	OldUntil   *time.Time `json:",omitempty"`
	// From is the last journal entry before the webhook was created or enabled.
	From uint64
	// Secret is set only right after it was created, and never stored.
	Secret string `json:"-"`
}

// WebhookDay counts the attempts of a day, in UTC.
type WebhookDay struct {
	Day       string
	Delivered int
	Failed    int
}

// AllEvents is the filter that matches every event.
const AllEvents = "*"

const (
	// maxWebhooks is how many webhooks a company can have.
	maxWebhooks = 20
	// maxWebhookURL is the maximum length of an address, in characters.
	maxWebhookURL = 2000
	// webhookDays is the number of days for which attempts are counted.
	webhookDays = 7
	// oldSecret is how long the previous secret is still used for signing, so that a receiver
	// can switch without losing events.
	oldSecret = 24 * time.Hour
)

var webhooks = kv.NewCollection("webhooks", kv.JSON[Webhook](),
	kv.Index[Webhook]{Name: "company", Counted: true, Keys: func(w Webhook) []kv.Key { return []kv.Key{kv.K(w.Company)} }})

// Subscribes reports whether the webhook is subscribed to a kind of event.
func (w Webhook) Subscribes(kind string) bool {
	return w.Enabled && (slices.Contains(w.Events, AllEvents) || slices.Contains(w.Events, kind))
}

// Recent counts the attempts of the last seven days.
func (w Webhook) Recent(now time.Time) (delivered, failed int) {
	first := now.UTC().AddDate(0, 0, 1-webhookDays).Format(time.DateOnly)
	for _, d := range w.Days {
		if d.Day >= first {
			delivered, failed = delivered+d.Delivered, failed+d.Failed
		}
	}
	return delivered, failed
}

// tried counts an attempt.
func (w *Webhook) tried(ok bool, now time.Time) {
	today := now.UTC().Format(time.DateOnly)
	if len(w.Days) == 0 || w.Days[len(w.Days)-1].Day != today {
		w.Days = append(w.Days, WebhookDay{Day: today})
		w.Days = w.Days[max(0, len(w.Days)-webhookDays-1):]
	}
	day := &w.Days[len(w.Days)-1]
	switch {
	case ok:
		day.Delivered++
		w.FailingSince = nil
	default:
		day.Failed++
		if w.FailingSince == nil {
			w.FailingSince = &now
		}
	}
}

// key returns the key that signs the messages of a webhook. Keys are not stored.
func (s *Webhooks) key(id string, generation int) []byte {
	m := hmac.New(sha256.New, s.Key)
	m.Write([]byte("webhook secret\x00" + id + "\x00" + strconv.Itoa(generation)))
	return m.Sum(nil)
}

// keys returns all keys that currently sign messages.
func (s *Webhooks) keys(w Webhook, now time.Time) [][]byte {
	all := [][]byte{s.key(w.ID, w.Generation)}
	if w.OldUntil != nil && now.Before(*w.OldUntil) {
		all = append(all, s.key(w.ID, w.Generation-1))
	}
	return all
}

func (s *Webhooks) reveal(w Webhook) Webhook {
	w.Secret = webhook.Secret(s.key(w.ID, w.Generation))
	return w
}

// WebhookInput holds the settings of a webhook; nil keeps the current value.
type WebhookInput struct {
	URL     *string
	Events  *[]string // empty: all
	Enabled *bool
}

// apply checks an input and writes it to the webhook.
func (s *Webhooks) apply(w *Webhook, in WebhookInput) error {
	var f fault.Fields
	if in.URL != nil {
		w.URL = strings.TrimSpace(*in.URL)
	}
	s.checkURL(&f, w.URL)
	if in.Events != nil {
		w.Events = filter(&f, *in.Events)
	}
	if in.Enabled != nil {
		w.Enabled = *in.Enabled
	}
	if w.Enabled {
		w.Gone = false
	}
	return f.Err()
}

func (s *Webhooks) checkURL(f *fault.Fields, address string) {
	u, err := url.Parse(address)
	switch {
	case address == "":
		f.Required("url")
	case len(address) > maxWebhookURL:
		f.TooLong("url", maxWebhookURL)
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || strings.ContainsFunc(address, notInURL):
		f.Add("url", "not_a_full_address")
	case u.User != nil:
		f.Add("url", "credentials_in_address")
	case !s.Client.MayReach(u.Hostname()):
		f.Add("url", "private_address")
	}
}

func notInURL(r rune) bool { return r <= ' ' || r == 0x7f }

// filter returns the requested kinds of events in standard order, or only AllEvents.
func filter(f *fault.Fields, events []string) []string {
	if len(events) == 0 || slices.Contains(events, AllEvents) {
		return []string{AllEvents}
	}
	var out []string
	for _, kind := range record.EventNames() {
		if slices.Contains(events, kind) {
			out = append(out, kind)
		}
	}
	for i, kind := range events {
		if !slices.Contains(out, kind) {
			f.Selected(fmt.Sprintf("events.%d", i))
		}
	}
	return out
}

// ListWebhooks returns the webhooks of the company, oldest first.
func (s *Webhooks) ListWebhooks(_ context.Context, who account.Actor) (list []Webhook, err error) {
	if err := admin(who); err != nil {
		return nil, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		list, err = ofCompany(tx, who.CompanyID)
		return err
	})
	return list, err
}

func ofCompany(tx *kv.Tx, company string) (list []Webhook, err error) {
	err = webhooks.Each(tx, "company", kv.K(company), func(_ string, w Webhook) (bool, error) {
		list = append(list, w)
		return true, nil
	})
	return list, err
}

// GetWebhook returns one of the company's webhooks.
func (s *Webhooks) GetWebhook(_ context.Context, who account.Actor, id string) (w Webhook, err error) {
	if err := admin(who); err != nil {
		return Webhook{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		w, err = loadWebhook(tx, who, id)
		return err
	})
	return w, err
}

func loadWebhook(tx *kv.Tx, who account.Actor, id string) (Webhook, error) {
	w, err := webhooks.Get(tx, id)
	if errors.Is(err, kv.ErrNotFound) || err == nil && w.Company != who.CompanyID {
		return Webhook{}, fault.NotFound("webhook")
	}
	return w, err
}

// CreateWebhook creates a webhook for all events from now on. The result contains its secret,
// which is not shown again.
func (s *Webhooks) CreateWebhook(_ context.Context, who account.Actor, in WebhookInput) (Webhook, error) {
	if err := admin(who); err != nil {
		return Webhook{}, err
	}
	w := Webhook{Company: who.CompanyID, Events: []string{AllEvents}, Enabled: true, Generation: 1}
	if err := s.apply(&w, in); err != nil {
		return Webhook{}, err
	}
	err := s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		n, err := webhooks.Count(tx, "company", kv.K(who.CompanyID))
		if err != nil {
			return err
		}
		if n >= maxWebhooks {
			return fault.Conflict("too_many_webhooks", fault.Number("limit", maxWebhooks))
		}
		if w.From, err = s.Store.JournalHead(tx); err != nil {
			return err
		}
		w.ID, w.CreatedAt, w.UpdatedAt = s.NewID().String(), tx.Now, tx.Now
		return errors.Join(webhooks.Put(tx, w.ID, w), who.Once.Done(tx, w.ID))
	})
	if err != nil {
		return Webhook{}, err
	}
	return s.reveal(w), nil
}

// anyWebhook reports whether any company has a webhook.
func anyWebhook(tx *kv.Tx) (some bool, err error) {
	err = webhooks.Each(tx, "", nil, func(string, Webhook) (bool, error) {
		some = true
		return false, nil
	})
	return some, err
}

// UpdateWebhook changes a webhook. A paused webhook is not notified, and events during the
// pause are not delivered later; deliveries queued when it was paused resume.
func (s *Webhooks) UpdateWebhook(_ context.Context, who account.Actor, id string, in WebhookInput) (Webhook, error) {
	return s.edit(who, id, func(tx *kv.Tx, w *Webhook) (err error) {
		was := w.Enabled
		if err := s.apply(w, in); err != nil || was || !w.Enabled {
			return err
		}
		if w.From, err = s.Store.JournalHead(tx); err != nil {
			return err
		}
		return s.pumpNext(tx, *w)
	})
}

// RotateSecret returns the webhook with a new secret, which is not shown again. For a day,
// messages are signed with both.
func (s *Webhooks) RotateSecret(_ context.Context, who account.Actor, id string) (Webhook, error) {
	w, err := s.edit(who, id, func(tx *kv.Tx, w *Webhook) error {
		w.Generation++
		w.OldUntil = new(tx.Now.Add(oldSecret))
		return nil
	})
	if err != nil {
		return Webhook{}, err
	}
	return s.reveal(w), nil
}

func (s *Webhooks) edit(who account.Actor, id string, change func(tx *kv.Tx, w *Webhook) error) (w Webhook, err error) {
	if err := admin(who); err != nil {
		return Webhook{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if w, err = loadWebhook(tx, who, id); err != nil {
			return err
		}
		if err := change(tx, &w); err != nil {
			return err
		}
		w.UpdatedAt = tx.Now
		return errors.Join(webhooks.Put(tx, w.ID, w), who.Once.Done(tx, w.ID))
	})
	if err != nil {
		return Webhook{}, err
	}
	return w, nil
}

// DeleteWebhook removes a webhook and its deliveries.
func (s *Webhooks) DeleteWebhook(ctx context.Context, who account.Actor, id string) error {
	if err := admin(who); err != nil {
		return err
	}
	err := s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if _, err := loadWebhook(tx, who, id); err != nil {
			return err
		}
		return errors.Join(webhooks.Delete(tx, id), s.Jobs.Cancel(tx, pumpJob, id))
	})
	for more := true; more && err == nil; {
		err = s.DB.Update(func(tx *kv.Tx) (err error) {
			more, err = removeOldest(tx, id, 0)
			return errors.Join(err, ctx.Err())
		})
	}
	return err
}
