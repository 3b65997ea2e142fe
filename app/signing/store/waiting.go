package store

import (
	"github.com/oklog/ulid/v2"
	"paraph/app/signing/record"
	"paraph/kv"
	"slices"
	"strings"
	"time"
)

// waiting records whom a document waits for. There is a record for every document
// that waits for a member of the company, so that counting and listing them reads
// nothing else.
type waiting struct {
	Company  string
	Sign     []string `json:",omitempty"` // e-mail addresses whose turn it is, in lower case
	Approve  bool     `json:",omitempty"`
	Approver string   `json:",omitempty"` // who is to approve; "" for everybody who may
	By       string   `json:",omitempty"` // who asked for the approval
	Back     string   `json:",omitempty"` // the owner, to whom it was returned
	At       time.Time
}

var Waits = kv.NewCollection("waiting", kv.JSON[waiting](), kv.Index[waiting]{
	Name: "for", Counted: true, Depth: 2, Keys: waiting.Keys,
})

// The kinds of waiting, as they begin the keys of the index.
const (
	ToSign     = "sign "
	ToApprove  = "approve "  // with the named approver, or none
	ToBeJudged = "judgement" // with the requester; only if no approver is named
	CameBack   = "back "
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
			out = append(out, kv.K(w.Company, ToBeJudged+w.By, at))
		}
	}
	if w.Back != "" {
		out = append(out, kv.K(w.Company, CameBack+w.Back, at))
	}
	return out
}

// waiting returns whom the document waits for, and whether it waits at all.
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
			if address := strings.ToLower(inv.Email); inv.Open() && inv.Status != record.Pending && d.IsTurnOf(inv) && !slices.Contains(w.Sign, address) {
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
		return Rows.Each(tx, "", nil, func(key string, _ Row) (bool, error) {
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
