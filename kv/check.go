package kv

import (
	"bytes"
	"errors"
	"fmt"
)

// Checker finds inconsistencies in one part of a store. [Collection] and [Log] are checkers.
type Checker interface {
	// Problems lists the inconsistencies found, each wrapping [ErrCorrupt].
	Problems(tx *Tx) []error
}

// Check verifies the checksums of everything on disk, then runs the parts' own checks: every
// record decodes, the index entries match those from Keys, the counts match the entries, and a
// log's chains are intact. It reads the whole store.
func (db *DB) Check(parts ...Checker) []error { return db.CheckSlowly(func() {}, parts...) }

// CheckSlowly is Check with pauses: see [ViewSlowly].
func (db *DB) CheckSlowly(rest func(), parts ...Checker) []error {
	var problems []error
	err := ViewSlowly(db, rest, func(tx *Tx) error {
		problems = db.badger.CheckTables(tx.base, tx.rest)
		for _, p := range parts {
			found, err := guarded(func() ([]error, error) { return p.Problems(tx), nil })
			if err != nil { // damage can make Badger panic
				found = []error{fmt.Errorf("%w: %w", ErrCorrupt, err)}
			}
			problems = append(problems, found...)
		}
		return nil
	})
	if err != nil {
		problems = append(problems, err)
	}
	return problems
}

// Problems compares every record with its index entries, every entry with its
// record, and the counts with the entries.
func (c *Collection[T]) Problems(tx *Tx) []error {
	problems := c.checkRecords(tx)
	for _, x := range c.indexes {
		problems = append(problems, c.checkIndex(tx, x)...)
		if x.counter == nil {
			continue
		}
		if err := checkCounter(tx, x.counter); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// checkRecords looks for missing entries.
func (c *Collection[T]) checkRecords(tx *Tx) (problems []error) {
	scan, err := tx.scan(c.records, false)
	if err != nil {
		return []error{err}
	}
	defer scan.close()
	for scan.begin(); scan.valid(); scan.next() {
		id := string(scan.key()[len(c.records):])
		raw, err := scan.value()
		if err != nil {
			problems = append(problems, fmt.Errorf("%w: %s %q: %w", ErrCorrupt, c.name, id, err))
			continue
		}
		problems = append(problems, c.checkRecord(tx, id, raw)...)
	}
	return problems
}

func (c *Collection[T]) checkRecord(tx *Tx, id string, raw []byte) (problems []error) {
	v, err := c.decode(id, raw)
	if err != nil {
		return []error{fmt.Errorf("%w: %w", ErrCorrupt, err)}
	}
	for _, x := range c.indexes {
		for _, k := range distinct(x.Keys(v)) {
			got, err := tx.get(x.change(id, k).path)
			if err != nil || !bytes.Equal(got, x.entry(id, raw)) {
				problems = append(problems, fmt.Errorf("%w: %s %q: entry in index %q is missing or differs", ErrCorrupt, c.name, id, x.Name))
			}
		}
	}
	return problems
}

// checkIndex looks for stray entries.
func (c *Collection[T]) checkIndex(tx *Tx, x *index[T]) (problems []error) {
	scan, err := tx.scan(x.entries, false)
	if err != nil {
		return []error{err}
	}
	defer scan.close()
	for scan.begin(); scan.valid(); scan.next() {
		key := scan.key()[len(x.entries):]
		value, err := scan.value()
		if err == nil {
			err = c.checkEntry(tx, x, key, value)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%w: %s: entry %q of index %q: %w", ErrCorrupt, c.name, key, x.Name, err))
		}
	}
	return problems
}

var errStray = errors.New("no such record")

func (c *Collection[T]) checkEntry(tx *Tx, x *index[T], key, value []byte) error {
	id, _, err := x.open(key, value)
	if err != nil {
		return err
	}
	v, err := c.Get(tx, id)
	if errors.Is(err, ErrNotFound) {
		return errStray
	}
	if err != nil {
		return err
	}
	for _, k := range x.Keys(v) {
		if bytes.Equal(x.change(id, k).key, key) {
			return nil
		}
	}
	return errStray
}

// checkCounter counts the entries of every block, and compares the counts in
// memory with those stored.
func checkCounter(tx *Tx, c *counter) error {
	scan, err := tx.scan(c.entries, false)
	if err != nil {
		return err
	}
	defer scan.close()
	var blocks []block
	tx.rank(c).each(func(b block) { blocks = append(blocks, b) })
	i, n := 0, 0
	for scan.begin(); scan.valid(); scan.next() {
		key := string(scan.key()[len(c.entries):])
		for i < len(blocks) && (i+1 < len(blocks) && key >= blocks[i+1].low) {
			if n != blocks[i].n {
				return miscount(c, blocks[i], n)
			}
			i, n = i+1, 0
		}
		if i == len(blocks) || key < blocks[i].low {
			return fmt.Errorf("%w: %s: entry %q is in no block", ErrCorrupt, c.name, key)
		}
		n++
	}
	if i < len(blocks) && n != blocks[i].n || i+1 < len(blocks) {
		return miscount(c, blocks[i], n)
	}
	return checkStored(tx, c, blocks)
}

func miscount(c *counter, b block, n int) error {
	return fmt.Errorf("%w: %s: block at %q has %d entries, counted as %d", ErrCorrupt, c.name, b.low, n, b.n)
}

func checkStored(tx *Tx, c *counter, blocks []block) error {
	scan, err := tx.scan(c.blocks, false)
	if err != nil {
		return err
	}
	defer scan.close()
	i := 0
	for scan.begin(); scan.valid(); scan.next() {
		value, err := scan.value()
		if err != nil {
			return err
		}
		n, err := decodeCount(value)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if i == len(blocks) || blocks[i] != (block{string(scan.key()[len(c.blocks):]), n}) {
			return fmt.Errorf("%w: %s: stored counts are not those in memory", ErrCorrupt, c.name)
		}
		i++
	}
	if i != len(blocks) {
		return fmt.Errorf("%w: %s: stored counts are not those in memory", ErrCorrupt, c.name)
	}
	return nil
}
