package app

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/backup"
	"paraph/app/checkpoint"
	"paraph/app/folder"
	"paraph/app/pki"
	"paraph/app/seal"
	"paraph/app/signing/store"
	"paraph/app/tree"
	"paraph/kv"
)

// Files of the keys folder beside those of package pki.
const (
	tokenKey      = "token.key"
	checkpointKey = "checkpoint.key"
	coldKey       = "cold.key"
)

// keyMark identifies the key in a file without revealing it. It is empty for files that are only
// read, such as certificates that were superseded.
type keyMark struct{ Mark []byte }

var keyMarks = kv.NewCollection("installation key", kv.JSON[keyMark]())

// keyRegister remembers among the records which files of the keys folder they need, so that a
// lost one is reported instead of replaced. A file is on disk before it is entered here, so that
// no crash leaves an entry without its file.
type keyRegister struct {
	db   *kv.DB
	data string // the data folder; empty if keys are kept in memory only
}

var _ pki.Register = keyRegister{}

func (r keyRegister) folder() string { return filepath.Join(r.data, "keys") }

// Needs implements [pki.Register].
func (r keyRegister) Needs(name string) (needed bool, err error) {
	if r.data == "" {
		return false, nil
	}
	err = r.db.View(func(tx *kv.Tx) (err error) {
		needed, err = keyMarks.Has(tx, name)
		return err
	})
	return needed, err
}

// Keep implements [pki.Register].
func (r keyRegister) Keep(name string, mark []byte) error {
	return r.enter(map[string][]byte{name: mark})
}

