package signing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/kv"
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

var waits = kv.NewCollection("waiting", kv.JSON[waiting](), kv.Index[waiting]{
	Name: "for", Counted: true, Depth: 2, Keys: waiting.keys,
})

// The kinds of waiting, as they begin the keys of the index.
const (
	toSign     = "sign "
	toApprove  = "approve "  // with the named approver, or none
	toBeJudged = "judgement" // with the requester; only if no approver is named
	cameBack   = "back "
)

func (w waiting) keys() []kv.Key {
	at := kv.KeyTime(w.At)
	var out []kv.Key
	for _, address := range w.Sign {
		out = append(out, kv.K(w.Company, toSign+address, at))
	}
	if w.Approve {
		out = append(out, kv.K(w.Company, toApprove+w.Approver, at))
		if w.Approver == "" {
			out = append(out, kv.K(w.Company, toBeJudged+w.By, at))
		}
	}
	if w.Back != "" {
		out = append(out, kv.K(w.Company, cameBack+w.Back, at))
	}
	return out
}

// waiting returns whom the document waits for, and whether it waits at all.
func waitingOf(d *Document) (w waiting, any bool) {
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

// putWaiting keeps the record in step with the document.
func putWaiting(tx *kv.Tx, d *Document) error {
	key := documentKey(d.Company, d.ID)
	w, any := waitingOf(d)
	if !any {
		return waits.Delete(tx, key)
	}
	return waits.Put(tx, key, w)
}

// errand is one kind of work that waits for a member: the key of the index, and a
// key whose entries are left out.
type errand struct {
	key, but string
}

// errands returns what waits for a member: documents to sign, to approve, and
// those returned to them.
func errands(tx *kv.Tx, who account.Actor) (sign, approve, back []errand, err error) {
	sign = []errand{{key: toSign + strings.ToLower(who.Email)}}
	back = []errand{{key: cameBack + who.UserID}}
	if !who.CanApprove() {
		return sign, nil, back, nil
	}
	everybody := errand{key: toApprove}
	own, err := waits.Count(tx, "for", kv.K(who.CompanyID, toBeJudged+who.UserID))
	if err != nil {
		return nil, nil, nil, err
	}
	if own > 0 {
		n, err := account.CountMembers(tx, who.CompanyID)
		if err != nil {
			return nil, nil, nil, err
		}
		if n > 1 {
			everybody.but = toBeJudged + who.UserID
		}
	}
	return sign, []errand{{key: toApprove + who.UserID}, everybody}, back, nil
}

func (e errand) count(tx *kv.Tx, company string) (int, error) {
	n, err := waits.Count(tx, "for", kv.K(company, e.key))
	if err != nil || e.but == "" {
		return n, err
	}
	own, err := waits.Count(tx, "for", kv.K(company, e.but))
	return n - own, err
}

// CountWaiting returns how many documents wait for a member: to be signed or
// approved by them, or because they were returned. It is called for every page,
// and reads only counts.
func (s *Service) CountWaiting(_ context.Context, who account.Actor) (total int, err error) {
	if err := member(who, account.ScopeRead); err != nil {
		return 0, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		sign, approve, back, err := errands(tx, who)
		if err != nil {
			return err
		}
		for _, e := range slices.Concat(sign, approve, back) {
			n, err := e.count(tx, who.CompanyID)
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	return total, err
}

// Waiting lists what waits for a member, newest first, with the total of each kind.
type Waiting struct {
	Sign, Approve, Back                []Row
	SignTotal, ApproveTotal, BackTotal int
}

// maxWaiting is how many rows of each kind are listed.
const maxWaiting = 100

// ListWaiting lists what waits for a member.
func (s *Service) ListWaiting(_ context.Context, who account.Actor) (w Waiting, err error) {
	if err := member(who, account.ScopeRead); err != nil {
		return w, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		sign, approve, back, err := errands(tx, who)
		if err != nil {
			return err
		}
		var errs [3]error
		w.Sign, w.SignTotal, errs[0] = listErrands(tx, who.CompanyID, sign)
		w.Approve, w.ApproveTotal, errs[1] = listErrands(tx, who.CompanyID, approve)
		w.Back, w.BackTotal, errs[2] = listErrands(tx, who.CompanyID, back)
		return errors.Join(errs[:]...)
	})
	return w, err
}

func listErrands(tx *kv.Tx, company string, all []errand) (found []Row, total int, err error) {
	for _, e := range all {
		n, err := e.count(tx, company)
		if err != nil {
			return nil, 0, err
		}
		total += n
		out, err := e.list(tx, company)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, out...)
	}
	slices.SortFunc(found, func(a, b Row) int { return strings.Compare(b.UpdatedAt, a.UpdatedAt) })
	return found[:min(len(found), maxWaiting)], total, nil
}

// maxOwn is how many of the member's own submissions are skipped.
const maxOwn = 1000

// list returns the rows of an errand. What is to be left out is looked up first,
// so that the page is still full.
func (e errand) list(tx *kv.Tx, company string) ([]Row, error) {
	limit, hidden := maxWaiting, map[string]bool{}
	if e.but != "" {
		own, err := waits.Page(tx, kv.Query{Index: "for", Prefix: kv.K(company, e.but), Descending: true, Limit: maxOwn})
		if err != nil {
			return nil, err
		}
		for _, id := range own.IDs {
			hidden[id] = true
		}
		limit += len(own.IDs)
	}
	page, err := waits.Page(tx, kv.Query{Index: "for", Prefix: kv.K(company, e.key), Descending: true, Limit: limit})
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, id := range page.IDs {
		if hidden[id] || len(out) == maxWaiting {
			continue
		}
		r, err := rows.Get(tx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Migrate updates the records of an older version: it records whom every document
// waits for, and queues all documents for reindexing.
func Migrate(db *kv.DB) error {
	var keys []string
	err := db.View(func(tx *kv.Tx) error {
		return rows.Each(tx, "", nil, func(key string, _ Row) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
	})
	for part := range slices.Chunk(keys, batch) {
		if err == nil {
			err = db.Update(func(tx *kv.Tx) error { return migrate(tx, part) })
		}
	}
	return err
}

func migrate(tx *kv.Tx, keys []string) error {
	for _, key := range keys {
		d, err := documents.Get(tx, key)
		if err != nil {
			return err
		}
		if err := putWaiting(tx, &d); err != nil {
			return err
		}
		if _, err := changes.Append(tx, ulid.Make().String(), "", "", change{d.Company, d.ID}); err != nil {
			return err
		}
	}
	return nil
}
