package signing

import (
	"errors"
	"fmt"
	"strings"

	"paraph/app/signing/lists"
	"paraph/app/signing/pattern"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// RecordExport describes an export of a company's documents from the installation.
type RecordExport struct {
	Company string
	People  []string // members whose saved signatures are included
	Put     func(kv.Item) error
	File    func(blob string) error // called with every blob that a document needs
}

const linksItem = "links of invitations"

// ExportRecords exports the documents of a company with their audit trail. Unfinished
// uploads, devices for signing in person and proofs of identity are not included.
func (s *Upkeep) ExportRecords(tx *kv.Tx, l RecordExport) error {
	if err := l.journal(tx); err != nil {
		return err
	}
	err := store.Documents.Each(tx, "", kv.Key(store.DocumentKey(l.Company, "")), func(key string, d record.Document) (bool, error) {
		return true, s.exportDocument(tx, l, key, &d)
	})
	err = errors.Join(err, exportSavedFields(tx, l))
	for _, user := range l.People {
		err = errors.Join(err, exportRecord(tx, l, savedMarks, user))
	}
	return err
}

// journal exports the company's journal entries in order.
func (l RecordExport) journal(tx *kv.Tx) error {
	q := kv.LogQuery{Limit: store.Batch}
	for {
		entries, _, err := store.Events.Scope(tx, l.Company, q)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			it, err := kv.NewItem(journalItem, e.ID, store.Events.Pack(e))
			if err := errors.Join(err, l.Put(it)); err != nil {
				return err
			}
			q.AfterID = e.ID
		}
	}
}

const journalItem = "journal"

