package account

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
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
	Addresses []string   // that it can be used from, single ones or networks; none means any
	Templates []string   // that it is limited to, as is checked by the caller; none means no limit
}

const (
	maxTokenNetworks  = 50
	maxTokenTemplates = 50
)

// CreateToken creates an API token that acts as its creator, within its scopes. Secret holds
// the token itself, which is not shown again.
func (s *Profile) CreateToken(who Call, in TokenInput) (Token, error) {
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
		networks, err := in.check(who, tx.Now)
		if err != nil {
			return err
		}
		count := 0
		err = tokens.Each(tx, "company", kv.K(who.CompanyID, string(ActorToken), who.UserID), func(string, tokenRecord) (bool, error) {
			count++
			return true, nil
		})
		if err != nil {
			return err
		}
		if count >= maxTokens {
			return fault.Conflict("too_many_tokens", fault.Number("limit", maxTokens))
		}
		made, err = s.tokens.issue(tx, tokenRecord{
			CompanyID: who.CompanyID, UserID: who.UserID, Kind: ActorToken, Name: in.Name,
			Scopes: slices.Compact(slices.Sorted(slices.Values(in.Scopes))), ExpiresAt: in.expiry(),
			Networks: networks, Templates: slices.Compact(slices.Sorted(slices.Values(in.Templates))),
		})
		made.UserName = who.Name
		return errors.Join(err, s.tellOfToken(tx, who, made), who.Once.Done(tx, made.ID))
	})
	return made, err
}

func (s *Profile) tellOfToken(tx *kv.Tx, who Call, made Token) error {
	u, err := users.Get(tx, who.UserID)
	if err != nil {
		return found(err, "user")
	}
	return s.messages.tell(tx, u, MailTokenCreated, map[string]string{"what": made.Name, "scopes": joined(made.Scopes)})
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

// check returns the networks that the token can be used from.
func (in TokenInput) check(who Call, now time.Time) ([]netip.Prefix, error) {
	var f fault.Fields
	switch {
	case in.Name == "":
		f.Required("name")
	case utf8.RuneCountInString(in.Name) > maxName:
		f.TooLong("name", maxName)
	default:
		input.OwnName(&f, "name", in.Name, "")
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
	if len(in.Templates) > maxTokenTemplates {
		f.TooMany("template_ids", maxTokenTemplates)
	}
	return in.networks(&f, who), f.Err()
}

// networks reads the addresses. A token that is made with another one can be used at most where that can.
func (in TokenInput) networks(f *fault.Fields, who Call) []netip.Prefix {
	if len(in.Addresses) > maxTokenNetworks {
		f.TooMany("addresses", maxTokenNetworks)
		return nil
	}
	var out []netip.Prefix
	for i, text := range in.Addresses {
		name := fmt.Sprintf("addresses.%d", i)
		n, err := network(strings.TrimSpace(text))
		within := func(own netip.Prefix) bool { return own.Bits() <= n.Bits() && own.Contains(n.Addr()) }
		switch {
		case err != nil:
			f.Add(name, "not_network")
		case len(who.Networks) > 0 && !slices.ContainsFunc(who.Networks, within):
			f.Add(name, "address_beyond_token")
		default:
			out = append(out, n)
		}
	}
	if len(in.Addresses) == 0 {
		return who.Networks
	}
	return out
}

// network reads a network such as 192.0.2.0/24, or a single address.
func network(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		at, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, err
		}
		at = at.Unmap().WithZone("")
		return at.Prefix(at.BitLen())
	}
	n, err := netip.ParsePrefix(text)
	if err == nil && n.Addr().Is4In6() {
		err = errMapped
	}
	return n.Masked(), err
}

// Address returns a network as people write it: a single address without its length.
func Address(n netip.Prefix) string {
	if n.IsSingleIP() {
		return n.Addr().String()
	}
	return n.String()
}

// errMapped says that a network has to be written as the version of IP that it is of.
var errMapped = errors.New("account: IPv4 network in IPv6 form")

func defaultScopes(who Call) (scopes []Scope) {
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
func manageTokens(who Call) error {
	if err := self(who, ScopeAdmin); err != nil {
		return err
	}
	return staff(who, ScopeRead)
}

// ListTokens lists API tokens: all of the company's for its administrators, the
// caller's own for everybody else. Statuses are active and expired (archived is
// expired).
func (s *Profile) ListTokens(who Call, q TokenQuery) (list.Page[Token], error) {
	if err := manageTokens(who); err != nil {
		return list.Page[Token]{}, err
	}
	prefix := kv.K(who.CompanyID, string(ActorToken), who.UserID)
	if who.IsAdmin() {
		prefix = kv.K(who.CompanyID, string(ActorToken))
	}
	return s.tokens.list(prefix, q)
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

// GetToken returns one of the tokens that ListTokens or ListSessions would list.
func (s *Profile) GetToken(who Call, id string) (t Token, err error) {
	if err := manageTokens(who); err != nil {
		return Token{}, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		r, err := ownToken(tx, who, id)
		if err != nil {
			return err
		}
		t, err = s.tokens.named(tx, r, map[string]string{})
		return err
	})
	return t, err
}

// RevokeToken ends a token or session immediately: the caller's own or, for administrators, any
// in their company.
func (s *Profile) RevokeToken(who Call, id string) error {
	if err := manageTokens(who); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		r, err := ownToken(tx, who, id)
		if err != nil {
			return err
		}
		return s.tokens.revoke(tx, r.key())
	})
}

func ownToken(tx *kv.Tx, who Call, id string) (tokenRecord, error) {
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
		Networks: t.Networks, Templates: t.Templates,
		IP: t.IP, LastUsedAt: t.LastUsedAt, ExpiresAt: t.ExpiresAt, CreatedAt: t.CreatedAt,
	}
}
