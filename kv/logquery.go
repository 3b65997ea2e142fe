package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// LogQuery asks for a part of a chain or of a scope.
type LogQuery struct {
	Descending bool
	Offset     int
	Limit      int
	// AfterID starts after the entry with this ID, in the query's direction, and overrides
	// Offset.
	AfterID string
}

// Chain returns a part of a chain and the length of the chain.
func (l *Log[T]) Chain(tx *Tx, chain string, q LogQuery) (entries []Entry[T], total int, err error) {
	h, err := readHead(tx, l.chainHead(chain))
	if err != nil || h.n == 0 {
		return nil, 0, err
	}
	entries, err = l.part(tx, join(l.chains, K(chain)), q)
	return entries, int(h.n), err
}

// Scope returns a part of a scope and its number of entries. The cost does not depend on the
// offset.
func (l *Log[T]) Scope(tx *Tx, scope string, q LogQuery) (entries []Entry[T], total int, err error) {
	prefix := K(scope)
	if q.AfterID != "" {
		if _, total, err = tx.span(l.scopes, prefix); err != nil {
			return nil, 0, err
		}
		entries, err = l.part(tx, join(l.scopes.entries, prefix), q)
		return entries, total, err
	}
	byCount := &list{before: l.scopes.entries, counter: l.scopes}
	total, err = byCount.pageCounted(tx, Query{Prefix: prefix, Descending: q.Descending, Offset: max(q.Offset, 0), Limit: q.Limit},
		func(key, _ []byte) error {
			e, err := l.listed(tx, key)
			entries = append(entries, e)
			return err
		})
	if err != nil {
		return nil, 0, err
	}
	return entries, total, nil
}

// part walks a list of numbers.
func (l *Log[T]) part(tx *Tx, prefix []byte, q LogQuery) ([]Entry[T], error) {
	scan, err := tx.scan(prefix, q.Descending)
	if err != nil {
		return nil, err
	}
	defer scan.close()
	skip := max(q.Offset, 0)
	scan.begin()
	if q.AfterID != "" {
		seq, err := l.seq(tx, q.AfterID)
		if err != nil {
			return nil, err
		}
		skip = 0
		from := join(prefix, number(seq))
		scan.seek(from)
		if scan.valid() && bytes.Equal(scan.key(), from) {
			scan.next()
		}
	}
	var out []Entry[T]
	for ; scan.valid() && len(out) < q.Limit; scan.next() {
		if skip > 0 {
			skip--
			continue
		}
		e, err := l.listed(tx, scan.key())
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// listed returns the entry whose number ends the key.
func (l *Log[T]) listed(tx *Tx, key []byte) (Entry[T], error) {
	if len(key) < 8 {
		return Entry[T]{}, fmt.Errorf("%w: key %q of log %s", ErrCorrupt, key, l.name)
	}
	e, err := l.at(tx, binary.BigEndian.Uint64(key[len(key)-8:]))
	if err != nil {
		return Entry[T]{}, fmt.Errorf("kv: log %s: %w", l.name, dangling(err))
	}
	return e, nil
}

// Check walks the whole log. Its error names the first entry with a wrong number, hash, link or
// list entry.
func (l *Log[T]) Check(tx *Tx) error {
	scan, err := tx.scan(l.entries, false)
	if err != nil {
		return err
	}
	defer scan.close()
	var last head
	var scoped, chained uint64
	chains, leaves := map[string]head{}, map[string]int64{}
	for scan.begin(); scan.valid(); scan.next() {
		e, err := l.current(scan)
		if err != nil {
			return err
		}
		if err := l.checkEntry(tx, e, last, chains[e.Chain]); err != nil {
			return err
		}
		last = head{e.Seq, e.Link()}
		if e.Chain != "" {
			chains[e.Chain] = head{chains[e.Chain].n + 1, e.Hash}
			chained++
		}
		if e.Scope != "" {
			if err := l.trees.check(tx, e.Scope, leaves[e.Scope], e.Hash); err != nil {
				return fmt.Errorf("%w: entry %d of log %s: %w", ErrCorrupt, e.Seq, l.name, err)
			}
			leaves[e.Scope]++
			scoped++
		}
	}
	for scope, n := range leaves {
		if err := l.trees.checkSize(tx, scope, n); err != nil {
			return err
		}
	}
	return errors.Join(
		l.checkHeads(tx, last, chains),
		l.checkLength(tx, "ids", l.ids, last.n),
		l.checkLength(tx, "chains", l.chains, chained),
		l.checkLength(tx, "scopes", l.scopes.entries, scoped),
		l.checkLength(tx, "leaves", l.trees.leaves, scoped),
		checkCounter(tx, l.scopes),
	)
}

// checkLength looks for list entries without a log entry.
func (l *Log[T]) checkLength(tx *Tx, what string, prefix []byte, want uint64) error {
	scan, err := tx.scan(prefix, false)
	if err != nil {
		return err
	}
	defer scan.close()
	n := uint64(0)
	for scan.begin(); scan.valid(); scan.next() {
		n++
	}
	if n != want {
		return fmt.Errorf("%w: log %s lists %d %s, not %d", ErrCorrupt, l.name, n, what, want)
	}
	return nil
}

func (l *Log[T]) checkEntry(tx *Tx, e Entry[T], last, chain head) error {
	bad := func(what string) error {
		return fmt.Errorf("%w: entry %d of log %s: %s", ErrCorrupt, e.Seq, l.name, what)
	}
	if e.Seq != last.n+1 {
		return fmt.Errorf("%w: entry %d of log %s is missing", ErrCorrupt, last.n+1, l.name)
	}
	before := e.Previous
	if e.Adopted() {
		before = e.After
	}
	switch {
	case before != last.hash:
		return bad("it does not follow the entry before it")
	case e.Chain != "" && e.ChainPrevious != chain.hash:
		return bad("it does not follow the entry before it in its chain")
	case e.Hash != HashEntry(e):
		return bad("its hash is not that of its content")
	}
	seq, err := l.seq(tx, e.ID)
	if err != nil || seq != e.Seq {
		return bad("it is not found by its id")
	}
	if listed, err := tx.has(join(l.chains, K(e.Chain), number(e.Seq))); err != nil || listed != (e.Chain != "") {
		return bad("it is not listed in its chain")
	}
	if listed, err := tx.has(join(l.scopes.entries, K(e.Scope), number(e.Seq))); err != nil || listed != (e.Scope != "") {
		return bad("it is not listed in its scope")
	}
	return nil
}

// checkHeads compares the chain heads with the entries walked.
func (l *Log[T]) checkHeads(tx *Tx, last head, chains map[string]head) error {
	got, err := readHead(tx, l.head)
	if err != nil {
		return err
	}
	if got != last {
		return fmt.Errorf("%w: log %s ends with entry %d, not %d", ErrCorrupt, l.name, last.n, got.n)
	}
	for chain, want := range chains {
		got, err := readHead(tx, l.chainHead(chain))
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%w: chain %s of log %s ends after %d entries, not %d", ErrCorrupt, chain, l.name, want.n, got.n)
		}
	}
	return nil
}

// Problems is Check as a [Checker].
func (l *Log[T]) Problems(tx *Tx) []error {
	if err := l.Check(tx); err != nil {
		return []error{err}
	}
	return nil
}

// Name returns the name of the log.
func (l *Log[T]) Name() string { return l.name }
