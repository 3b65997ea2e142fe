package kv

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Log is an append-only list, numbered in commit order without gaps. Each entry carries the
// hash of the previous entry, and of the previous one in its chain, so that changing, removing
// or inserting an entry changes every hash after it.
type Log[T any] struct {
	name    string
	codec   Codec[T]
	entries []byte   // seq
	ids     []byte   // id: seq
	chains  []byte   // chain, seq
	heads   []byte   // chain: its head
	scopes  *counter // scope, seq
	trees   *Trees
	head    []byte // head of the whole log
}

// Entry is one entry of a log.
type Entry[T any] struct {
	Seq           uint64 // 1, 2, 3, ...
	ID            string // set by the caller
	Scope         string // list it belongs to, or ""
	Chain         string // chain it belongs to, or ""
	At            time.Time
	Hash          [32]byte // see HashEntry
	Previous      [32]byte // hash of the previous entry; zero for the first
	ChainPrevious [32]byte // hash of the previous entry in its chain; zero for the first
	Value         T
	Raw           []byte // the encoded Value, covered by Hash

	// Origin is the number that an adopted entry had in its original log, 0 for others. Hash
	// covers it instead of Seq, and Previous is then the hash of the previous entry in that
	// log.
	Origin uint64
	// After is the link of the entry that precedes an adopted one in this log; see Link.
	After [32]byte
}

// Adopted reports whether the entry was first written to another log.
func (e Entry[T]) Adopted() bool { return e.Origin != 0 }

// Number is the number of the entry in the log it was first written to.
func (e Entry[T]) Number() uint64 { return cmp.Or(e.Origin, e.Seq) }

// Link is the hash that the next entry of this log refers to: the entry's hash, or for an
// adopted entry the SHA-256 of the text "kv log adopted entry 1", Seq, After and Hash, written
// as in [HashEntry].
func (e Entry[T]) Link() [32]byte {
	if !e.Adopted() {
		return e.Hash
	}
	b := field(nil, "kv log adopted entry 1")
	b = numberField(b, e.Seq)
	b = field(b, e.After[:])
	b = field(b, e.Hash[:])
	return sha256.Sum256(b)
}

// NewLog describes a log. Its name is part of the stored format.
func NewLog[T any](name string, codec Codec[T]) *Log[T] {
	return &Log[T]{
		name:    name,
		codec:   codec,
		entries: space(spaceLog, name, "entry"),
		ids:     space(spaceLog, name, "id"),
		chains:  space(spaceLog, name, "chain"),
		heads:   space(spaceLog, name, "chain head"),
		scopes:  newCounter("log/"+name, space(spaceLog, name, "scope"), 1),
		trees:   newTrees(name),
		head:    space(spaceLog, name, "head"),
	}
}

// HashEntry returns the SHA-256 of an entry: of the text "kv log entry 1" and the fields
// Number, ID, Scope, Chain, At (milliseconds since 1970), Previous, ChainPrevious and Raw, in
// this order, each preceded by its length in bytes; numbers and lengths are 8 bytes,
// big-endian.
func HashEntry[T any](e Entry[T]) [32]byte {
	b := make([]byte, 0, 256+len(e.ID)+len(e.Scope)+len(e.Chain)+len(e.Raw))
	b = field(b, "kv log entry 1")
	b = numberField(b, e.Number())
	b = field(b, e.ID)
	b = field(b, e.Scope)
	b = field(b, e.Chain)
	b = numberField(b, uint64(e.At.UnixMilli()))
	b = field(b, e.Previous[:])
	b = field(b, e.ChainPrevious[:])
	b = field(b, e.Raw)
	return sha256.Sum256(b)
}

func field[B string | []byte](b []byte, value B) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(value))), value...)
}

