package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// Query selects a part of an index, or of the whole collection in ID order if Index is empty;
// Prefix is then the beginning of an ID.
type Query struct {
	Index      string
	Prefix     Key
	Descending bool
	Offset     int
	Limit      int
}

// Page is a part of a list together with the length of the list.
type Page[T any] struct {
	IDs   []string
	Items []T
	Total int
}

// Page returns records and the exact total. In a counted index the cost does not depend on the
// offset; any other index is scanned over all entries with the prefix.
func (c *Collection[T]) Page(tx *Tx, q Query) (Page[T], error) {
	ids, raw, total, err := c.PageRaw(tx, q)
	if err != nil {
		return Page[T]{}, err
	}
	p := Page[T]{IDs: ids, Items: make([]T, len(raw)), Total: total}
	for i := range raw {
		if p.Items[i], err = c.decode(ids[i], raw[i]); err != nil {
			return Page[T]{}, err
		}
	}
	return p, nil
}

// PageRaw is Page with the records still encoded.
func (c *Collection[T]) PageRaw(tx *Tx, q Query) (ids []string, raw [][]byte, total int, err error) {
	l, err := c.list(q.Index)
	if err != nil {
		return nil, nil, 0, err
	}
	q.Offset, q.Limit = max(q.Offset, 0), max(q.Limit, 0)
	if l.counter != nil {
		total, err = l.pageCounted(tx, q, func(key, value []byte) error { return l.take(tx, &ids, &raw, key, value) })
	} else {
		total, err = l.pagePlain(tx, q, func(key, value []byte) error { return l.take(tx, &ids, &raw, key, value) })
	}
	if err != nil {
		return nil, nil, 0, err
	}
	return ids, raw, total, nil
}

// list is an ordered list of records: an index, or the records themselves.
type list struct {
	before   []byte // prefix of every key
	counter  *counter
	covering bool                                                       // the value holds the record
	open     func(key, value []byte) (id string, raw []byte, err error) // key without before
	get      func(tx *Tx, id string) ([]byte, error)
}

func (c *Collection[T]) list(index string) (*list, error) {
	get := func(tx *Tx, id string) ([]byte, error) { return tx.get(c.record(id)) }
	if index == "" {
		open := func(key, value []byte) (string, []byte, error) { return string(key), value, nil }
		return &list{before: c.records, covering: true, open: open, get: get}, nil
	}
	x, err := c.index(index)
	if err != nil {
		return nil, err
	}
	return &list{before: x.entries, counter: x.counter, covering: x.Covering, open: x.open, get: get}, nil
}

func (l *list) take(tx *Tx, ids *[]string, raws *[][]byte, key, value []byte) error {
	id, raw, err := l.open(key, value)
	if err != nil {
		return err
	}
	if !l.covering {
		if raw, err = l.get(tx, id); err != nil {
			return fmt.Errorf("kv: entry of %q: %w", id, dangling(err))
		}
	}
	*ids, *raws = append(*ids, id), append(*raws, raw)
	return nil
}

// dangling turns "not found" for an index entry's record into ErrCorrupt.
func dangling(err error) error {
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%w: no such record", ErrCorrupt)
	}
	return err
}

// pageCounted finds the block that holds the start of the page, and reads on from there.
func (l *list) pageCounted(tx *Tx, q Query, take func(key, value []byte) error) (int, error) {
	first, total, err := tx.span(l.counter, q.Prefix)
	if err != nil {
		return 0, err
	}
	n := min(q.Limit, total-q.Offset)
	if n <= 0 {
		return total, nil
	}
	if q.Descending {
		return total, l.readBack(tx, first+total-q.Offset, n, q, take)
	}
	return total, l.readOn(tx, first+q.Offset, n, q, take)
}

// readOn reads n entries, starting with the from-th of the index.
func (l *list) readOn(tx *Tx, from, n int, q Query, take func(key, value []byte) error) error {
	scan, err := tx.scan(l.before, false)
	if err != nil {
		return err
	}
	defer scan.close()
	skip := 0
	if q.Offset == 0 {
		scan.seek(join(l.before, q.Prefix))
	} else {
		b, before := tx.rank(l.counter).at(from)
		skip = from - before
		scan.seek(join(l.before, []byte(b.low)))
	}
	return l.read(scan, skip, n, take)
}

// readBack reads n entries in descending order, ending just before the end-th of the index.
func (l *list) readBack(tx *Tx, end, n int, q Query, take func(key, value []byte) error) error {
	scan, err := tx.scan(l.before, true)
	if err != nil {
		return err
	}
	defer scan.close()
	if q.Offset == 0 {
		scan.seekLast(join(l.before, q.Prefix))
		return l.read(scan, 0, n, take)
	}
	r := tx.rank(l.counter)
	b, before := r.at(end - 1)
	skip := before + b.n - end
	next, ok := r.next(b.low)
	if !ok {
		scan.seekLast(l.before)
		return l.read(scan, skip, n, take)
	}
	bound := join(l.before, []byte(next.low))
	scan.seek(bound)
	if scan.valid() && bytes.Equal(scan.key(), bound) {
		scan.next()
	}
	return l.read(scan, skip, n, take)
}

