// Package store keeps the records of documents and everything derived from them in
// the same transaction: list rows, whom a document waits for, issued files, the
// storage used by each company, and the journal of events.
package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	json "github.com/goccy/go-json"
	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/checkpoint"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// AnyStatus this package stores. Keys begin with the company, so that a scan can't
// reach another company's records.
var (
	Documents = kv.NewCollection("documents", documentCodec, kv.Index[record.Document]{Name: FileIndex, Keys: record.FileKeys})
	Rows      = kv.NewCollection("rows", RowCodec, rowIndexes()...)
	Events    = kv.NewLog("journal", kv.JSON[record.Event]())
	// Changes is the log that the search index follows: documents to be reindexed.
	Changes = kv.NewLog("changes", kv.JSON[Change]())
	// Snapshots holds the list item of each version of a document, for that version's events.
	Snapshots = kv.NewCollection("snapshots", RowCodec)
	Invited   = kv.NewCollection("invited", kv.JSON[InvitedTo]())
)

// documentCodec makes room for one file and one invitation, which most documents have: without
// any, the decoder makes room for four of each.
var documentCodec = kv.Codec[record.Document]{
	Encode: kv.JSON[record.Document]().Encode,
	Decode: func(b []byte) (record.Document, error) {
		d := record.Document{Files: make([]record.File, 0, 1), Invitations: make([]record.Invitation, 0, 1)}
		return d, json.Unmarshal(b, &d)
	},
}

// Store reads and writes documents for an actor.
type Store struct {
	db          *kv.DB
	newID       func() ulid.ULID
	checkpoints *checkpoint.Service
	log         *slog.Logger
}

// New creates a store over db, whose journal entries get identifiers from newID and
// are attested by checkpoints.
func New(db *kv.DB, newID func() ulid.ULID, checkpoints *checkpoint.Service, log *slog.Logger) *Store {
	return &Store{db, newID, checkpoints, log}
}

// FileIndex names the index of what documents need: the hash of each stored file.
const FileIndex = "files"

// InvitedTo maps an invitation to its document.
type InvitedTo struct {
	Company, Document string
	Moved             *MovedLinks `json:",omitempty"` // links from another installation
}

type Change struct{ Company, Document string }

func DocumentKey(company, id string) string { return company + "/" + id }

func SnapshotKey(company, id string, version int64) string {
	return fmt.Sprintf("%s/%016x", DocumentKey(company, id), version)
}

// MapNotFound turns the store's "not found" into a fault.
func MapNotFound(err error, what string) error {
	if errors.Is(err, kv.ErrNotFound) {
		return fault.NotFound(what)
	}
	return err
}

// Load reads a document for the caller. Strangers get "not found", so that
// identifiers can't be probed; a signatory sees only the document of their link.
// If the caller names the versions that they have seen, the document must be at one of them.
func Load(tx *kv.Tx, who account.Call, id string) (*record.Document, error) {
	if who.CompanyID == "" {
		return nil, fault.NotFound("document")
	}
	if who.IsSignatory() && who.Document != id {
		return nil, fault.NotFound("document")
	}
	d, err := Documents.Get(tx, DocumentKey(who.CompanyID, id))
	if err != nil {
		return nil, MapNotFound(err, "document")
	}
	if who.IsSignatory() {
		if inv := d.Invitation(who.Invitation); inv == nil || !record.LinkWorks(&d, inv) {
			return nil, fault.NotFound("document")
		}
	}
	if len(who.Seen) > 0 && !slices.Contains(who.Seen, d.Version) {
		return nil, fault.PreconditionFailed()
	}
	return &d, nil
}

// Save stores the document and journals its events in the same transaction, so that
// no change goes unrecorded. It increments the version and updates the list item.
func (s *Store) Save(tx *kv.Tx, who account.Call, d *record.Document, events ...record.Event) error {
	if len(events) == 0 {
		return errors.New("signing: change without an event")
	}
	if err := s.record(tx, who, d, d.Version+1, events...); err != nil {
		return err
	}
	if err := who.Once.Done(tx, about(d, events)...); err != nil {
		return err
	}
	if err := dropAnswers(tx, d, events); err != nil {
		return err
	}
	if err := s.attest(tx, d, events); err != nil {
		return err
	}
	d.Version++
	d.UpdatedAt = tx.Now
	if err := d.Bounded(); err != nil {
		return err
	}
	row := record.RowOf(d)
	if err := Snapshots.Put(tx, SnapshotKey(d.Company, d.ID, d.Version), row); err != nil {
		return err
	}
	return s.put(tx, d, row)
}

