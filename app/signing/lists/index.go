package lists

import (
	"bytes"
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
	"paraph/search"
)

// ReadJob is the kind of job that reads the text of a file.
const ReadJob = "read"

const documentKind = "document"

// MaxText is the maximum size, in bytes, of the text indexed per document.
const MaxText = 1 << 20

// FileText is the text of a file's pages.
type FileText struct {
	Text string
	At   time.Time
}

// Texts holds the text of files, by the hash of the PDF.
var Texts = kv.NewCollection("texts", kv.JSON[FileText]())

// Run keeps the index in step with the store until ctx ends. The index stores its
// position together with its content, so it misses no change.
func (s *Lists) Run(ctx context.Context) error {
	return kv.NewMirror(kv.MirrorOptions[store.Change]{DB: s.DB, Log: store.Changes, Name: "search", Batch: store.Batch,
		Place: s.Search.Place, Read: s.indexChanges, Linger: s.collect}).Run(ctx)
}

// batchDelay is how long changes are collected before they are indexed together,
// unless a search is waiting for them.
const batchDelay = 100 * time.Millisecond

func (s *Lists) collect(ctx context.Context) {
	t := time.NewTimer(batchDelay)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-s.Search.Waiting():
	case <-t.C:
	}
}

func (s *Lists) indexChanges(tx *kv.Tx, entries []kv.Entry[store.Change], place uint64) (keep func() error, err error) {
	b := search.Batch{Place: place}
	seen := map[string]bool{}
	for _, e := range entries {
		if key := store.DocumentKey(e.Value.Company, e.Value.Document); !seen[key] {
			seen[key] = true
			if err := s.indexOne(tx, &b, e.Value); err != nil {
				return nil, err
			}
		}
	}
	if len(entries) > 0 {
		head, _, err := store.Changes.Head(tx)
		if err != nil {
			return nil, err
		}
		s.rebuild.batch(entries[0].Seq, head, s.Log)
	}
	return func() error {
		if err := s.Search.Apply(b); err != nil {
			return err
		}
		s.rebuild.applied(place, s.Log)
		return nil
	}, nil
}

func (s *Lists) indexOne(tx *kv.Tx, b *search.Batch, c store.Change) error {
	d, err := store.Documents.Get(tx, store.DocumentKey(c.Company, c.Document))
	if errors.Is(err, kv.ErrNotFound) {
		b.Delete = append(b.Delete, c.Document)
		return nil
	}
	if err != nil {
		return err
	}
	body, err := bodyOf(tx, &d)
	if err != nil {
		return err
	}
	b.Put = append(b.Put, searchable(&d, body))
	return nil
}

// bodyOf joins the text of the files that have been read so far.
func bodyOf(tx *kv.Tx, d *record.Document) (string, error) {
	var body bytes.Buffer
	for i := range d.Files {
		t, err := Texts.Get(tx, d.Files[i].Base)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		body.WriteString(t.Text[:min(len(t.Text), MaxText-body.Len())])
		body.WriteByte('\n')
		if body.Len() >= MaxText {
			break
		}
	}
	return body.String(), nil
}

// searchable returns the index entry of a document.
func searchable(d *record.Document, body string) search.Document {
	r := store.RowOf(d)
	out := search.Document{
		ID: d.ID, Scope: d.Company, Kind: documentKind, Title: d.Title, Body: body,
		Texts: []string{d.Subject, d.Message, d.ExternalID, d.Owner.Name, d.Owner.Email},
		Filters: append(attributeTerms(d),
			cell{d.Visibility(), store.AnyStatus}.term(), cell{d.Visibility(), d.Status.String()}.term()),
		Sort: map[string]string{},
	}
	for _, f := range d.Files {
		out.Texts = append(out.Texts, f.Name)
	}
	for _, inv := range d.Invitations {
		out.Texts = append(out.Texts, inv.Name, inv.Email)
	}
	for _, x := range d.Fields {
		if x.Filled && !x.Drawn() {
			out.Texts = append(out.Texts, x.Value)
		}
	}
	for k, v := range d.Metadata {
		out.Texts = append(out.Texts, k, v)
	}
	for _, order := range store.Orders()[1:] {
		out.Sort[string(order)] = r.SortKey(order)
	}
	return out
}

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

type readPayload struct{ Company, Document, Base string }

// ReadLater schedules a job that reads the text of files, which takes longer than a
// response should.
func (s *Lists) ReadLater(tx *kv.Tx, d *record.Document, files []record.File) error {
	for i := range files {
		payload, err := json.Marshal(readPayload{d.Company, d.ID, files[i].Base})
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
			return s.read(ctx, p)
		}}
}

// read stores the text of a file, once for all documents that contain it, and queues
// the document for reindexing.
func (s *Lists) read(ctx context.Context, p readPayload) error {
	known := false
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		known, err = Texts.Has(tx, p.Base)
		return err
	})
	if err != nil {
		return err
	}
	text := ""
	if !known {
		paths, err := s.Blobs.Paths(p.Base)
		if err != nil {
			return kv.Permanent(err)
		}
		text, err = s.PDFium.For(account.System(p.Company).Turn()).PlainText(ctx, pdfium.Source{Paths: paths}, MaxText)
		if isUnreadable(err) {
			// The file can still be found by its name, and nothing else depends on its text.
			s.Log.Warn("text of file not read", "blob", p.Base, "error", err)
			err = nil
		}
		if err != nil {
			return fmt.Errorf("signing: read the text of %s: %w", p.Base, err)
		}
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		if !known {
			if err := Texts.Put(tx, p.Base, FileText{Text: text, At: tx.Now}); err != nil {
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
