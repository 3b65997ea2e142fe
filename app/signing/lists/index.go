package lists

import (
	"bytes"
	"context"
	"errors"
	"time"

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
		key, _ := record.TextSource(d, &d.Files[i])
		t, err := Texts.Get(tx, key)
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
	r := record.RowOf(d)
	out := search.Document{
		ID: d.ID, Scope: d.Company, Kind: documentKind, Title: d.Title, Body: body,
		Filters: append(attributeTerms(d),
			cell{d.Visibility(), store.AnyStatus}.term(),
			cell{d.Visibility(), store.Phase(d.Status, d.SendAt != nil)}.term()),
		Sort: map[string]string{},
	}
	for _, x := range sourcesOf(d) {
		out.Texts = append(out.Texts, x.text)
	}
	for _, order := range store.Orders()[1:] {
		out.Sort[string(order)] = store.SortKey(r, order)
	}
	return out
}
