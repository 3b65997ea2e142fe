package account_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

func TestAnswersAreReplayedForADay(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "mem@example.org", account.RoleMember)
	h.add(b, "bob@example.org", account.RoleOwner)
	ann, mem, bob := h.as("ann@example.org"), h.as("mem@example.org"), h.as("bob@example.org")
	replay := func(who account.Call, print string) (*account.Answer, error) {
		return h.Upkeep.Replay(who, "key 1", print)
	}

	if got, err := replay(ann, "x"); got != nil || err != nil {
		t.Errorf("before: got %+v, %v", got, err)
	}
	body := []byte(`{"token":"shown once"}`)
	if err := h.Upkeep.KeepAnswer(ann, "key 1", "x", account.Answer{Status: 201, Body: body}); err != nil {
		t.Fatal(err)
	}
	if got, err := replay(ann, "x"); err != nil || got == nil || got.Status != 201 || !bytes.Equal(got.Body, body) {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := replay(ann, "y")
	wantKind(t, err, fault.KindConflict, "idempotency_key_reused")
	_, err = replay(mem, "x")
	wantKind(t, err, fault.KindConflict, "idempotency_key_reused")
	if got, err := replay(bob, "x"); got != nil || err != nil {
		t.Errorf("another company: got %+v, %v", got, err)
	}
	var backup bytes.Buffer
	if _, err := h.db.Backup(&backup, 0); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(backup.Bytes(), []byte("shown once")) {
		t.Error("an answer is stored in the clear")
	}
	if err := h.Upkeep.KeepAnswer(ann, "key 2", "x", account.Answer{Status: 200, Body: make([]byte, 2<<20)}); err != nil {
		t.Error(err)
	}
	if got, err := h.Upkeep.Replay(ann, "key 2", "x"); got != nil || err != nil {
		t.Errorf("too large to keep: got %v, %v", got != nil, err)
	}
	h.advance(24 * time.Hour)
	if got, err := replay(ann, "y"); got != nil || err != nil {
		t.Errorf("a day later: got %+v, %v", got, err)
	}
	if n, err := h.Upkeep.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
}

// TestAllAnswersOfOlderVersionsAreRemoved treats responses encrypted with another key as unencrypted:
// the migration can read neither.
func TestAllAnswersOfOlderVersionsAreRemoved(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	const many = 2100 // more than are read at once, twice
	left := func() (n int) {
		for i := range many {
			a, err := h.Upkeep.Replay(ann, fmt.Sprint(i), "x")
			if err != nil {
				t.Fatal(err)
			}
			if a != nil {
				n++
			}
		}
		return n
	}
	for i := range many {
		if err := h.Upkeep.KeepAnswer(ann, fmt.Sprint(i), "x", account.Answer{Status: 201, Body: []byte("shown once")}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		key  string
		want int
	}{{string(h.key), many}, {"another key of thirty-two bytes.", 0}} {
		if err := account.MigrateAnswers(h.db, []byte(c.key)); err != nil {
			t.Fatal(err)
		}
		if got := left(); got != c.want {
			t.Errorf("%d answers are left, want %d", got, c.want)
		}
	}
}

// TestResponsesMoveOutOfTheAnswersOfSignatories stores a response where older versions kept it, next to
// a signatory's draft, after a check of the data has rebuilt the indexes of both.
func TestResponsesMoveOutOfTheAnswersOfSignatories(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	if err := h.Upkeep.KeepAnswer(ann, "key", "x", account.Answer{Status: 201, Body: []byte("done")}); err != nil {
		t.Fatal(err)
	}
	type fields = map[string]any
	own := kv.NewCollection("responses", kv.JSON[fields]())
	shared := kv.NewCollection("answers", kv.JSON[fields](), kv.Index[fields]{Name: "expires", Keys: func(v fields) []kv.Key {
		at, err := time.Parse(time.RFC3339, fmt.Sprint(v["expires_at"]))
		if err != nil {
			at = time.Time{} // of what a signatory filled in
		}
		return []kv.Key{kv.K(kv.KeyTime(at))}
	}})
	err := h.db.Update(func(tx *kv.Tx) error {
		err := shared.Put(tx, "an invitation", fields{"Values": fields{"f1": "half a"}})
		return errors.Join(err, own.Each(tx, "", nil, func(id string, v fields) (bool, error) {
			return true, errors.Join(shared.Put(tx, id, v), own.Delete(tx, id))
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := account.MoveAnswers(h.db); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := h.Upkeep.Replay(ann, "key", "x"); err != nil || got == nil || string(got.Body) != "done" {
		t.Errorf("the response is %+v, %v", got, err)
	}
	h.advance(25 * time.Hour)
	if _, err := h.Upkeep.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = h.db.View(func(tx *kv.Tx) error {
		saved, err := shared.Get(tx, "an invitation")
		if fmt.Sprint(saved) != "map[Values:map[f1:half a]]" {
			t.Errorf("the signatory's answers are %v", saved)
		}
		return errors.Join(err, shared.Each(tx, "expires", nil, func(id string, _ fields) (bool, error) {
			t.Errorf("%s is still listed as expiring", id)
			return true, nil
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWorkThatWasDoneIsNotRepeated records a request in the transaction of its work, without a
// response: the process ended in between.
func TestWorkThatWasDoneIsNotRepeated(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "mem@example.org", account.RoleMember)
	ann, mem := h.as("ann@example.org"), h.as("mem@example.org")
	replay := func(who account.Call, print string) (*account.Answer, error) {
		return h.Upkeep.Replay(who, "key", print)
	}
	done := func(o *account.Once, fail error) error {
		return h.db.Update(func(tx *kv.Tx) error { return errors.Join(o.Done(tx, "document", "invitation"), fail) })
	}
	if err := done(nil, nil); err != nil {
		t.Errorf("a request without a key: %v", err)
	}
	undone := errors.New("undone")
	if err := done(account.NewOnce(ann, "key", "x"), undone); !errors.Is(err, undone) {
		t.Error(err)
	}
	if got, err := replay(ann, "x"); got != nil || err != nil {
		t.Errorf("work that was undone is remembered: %+v, %v", got, err)
	}
	if err := done(account.NewOnce(ann, "key", "x"), nil); err != nil {
		t.Fatal(err)
	}
	got, err := replay(ann, "x")
	if err != nil || got == nil || got.Status != 0 || fmt.Sprint(got.About) != "[document invitation]" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = replay(ann, "y")
	wantKind(t, err, fault.KindConflict, "idempotency_key_reused")
	_, err = replay(mem, "x")
	wantKind(t, err, fault.KindConflict, "idempotency_key_reused")
	h.advance(24*time.Hour - time.Second)
	if got, err := replay(ann, "x"); got == nil || err != nil {
		t.Errorf("within a day: %+v, %v", got, err)
	}
	h.advance(time.Second)
	if got, err := replay(ann, "x"); got != nil || err != nil {
		t.Errorf("after a day: %+v, %v", got, err)
	}
}
