package signing

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
	"paraph/kv"
	"paraph/search"
)

const documentKind = "document"

// maxText is the most text, in bytes, that is indexed of one document's files.
const maxText = 1 << 20

// fileText is the text of a file's pages, for the index.
type fileText struct {
	Text string
	At   time.Time
}

// followChanges keeps the index in step with the store. The index stores its
// position together with its content, so it omits nothing.
func (s *Service) followChanges(ctx context.Context) error {
	return kv.NewMirror(kv.MirrorOptions[change]{DB: s.DB, Log: changes, Name: "search", Batch: batch,
		Place: s.Search.Place, Read: s.indexChanges, Linger: s.linger}).Run(ctx)
}

// lingering is how long changes are gathered before they are indexed together,
// unless a search is waiting for them.
const lingering = 100 * time.Millisecond

func (s *Service) linger(ctx context.Context) {
	t := time.NewTimer(lingering)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-s.Search.Waiting():
	case <-t.C:
	}
}

// SearchLag returns how many changes the index does not contain yet.
func (s *Service) SearchLag() (lag uint64, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		head, _, err := changes.Head(tx)
		if place := s.Search.Place(); place < head {
			lag = head - place
		}
		return err
	})
	return lag, err
}

// batch is how many changes are indexed at once.
const batch = 500

func (s *Service) indexChanges(tx *kv.Tx, entries []kv.Entry[change], place uint64) (keep func() error, err error) {
	b := search.Batch{Place: place}
	seen := map[string]bool{}
	for _, e := range entries {
		if key := documentKey(e.Value.Company, e.Value.Document); !seen[key] {
			seen[key] = true
			if err := s.indexOne(tx, &b, e.Value); err != nil {
				return nil, err
			}
		}
	}
	return func() error { return s.Search.Apply(b) }, nil
}

func (s *Service) indexOne(tx *kv.Tx, b *search.Batch, c change) error {
	d, err := documents.Get(tx, documentKey(c.Company, c.Document))
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

// bodyOf joins the text read from the files so far.
func bodyOf(tx *kv.Tx, d *Document) (string, error) {
	var body bytes.Buffer
	for i := range d.Files {
		t, err := texts.Get(tx, d.Files[i].Base)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		body.WriteString(t.Text[:min(len(t.Text), maxText-body.Len())])
		body.WriteByte('\n')
		if body.Len() >= maxText {
			break
		}
	}
	return body.String(), nil
}

// searchable returns a document as it is indexed.
func searchable(d *Document, body string) search.Document {
	r := rowOf(d)
	out := search.Document{
		ID: d.ID, Scope: d.Company, Kind: documentKind, Title: d.Title, Body: body,
		Texts:   []string{d.Subject, d.Message, d.ExternalID, d.Owner.Name, d.Owner.Email},
		Filters: append(moreTerms(d), cell{d.Visibility(), everything}.term(), cell{d.Visibility(), d.Status.String()}.term()),
		Sort:    map[string]string{},
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
	for _, field := range rowOrders[1:] {
		out.Sort[field] = r.sortKey(field)
	}
	return out
}

// reading counts the files of each company whose text is being read, so that a
// search can wait for what was just uploaded.
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

// wait returns when nothing of the company is being read, or when ctx ends.
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

type readPayload struct{ Company, Document, Base string }

// readLater schedules a job that reads the text of files: that takes longer than
// a response should.
func (s *Service) readLater(tx *kv.Tx, d *Document, files []File) error {
	for i := range files {
		payload, err := json.Marshal(readPayload{d.Company, d.ID, files[i].Base})
		if err != nil {
			return err
		}
		if err := s.Jobs.Add(tx, kv.Job{Kind: readJob, Scope: d.Company, Key: files[i].ID, Payload: payload, Due: tx.Now}); err != nil {
			return err
		}
	}
	if n := len(files); n > 0 {
		company := d.Company
		tx.OnCommit(func() { s.reading.add(company, n) })
	}
	return nil
}

func (s *Service) readHandler() kv.Handler {
	return kv.Handler{Kind: readJob, Timeout: time.Minute, Backoff: []time.Duration{time.Second, time.Minute},
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

// read stores the text of a file, once for all documents that contain it, and
// marks the document for reindexing.
func (s *Service) read(ctx context.Context, p readPayload) error {
	known := false
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		known, err = texts.Has(tx, p.Base)
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
		text, err = s.PDFium.For(account.System(p.Company).Turn()).PlainText(ctx, pdfium.Source{Paths: paths}, maxText)
		if errors.Is(err, pdfium.ErrDamaged) || errors.Is(err, pdfium.ErrTimeout) || errors.Is(err, pdfium.ErrCrashed) || errors.Is(err, pdfium.ErrTooLarge) {
			// A file that can't be read for the search is found by its name;
			// nothing else depends on it.
			s.Log.Warn("no text read from file", "blob", p.Base, "error", err)
			err = nil
		}
		if err != nil {
			return fmt.Errorf("signing: read the text of %s: %w", p.Base, err)
		}
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		if !known {
			if err := texts.Put(tx, p.Base, fileText{Text: text, At: tx.Now}); err != nil {
				return err
			}
		}
		_, err := changes.Append(tx, s.id(), "", "", change{p.Company, p.Document})
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
