package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pquerna/otp/totp"

	"paraph/app/fault"
	"paraph/kv"
)

// twoFactor is the authenticator app of a user (TOTP, RFC 6238) and the recovery
// codes, as stored. A user who has only passkeys has only the recovery codes.
type twoFactor struct {
	Secret      []byte     `json:"secret,omitempty"` // nonce and AES-256-GCM, bound to the user
	ConfirmedAt *time.Time `json:"confirmed_at,omitempty"`
	LastStep    int64      `json:"last_step,omitempty"` // of the last code used: none works twice
	Recovery    [][]byte   `json:"recovery,omitempty"`  // HMAC-SHA256 of each remaining code
	RecoveryAt  time.Time  `json:"recovery_at"`         // when they were made
}

// active reports whether there is an app that shows codes; t may be nil.
func (t *twoFactor) active() bool { return t != nil && t.ConfirmedAt != nil }

// recovery returns how many recovery codes are left; t may be nil.
func (t *twoFactor) recovery() int {
	if t == nil {
		return 0
	}
	return len(t.Recovery)
}

// codes returns the recovery codes without an app, as long as passkeys need them.
func (u userRecord) codes() *twoFactor {
	if u.Passkeys == 0 || u.TwoFactor.recovery() == 0 {
		return nil
	}
	return &twoFactor{Recovery: u.TwoFactor.Recovery, RecoveryAt: u.TwoFactor.RecoveryAt}
}

// guarded reports whether login requires a second factor: an app or a passkey.
func (u userRecord) guarded() bool { return u.TwoFactor.active() || u.Passkeys > 0 }

const (
	totpSecretSize = 20 // bytes, as RFC 4226 §4 recommends
	totpPeriod     = 30 // seconds
	recoveryCodes  = 10
	recoverySize   = 7 // bytes: 56 bits
)

// TwoFactorSetup is the secret for an authenticator app. It is shown once.
type TwoFactorSetup struct {
	Secret string // base32, to be typed
	URL    string // otpauth://, to be shown as a QR code
}

// BeginTwoFactor creates a secret for an authenticator app. Login does not require codes until
// the first one has been confirmed.
func (s *Authentication) BeginTwoFactor(who Call) (TwoFactorSetup, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return TwoFactorSetup{}, err
	}
	secret, err := s.random.bytes(totpSecretSize)
	if err != nil {
		return TwoFactorSetup{}, err
	}
	var setup TwoFactorSetup
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		if u.TwoFactor.active() {
			return fault.Conflict("two_factor_active")
		}
		key, err := totp.Generate(totp.GenerateOpts{Issuer: s.issuer, AccountName: u.Email, Secret: secret, Period: totpPeriod})
		if err != nil {
			return fmt.Errorf("account: make two-factor secret: %w", err)
		}
		setup = TwoFactorSetup{Secret: key.Secret(), URL: key.URL()}
		sealed, err := s.box.Seal(u.ID, []byte(key.Secret()))
		if err != nil {
			return err
		}
		next := &twoFactor{Secret: sealed}
		if u.TwoFactor != nil {
			next.Recovery, next.RecoveryAt = u.TwoFactor.Recovery, u.TwoFactor.RecoveryAt
		}
		u.TwoFactor = next
		return s.records.putUser(tx, u)
	})
	return setup, err
}

// ConfirmTwoFactor turns two-factor login on, with a first code of the app, and
// returns the recovery codes. They are shown once; each works once instead of a
// code.
func (s *Authentication) ConfirmTwoFactor(who Call, code string) ([]string, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return nil, err
	}
	attempt, err := s.attempts.countInside(who)
	if err != nil {
		return nil, err
	}
	codes, hashes, err := s.codes.newRecovery()
	if err != nil {
		return nil, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		switch {
		case err != nil:
			return found(err, "user")
		case u.TwoFactor.active():
			return fault.Conflict("two_factor_active")
		case u.TwoFactor == nil || u.TwoFactor.Secret == nil:
			return fault.Conflict("two_factor_not_begun")
		}
		confirmed, err := s.codes.useApp(u, plainCode(code), tx.Now)
		if err != nil {
			return err
		}
		confirmed.ConfirmedAt, confirmed.Recovery, confirmed.RecoveryAt = new(tx.Now), hashes, tx.Now
		u.TwoFactor = confirmed
		return errors.Join(s.records.putUser(tx, u), s.messages.tell(tx, u, MailTwoFactorOn, nil))
	})
	if err != nil {
		return nil, err
	}
	attempt.succeeded()
	return codes, nil
}

// DisableTwoFactor removes the authenticator app. It requires the password or a code: an
// unattended session is not enough. Passkeys stay.
func (s *Authentication) DisableTwoFactor(ctx context.Context, who Call, password, code string) error {
	return s.changeProven(ctx, who, password, code, func(u userRecord) bool { return u.TwoFactor.active() }, func(tx *kv.Tx, u *userRecord) error {
		if !u.TwoFactor.active() {
			return nil
		}
		u.TwoFactor = u.codes()
		return s.messages.tell(tx, *u, MailTwoFactorOff, nil)
	})
}

// NewRecoveryCodes makes new recovery codes; the old ones stop working. It
// requires the password or a code. The new codes are shown once.
func (s *Authentication) NewRecoveryCodes(ctx context.Context, who Call, password, code string) ([]string, error) {
	codes, hashes, err := s.codes.newRecovery()
	if err != nil {
		return nil, err
	}
	err = s.changeProven(ctx, who, password, code, userRecord.guarded, func(tx *kv.Tx, u *userRecord) error {
		if !u.guarded() {
			return fault.Conflict("two_factor_off")
		}
		next := twoFactor{}
		if u.TwoFactor != nil {
			next = *u.TwoFactor
		}
		next.Recovery, next.RecoveryAt = hashes, tx.Now
		u.TwoFactor = &next
		return errors.Join(s.messages.tell(tx, *u, MailRecoveryCodes, nil), who.Once.Done(tx, who.UserID))
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}
