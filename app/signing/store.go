package signing

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	json "github.com/goccy/go-json"

	"paraph/app/account"
	"paraph/app/fault"
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

// Event is one entry of the audit trail, as it is stored and hashed.
type Event struct {
	Type       EventType
	Company    string
	Document   string
	Invitation string `json:",omitempty"`
	ActorKind  string // user, signatory, system
	ActorID    string
	ActorName  string
	ActorEmail string
	IP         string
	UserAgent  string
	Data       map[string]string `json:",omitempty"`
	Version    int64             `json:",omitempty"` // of the document after the change; 0 in older entries
}

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
		if inv := d.invitation(who.Invitation); inv == nil || !linkWorks(&d, inv) {
			return nil, fault.NotFound("document")
		}
	}
	if len(seen) > 0 && !slices.Contains(seen, d.Version) {
		return nil, fault.PreconditionFailed()
	}
	return &d, nil
}

// saving is an event of a change that is to be written to the journal.
type saving struct {
	kind       EventType
	invitation string
	data       map[string]string
}

func happened(kind EventType) saving { return saving{kind: kind} }

func (e saving) to(invitation string) saving { e.invitation = invitation; return e }

func (e saving) with(key, value string) saving {
	data := make(map[string]string, len(e.data)+1)
	for k, v := range e.data {
		data[k] = v
	}
	data[key] = value
	e.data = data
	return e
}

// save stores the document and journals its events in the same transaction: no
// change escapes the journal. It increments the version and updates the list
// item.
func (s *Service) save(tx *kv.Tx, who account.Actor, d *Document, events ...saving) error {
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
	if err := d.bounded(); err != nil {
		return err
	}
	if err := snapshots.Put(tx, snapshotKey(d.Company, d.ID, d.Version), d.row()); err != nil {
		return err
	}
	return s.put(tx, d)
}

// record appends events to the document's chain in the journal.
func (s *Service) record(tx *kv.Tx, who account.Actor, d *Document, version int64, events ...saving) error {
	for _, e := range events {
		entry, err := journal.Append(tx, s.id(), d.Company, d.ID, Event{
			Type: e.kind, Company: d.Company, Document: d.ID, Invitation: e.invitation,
			ActorKind: actorKind(who), ActorID: actorID(who), ActorName: who.Name, ActorEmail: who.Email,
			IP: who.IP, UserAgent: who.UserAgent, Data: e.data, Version: version,
		})
		if err != nil {
			return err
		}
		d.Head = hex.EncodeToString(entry.Hash[:])
	}
	return nil
}

// note records events that change nothing in a document, such as that somebody was shown a link. Its version stays, so
// that nobody's work on it is refused because of them.
func (s *Service) note(tx *kv.Tx, who account.Actor, d *Document, events ...saving) error {
	if len(events) == 0 {
		return nil
	}
	return errors.Join(s.record(tx, who, d, d.Version, events...), documents.Put(tx, documentKey(d.Company, d.ID), *d))
}

// about names what a response to the change is about: the document, and the files
// and invitations that were added.
func about(d *Document, events []saving) []string {
	all := []string{d.ID}
	for _, e := range events {
		switch e.kind {
		case EventFileAdded:
			all = append(all, e.data["file"])
		case EventInvitationAdded:
			all = append(all, e.invitation)
		}
	}
	return all
}

// maxDraft is the maximum size of a draft's record, in bytes: what happens to it
// later must still fit into one transaction.
const maxDraft = 1 << 20

// TooLarge reports whether a change was refused because it does not fit into one record.
func TooLarge(err error) bool { return errors.Is(err, kv.ErrTooLarge) }

// bounded refuses a draft that is too large to be completed later.
func (d *Document) bounded() error {
	if d.Status != Draft && d.Status != Approved || len(d.Fields)+len(d.Invitations)+len(d.Files) < 200 {
		return nil
	}
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if len(b) > maxDraft {
		return fault.TooLarge("document_too_large")
	}
	return nil
}

// actorKind returns the journal's name for the actor: user, signatory or system.
func actorKind(who account.Actor) string {
	switch who.Kind {
	case account.ActorSignatory:
		return "signatory"
	case account.ActorSystem:
		return "system"
	}
	return "user"
}

func actorID(who account.Actor) string {
	if who.Kind == account.ActorSignatory {
		return who.Invitation
	}
	return who.UserID
}

// put stores the document and its list item, and queues it for the index.
func (s *Service) put(tx *kv.Tx, d *Document) error {
	key := documentKey(d.Company, d.ID)
	if err := documents.Put(tx, key, *d); err != nil {
		return err
	}
	if err := rows.Put(tx, key, d.row()); err != nil {
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
func (s *Service) update(who account.Actor, id string, change func(tx *kv.Tx, d *Document) ([]saving, error), seen ...int64) (*Document, error) {
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
