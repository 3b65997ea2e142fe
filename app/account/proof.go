package account

import (
	"context"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// ProofWindow is how long a sign-in or another proof allows its session to change the person's
// credentials. It keeps an unattended session from being made permanent.
const ProofWindow = 5 * time.Minute

// renewWindow is how long after the last proof a session can be renewed.
const renewWindow = 30 * 24 * time.Hour

// Proof is presented by signed-in people to prove who they are: the password, or a
// code of the authenticator app, or a recovery code.
type Proof struct {
	Password string
	Code     string
}

// Prove checks a proof and returns the actor, who may change their credentials for a few
// minutes. The session remembers the proof; an API token needs one for every request.
func (s *Authentication) Prove(ctx context.Context, who Call, p Proof) (Call, error) {
	if who.UserID == "" {
		return who, fault.Forbidden("session_required")
	}
	attempt, err := s.attempts.countInside(who)
	if err != nil {
		return who, err
	}
	if p.Password != "" {
		if err := s.credentials.provePassword(ctx, who, "current_password", p.Password); err != nil {
			return who, err
		}
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if p.Password == "" {
			if err := s.spendCode(tx, who, p.Code); err != nil {
				return err
			}
		}
		return s.markProven(tx, &who)
	})
	if err != nil {
		return who, s.codes.noted(who.UserID, err)
	}
	attempt.succeeded()
	return who, nil
}

// ProveSession is like [Proofs.Prove], but only for a session.
func (s *Authentication) ProveSession(ctx context.Context, who Call, p Proof) (Call, error) {
	if err := session(who); err != nil {
		return who, err
	}
	return s.Prove(ctx, who, p)
}

// spendCode uses up a code of the authenticator app or a recovery code.
func (s *core) spendCode(tx *kv.Tx, who Call, code string) error {
	u, err := users.Get(tx, who.UserID)
	if err != nil {
		return found(err, "user")
	}
	left := u.TwoFactor.recovery()
	if u.TwoFactor, err = s.codes.use(tx, u, code); err != nil {
		return err
	}
	if u.TwoFactor.recovery() < left {
		if err := s.messages.tell(tx, u, MailRecoveryUsed, nil); err != nil {
			return err
		}
	}
	return s.records.putUser(tx, u)
}

// markProven records that the actor has just proven who they are. Only a session stores it.
func (s *core) markProven(tx *kv.Tx, who *Call) error {
	who.ProvenAt = tx.Now
	if who.Kind != ActorUser || who.TokenID == "" {
		return nil
	}
	t, err := tokens.Get(tx, tokenKey(who.CompanyID, who.TokenID))
	if err != nil {
		return found(err, "session")
	}
	t.ProvenAt = new(tx.Now)
	s.records.changed(tx)
	return tokens.Put(tx, t.key(), t)
}

// proven returns nil if the actor has proven who they are within the last few minutes.
func (s *core) proven(who Call) error {
	return provenAt(who, s.now())
}

func provenAt(who Call, now time.Time) error {
	if age := now.Sub(who.ProvenAt); who.IsSystem() || !who.ProvenAt.IsZero() && age >= 0 && age < ProofWindow {
		return nil
	}
	return fault.Forbidden("proof_required")
}

// provenSession is like [Proofs.proven], but an API token needs no further proof,
// because programs set up companies with it alone.
func (s *core) provenSession(who Call) error {
	if who.Kind == ActorToken {
		return nil
	}
	return s.proven(who)
}

// Proven reports whether the actor may change their credentials without another proof.
func (s *Authentication) Proven(who Call) bool { return s.proven(who) == nil }

// BeginPasskeyProof begins a proof of identity with a passkey, as
// [Logins.BeginPasskeyLogin] begins a login.
func (s *Authentication) BeginPasskeyProof(who Call, site string) (Ceremony, error) {
	if err := session(who); err != nil {
		return Ceremony{}, err
	}
	party, err := s.authenticators.relyingParty(site)
	if err != nil {
		return Ceremony{}, err
	}
	return s.authenticators.beginWithKeys(party, who.UserID, ceremony{site: site, prover: who.UserID})
}

// FinishPasskeyProof is like [Proofs.Prove], with the answer to [Proofs.BeginPasskeyProof].
func (s *Authentication) FinishPasskeyProof(who Call, id string, credential []byte) (Call, error) {
	if err := session(who); err != nil {
		return who, err
	}
	c, ok := s.ceremonies.take(id, s.now())
	if !ok || c.prover != who.UserID {
		return who, errCeremony()
	}
	used, h, err := s.authenticators.checkPasskey(c, who.UserID, credential, who.From)
	if err != nil {
		return who, fault.Invalid("credential", "passkey_not_accepted").Because(err)
	}
	if !used.record.standsAlone(h.user) {
		return who, errNeedsPassword()
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if err := used.note(tx); err != nil {
			return err
		}
		return s.markProven(tx, &who)
	})
	return who, err
}

// standsAlone reports whether a passkey is sufficient without the password. One added before
// the last change of the password has to be used with the new password once: it may belong to
// somebody whom the new password is meant to keep out.
func (p passkeyRecord) standsAlone(u userRecord) bool {
	return u.PasswordAt == nil || p.TrustedAt.After(*u.PasswordAt)
}

func errNeedsPassword() *fault.Error { return fault.Forbidden("passkey_needs_password") }

// changeProven changes a person's credentials. If the change would leave the account with less
// protection, the password or a code is required; otherwise a recent proof is enough.
func (s *core) changeProven(ctx context.Context, who Call, password, code string, needed func(userRecord) bool, change func(tx *kv.Tx, u *userRecord) error) error {
	if err := session(who); err != nil {
		return err
	}
	attempt, err := s.attempts.countInside(who)
	if err != nil {
		return err
	}
	if password != "" {
		if err := s.credentials.provePassword(ctx, who, "password", password); err != nil {
			return err
		}
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		switch {
		case password != "":
		case needed(u) || code != "":
			if u.TwoFactor, err = s.codes.use(tx, u, code); err != nil {
				return err
			}
		default:
			if err := s.proven(who); err != nil {
				return err
			}
		}
		if err := change(tx, &u); err != nil {
			return err
		}
		return s.records.putUser(tx, u)
	})
	if err != nil {
		return s.codes.noted(who.UserID, err)
	}
	attempt.succeeded()
	return nil
}
