package kv_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/kv"
)

// closedStore returns the folder of a store with n records that is not open.
func closedStore(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, n)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFlippedByteIsFound checks that a byte flipped anywhere in a table or in the list of
// tables is found when the store opens or is checked.
func TestFlippedByteIsFound(t *testing.T) {
	alone(t)
	t.Parallel()
	dir := closedStore(t, 300)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if !sound(t, dir, "MANIFEST", -1) {
		t.Error("damage reported in an intact store")
	}
	tables := 0
	for _, file := range files {
		if !strings.HasSuffix(file, ".sst") && !strings.HasSuffix(file, "MANIFEST") {
			continue
		}
		tables++
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(8) {
			for _, at := range []int64{i*info.Size()/8 + i%7, info.Size() - 1 - 2*i} {
				if sound(t, dir, filepath.Base(file), at) {
					t.Errorf("%s: flip of byte %d of %d went unnoticed", filepath.Base(file), at, info.Size())
				}
			}
		}
	}
	if tables < 2 {
		t.Errorf("only %d files were tested", tables)
	}
}

// sound reports whether a copy of a store opens and passes its checks with that byte of a file
// flipped.
func sound(t *testing.T, from, name string, at int64) bool {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if at >= 0 {
		content[at] ^= 0x10
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		return false
	}
	found := db.Check(docs, trail)
	if err := db.Close(); err != nil {
		t.Log(err) // after damage, Close may fail
	}
	return len(found) == 0
}

// TestEmptyLogsDoNotKeepTheStoreClosed imitates a process killed while starting a log, which
// leaves an empty file.
func TestEmptyLogsDoNotKeepTheStoreClosed(t *testing.T) {
	t.Parallel()
	dir := closedStore(t, 20)
	for _, name := range []string{"000077.vlog", "00077.mem"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !sound(t, dir, "MANIFEST", -1) {
		t.Error("store does not open, or fails its checks")
	}
}

// TestCutListOfTablesIsFound cuts the list of tables short: the tables it named are not taken
// for leftovers and deleted.
func TestCutListOfTablesIsFound(t *testing.T) {
	t.Parallel()
	dir := closedStore(t, 20)
	if err := os.Truncate(filepath.Join(dir, "MANIFEST"), 26); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Open(kv.Options{Dir: dir}); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("Open returned %v, want ErrCorrupt", err)
	}
}

// TestDamagedKeyRegistryIsNamed cuts the list of encryption keys, and flips its bytes: what
// has a meaning is found, and the rest does no harm.
func TestDamagedKeyRegistryIsNamed(t *testing.T) {
	t.Parallel()
	dir := closedStore(t, 20)
	const name = "KEYREGISTRY"
	path := filepath.Join(dir, name)
	whole, err := os.ReadFile(path)
	if err != nil || len(whole) < 28 {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	refused := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := kv.Open(kv.Options{Dir: dir}); !errors.Is(err, kv.ErrCorrupt) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: Open returned %v", content, err)
		}
	}
	for _, n := range []int{0, 1, 16, 20, len(whole) - 1} {
		refused(whole[:n])
	}
	refused(append(bytes.Clone(whole), 0))
	for at := 16; at < len(whole); at++ {
		bad := bytes.Clone(whole)
		bad[at] ^= 0x10
		refused(bad)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{-1, 0, 15} {
		if !sound(t, dir, name, at) {
			t.Errorf("byte %d matters", at)
		}
	}
}

// logEnv makes the test binary a process that leaves a log behind; its value is the folder.
const logEnv = "KV_TEST_LOG"

// TestFlippedByteInALogIsFound flips bytes of the log that a killed process leaves: it is not
// taken for the end of the log, which would lose the commits behind it. Only the last commit
// may be incomplete, as after a power cut.
func TestFlippedByteInALogIsFound(t *testing.T) {
	if dir := os.Getenv(logEnv); dir != "" {
		db, err := kv.Open(kv.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, db, 50)
		os.Exit(0) // without closing it
	}
	alone(t)
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), logEnv+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.mem"))
	if err != nil {
		t.Fatal(err)
	}
	log := ""
	for _, file := range logs {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			log = filepath.Base(file)
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, log))
	if err != nil {
		t.Fatal(err)
	}
	used := int64(len(bytes.TrimRight(content, "\x00")))
	if !sound(t, dir, log, -1) {
		t.Error("damage reported in an intact log")
	}
	if !sound(t, dir, log, used-3) {
		t.Error("an incomplete last commit is taken for damage")
	}
	for at := int64(20); at < used*9/10; at += used / 17 {
		if sound(t, dir, log, at) {
			t.Errorf("flip of byte %d of %d went unnoticed", at, used)
		}
	}
}
