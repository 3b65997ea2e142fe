// Package domain provides the domain's services for tests of their rules: the real
// services over a real store in memory, with a clock that only the test moves. There
// is no HTTP, no PDFium and no background work: the test decides when to follow the
// journal and when to run jobs.
package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/apptest/patience"
	"paraph/app/checkpoint"
	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/notify"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/words"
	"paraph/kv"
)

// Start is the initial time of every clock.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// From is the sender of every message.
var From = mail.Address{Name: "Paraph", Email: "paraph@paraph.example"}

// BaseURL is the address in the links of messages.
const BaseURL = "https://paraph.example"

// Options configures the services.
type Options struct {
	Sender  notify.Sender          // nil keeps all messages in the outbox
	Signing func(*signing.Options) // changes the options of the signing service
	Outbox  func(*notify.Options)  // changes the options of the outbox
	Account func(*account.Options) // changes the options of the account service
}

// Services holds the domain's services for one test.
type Services struct {
	DB       *kv.DB
	Jobs     *kv.Jobs
	Accounts *account.Services
	Signing  *signing.Services
	Notify   *notify.Service

	Checkpoints *checkpoint.Service
	Key         []byte // the installation's key

	mu    sync.Mutex
	now   time.Time
	last  ulid.ULID
	names int
}

var (
	catalogue = sync.OnceValues(words.Load)
	fonts     = sync.OnceValue(text.New)
)

// New returns services that end with the test.
func New(t testing.TB, o Options) *Services {
	t.Helper()
	s := &Services{now: Start, Key: []byte("0123456789abcdef0123456789abcdef")}
	if err := s.open(t, o); err != nil {
		t.Fatal(err)
	}
	return s
}

func change[T any](o *T, set func(*T)) {
	if set != nil {
		set(o)
	}
}

// Now returns the time of the test's clock.
func (s *Services) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Advance moves the clock.
func (s *Services) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// NewID returns a new ID, greater than all before it.
func (s *Services) NewID() ulid.ULID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ulid.MustNew(ulid.Timestamp(s.now), ulid.DefaultEntropy())
	if id.Compare(s.last) <= 0 {
		id = s.last
		for i := len(id) - 1; i >= 0; i-- {
			if id[i]++; id[i] != 0 {
				break
			}
		}
	}
	s.last = id
	return id
}

// Work runs the due jobs of documents and messages, and of any other handlers, until
// none is left. It skips reading and rendering pages, which takes PDFium.
func (s *Services) Work(t testing.TB, more ...kv.Handler) {
	t.Helper()
	all := slices.Concat(s.Signing.Handlers(), s.Notify.Handlers(), more)
	for _, kind := range []string{"read", "draw"} {
		all = append(all, kv.Handler{Kind: kind, Run: func(context.Context, kv.Job) error { return nil }})
	}
	run, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Jobs.Run(run, 1, all...) }()
	s.Jobs.Nudge()
	err := s.Jobs.Idle(patience.Context(t))
	end()
	if err := errors.Join(err, <-ended); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// Company creates a company and returns its owner.
func (s *Services) Company(t testing.TB) account.Call {
	t.Helper()
	c, err := s.Accounts.Operator.AddCompany("Acme", "en", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	return s.Member(t, c.ID, account.RoleOwner)
}

// Member adds a member to a company and returns them as logged in. Their address begins
// with their role.
func (s *Services) Member(t testing.TB, company string, role account.Role) account.Call {
	t.Helper()
	s.mu.Lock()
	s.names++
	email := fmt.Sprintf("%s%d@acme.example", role, s.names)
	s.mu.Unlock()
	u, err := s.Accounts.Operator.AddUser(t.Context(), account.UserInput{Name: "The " + string(role), Email: email, Password: "correct horse", CompanyID: company, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return account.Call{Actor: account.Actor{Kind: account.ActorUser, UserID: u.ID, CompanyID: company, Name: u.Name, Email: u.Email,
		Role:   role,
		Scopes: account.Scopes(), ProvenAt: s.Now()}}
}

// Messages lists the messages of a company, oldest first, once those about
// everything that happened are written.
func (s *Services) Messages(t testing.TB, company string) []notify.Message {
	t.Helper()
	if err := s.Notify.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, _, err := s.Notify.Messages.All(company, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

// Refusal returns what an error of the domain says, in codes: its own, or each
// faulty field with its code; "" for no error, and the text of any other error.
func Refusal(err error) string {
	switch fields := fault.FieldsOf(err); {
	case err == nil:
		return ""
	case len(fields) > 0:
		var all []string
		for _, f := range fields {
			all = append(all, f.Name+" "+string(f.Code))
		}
		slices.Sort(all)
		return strings.Join(slices.Compact(all), ", ")
	case fault.CodeOf(err) != "":
		return string(fault.CodeOf(err))
	case fault.KindOf(err) != fault.KindInternal:
		return fault.KindOf(err).String()
	}
	return err.Error()
}
