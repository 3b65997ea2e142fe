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

// TestLockWithoutHolderIsAwaited has the folder locked the way a program that
// is being started leaves it: nobody's name is in it, and it ends by itself.
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
