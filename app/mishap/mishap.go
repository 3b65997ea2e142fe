// Package mishap keeps the failures that the tests of somebody's program ask a test double for.
//
// What can fail asks the register each time, right where a real failure would come from: at the
// connection, at the store. A nil register, which every other server has, lets nothing fail.
package mishap

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/fault"
)

// Target is a kind of thing that can fail.
type Target string

// What can fail.
const (
	Requests   Target = "requests"   // to the API and for pages
	Mail       Target = "mail"       // attempts to send a message
	Webhooks   Target = "webhooks"   // attempts to deliver an event
	Timestamps Target = "timestamps" // requests to the timestamp authority
	Sealing    Target = "sealing"    // likewise, when a document that everybody has signed is sealed
	Disk       Target = "disk"       // changes of a company's records
)

// How something fails, where that is not a status.
const (
	Cut      = "cut"      // the connection is closed before the answer
	Broken   = "broken"   // half of the answer comes
	Refused  = "refused"  // nobody listens
	Timeout  = "timeout"  // nobody answers
	Rejected = "rejected" // the mail server takes no such message
	Bounced  = "bounced"  // the mail server takes the message and returns it
)

// Answers lists how something can fail, for all targets.
func Answers() []string { return []string{Cut, Broken, Refused, Timeout, Rejected, Bounced} }

// kind says what can be asked of a target.
type kind struct {
	answers  []string
	usual    string // the answer if none is asked for
	statuses [2]int // none if zero
	delays   bool
	members  []string // that select what fails, besides the company
}

// kinds describes all targets.
func kinds() map[Target]kind {
	connection := []string{Refused, Timeout}
	return map[Target]kind{
		Requests:   {answers: []string{Cut, Broken}, statuses: [2]int{400, 599}, delays: true, members: []string{"method", "path"}},
		Mail:       {answers: []string{Refused, Timeout, Rejected, Bounced}, usual: Refused, delays: true, members: []string{"to", "kind"}},
		Webhooks:   {answers: []string{Refused, Timeout, Cut}, usual: Refused, statuses: [2]int{300, 599}, delays: true, members: []string{"url", "type"}},
		Timestamps: {answers: connection, usual: Refused, delays: true},
		Sealing:    {answers: connection, usual: Refused, delays: true},
		Disk:       {},
	}
}

// Targets lists what can fail.
func Targets() []string {
	return []string{string(Requests), string(Mail), string(Webhooks), string(Timestamps), string(Sealing), string(Disk)}
}

// Subject is something that can fail, or in a [Mishap] what selects such things: a member that is
// empty then selects all.
type Subject struct {
	Target  Target
	Company string
	Method  string // of a request
	Path    string // of a request; in a mishap * stands for any text
	To      string // of a message
	Kind    string // of a message
	URL     string // of a webhook
	Type    string // of an event
}

// Mishap says what fails, how often, and how.
type Mishap struct {
	Subject
	Times  int
	Status int // that is answered; 0 for none
	Delay  time.Duration
	Answer string
}

// Entry is a mishap in a register.
type Entry struct {
	ID string
	Mishap
	Hits int // how often something failed because of it
}

// Limits of a register.
const (
	maxEntries = 1000
	maxTimes   = 1_000_000
	// MaxDelay is how long something may be held up.
	MaxDelay = time.Minute
)

// Register holds mishaps. It is safe for concurrent use.
type Register struct {
	mu  sync.Mutex
	all []*Entry
}

// Add adds a mishap, or says what is wrong with it.
func (r *Register) Add(m Mishap) (Entry, error) {
	m.Target, m.Times = cmp.Or(m.Target, Requests), cmp.Or(m.Times, 1)
	var wrong fault.Fields
	k, known := kinds()[m.Target]
	if !known {
		wrong.OneOf("target", Targets()...)
		return Entry{}, wrong.Err()
	}
	m.check(&wrong, k)
	if m.Status == 0 && m.Answer == "" {
		m.Answer = k.usual
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) >= maxEntries {
		wrong.TooMany("faults", maxEntries)
	}
	if err := wrong.Err(); err != nil {
		return Entry{}, err
	}
	e := &Entry{ID: ulid.Make().String(), Mishap: m}
	r.all = append(r.all, e)
	return *e, nil
}

