package httpkit_test

import (
	"errors"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/turns"
)

const budget = 1 << 20

func company(id string) turns.Key { return turns.Member(id, "somebody") }

func isBusy(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Kind == fault.KindUnavailable && httpkit.RetryAfter(e) > 0
}

func take(t *testing.T, b *turns.Queue, c turns.Key, n int64) *turns.Hold {
	t.Helper()
	h := b.Hold(c)
	if err := h.Take(t.Context(), n); err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return h
}

func TestOneCallerLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	b := httpkit.NewBudget(budget)
	greedy := take(t, b, company("a"), budget) // is cut to its share
	defer greedy.Close()
	again := b.Hold(company("a"))
	defer again.Close()
	if err := again.Take(t.Context(), 1); !isBusy(err) {
		t.Errorf("the same company again: %v", err)
	}
	take(t, b, company("b"), budget/4).Close()
	take(t, b, turns.Stranger("192.0.2.1"), budget/32).Close()
}

func TestStrangersTogetherLeaveRoomForCompanies(t *testing.T) {
	t.Parallel()
	b := httpkit.NewBudget(budget)
	for _, address := range []string{"a", "b", "c", "d"} {
		defer take(t, b, turns.Stranger(address), budget).Close()
	}
	fifth := b.Hold(turns.Stranger("e"))
	defer fifth.Close()
	if err := fifth.Take(t.Context(), 1); !isBusy(err) {
		t.Errorf("one stranger more: %v", err)
	}
	take(t, b, company("a"), budget/2).Close()
}

func TestWhatIsReturnedIsThereForTheNext(t *testing.T) {
	t.Parallel()
	b := httpkit.NewBudget(budget)
	first := take(t, b, company("a"), budget)
	got := make(chan error, 1)
	go func() {
		h := b.Hold(company("a"))
		defer h.Close()
		got <- h.Take(t.Context(), 1)
	}()
	select {
	case err := <-got:
		t.Fatalf("did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	first.Close()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestCallersShareByCompanyAndByNetwork(t *testing.T) {
	t.Parallel()
	member := account.Actor{Kind: account.ActorUser, CompanyID: "c", UserID: "somebody"}
	signatory := account.Actor{Kind: account.ActorSignatory, CompanyID: "c"}
	for _, c := range []struct {
		who     account.Call
		address string
		want    turns.Key
	}{
		{account.Call{Actor: member}, "192.0.2.1", company("c")},
		{account.Call{Actor: signatory}, "192.0.2.1", turns.Stranger("192.0.2.1")},
		{account.Call{}, "2001:db8:1:2:3::4", turns.Stranger("2001:db8:1:2::1")},
		{account.Call{}, "2001:db8:1:2:9::9", turns.Stranger("2001:db8:1:2::1")},
	} {
		if got := httpkit.CallerOf(c.who, c.address); got != c.want {
			t.Errorf("%s from %s: got %v, want %v", c.who.Kind, c.address, got, c.want)
		}
	}
}
