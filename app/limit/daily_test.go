package limit_test

import (
	"testing"
	"time"

	"paraph/app/limit"
	"paraph/kv"
)

// TestDailyCountsByKeyUntilADayHasPassed spends counts of several keys and names while the
// clock moves, also backwards.
func TestDailyCountsByKeyUntilADayHasPassed(t *testing.T) {
	t.Parallel()
	now := start
	db, err := kv.Open(kv.Options{InMemory: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	codes, mails := limit.NewDaily("codes", 2, []byte("secret")), limit.NewDaily("mails", 2, []byte("secret"))
	update := func(fn func(tx *kv.Tx) error) {
		t.Helper()
		if err := db.Update(fn); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		after time.Duration
		in    *limit.Daily
		key   string
		wait  time.Duration
	}{
		{0, codes, "ann", 0},
		{time.Hour, codes, "ann", 0},
		{time.Hour, codes, "ann", 22 * time.Hour},
		{0, codes, "bob", 0},
		{0, mails, "ann", 0},
		{22*time.Hour - time.Millisecond, codes, "ann", time.Millisecond},
		{time.Millisecond, codes, "ann", 0},
		{0, codes, "ann", 0},
		{-48 * time.Hour, codes, "ann", 0}, // set back: nobody waits for three days
	} {
		now = now.Add(step.after)
		update(func(tx *kv.Tx) error {
			wait, err := step.in.Spend(tx, step.key)
			if wait != step.wait {
				t.Errorf("step %d: wait %v, want %v", i, wait, step.wait)
			}
			return err
		})
	}
	now = now.Add(96 * time.Hour)
	for _, want := range []int{2, 1, 0} {
		update(func(tx *kv.Tx) error {
			removed, err := limit.Sweep(tx, 2)
			if removed != want {
				t.Errorf("%d expired counts were removed, want %d", removed, want)
			}
			return err
		})
	}
	if problems := db.Check(limit.Collections()...); len(problems) > 0 {
		t.Error(problems)
	}
}
