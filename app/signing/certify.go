package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/completion"
	"paraph/app/signing/disk"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/tree"
	"paraph/kv"
)

// certify makes the certificate of completion: a separate PDF with the machine-readable
// evidence embedded, sealed by the company like the other files. It is stored once it is
// complete, as one blob.
func (s *Completion) certify(ctx context.Context, d *record.Document, lists [][]byte, now time.Time) (*record.File, error) {
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	var base bytes.Buffer
	if err := s.writeCertificate(&base, d, company.Timezone, now); err != nil {
		return nil, fmt.Errorf("signing: certificate of completion: %w", err)
	}
	signer, err := s.keys.Company(d.Company, company.Name)
	if err != nil {
		return nil, err
	}
	// It is handled like any other file: prepared, certified, sealed.
	f := &record.File{ID: "certificate", BaseSize: int64(base.Len())}
	chain := pdf.NewChain(pdf.Base{Reader: bytes.NewReader(base.Bytes()), Size: f.BaseSize})
	g := growth{file: f, company: d.Company, chain: chain, now: now}
	seal := sealBy(ctx, f, signer, s.revisions.sealer(d.Company), now, company.Name, s.words.Match(d.Locale).Say("certificate.title"))
	if err := g.add("prepare", func(b pdf.Base) (pdf.Revision, error) {
		return pdf.Prepare(b, pdf.PrepareSpec{MadeHere: true, Timestamp: timestampField, Certify: &seal})
	}); err != nil {
		return nil, err
	}
	if err := s.revisions.validate(ctx, &g, lists); err != nil {
		return nil, err
	}
	ref, err := s.revisions.store(append([][]byte{base.Bytes()}, g.chain.Appended()...)...)
	if err != nil {
		return nil, err
	}
	f.Upload, f.Base = ref.Hash, ref.Hash
	return f, nil
}

func (s *Completion) writeCertificate(w io.Writer, d *record.Document, timezone string, now time.Time) error {
	zone, err := time.LoadLocation(timezone)
	if err != nil {
		zone = time.UTC
	}
	e, err := s.evidence(d)
	if err != nil {
		return err
	}
	if e.Proof, err = s.proveLast(d); err != nil {
		return fmt.Errorf("signing: proof of the journal: %w", err)
	}
	for i := range d.Invitations {
		if ev := d.Invitations[i].Evidence; ev != nil {
			if e.Signatories[i].Mark, err = s.markOf(ev); err != nil {
				return err
			}
		}
	}
	c := completion.Certificate{Evidence: e, Fonts: s.fonts, Words: s.words.Match(d.Locale), Zone: zone, Created: now}
	return c.Write(w)
}

// proveLast proves that the last event of a document is covered by a checkpoint.
func (s *Completion) proveLast(d *record.Document) (*tree.Proof, error) {
	var last record.Entry
	var at int64
	err := s.db.View(func(tx *kv.Tx) (err error) {
		last, at, err = lastEntry(tx, d.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	p, err := s.checkpoints.ForSealing(d.Company, at, last.Hash)
	return &p, err
}

// lastEntry returns a document's last journal entry and its position in the journal
// of the company.
func lastEntry(tx *kv.Tx, id string) (e record.Entry, at int64, err error) {
	entries, _, err := store.Events.Chain(tx, id, kv.LogQuery{Descending: true, Limit: 1})
	if err != nil || len(entries) == 0 {
		return e, 0, errors.Join(err, errors.New("signing: a document without an event"))
	}
	at, err = store.Events.Position(tx, entries[0])
	return entries[0], at, err
}

// Proven is the proof that an event of a document is covered by a checkpoint.
type Proven struct {
	Event string
	tree.Proof
}

// Proof proves the newest event of a document that the company's newest checkpoint
// covers.
func (s *Completion) Proof(who account.Call, id string) (p Proven, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return p, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		if err != nil {
			return err
		}
		size, err := s.checkpoints.Covered(tx, d.Company)
		if err != nil {
			return err
		}
		e, at, err := lastBefore(tx, d.ID, size)
		if err != nil {
			return err
		}
		p.Event = e.ID
		p.Proof, err = s.checkpoints.Prove(tx, d.Company, at, e.Hash)
		return err
	})
	return p, err
}

// lastBefore returns a document's last journal entry whose position in the journal of
// the company is below size.
func lastBefore(tx *kv.Tx, id string, size int64) (last record.Entry, at int64, err error) {
	_, total, err := store.Events.Chain(tx, id, kv.LogQuery{Limit: 1})
	for from, to := 0, total; err == nil && from < to; {
		middle := (from + to) / 2
		e, position, failed := entryAt(tx, id, middle)
		switch {
		case failed != nil:
			err = failed
		case position < size:
			last, at, from = e, position, middle+1
		default:
			to = middle
		}
	}
	if err == nil && last.ID == "" {
		err = fault.Conflict("no_checkpoint_yet")
	}
	return last, at, err
}

// entryAt returns the n-th journal entry of a document, from 0, and its position in the
// journal of the company.
func entryAt(tx *kv.Tx, id string, n int) (e record.Entry, at int64, err error) {
	entries, _, err := store.Events.Chain(tx, id, kv.LogQuery{Offset: n, Limit: 1})
	if err != nil || len(entries) == 0 {
		return e, 0, errors.Join(err, errors.New("signing: a document without an event"))
	}
	at, err = store.Events.Position(tx, entries[0])
	return entries[0], at, err
}

// markOf returns a person's signature.
func (s *Completion) markOf(ev *record.Evidence) (completion.Mark, error) {
	m := completion.Mark{Color: mark.ColorOf(ev.Ink), Face: ev.Face}
	var err error
	switch {
	case len(ev.Strokes) > 0:
		m.Strokes, err = mark.Unpack(ev.Strokes)
	case ev.Picture != "":
		m.Picture, err = s.readBlob(ev.Picture)
	default:
		m.Typed = ev.Typed
	}
	return m, err
}

func (s *Completion) readBlob(name string) ([]byte, error) {
	f, err := s.blobs.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, disk.Closing(err, f.Close)
}
