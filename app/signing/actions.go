package signing

import (
	"context"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// Action names something that can be done with a document.
type Action string

// The actions, in the order in which they are offered.
const (
	ActionEdit      Action = "edit"
	ActionSubmit    Action = "submit"
	ActionWithdraw  Action = "withdraw"
	ActionApprove   Action = "approve"
	ActionReject    Action = "reject"
	ActionReopen    Action = "reopen"
	ActionSend      Action = "send"
	ActionSign      Action = "sign" // for a member: one of the invitations is theirs, and it is its turn
	ActionDecline   Action = "decline"
	ActionDelegate  Action = "delegate"
	ActionRemind    Action = "remind"
	ActionReplace   Action = "replace"
	ActionCode      Action = "access_code" // set one that an invitation lacks
	ActionExtend    Action = "extend"
	ActionSeal      Action = "seal"     // again, after it failed
	ActionDownload  Action = "download" // as it stands; sealed once completed
	ActionDuplicate Action = "duplicate"
	ActionVoid      Action = "void"
	ActionArchive   Action = "archive"
	ActionRestore   Action = "restore"
	ActionDelete    Action = "delete"
	ActionPurge     Action = "purge" // permanently, from the trash
)

// asking holds an actor, a document, and the context that decides which actions are allowed.
type asking struct {
	tx      *kv.Tx
	who     account.Actor
	d       *Document
	company account.Company
}

// rule reports whether an action is possible: may returns nil, or the error that
// performing the action would return.
type rule struct {
	action Action
	may    func(s *Service, q asking) error
}

// rules lists all actions of members. Actions that only move the state are tried
// on a copy, so that there is no second table to keep in step.
func rules() []rule {
	return []rule{
		{ActionEdit, func(_ *Service, q asking) error { return q.d.editable() }},
		{ActionSubmit, func(_ *Service, q asking) error {
			return q.try(func(d *Document) error { return d.submit(person(q.who), q.tx.Now) })
		}},
		{ActionWithdraw, func(_ *Service, q asking) error { return q.first(ownerOrSubmitter(q.who), (*Document).withdraw) }},
		{ActionApprove, func(s *Service, q asking) error {
			return q.first(s.mayApprove(q.who), func(d *Document) error { return d.approve(person(q.who), q.tx.Now) })
		}},
		{ActionReject, func(s *Service, q asking) error {
			return q.first(s.mayApprove(q.who), func(d *Document) error { return d.reject(person(q.who), "", q.tx.Now) })
		}},
		{ActionReopen, func(_ *Service, q asking) error { return q.try((*Document).reopen) }},
		{ActionSend, func(_ *Service, q asking) error { return q.d.sendable(q.company.RequireApproval) }},
		{ActionSign, func(_ *Service, q asking) error { return q.d.signableBy(q.who, q.tx.Now) }},
		{ActionRemind, func(_ *Service, q asking) error { return q.d.remindable("", q.tx.Now) }},
		{ActionReplace, func(_ *Service, q asking) error { return q.d.anyReplaceable(q.tx.Now) }},
		{ActionCode, func(_ *Service, q asking) error { return q.d.lacksCode(q.tx.Now) }},
		{ActionExtend, func(_ *Service, q asking) error {
			return q.first(ownerOrAdmin(q.who), func(d *Document) error { return d.extend(q.tx.Now) })
		}},
		{ActionSeal, func(_ *Service, q asking) error { return q.first(ownerOrAdmin(q.who), (*Document).sealable) }},
		{ActionDownload, func(_ *Service, q asking) error { return q.d.downloadable() }},
		{ActionDuplicate, func(*Service, asking) error { return nil }},
		{ActionVoid, func(_ *Service, q asking) error {
			return q.first(ownerOrAdmin(q.who), func(d *Document) error { return d.void("", q.tx.Now) })
		}},
		{ActionArchive, func(_ *Service, q asking) error {
			return q.try(func(d *Document) error { return d.archive(q.tx.Now) })
		}},
		{ActionRestore, func(_ *Service, q asking) error { return q.try((*Document).restore) }},
		{ActionDelete, func(_ *Service, q asking) error {
			return q.first(ownerOrAdmin(q.who), func(d *Document) error { return d.trash(q.tx.Now) })
		}},
		{ActionPurge, func(_ *Service, q asking) error { return q.first(adminOnly(q.who), (*Document).purgeable) }},
	}
}

// try applies a step to a copy of the document.
func (q asking) try(step func(*Document) error) error {
	d := *q.d
	d.Invitations = slices.Clone(q.d.Invitations)
	return step(&d)
}

// first is like try, for a step that requires a permission.
func (q asking) first(may func(*kv.Tx, *Document) error, step func(*Document) error) error {
	if err := may(q.tx, q.d); err != nil {
		return err
	}
	return q.try(step)
}

// scope returns the scope that a role or a token needs for an action.
func (a Action) scope() account.Scope {
	switch a {
	case ActionDownload, ActionSign:
		return account.ScopeRead
	}
	return account.ScopeWrite
}

// Actions lists what an actor may do now with a document that was loaded for
// them. An action is listed if and only if performing it would not be refused
// because of the state, the role or the turn. The input may still be refused, and
// so may sending an incomplete document.
func (s *Service) Actions(_ context.Context, who account.Actor, d *Document) ([]Action, error) {
	if who.IsSignatory() {
		return d.actionsOf(who, s.Now()), nil
	}
	out := []Action{}
	err := s.DB.View(func(tx *kv.Tx) error {
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return err
		}
		q := asking{tx, who, d, company}
		for _, r := range rules() {
			if !who.Can(r.action.scope()) {
				continue
			}
			err := r.may(s, q)
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

// actionsOf lists what an invited person may do.
func (d *Document) actionsOf(who account.Actor, now time.Time) []Action {
	out := []Action{}
	inv := d.invitation(who.Invitation)
	if inv != nil && isIdentified(who, inv) && d.signable(inv, now) == nil {
		out = append(out, ActionSign)
		if d.declinable(inv, now) == nil {
			out = append(out, ActionDecline)
		}
		if d.delegable(inv, now) == nil {
			out = append(out, ActionDelegate)
		}
	}
	if d.downloadable() == nil {
		out = append(out, ActionDownload)
	}
	return out
}

// InvitationActions lists what a member may do now with one invitation: remind,
// replace, set its access code, and sign if it is their own.
func (d *Document) InvitationActions(who account.Actor, inv *Invitation, now time.Time) []Action {
	var out []Action
	if who.IsSignatory() {
		return nil
	}
	if who.Can(account.ScopeRead) && inv.isFor(who) && linkWorks(d, inv) && d.signable(inv, now) == nil {
		out = append(out, ActionSign)
	}
	if !who.Can(account.ScopeWrite) {
		return out
	}
	if d.remindable(inv.ID, now) == nil {
		out = append(out, ActionRemind)
	}
	if d.replaceable(inv, now) == nil {
		out = append(out, ActionReplace)
	}
	if d.takesCode(inv, now) == nil {
		out = append(out, ActionCode)
	}
	return out
}

// lacksCode returns an error if no invitation is waiting for its access code.
func (d *Document) lacksCode(now time.Time) error {
	err := error(conflict("no_access_code_asked"))
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.lacksCode() {
			if err = d.takesCode(inv, now); err == nil {
				return nil
			}
		}
	}
	return err
}

// isFor reports whether an invitation was sent to the member's own address.
func (i *Invitation) isFor(who account.Actor) bool {
	return who.Email != "" && strings.EqualFold(i.Email, who.Email)
}

func (d *Document) signableBy(who account.Actor, now time.Time) error {
	err := error(fault.NotFound("invitation"))
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.isFor(who) || !linkWorks(d, inv) {
			continue
		}
		if err = d.signable(inv, now); err == nil {
			return nil
		}
	}
	return err
}

// remindable returns an error if a reminder, to one person or to all, would reach nobody.
func (d *Document) remindable(invitation string, now time.Time) error {
	if err := d.running(now); err != nil {
		return err
	}
	if inv := d.invitation(invitation); inv != nil {
		if err := d.signable(inv, now); err != nil {
			return err
		}
	}
	c := *d
	c.Invitations = slices.Clone(d.Invitations)
	if len(c.remind(now, remindedBefore(invitation, now))) == 0 {
		return nobodyToRemind()
	}
	return nil
}

func (d *Document) anyReplaceable(now time.Time) error {
	err := d.running(now)
	for i := range d.Invitations {
		if err = d.replaceable(&d.Invitations[i], now); err == nil {
			return nil
		}
	}
	if err == nil {
		err = conflict("invitation_missing")
	}
	return err
}

// replaceable returns an error if the person has already acted.
func (d *Document) replaceable(inv *Invitation, now time.Time) error {
	if err := d.running(now); err != nil {
		return err
	}
	switch inv.Status {
	case Signed:
		return conflict("already_signed")
	case Delegated:
		return conflict("invitation_delegated")
	}
	return nil
}

func (d *Document) downloadable() error {
	if len(d.Files) == 0 {
		return conflict("document_without_files")
	}
	return nil
}
