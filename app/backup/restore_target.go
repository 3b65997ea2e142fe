package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"paraph/app/blob"
	"paraph/kv"
)

// target is a data folder being restored.
type target struct {
	ctx      context.Context
	dir      string
	o        RestoreOptions
	db       *kv.DB
	blobs    *blob.Store
	settings string
	damaged  []string // files that the newest archive lacks
	lost     []string // keys that the records need

	records *io.PipeWriter // of the archive being read
	loaded  chan error
}

func (t *target) path(name string) string { return filepath.Join(t.dir, name) }

func (t *target) fill(archives []Archive) (err error) {
	if t.db, err = kv.Open(kv.Options{Dir: t.path("kv"), Log: t.o.Log}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.db.Close()) }()
	if t.blobs, err = blob.Open(t.path("files"), blob.Options{Log: t.o.Log}); err != nil {
		return err
	}
	for i := range archives {
		if err := t.apply(&archives[i]); err != nil {
			return fmt.Errorf("%s: %w", archives[i].Where(), err)
		}
	}
	if !archives[len(archives)-1].Full() { // which lists them itself
		err = t.listNeeded()
	}
	if err == nil && t.o.LostKeys != nil {
		t.lost, err = t.o.LostKeys(t.db, t.dir)
	}
	if err != nil {
		return err
	}
	if _, err := t.db.Descend(0); err != nil { // the server that made the backup may still write others
		return err
	}
	return t.compare()
}

// listNeeded writes the list of files that the records need, unless an increment of an earlier
// format holds one.
func (t *target) listNeeded() (err error) {
	path := t.path(listEntry)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	list := bufio.NewWriter(f)
	err = t.db.View(func(tx *kv.Tx) error {
		return t.o.Needed.Each(tx, 0, func(hash string) error {
			if slices.Contains(t.damaged, hash) {
				return nil
			}
			_, err := fmt.Fprintln(list, hash)
			return err
		})
	})
	return errors.Join(err, list.Flush(), f.Close())
}

// apply restores one archive on top of the previous ones.
func (t *target) apply(a *Archive) (err error) {
	f, err := a.open(t.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, name := range []string{"keys", "restored"} { // both are complete in every archive
		if err := os.RemoveAll(t.path(name)); err != nil {
			return err
		}
	}
	t.settings, t.damaged = "", nil
	if err := ignoreMissing(os.Remove(t.path(listEntry))); err != nil {
		return err
	}
	h, err := readArchive(f, t.o.Keys, func(h Header, name string, r io.Reader) error {
		if err := t.mayApply(h, a.Header); err != nil {
			return err
		}
		return t.entry(name, r)
	})
	if err != nil {
		return errors.Join(err, t.abandonRecords(err))
	}
	a.Header = h
	return t.endRecords()
}

// mayApply compares the header with the file name by which the archive was selected.
func (t *target) mayApply(h, chosen Header) error {
	if h.ID != chosen.ID || h.Parent != chosen.Parent {
		return errors.New("its name is that of another backup")
	}
	if h.DataVersion > t.o.DataVersion {
		return fmt.Errorf("a newer version of Paraph (%s) made it; restore it with that one", h.Program)
	}
	return t.ctx.Err()
}

var fileName = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (t *target) entry(name string, r io.Reader) error {
	if strings.HasPrefix(name, recordsPrefix) {
		return t.record(r)
	}
	if err := t.endRecords(); err != nil {
		return err
	}
	if hash, ok := strings.CutPrefix(name, filesPrefix); ok && fileName.MatchString(hash) {
		_, err := t.blobs.Put(t.ctx, r)
		return err
	}
	rest, ok := strings.CutPrefix(name, keysPrefix)
	switch {
	case ok && filepath.IsLocal(filepath.FromSlash(rest)):
		return writeFile(t.path(filepath.Join("keys", filepath.FromSlash(rest))), r)
	case name == settingsEntry:
		t.settings = t.path(filepath.Join("restored", "config.toml"))
		return writeFile(t.settings, r)
	case name == damagedEntry:
		b, err := io.ReadAll(r)
		t.damaged = strings.Fields(string(b))
		return err
	case name == listEntry:
		return writeFile(t.path(listEntry), r)
	}
	return errors.New("unknown to this version of Paraph")
}

// record passes a piece of the records to the store, which reads them as one stream.
func (t *target) record(r io.Reader) error {
	if t.records == nil {
		from, to := io.Pipe()
		t.records, t.loaded = to, make(chan error, 1)
		go func() {
			err := t.db.Restore(from)
			from.CloseWithError(err)
			t.loaded <- err
		}()
	}
	_, err := io.Copy(t.records, r)
	return err
}

func (t *target) endRecords() error { return t.abandonRecords(nil) }

// abandonRecords ends the stream of records, with an error unless it is complete.
func (t *target) abandonRecords(why error) error {
	if t.records == nil {
		return nil
	}
	t.records.CloseWithError(why)
	t.records = nil
	err := <-t.loaded
	if why != nil {
		return nil // it is the cause
	}
	return err
}

// compare makes the files match the last archive: none missing, none extra.
func (t *target) compare() (err error) {
	f, err := os.Open(t.path(listEntry))
	if err != nil {
		return fmt.Errorf("the list of files is missing: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	want := newSortedLines(f)
	err = t.blobs.Each(func(ref blob.Ref) error {
		for ; want.more && want.line < ref.Hash; want.next() {
			if err := t.missing(want.line); err != nil {
				return err
			}
		}
		if !want.has(ref.Hash) {
			return t.blobs.Remove(ref.Hash)
		}
		want.next()
		return nil
	})
	for ; err == nil && want.more; want.next() {
		err = t.missing(want.line)
	}
	return errors.Join(err, want.err())
}

// missing copies a file that no archive holds from the folder of copies.
func (t *target) missing(hash string) (err error) {
	if t.o.Files == "" {
		return fmt.Errorf("%w: no archive holds the file %s", ErrDamaged, hash)
	}
	if !fileName.MatchString(hash) {
		return fmt.Errorf("%w: %q is not a file", ErrDamaged, hash)
	}
	f, err := os.Open(filepath.Join(t.o.Files, hash[:1], hash[1:2], hash))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ref, err := t.blobs.Put(t.ctx, f)
	if err == nil && ref.Hash != hash {
		err = fmt.Errorf("%w: %s has changed", ErrDamaged, f.Name())
	}
	return err
}
