package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"paraph/app/signing/record"
	"paraph/kv"
)

// RecordExport describes the part of a company's documents that leaves the installation.
type RecordExport struct {
	Company string
	People  []string // members, whose saved signatures go along
	Put     func(kv.Item) error
	File    func(blob string) error // is told every blob that a document names
}

// movedLinks carries the hashes of the codes in an invitation's link, so that the
// link works on an installation that can't make it.
type movedLinks struct {
	Company    string
	Generation int
	Hashes     []string
}

const linksItem = "links of invitations"

// hashLink returns the hash of a link's code. The code is random to its holder, so
// a plain hash is enough.
func hashLink(code string) string {
	sum := sha256.Sum256([]byte("moved link\x00" + code))
	return hex.EncodeToString(sum[:])
}

// ExportRecords hands over the documents of a company with their audit trail. Uploads in
// progress, devices that were handed over and proofs of identity stay.
func (s *Service) ExportRecords(tx *kv.Tx, l RecordExport) error {
	if err := l.journal(tx); err != nil {
		return err
	}
	err := documents.Each(tx, "", kv.Key(documentKey(l.Company, "")), func(key string, d Document) (bool, error) {
		return true, s.exportDocument(tx, l, key, &d)
	})
	for _, user := range l.People {
		err = errors.Join(err, hand(tx, l, savedMarks, user))
	}
	return err
}

// journal hands over the entries of the company, in order.
func (l RecordExport) journal(tx *kv.Tx) error {
	q := kv.LogQuery{Limit: batch}
	for {
		entries, _, err := journal.Scope(tx, l.Company, q)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			it, err := kv.NewItem(journalItem, e.ID, journal.Pack(e))
			if err := errors.Join(err, l.Put(it)); err != nil {
				return err
			}
			q.AfterID = e.ID
		}
	}
}

const journalItem = "journal"

func (s *Service) exportDocument(tx *kv.Tx, l RecordExport, key string, d *Document) error {
	for b := range d.Blobs {
		if err := l.File(b); err != nil {
			return err
		}
	}
	for i := range d.Files { // before the document, which is then found by them at once
		if err := hand(tx, l, texts, d.Files[i].Base); err != nil {
			return err
		}
	}
	it, err := documents.Pack(key, *d)
	if err := errors.Join(err, l.Put(it)); err != nil {
		return err
	}
	if err := l.snapshots(tx, key); err != nil {
		return err
	}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if err := errors.Join(hand(tx, l, answers, inv.ID), s.exportLink(tx, l, d, inv)); err != nil {
			return err
		}
	}
	return nil
}

// snapshots hands over a document as it was at each of its events.
func (l RecordExport) snapshots(tx *kv.Tx, document string) error {
	return snapshots.Each(tx, "", kv.Key(document+"/"), func(id string, r Row) (bool, error) {
		it, err := snapshots.Pack(id, r)
		return true, errors.Join(err, l.Put(it))
	})
}