func (l *list) read(scan *scan, skip, n int, take func(key, value []byte) error) error {
	for ; skip > 0 && scan.valid(); skip-- {
		scan.next()
	}
	for ; n > 0 && scan.valid(); n-- {
		value, err := scan.value()
		if err != nil {
			return err
		}
		if err := take(scan.key()[len(l.before):], value); err != nil {
			return err
		}
		scan.next()
	}
	if n > 0 || skip > 0 {
		return fmt.Errorf("%w: counts of %s and its entries differ", ErrCorrupt, l.counter.name)
	}
	return nil
}

// pagePlain scans everything to find page and total.
func (l *list) pagePlain(tx *Tx, q Query, take func(key, value []byte) error) (total int, err error) {
	scan, err := tx.scan(join(l.before, q.Prefix), q.Descending)
	if err != nil {
		return 0, err
	}
	defer scan.close()
	scan.begin()
	for ; scan.valid(); scan.next() {
		if total >= q.Offset && total-q.Offset < q.Limit {
			value, err := scan.value()
			if err != nil {
				return 0, err
			}
			if err := take(scan.key()[len(l.before):], value); err != nil {
				return 0, err
			}
		}
		total++
	}
	return total, nil
}

// Count returns the number of entries of an index that begin with prefix. For a counted index
// and a prefix of up to Depth parts it reads nothing.
func (c *Collection[T]) Count(tx *Tx, index string, prefix Key) (int, error) {
	l, err := c.list(index)
	if err != nil {
		return 0, err
	}
	if l.counter == nil {
		return l.pagePlain(tx, Query{Prefix: prefix}, nil)
	}
	_, total, err := tx.span(l.counter, prefix)
	return total, err
}

// Each visits the records of an index that begin with prefix, in order, until fn returns false.
// fn may write. An empty index is the whole collection in ID order, prefix then being the
// beginning of an ID.
func (c *Collection[T]) Each(tx *Tx, index string, prefix Key, fn func(id string, v T) (more bool, err error)) error {
	return c.EachFrom(tx, index, prefix, nil, fn)
}

// EachFrom is Each from the first key that is not less than from.
func (c *Collection[T]) EachFrom(tx *Tx, index string, prefix, from Key, fn func(id string, v T) (more bool, err error)) error {
	l, err := c.list(index)
	if err != nil {
		return err
	}
	scan, err := tx.scan(join(l.before, prefix), false)
	if err != nil {
		return err
	}
	defer scan.close()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	for scan.seek(append(slices.Clip(l.before), from...)); scan.valid(); scan.next() {
		more, err := c.visit(tx, l, scan, fn)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (c *Collection[T]) visit(tx *Tx, l *list, scan *scan, fn func(id string, v T) (bool, error)) (more bool, err error) {
	value, err := scan.value()
	if err != nil {
		return false, err
	}
	id, raw, err := l.open(scan.key()[len(l.before):], value)
	if err != nil {
		return false, err
	}
	if !l.covering {
		if raw, err = l.get(tx, id); err != nil {
			return false, fmt.Errorf("kv: entry of %q: %w", id, dangling(err))
		}
	}
	v, err := c.decode(id, raw)
	if err != nil {
		return false, err
	}
	return fn(id, v)
}

// EachPart calls fn for the first part of the keys of an index, in order and each once. With
// since, returned by [DB.Backup], it omits the parts that have been in the index since then. It
// is for a View.
func (c *Collection[T]) EachPart(tx *Tx, index string, since uint64, fn func(part string) error) error {
	x, err := c.index(index)
	if err != nil {
		return err
	}
	if tx.base == nil || tx.own != nil {
		return ErrClosed
	}
	it := tx.base.NewIterator(badger.IteratorOptions{Prefix: x.entries, SinceTs: since})
	defer it.Close()
	for it.Rewind(); it.Valid(); {
		group, ok := firstParts(it.Item().Key()[len(x.entries):], 1)
		if !ok {
			return fmt.Errorf("%w: entry %q of index %q", ErrCorrupt, it.Item().Key(), index)
		}
		group = slices.Clone(group)
		if since == 0 || !tx.hadSince(join(x.entries, group), since) {
			if err := fn(Key(group).Parts()[0]); err != nil {
				return err
			}
		}
		it.Seek(after(join(x.entries, group)))
	}
	return nil
}

// hadSince reports whether a key with a prefix has been there unchanged since a version.
func (tx *Tx) hadSince(prefix []byte, since uint64) bool {
	it := tx.base.NewIterator(badger.IteratorOptions{Prefix: prefix})
	defer it.Close()
	for it.Seek(prefix); it.Valid(); it.Next() {
		if it.Item().Version() <= since {
			return true
		}
	}
	return false
}

// HasPart reports whether a key of an index has a first part.
func (c *Collection[T]) HasPart(tx *Tx, index, part string) (bool, error) {
	x, err := c.index(index)
	if err != nil {
		return false, err
	}
	scan, err := tx.scan(join(x.entries, K(part)), false)
	if err != nil {
		return false, err
	}
	defer scan.close()
	scan.begin()
	return scan.valid(), nil
}
