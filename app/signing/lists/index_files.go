package lists

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"paraph/app/account"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// reading counts the files of each company whose text is being read, so that a
// search can wait for files that were just uploaded.
type reading struct {
	mu      sync.Mutex
	pending map[string]int
	changed chan struct{}
}

func (r *reading) add(company string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending == nil {
		r.pending = map[string]int{}
	}
	if r.pending[company] += n; r.pending[company] <= 0 {
		delete(r.pending, company)
	}
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// wait returns when no file of the company is being read, or when ctx ends.
func (r *reading) wait(ctx context.Context, company string) {
	for {
		r.mu.Lock()
		if r.pending[company] <= 0 {
			r.mu.Unlock()
			return
		}
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// isUnreadable reports whether PDFium failed because of the file.
func isUnreadable(err error) bool {
	return errors.Is(err, pdfium.ErrDamaged) || errors.Is(err, pdfium.ErrTimeout) ||
		errors.Is(err, pdfium.ErrCrashed) || errors.Is(err, pdfium.ErrTooLarge)
}

// readPayload names the file to read: by Base, which its text is stored under, unless that is Key.
type readPayload struct {
	Company, Document, Base string
	Key                     string   `json:",omitempty"`
	Blobs                   []string `json:",omitempty"` // instead of Base
}

// ReadLater schedules a job that reads the text of files, which takes longer than a
// response should.
func (s *Lists) ReadLater(tx *kv.Tx, d *record.Document, files []record.File) error {
	for i := range files {
		p := readPayload{Company: d.Company, Document: d.ID, Base: files[i].Base}
		if key, blobs := record.TextSource(d, &files[i]); key != p.Base {
			p.Key, p.Blobs = key, blobs
		}
		payload, err := json.Marshal(p)
		if err != nil {
			return err
		}
		job := kv.Job{Kind: ReadJob, Scope: d.Company, Key: files[i].ID, Payload: payload, Due: tx.Now}
		if err := s.Jobs.Add(tx, job); err != nil {
			return err
		}
	}
	if n := len(files); n > 0 {
		company := d.Company
		tx.OnCommit(func() { s.reading.add(company, n) })
	}
	return nil
}

func (s *Lists) ReadHandler() kv.Handler {
	return kv.Handler{Kind: ReadJob, Timeout: time.Minute, Backoff: []time.Duration{time.Second, time.Minute},
		Run: func(ctx context.Context, job kv.Job) error {
			var p readPayload
			if err := json.Unmarshal(job.Payload, &p); err != nil {
				return kv.Permanent(err)
			}
			if job.Attempts == 1 {
				defer s.reading.add(p.Company, -1)
			}
			if p.Key == "" {
				p.Key, p.Blobs = p.Base, []string{p.Base}
			}
			return s.read(ctx, p)
		}}
}

// read stores the text of a file, once for all documents that contain it, and queues
// the document for reindexing.
func (s *Lists) read(ctx context.Context, p readPayload) error {
	known := false
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		known, err = Texts.Has(tx, p.Key)
		return err
	})
	if err != nil {
		return err
	}
	text := ""
	if !known {
		paths, err := s.Blobs.Paths(p.Blobs...)
		if err != nil {
			return kv.Permanent(err)
		}
		text, err = s.PDFium.For(account.System(p.Company).Turn()).PlainText(ctx, pdfium.Source{Paths: paths}, MaxText)
		if err != nil && ctx.Err() != nil {
			return ctx.Err() // out of time because others were first, which says nothing about the file
		}
		if isUnreadable(err) {
			// The file can still be found by its name, and nothing else depends on its text.
			s.Log.Warn("text of file not read", "blob", p.Base, "error", err)
			err = nil
		}
		if err != nil {
			return fmt.Errorf("signing: read the text of %s: %w", p.Base, err)
		}
	}
	return s.DB.For(p.Company).Update(func(tx *kv.Tx) error {
		if !known {
			if err := Texts.Put(tx, p.Key, FileText{Text: text, At: tx.Now}); err != nil {
				return err
			}
		}
		_, err := store.Changes.Append(tx, s.NewID().String(), "", "", store.Change{Company: p.Company, Document: p.Document})
		return err
	})
}

func (r *reading) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = nil
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}
