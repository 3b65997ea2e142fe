package account

import (
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/app/seal"
	"paraph/kv"
)

// Options configure the service. TokenKey is required; the rest has defaults.
type Options struct {
	// TokenKey is at least 32 random bytes that never leave the machine. Anyone who has it can
	// create tokens; a new key invalidates every token and two-factor secret.
	TokenKey []byte

	Now   func() time.Time // default time.Now
	NewID func() ulid.ULID // default ulid.Make
	Rand  io.Reader        // default crypto/rand; salts, links, two-factor secrets
	Log   *slog.Logger     // default none

	Mailer  Mailer    // default: no messages
	Forget  Forgetter // default: links stay in messages
	Service string    // name in authenticator apps, default "Paraph"

	Cost            Cost // of checking a password, default DefaultCost
	PasswordWorkers int  // passwords checked concurrently, default the number of CPUs, at most 4

	TokenLifetime   time.Duration // of a session, default a week
	Members         int           // of one company, default no limit
	Sessions        int           // of one member in a company, default 1000; the oldest end
	AccountAttempts int           // failed logins per account, network and window, default 10
	AddressAttempts int           // failed logins per address and window, default 100
	AttemptWindow   time.Duration // default five minutes
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = ulid.Make
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Service == "" {
		o.Service = "Paraph"
	}
	if o.Cost == (Cost{}) {
		o.Cost = DefaultCost()
	}
	if o.PasswordWorkers <= 0 {
		o.PasswordWorkers = min(runtime.GOMAXPROCS(0), 4)
	}
	if o.TokenLifetime <= 0 {
		o.TokenLifetime = 7 * 24 * time.Hour
	}
	if o.Sessions <= 0 {
		o.Sessions = 1000
	}
	if o.AccountAttempts <= 0 {
		o.AccountAttempts = 10
	}
	if o.AddressAttempts <= 0 {
		o.AddressAttempts = 100
	}
	if o.AttemptWindow <= 0 {
		o.AttemptWindow = 5 * time.Minute
	}
}

// sealing derives the key that encrypts two-factor secrets and stored responses.
const sealing = "sealing"

// Service implements the rules for people. It is safe for concurrent use.
type Service struct {
	db         *kv.DB
	now        func() time.Time
	newID      func() ulid.ULID
	log        *slog.Logger
	mailer     Mailer
	forget     Forgetter
	issuer     string
	lifetime   time.Duration
	sessions   int
	maxMembers int

	randMu sync.Mutex
	rand   io.Reader

	passwords *hasher
	tokens    *signer
	box       *seal.Box // encrypts two-factor secrets and stored responses
	codeKey   []byte    // hashes recovery codes
	deviceKey []byte    // marks browsers that have signed in before

	perAccount         *limit.Limiter // failed logins, per account and network or known device
	perAccountAnywhere *limit.Limiter // failed logins, per account from all networks
	perAddress         *limit.Limiter // failed logins, per network
	perMailbox         *limit.Limiter // reset messages requested, per e-mail address
	perMailboxDay      *limit.Limiter // messages requested, per kind and e-mail address, in a day
	perReverif         *limit.Limiter // verification messages, per user
	perDisclosure      *limit.Limiter // disclosed addresses of outsiders, per company

	mailedToday, disclosedToday *limit.Daily // the same, for restarts not to clear them

	live    *liveTokens
	usage   *usage
	waiting *pendingSignIns
	later   *later

	ceremonies *ceremonies
	refusals   *refusals
	perPasskey *limit.Limiter // passkey ceremonies begun, per address
}

