package kv

import (
	"fmt"
)

// Adopt appends an entry of another log without changing its hash or its place in its chain, so
// references to that hash stay valid. A chain's entries must be adopted in order, into a log
// that does not contain the chain yet. It returns [ErrExists] for an ID the log already has,
// and [ErrCorrupt] for an entry that was altered or does not continue its chain.
func (l *Log[T]) Adopt(tx *Tx, e Entry[T]) error {
	if tx.own == nil {
		return ErrReadOnly
	}
	e.Origin = e.Number()
	if e.Hash != HashEntry(e) {
		return fmt.Errorf("%w: log %s %q: hash does not match the content", ErrCorrupt, l.name, e.ID)
	}
	if err := l.mayAdd(tx, e.ID); err != nil {
		return err
	}
	last, err := readHead(tx, l.head)
	if err != nil {
		return err
	}
	if err := l.mayBegin(tx, last); err != nil {
		return err
	}
	e.Seq, e.After = last.n+1, last.hash
	if err := l.extend(tx, e); err != nil {
		return err
	}
	if err := tx.set(l.head, head{e.Seq, e.Link()}.encode()); err != nil {
		return tx.spoil(err)
	}
	if err := l.write(tx, e); err != nil {
		return tx.spoil(err)
	}
	return nil
}

// extend moves the head of an adopted entry's chain.
func (l *Log[T]) extend(tx *Tx, e Entry[T]) error {
	if e.Chain == "" {
		return nil
	}
	last, err := readHead(tx, l.chainHead(e.Chain))
	if err != nil {
		return err
	}
	if last.hash != e.ChainPrevious {
		return fmt.Errorf("%w: log %s %q: does not continue its chain", ErrCorrupt, l.name, e.ID)
	}
	return tx.set(l.chainHead(e.Chain), head{last.n + 1, e.Hash}.encode())
}

// Pack encodes an entry for transport to another log.
func (l *Log[T]) Pack(e Entry[T]) []byte {
	e.Origin = e.Number()
	return encodeEntry(e)
}

// Unpack decodes an entry encoded by Pack.
func (l *Log[T]) Unpack(b []byte) (Entry[T], error) {
	e, err := l.decode(0, b)
	if err == nil && !e.Adopted() {
		err = fmt.Errorf("%w: entry of log %s has no number", ErrCorrupt, l.name)
	}
	return e, err
}
