package backup

import (
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
	"strings"

	"paraph/app/archive"
	"paraph/app/blob"
)

// run is one backup in progress.
type run struct {
	*Source
	header Header
	parent Record // zero for a full backup
	q      Request

	damaged []string // files that cannot be read
}

// prepare refuses impossible requests before anything is written.
func (s *Source) prepare(q Request) (*run, error) {
	now := s.Now().UTC()
	r := &run{Source: s, q: q, header: Header{
		Format: format, ID: strings.ToLower(rand.Text()[:16]), Parent: q.Parent, Time: now,
		DataVersion: s.DataVersion, Program: s.Program,
	}}
	if err := s.catalog().make(); err != nil || q.Parent == "" {
		return r, err
	}
	var err error
	if r.parent, err = s.catalog().get(q.Parent); err != nil {
		return nil, err
	}
	if !r.parent.Good || r.parent.Upto > s.DB.Moment() {
		return nil, ErrUnknownBackup
	}
	if q.OnlyChanged && r.parent.Upto == s.DB.Moment() {
		r.parent.Confirmed = now
		return nil, errors.Join(ErrUnchanged, s.catalog().put(r.parent))
	}
	return r, nil
}

// write writes the archive. Records come first: a file is stored before the record that names
// it, and none is removed meanwhile.
func (r *run) write(ctx context.Context, to io.Writer) (err error) {
	defer r.Blobs.Hold()()
	dir := r.catalog().dir
	list, err := archive.NewSpool(dir)
	if err != nil {
		return err
	}
	w, err := archive.NewWriter(contextWriter{ctx, to}, r.header.Time, dir)
	if err != nil {
		return errors.Join(err, list.Remove())
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	upto, err := r.entries(w, list)
	if err != nil {
		return errors.Join(err, list.Remove())
	}
	written := Record{Header: r.header, Upto: upto, Keep: r.q.Keep, Confirmed: r.Now()}
	if err := r.catalog().begin(written, list); err != nil {
		return err
	}
	return w.Finish()
}

func (r *run) entries(w *archive.Writer, list *archive.Spool) (upto uint64, err error) {
	b, err := json.Marshal(r.header)
	if err != nil {
		return 0, err
	}
	if err := w.Add(headerEntry, int64(len(b)), bytes.NewReader(b)); err != nil {
		return 0, err
	}
	records := archive.NewPieces(w, recordsPrefix)
	if upto, err = r.DB.Backup(records, r.parent.Upto); err != nil {
		return 0, err
	}
	if err := records.Flush(); err != nil {
		return 0, err
	}
	if err := r.files(w, list); err != nil {
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
	return upto, w.AddSpool(listEntry, list)
}

// files writes the files missing from the parent, and lists all of them.
func (r *run) files(w *archive.Writer, list *archive.Spool) (err error) {
	had := &sortedLines{}
	if r.header.Parent != "" {
		f, err := os.Open(r.catalog().listPath(r.header.Parent))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnknownBackup, err)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		had = newSortedLines(f)
	}
	err = r.Blobs.Each(func(ref blob.Ref) error {
		if !had.has(ref.Hash) && !r.q.NoFiles {
			err := r.file(w, ref.Hash)
			if errors.Is(err, blob.ErrCorrupt) { // the others are still worth saving
				r.damaged = append(r.damaged, ref.Hash)
				return nil
			}
			if err != nil {
				return err
			}
		}
		_, err := fmt.Fprintln(list, ref.Hash)
		return err
	})
	return errors.Join(err, had.err())
}

func (r *run) file(w *archive.Writer, hash string) error {
	f, err := r.Blobs.Open(hash)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return errors.Join(w.Add(filesPrefix+hash, f.Size(), f), f.Close())
}

// keys writes the keys folder, after the records that name the keys.
func (r *run) keys(w *archive.Writer) error {
	root := filepath.Join(r.Dir, "keys")
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || unfinished(e.Name()) {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
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