// New returns the service. It fails only if the token key is too short.
func New(db *kv.DB, o Options) (*Service, error) {
	if len(o.TokenKey) < minTokenKey {
		return nil, errShortKey
	}
	o.setDefaults()
	tokenKey, tokenErr := seal.Derive(o.TokenKey, "token")
	codeKey, codeErr := seal.Derive(o.TokenKey, "recovery code")
	deviceKey, deviceErr := seal.Derive(o.TokenKey, "known device")
	if err := errors.Join(tokenErr, codeErr, deviceErr); err != nil {
		return nil, err
	}
	s := &Service{
		db: db, now: o.Now, newID: o.NewID, log: o.Log, mailer: o.Mailer, forget: o.Forget, issuer: o.Service,
		lifetime: o.TokenLifetime, sessions: o.Sessions, maxMembers: o.Members, rand: o.Rand, codeKey: codeKey, deviceKey: deviceKey,
		tokens:     newSigner(tokenKey, o.Now),
		perAccount: limit.New(o.AccountAttempts, o.AttemptWindow, o.Now),

		perAccountAnywhere: limit.New(everywhere*o.AccountAttempts, o.AttemptWindow, o.Now),
		perAddress:         limit.New(o.AddressAttempts, o.AttemptWindow, o.Now),
		perMailbox:         limit.New(5, time.Hour, o.Now),
		perMailboxDay:      limit.New(dailyMails, 24*time.Hour, o.Now),
		perReverif:         limit.New(6, time.Minute, o.Now),
		perDisclosure:      limit.New(disclosures, 24*time.Hour, o.Now),
		mailedToday:        limit.NewDaily("requested mails", dailyMails, o.TokenKey),
		disclosedToday:     limit.NewDaily("disclosed addresses", disclosures, o.TokenKey),
		live:               newLiveTokens(),
		usage:              newUsage(),
		waiting:            newPendingSignIns(),
		later:              newLater(),
		ceremonies:         newCeremonies(),
		refusals:           new(refusals),
		perPasskey:         limit.New(120, time.Minute, o.Now),
	}
	box, err := seal.New(o.TokenKey, sealing, s.random)
	if err != nil {
		return nil, err
	}
	s.box = box
	s.passwords = newHasher(o.Cost, o.PasswordWorkers, s.random)
	return s, nil
}

// Reset clears everything held in memory: cached tokens and failed logins. The
// test double calls it when the store was emptied.
func (s *Service) Reset() {
	s.live.clear()
	s.usage.take()
	s.waiting.clear()
	s.later.take()
	s.ceremonies.clear()
	s.refusals.take()
	for _, l := range []*limit.Limiter{s.perAccount, s.perAccountAnywhere, s.perAddress, s.perMailbox, s.perMailboxDay, s.perReverif, s.perDisclosure, s.perPasskey} {
		l.Clear()
	}
}

// random returns n random bytes. The lock is for a seeded source, which may not be safe for
// concurrent use.
func (s *Service) random(n int) ([]byte, error) {
	s.randMu.Lock()
	defer s.randMu.Unlock()
	b := make([]byte, n)
	_, err := io.ReadFull(s.rand, b)
	return b, err
}

// changed clears the token cache once the transaction is committed, so that the next request of
// every caller is looked up again. Changes are rare and a look-up takes microseconds, while a
// mistake about the affected users would grant access.
func (s *Service) changed(tx *kv.Tx) { tx.OnCommit(s.live.clear) }

// putUser stores a user and sets the time of the change.
func (s *Service) putUser(tx *kv.Tx, u userRecord) error {
	u.UpdatedAt = tx.Now
	s.changed(tx)
	return users.Put(tx, u.ID, u)
}

// putMember stores a membership and sets the time of the change.
func (s *Service) putMember(tx *kv.Tx, m memberRecord) error {
	m.UpdatedAt = tx.Now
	s.changed(tx)
	return members.Put(tx, m.key(), m)
}

// staff returns nil if the actor belongs to the company (not a signatory) and has the scope.
func staff(who Actor, scope Scope) error {
	if who.IsSignatory() {
		return fault.Forbidden("role_not_allowed.signatory")
	}
	return who.Require(scope)
}

// self returns nil if the actor is a person with this scope over their own record.
func self(who Actor, scope Scope) error {
	switch {
	case who.UserID == "":
		return fault.Forbidden("role_not_allowed.person")
	case who.Kind == ActorToken && !hasScope(who, scope):
		return fault.Forbidden("scope_missing", fault.Text("scope", string(scope)))
	case who.Limited:
		return errLimited()
	}
	return nil
}

// session returns nil if the actor logged in, as opposed to using an API token.
func session(who Actor) error {
	if who.UserID == "" || who.Kind != ActorUser {
		return fault.Forbidden("session_required")
	}
	return nil
}
