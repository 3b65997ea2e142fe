package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"paraph/app/backup"
	"paraph/app/folder"
	"paraph/kv"
)

// MendRecords rebuilds records whose tables are damaged: from the backup, and from what was written since, which the
// damaged tables rarely hold. Nothing is lost then, and nothing is guessed: if what was written since can't be
// read whole, nothing is changed, and the error says how to go back to the backup. The damaged records are
// kept beside the others.
func MendRecords(ctx context.Context, cfg Config, from string, keys backup.Keys, w io.Writer) (err error) {
	dir := cfg.Data.Dir
	if err := mustExist(dir); err != nil {
		return err
	}
	unlock, err := folder.Lock(dir)
	if errors.Is(err, folder.ErrLocked) {
		return nil // the check beside the server says what is damaged
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := finishMending(dir); err != nil {
		return err
	}
	m := recordMender{filepath.Join(dir, "kv"), filepath.Join(dir, mendedName), filepath.Join(dir, "kv.damaged-"+time.Now().Format("20060102-150405"))}
	damaged, err := m.damaged()
	if damaged == 0 && err == nil {
		return nil
	}
	if err == nil {
		err = m.rebuild(ctx, cfg, from, keys)
	}
	if err != nil && (damaged > 0 || errors.Is(err, kv.ErrCorrupt)) {
		return fmt.Errorf("the records are damaged, and not all that was written since the backup can be read: %w; go back to the backup with "+
			"mv %s %s.damaged && paraph restore %s --files %s.damaged/files --set data.dir=%s", err, dir, dir, from, dir, dir)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Rebuilt the records from %s and from what was written since; nothing is lost. Those with the damage are in %s, which can be deleted.\n", from, m.old)
	return err
}

// recordMender rebuilds the records of a data folder.
type recordMender struct{ present, mended, old string }

// damaged counts the damaged tables.
func (m recordMender) damaged() (n int, err error) {
	db, err := m.open(m.present)
	if err != nil {
		return 0, err
	}
	problems := db.Check()
	return len(problems), db.Close()
}

// open opens records as they are, without migrating them.
func (recordMender) open(dir string) (*kv.DB, error) {
	return kv.Open(kv.Options{Dir: dir, Copy: true, Log: slog.New(slog.DiscardHandler)})
}

// rebuild makes the records anew and puts them in place of the damaged ones.
func (m recordMender) rebuild(ctx context.Context, cfg Config, from string, keys backup.Keys) error {
	if err := os.RemoveAll(m.mended); err != nil {
		return err
	}
	if err := m.fill(ctx, cfg, from, keys); err != nil {
		return errors.Join(err, os.RemoveAll(m.mended))
	}
	if err := os.Rename(m.present, m.old); err != nil {
		return err
	}
	return os.Rename(m.mended, m.present)
}

// mendedName is the folder of rebuilt records until they are in place.
const mendedName = "kv.mended"

// finishMending puts rebuilt records in place if the process that rebuilt them was killed between moving the damaged
// ones away and that: a server that finds no records would begin with none.
func finishMending(dir string) error {
	present := filepath.Join(dir, "kv")
	if _, err := os.Stat(present); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(filepath.Join(dir, mendedName), present); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (m recordMender) fill(ctx context.Context, cfg Config, from string, keys backup.Keys) (err error) {
	to, err := m.open(m.mended)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := buckets(cfg).Records(ctx, from, keys, func(r io.ReadSeeker) error { return to.Restore(r) }); err != nil {
		return err
	}
	spool, err := os.CreateTemp("", "paraph-since-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close(), os.Remove(spool.Name())) }()
	if err := m.since(spool, to); err != nil {
		return err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := to.Restore(spool); err != nil {
		return err
	}
	return errors.Join(to.Check()...)
}

// since writes what the damaged store holds that came after the backup.
func (m recordMender) since(w io.Writer, backup *kv.DB) (err error) {
	own, err := backup.History()
	if err != nil {
		return err
	}
	present, err := m.open(m.present)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, present.Close()) }()
	h, err := present.History()
	if err != nil {
		return err
	}
	if h.ID != own.ID || present.Moment() < backup.Moment() {
		return errors.New("the backup is of other records")
	}
	_, err = present.Backup(w, backup.Moment())
	return err
}
