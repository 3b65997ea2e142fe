package signing

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Everything this package stores. Keys begin with the company, so that a scan
// can't reach another company's records.
var (
	documents = kv.NewCollection("documents", kv.JSON[Document]())
	rows      = kv.NewCollection("rows", rowCodec, rowIndexes()...)
	journal   = kv.NewLog("journal", kv.JSON[Event]())
	// changes is the log that the search index follows: documents to be reindexed.
	changes = kv.NewLog("changes", kv.JSON[change]())
	// texts holds the text read from a file, by the hash of its PDF.
	texts = kv.NewCollection("texts", kv.JSON[fileText]())
	// snapshots holds the list item of each version of a document, for the events of that version.
	snapshots  = kv.NewCollection("snapshots", rowCodec)
	identities = kv.NewCollection("identities", kv.JSON[identity]())
	invited    = kv.NewCollection("invited", kv.JSON[invitedTo]())
)

// invitedTo maps an invitation to its document.
type invitedTo struct {
	Company, Document string
	Moved             *movedLinks `json:",omitempty"` // of an invitation that came from another installation
}

type change struct{ Company, Document string }

func documentKey(company, id string) string { return company + "/" + id }

func snapshotKey(company, id string, version int64) string {
	return fmt.Sprintf("%s/%016x", documentKey(company, id), version)
}

// found turns the store's "not found" into the error that people see.
func found(err error, what string) error {
	if errors.Is(err, kv.ErrNotFound) {
		return fault.NotFound(what)
	}
	return err
}

// load reads a document for the actor. To a stranger it does not exist, so that
// identifiers can't be probed; a signatory sees the one document of their link.
// If versions are given in seen, the document must be at one of them.
func load(tx *kv.Tx, who account.Actor, id string, seen ...int64) (*Document, error) {
	if who.CompanyID == "" {
		return nil, fault.NotFound("document")
	}
	if who.IsSignatory() && who.Document != id {
		return nil, fault.NotFound("document")
	}
	d, err := documents.Get(tx, documentKey(who.CompanyID, id))
	if err != nil {
		return nil, found(err, "document")
	}
	if who.IsSignatory() {
		if inv := d.Invitation(who.Invitation); inv == nil || !record.LinkWorks(&d, inv) {
			return nil, fault.NotFound("document")
		}
	}
	if len(seen) > 0 && !slices.Contains(seen, d.Version) {
		return nil, fault.PreconditionFailed()
	}
	return &d, nil
}

// save stores the document and journals its events in the same transaction: no
// change escapes the journal. It increments the version and updates the list
// item.
func (s *Service) save(tx *kv.Tx, who account.Actor, d *Document, events ...Event) error {
	if len(events) == 0 {
		return errors.New("signing: a change without an event")
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
	d.Version++
	d.UpdatedAt = tx.Now
	if err := d.Bounded(); err != nil {
		return err
	}
	if err := snapshots.Put(tx, snapshotKey(d.Company, d.ID, d.Version), rowOf(d)); err != nil {
		return err
	}
	return s.put(tx, d)
}

// record appends events to the document's chain in the journal.
func (s *Service) record(tx *kv.Tx, who account.Actor, d *Document, version int64, events ...Event) error {
	for _, e := range events {
		e.Company, e.Document, e.Version = d.Company, d.ID, version
		entry, err := journal.Append(tx, s.id(), d.Company, d.ID, e.By(who))
		if err != nil {
			return err
		}
		d.Head = hex.EncodeToString(entry.Hash[:])
	}
	return nil
}

// note records events that change nothing in a document, such as that somebody was shown a link. Its version stays, so
// that nobody's work on it is refused because of them.
func (s *Service) note(tx *kv.Tx, who account.Actor, d *Document, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	return errors.Join(s.record(tx, who, d, d.Version, events...), documents.Put(tx, documentKey(d.Company, d.ID), *d))
}

// about names what a response to the change is about: the document, and the files
// and invitations that were added.
func about(d *Document, events []Event) []string {
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

// TooLarge reports whether a change was refused because it does not fit into one record.
func TooLarge(err error) bool { return errors.Is(err, kv.ErrTooLarge) }

// put stores the document and its list item, and queues it for the index.
func (s *Service) put(tx *kv.Tx, d *Document) error {
	key := documentKey(d.Company, d.ID)
	if err := documents.Put(tx, key, *d); err != nil {
		return err
	}
	if err := rows.Put(tx, key, rowOf(d)); err != nil {
		return err
	}
	if err := putWaiting(tx, d); err != nil {
		return err
	}
	if err := putIssued(tx, d); err != nil {
		return err
	}
	if err := putVital(tx, d); err != nil {
		return err
	}
	_, err := changes.Append(tx, s.id(), "", "", change{d.Company, d.ID})
	return err
}

// update is the common path of every change: it loads the document for the actor,
// changes the record, and saves it with the events. If the change function
// returns an error, nothing is stored.
func (s *Service) update(who account.Actor, id string, change func(tx *kv.Tx, d *Document) ([]Event, error), seen ...int64) (*Document, error) {
	var out *Document
	err := s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, err := load(tx, who, id, seen...)
		if err != nil {
			return err
		}
		events, err := change(tx, d)
		if err != nil {
			return err
		}
		out = d
		return s.save(tx, who, d, events...)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// get reads a document without changing it.
func (s *Service) get(who account.Actor, id string, seen ...int64) (*Document, error) {
	var d *Document
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		d, err = load(tx, who, id, seen...)
		return err
	})
	return d, err
}

// errChanged means that a document was changed while slow work was done for it.
var errChanged = errors.New("signing: the document was changed meanwhile")

// unchanged refuses to record slow work that was done for an older version.
func unchanged(d *Document, version int64) error {
	if d.Version != version {
		return errChanged
	}
	return nil
}