func (m *Mishap) check(wrong *fault.Fields, k kind) {
	for name, value := range map[string]string{"method": m.Method, "path": m.Path, "to": m.To, "kind": m.Kind, "url": m.URL, "type": m.Type} {
		if value != "" && !slices.Contains(k.members, name) {
			wrong.Add(name, "unknown_name")
		}
	}
	if m.Times < 0 || m.Times > maxTimes {
		wrong.Between("times", 1, maxTimes)
	}
	switch {
	case m.Status == 0:
	case k.statuses[0] == 0:
		wrong.Add("status", "unknown_name")
	case m.Status < k.statuses[0] || m.Status > k.statuses[1]:
		wrong.Between("status", k.statuses[0], k.statuses[1])
	}
	switch {
	case m.Answer == "":
	case len(k.answers) == 0:
		wrong.Add("answer", "unknown_name")
	case !slices.Contains(k.answers, m.Answer):
		wrong.OneOf("answer", k.answers...)
	case m.Status != 0 && m.Target == Webhooks: // nobody answered it
		wrong.Add("status", "unknown_name")
	}
	switch {
	case m.Delay == 0:
	case !k.delays:
		wrong.Add("delay", "unknown_name")
	case m.Delay < 0 || m.Delay > MaxDelay:
		wrong.Add("delay", "not_a_duration")
	}
	if m.Target == Requests && m.Status == 0 && m.Delay == 0 && m.Answer == "" {
		wrong.Required("status")
	}
}

// of reports whether a mishap was asked for by a company; "" stands for all.
func (e *Entry) of(company string) bool { return company == "" || e.Company == company }

// List returns the mishaps of a company, "" for all, in the order in which they are tried.
func (r *Register) List(company string) (all []Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.all {
		if e.of(company) {
			all = append(all, *e)
		}
	}
	return all
}

// Remove removes a mishap of a company, "" for any.
func (r *Register) Remove(company, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.all)
	r.all = slices.DeleteFunc(r.all, func(e *Entry) bool { return e.of(company) && e.ID == id })
	if len(r.all) == before {
		return fault.NotFound("fault")
	}
	return nil
}

// Clear removes the mishaps of a company, "" for all.
func (r *Register) Clear(company string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.DeleteFunc(r.all, func(e *Entry) bool { return e.of(company) })
}

// Take returns the first mishap that something meets and counts it, nil if it is not to fail.
func (r *Register) Take(s Subject) *Entry { return r.find(s, true) }

// Awaits reports whether something would fail now.
func (r *Register) Awaits(s Subject) bool { return r.find(s, false) != nil }

func (r *Register) find(s Subject, taking bool) *Entry {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.all {
		if e.Hits < e.Times && e.selects(s) {
			if taking {
				e.Hits++
			}
			found := *e
			return &found
		}
	}
	return nil
}

func (m *Mishap) selects(s Subject) bool {
	fits := func(want, got string) bool { return want == "" || strings.EqualFold(want, got) }
	return m.Target == s.Target && fits(m.Company, s.Company) && fits(m.Method, s.Method) && (m.Path == "" || Matches(m.Path, s.Path)) &&
		fits(m.To, s.To) && fits(m.Kind, s.Kind) && (m.URL == "" || Matches(m.URL, s.URL)) && fits(m.Type, s.Type)
}

// Matches reports whether a text matches a pattern in which * stands for any text.
func Matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == ""
}

// Wait holds something up as long as the mishap says, or until ctx ends.
func (m *Mishap) Wait(ctx context.Context) {
	t := time.NewTimer(m.Delay)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
