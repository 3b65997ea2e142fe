package limit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"paraph/kv"
)

// day is the time that a count of a Daily covers, from its first event on.
const day = 24 * time.Hour

// Daily allows each key a number of events a day. Its counts are stored in the transaction of
// the event, so that neither a restart nor a full memory clears them. A [Limiter] in front of it
// keeps refused callers away from the store. It is safe for concurrent use.
type Daily struct {
	name   string
	limit  int
	secret []byte
}

// NewDaily makes a limit with a name of its own. The secret makes the stored keys unreadable,
// as they may be addresses.
func NewDaily(name string, limit int, secret []byte) *Daily {
	return &Daily{name: name, limit: limit, secret: secret}
}

// tally is the count of one key.
type tally struct {
	Count     int       `json:"count"`
	ExpiresAt time.Time `json:"expires_at"`
}

var tallies = kv.NewCollection("tallies", kv.JSON[tally](), kv.Index[tally]{Name: "expires", Keys: func(t tally) []kv.Key {
	return []kv.Key{kv.K(kv.KeyTime(t.ExpiresAt))}
}})

// Wait returns how long to wait for the next event of key, zero if one is left.
func (d *Daily) Wait(tx *kv.Tx, key string) (time.Duration, error) {
	t, err := current(tx, d.id(key))
	if err != nil || t.Count < d.limit {
		return 0, err
	}
	return t.ExpiresAt.Sub(tx.Now), nil
}

// Spend counts an event of key, if one is left; otherwise it returns how long to wait.
func (d *Daily) Spend(tx *kv.Tx, key string) (wait time.Duration, err error) {
	if wait, err = d.Wait(tx, key); wait > 0 || err != nil {
		return wait, err
	}
	id := d.id(key)
	t, err := current(tx, id)
	if err != nil {
		return 0, err
	}
	t.Count++
	return 0, tallies.Put(tx, id, t)
}

func (d *Daily) id(key string) string {
	m := hmac.New(sha256.New, d.secret)
	m.Write([]byte("daily count\x00" + d.name + "\x00" + key))
	return hex.EncodeToString(m.Sum(nil))
}

// current returns a count that is still valid, or a new one. One that began in the future was
// stored before the clock was set back.
func current(tx *kv.Tx, id string) (tally, error) {
	t, err := tallies.Get(tx, id)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return tally{}, err
	}
	if left := t.ExpiresAt.Sub(tx.Now); left <= 0 || left > day {
		t = tally{ExpiresAt: tx.Now.Add(day)}
	}
	return t, nil
}

// Sweep removes up to most expired counts, and returns how many.
func Sweep(tx *kv.Tx, most int) (removed int, err error) {
	var ids []string
	err = tallies.Each(tx, "expires", nil, func(id string, t tally) (bool, error) {
		if t.ExpiresAt.After(tx.Now) || len(ids) == most {
			return false, nil
		}
		ids = append(ids, id)
		return true, nil
	})
	for _, id := range ids {
		err = errors.Join(err, tallies.Delete(tx, id))
	}
	return len(ids), err
}

// Collections returns the stored counts, to be checked.
func Collections() []kv.Checker { return []kv.Checker{tallies} }
