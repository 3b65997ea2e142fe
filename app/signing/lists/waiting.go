package lists

import (
	"errors"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// queue is one kind of work that waits for a member: an index key, and another whose
// entries are excluded.
type queue struct {
	key, but string
}

// queues returns what waits for a member: documents to sign, documents to approve,
// and those returned to them.
func queues(tx *kv.Tx, who account.Call) (sign, approve, back []queue, err error) {
	sign = []queue{{key: store.ToSign + strings.ToLower(who.Email)}}
	back = []queue{{key: store.Returned + who.UserID}}
	if !who.CanApprove() {
		return sign, nil, back, nil
	}
	everybody := queue{key: store.ToApprove}
	own, err := store.Waits.Count(tx, "for", kv.K(who.CompanyID, store.OwnRequests+who.UserID))
	if err != nil {
		return nil, nil, nil, err
	}
	if own > 0 {
		n, err := account.CountMembers(tx, who.CompanyID)
		if err != nil {
			return nil, nil, nil, err
		}
		if n > 1 {
			everybody.but = store.OwnRequests + who.UserID
		}
	}
	return sign, []queue{{key: store.ToApprove + who.UserID}, everybody}, back, nil
}

func (e queue) count(tx *kv.Tx, company string) (int, error) {
	n, err := store.Waits.Count(tx, "for", kv.K(company, e.key))
	if err != nil || e.but == "" {
		return n, err
	}
	own, err := store.Waits.Count(tx, "for", kv.K(company, e.but))
	return n - own, err
}

// CountWaiting returns how many documents wait for a member: to be signed or approved
// by them, or because they were returned. It is called for every page, so it reads
// only counts.
func (s *Lists) CountWaiting(who account.Call) (total int, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return 0, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		sign, approve, back, err := queues(tx, who)
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

// Waiting lists the documents that wait for a member, newest first, with the total of each kind.
type Waiting struct {
	Sign, Approve, Back                []record.Row
	SignTotal, ApproveTotal, BackTotal int
}

// maxWaiting is the maximum number of rows listed of each kind.
const maxWaiting = 100

// ListWaiting lists the documents that wait for a member.
func (s *Lists) ListWaiting(who account.Call) (w Waiting, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return w, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		sign, approve, back, err := queues(tx, who)
		if err != nil {
			return err
		}
		var errs [3]error
		w.Sign, w.SignTotal, errs[0] = listQueues(tx, who.CompanyID, sign)
		w.Approve, w.ApproveTotal, errs[1] = listQueues(tx, who.CompanyID, approve)
		w.Back, w.BackTotal, errs[2] = listQueues(tx, who.CompanyID, back)
		return errors.Join(errs[:]...)
	})
	return w, err
}

func listQueues(tx *kv.Tx, company string, all []queue) (found []record.Row, total int, err error) {
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
	slices.SortFunc(found, func(a, b record.Row) int { return strings.Compare(b.UpdatedAt, a.UpdatedAt) })
	return found[:min(len(found), maxWaiting)], total, nil
}

// maxOwn is the maximum number of the member's own requests that are excluded.
const maxOwn = 1000

// list returns the rows of a queue. Excluded rows are looked up first, so that the
// page is still full.
func (e queue) list(tx *kv.Tx, company string) ([]record.Row, error) {
	limit, hidden := maxWaiting, map[string]bool{}
	if e.but != "" {
		own, err := store.Waits.Page(tx, kv.Query{Index: "for", Prefix: kv.K(company, e.but), Descending: true, Limit: maxOwn})
		if err != nil {
			return nil, err
		}
		for _, id := range own.IDs {
			hidden[id] = true
		}
		limit += len(own.IDs)
	}
	page, err := store.Waits.Page(tx, kv.Query{Index: "for", Prefix: kv.K(company, e.key), Descending: true, Limit: limit})
	if err != nil {
		return nil, err
	}
	var out []record.Row
	for _, id := range page.IDs {
		if hidden[id] || len(out) == maxWaiting {
			continue
		}
		r, err := store.Rows.Get(tx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
