package kv

import (
	"errors"
	"slices"
	"strings"
)

const (
	// laneShare is how many entries of a scope a follower processes of one batch before it
	// sets the scope aside.
	laneShare = followBatch / 4
	// laneEvery is the number of batches after which one of the scopes set aside has a turn,
	// while there is more to read. Batches in which all entries are set aside cost little.
	laneEvery = 16
)

// lanes are the scopes that a follower has set aside. Each has a place of its own: its entries
// up to there are processed, those up to the follower's place wait, in order.
type lanes struct {
	follower string
	of       map[string]*lane
	order    []string // whose turn it is, the next one first
	batches  int      // read since the last turn
	waiting  bool     // for new entries: there is nothing else to do
}

type lane struct {
	at position
	failures
}

// lanePlace is the name under which the place of a lane is stored.
func lanePlace(follower, scope string) string { return follower + "/" + scope }

// readLanes reads the stored lanes of a follower.
func readLanes(tx *Tx, follower string) (*lanes, error) {
	l := &lanes{follower: follower, of: map[string]*lane{}}
	prefix := []byte{spacePlace}
	scan, err := tx.scan(prefix, false)
	if err != nil {
		return nil, err
	}
	defer scan.close()
	for scan.begin(); scan.valid(); scan.next() {
		stored := Key(scan.key()[len(prefix):]).Parts()[0]
		name, scope, ok := strings.Cut(stored, "/")
		if !ok || name != follower {
			continue
		}
		at, err := getPlace(tx, stored)
		if err != nil {
			return nil, err
		}
		l.add(scope, at)
	}
	return l, nil
}

func (l *lanes) add(scope string, at position) {
	l.of[scope] = &lane{at: at}
	l.order = append(l.order, scope)
}

// have reports whether a scope is set aside.
func (l *lanes) have(scope string) bool { return l.of[scope] != nil }

// due reports whether it is the turn of a lane.
func (l *lanes) due() bool { return len(l.order) > 0 && (l.waiting || l.batches >= laneEvery) }

// passed counts a batch, and reports whether lanes are waiting. atEnd means that there is
// nothing left to read for the moment.
func (l *lanes) passed(atEnd bool) (more bool) {
	l.batches++
	l.waiting = atEnd
	return len(l.order) > 0
}

// setAside splits the entries of a batch: those to be processed now, and for each scope that
// has too many, the number before the first that is left for later.
func setAside[T any](entries []Entry[T]) (now []Entry[T], aside map[string]uint64) {
	counts := map[string]int{}
	aside = map[string]uint64{}
	for _, e := range entries {
		counts[e.Scope]++
		switch {
		case e.Scope == "" || counts[e.Scope] <= laneShare:
			now = append(now, e)
		case counts[e.Scope] == laneShare+1:
			aside[e.Scope] = e.Seq - 1
		}
	}
	return now, aside
}

// open stores lanes that begin before the follower's place. The entries of the others are read
// again.
func (l *lanes) open(tx *Tx, aside map[string]uint64, to uint64) error {
	for scope, from := range aside {
		if from >= to {
			continue
		}
		if err := setPlace(tx, lanePlace(l.follower, scope), position{seq: from}); err != nil {
			return err
		}
	}
	return nil
}

// opened records what open has stored.
func (l *lanes) opened(aside map[string]uint64, to uint64) {
	for scope, from := range aside {
		if from < to {
			l.add(scope, position{seq: from})
		}
	}
}

