package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"paraph/app/fault"
	"paraph/app/turns"
	"paraph/kv"
)

// BeginPasskeyLogin begins to log in with a passkey. With the pending value of
// [Service.BeginSignIn] the passkey is the second step after the password; with
// "" it replaces both address and password, and the authenticator has to verify
// its holder.
func (s *Service) BeginPasskeyLogin(_ context.Context, site, pending string, from From) (Ceremony, error) {
	if _, wait, ok := s.perPasskey.Allow(turns.Network(from.IP)); !ok {
		return Ceremony{}, fault.Throttled(s.perPasskey.Limit(), wait)
	}
	party, err := s.relyingParty(site)
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
	return s.begin(ceremony{site: site, session: *kept}, options)
}

func (s *Service) beginSecondStep(party *webauthn.WebAuthn, site, pending string) (Ceremony, error) {
	p, ok := s.waiting.find(pending, s.now())
	if !ok {
		return Ceremony{}, fault.Unauthenticated()
	}
	return s.beginWithKeys(party, p.user.ID, ceremony{site: site, pending: pending})
}

// beginWithKeys begins a ceremony for the passkeys of one person.
func (s *Service) beginWithKeys(party *webauthn.WebAuthn, userID string, c ceremony) (Ceremony, error) {
	var h holder
	err := s.db.View(func(tx *kv.Tx) (err error) {
		h, err = loadHolder(tx, userID)
		return err
	})
	if err != nil {
		return Ceremony{}, err
	}
	if len(h.keys) == 0 {
		return Ceremony{}, fault.Conflict("no_passkey")
	}
	options, kept, err := party.BeginLogin(h, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return Ceremony{}, fmt.Errorf("account: begin a step with a passkey: %w", explained(err))
	}
	c.session = *kept
	return s.begin(c, options)
}

// BeginPasskeyAfterPassword combines [Service.BeginSignIn] and
// [Service.BeginPasskeyLogin], for clients that do both in one request.
func (s *Service) BeginPasskeyAfterPassword(ctx context.Context, site, email, password string, from From) (Ceremony, error) {
	u, upgraded, attempt, err := s.firstStep(ctx, email, password, from)
	if err != nil {
		return Ceremony{}, err
	}
	pending, err := s.wait(u, upgraded, attempt)
	if err != nil {
		return Ceremony{}, err
	}
	return s.BeginPasskeyLogin(ctx, site, pending, from)
}

// FinishPasskeyLogin logs in the owner of the passkey that answered the challenge
// (credential is the JSON of the browser's PublicKeyCredential), as
// [Service.Login] does. For an unknown or mismatched passkey it returns
// [fault.ErrUnauthenticated].
func (s *Service) FinishPasskeyLogin(_ context.Context, id string, credential []byte, from From) (User, error) {
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
	used, h, err := s.checkPasskey(c, before.user.ID, credential, from)
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

// usedPasskey is a passkey that has answered a challenge.
type usedPasskey struct {
	record passkeyRecord // updated with the authenticator's answer
	before uint32        // its previous signature count
	second bool          // used after the password
}

func (p *usedPasskey) method() Method {
	if p.second {
		return ByPasswordAndPasskey
	}
	return ByPasskey
}

// note records the use. A count that has not increased means that the key was copied.
func (p *usedPasskey) note(tx *kv.Tx) error {
	now, err := passkeys.Get(tx, p.record.key())
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return fault.Unauthenticated().Because(err) // removed in the meantime
	case err != nil:
		return err
	case now.SignCount != p.before && p.record.SignCount <= now.SignCount:
		return fault.Unauthenticated().Because(errCloned)
	}
	p.record.Name, p.record.LastUsedAt, p.record.TrustedAt = now.Name, &tx.Now, now.TrustedAt
	if p.second {
		p.record.TrustedAt = tx.Now // used after the current password
	}
	return passkeys.Put(tx, p.record.key(), p.record)
}

var errCloned = errors.New("account: the signature count of a passkey went back: it may have been copied")

// checkPasskey checks the answer of an authenticator. userID is the user who has
// entered the password before, "" for none.
func (s *Service) checkPasskey(c ceremony, userID string, credential []byte, from From) (*usedPasskey, holder, error) {
	party, err := s.relyingParty(c.site)
	if err != nil {
		return nil, holder{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credential)
	if err != nil {
		return nil, holder{}, errPasskey(err)
	}
	h, err := s.holderOf(parsed.RawID)
	if err != nil {
		return nil, holder{}, err
	}
	if userID != "" && h.user.ID != userID {
		return nil, holder{}, fault.Unauthenticated()
	}
	made, err := validate(party, c, h, parsed)
	if err == nil && made.Authenticator.CloneWarning {
		err = errCloned
		s.log.Warn("passkey refused", "user", h.user.ID, "error", err)
	}
	if err != nil {
		s.refused(h.user, (&usedPasskey{second: userID != ""}).method(), WrongProof, from)
		return nil, holder{}, fault.Unauthenticated().Because(explained(err))
	}
	for _, p := range h.keys {
		if string(p.Credential) == string(made.ID) {
			return &usedPasskey{record: p.with(made), before: p.SignCount, second: c.pending != ""}, h, nil
		}
	}
	return nil, holder{}, fault.Unauthenticated()
}

func validate(party *webauthn.WebAuthn, c ceremony, h holder, parsed *protocol.ParsedCredentialAssertionData) (*webauthn.Credential, error) {
	if c.pending != "" || c.prover != "" {
		return party.ValidateLogin(h, c.session, parsed)
	}
	_, made, err := party.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		if string(handle) != h.user.ID {
			return nil, fault.Unauthenticated()
		}
		return h, nil
	}, c.session, parsed)
	return made, err
}

// holderOf finds the user of a passkey.
func (s *Service) holderOf(credential []byte) (h holder, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		_, p, err := passkeys.Lookup(tx, "credential", credentialKey(credential))
		if err != nil {
			return err
		}
		h, err = loadHolder(tx, p.UserID)
		return err
	})
	if errors.Is(err, kv.ErrNotFound) {
		return h, fault.Unauthenticated().Because(err)
	}
	return h, err
}
