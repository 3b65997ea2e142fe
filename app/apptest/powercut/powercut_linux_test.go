package powercut_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

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

// TestOnlyWhatWasSyncedSurvives uses files, but maps none into memory: a process that serves the
// file system itself can stop for good on a page that it has to wait for. The store's mapped files are
// those of another process, in the tests of the appliance.
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
	try(t, syncFolder(d.Dir))
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
	if err := write(at("after"), "after", false); err == nil {
		t.Error("the disk works without power")
	}
}