// serve gives the next lane its turn.
func (f *Follower[T]) serve() (more bool, err error) {
	l := f.lanes
	scope := l.order[0]
	one := l.of[scope]
	l.order, l.batches, l.waiting = append(slices.Clone(l.order[1:]), scope), 0, false
	var entries []Entry[T]
	var last uint64
	err = f.db.View(func(tx *Tx) (err error) {
		entries, last, err = f.ofLane(tx, scope, one)
		return err
	})
	if err == nil {
		err = f.serveEntries(scope, one, entries, last)
	}
	if err == nil {
		one.tries = 0
		return true, nil
	}
	if len(entries) == 0 {
		return false, err
	}
	first := entries[0].Seq
	return one.handle(err, first, func(seq uint64) error {
		f.db.log.Error("kv: follower skips a failing entry", "follower", f.name, "scope", scope, "entry", seq, "error", err)
		return f.keepLane(scope, one, func(*Tx) (position, error) { return position{seq: seq}, nil })
	})
}

// ofLane reads the next entries of a lane that pass Match, and the number up to which they are
// all there are.
func (f *Follower[T]) ofLane(tx *Tx, scope string, one *lane) (wanted []Entry[T], last uint64, err error) {
	limit := laneShare
	if one.at.seq < one.alone {
		limit = 1
	}
	all, err := f.log.nextOf(tx, scope, one.at.seq, f.seen, limit)
	if err != nil {
		return nil, 0, err
	}
	last = f.seen
	if len(all) == limit {
		last = all[limit-1].Seq
	}
	for _, e := range all {
		if e.Adopted() {
			continue
		}
		ok, err := guarded(func() (bool, error) { return f.o.Match(tx, e) })
		if err != nil {
			return all, last, &entryError{err, all[len(all)-1].Seq}
		}
		if ok {
			wanted = append(wanted, e)
		}
	}
	return wanted, last, nil
}

// serveEntries processes entries of a lane, and moves its place.
func (f *Follower[T]) serveEntries(scope string, one *lane, entries []Entry[T], last uint64) error {
	err := f.keepLane(scope, one, func(tx *Tx) (position, error) {
		to, err := f.doAll(tx, entries, last, one.at, followTime)
		if err != nil {
			err = &entryError{err, entries[len(entries)-1].Seq}
		}
		return to, err
	})
	if errors.Is(err, ErrTooLarge) && len(entries) > 0 {
		return &entryError{err, entries[len(entries)-1].Seq}
	}
	return err
}

// keepLane stores the place of a lane, in the transaction of what it has processed. A lane
// that has reached the follower's place ends.
func (f *Follower[T]) keepLane(scope string, one *lane, do func(tx *Tx) (position, error)) error {
	var to position
	err := f.db.Update(func(tx *Tx) (err error) {
		if to, err = do(tx); err != nil {
			return err
		}
		if to.seq < f.seen {
			return setPlace(tx, lanePlace(f.name, scope), to)
		}
		return f.endLane(tx, scope)
	})
	if err != nil {
		return err
	}
	if one.at = to; to.seq >= f.seen {
		delete(f.lanes.of, scope)
		f.lanes.order = slices.DeleteFunc(f.lanes.order, func(s string) bool { return s == scope })
	}
	return nil
}

// endLane removes a lane. The follower's place is stored with that: otherwise it would read the
// entries of the lane again after a restart.
func (f *Follower[T]) endLane(tx *Tx, scope string) error {
	at, err := getPlace(tx, f.name)
	if err != nil {
		return err
	}
	if at.seq < f.seen {
		if err := setPlace(tx, f.name, position{seq: f.seen}); err != nil {
			return err
		}
	}
	return tx.del(space(spacePlace, lanePlace(f.name, scope)))
}

// nextOf returns up to limit entries of a scope after a number and up to another.
func (l *Log[T]) nextOf(tx *Tx, scope string, after, upTo uint64, limit int) (out []Entry[T], err error) {
	prefix := join(l.scopes.entries, K(scope))
	scan, err := tx.scan(prefix, false)
	if err != nil {
		return nil, err
	}
	defer scan.close()
	for scan.seek(join(prefix, number(after+1))); scan.valid() && len(out) < limit; scan.next() {
		e, err := l.listed(tx, scan.key())
		if err != nil {
			return nil, err
		}
		if e.Seq > upTo {
			break
		}
		out = append(out, e)
	}
	return out, nil
}
