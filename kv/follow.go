package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Place is the number of the last log entry a follower has dealt with; 0 at
// first. Move it with [SetPlace] in the transaction that holds the result, and
// the follower skips nothing and repeats nothing, wherever it is stopped.
func Place(tx *Tx, follower string) (uint64, error) {
	b, err := tx.get(space(spacePlace, follower))
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("%w: place of %s is %x", ErrCorrupt, follower, b)
	}
	return binary.BigEndian.Uint64(b), nil
}

// SetPlace moves the place of a follower.
func SetPlace(tx *Tx, follower string, seq uint64) error {
	return tx.set(space(spacePlace, follower), number(seq))
}

// Changed gives a channel that is closed at the next commit, and when the store
// is closed, restored or reset. Get it before looking, and nothing is missed.
func (db *DB) Changed() <-chan struct{} {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.changed
}

// Pauses of a follower whose step fails.
const (
	followPause    = 100 * time.Millisecond
	followPauseMax = 10 * time.Second
)

// Follow calls fn until ctx ends: again at once when fn says that there is
// more, otherwise after the next commit. An error or a panic of fn is logged
// under name and the step is tried again after a pause that grows to ten
// seconds. It returns nil when ctx ends, [ErrClosed] when the store closes.
func (db *DB) Follow(ctx context.Context, name string, fn func(ctx context.Context) (more bool, err error)) error {
	pause := followPause
	for ctx.Err() == nil {
		changed := db.Changed()
		more, err := guarded(func() (bool, error) { return fn(ctx) })
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrClosed):
			return err
		case err != nil:
			db.log.Error("kv: follower failed; it tries again", "follower", name, "error", err, "pause", pause)
			wait(ctx, pause)
			pause = min(2*pause, followPauseMax)
		case more:
			pause = followPause
		default:
			pause = followPause
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
	return nil
}

// guarded turns a panic of fn into an error.
func guarded[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
