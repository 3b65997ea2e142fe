package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/limit"
	"paraph/app/turns"
	"paraph/kv"
)

// everywhere is the factor by which an account may have more failed logins from all networks
// together than from one.
const everywhere = 10

// attempt counts a login before it is checked, so that concurrent ones cannot slip under the
// limit together.
type attempt struct {
	counted []count
}

// count is one event in one limiter.
type count struct {
	in  *limit.Limiter
	key string
	own bool // only the person's own failures are counted under the key
}

// attempts limits how often passwords and codes are tried.
type attempts struct {
	db                 *kv.DB
	devices            *devices
	perAccount         *limit.Limiter // failed logins, per account and network or known device
	perAccountAnywhere *limit.Limiter // failed logins, per account from all networks
	perAddress         *limit.Limiter // failed logins, per network
}

// count counts a login to an account. Failures of strangers do not lock out the owner: they are counted by network,
// and a device or network that the owner has signed in from has its own count.
func (s *attempts) count(email string, from From) (a attempt, err error) {
	account, at := input.FoldEmail(email), turns.Network(from.IP)
	if device := s.devices.knownDevice(account, from.Device); device != "" {
		err = a.add(s.perAccount, account+" device "+device, true)
		return a, err
	}
	if from.IP != "" {
		err = a.add(s.perAddress, at, false)
	}
	if err == nil {
		err = a.add(s.perAccount, account+" "+at, true)
	}
	if err == nil {
		if err = a.add(s.perAccountAnywhere, account, false); err != nil && s.knownNetwork(account, at) {
			err = nil
		}
	}
	if err != nil {
		a.takeBack()
	}
	return a, err
}

// countCode counts a code entered after the password. Codes are short, so all networks share the count; only
// someone who knows the password can use it up.
func (s *attempts) countCode(email string, from From) (a attempt, err error) {
	account := input.FoldEmail(email)
	if s.devices.knownDevice(account, from.Device) != "" {
		return s.count(email, from)
	}
	err = a.add(s.perAccount, account+" code", true)
	return a, err
}

// countInside counts a proof by a signed-in person, so that the thief of a session can't lock
// the owner out of signing in.
func (s *attempts) countInside(who Call) (a attempt, err error) {
	err = a.add(s.perAccount, "inside "+who.UserID, true)
	return a, err
}

func (a *attempt) add(in *limit.Limiter, key string, own bool) error {
	if _, wait, ok := in.Allow(key); !ok {
		return fault.Throttled(in.Limit(), wait)
	}
	a.counted = append(a.counted, count{in, key, own})
	return nil
}

// takeBack uncounts an attempt that was refused without being checked.
func (a attempt) takeBack() {
	for _, c := range a.counted {
		c.in.Refund(c.key)
	}
}

// succeeded uncounts the attempt, and forgets earlier failures of the same person.
func (a attempt) succeeded() {
	for _, c := range a.counted {
		if c.own {
			c.in.Reset(c.key)
		} else {
			c.in.Refund(c.key)
		}
	}
}

// forgive ends all waiting times of an account.
func (s *attempts) forgive(u userRecord) {
	account := input.FoldEmail(u.Email)
	s.perAccount.ResetPrefix(account + " ")
	s.perAccount.Reset("inside " + u.ID)
	s.perAccountAnywhere.Reset(account)
}

// knownNetwork reports whether the owner of an account recently signed in from a network.
func (s *attempts) knownNetwork(account, at string) (known bool) {
	err := s.db.View(func(tx *kv.Tx) error {
		id, _, err := users.Lookup(tx, "email", kv.K(account))
		if err != nil {
			return err
		}
		return signIns.Each(tx, "user", kv.K(id), func(_ string, e SignInEntry) (bool, error) {
			known = e.Outcome == LetIn && turns.Network(e.IP) == at
			return !known, nil
		})
	})
	return err == nil && known
}

// turn returns the key for a login: a browser that has signed in before does
// not queue with strangers.
func (s *attempts) turn(email string, from From) turns.Key {
	if device := s.devices.knownDevice(input.FoldEmail(email), from.Device); device != "" {
		return turns.Guest("", device)
	}
	return turns.Stranger(from.IP)
}

const (
	// maxDevices is how many accounts one browser is remembered for.
	maxDevices = 5
	// deviceSeparator separates the marks of a browser.
	deviceSeparator = "~"
)

// RememberDevice returns the marks that a browser keeps for a long time after a sign-in: they
// distinguish it from strangers guessing the password of the same account. They grant no
// access. kept holds the browser's existing marks.
func (s *Authentication) RememberDevice(email, kept string) (string, error) {
	account := input.FoldEmail(email)
	nonce, err := s.random.bytes(16)
	if err != nil {
		return "", err
	}
	name := base64.RawURLEncoding.EncodeToString(nonce)
	marks := []string{name + "." + s.devices.deviceMark(account, name)}
	for mark := range strings.SplitSeq(kept, deviceSeparator) {
		if len(marks) < maxDevices && len(mark) <= len(marks[0]) && mark != "" && s.devices.knownDevice(account, mark) == "" {
			marks = append(marks, mark)
		}
	}
	return strings.Join(marks, deviceSeparator), nil
}

// knownDevice returns the name of a browser that has signed in to an account
// before, "" for any other.
func (s *devices) knownDevice(account, kept string) string {
	if len(kept) > maxDevices*128 {
		return ""
	}
	for mark := range strings.SplitSeq(kept, deviceSeparator) {
		name, proof, _ := strings.Cut(mark, ".")
		if name != "" && hmac.Equal([]byte(proof), []byte(s.deviceMark(account, name))) {
			return name
		}
	}
	return ""
}

func (s *devices) deviceMark(account, name string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(name + "\x00" + account))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:24])
}

// devices recognizes browsers in which somebody signed in before.
type devices struct {
	key    []byte // marks browsers
	random *randomSource
}
