package account

import (
	"context"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"paraph/app/fault"
	"paraph/app/turns"
)

// BeginPasskeyLogin begins to log in with a passkey. With the pending value of
// [Logins.BeginSignIn] the passkey is the second step after the password; with
// "" it replaces both address and password, and the authenticator has to verify
// its holder.
func (s *Authentication) BeginPasskeyLogin(site, pending string, from From) (Ceremony, error) {
	if _, wait, ok := s.perPasskey.Allow(turns.Network(from.IP)); !ok {
		return Ceremony{}, fault.Throttled(s.perPasskey.Limit(), wait)
	}
	party, err := s.authenticators.relyingParty(site)
	if err != nil {
		return Ceremony{}, err
	}
	if pending != "" {
		return s.beginSecondStep(party, site, pending)
	}
	options, kept, err := party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Ceremony{}, fmt.Errorf("account: begin a login with a passkey: %w", explained(err))
	}
	return s.authenticators.begin(ceremony{site: site, session: *kept}, options)
}

func (s *Authentication) beginSecondStep(party *webauthn.WebAuthn, site, pending string) (Ceremony, error) {
	p, ok := s.waiting.find(pending, s.now())
	if !ok {
		return Ceremony{}, fault.Unauthenticated()
	}
	return s.authenticators.beginWithKeys(party, p.user.ID, ceremony{site: site, pending: pending})
}

// BeginPasskeyAfterPassword combines [Logins.BeginSignIn] and
// [Logins.BeginPasskeyLogin], for clients that do both in one request.
func (s *Authentication) BeginPasskeyAfterPassword(ctx context.Context, site, email, password string, from From) (Ceremony, error) {
	u, upgraded, attempt, err := s.firstStep(ctx, email, password, from)
	if err != nil {
		return Ceremony{}, err
	}
	pending, err := s.wait(u, upgraded, attempt)
	if err != nil {
		return Ceremony{}, err
	}
	return s.BeginPasskeyLogin(site, pending, from)
}

// FinishPasskeyLogin logs in the owner of the passkey that answered the challenge
// (credential is the JSON of the browser's PublicKeyCredential), as
// [Logins.Login] does. For an unknown or mismatched passkey it returns
// [fault.ErrUnauthenticated].
func (s *Authentication) FinishPasskeyLogin(id string, credential []byte, from From) (User, error) {
	c, ok := s.ceremonies.take(id, s.now())
	if !ok {
		return User{}, errCeremony()
	}
	var before pendingSignIn
	if c.pending != "" {
		if before, ok = s.waiting.find(c.pending, s.now()); !ok {
			return User{}, errCeremony()
		}
	}
	address := turns.Network(from.IP)
	if _, wait, ok := s.perAddress.Allow(address); !ok && from.IP != "" {
		return User{}, fault.Throttled(s.perAddress.Limit(), wait)
	}
	used, h, err := s.authenticators.checkPasskey(c, before.user.ID, credential, from)
	if err != nil {
		return User{}, err
	}
	if !used.second && !used.record.standsAlone(h.user) {
		return User{}, errNeedsPassword()
	}
	u := h.user
	if c.pending != "" {
		u = before.user // as it was when the password was checked
	}
	user, err := s.letIn(u, proof{passkey: used}, before.upgraded, from)
	if err != nil {
		return User{}, err
	}
	s.perAddress.Refund(address)
	if c.pending != "" {
		s.waiting.drop(c.pending)
		before.attempt.succeeded()
	}
	return user, nil
}
