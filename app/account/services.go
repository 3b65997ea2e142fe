// Package account manages people and their permissions: users, companies,
// memberships with roles, tokens, and login. It also defines the [Actor] and the [Call],
// because the rest of the domain builds on them.
//
// Callers may rely on three things. Every method that takes a [Call] checks
// its actor itself: another company's record is not found, and a record of the
// actor's own company that the role may not touch is forbidden. Invalid input is
// reported completely, in one error that names every field. And nothing that
// could be used to log in (password, token, recovery code, link) is stored unless
// it is hashed, signed, or encrypted.
package account

import (
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/limit"
	"paraph/app/seal"
	"paraph/kv"
)

// Options configure the Services. TokenKey is required; the rest has defaults.
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

// Services are the services for people and companies. The caller is always an argument. They
// are safe for concurrent use.
type Services struct {
	memory *memory

	Authentication *Authentication
	Profile        *Profile
	Companies      *Companies
	Operator       *Operator
	Upkeep         *Upkeep
}

// core holds what the services share. Each service embeds it; callers of the package don't see it.
type core struct {
	*memory
	db             *kv.DB
	box            *seal.Box // encrypts two-factor secrets and stored responses
	random         *randomSource
	passwords      *hasher
	signer         *signer
	links          *linkStore
	records        *records
	tokens         *tokenStore
	messages       *messages
	codes          *codes
	joining        *joining
	signInLog      *signInLog
	devices        *devices
	attempts       *attempts
	authenticators *authenticators
	credentials    *credentials
	discretion     *discretion

	lifetime time.Duration // of a session
	most     int           // members of one company; 0: no limit
	issuer   string        // name in authenticator apps
	newID    func() ulid.ULID
	now      func() time.Time
	log      *slog.Logger
}

// Authentication lets people sign in and prove who they are: passwords, second factors,
// passkeys, sessions, and the links that bring a lost account back.
type Authentication struct{ *core }

// Profile lets people manage what is their own: names, addresses, tokens.
type Profile struct{ *core }

// Companies manages companies, their members and invitations, and the installation they share.
type Companies struct{ *core }

// Operator is for whoever holds the machine: the first start, and the commands.
type Operator struct{ *core }

// Upkeep keeps the records in order, moves them to other installations, and keeps the answers
// of requests that are repeated.
type Upkeep struct{ *core }

// New creates the services. It fails only if the token key is too short.
func New(db *kv.DB, o Options) (*Services, error) {
	if len(o.TokenKey) < minTokenKey {
		return nil, errShortKey
	}
	o.setDefaults()
	c, err := newCore(db, o)
	if err != nil {
		return nil, err
	}
	return &Services{
		memory:         c.memory,
		Authentication: &Authentication{c},
		Profile:        &Profile{c},
		Companies:      &Companies{c},
		Operator:       &Operator{c},
		Upkeep:         &Upkeep{c},
	}, nil
}