// attest makes a checkpoint of the company's journal when the last person has
// signed, for the certificate of completion, and one when the document is completed.
// A history that can't be attested does not undo the signature: the document then
// waits for its seal.
func (s *Store) attest(tx *kv.Tx, d *record.Document, events []record.Event) error {
	for _, e := range events {
		switch {
		case e.Type == record.EventDocumentCompleted:
			_, err := s.checkpoints.Make(tx, d.Company)
			return err
		case e.Type.Acts() && d.Unsealed():
			if _, err := s.checkpoints.Make(tx, d.Company); err != nil {
				s.log.Error("making a checkpoint", "company", d.Company, "document", d.ID, "error", err)
			}
			return nil
		}
	}
	return nil
}

// record appends events to the document's chain in the journal.
func (s *Store) record(tx *kv.Tx, who account.Call, d *record.Document, version int64, events ...record.Event) error {
	for _, e := range events {
		e.Company, e.Document, e.Version = d.Company, d.ID, version
		entry, err := Events.Append(tx, s.newID().String(), d.Company, d.ID, e.By(who))
		if err != nil {
			return err
		}
		d.Head = hex.EncodeToString(entry.Hash[:])
	}
	return nil
}

// SaveEvents records events that change nothing in a document, such as that someone was shown a link. The document
// keeps its version, so that they don't cause conflicts with others' edits.
func (s *Store) SaveEvents(tx *kv.Tx, who account.Call, d *record.Document, events ...record.Event) error {
	if len(events) == 0 {
		return nil
	}
	return errors.Join(s.record(tx, who, d, d.Version, events...), Documents.Put(tx, DocumentKey(d.Company, d.ID), *d))
}

// about returns the identifiers that a response to the change concerns: the
// document, and added files and invitations.
func about(d *record.Document, events []record.Event) []string {
	all := []string{d.ID}
	for _, e := range events {
		switch e.Type {
		case record.EventFileAdded:
			all = append(all, e.Data["file"])
		case record.EventInvitationAdded:
			all = append(all, e.Invitation)
		}
	}
	return all
}

// Put stores the document and its list item, and queues it for the index.
func (s *Store) Put(tx *kv.Tx, d *record.Document) error { return s.put(tx, d, record.RowOf(d)) }

func (s *Store) put(tx *kv.Tx, d *record.Document, row record.Row) error {
	key := DocumentKey(d.Company, d.ID)
	if err := Documents.Put(tx, key, *d); err != nil {
		return err
	}
	if err := Rows.Put(tx, key, row); err != nil {
		return err
	}
	if err := PutWaiting(tx, d); err != nil {
		return err
	}
	if err := putIssued(tx, d); err != nil {
		return err
	}
	if err := PutSummary(tx, d); err != nil {
		return err
	}
	return s.Reindex(tx, d.Company, d.ID)
}

// Reindex queues a document for the index.
func (s *Store) Reindex(tx *kv.Tx, company, id string) error {
	_, err := Changes.Append(tx, s.newID().String(), "", "", Change{company, id})
	return err
}

// Update loads the document for the actor, changes the record, and saves it with the
// events. If change returns an error, nothing is stored.
func (s *Store) Update(
	who account.Call, id string, change func(tx *kv.Tx, d *record.Document) ([]record.Event, error),
) (*record.Document, error) {
	var out *record.Document
	err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, err := Load(tx, who, id)
		if err != nil {
			return err
		}
		events, err := change(tx, d)
		if err != nil {
			return err
		}
		out = d
		return s.Save(tx, who, d, events...)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Get reads a document for the actor.
func (s *Store) Get(who account.Call, id string) (*record.Document, error) {
	var d *record.Document
	err := s.db.View(func(tx *kv.Tx) (err error) {
		d, err = Load(tx, who, id)
		return err
	})
	return d, err
}

// ErrChanged means that a document was changed while slow work on it was in progress.
var ErrChanged = errors.New("signing: the document has changed in the meantime")

// RequireVersion refuses to record slow work that was based on an older version.
func RequireVersion(d *record.Document, version int64) error {
	if d.Version != version {
		return ErrChanged
	}
	return nil
}

// Batch is how many changes are indexed at once.
const Batch = 500