func numberField(b []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, 8), n)
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Append adds an entry at the end. It returns [ErrExists] for an ID the log already has.
func (l *Log[T]) Append(tx *Tx, id, scope, chain string, v T) (Entry[T], error) {
	if tx.own == nil {
		return Entry[T]{}, ErrReadOnly
	}
	raw, err := l.codec.Encode(v)
	if err != nil {
		return Entry[T]{}, fmt.Errorf("kv: log %s %q: %w", l.name, id, err)
	}
	if err := l.mayAdd(tx, id); err != nil {
		return Entry[T]{}, err
	}
	e := Entry[T]{ID: id, Scope: scope, Chain: chain, At: tx.Now, Value: v, Raw: raw}
	undo, err := l.undoable(tx, id, scope, chain)
	if err != nil {
		return Entry[T]{}, err
	}
	if err := l.link(tx, &e); err != nil {
		return Entry[T]{}, err
	}
	undo(e)
	if err := l.write(tx, e); err != nil {
		return Entry[T]{}, tx.spoil(err)
	}
	e.Raw = append([]byte{}, raw...)
	return e, nil
}

func (l *Log[T]) mayAdd(tx *Tx, id string) error {
	taken, err := tx.has(append(join(l.ids), id...))
	if err == nil && taken {
		err = fmt.Errorf("%w: log %s %q", ErrExists, l.name, id)
	}
	return err
}

// link assigns the entry its number and its place in both chains.
func (l *Log[T]) link(tx *Tx, e *Entry[T]) error {
	last, err := readHead(tx, l.head)
	if err != nil {
		return err
	}
	if err := l.mayBegin(tx, last); err != nil {
		return err
	}
	e.Seq, e.Previous = last.n+1, last.hash
	if e.Chain != "" {
		if last, err = readHead(tx, l.chainHead(e.Chain)); err != nil {
			return err
		}
		e.ChainPrevious = last.hash
	}
	e.Hash = HashEntry(*e)
	if err := tx.set(l.head, head{e.Seq, e.Hash}.encode()); err != nil || e.Chain == "" {
		return err
	}
	return tx.set(l.chainHead(e.Chain), head{last.n + 1, e.Hash}.encode())
}

// mayBegin refuses to restart a log whose head can't be read although entries exist.
func (l *Log[T]) mayBegin(tx *Tx, last head) error {
	if last.n > 0 {
		return nil
	}
	has, err := tx.has(join(l.entries, number(1)))
	if err == nil && has {
		err = fmt.Errorf("%w: log %s has entries but no head", ErrCorrupt, l.name)
	}
	return err
}

func (l *Log[T]) write(tx *Tx, e Entry[T]) error {
	seq := number(e.Seq)
	if err := tx.set(join(l.entries, seq), encodeEntry(e)); err != nil {
		return err
	}
	if err := tx.set(append(join(l.ids), e.ID...), seq); err != nil {
		return err
	}
	if e.Chain != "" {
		if err := tx.set(join(l.chains, K(e.Chain), seq), nothing); err != nil {
			return err
		}
	}
	if e.Scope == "" {
		return nil
	}
	scope := K(e.Scope)
	key := join(scope, seq)
	if err := tx.set(join(l.scopes.entries, key), nothing); err != nil {
		return err
	}
	if err := tx.added(l.scopes, key, scope); err != nil {
		return err
	}
	return l.trees.grow(tx, e.Scope, e.Hash)
}

func (l *Log[T]) chainHead(chain string) []byte { return append(join(l.heads), chain...) }

// head is the end of a chain: its number of entries, and the hash of the last one.
type head struct {
	n    uint64
	hash [32]byte
}

func (h head) encode() []byte { return append(number(h.n), h.hash[:]...) }

func readHead(tx *Tx, key []byte) (head, error) {
	b, err := tx.get(key)
	if errors.Is(err, ErrNotFound) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	if len(b) != 40 {
		return head{}, fmt.Errorf("%w: head of a log is %x", ErrCorrupt, b)
	}
	return head{binary.BigEndian.Uint64(b), [32]byte(b[8:])}, nil
}

// adoptedMark is flipped in the time of an adopted entry. In any real time this bit equals the
// sign bit.
const adoptedMark = 1 << 62

