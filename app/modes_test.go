//go:build unix

package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestDataFolderIsClosedToOthers starts on a world-readable folder, with a process whose
// new files are world-readable by default, and stores some of everything.
func TestDataFolderIsClosedToOthers(t *testing.T) { // not parallel: it changes the process
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	dir := t.TempDir()
	for _, name := range []string{"kv", "search", "keys", "files"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	clock := app.NewClock()
	for round := range 2 { // the second round finds the files of the first
		s, err := apptest.StartIn(dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			makeSecrets(t, s, secrets{})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if files := openToOthers(t, dir); files < 15 {
			t.Errorf("only %d files were checked", files)
		}
		if err := os.Chmod(filepath.Join(dir, "keys", "token.key"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// openToOthers reports every file and folder that other users can access.
func openToOthers(t *testing.T, dir string) (files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return files
}
