package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/limit"
	"paraph/app/mishap"
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
	Mishaps  *mishap.Register // that deliveries of a test double meet
	Key      []byte           // from which secrets are derived
	NewID    func() ulid.ULID
	Attempts int // per delivery
	Days     int // days after which a delivery is removed
	Now      func() time.Time
	NowIn    func(company string) time.Time // default Now for all of them
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
	follower *kv.Follower[record.Event]

	mu      sync.Mutex
	pumping map[string]bool // webhooks being posted to

	attempted chan struct{} // closed with the next attempt
}

// NewWebhooks returns the service.
func NewWebhooks(o WebhookOptions) *Webhooks {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.NowIn == nil {
		o.NowIn = func(string) time.Time { return o.Now() }
	}
	s := &Webhooks{WebhookOptions: o, tests: limit.New(20, time.Minute, o.Now), pumping: map[string]bool{}, attempted: make(chan struct{})}
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
	Gone      bool   // paused because the receiver responded 410
	Token     string `json:",omitempty"` // ID of the API token that made or resumed it; "" if a person did
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

// madeBy records who made or resumed the webhook. What a program set up ends with its token.
func (w *Webhook) madeBy(who account.Call) {
	if w.Token = ""; who.Kind == account.ActorToken {
		w.Token = who.TokenID
	}
}

// works reports whether the token of the program that set up the webhook still works.
func (w *Webhook) works(tx *kv.Tx) (bool, error) {
	if w.Token == "" {
		return true, nil
	}
	return account.Works(tx, w.Company, account.ActorToken, w.Token)
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