// encodeEntry encodes everything but Seq, which is in the key, and Value.
func encodeEntry[T any](e Entry[T]) []byte {
	b := make([]byte, 0, 168+len(e.ID)+len(e.Scope)+len(e.Chain)+len(e.Raw))
	b = append(b, e.Hash[:]...)
	b = append(b, e.Previous[:]...)
	b = append(b, e.ChainPrevious[:]...)
	at := uint64(e.At.UnixMilli())
	if e.Adopted() {
		b = append(b, number(at^adoptedMark)...)
		b = append(append(b, number(e.Origin)...), e.After[:]...)
	} else {
		b = append(b, number(at)...)
	}
	for _, s := range []string{e.ID, e.Scope, e.Chain} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return append(b, e.Raw...)
}

func (l *Log[T]) decode(seq uint64, b []byte) (e Entry[T], err error) {
	const fixed = 3*32 + 8
	bad := func() error { return fmt.Errorf("%w: entry %d of log %s cannot be read", ErrCorrupt, seq, l.name) }
	if len(b) < fixed {
		return e, bad()
	}
	e.Seq = seq
	e.Hash, e.Previous, e.ChainPrevious = [32]byte(b), [32]byte(b[32:]), [32]byte(b[64:])
	at := binary.BigEndian.Uint64(b[96:])
	b = b[fixed:]
	if at>>63 != at>>62&1 {
		if at ^= adoptedMark; len(b) < 40 {
			return e, bad()
		}
		e.Origin, e.After = binary.BigEndian.Uint64(b), [32]byte(b[8:])
		b = b[40:]
	}
	e.At = time.UnixMilli(int64(at)).UTC()
	for _, s := range []*string{&e.ID, &e.Scope, &e.Chain} {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return e, bad()
		}
		*s = string(b[size : size+int(n)])
		b = b[size+int(n):]
	}
	e.Raw = b
	if e.Value, err = l.codec.Decode(b); err != nil {
		return e, fmt.Errorf("%w: %w", bad(), err)
	}
	return e, nil
}

// Get returns the entry with an id, or [ErrNotFound].
func (l *Log[T]) Get(tx *Tx, id string) (Entry[T], error) {
	seq, err := l.seq(tx, id)
	if err != nil {
		return Entry[T]{}, err
	}
	return l.at(tx, seq)
}

func (l *Log[T]) seq(tx *Tx, id string) (uint64, error) {
	b, err := tx.get(append(join(l.ids), id...))
	if err != nil {
		return 0, err
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: number of %q in log %s is %x", ErrCorrupt, id, l.name, b)
	}
	return binary.BigEndian.Uint64(b), nil
}

func (l *Log[T]) at(tx *Tx, seq uint64) (Entry[T], error) {
	b, err := tx.get(join(l.entries, number(seq)))
	if err != nil {
		return Entry[T]{}, err
	}
	return l.decode(seq, b)
}

// Next returns up to limit entries after a number, in order; none at the end.
func (l *Log[T]) Next(tx *Tx, after uint64, limit int) ([]Entry[T], error) {
	scan, err := tx.scan(l.entries, false)
	if err != nil {
		return nil, err
	}
	defer scan.close()
	out := make([]Entry[T], 0, min(limit, followBatch))
	for scan.seek(join(l.entries, number(after+1))); scan.valid() && len(out) < limit; scan.next() {
		e, err := l.current(scan)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// current returns the entry at the position of a scan over entries.
func (l *Log[T]) current(scan *scan) (e Entry[T], err error) {
	seq := scan.key()[len(l.entries):]
	if len(seq) != 8 {
		return e, fmt.Errorf("%w: key %q of log %s", ErrCorrupt, seq, l.name)
	}
	n := binary.BigEndian.Uint64(seq)
	b, err := scan.value()
	if err != nil {
		return e, err
	}
	return l.decode(n, b)
}

// Head returns the number and the link of the last entry; zero if there is none.
func (l *Log[T]) Head(tx *Tx) (seq uint64, hash [32]byte, err error) {
	h, err := readHead(tx, l.head)
	return h.n, h.hash, err
}

// ChainHead returns the hash of the last entry of a chain; zero if there is none.
func (l *Log[T]) ChainHead(tx *Tx, chain string) ([32]byte, error) {
	h, err := readHead(tx, l.chainHead(chain))
	return h.hash, err
}
