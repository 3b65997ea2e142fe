package signing

import (
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// asking holds an actor, a document, and the context that decides which actions are allowed.
type asking struct {
	tx      *kv.Tx
	who     account.Call
	d       *record.Document
	company account.Company
	now     time.Time
	trial   *record.Document // memory for a copy
}

// rule reports whether an action is possible: may returns nil, or the error that
// performing the action would return.
type rule struct {
	action record.Action
	may    func(q *asking) error
}

// rules lists all actions of members. Actions that only change the state are tried on a
// copy, so that no second table has to be kept in step.
var rules = []rule{
	{record.ActionEdit, func(q *asking) error { return q.d.Editable() }},
	{record.ActionSubmit, func(q *asking) error {
		return q.try(func(d *record.Document) error { return d.Submit(record.PersonOf(q.who.Actor), q.now) })
	}},
	{record.ActionWithdraw, func(q *asking) error {
		return q.first(ownerOrSubmitter(q.who), (*record.Document).Withdraw)
	}},
	{record.ActionApprove, func(q *asking) error {
		return q.first(mayApprove(q.who), func(d *record.Document) error {
			return d.Approve(record.PersonOf(q.who.Actor), q.now)
		})
	}},
	{record.ActionReject, func(q *asking) error {
		return q.first(mayApprove(q.who), func(d *record.Document) error {
			return d.Reject(record.PersonOf(q.who.Actor), "", q.now)
		})
	}},
	{record.ActionReopen, func(q *asking) error { return q.try((*record.Document).Reopen) }},
	{record.ActionSend, func(q *asking) error { return q.d.Sendable(q.company.RequireApproval) }},
	{record.ActionCallOff, func(q *asking) error { return q.try(record.CallOff) }},
	{record.ActionSign, func(q *asking) error { return q.d.MayDo(q.who.Actor, record.ActionSign, q.now) }},
	{record.ActionFillIn, func(q *asking) error { return q.d.MayDo(q.who.Actor, record.ActionFillIn, q.now) }},
	{record.ActionRead, func(q *asking) error { return q.d.MayDo(q.who.Actor, record.ActionRead, q.now) }},
	{record.ActionRemind, func(q *asking) error { return q.d.Remindable("", q.now) }},
	{record.ActionReplace, func(q *asking) error { return q.d.AnyReplaceable(q.now) }},
	{record.ActionCode, func(q *asking) error { return q.d.AwaitsCode(q.now) }},
	{record.ActionExtend, func(q *asking) error {
		return q.first(ownerOrAdmin(q.who), func(d *record.Document) error { return d.Extend(q.now) })
	}},
	{record.ActionSeal, func(q *asking) error {
		return q.first(ownerOrAdmin(q.who), (*record.Document).Sealable)
	}},
	{record.ActionDownload, func(q *asking) error { return q.d.Downloadable() }},
	{record.ActionDuplicate, func(*asking) error { return nil }},
	{record.ActionVoid, func(q *asking) error {
		return q.first(ownerOrAdmin(q.who), func(d *record.Document) error { return d.Void(record.Reason{}, q.now) })
	}},
	{record.ActionArchive, func(q *asking) error {
		return q.try(func(d *record.Document) error { return d.Archive(q.now) })
	}},
	{record.ActionRestore, func(q *asking) error { return q.try((*record.Document).Restore) }},
	{record.ActionDelete, func(q *asking) error {
		return q.first(ownerOrAdmin(q.who), func(d *record.Document) error { return d.Trash(q.now) })
	}},
	{record.ActionPurge, func(q *asking) error {
		return q.first(adminOnly(q.who), (*record.Document).Purgeable)
	}},
}

// try applies a step to a copy of the document.
func (q *asking) try(step func(*record.Document) error) error {
	invitations := append(q.trial.Invitations[:0], q.d.Invitations...)
	*q.trial = *q.d
	q.trial.Invitations = invitations
	return step(q.trial)
}

// first is like try, for a step that requires a permission.
func (q *asking) first(may func(*kv.Tx, *record.Document) error, step func(*record.Document) error) error {
	if err := may(q.tx, q.d); err != nil {
		return err
	}
	return q.try(step)
}

// Actions lists what an actor may do now with a document that was loaded for them. An
// action is listed exactly if performing it would not be refused because of the state,
// the role or the turn. Invalid input and incomplete documents may still be refused.
func (s *core) Actions(who account.Call, d *record.Document) ([]record.Action, error) {
	if who.IsSignatory() {
		return d.ActionsOf(who.Actor, s.now(d.Company)), nil
	}
	out := []record.Action{}
	err := s.db.View(func(tx *kv.Tx) error {
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return err
		}
		q := &asking{tx, who, d, company, tx.NowIn(d.Company), &record.Document{}}
		for _, r := range rules {
			if !who.Can(r.action.Scope()) {
				continue
			}
			err := r.may(q)
			if err == nil {
				out = append(out, r.action)
				continue
			}
			switch fault.KindOf(err) {
			case fault.KindConflict, fault.KindForbidden, fault.KindNotFound:
			default:
				return err
			}
		}
		return nil
	})
	return out, err
}
