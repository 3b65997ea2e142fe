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
	"time"

	"paraph/app/archive"
	"paraph/app/blob"
	"paraph/kv"
)

// Request describes a backup to make.
type Request struct {
	Parent      string `json:"parent"`       // ID of the backup to continue; empty for a full one
	OnlyChanged bool   `json:"only_changed"` // [ErrUnchanged] if nothing has changed since
	Keep        bool   `json:"keep"`         // many other backups will continue it
	NoFiles     bool   `json:"no_files"`     // list the files without copying them
}

// Origin is the source of archives: the data folder itself, or the server that has it open.
type Origin interface {
	// Known lists the good backups that can be continued, oldest first.
	Known(ctx context.Context) ([]Record, error)
	// Open begins an archive, neither compressed nor encrypted.
	Open(ctx context.Context, q Request) (io.ReadCloser, error)
	// Done records that a backup has been read back and has its final name.
	Done(ctx context.Context, r Record) error
}

// Source is an open data folder.
type Source struct {
	DB          *kv.DB
	Blobs       *blob.Store
	Dir         string // the data folder
	Settings    string // the configuration file, or empty
	DataVersion int
	Program     string
	Now         func() time.Time
}

// Known implements [Origin].
func (s *Source) Known(context.Context) ([]Record, error) {
	all, err := s.catalog().list()
	if err != nil {
		return nil, err
	}
	var good []Record
	for _, r := range all {
		if r.Good {
			good = append(good, r)
		}
	}
	return good, nil
}

// Done implements [Origin].
func (s *Source) Done(_ context.Context, r Record) error {
	c := s.catalog()
	own, err := c.get(r.ID)
	if err != nil {
		return err
	}
	own.Good, own.Confirmed = true, s.Now()
	own.Where, own.Size, own.Fingerprint, own.Encrypted = r.Where, r.Size, r.Fingerprint, r.Encrypted
	if err := c.put(own); err != nil {
		return err
	}
	return c.prune(s.Now())
}

// Open implements [Origin].
func (s *Source) Open(ctx context.Context, q Request) (io.ReadCloser, error) {
	run, err := s.prepare(q)
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.CloseWithError(run.write(ctx, w))
	}()
	return &stream{r, ended}, nil
}

// KeepRecords writes the records and keys to a new file before they are migrated. Uploaded
// files never change, so they are not copied. An existing copy is kept: it is from an
// interrupted migration.
func (s *Source) KeepRecords(ctx context.Context, path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in, name, err := Buckets{}.place(path, true)
	if err != nil {
		return err
	}
	stream, err := s.Open(ctx, Request{NoFiles: true})
	if err != nil {
		return err
	}
	_, err = place{in, name}.fill(ctx, stream, Keys{})
	return errors.Join(err, stream.Close())
}

// stream waits for its writer when it is closed.
type stream struct {
	*io.PipeReader
	ended <-chan struct{}
}

func (s *stream) Close() error {
	err := s.PipeReader.Close()
	<-s.ended
	return err
}

func (s *Source) catalog() catalog { return catalog{filepath.Join(s.Dir, "backups")} }

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
	if err := r.catalog().begin(Record{Header: r.header, Upto: upto, Keep: r.q.Keep}, list); err != nil {
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
