package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
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
func (s *Service) BeginTwoFactor(_ context.Context, who Actor) (TwoFactorSetup, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return TwoFactorSetup{}, err
	}
	secret, err := s.random(totpSecretSize)
	if err != nil {
		return TwoFactorSetup{}, err
	}
	var setup TwoFactorSetup
	err = s.db.Update(func(tx *kv.Tx) error {
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
		return s.putUser(tx, u)
	})
	return setup, err
}

// ConfirmTwoFactor turns two-factor login on, with a first code of the app, and
// returns the recovery codes. They are shown once; each works once instead of a
// code.
func (s *Service) ConfirmTwoFactor(_ context.Context, who Actor, code string) ([]string, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return nil, err
	}
	attempt, err := s.attemptInside(who)
	if err != nil {
		return nil, err
	}
	codes, hashes, err := s.newRecoveryCodes()
	if err != nil {
		return nil, err
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		switch {
		case err != nil:
			return found(err, "user")
		case u.TwoFactor.active():
			return fault.Conflict("two_factor_active")
		case u.TwoFactor == nil || u.TwoFactor.Secret == nil:
			return fault.Conflict("two_factor_not_begun")
		}
		confirmed, err := s.useAppCode(u, plainCode(code), tx.Now)
		if err != nil {
			return err
		}
		confirmed.ConfirmedAt, confirmed.Recovery, confirmed.RecoveryAt = new(tx.Now), hashes, tx.Now
		u.TwoFactor = confirmed
		return errors.Join(s.putUser(tx, u), s.tell(tx, u, MailTwoFactorOn, nil))
	})
	if err != nil {
		return nil, err
	}
	attempt.succeeded()
	return codes, nil
}

// DisableTwoFactor removes the authenticator app. It requires the password or a code: an
// unattended session is not enough. Passkeys stay.
func (s *Service) DisableTwoFactor(ctx context.Context, who Actor, password, code string) error {
	return s.changeProven(ctx, who, password, code, func(u userRecord) bool { return u.TwoFactor.active() }, func(tx *kv.Tx, u *userRecord) error {
		if !u.TwoFactor.active() {
			return nil
		}
		u.TwoFactor = u.codes()
		return s.tell(tx, *u, MailTwoFactorOff, nil)
	})
}

// NewRecoveryCodes makes new recovery codes; the old ones stop working. It
// requires the password or a code. The new codes are shown once.
func (s *Service) NewRecoveryCodes(ctx context.Context, who Actor, password, code string) ([]string, error) {
	codes, hashes, err := s.newRecoveryCodes()
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
		return errors.Join(s.tell(tx, *u, MailRecoveryCodes, nil), who.Once.Done(tx, who.UserID))
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// changeProven changes a person's credentials. If the change would leave the account with less
// protection, the password or a code is required; otherwise a recent proof is enough.
func (s *Service) changeProven(ctx context.Context, who Actor, password, code string, needed func(userRecord) bool, change func(tx *kv.Tx, u *userRecord) error) error {
	if err := session(who); err != nil {
		return err
	}
	attempt, err := s.attemptInside(who)
	if err != nil {
		return err
	}
	if password != "" {
		if err := s.provePassword(ctx, who, "password", password); err != nil {
			return err
		}
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		switch {
		case password != "":
		case needed(u) || code != "":
			if u.TwoFactor, err = s.useCode(u, code, tx.Now); err != nil {
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
		return s.putUser(tx, u)
	})
	if err == nil {
		attempt.succeeded()
	}
	return err
}

func errCode() *fault.Error {
	return fault.Invalid("code", "wrong_code.app")
}

// plainCode returns a code without its separators.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// useCode checks a recovery code, or a code of the app if there is one, and
// returns the state in which it cannot be used again.
func (s *Service) useCode(u userRecord, code string, now time.Time) (*twoFactor, error) {
	if code = plainCode(code); code == "" {
		return nil, errCodeMissing()
	}
	if u.TwoFactor.recovery() > 0 {
		hash := s.hashCode(code)
		same := func(h []byte) bool { return hmac.Equal(h, hash) }
		if next := *u.TwoFactor; slices.ContainsFunc(next.Recovery, same) {
			next.Recovery = slices.DeleteFunc(slices.Clone(next.Recovery), same)
			return &next, nil
		}
	}
	if !u.TwoFactor.active() {
		return nil, errCode()
	}
	return s.useAppCode(u, code, now)
}

func errCodeMissing() *fault.Error {
	e := fault.Invalid("code", "required")
	e.Code = "two_factor_required"
	return e
}

// useAppCode checks a code of the app, confirmed or not.
func (s *Service) useAppCode(u userRecord, code string, now time.Time) (*twoFactor, error) {
	if code == "" {
		return nil, errCodeMissing()
	}
	next := *u.TwoFactor
	secret, err := s.box.Open(u.ID, next.Secret)
	if err != nil {
		return nil, err
	}
	step, err := matchingStep(string(secret), code, now)
	if err != nil {
		return nil, err
	}
	if step <= next.LastStep {
		return nil, errCode()
	}
	next.LastStep = step
	return &next, nil
}

// matchingStep returns the time step that a code belongs to, of the current one
// and its neighbours (RFC 6238 §5.2), or 0 if it matches none.
func matchingStep(secret, code string, now time.Time) (match int64, err error) {
	current := now.Unix() / totpPeriod
	for step := current - 1; step <= current+1; step++ {
		want, err := totp.GenerateCodeCustom(secret, time.Unix(step*totpPeriod, 0), totp.ValidateOpts{
			Period: totpPeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
		})
		if err != nil {
			return 0, fmt.Errorf("account: two-factor code: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			match = step
		}
	}
	return match, nil
}

func (s *Service) newRecoveryCodes() (codes []string, hashes [][]byte, err error) {
	for range recoveryCodes {
		b, err := s.random(recoverySize)
		if err != nil {
			return nil, nil, err
		}
		code := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:])
		hashes = append(hashes, s.hashCode(code))
	}
	return codes, hashes, nil
}

// hashCode uses a key: 56 bits alone could be brute-forced by somebody who has the data folder
// but not its keys.
func (s *Service) hashCode(code string) []byte {
	mac := hmac.New(sha256.New, s.codeKey)
	mac.Write([]byte(code))
	return mac.Sum(nil)
}
