package account

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/app/seal"
	"paraph/kv"
)

const (
	// answerLifetime is how long a repeated request gets the first response.
	answerLifetime = 24 * time.Hour

	// maxAnswer bounds the size of a stored response. A larger one is not stored,
	// and its request is executed again when it is repeated.
	maxAnswer = 1 << 20
)

// Answer is the recorded response to a request. If the process was killed after the work but
// before the response, Status is 0 and About names the records created or changed.
type Answer struct {
	Status int
	Body   []byte
	About  []string
}

// answerRecord is a response as stored. Its key is the company and the hash of
// the idempotency key.
type answerRecord struct {
	UserID      string    `json:"user_id"`
	Fingerprint string    `json:"fingerprint"`
	Status      int       `json:"status"`
	Body        []byte    `json:"body"` // encrypted: it may contain a token that is shown once
	About       []string  `json:"about,omitempty"`
	ExpiresAt   time.Time `json:"expires_at"`
}

var answers = newAnswers("responses")

func newAnswers(name string) *kv.Collection[answerRecord] {
	return kv.NewCollection(name, kv.JSON[answerRecord](),
		kv.Index[answerRecord]{Name: "expires", Keys: func(a answerRecord) []kv.Key {
			return []kv.Key{kv.K(kv.KeyTime(a.ExpiresAt))}
		}})
}

func answerKey(who Call, key string) string {
	sum := sha256.Sum256([]byte(key))
	return who.CompanyID + "/" + hex.EncodeToString(sum[:])
}

// Replay returns the response that the actor's request with this idempotency key
// got before, nil if there is none. The fingerprint identifies the request: the
// same key with another fingerprint, or from another caller, is a conflict.
func (s *Upkeep) Replay(who Call, key, fingerprint string) (*Answer, error) {
	id := answerKey(who, key)
	var kept answerRecord
	err := s.db.View(func(tx *kv.Tx) (err error) {
		kept, err = answers.Get(tx, id)
		return err
	})
	switch {
	case errors.Is(err, kv.ErrNotFound), err == nil && !kept.ExpiresAt.After(s.now()):
		return nil, nil
	case err != nil:
		return nil, err
	case kept.UserID != who.UserID || !hmac.Equal([]byte(kept.Fingerprint), []byte(fingerprint)):
		return nil, fault.Conflict("idempotency_key_reused")
	}
	if kept.Status == 0 {
		return &Answer{About: kept.About}, nil
	}
	body, err := s.box.Open(id, kept.Body)
	if err != nil {
		return nil, err
	}
	return &Answer{Status: kept.Status, Body: body}, nil
}

// Once records that the work of a request with an idempotency key is done, in the transaction
// of that work: whatever happens before the response is stored, repeating the request does not
// repeat the work. Nil records nothing.
type Once struct{ id, user, fingerprint string }

// NewOnce returns the record of a request, to be attached to its [Call].
func NewOnce(who Call, key, fingerprint string) *Once {
	return &Once{answerKey(who, key), who.UserID, fingerprint}
}

// Done records that the work is done if the transaction commits. about names the records needed
// to build the response again.
func (o *Once) Done(tx *kv.Tx, about ...string) error {
	if o == nil {
		return nil
	}
	return answers.Put(tx, o.id, answerRecord{UserID: o.user, Fingerprint: o.fingerprint, About: about, ExpiresAt: tx.Now.Add(answerLifetime)})
}

// KeepAnswer stores a response for a day, for [Replays.Replay].
func (s *Upkeep) KeepAnswer(who Call, key, fingerprint string, a Answer) error {
	if len(a.Body) > maxAnswer {
		return nil
	}
	id := answerKey(who, key)
	sealed, err := s.box.Seal(id, a.Body)
	if err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		done, err := answers.Get(tx, id)
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return answers.Put(tx, id, answerRecord{
			UserID: who.UserID, Fingerprint: fingerprint, Status: a.Status, Body: sealed, About: done.About,
			ExpiresAt: tx.Now.Add(answerLifetime),
		})
	})
}

// MigrateAnswers removes stored responses that are not encrypted: older versions kept
// them in the clear, for a day. key is the installation's.
func MigrateAnswers(db *kv.DB, key []byte) error {
	box, err := seal.New(key, sealing, nil)
	if err == nil {
		err = MoveAnswers(db)
	}
	for from, more := "", true; more && err == nil; {
		err = db.Update(func(tx *kv.Tx) (err error) {
			from, more, err = removeOpen(tx, box, from)
			return err
		})
	}
	return err
}

// answersAtOnce is how many stored responses a migration reads in one transaction.
const answersAtOnce = 1000

// removeOpen removes the unencrypted ones of the next responses, and returns where to continue.
func removeOpen(tx *kv.Tx, box *seal.Box, from string) (next string, more bool, err error) {
	var open []string
	seen := 0
	err = answers.EachFrom(tx, "", nil, kv.Key(from), func(id string, a answerRecord) (bool, error) {
		if seen == answersAtOnce {
			next, more = id, true
			return false, nil
		}
		seen++
		if _, err := box.Open(id, a.Body); err != nil && a.Status != 0 {
			open = append(open, id)
		}
		return true, nil
	})
	for _, id := range open {
		err = errors.Join(err, answers.Delete(tx, id))
	}
	return next, more, err
}

// sharedName is the collection in which older versions kept responses, beside what signatories
// had filled in. Rebuilding its index made both expire.
const sharedName = "answers"

// MoveAnswers moves stored responses to a collection of their own. Running it again is harmless.
func MoveAnswers(db *kv.DB) (err error) {
	for from, more := "", true; more && err == nil; {
		err = db.Update(func(tx *kv.Tx) (err error) {
			from, more, err = moveSome(tx, newAnswers(sharedName), from)
			return err
		})
	}
	return err
}

// moveSome moves the next responses, and returns where to continue. Other records lose only the
// index entry that a rebuild gave them.
func moveSome(tx *kv.Tx, shared *kv.Collection[answerRecord], from string) (next string, more bool, err error) {
	plain := kv.NewCollection(sharedName, kv.JSON[json.RawMessage]())
	found := map[string]json.RawMessage{}
	err = plain.EachFrom(tx, "", nil, kv.Key(from), func(id string, raw json.RawMessage) (bool, error) {
		if len(found) == answersAtOnce {
			next, more = id, true
			return false, nil
		}
		found[id] = bytes.Clone(raw)
		return true, nil
	})
	for id, raw := range found {
		var a answerRecord
		err = errors.Join(err, json.Unmarshal(raw, &a), shared.Delete(tx, id))
		if a.Fingerprint == "" {
			err = errors.Join(err, plain.Put(tx, id, raw))
		} else {
			err = errors.Join(err, answers.Put(tx, id, a))
		}
	}
	return next, more, err
}
