package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"strings"
	"sync"

	"paraph/app/account"
	"paraph/app/fault"
)

// secretive is a response that shows a secret once: the copy kept for a
// repeated request omits it.
type secretive interface{ withoutSecrets() any }

func (v tokenView) withoutSecrets() any      { v.Token = nil; return v }
func (v webhookView) withoutSecrets() any    { v.Secret = nil; return v }
func (recoveryCodes) withoutSecrets() any    { return recoveryCodes{[]string{}} }
func (v newPasskeyView) withoutSecrets() any { v.RecoveryCodes = []string{}; return v }
func (v twoFactorAnswer) withoutSecrets() any {
	return twoFactorAnswer{RecoveryCodes: []string{}, Enabled: v.Enabled}
}

// onceKey is the header with which a client marks a request that it may repeat.
const onceKey = "Idempotency-Key"

// once runs a POST with an Idempotency-Key at most once: a repeated key and
// body get the first response again.
//
// again recreates the response from the recorded work if the process was killed before
// storing it. If again is nil, the work is repeated.
func (s *server) once(r *request, again rebuild, run func() (answer, error)) error {
	key := r.Get(onceKey)
	if r.op.method != http.MethodPost || key == "" || r.who.CompanyID == "" || r.who.IsSignatory() {
		a, err := run()
		if err != nil {
			return err
		}
		return r.send(a)
	}
	if len(key) > 255 {
		return fault.Invalid("idempotency_key", "too_long.idempotency_key", fault.Number("limit", 255))
	}
	unlock := s.replays.lock(r.who.CompanyID + "/" + key)
	defer unlock()
	kept, err := s.Accounts.Upkeep.Replay(r.who, key, r.print())
	if err != nil {
		return err
	}
	if kept != nil && kept.Status != 0 {
		r.Set("Idempotency-Replayed", "true")
		return r.sendBytes(answer{status: kept.Status}, kept.Body)
	}
	if again != nil {
		r.who.Once = account.NewOnce(r.who, key, r.print())
	}
	if kept != nil && again != nil {
		r.Set("Idempotency-Replayed", "true")
		run = func() (answer, error) {
			out, err := again(r, kept.About)
			return answer{status: r.op.success(), etag: r.etag, body: out}, err
		}
	}
	a, err := run()
	if err != nil {
		return err
	}
	if err := r.keep(key, a); err != nil {
		return err
	}
	return r.send(a)
}

// summing returns a hash for the body that is about to be read, or nil if no fingerprint will be
// needed.
func summing(r *request) hash.Hash {
	if r.Get(onceKey) != "" {
		r.sum = sha256.New()
	}
	return r.sum
}

// print returns a fingerprint of the request and of its caller's rights, so that a token
// with fewer rights doesn't get a response made for one with more.
func (r *request) print() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n%s %s %v\n", r.Method(), strings.TrimPrefix(r.Path(), "/api"), r.who.Kind, r.who.Role, r.who.Scopes)
	if r.sum != nil {
		sum.Write(r.sum.Sum(nil))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// keep stores a response without the secrets in it.
func (r *request) keep(key string, a answer) error {
	if s, ok := a.body.(secretive); ok {
		a.body = s.withoutSecrets()
	}
	body, err := a.encode()
	if err != nil {
		return err
	}
	return r.server.Accounts.Upkeep.KeepAnswer(r.who, key, r.print(), account.Answer{Status: a.status, Body: body})
}

// replays makes requests with the same Idempotency-Key wait for each other, so
// that a repetition that arrives while the first is still running gets its
// response.
type replays struct {
	mu   sync.Mutex
	keys map[string]*waiting
}

type waiting struct {
	mu    sync.Mutex
	count int
}

func newReplays() *replays { return &replays{keys: map[string]*waiting{}} }

func (r *replays) lock(key string) (unlock func()) {
	r.mu.Lock()
	w := r.keys[key]
	if w == nil {
		w = &waiting{}
		r.keys[key] = w
	}
	w.count++
	r.mu.Unlock()
	w.mu.Lock()
	return func() {
		w.mu.Unlock()
		r.mu.Lock()
		defer r.mu.Unlock()
		if w.count--; w.count == 0 {
			delete(r.keys, key)
		}
	}
}
