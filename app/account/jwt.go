package account

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

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
