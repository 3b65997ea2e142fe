package store

import (
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/signing/record"
	"paraph/kv"
)

// waiting records whom a document waits for. Only documents that wait for a member of
// the company have such a record, so that counting and listing them reads nothing
// else.
type waiting struct {
	Company  string
	Sign     []string `json:",omitempty"` // e-mail addresses whose turn it is, in lower case
	Approve  bool     `json:",omitempty"`
	Approver string   `json:",omitempty"` // who is to approve; "" for everyone who may
	By       string   `json:",omitempty"` // who requested the approval
	Back     string   `json:",omitempty"` // the owner, if the document was returned to them
	At       time.Time
}

var Waits = kv.NewCollection("waiting", kv.JSON[waiting](), kv.Index[waiting]{
	Name: "for", Counted: true, Depth: 2, Keys: waiting.Keys,
})

// The kinds of waiting, with which the index keys begin.
const (
	ToSign      = "sign "
	ToApprove   = "approve "  // with the named approver, or none
	OwnRequests = "judgement" // with the requester; only if no approver is named
	Returned    = "back "
)

func (w waiting) Keys() []kv.Key {
	at := kv.KeyTime(w.At)
	var out []kv.Key
	for _, address := range w.Sign {
		out = append(out, kv.K(w.Company, ToSign+address, at))
	}
	if w.Approve {
		out = append(out, kv.K(w.Company, ToApprove+w.Approver, at))
		if w.Approver == "" {
			out = append(out, kv.K(w.Company, OwnRequests+w.By, at))
		}
	}
	if w.Back != "" {
		out = append(out, kv.K(w.Company, Returned+w.Back, at))
	}
	return out
}

// WaitingOf returns whom the document waits for, and whether it waits for anyone.
func WaitingOf(d *record.Document) (w waiting, any bool) {
	w = waiting{Company: d.Company, At: d.UpdatedAt}
	if d.Live() != nil {
		return w, false
	}
	switch {
	case d.Status == record.PendingApproval:
		w.Approve, w.By = true, d.SubmittedBy
		if d.Approver != nil && d.Approver.ID != d.SubmittedBy {
			w.Approver = d.Approver.ID
		}
	case d.Status == record.Rejected, d.Status == record.Sent && d.Attention.Kind != "":
		w.Back = d.Owner.ID
	}
	if d.Status == record.Sent && d.Declined() == nil {
		for i := range d.Invitations {
			inv := &d.Invitations[i]
			address := strings.ToLower(inv.Email)
			turn := inv.Open() && inv.Status != record.Pending && d.IsTurnOf(inv)
			if turn && !slices.Contains(w.Sign, address) {
				w.Sign = append(w.Sign, address)
			}
		}
	}
	return w, w.Approve || w.Back != "" || len(w.Sign) > 0
}

// PutWaiting keeps the record in step with the document.
func PutWaiting(tx *kv.Tx, d *record.Document) error {
	key := DocumentKey(d.Company, d.ID)
	w, any := WaitingOf(d)
	if !any {
		return Waits.Delete(tx, key)
	}
	return Waits.Put(tx, key, w)
}

// Migrate updates the records of an older version: it records whom every document
// waits for, and queues all documents for reindexing.
func Migrate(db *kv.DB) error {
	var keys []string
	err := db.View(func(tx *kv.Tx) error {
		return Rows.Each(tx, "", nil, func(key string, _ record.Row) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
	})
	for part := range slices.Chunk(keys, Batch) {
		if err == nil {
			err = db.Update(func(tx *kv.Tx) error { return migrate(tx, part) })
		}
	}
	return err
}

func migrate(tx *kv.Tx, keys []string) error {
	for _, key := range keys {
		d, err := Documents.Get(tx, key)
		if err != nil {
			return err
		}
		if err := PutWaiting(tx, &d); err != nil {
			return err
		}
		if _, err := Changes.Append(tx, ulid.Make().String(), "", "", Change{d.Company, d.ID}); err != nil {
			return err
		}
	}
	return nil
}
