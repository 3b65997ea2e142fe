package powercut_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"paraph/app/apptest/powercut"
)

// try fails the test if one of the steps failed.
func try(t *testing.T, steps ...error) {
	t.Helper()
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// write creates a file, and syncs it if asked to.
func write(path, text string, sync bool) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if sync {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Close())
}

func TestOnlyWhatWasSyncedSurvives(t *testing.T) {
	t.Parallel()
	before := t.TempDir()
	try(t, write(filepath.Join(before, "old"), "old", false))
	d := powercut.Mount(t, before)
	at := func(name string) string { return filepath.Join(d.Dir, name) }
	try(t,
		write(at("synced"), "synced", true), write(at("unsynced"), "unsynced", false),
		os.Mkdir(at("folder"), 0o700), syncFolder(d.Dir),
		write(at("late"), "its name is not durable", true),
		write(at("folder/temp"), "moved", true), os.Rename(at("folder/temp"), at("moved")),
		write(at("old"), "new", false))
	mapped := mapShared(t, at("mapped"))
	mapped[5000] = 'x'
	try(t, unix.Msync(mapped, unix.MS_SYNC), syncFolder(d.Dir))
	mapped[6000] = 'y'
	try(t, os.Remove(at("synced")), write(at("later"), "later", true))
	rest := d.Rest(t, powercut.All, rand.New(rand.NewPCG(1, 1)))
	for name, want := range map[string]string{
		"synced": "synced", "unsynced": "", "late": "its name is not durable", "moved": "moved", "old": "old",
	} {
		if got, err := os.ReadFile(filepath.Join(rest, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"later", "folder/temp"} {
		if _, err := os.Stat(filepath.Join(rest, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(rest, "mapped")); err != nil || len(got) != 8192 || got[5000] != 'x' || got[6000] != 0 {
		t.Errorf("the mapped file is wrong: %d bytes, %v", len(got), err)
	}
	if err := write(at("after"), "after", false); err == nil {
		t.Error("the disk works without power")
	}
}

// mapShared creates a file of two pages, mapped into memory until the test ends.
func mapShared(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Create(path)
	try(t, err)
	defer f.Close()
	try(t, f.Truncate(8192))
	b, err := unix.Mmap(int(f.Fd()), 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	try(t, err)
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b
}
