package badgerguard_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"paraph/kv/internal/badgerguard"
)

// These tests show of each guard what Badger does by itself, too: one that fails there guards
// against something that Badger has mended.

// options describes a small store.
func options(dir string) badgerguard.Options {
	b := badger.DefaultOptions(dir).WithLogger(nil).WithSyncWrites(true).WithMemTableSize(1 << 20).WithValueThreshold(64 << 10).
		WithCompactL0OnClose(false)
	return badgerguard.Options{Badger: b, Reserve: -1}
}

const records = 20

func key(i int) []byte { return fmt.Appendf(nil, "key %02d", i) }

// fill writes records, one a commit.
func fill(t *testing.T, db *badger.DB) {
	t.Helper()
	for i := range records {
		ts := db.MaxVersion() + 1
		txn := db.NewTransactionAt(ts, true)
		err := errors.Join(txn.Set(key(i), []byte(strings.Repeat("value ", 50))), txn.CommitAt(ts, nil))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// left returns how many records a store has.
func left(t *testing.T, db *badger.DB) (n int) {
	t.Helper()
	txn := db.NewTransactionAt(db.MaxVersion(), false)
	defer txn.Discard()
	for i := range records {
		_, err := txn.Get(key(i))
		if err == nil {
			n++
		} else if !errors.Is(err, badger.ErrKeyNotFound) {
			t.Fatal(err)
		}
	}
	return n
}

func openGuarded(t *testing.T, dir string) *badgerguard.Store {
	t.Helper()
	s, err := badgerguard.Open(options(dir))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeIt(t *testing.T, db interface{ Close() error }) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// closed returns the folder of a store that was closed, with one table for each time it was filled.
func closed(t *testing.T, times int) string {
	t.Helper()
	dir := t.TempDir()
	for range times {
		s := openGuarded(t, dir)
		fill(t, s.DB)
		closeIt(t, s)
	}
	return dir
}

// killed returns the folder of a store as a killed process leaves it, with all records in a log.
func killed(t *testing.T) string {
	t.Helper()
	from, dir := t.TempDir(), t.TempDir()
	s := openGuarded(t, from)
	defer closeIt(t, s)
	fill(t, s.DB)
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "LOCK")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// change changes the content of the files of a store that match a pattern.
func change(t *testing.T, dir, pattern string, fn func([]byte) []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, fn(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// refused expects a store to be refused as damaged.
func refused(t *testing.T, dir, file string) {
	t.Helper()
	s, err := badgerguard.Open(options(dir))
	if err == nil {
		closeIt(t, s)
	}
	if !errors.Is(err, badgerguard.ErrCorrupt) || !strings.Contains(err.Error(), file) {
		t.Errorf("Open returned %v, want damage of %s", err, file)
	}
}

// twice returns two copies of a folder: one for Badger alone, one for the guards.
func twice(t *testing.T, dir string) (alone, guarded string) {
	t.Helper()
	alone = t.TempDir()
	if err := os.CopyFS(alone, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return alone, dir
}

func TestEmptyLogs(t *testing.T) {
	t.Parallel()
	dir := closed(t, 1)
	for _, name := range []string{"000077.vlog", "00077.mem"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	alone, guarded := twice(t, dir)
	if b, err := badger.OpenManaged(options(alone).Badger); err == nil {
		closeIt(t, b)
		t.Error("Badger opens a store with empty logs by itself")
	}
	s := openGuarded(t, guarded)
	defer closeIt(t, s)
	if n := left(t, s.DB); n != records {
		t.Errorf("%d records are left", n)
	}
}

func TestDamageInALogIsNotItsEnd(t *testing.T) {
	t.Parallel()
	alone, guarded := twice(t, killed(t))
	for _, dir := range []string{alone, guarded} {
		change(t, dir, "*.mem", func(b []byte) []byte {
			used := len(bytes.TrimRight(b, "\x00"))
			b[used/2] ^= 0x10
			return b
		})
	}
	refused(t, guarded, ".mem")
	b, err := badger.OpenManaged(options(alone).Badger)
	if err != nil {
		t.Fatalf("Badger refuses a damaged log by itself: %v", err)
	}
	defer closeIt(t, b)
	if n := left(t, b); n == 0 || n == records {
		t.Errorf("Badger kept %d of %d records", n, records)
	}
}

func TestListOfTablesCutShort(t *testing.T) {
	t.Parallel()
	alone, guarded := twice(t, closed(t, 1))
	for _, dir := range []string{alone, guarded} {
		change(t, dir, badger.ManifestFilename, func(b []byte) []byte { return b[:26] })
	}
	refused(t, guarded, badger.ManifestFilename)
	b, err := badger.OpenManaged(options(alone).Badger)
	if err != nil {
		t.Fatalf("Badger refuses a list cut short by itself: %v", err)
	}
	defer closeIt(t, b)
	if n := left(t, b); n != 0 {
		t.Errorf("Badger kept %d records", n)
	}
}

func TestDamagedKeyRegistryIsNamed(t *testing.T) {
	t.Parallel()
	alone, guarded := twice(t, closed(t, 1))
	for _, dir := range []string{alone, guarded} {
		change(t, dir, badger.KeyRegistryFileName, func(b []byte) []byte { return append(b[:20], b[20]^0x10) })
	}
	refused(t, guarded, badger.KeyRegistryFileName)
	if _, err := badger.OpenManaged(options(alone).Badger); !errors.Is(err, badger.ErrEncryptionKeyMismatch) {
		t.Errorf("Badger no longer takes damage for a wrong key: %v", err)
	}
}

// aloneEnv makes the test binary a process that opens a store without the guards; its value is the
// folder.
const aloneEnv = "BADGERGUARD_TEST_ALONE"

func TestDamagedIndexOfATable(t *testing.T) {
	if dir := os.Getenv(aloneEnv); dir != "" {
		_, err := badger.OpenManaged(options(dir).Badger)
		fmt.Println("returned", err)
		return
	}
	t.Parallel()
	alone, guarded := twice(t, closed(t, 1))
	for _, dir := range []string{alone, guarded} {
		change(t, dir, "*.sst", func(b []byte) []byte { return bytes.Repeat([]byte{0xff}, len(b)) })
	}
	refused(t, guarded, ".sst")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), aloneEnv+"="+alone)
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("panic")) {
		t.Errorf("Badger survives a damaged table by itself: %v\n%s", err, out)
	}
}

func TestAllDamagedTablesAreNamed(t *testing.T) {
	t.Parallel()
	dir := closed(t, 2)
	change(t, dir, "*.sst", func(b []byte) []byte {
		b[10] ^= 0x10
		return b
	})
	s := openGuarded(t, dir)
	txn := s.NewTransactionAt(s.MaxVersion(), false)
	defer txn.Discard()
	problems := s.CheckTables(txn, func() {})
	if len(problems) != 2 || slices.ContainsFunc(problems, func(err error) bool { return !errors.Is(err, badgerguard.ErrCorrupt) }) {
		t.Errorf("found %v, want both tables", problems)
	}
	if err := s.Close(); err != nil {
		t.Log(err) // after damage, Close may fail
	}
}

func TestFolderInUseIsRefusedBeforeItIsTouched(t *testing.T) {
	t.Parallel()
	dir := closed(t, 1)
	s := openGuarded(t, dir)
	defer closeIt(t, s)
	o := options(dir)
	o.MayOpen = func() error {
		t.Error("the folder is looked at")
		return nil
	}
	_, err := badgerguard.Open(o)
	if !errors.Is(err, badgerguard.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("Open returned %v, want the process that has the folder open", err)
	}
}

// TestMergeReachesTheNewestTables replaces records, and counts their versions.
func TestMergeReachesTheNewestTables(t *testing.T) {
	t.Parallel()
	dir := closed(t, 3)
	versions := func() (n int) {
		s := openGuarded(t, dir)
		defer closeIt(t, s)
		s.SetDiscardTs(s.MaxVersion())
		if err := s.Rewrite(); err != nil {
			t.Fatal(err)
		}
		txn := s.NewTransactionAt(s.MaxVersion(), false)
		defer txn.Discard()
		it := txn.NewIterator(badger.IteratorOptions{AllVersions: true})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		return n
	}
	if n := versions(); n == records {
		t.Error("Badger's rewriting reaches the newest tables by itself")
	}
	if err := badgerguard.Merge(options(dir)); err != nil {
		t.Fatal(err)
	}
	if n := versions(); n != records {
		t.Errorf("%d versions of %d records are left", n, records)
	}
}