func newCore(db *kv.DB, o Options) (*core, error) {
	tokenKey, tokenErr := seal.Derive(o.TokenKey, "token")
	codeKey, codeErr := seal.Derive(o.TokenKey, "recovery code")
	deviceKey, deviceErr := seal.Derive(o.TokenKey, "known device")
	random := &randomSource{from: o.Rand}
	box, boxErr := seal.New(o.TokenKey, sealing, random.bytes)
	if err := errors.Join(tokenErr, codeErr, deviceErr, boxErr); err != nil {
		return nil, err
	}
	m := newMemory(o)
	c := &core{
		memory:    m,
		db:        db,
		box:       box,
		random:    random,
		passwords: newHasher(o.Cost, o.PasswordWorkers, random.bytes),
		signer:    newSigner(tokenKey, o.Now),
		links:     &linkStore{random: random, forget: o.Forget},
		records:   &records{live: m.live, newID: o.NewID},
		signInLog: &signInLog{db: db, refusals: m.refusals, newID: o.NewID, now: o.Now},
		devices:   &devices{key: deviceKey, random: random},
		lifetime:  o.TokenLifetime,
		most:      o.Members,
		issuer:    o.Service,
		newID:     o.NewID,
		now:       o.Now,
		log:       o.Log,
	}
	c.tokens = &tokenStore{db: db, records: c.records, signer: c.signer, usage: m.usage, newID: o.NewID,
		sessions: o.Sessions}
	c.messages = &messages{links: c.links, mailer: o.Mailer, newID: o.NewID, perMailboxDay: m.perMailboxDay,
		mailedToday: limit.NewDaily("requested mails", dailyMails, o.TokenKey)}
	c.codes = &codes{db: db, box: box, key: codeKey, random: random, messages: c.messages,
		today: limit.NewDaily("codes of apps", dailyGuesses, o.TokenKey)}
	c.joining = &joining{records: c.records, tokens: c.tokens, links: c.links}
	c.attempts = &attempts{db: db, devices: c.devices, perAccount: m.perAccount,
		perAccountAnywhere: m.perAccountAnywhere, perAddress: m.perAddress}
	c.authenticators = &authenticators{db: db, ceremonies: m.ceremonies, signInLog: c.signInLog, random: random,
		issuer: o.Service, now: o.Now, log: o.Log}
	c.credentials = &credentials{db: db, records: c.records, tokens: c.tokens, attempts: c.attempts, links: c.links,
		passwords: c.passwords}
	c.discretion = &discretion{db: db, perCompany: m.perDisclosure,
		today: limit.NewDaily("disclosed addresses", disclosures, o.TokenKey)}
	return c, nil
}

// memory holds what the services keep between calls but don't store.
type memory struct {
	live       *liveTokens
	usage      *usage
	waiting    *pendingSignIns
	later      *later
	ceremonies *ceremonies
	refusals   *refusals

	perAccount         *limit.Limiter // failed logins, per account and network or known device
	perAccountAnywhere *limit.Limiter // failed logins, per account from all networks
	perAddress         *limit.Limiter // failed logins, per network
	perMailbox         *limit.Limiter // reset messages requested, per e-mail address
	perMailboxDay      *limit.Limiter // messages requested, per kind and e-mail address, in a day
	perReverif         *limit.Limiter // verification messages, per user
	perDisclosure      *limit.Limiter // disclosed addresses of outsiders, per company
	perPasskey         *limit.Limiter // passkey ceremonies begun, per address
}

func newMemory(o Options) *memory {
	return &memory{
		live:               newLiveTokens(),
		usage:              newUsage(),
		waiting:            newPendingSignIns(),
		later:              newLater(),
		ceremonies:         newCeremonies(),
		refusals:           new(refusals),
		perAccount:         limit.New(o.AccountAttempts, o.AttemptWindow, o.Now),
		perAccountAnywhere: limit.New(everywhere*o.AccountAttempts, o.AttemptWindow, o.Now),
		perAddress:         limit.New(o.AddressAttempts, o.AttemptWindow, o.Now),
		perMailbox:         limit.New(5, time.Hour, o.Now),
		perMailboxDay:      limit.New(dailyMails, 24*time.Hour, o.Now),
		perReverif:         limit.New(6, time.Minute, o.Now),
		perDisclosure:      limit.New(disclosures, 24*time.Hour, o.Now),
		perPasskey:         limit.New(120, time.Minute, o.Now),
	}
}

// Reset clears everything held in memory: cached tokens and failed logins. The
// test double calls it when the store was emptied.
func (s *Services) Reset() {
	m := s.memory
	m.live.clear()
	m.usage.take()
	m.waiting.clear()
	m.later.take()
	m.ceremonies.clear()
	m.refusals.take()
	for _, l := range []*limit.Limiter{m.perAccount, m.perAccountAnywhere, m.perAddress, m.perMailbox, m.perMailboxDay,
		m.perReverif, m.perDisclosure, m.perPasskey} {
		l.Clear()
	}
}

// ForgetTokens clears the cached tokens, after some were undone in the store of a test double.
func (s *Services) ForgetTokens() { s.memory.live.clear() }
