package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/kv"
)

// maxTokens is how many API tokens one member can have in a company.
const maxTokens = 200

// TokenInput describes a requested API token. No scopes means those of the caller
// except admin, which has to be named explicitly.
type TokenInput struct {
	Name      string
	Scopes    []Scope
	ExpiresAt *time.Time // nil: until revoked
}

// CreateToken creates an API token that acts as its creator, within its scopes. Secret holds
// the token itself, which is not shown again.
func (s *Service) CreateToken(_ context.Context, who Actor, in TokenInput) (Token, error) {
	if err := manageTokens(who); err != nil {
		return Token{}, err
	}
	if err := s.proven(who); err != nil {
		return Token{}, err
	}
	in.Name = strings.TrimSpace(in.Name)
	if len(in.Scopes) == 0 {
		in.Scopes = defaultScopes(who)
	}
	var made Token
	err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if err := in.check(who, tx.Now); err != nil {
			return err
		}
		count := 0
		err := tokens.Each(tx, "company", kv.K(who.CompanyID, string(ActorToken), who.UserID), func(string, tokenRecord) (bool, error) {
			count++
			return true, nil
		})
		if err != nil {
			return err
		}
		if count >= maxTokens {
			return fault.Conflict("too_many_tokens", fault.Number("limit", maxTokens))
		}
		made, err = s.issue(tx, tokenRecord{
			CompanyID: who.CompanyID, UserID: who.UserID, Kind: ActorToken, Name: in.Name,
			Scopes: slices.Compact(slices.Sorted(slices.Values(in.Scopes))), ExpiresAt: in.expiry(),
		})
		made.UserName = who.Name
		return errors.Join(err, s.tellOfToken(tx, who, made), who.Once.Done(tx, made.ID))
	})
	return made, err
}

func (s *Service) tellOfToken(tx *kv.Tx, who Actor, made Token) error {
	u, err := users.Get(tx, who.UserID)
	if err != nil {
		return found(err, "user")
	}
	return s.tell(tx, u, MailTokenCreated, map[string]string{"what": made.Name, "scopes": joined(made.Scopes)})
}

func joined(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}

func (in TokenInput) expiry() *time.Time {
	if in.ExpiresAt == nil {
		return nil
	}
	return new(in.ExpiresAt.UTC())
}

func (in TokenInput) check(who Actor, now time.Time) error {
	var f fault.Fields
	switch {
	case in.Name == "":
		f.Required("name")
	case utf8.RuneCountInString(in.Name) > maxName:
		f.TooLong("name", maxName)
	}
	for i, scope := range in.Scopes {
		switch {
		case !scope.Valid():
			f.Selected(fmt.Sprintf("scopes.%d", i))
		case !who.Can(scope):
			f.Add(fmt.Sprintf("scopes.%d", i), "scope_beyond_role", fault.Text("scope", string(scope)))
		}
	}
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		f.Add("expires_at", "not_in_future")
	}
	return f.Err()
}

func defaultScopes(who Actor) (scopes []Scope) {
	for _, scope := range []Scope{ScopeRead, ScopeWrite, ScopeSign} {
		if who.Can(scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// manageTokens returns nil if the actor may create, see and revoke tokens: a person who logged
// in, or a token with the admin scope. Any other leaked token must not be able to outlive its
// revocation by creating more.
func manageTokens(who Actor) error {
	if err := self(who, ScopeAdmin); err != nil {
		return err
	}
	return staff(who, ScopeRead)
}

// ListTokens lists API tokens: all of the company's for its administrators, the
// caller's own for everybody else. Statuses are active and expired (archived is
// expired).
func (s *Service) ListTokens(_ context.Context, who Actor, q TokenQuery) (list.Page[Token], error) {
	if err := manageTokens(who); err != nil {
		return list.Page[Token]{}, err
	}
	prefix := kv.K(who.CompanyID, string(ActorToken), who.UserID)
	if who.IsAdmin() {
		prefix = kv.K(who.CompanyID, string(ActorToken))
	}
	return s.listTokens(prefix, q)
}

// ListSessions lists the caller's own logins to this company.
func (s *Service) ListSessions(_ context.Context, who Actor, q TokenQuery) (list.Page[Token], error) {
	if err := session(who); err != nil {
		return list.Page[Token]{}, err
	}
	return s.listTokens(kv.K(who.CompanyID, string(ActorUser), who.UserID), q)
}

func (s *Service) listTokens(prefix kv.Key, q TokenQuery) (list.Page[Token], error) {
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

// TokenSort is an order of tokens.
type TokenSort string

// The orders of tokens.
const (
	TokensByCreation TokenSort = "created_at" // the default
	TokensByName     TokenSort = "name"
	TokensByUse      TokenSort = "last_used_at"
	TokensByExpiry   TokenSort = "expires_at"
)

// TokenQuery selects tokens or sessions.
type TokenQuery = list.Query[TokenSort]

var tokenOrders = list.Orders[TokenSort, Token]{
	TokensByCreation: func(a, b Token) int { return a.CreatedAt.Compare(b.CreatedAt) },
	TokensByName:     func(a, b Token) int { return cmp.Compare(input.Fold(a.Name), input.Fold(b.Name)) },
	TokensByUse:      func(a, b Token) int { return whenever(a.LastUsedAt).Compare(whenever(b.LastUsedAt)) },
	TokensByExpiry:   func(a, b Token) int { return whenever(a.ExpiresAt).Compare(whenever(b.ExpiresAt)) },
}

// named returns a token with the name of its owner and its latest use, even if
// that is not yet written; names caches owners within one list.
func (s *Service) named(tx *kv.Tx, r tokenRecord, names map[string]string) (Token, error) {
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

// GetToken returns one of the tokens that ListTokens or ListSessions would list.
func (s *Service) GetToken(_ context.Context, who Actor, id string) (t Token, err error) {
	if err := manageTokens(who); err != nil {
		return Token{}, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		r, err := ownToken(tx, who, id)
		if err != nil {
			return err
		}
		t, err = s.named(tx, r, map[string]string{})
		return err
	})
	return t, err
}

// RevokeToken ends a token or session immediately: the caller's own or, for administrators, any
// in their company.
func (s *Service) RevokeToken(_ context.Context, who Actor, id string) error {
	if err := manageTokens(who); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		r, err := ownToken(tx, who, id)
		if err != nil {
			return err
		}
		return s.revoke(tx, r.key())
	})
}

func ownToken(tx *kv.Tx, who Actor, id string) (tokenRecord, error) {
	r, err := tokens.Get(tx, tokenKey(who.CompanyID, id))
	if err != nil {
		return tokenRecord{}, found(err, "token")
	}
	if r.UserID != who.UserID && !who.IsAdmin() {
		return tokenRecord{}, fault.Forbidden("role_not_allowed.token")
	}
	return r, nil
}

func (t tokenRecord) view() Token {
	return Token{
		ID: t.ID, CompanyID: t.CompanyID, UserID: t.UserID, Kind: t.Kind, Name: t.Name, Scopes: t.Scopes,
		IP: t.IP, LastUsedAt: t.LastUsedAt, ExpiresAt: t.ExpiresAt, CreatedAt: t.CreatedAt,
	}
}