// hand hands over a record if there is one.
func hand[T any](tx *kv.Tx, l RecordExport, c *kv.Collection[T], id string) error {
	v, err := c.Get(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	it, err := c.Pack(id, v)
	return errors.Join(err, l.Put(it))
}

func (s *Service) exportLink(tx *kv.Tx, l RecordExport, d *Document, inv *Invitation) error {
	if !record.LinkWorks(d, inv) {
		return nil
	}
	at, err := invited.Get(tx, inv.ID)
	if err != nil {
		return err
	}
	m := movedLinks{l.Company, inv.LinkGeneration, []string{hashLink(s.linkCode(inv.ID, inv.LinkGeneration))}}
	if at.Moved != nil && at.Moved.Generation == inv.LinkGeneration {
		m.Hashes = append(m.Hashes, at.Moved.Hashes...)
	}
	it, err := kv.NewItem(linksItem, inv.ID, m)
	return errors.Join(err, l.Put(it))
}

// opens reports whether a code was that of the invitation's link on another
// installation.
func (m *movedLinks) opens(inv *Invitation, code string) bool {
	return m != nil && m.Generation == inv.LinkGeneration && slices.Contains(m.Hashes, hashLink(code))
}

// ImportRecord returns the function that stores an item of this package, nil if it
// belongs to another. The entries of the journal come before the documents.
func (s *Service) ImportRecord(company string, it kv.Item) func(tx *kv.Tx) error {
	switch it.In {
	case journalItem:
		return func(tx *kv.Tx) error { return entryArrives(tx, company, it) }
	case documents.Name():
		return func(tx *kv.Tx) error { return s.documentArrives(tx, company, it) }
	case linksItem:
		return func(tx *kv.Tx) error { return linkArrives(tx, company, it) }
	case texts.Name():
		return func(tx *kv.Tx) error { return recordArrives(tx, texts, it) }
	case answers.Name():
		return func(tx *kv.Tx) error { return s.answersArrive(tx, company, it) }
	case snapshots.Name():
		return func(tx *kv.Tx) error { return snapshotArrives(tx, company, it) }
	case savedMarks.Name():
		return func(tx *kv.Tx) error { return recordArrives(tx, savedMarks, it) }
	}
	return nil
}

func foreign(it kv.Item) error {
	return fmt.Errorf("%w: %s %q belongs to another company", kv.ErrCorrupt, it.In, it.ID)
}

// EntryOf returns the journal entry of an item, after checking that it is the
// company's and unaltered; nil for any other item.
func EntryOf(company string, it kv.Item) (*Entry, error) {
	if it.In != journalItem {
		return nil, nil
	}
	packed, err := kv.Read[[]byte](it)
	if err != nil {
		return nil, err
	}
	e, err := journal.Unpack(packed)
	switch {
	case err != nil:
		return nil, err
	case e.ID != it.ID || e.Scope != company || e.Value.Company != company || e.Chain != e.Value.Document:
		return nil, foreign(it)
	case e.Hash != kv.HashEntry(e):
		return nil, fmt.Errorf("%w: the audit trail was altered at %s", kv.ErrCorrupt, e.ID)
	}
	return &e, nil
}

func entryArrives(tx *kv.Tx, company string, it kv.Item) error {
	e, err := EntryOf(company, it)
	if err != nil {
		return err
	}
	return journal.Adopt(tx, *e)
}

// DocumentOf returns the document of an item, nil for any other item.
func DocumentOf(company string, it kv.Item) (*Document, error) {
	if it.In != documents.Name() {
		return nil, nil
	}
	d, err := kv.Read[Document](it)
	if err == nil && (d.Company != company || it.ID != documentKey(company, d.ID)) {
		err = foreign(it)
	}
	return &d, err
}

// documentArrives stores a document with everything derived from it. Access codes
// can't be checked without the key of the installation they were set on, so
// whoever sent the document has to set new ones.
func (s *Service) documentArrives(tx *kv.Tx, company string, it kv.Item) error {
	d, err := DocumentOf(company, it)
	if err != nil {
		return err
	}
	if s.BaseURL != "" && d.BaseURL != "" {
		d.BaseURL = s.base("")
	}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		inv.AccessCodeHash = ""
		if err := invited.Add(tx, inv.ID, invitedTo{Company: d.Company, Document: d.ID}); err != nil {
			return err
		}
	}
	if d.Status == record.Sent {
		d.NeedsCode()
	}
	if err := documents.Free(tx, it); err != nil {
		return err
	}
	if err := errors.Join(s.put(tx, d), s.schedule(tx, d)); err != nil {
		return err
	}
	if d.Status == record.Completed {
		if err := issueAgain(tx, []string{it.ID}); err != nil {
			return err
		}
	}
	return s.readUnread(tx, d)
}

// readUnread schedules the reading of files whose text did not come along.
func (s *Service) readUnread(tx *kv.Tx, d *Document) error {
	var unread []File
	for i := range d.Files {
		known, err := texts.Has(tx, d.Files[i].Base)
		if err != nil {
			return err
		}
		if !known {
			unread = append(unread, d.Files[i])
		}
	}
	return s.readLater(tx, d, unread)
}

func linkArrives(tx *kv.Tx, company string, it kv.Item) error {
	m, err := kv.Read[movedLinks](it)
	if err != nil {
		return err
	}
	at, err := invited.Get(tx, it.ID)
	if err == nil && (at.Company != company || m.Company != company) {
		err = foreign(it)
	}
	if err != nil {
		return err
	}
	at.Moved = &m
	return invited.Put(tx, it.ID, at)
}

// recordArrives stores a record unless it is there: the same file, and the same
// person, may belong to several companies.
func recordArrives[T any](tx *kv.Tx, c *kv.Collection[T], it kv.Item) error {
	v, err := kv.Read[T](it)
	if err != nil {
		return err
	}
	if has, err := c.Has(tx, it.ID); err != nil || has {
		return err
	}
	return c.Put(tx, it.ID, v)
}

func (s *Service) answersArrive(tx *kv.Tx, company string, it kv.Item) error {
	at, err := invited.Get(tx, it.ID)
	if err == nil && at.Company != company {
		err = foreign(it)
	}
	if err != nil {
		return err
	}
	return recordArrives(tx, answers, it)
}

// snapshotArrives stores a document as it was at one of its events.
func snapshotArrives(tx *kv.Tx, company string, it kv.Item) error {
	r, err := kv.Read[Row](it)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(it.ID, documentKey(company, r.ID)+"/") {
		return foreign(it)
	}
	r.company = company
	return snapshots.Put(tx, it.ID, r)
}

// MayArrive refuses an item whose identifier is taken here.
func MayArrive(tx *kv.Tx, it kv.Item) error {
	switch it.In {
	case journalItem:
		return journal.Free(tx, it)
	case documents.Name():
		return documents.Free(tx, it)
	case linksItem:
		return invited.Free(tx, it)
	}
	return nil
}
