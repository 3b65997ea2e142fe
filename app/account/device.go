package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"paraph/app/input"
)

const (
	// maxDevices is how many accounts one browser is remembered for.
	maxDevices = 5
	// deviceSeparator separates the marks of a browser.
	deviceSeparator = "~"
)

// Devices recognizes browsers that have signed in before.
type Devices struct {
	key    []byte // marks browsers
	random *randomSource
}

// RememberDevice returns the marks that a browser keeps for a long time after a sign-in: they
// distinguish it from strangers guessing the password of the same account. They grant no
// access. kept holds the browser's existing marks.
func (s *Devices) RememberDevice(email, kept string) (string, error) {
	account := input.FoldEmail(email)
	nonce, err := s.random.bytes(16)
	if err != nil {
		return "", err
	}
	name := base64.RawURLEncoding.EncodeToString(nonce)
	marks := []string{name + "." + s.deviceMark(account, name)}
	for mark := range strings.SplitSeq(kept, deviceSeparator) {
		if len(marks) < maxDevices && len(mark) <= len(marks[0]) && mark != "" && s.knownDevice(account, mark) == "" {
			marks = append(marks, mark)
		}
	}
	return strings.Join(marks, deviceSeparator), nil
}

// knownDevice returns the name of a browser that has signed in to an account
// before, "" for any other.
func (s *Devices) knownDevice(account, kept string) string {
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

func (s *Devices) deviceMark(account, name string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(name + "\x00" + account))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:24])
}
