package account

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oklog/ulid/v2"

	"paraph/app/input"
	"paraph/app/list"
	"paraph/kv"
)

// tokenStore issues, lists and revokes sessions and API tokens.
type tokenStore struct {
	db       *kv.DB
	records  *records
	signer   *signer
	usage    *usage
	newID    func() ulid.ULID
	sessions int // of one member in a company; the oldest end
}

// issue records a token and signs it.
func (s *tokenStore) issue(tx *kv.Tx, t tokenRecord) (Token, error) {
	t.ID, t.CreatedAt = s.newID().String(), tx.Now
	if t.ExpiresAt != nil {
		// A JWT counts whole seconds (RFC 7519 §2): record the same time.
		*t.ExpiresAt = t.ExpiresAt.Truncate(time.Second)
	}
	c := claims{
		RegisteredClaims: jwt.RegisteredClaims{Subject: t.UserID, ID: t.ID, IssuedAt: jwt.NewNumericDate(tx.Now)},
		Company:          t.CompanyID,
	}
	if t.ExpiresAt != nil {
		c.ExpiresAt = jwt.NewNumericDate(*t.ExpiresAt)
	}
	secret, err := s.signer.sign(c)
	if err != nil {
		return Token{}, err
	}
	view := t.view()
	view.Secret = secret
	return view, tokens.Put(tx, t.key(), t)
}

// trimSessions ends the oldest sessions beyond the limit, so that a program that logs in for
// every request ends its own sessions instead of filling the disk.
func (s *tokenStore) trimSessions(tx *kv.Tx, companyID, userID string) error {
	var keys []string
	prefix := kv.K(companyID, string(ActorUser), userID)
	err := tokens.Each(tx, "company", prefix, func(key string, _ tokenRecord) (bool, error) {
		keys = append(keys, key)
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys[:max(0, len(keys)-s.sessions+1)] {
		if err := s.revoke(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// revoke removes a token that may already be gone.
func (s *tokenStore) revoke(tx *kv.Tx, key string) error {
	switch has, err := tokens.Has(tx, key); {
	case err != nil:
		return err
	case !has:
		return nil
	}
	s.records.changed(tx)
	return tokens.Delete(tx, key)
}

// revokeAll removes the tokens of a user: in one company or ("") in all, of one
// kind or ("") of all, except the one with the id keep.
func (s *tokenStore) revokeAll(tx *kv.Tx, userID, companyID string, kind ActorKind, keep string) error {
	prefix := kv.K(userID)
	if kind != "" {
		prefix = kv.K(userID, string(kind))
	}
	var keys []string
	err := tokens.Each(tx, "user", prefix, func(key string, t tokenRecord) (bool, error) {
		if t.ID != keep && (companyID == "" || t.CompanyID == companyID) {
			keys = append(keys, key)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.revoke(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// endSession revokes a token with all others of the same session, in all companies.
func (s *tokenStore) endSession(tx *kv.Tx, t tokenRecord) error {
	keys := []string{t.key()}
	if t.Session != "" {
		err := tokens.Each(tx, "user", kv.K(t.UserID, string(ActorUser)), func(key string, other tokenRecord) (bool, error) {
			if other.Session == t.Session {
				keys = append(keys, key)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	for _, key := range keys {
		if err := s.revoke(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// revokeSince revokes the API tokens that a user has made since a time, in all companies.
func (s *tokenStore) revokeSince(tx *kv.Tx, userID string, since time.Time) error {
	var keys []string
	err := tokens.Each(tx, "user", kv.K(userID, string(ActorToken)), func(key string, t tokenRecord) (bool, error) {
		if !t.CreatedAt.Before(since) {
			keys = append(keys, key)
		}
		return true, nil
	})
	for _, key := range keys {
		err = errors.Join(err, s.revoke(tx, key))
	}
	return err
}

func (s *tokenStore) list(prefix kv.Key, q TokenQuery) (list.Page[Token], error) {
	wanted, err := wantedStatuses(q, map[string]string{"active": "active", "expired": "expired", "archived": "expired", "deleted": "deleted"}, "active")
	if err != nil {
		return list.Page[Token]{}, err
	}
	search := input.Fold(q.Search)
	var all []Token
	err = s.db.View(func(tx *kv.Tx) error {
		names := map[string]string{}
		return tokens.Each(tx, "company", prefix, func(_ string, r tokenRecord) (bool, error) {
			status := "active"
			if r.ExpiresAt != nil && !r.ExpiresAt.After(tx.Now) {
				status = "expired"
			}
			if !wanted(status) {
				return true, nil
			}
			t, err := s.named(tx, r, names)
			if err == nil && (contains(t.Name, search) || contains(t.UserName, search)) {
				all = append(all, t)
			}
			return true, err
		})
	})
	if err != nil {
		return list.Page[Token]{}, err
	}
	return tokenOrders.Page(all, q, TokensByCreation, func(t Token) string { return t.ID })
}

// named returns a token with the name of its owner and its latest use, even if
// that is not yet written; names caches owners within one list.
func (s *tokenStore) named(tx *kv.Tx, r tokenRecord, names map[string]string) (Token, error) {
	t := r.view()
	if at, ok := s.usage.at(r.key()); ok {
		t.LastUsedAt = new(at.UTC())
	}
	name, ok := names[r.UserID]
	if !ok {
		u, err := users.Get(tx, r.UserID)
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return Token{}, err
		}
		name = u.Name
		names[r.UserID] = name
	}
	t.UserName = name
	return t, nil
}

// audience and issuer mark every token, so that tokens of another service that happens to share
// the key are not accepted.
const (
	audience = "paraph"
	issuer   = "paraph"
)

// minTokenKey is the size at which an HMAC-SHA256 key is as strong as the hash (RFC 7518 §3.2).
const minTokenKey = 32

var errShortKey = fmt.Errorf("account: the token key must have at least %d bytes", minTokenKey)

// claims are the claims of a token. A signatory's token names its document and invitation; a
// member's contains nothing that could become outdated: role and scopes are looked up.
type claims struct {
	jwt.RegisteredClaims
	Company    string `json:"company"`
	Document   string `json:"document,omitempty"`
	Invitation string `json:"invitation,omitempty"`
	Name       string `json:"name,omitempty"`
	Email      string `json:"email,omitempty"`
}

func (c *claims) signatory() bool { return c.Invitation != "" }

// signer makes and checks the tokens themselves (JWT, HS256 only).
type signer struct {
	key    []byte
	parser *jwt.Parser
}

func newSigner(key []byte, now func() time.Time) *signer {
	return &signer{key: key, parser: jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithAudience(audience), jwt.WithIssuer(issuer),
		jwt.WithTimeFunc(now), jwt.WithStrictDecoding(),
	)}
}

func (s *signer) sign(c claims) (string, error) {
	c.Audience, c.Issuer = jwt.ClaimStrings{audience}, issuer
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(s.key)
	if err != nil {
		return "", fmt.Errorf("account: sign token: %w", err)
	}
	return token, nil
}

var errNotOurs = errors.New("account: token has no subject, company or identifier")

func (s *signer) parse(token string) (*claims, error) {
	var c claims
	_, err := s.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return s.key, nil })
	if err != nil {
		return nil, err
	}
	if c.Subject == "" || c.Company == "" || c.ID == "" {
		return nil, errNotOurs
	}
	return &c, nil
}

// expiry returns when the token expires, zero if it does not.
func (c *claims) expiry() time.Time {
	if c.ExpiresAt == nil {
		return time.Time{}
	}
	return c.ExpiresAt.Time
}
