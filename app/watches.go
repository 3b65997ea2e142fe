package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"paraph/app/mail"
	"paraph/app/notify"
	"paraph/app/pki"
)

// mailQuiet is how long after the last message a connection to the mail server is tried.
const mailQuiet = 15 * time.Minute

// mailFailures is how many attempts in a row have to fail before the mail server counts as down.
const mailFailures = 2

// mailWatch knows whether the mail server takes messages: from those that are sent and, if there
// are none, from connections without a message.
type mailWatch struct {
	mu       sync.Mutex
	heard    time.Time // when the server last took or refused a message, or let us in
	failures int       // since then
	last     error
}

// note records the result of an attempt. A message refused for what it is, or for its recipient,
// shows that the server is there.
func (w *mailWatch) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || errors.Is(err, mail.ErrRejected) {
		w.heard, w.failures, w.last = time.Now(), 0, nil
		return
	}
	w.failures++
	w.last = err
}

// reset forgets what was known of another server.
func (w *mailWatch) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard, w.failures, w.last = time.Time{}, 0, nil
}

// check returns an error if the mail server is down. Unless it took a message lately, it connects.
func (w *mailWatch) check(ctx context.Context, s mail.SMTP) error {
	w.mu.Lock()
	fine := w.failures == 0 && time.Since(w.heard) < mailQuiet
	w.mu.Unlock()
	if fine {
		return nil
	}
	if err := s.Check(ctx); ctx.Err() == nil {
		w.note(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failures < mailFailures {
		return nil
	}
	return w.last
}

// watchedSender tells a watch how the messages fare that pass through it.
type watchedSender struct {
	notify.Sender
	watch *mailWatch
}

// Deliver implements [notify.Sender].
func (s watchedSender) Deliver(ctx context.Context, m mail.Message) (reply string, err error) {
	reply, err = s.Sender.Deliver(ctx, m)
	if err == nil || ctx.Err() == nil {
		s.watch.note(err)
	}
	return reply, err
}

// How long what is known of the timestamp authority counts before it is asked again.
const (
	authorityServes = time.Minute
	authorityDown   = 10 * time.Second
)

// authority is the configured timestamp authority. It knows whether the authority serves: from the
// timestamps that are made and, if there are none, from connections that request none, which would
// have their price. A nil authority stands for the built-in one.
type authority struct {
	pki.Timestamper
	url    string
	client *http.Client

	asking sync.Mutex // one question at a time

	mu  sync.Mutex
	at  time.Time // of the last answer; zero for none
	err error
}

// Timestamp implements [pki.Timestamper].
func (t *authority) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	token, err := t.Timestamper.Timestamp(ctx, digest)
	if err == nil || ctx.Err() == nil {
		t.note(err)
	}
	return token, err
}

func (t *authority) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.err = time.Now(), err
}

func (t *authority) host() string {
	u, err := url.Parse(t.url)
	if err != nil {
		return t.url
	}
	return u.Host
}

// known returns the last answer, and whether it is recent enough to count.
func (t *authority) known() (recent bool, asked bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := authorityServes
	if t.err != nil {
		counts = authorityDown
	}
	return !t.at.IsZero() && time.Since(t.at) < counts, !t.at.IsZero(), t.err
}

// serves returns an error if the authority gives no timestamps. The first question, and those
// after a failure, request one.
func (t *authority) serves(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.asking.Lock()
	defer t.asking.Unlock()
	recent, asked, err := t.known()
	if recent {
		return err
	}
	if asked && err == nil {
		err = t.reach(ctx)
		if ctx.Err() == nil {
			t.note(err)
		}
		return err
	}
	sum := sha256.Sum256([]byte("paraph"))
	_, err = t.Timestamp(ctx, sum[:])
	return err
}

// reach connects to the authority. Whatever it answers, it is there.
func (t *authority) reach(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, t.url, nil)
	if err != nil {
		return err
	}
	res, err := t.client.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// For how long a change may be missing from the search index.
const (
	searchLate   = 5 * time.Minute
	searchUrgent = time.Hour
)

// searchWatch measures how long the search index has been behind.
type searchWatch struct {
	mu     sync.Mutex
	target uint64 // the change that has to be indexed next; 0 for none
	since  time.Time
}

// behind returns how long a change has been missing from an index that has come to a place and lacks
// a number of changes.
func (w *searchWatch) behind(place, lag uint64, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case lag == 0:
		w.target = 0
		return 0
	case w.target == 0 || place >= w.target:
		w.target, w.since = place+lag, now
	}
	return now.Sub(w.since)
}