func (r keyRegister) enter(marks map[string][]byte) error {
	if r.data == "" || len(marks) == 0 {
		return nil
	}
	return r.db.Update(func(tx *kv.Tx) error {
		for name, mark := range marks {
			before, err := keyMarks.Get(tx, name)
			if err == nil && bytes.Equal(before.Mark, mark) {
				continue
			}
			if err != nil && !errors.Is(err, kv.ErrNotFound) {
				return err
			}
			if err := keyMarks.Put(tx, name, keyMark{mark}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Drop implements [pki.Register].
func (r keyRegister) Drop(name string) error {
	needed, err := r.Needs(name)
	if err != nil || !needed {
		return err
	}
	return r.db.Update(func(tx *kv.Tx) error { return keyMarks.Delete(tx, name) })
}

func (r keyRegister) entries() (map[string][]byte, error) {
	all := map[string][]byte{}
	if r.data == "" {
		return all, nil
	}
	err := r.db.View(func(tx *kv.Tx) error {
		return keyMarks.Each(tx, "", nil, func(name string, k keyMark) (bool, error) {
			all[name] = k.Mark
			return true, nil
		})
	})
	return all, err
}

// open refuses a keys folder that lacks what the records need, and enters the files that are not
// registered yet: those of an earlier version, or written just before a crash.
func (r keyRegister) open() error {
	if err := r.check(); err != nil || r.data == "" {
		return err
	}
	known, err := r.entries()
	if err != nil {
		return err
	}
	if len(known) == 0 {
		if err := r.inherited(); err != nil {
			return err
		}
	}
	files, err := os.ReadDir(r.folder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	found := map[string][]byte{}
	for _, f := range files {
		name := f.Name()
		if _, ok := known[name]; ok || name != tokenKey && name != checkpointKey && name != coldKey && !pki.Kept(name) {
			continue
		}
		marks, err := r.marks(name)
		if err != nil {
			return fmt.Errorf("keys/%s cannot be used: %w", name, err)
		}
		found[name] = marks[0]
	}
	return r.enter(found)
}

// inherited refuses records of an earlier version, which entered no files, if the folder lacks one that they can't have
// been written without.
func (r keyRegister) inherited() error {
	var empty, marked bool
	var companies []string
	err := r.db.View(func(tx *kv.Tx) (err error) {
		if empty, err = account.IsEmpty(tx); err != nil || empty {
			return err
		}
		if marked, err = checkpoint.Any(tx); err == nil {
			companies, err = store.Issuers(tx)
		}
		return err
	})
	if err != nil || empty {
		return err
	}
	if err := os.MkdirAll(r.folder(), 0o700); err != nil {
		return err
	}
	lacking, err := pki.Lacking(r.folder(), companies)
	if err != nil {
		return err
	}
	for name, needed := range map[string]bool{tokenKey: true, checkpointKey: marked} {
		if _, err := os.Stat(filepath.Join(r.folder(), name)); needed && errors.Is(err, fs.ErrNotExist) {
			lacking = append(lacking, name)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	faults := map[string]string{}
	for _, name := range lacking {
		faults[name] = "is missing"
	}
	return r.alarm(faults)
}

// marks returns the mark of a file, followed by those of the keys that it names as its
// predecessors.
func (r keyRegister) marks(name string) ([][]byte, error) {
	switch name {
	case tokenKey:
		key, err := folder.ReadSecret(r.data, name)
		if err != nil {
			return nil, err
		}
		mark, err := tokenMark(key)
		return [][]byte{mark}, err
	case checkpointKey:
		path := filepath.Join(r.folder(), name)
		if _, err := os.Stat(path); err != nil { // a missing one would be made
			return nil, err
		}
		ring, err := tree.OpenKeyring(path)
		if err != nil {
			return nil, err
		}
		return ringMarks(ring), nil
	case coldKey:
		key, err := readColdKey(filepath.Join(r.folder(), name))
		if err != nil {
			return nil, err
		}
		return [][]byte{coldMark(key)}, nil
	}
	mark, err := pki.Mark(r.folder(), name)
	return [][]byte{mark}, err
}

func tokenMark(key []byte) ([]byte, error) { return seal.Derive(key, "mark of the key") }

// ringMarks returns the marks of the keys of a keyring, the current one first.
func ringMarks(ring *tree.Keyring) (marks [][]byte) {
	for _, public := range slices.Backward(ring.Public()) {
		sum := sha256.Sum256(public)
		marks = append(marks, sum[:])
	}
	return marks
}

// lost lists the files that the records need and that are missing, damaged or others, with what
// is wrong with each.
func (r keyRegister) lost() (map[string]string, error) {
	known, err := r.entries()
	if err != nil {
		return nil, err
	}
	lost := map[string]string{}
	for name, mark := range known {
		fault, err := r.compare(name, mark)
		if err != nil {
			return nil, fmt.Errorf("cannot read keys/%s: %w", name, err)
		}
		if fault != "" {
			lost[name] = fault
		}
	}
	return lost, nil
}

func (r keyRegister) compare(name string, mark []byte) (fault string, err error) {
	found, err := r.marks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "is missing", nil
	}
	if _, unread := errors.AsType[*fs.PathError](err); unread {
		return "", err
	}
	if err != nil {
		return "is damaged", nil
	}
	if len(mark) == 0 || slices.ContainsFunc(found, func(m []byte) bool { return bytes.Equal(m, mark) }) {
		return "", nil
	}
	superseded, err := pki.Superseded(r.folder(), mark) // while the records were being copied
	if err != nil || superseded {
		return "", err
	}
	return "is not the one that the records were written with", nil
}

// lostNames lists the names of the lost files for a backup.
func (r keyRegister) lostNames() ([]string, error) {
	lost, err := r.lost()
	return slices.Sorted(maps.Keys(lost)), err
}

// check returns a [lostKeys] if any are lost.
func (r keyRegister) check() error {
	lost, err := r.lost()
	if err != nil {
		return err
	}
	return r.alarm(lost)
}

// alarm returns a [lostKeys] for faults, if there are any.
func (r keyRegister) alarm(faults map[string]string) error {
	if len(faults) == 0 {
		return nil
	}
	l := &lostKeys{faults: faults}
	held, found, err := backup.Holding(r.data, l.names())
	if found {
		l.backup = held.Where
	}
	if err != nil {
		return errors.Join(l, err)
	}
	return l
}

// lostKeys says that keys which the records need are gone. Making new ones would silently break
// every link, seal and signature that depends on them.
type lostKeys struct {
	faults map[string]string // by name
	backup string            // the newest one that holds them all; empty if none is known
}

func (l *lostKeys) names() []string { return slices.Sorted(maps.Keys(l.faults)) }

// Error implements error.
func (l *lostKeys) Error() string { return l.what() + ". " + strings.TrimSuffix(l.remedy(), ".") }

func (l *lostKeys) what() string {
	var all []string
	for _, name := range l.names() {
		all = append(all, "keys/"+name+" "+l.faults[name])
	}
	return "the records need every key that they were written with, but " + strings.Join(all, ", and ")
}

func (l *lostKeys) remedy() string {
	const after = "No new ones are made in their place."
	if l.backup == "" {
		return "Restore keys/ from a backup; none of this folder is recorded here. " + after
	}
	return fmt.Sprintf("The backup %s holds them: run paraph restore %s --set data.dir=FOLDER with an empty folder, and copy the files from its keys/. %s",
		l.backup, l.backup, after)
}
