//go:build unix

package kv_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/kv"
)

// TestLockWithoutHolderIsAwaited locks the folder the way a program being started does: without
// naming a holder, and only briefly.
func TestLockWithoutHolderIsAwaited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	released := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { released <- f.Close() })
	open(t, kv.Options{Dir: dir})
	if err := patience.Receive(t, "the release of the lock", released); err != nil {
		t.Error(err)
	}
}
