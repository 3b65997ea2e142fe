package account_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/kv"
)

// house is a service over a real in-memory store, with a clock and a mailbox controlled by the test.
type house struct {
	*account.Services
	t   testing.TB
	db  *kv.DB
	key []byte

	mu    sync.Mutex
	clock time.Time
	mails []account.Mail
}

const password = "correct horse"

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func open(t testing.TB, change ...func(*account.Options)) *house {
	t.Helper()
	h := &house{t: t, clock: start, key: []byte("0123456789abcdef0123456789abcdef")}
	db, err := kv.Open(kv.Options{InMemory: true, Now: h.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h.db = db
	o := account.Options{
		TokenKey: h.key, Now: h.now, Cost: account.Cost{Memory: 8, Passes: 1, Threads: 1},
		Rand: rand.NewChaCha8([32]byte{1}),
		Mailer: func(tx *kv.Tx, m account.Mail) error {
			tx.OnCommit(func() {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.mails = append(h.mails, m)
			})
			return nil
		},
	}
	for _, c := range change {
		c(&o)
	}
	if h.Services, err = account.New(db, o); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clock
}

func (h *house) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock = h.clock.Add(d)
}

// mail returns the newest message of a kind to an address.
func (h *house) mail(kind account.MailKind, to string) account.Mail {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range slices.Backward(h.mails) {
		if m.Kind == kind && m.To == to {
			return m
		}
	}
	h.t.Fatalf("no %s message to %s", kind, to)
	return account.Mail{}
}

func (h *house) mailCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.mails)
}

func (h *house) company(name string) account.Company {
	h.t.Helper()
	c, err := h.Operator.AddCompany(name, "", "")
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *house) add(c account.Company, email string, role account.Role) account.User {
	h.t.Helper()
	u, err := h.Operator.AddUser(h.t.Context(), account.UserInput{Email: email, Password: password, CompanyID: c.ID, Role: role})
	if err != nil {
		h.t.Fatal(err)
	}
	return u
}

// ForgotPassword also runs the queued work.
func (h *house) ForgotPassword(ctx context.Context, email string, from account.From) error {
	return errors.Join(h.Services.Authentication.ForgotPassword(email, from), h.Upkeep.Flush())
}

// Reverify also runs the queued work.
func (h *house) Reverify(ctx context.Context, who account.Call, email string) (limit.Rate, error) {
	rate, err := h.Services.Profile.Reverify(who, email)
	return rate, errors.Join(err, h.Upkeep.Flush())
}

// login returns the bearer token of the first company.
func (h *house) login(email, password string) string {
	h.t.Helper()
	u, err := h.Authentication.Login(h.t.Context(), email, password, "", account.From{IP: "192.0.2.1", UserAgent: "test"})
	if err != nil {
		h.t.Fatalf("login as %s: %v", email, err)
	}
	return u.Companies[0].Token
}

func (h *house) actor(bearer string) account.Call {
	h.t.Helper()
	who, err := h.Authentication.Authenticate(bearer)
	if err != nil {
		h.t.Fatalf("authenticate: %v", err)
	}
	return account.Call{Actor: who}
}

// as returns the actor of a person after login.
func (h *house) as(email string) account.Call {
	h.t.Helper()
	return h.actor(h.login(email, password))
}

func (h *house) refused(bearer, why string) {
	h.t.Helper()
	if _, err := h.Authentication.Authenticate(bearer); !errors.Is(err, fault.ErrUnauthenticated) {
		h.t.Errorf("%s: got %v, want it refused", why, err)
	}
}

func wantKind(t testing.TB, err error, kind fault.Kind, code fault.Code) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind || code != "" && fault.CodeOf(err) != code {
		t.Errorf("got %v (%v, %q), want %v, %q", err, fault.KindOf(err), fault.CodeOf(err), kind, code)
	}
}

// wantFields checks which fields are reported as faulty.
func wantFields(t testing.TB, err error, fields ...string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.KindInvalid {
		t.Errorf("got %v, want faults of %v", err, fields)
		return
	}
	if got := slices.Sorted(maps.Keys(fault.Words(e.Fields))); !slices.Equal(got, slices.Sorted(slices.Values(fields))) {
		t.Errorf("faults of %v, want %v: %v", got, fields, e.Fields)
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
