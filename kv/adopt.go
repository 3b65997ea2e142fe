package kv

import (
	"fmt"
)

// Adopt adds an entry of another log at the end, with its hash and its place in
// its chain unchanged, so that whatever refers to that hash remains true. The
// entries of a chain must be adopted in order, into a log that does not have the
// chain yet. It returns [ErrExists] for an id the log has, and [ErrCorrupt] for
// an entry that was altered or does not continue its chain.
func (l *Log[T]) Adopt(tx *Tx, e Entry[T]) error {
	if tx.own == nil {
		return ErrReadOnly
	}
	e.Origin = e.Number()
	if e.Hash != HashEntry(e) {
		return fmt.Errorf("%w: log %s %q: its hash is not that of its content", ErrCorrupt, l.name, e.ID)
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
		return fmt.Errorf("%w: log %s %q: it does not continue its chain", ErrCorrupt, l.name, e.ID)
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
		err = fmt.Errorf("%w: an entry of log %s has no number", ErrCorrupt, l.name)
	}
	return e, err
}