func (s *Upkeep) exportDocument(tx *kv.Tx, l RecordExport, key string, d *record.Document) error {
	for b := range d.Blobs {
		if err := l.File(b); err != nil {
			return err
		}
	}
	it, err := store.Documents.Pack(key, *d)
	if err := errors.Join(err, l.Put(it)); err != nil {
		return err
	}
	if err := l.snapshots(tx, key); err != nil {
		return err
	}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		err := errors.Join(exportRecord(tx, l, store.SavedAnswers, inv.ID), s.exportLink(tx, l, d, inv))
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshots exports the versions of a document that its events refer to.
func (l RecordExport) snapshots(tx *kv.Tx, document string) error {
	return store.Snapshots.Each(tx, "", kv.Key(document+"/"), func(id string, r record.Row) (bool, error) {
		it, err := store.Snapshots.Pack(id, r)
		return true, errors.Join(err, l.Put(it))
	})
}

// exportRecord exports a record if it exists.
func exportRecord[T any](tx *kv.Tx, l RecordExport, c *kv.Collection[T], id string) error {
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

func (s *Upkeep) exportLink(tx *kv.Tx, l RecordExport, d *record.Document, inv *record.Invitation) error {
	if !record.LinkWorks(d, inv) {
		return nil
	}
	at, err := store.Invited.Get(tx, inv.ID)
	if err != nil {
		return err
	}
	m := store.MovedLinks{Company: l.Company, Generation: inv.LinkGeneration,
		Hashes: []string{store.HashLink(s.links.linkCode(inv.ID, inv.LinkGeneration))}}
	if at.Moved != nil && at.Moved.Generation == inv.LinkGeneration {
		m.Hashes = append(m.Hashes, at.Moved.Hashes...)
	}
	it, err := kv.NewItem(linksItem, inv.ID, m)
	return errors.Join(err, l.Put(it))
}

// ImportRecord returns the function that stores an item of this package, or nil for other
// items. Journal entries come before the documents.
func (s *Upkeep) ImportRecord(company string, it kv.Item) func(tx *kv.Tx) error {
	switch it.In {
	case journalItem:
		return func(tx *kv.Tx) error { return importEntry(tx, company, it) }
	case store.Documents.Name():
		return func(tx *kv.Tx) error { return s.importDocument(tx, company, it) }
	case linksItem:
		return func(tx *kv.Tx) error { return importLink(tx, company, it) }
	case lists.Texts.Name(): // in older exports; other companies may have the file, so it is read again
		return func(*kv.Tx) error { return nil }
	case store.SavedAnswers.Name():
		return func(tx *kv.Tx) error { return importAnswers(tx, company, it) }
	case store.Snapshots.Name():
		return func(tx *kv.Tx) error { return importSnapshot(tx, company, it) }
	case savedFields.Name():
		return func(tx *kv.Tx) error { return importSavedField(tx, company, it) }
	case savedMarks.Name():
		return func(tx *kv.Tx) error { return importRecord(tx, savedMarks, it) }
	}
	return nil
}

func foreign(it kv.Item) error {
	return fmt.Errorf("%w: %s %q belongs to another company", kv.ErrCorrupt, it.In, it.ID)
}

// EntryOf returns the journal entry of an item, after checking that it belongs to the
// company and is unaltered; nil for other items.
func EntryOf(company string, it kv.Item) (*record.Entry, error) {
	if it.In != journalItem {
		return nil, nil
	}
	packed, err := kv.Read[[]byte](it)
	if err != nil {
		return nil, err
	}
	e, err := store.Events.Unpack(packed)
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

func importEntry(tx *kv.Tx, company string, it kv.Item) error {
	e, err := EntryOf(company, it)
	if err != nil {
		return err
	}
	return store.Events.Adopt(tx, *e)
}

// DocumentOf returns the document of an item, nil for other items.
func DocumentOf(company string, it kv.Item) (*record.Document, error) {
	if it.In != store.Documents.Name() {
		return nil, nil
	}
	d, err := kv.Read[record.Document](it)
	if err == nil && (d.Company != company || it.ID != store.DocumentKey(company, d.ID)) {
		err = foreign(it)
	}
	return &d, errors.Join(err, checkPatterns(&d))
}

// checkPatterns refuses patterns that would not be accepted from a user. Whoever made an
// export may have written them into it.
func checkPatterns(d *record.Document) error {
	for i := range d.Fields {
		if err := pattern.Check(d.Fields[i].Pattern); err != nil {
			return fmt.Errorf("%w: field %s of document %s: %w", kv.ErrCorrupt, d.Fields[i].ID, d.ID, err)
		}
	}
	return nil
}

// importDocument stores a document with everything derived from it. Access codes can't be
// checked without the key of the installation where they were set, so the sender has to
// set new ones.
func (s *Upkeep) importDocument(tx *kv.Tx, company string, it kv.Item) error {
	d, err := DocumentOf(company, it)
	if err != nil {
		return err
	}
	if s.baseURL != "" && d.BaseURL != "" {
		d.BaseURL = s.links.base("")
	}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		inv.AccessCodeHash = ""
		if err := store.Invited.Add(tx, inv.ID, store.InvitedTo{Company: d.Company, Document: d.ID}); err != nil {
			return err
		}
	}
	record.ForgetSchedule(d)
	if d.Status == record.Sent {
		d.RequestMissingCode()
	}
	if err := store.Documents.Free(tx, it); err != nil {
		return err
	}
	if err := errors.Join(s.store.Put(tx, d), s.schedule.plan(tx, d)); err != nil {
		return err
	}
	if d.Status == record.Completed {
		if err := store.PutIssued(tx, []string{it.ID}); err != nil {
			return err
		}
	}
	return s.readUnread(tx, d)
}

// readUnread schedules reading the files whose text is not known here.
func (s *Upkeep) readUnread(tx *kv.Tx, d *record.Document) error {
	var unread []record.File
	for i := range d.Files {
		key, _ := record.TextSource(d, &d.Files[i])
		known, err := lists.Texts.Has(tx, key)
		if err != nil {
			return err
		}
		if !known {
			unread = append(unread, d.Files[i])
		}
	}
	return s.lists.ReadLater(tx, d, unread)
}

func importLink(tx *kv.Tx, company string, it kv.Item) error {
	m, err := kv.Read[store.MovedLinks](it)
	if err != nil {
		return err
	}
	at, err := store.Invited.Get(tx, it.ID)
	if err == nil && (at.Company != company || m.Company != company) {
		err = foreign(it)
	}
	if err != nil {
		return err
	}
	at.Moved = &m
	return store.Invited.Put(tx, it.ID, at)
}

// importRecord stores a record unless it exists: several companies may share a file or a
// person.
func importRecord[T any](tx *kv.Tx, c *kv.Collection[T], it kv.Item) error {
	v, err := kv.Read[T](it)
	if err != nil {
		return err
	}
	if has, err := c.Has(tx, it.ID); err != nil || has {
		return err
	}
	return c.Put(tx, it.ID, v)
}

func importAnswers(tx *kv.Tx, company string, it kv.Item) error {
	at, err := store.Invited.Get(tx, it.ID)
	if err == nil && at.Company != company {
		err = foreign(it)
	}
	if err != nil {
		return err
	}
	return importRecord(tx, store.SavedAnswers, it)
}

// importSnapshot stores a version of a document that an event refers to.
func importSnapshot(tx *kv.Tx, company string, it kv.Item) error {
	r, err := kv.Read[record.Row](it)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(it.ID, store.DocumentKey(company, r.ID)+"/") {
		return foreign(it)
	}
	r.Company = company
	return store.Snapshots.Put(tx, it.ID, r)
}

// CheckImport refuses an item whose identifier is already in use here. Saved signatures may
// be here already: they are the person's, not the company's.
func CheckImport(tx *kv.Tx, company string, it kv.Item) error {
	switch it.In {
	case journalItem:
		return store.Events.Free(tx, it)
	case linksItem:
		return store.Invited.Free(tx, it)
	case savedMarks.Name(), lists.Texts.Name():
		return nil
	}
	if err := kv.Free(tx, it); err != nil {
		return err
	}
	for _, id := range invitationsIn(company, it) {
		if err := store.Invited.Free(tx, kv.Item{In: store.Invited.Name(), ID: id}); err != nil {
			return err
		}
	}
	return nil
}

// invitationsIn lists the invitations of a document, none for other items.
func invitationsIn(company string, it kv.Item) (ids []string) {
	d, err := DocumentOf(company, it)
	if err != nil || d == nil {
		return nil
	}
	for i := range d.Invitations {
		ids = append(ids, d.Invitations[i].ID)
	}
	return ids
}

// IsSavedMark reports whether an item is the saved signature of the person with its ID.
func IsSavedMark(it kv.Item) bool { return it.In == savedMarks.Name() }
