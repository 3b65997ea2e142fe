package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"

	"paraph/app/fault"
)

// SignIn is the state of a two-step sign-in after the first step.
type SignIn struct {
	User User // logged in, with tokens; empty while a second step is due
	// Pending replaces the password in the second step; "" if there is none.
	Pending string
	App     bool // the second step may be a code of an authenticator app
	Passkey bool // it may be a passkey; a recovery code is always accepted
}

// BeginSignIn is the first step of a sign-in on pages, which ask for one thing at a time: it
// checks the password as [Logins.Login] does, and logs in everyone who needs no second factor.
// Others are remembered for a few minutes, so that the password need not be kept until the code
// is entered.
func (s *Authentication) BeginSignIn(ctx context.Context, email, password string, from From) (SignIn, error) {
	u, upgraded, attempt, err := s.firstStep(ctx, email, password, from)
	if err != nil {
		return SignIn{}, err
	}
	if u.guarded() {
		// The attempt stays counted until the second step succeeds.
		pending, err := s.wait(u, upgraded, attempt)
		return SignIn{Pending: pending, App: u.TwoFactor.active(), Passkey: u.Passkeys > 0}, err
	}
	user, err := s.letIn(u, proof{}, upgraded, from)
	if err == nil {
		attempt.succeeded()
	}
	return SignIn{User: user}, err
}

// FinishSignIn is the second step: a code of the authenticator app or a recovery
// code. The pending sign-in ends when it succeeds; one that expired, was used or
// never existed results in [fault.ErrUnauthenticated].
func (s *Authentication) FinishSignIn(pending, code string, from From) (User, error) {
	p, ok := s.waiting.find(pending, s.now())
	if !ok {
		return User{}, fault.Unauthenticated()
	}
	attempt, err := s.attempts.countCode(p.user.Email, from)
	if err != nil {
		return User{}, err
	}
	user, err := s.letIn(p.user, proof{code: code}, p.upgraded, from)
	if err == nil {
		s.waiting.drop(pending)
		attempt.succeeded()
		p.attempt.succeeded()
	}
	return user, err
}

// CheckPending returns the result of [Logins.BeginSignIn] again, and reports
// whether the second step can still be made.
func (s *Authentication) CheckPending(pending string) (SignIn, bool) {
	p, ok := s.waiting.find(pending, s.now())
	return SignIn{Pending: pending, App: p.user.TwoFactor.active(), Passkey: p.user.Passkeys > 0}, ok
}

func (s *Authentication) wait(u userRecord, upgraded string, a attempt) (string, error) {
	secret, err := s.random.bytes(linkSize)
	if err != nil {
		return "", err
	}
	token := base64.RawURLEncoding.EncodeToString(secret)
	s.waiting.put(token, pendingSignIn{user: u, upgraded: upgraded, attempt: a, ends: s.now().Add(pendingLifetime)}, s.now())
	return token, nil
}

const (
	pendingLifetime = 10 * time.Minute
	maxPending      = 10_000
)

// pendingSignIn is a user who has entered the password, as they were at the time.
type pendingSignIn struct {
	user     userRecord
	upgraded string // a new hash of the password, "" for none
	attempt  attempt
	ends     time.Time
}

// pendingSignIns holds the users who still have to make a second step, in memory: after a
// restart they start over. It is safe for concurrent use.
type pendingSignIns struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]pendingSignIn
}

func newPendingSignIns() *pendingSignIns {
	return &pendingSignIns{all: make(map[[sha256.Size]byte]pendingSignIn)}
}

func (p *pendingSignIns) put(token string, in pendingSignIn, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) >= maxPending {
		p.makeRoom(now)
	}
	p.all[sha256.Sum256([]byte(token))] = in
}

// makeRoom drops expired entries and, if that is not enough, arbitrary ones:
// their users enter the password again.
func (p *pendingSignIns) makeRoom(now time.Time) {
	for key, in := range p.all {
		if !in.ends.After(now) {
			delete(p.all, key)
		}
	}
	for key := range p.all {
		if len(p.all) < maxPending {
			return
		}
		delete(p.all, key)
	}
}

func (p *pendingSignIns) find(token string, now time.Time) (pendingSignIn, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in, ok := p.all[sha256.Sum256([]byte(token))]
	return in, ok && in.ends.After(now)
}

func (p *pendingSignIns) drop(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, sha256.Sum256([]byte(token)))
}

func (p *pendingSignIns) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.all)
}
