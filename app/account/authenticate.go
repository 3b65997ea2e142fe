package account

import (
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"paraph/app/fault"
	"paraph/kv"
)

// maxLive is how many valid tokens are cached. Adding another evicts one, which is looked up
// again.
const maxLive = 20_000

// usagePeriod is the precision of Token.LastUsedAt.
const usagePeriod = time.Minute

// Authenticate returns the actor of a bearer token. Any fault of the token (malformed, another
// key, algorithm or audience, expired, revoked, of a deactivated person) results in the same
// [fault.ErrUnauthenticated]; the reason is its cause.
func (s *Authentication) Authenticate(bearer string) (Actor, error) {
	now := s.now()
	sum := sha256.Sum256([]byte(bearer))
	p, generation := s.live.get(sum)
	if p == nil {
		var err error
		if p, err = s.resolve(bearer, now); err != nil {
			return Actor{}, err
		}
		s.live.put(sum, p, generation)
	}
	if !p.expires.IsZero() && !now.Before(p.expires) {
		return Actor{}, fault.NotAccepted("token_expired").Because(errExpired)
	}
	if p.due(now) {
		s.usage.mark(tokenKey(p.actor.CompanyID, p.actor.TokenID), now)
	}
	return p.actor, nil
}

var (
	errExpired  = errors.New("account: token is expired")
	errInactive = errors.New("account: member or user is not active")
)

// resolve checks the token itself, then looks up the principal it represents.
func (s *Authentication) resolve(bearer string, now time.Time) (*principal, error) {
	c, err := s.signer.parse(bearer)
	if err != nil {
		if errors.Is(err, jwt.ErrTokenExpired) {
			return nil, fault.NotAccepted("token_expired").Because(err)
		}
		return nil, fault.NotAccepted("token_invalid").Because(err)
	}
	if c.signatory() {
		return signatoryPrincipal(c), nil
	}
	var p *principal
	err = s.db.View(func(tx *kv.Tx) error {
		p, err = s.loadPrincipal(tx, c)
		return err
	})
	switch {
	case errors.Is(err, kv.ErrNotFound), errors.Is(err, errInactive):
		return nil, fault.NotAccepted("token_invalid").Because(err)
	case err != nil:
		return nil, err
	}
	if !p.expires.IsZero() && !now.Before(p.expires) {
		return nil, fault.NotAccepted("token_expired").Because(errExpired)
	}
	return p, nil
}

func (s *Authentication) loadPrincipal(tx *kv.Tx, c *claims) (*principal, error) {
	t, err := tokens.Get(tx, tokenKey(c.Company, c.ID))
	if err != nil {
		return nil, err
	}
	m, err := members.Get(tx, memberKey(c.Company, c.Subject))
	if err != nil {
		return nil, err
	}
	u, err := users.Get(tx, c.Subject)
	if err != nil {
		return nil, err
	}
	if !m.active() || u.DeactivatedAt != nil || t.UserID != u.ID {
		return nil, errInactive
	}
	company, err := companies.Get(tx, c.Company)
	if err != nil {
		return nil, err
	}
	p := &principal{tracked: true, expires: c.expiry(), actor: Actor{
		Kind: t.Kind, UserID: u.ID, CompanyID: m.CompanyID, TokenID: t.ID,
		Name: u.Name, Email: u.Email, AddressProven: u.AddressProvenAt != nil, MadeByCompany: u.MadeBy == m.CompanyID, Role: m.Role, Scopes: slices.Clip(t.Scopes),
		Limited: company.RequireTwoFactor && !u.guarded(), Installation: u.Installation,
	}}
	if t.ExpiresAt != nil {
		p.expires = *t.ExpiresAt
	}
	p.actor.Until = p.expires
	p.actor.Networks, p.actor.Templates = t.Networks, slices.Clip(t.Templates)
	if t.Kind == ActorUser {
		p.actor.ProvenAt = t.provenAt()
	}
	return p, nil
}

func signatoryPrincipal(c *claims) *principal {
	return &principal{expires: c.expiry(), actor: Actor{
		Kind: ActorSignatory, CompanyID: c.Company, TokenID: c.ID, Name: c.Name, Email: c.Email,
		Document: c.Document, Invitation: c.Invitation, Until: c.expiry(),
	}}
}

// SignatoryToken creates a token for one invitation of one document. It is not recorded:
// package signing checks at every request whether the invitation is still valid.
func (s *Authentication) SignatoryToken(
	companyID, document, invitation, name, email string, lifetime time.Duration,
) (string, error) {
	if companyID == "" || document == "" || invitation == "" {
		return "", errNotOurs
	}
	now := s.now()
	return s.signer.sign(claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: invitation, ID: s.newID().String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(lifetime)),
		},
		Company: companyID, Document: document, Invitation: invitation, Name: name, Email: email,
	})
}

// principal is the actor a token represents, as long as nothing changes.
type principal struct {
	actor   Actor
	expires time.Time    // zero: never
	tracked bool         // has a record of when it was last used
	marked  atomic.Int64 // when the use was last recorded, Unix seconds
}

// due reports, to one caller per period, that the use should be recorded. A clock
// that was set back counts as a new period.
func (p *principal) due(now time.Time) bool {
	if !p.tracked {
		return false
	}
	last, at := p.marked.Load(), now.Unix()
	if at >= last && at-last < int64(usagePeriod/time.Second) {
		return false
	}
	return p.marked.CompareAndSwap(last, at)
}

// liveTokens caches valid tokens by their hash: checking a signature and three records would
// cost more than most requests themselves. The caller checks expiry.
type liveTokens struct {
	mu         sync.RWMutex
	generation uint64 // how often the cache was cleared
	entries    map[[sha256.Size]byte]*principal
}

func newLiveTokens() *liveTokens {
	return &liveTokens{entries: make(map[[sha256.Size]byte]*principal)}
}

// get returns the cached principal and the current generation.
func (l *liveTokens) get(sum [sha256.Size]byte) (*principal, uint64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.entries[sum], l.generation
}

// put caches p, unless the cache was cleared since the generation was read: p may then be
// outdated.
func (l *liveTokens) put(sum [sha256.Size]byte, p *principal, generation uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if generation != l.generation {
		return
	}
	for other := range l.entries {
		if len(l.entries) < maxLive {
			break
		}
		delete(l.entries, other)
	}
	l.entries[sum] = p
}

func (l *liveTokens) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.generation++
	clear(l.entries)
}
