package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paraph/app/archive"
	"paraph/app/blob"
	"paraph/kv"
)

// run is one backup in progress.
type run struct {
	*Source
	header  Header
	parent  Record // zero for a full backup
	history kv.History
	q       Request

	damaged []string // files that cannot be read
}

// prepare refuses impossible requests before anything is written.
func (s *Source) prepare(q Request) (*run, error) {
	now := s.Now().UTC()
	r := &run{Source: s, q: q, header: Header{
		Format: format, ID: strings.ToLower(rand.Text()[:16]), Parent: q.Parent, Time: now,
		DataVersion: s.DataVersion, Program: s.Program,
	}}
	var err error
	if r.history, err = s.DB.History(); err != nil {
		return nil, err
	}
	r.header.Line, r.header.Epoch = r.history.Line, r.history.Epoch
	if err := s.catalog().make(); err != nil || q.Parent == "" {
		return r, err
	}
	if r.parent, err = s.catalog().get(q.Parent); err != nil {
		return nil, err
	}
	if !s.continues(r.parent, r.history) {
		return nil, ErrUnknownBackup
	}
	if q.OnlyChanged && r.parent.Upto == s.DB.Moment() {
		r.parent.Confirmed, r.parent.Every = now, q.Every
		return nil, errors.Join(ErrUnchanged, s.catalog().put(r.parent))
	}
	return r, nil
}

// write writes the archive. Records come first: a file is stored before the record that names
// it, and none is removed meanwhile.
func (r *run) write(ctx context.Context, to io.Writer) (err error) {
	defer r.Blobs.Hold()()
	dir := r.catalog().dir
	files, err := archive.NewSpool(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Remove()) }()
	list, err := archive.NewSpool(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.Remove()) }()
	w, err := archive.NewWriter(contextWriter{ctx, to}, r.header.Time, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	upto, err := r.entries(w, files, list)
	if err != nil {
		return err
	}
	note := Record{Header: r.header, History: r.history.ID, Upto: upto, Keep: r.q.Keep, Every: r.q.Every, Confirmed: r.Now(), Damaged: r.damaged}
	if err := r.catalog().put(note); err != nil {
		return err
	}
	return w.Finish()
}

// entries writes all entries. files and list are temporary files.
func (r *run) entries(w *archive.Writer, files, list *archive.Spool) (upto uint64, err error) {
	b, err := json.Marshal(r.header)
	if err != nil {
		return 0, err
	}
	if err := w.Add(headerEntry, int64(len(b)), bytes.NewReader(b)); err != nil {
		return 0, err
	}
	if upto, err = r.records(w, files); err != nil {
		return 0, err
	}
	if err := r.files(w, files, list); err != nil {
		return 0, err
	}
	if err := r.keys(w); err != nil {
		return 0, err
	}
	if err := r.settings(w); err != nil {
		return 0, err
	}
	if len(r.damaged) > 0 {
		names := strings.Join(r.damaged, "\n") + "\n"
		if err := w.Add(damagedEntry, int64(len(names)), strings.NewReader(names)); err != nil {
			return 0, err
		}
	}
	if r.header.Full() {
		err = w.AddSpool(listEntry, list)
	}
	return upto, err
}

// records writes the records that have changed, and lists the files that they have needed since.
func (r *run) records(w *archive.Writer, files *archive.Spool) (upto uint64, err error) {
	records := archive.NewPieces(w, recordsPrefix)
	upto, err = r.DB.Backup(records, r.parent.Upto, func(tx *kv.Tx) error {
		if r.q.NoFiles {
			return nil // they may be of a version that has no such index
		}
		add := func(hash string) error {
			_, err := fmt.Fprintln(files, hash)
			return err
		}
		again, err := r.lacking(tx)
		if err != nil {
			return err
		}
		return InOrder(again, add, func(fn func(string) error) error { return r.Files.Each(tx, r.parent.Upto, fn) })
	})
	if err != nil {
		return 0, err
	}
	return upto, records.Flush()
}

// lacking returns the files that the parent lacks and that are still needed: they may have been
// mended.
func (r *run) lacking(tx *kv.Tx) (again []string, err error) {
	for _, hash := range r.parent.Damaged {
		if strings.HasPrefix(hash, keysPrefix) {
			continue
		}
		needed, err := r.Files.Needs(tx, hash)
		if err != nil {
			return nil, err
		}
		if needed {
			again = append(again, hash)
		}
	}
	slices.Sort(again)
	return again, nil
}

// InOrder calls fn for everything in a sorted list and everything that each passes on in order,
// together in order and without repetitions.
func InOrder(list []string, fn func(string) error, each func(func(string) error) error) error {
	err := each(func(s string) error {
		for ; len(list) > 0 && list[0] <= s; list = list[1:] {
			if list[0] == s {
				continue
			}
			if err := fn(list[0]); err != nil {
				return err
			}
		}
		return fn(s)
	})
	for ; len(list) > 0 && err == nil; list = list[1:] {
		err = fn(list[0])
	}
	return err
}

// files writes the files that were listed, and lists those of a full backup.
func (r *run) files(w *archive.Writer, files, list *archive.Spool) error {
	if r.q.NoFiles {
		return r.Blobs.Each(func(ref blob.Ref) error {
			_, err := fmt.Fprintln(list, ref.Hash)
			return err
		})
	}
	from, err := files.Reader()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		before := len(r.damaged)
		if err := r.copyFile(w, lines.Text()); err != nil {
			return err
		}
		if len(r.damaged) > before {
			continue
		}
		if _, err := fmt.Fprintln(list, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// copyFile writes a file, unless it is damaged or missing: the others are still worth saving.
func (r *run) copyFile(w *archive.Writer, hash string) error {
	err := r.file(w, hash)
	if errors.Is(err, blob.ErrCorrupt) || errors.Is(err, blob.ErrNotFound) {
		r.damaged = append(r.damaged, hash)
		return nil
	}
	return err
}

func (r *run) file(w *archive.Writer, hash string) error {
	f, err := r.Blobs.Open(hash)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return errors.Join(w.Add(filesPrefix+hash, f.Size(), f), f.Close())
}

// keys writes the keys folder, after the records that name the keys, and notes which are lost:
// the rest is still worth saving. A key that supersedes another meanwhile comes with its
// predecessor, which is kept first and found by the second walk.
func (r *run) keys(w *archive.Writer) error {
	written := map[string]bool{}
	for range 2 {
		if err := r.walkKeys(w, written); err != nil {
			return err
		}
	}
	if r.LostKeys == nil {
		return nil
	}
	lost, err := r.LostKeys()
	for _, name := range lost {
		r.damaged = append(r.damaged, keysPrefix+name)
	}
	return err
}

func (r *run) walkKeys(w *archive.Writer, written map[string]bool) error {
	root := filepath.Join(r.Dir, "keys")
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return nil // each key in it is lost
		}
		if err != nil || !e.Type().IsRegular() || unfinished(e.Name()) || written[path] {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		written[path] = true
		return r.small(w, keysPrefix+filepath.ToSlash(name), path)
	})
}

// unfinished recognises the temporary files that keys are written to.
func unfinished(name string) bool {
	return strings.HasPrefix(name, ".new-") || strings.HasSuffix(name, ".new")
}

func (r *run) settings(w *archive.Writer) error {
	if r.Settings == "" {
		return nil
	}
	return r.small(w, settingsEntry, r.Settings)
}

// small writes a file that is always replaced as a whole.
func (r *run) small(w *archive.Writer, name, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return w.Add(name, int64(len(b)), bytes.NewReader(b))
}

// contextWriter ends a copy when its context ends.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}
