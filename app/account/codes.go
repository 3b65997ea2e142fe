package account

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/app/seal"
	"paraph/kv"
)

// codes makes and checks the codes of authenticator apps and recovery codes.
type codes struct {
	db       *kv.DB
	box      *seal.Box // encrypts two-factor secrets
	key      []byte    // hashes recovery codes
	random   *randomSource
	messages *messages
	today    *limit.Daily // wrong codes of apps, by user
}

// dailyGuesses is how many wrong codes of an app are checked for one person in a day, wherever
// they are entered: patient guessing in small numbers would find one in the end.
const dailyGuesses = 50

func errCode() *fault.Error {
	return fault.Invalid("code", "wrong_code.app")
}

// errGuess is the cause of the refusal of a code of an app.
var errGuess = errors.New("account: not a code of the authenticator app")

// noted counts a code of a person's app that was refused, after the transaction that refused it,
// and returns the refusal. The last one of the day is reported to the person.
func (s *codes) noted(userID string, refusal error) error {
	if !errors.Is(refusal, errGuess) {
		return refusal
	}
	err := s.db.Update(func(tx *kv.Tx) error {
		if wait, err := s.today.Spend(tx, userID); err != nil || wait > 0 {
			return err
		}
		wait, err := s.today.Wait(tx, userID)
		if err != nil || wait == 0 {
			return err
		}
		u, err := users.Get(tx, userID)
		if err != nil {
			return found(err, "user")
		}
		return s.messages.tell(tx, u, MailCodesTried, nil)
	})
	return cmp.Or(err, refusal)
}

// plainCode returns a code without its separators.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// use checks a recovery code, or a code of the app if there is one, and
// returns the state in which it cannot be used again. The caller passes a refusal to noted.
func (s *codes) use(tx *kv.Tx, u userRecord, code string) (*twoFactor, error) {
	if code = plainCode(code); code == "" {
		return nil, errCodeMissing()
	}
	if u.TwoFactor.recovery() > 0 {
		hash := s.hash(code)
		same := func(h []byte) bool { return hmac.Equal(h, hash) }
		if next := *u.TwoFactor; slices.ContainsFunc(next.Recovery, same) {
			next.Recovery = slices.DeleteFunc(slices.Clone(next.Recovery), same)
			return &next, nil
		}
	}
	if !u.TwoFactor.active() {
		return nil, errCode()
	}
	if wait, err := s.today.Wait(tx, u.ID); err != nil || wait > 0 {
		return nil, cmp.Or(err, error(fault.Throttled(dailyGuesses, wait)))
	}
	next, err := s.useApp(u, code, tx.Now)
	if fault.KindOf(err) == fault.KindInvalid {
		err = errCode().Because(errGuess)
	}
	return next, err
}

func errCodeMissing() *fault.Error {
	e := fault.Invalid("code", "required")
	e.Code = "two_factor_required"
	return e
}

// useApp checks a code of the app, confirmed or not.
func (s *codes) useApp(u userRecord, code string, now time.Time) (*twoFactor, error) {
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

func (s *codes) newRecovery() (codes []string, hashes [][]byte, err error) {
	for range recoveryCodes {
		b, err := s.random.bytes(recoverySize)
		if err != nil {
			return nil, nil, err
		}
		code := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:])
		hashes = append(hashes, s.hash(code))
	}
	return codes, hashes, nil
}

// hash uses a key: 56 bits alone could be brute-forced by somebody who has the data folder
// but not its keys.
func (s *codes) hash(code string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(code))
	return mac.Sum(nil)
}

// randomSource makes secrets. The lock is for a seeded source, which may not be safe for
// concurrent use.
type randomSource struct {
	mu   sync.Mutex
	from io.Reader
}

// bytes returns n random bytes.
// concurrent use.
func (s *randomSource) bytes(n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := make([]byte, n)
	_, err := io.ReadFull(s.from, b)
	return b, err
}
