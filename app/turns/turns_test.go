package turns_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paraph/app/fault"
	"paraph/app/turns"
)

// shop is a queue that records the order in which callers were served.
type shop struct {
	t *testing.T
	q *turns.Queue

	mu     sync.Mutex
	served []string
	errs   map[string]error
	all    sync.WaitGroup
}

func newShop(t *testing.T, o turns.Options) *shop {
	return &shop{t: t, q: turns.New(o), errs: map[string]error{}}
}

// ask lines up for a turn that takes a second, and returns when it is in line.
func (s *shop) ask(name string, k turns.Key) {
	s.all.Go(func() {
		leave, err := s.q.Enter(s.t.Context(), k)
		s.mu.Lock()
		if err != nil {
			s.errs[name] = err
		} else {
			s.served = append(s.served, name)
		}
		s.mu.Unlock()
		if err == nil {
			<-time.After(time.Second) // of the bubble's clock
			leave()
		}
	})
	synctest.Wait()
}

// soFar returns who was served, in order.
func (s *shop) soFar() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.served, " ")
}

func (s *shop) wants(want string) {
	s.t.Helper()
	s.all.Wait()
	if got := s.soFar(); got != want {
		s.t.Errorf("served %s\nwant   %s", got, want)
	}
}

func isBusy(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Kind == fault.KindUnavailable && e.Code == "busy" && e.RetryAfter > 0
}

func TestACompanyThatFloodsDelaysAnotherByOneTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t, turns.Options{Slots: 1})
		for _, name := range []string{"a1", "a2", "a3", "a4"} {
			s.ask(name, turns.Member("a", "ann"))
		}
		s.ask("b1", turns.Member("b", "bob"))
		s.ask("b2", turns.Member("b", "bob"))
		s.wants("a1 a2 b1 a3 b2 a4")
	})
}

func TestACallerThatFloodsDelaysColleaguesByOneTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t, turns.Options{Slots: 1})
		for _, name := range []string{"ann1", "ann2", "ann3", "ann4"} {
			s.ask(name, turns.Member("a", "ann"))
		}
		s.ask("eve1", turns.Member("a", "eve"))
		s.ask("b1", turns.Member("b", "bob"))
		s.ask("eve2", turns.Member("a", "eve"))
		s.wants("ann1 ann2 b1 eve1 ann3 eve2 ann4")
	})
}

func TestStrangersAreOneGroupThatSharesByNetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t, turns.Options{Slots: 1})
		for _, name := range []string{"x1", "x2", "x3"} {
			s.ask(name, turns.Stranger("2001:db8:1:2::"+name[1:]))
		}
		s.ask("y1", turns.Stranger("2001:db8:1:3::1"))
		s.ask("a1", turns.Member("a", "ann"))
		s.ask("guest", turns.Guest("a", "invitation"))
		s.wants("x1 x2 a1 guest y1 x3")
	})
}

// TestStrangersSlowDownForMembers checks that strangers use a third of a slot while
// members are being served, and all of it otherwise.
func TestStrangersSlowDownForMembers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var members turns.Presence
		q := turns.New(turns.Options{Slots: 1, Members: &members})
		began := time.Now()
		use := func(k turns.Key) {
			leave, err := q.Enter(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second) // of the bubble's clock
			leave()
		}
		passed := func(what string, want time.Duration) {
			t.Helper()
			if got := time.Since(began); got != want {
				t.Errorf("%s: %v have passed, want %v", what, got, want)
			}
		}
		use(turns.Stranger("10.0.0.1"))
		use(turns.Stranger("10.0.0.2"))
		passed("strangers alone", 2*time.Second)
		leave := members.Enter()
		use(turns.Member("a", "ann"))
		use(turns.Stranger("10.0.0.1"))
		passed("a stranger after a member", 4*time.Second)
		use(turns.Stranger("10.0.0.2"))
		passed("a stranger after a stranger and a pause", 7*time.Second)
		leave()
		leave() // does no harm
		use(turns.Stranger("10.0.0.3"))
		passed("a stranger after the last pause", 10*time.Second)
		use(turns.Stranger("10.0.0.4"))
		passed("a stranger without members", 11*time.Second)
	})
}

func TestNobodyHasMoreThanItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := turns.New(turns.Options{Slots: 5, Group: 3, Strangers: 2, Stranger: 1, Patience: time.Second})
		for _, c := range []struct {
			key  turns.Key
			most int
		}{
			{turns.Stranger("192.0.2.1"), 1}, {turns.Stranger("192.0.2.2"), 1}, {turns.Stranger("192.0.2.3"), 0},
			{turns.Member("a", "ann"), 3}, {turns.Member("b", "bob"), 0},
		} {
			had := 0
			for range 5 {
				if _, err := q.Enter(t.Context(), c.key); err == nil {
					had++
				} else if !isBusy(err) {
					t.Errorf("%v: %v", c.key, err)
				}
			}
			if had != c.most {
				t.Errorf("%v had %d, want %d", c.key, had, c.most)
			}
		}
	})
}

func TestOneWhoHasItsShareIsPassedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t, turns.Options{Slots: 2, Group: 1})
		for _, name := range []string{"a1", "a2", "a3"} {
			s.ask(name, turns.Member("a", "ann"))
		}
		began := time.Now()
		leave, err := s.q.Enter(t.Context(), turns.Member("b", "bob"))
		if err != nil || time.Since(began) != 0 {
			t.Errorf("another company waited for %v: %v", time.Since(began), err)
		}
		leave()
		s.wants("a1 a2 a3")
	})
}

func TestALongLineMakesRoomForAShortOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t, turns.Options{Slots: 1, Waiting: 3})
		for _, name := range []string{"x1", "x2", "x3", "x4", "x5"} {
			s.ask(name, turns.Stranger("192.0.2.1"))
		}
		s.ask("y1", turns.Stranger("192.0.2.2"))
		s.ask("y2", turns.Stranger("192.0.2.2"))
		s.ask("b1", turns.Member("b", "bob"))
		s.wants("x1 x2 b1 y1 x3")
		for _, name := range []string{"x4", "x5", "y2"} {
			if !isBusy(s.errs[name]) {
				t.Errorf("%s: %v", name, s.errs[name])
			}
		}
	})
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := turns.New(turns.Options{Slots: 1, Patience: time.Minute})
		leave, err := q.Enter(t.Context(), turns.Key{})
		if err != nil {
			t.Fatal(err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		short, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		for _, c := range []struct {
			ctx   context.Context
			after time.Duration
			is    func(error) bool
		}{
			{canceled, time.Second, func(err error) bool { return errors.Is(err, context.Canceled) }},
			{short, time.Second, isBusy},
			{t.Context(), time.Minute, isBusy},
		} {
			began := time.Now()
			if _, err := q.Enter(c.ctx, turns.Member("a", "ann")); !c.is(err) || time.Since(began) != c.after {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		}
		leave()
		leave() // does nothing
		for range 2 {
			if leave, err = q.Enter(t.Context(), turns.Member("a", "ann")); err != nil {
				t.Fatalf("what was given up is lost: %v", err)
			}
			leave()
		}
	})
}

// TestOneWhoWantsALotIsNotOvertaken checks that a large request keeps its turn until
// enough is free.
func TestOneWhoWantsALotIsNotOvertaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := turns.New(turns.Options{Slots: 10})
		a, b, c := turns.Member("a", ""), turns.Member("b", ""), turns.Member("c", "")
		if err := q.Take(t.Context(), a, 6); err != nil {
			t.Fatal(err)
		}
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		take := func(name string, k turns.Key, n int64) {
			all.Go(func() {
				if err := q.Take(t.Context(), k, n); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				q.Release(k, n)
			})
			synctest.Wait()
		}
		take("much", b, 8)
		take("little", c, 3)
		if len(order) != 0 {
			t.Errorf("overtaken by %v", order)
		}
		q.Release(a, 6)
		all.Wait()
		if !slices.Equal(order, []string{"much", "little"}) {
			t.Error(order)
		}
	})
}

// TestACompanyUsesEverythingUntilOthersCome holds a slot for a second per turn.
func TestACompanyUsesEverythingUntilOthersCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t, turns.Options{Slots: 100, Crowded: 1})
		for _, name := range []string{"a1", "a2", "a3"} {
			s.ask(name, turns.Member("a", "ann"))
		}
		s.ask("b1", turns.Member("b", "bob"))
		s.ask("a4", turns.Member("a", "ann")) // as many as are being served
		s.ask("b2", turns.Member("b", "bob"))
		s.ask("a5", turns.Member("a", "ann"))
		if got := s.soFar(); got != "a1 a2 a3 b1" {
			t.Errorf("served %s first", got)
		}
		s.all.Wait()
		time.Sleep(2 * time.Second)
		s.ask("a6", turns.Member("a", "ann"))
		s.ask("a7", turns.Member("a", "eve"))
		if got := s.soFar(); !strings.HasSuffix(got, "a6 a7") {
			t.Errorf("served %s; both at once when alone again", got)
		}
		s.all.Wait()
	})
}

// TestATurnEndsWhenAnotherIsTaken lines up for a second thing during a turn for the first.
func TestATurnEndsWhenAnotherIsTaken(t *testing.T) {
	t.Parallel()
	first, second := turns.New(turns.Options{Slots: 1}), turns.New(turns.Options{Slots: 1})
	ann, bob := turns.Member("a", "ann"), turns.Member("b", "bob")
	visit := first.Visit(ann)
	ctx := turns.Yielding(t.Context(), visit)
	for range 2 { // the second does nothing
		if err := visit.Enter(ctx); err != nil {
			t.Fatal(err)
		}
	}
	done, err := second.Enter(ctx, ann)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	also, err := first.Enter(t.Context(), bob)
	if err != nil {
		t.Fatal(err)
	}
	also()
	if err := visit.Enter(ctx); err != nil {
		t.Fatal(err)
	}
	visit.Leave()
	visit.Leave()
	if l := first.Load(); l.Used != 0 {
		t.Errorf("%d slots are still held", l.Used)
	}
}
