package badgerguard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"
)

// CheckTables verifies the checksums of Badger's sorted tables and returns the damaged ones.
// Badger's own check stops and panics at the first. It calls rest after each.
func (s *Store) CheckTables(txn *badger.Txn, rest func()) (problems []error) {
	o := s.Opts()
	if o.InMemory {
		return nil
	}
	before := tableNumbers(s.DB)
	it := txn.NewIterator(badger.IteratorOptions{}) // keeps the current tables from being removed
	defer it.Close()
	for id := range tableNumbers(s.DB) {
		if !before[id] {
			continue // just created
		}
		if err := tryTable(table.NewFilename(id, o.Dir), (*table.Table).VerifyChecksum); err != nil {
			problems = append(problems, err)
		}
		rest()
	}
	return problems
}

func tableNumbers(b *badger.DB) map[uint64]bool {
	numbers := map[uint64]bool{}
	for _, t := range b.Tables() {
		numbers[t.ID] = true
	}
	return numbers
}

// mayOpenTables checks the index of every table that belongs to the store: with a damaged one
// Badger would panic in a goroutine of its own.
func mayOpenTables(dir string, o badger.Options) error {
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a new store
	}
	if err != nil {
		return fmt.Errorf("kv: open: %w", err)
	}
	manifest, _, err := badger.ReplayManifestFile(f, o.ExternalMagicVersion, o)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, badger.ManifestFilename, err)
	}
	if len(manifest.Tables) == 0 {
		return noOrphans(dir)
	}
	for id := range manifest.Tables {
		if err := tryTable(table.NewFilename(id, dir), func(*table.Table) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

const (
	registrySalt = 16             // bytes that have no meaning without encryption
	registryText = "Hello Badger" // ends the registry of a store without encryption
)

// mayOpenRegistry checks Badger's list of encryption keys, which is empty. Badger refuses a
// damaged one as well, but takes it for a wrong key.
func mayOpenRegistry(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, badger.KeyRegistryFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a new store
	}
	if err != nil {
		return fmt.Errorf("kv: open: %w", err)
	}
	if len(b) < registrySalt || string(b[registrySalt:]) != registryText {
		return fmt.Errorf("%w: %s", ErrCorrupt, badger.KeyRegistryFileName)
	}
	return nil
}

// noOrphans refuses a list without any table where tables exist, which Badger would delete. A
// crash can leave a table that is not listed yet, but the log it was written from as well.
func noOrphans(dir string) error {
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	logs, err2 := filepath.Glob(filepath.Join(dir, "*"+tableLogExt))
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("kv: open: %w", err)
	}
	if len(tables) > 0 && len(logs) == 0 {
		return fmt.Errorf("%w: %s lists no table, but there are %d", ErrCorrupt, badger.ManifestFilename, len(tables))
	}
	return nil
}

// tryTable opens a single table. Badger reports a missing one itself.
func tryTable(file string, fn func(*table.Table) error) error {
	err := useTable(file, fn)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) { // no damage
		return fmt.Errorf("kv: open: %w", err)
	}
	return fmt.Errorf("%w: %s: %w", ErrCorrupt, filepath.Base(file), err)
}

// useTable turns a panic, by which Badger reports most kinds of damage, into an error.
func useTable(file string, fn func(*table.Table) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	m, err := z.OpenMmapFile(file, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	t, err := table.OpenTable(m, table.Options{
		ReadOnly:    true,
		Compression: options.Snappy,
		BlockSize:   4 << 10,
		ChkMode:     options.NoVerification,
	})
	if err == nil {
		err = fn(t)
	}
	return errors.Join(err, m.Close(-1))
}
