package record

import (
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
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
	ActionCallOff   Action = "unschedule" // sending later
	ActionSign      Action = "sign"       // for a member: one of the invitations is theirs, and it is its turn
	ActionFillIn    Action = "fill_in"    // fill in fields for others, likewise
	ActionRead      Action = "read"       // confirm having read it, likewise
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

// Scope returns the scope that a role or a token needs for an action.
func (a Action) Scope() account.Scope {
	switch a {
	case ActionDownload, ActionSign, ActionFillIn, ActionRead:
		return account.ScopeRead
	}
	return account.ScopeWrite
}

// ActionsOf lists what an invited person may do.
func (d *Document) ActionsOf(who account.Actor, now time.Time) []Action {
	out := []Action{}
	inv := d.Invitation(who.Invitation)
	if inv != nil && IsIdentified(who, inv) && d.Signable(inv, now) == nil {
		out = append(out, inv.Action())
		if d.Declinable(inv, now) == nil {
			out = append(out, ActionDecline)
		}
		if d.Delegable(inv, now) == nil {
			out = append(out, ActionDelegate)
		}
	}
	if d.Downloadable() == nil {
		out = append(out, ActionDownload)
	}
	return out
}

// Action returns what the invited person is asked to do.
func (i *Invitation) Action() Action {
	switch i.Role {
	case Assistant:
		return ActionFillIn
	case Reader:
		return ActionRead
	}
	return ActionSign
}

// Asks refuses an act that the invited person is not asked for.
func (i *Invitation) Asks(action Action) error {
	switch {
	case i.Action() == action:
		return nil
	case action == ActionFillIn:
		return fault.Conflict("only_assistants_fill_in")
	case action == ActionRead:
		return fault.Conflict("only_readers_confirm")
	case i.Role == Assistant:
		return fault.Conflict("assistant_does_not_sign")
	}
	return fault.Conflict("reader_does_not_sign")
}

// InvitationActions lists what a member may do now with one invitation: remind,
// replace, set its access code, and what it asks for if it is their own.
func (d *Document) InvitationActions(who account.Actor, inv *Invitation, now time.Time) []Action {
	var out []Action
	if who.IsSignatory() {
		return nil
	}
	if who.Can(account.ScopeRead) && inv.IsFor(who) && LinkWorks(d, inv) && d.Signable(inv, now) == nil {
		out = append(out, inv.Action())
	}
	if !who.Can(account.ScopeWrite) {
		return out
	}
	if d.Remindable(inv.ID, now) == nil {
		out = append(out, ActionRemind)
	}
	if d.Replaceable(inv, now) == nil {
		out = append(out, ActionReplace)
	}
	if d.TakesCode(inv, now) == nil {
		out = append(out, ActionCode)
	}
	return out
}

// AwaitsCode returns an error if no invitation lacks an access code that could be
// set now.
func (d *Document) AwaitsCode(now time.Time) error {
	err := error(fault.Conflict("no_access_code_asked"))
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.lacksCode() {
			if err = d.TakesCode(inv, now); err == nil {
				return nil
			}
		}
	}
	return err
}

// IsFor reports whether an invitation was sent to the member's own address.
func (i *Invitation) IsFor(who account.Actor) bool {
	return who.Email != "" && strings.EqualFold(i.Email, who.Email)
}

// MayDo returns an error unless one of the member's own invitations asks them now for
// an action.
func (d *Document) MayDo(who account.Actor, action Action, now time.Time) error {
	err := error(fault.NotFound("invitation"))
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if inv.Action() != action || !inv.IsFor(who) || !LinkWorks(d, inv) {
			continue
		}
		if err = d.Signable(inv, now); err == nil {
			return nil
		}
	}
	return err
}

// Remindable returns an error if a reminder, to one person or to all, would reach nobody.
func (d *Document) Remindable(invitation string, now time.Time) error {
	if err := d.Running(now); err != nil {
		return err
	}
	if inv := d.Invitation(invitation); inv != nil {
		if err := d.Signable(inv, now); err != nil {
			return err
		}
	}
	c := *d
	c.Invitations = slices.Clone(d.Invitations)
	if len(c.Remind(now, MayRemindAgain(invitation, now))) == 0 {
		return NobodyToRemind()
	}
	return nil
}

func (d *Document) AnyReplaceable(now time.Time) error {
	err := d.Running(now)
	for i := range d.Invitations {
		if err = d.Replaceable(&d.Invitations[i], now); err == nil {
			return nil
		}
	}
	if err == nil {
		err = fault.Conflict("invitation_missing")
	}
	return err
}

// Replaceable returns an error if the person has already acted.
func (d *Document) Replaceable(inv *Invitation, now time.Time) error {
	if err := d.Running(now); err != nil {
		return err
	}
	switch inv.Status {
	case Signed:
		return fault.Conflict("already_signed")
	case Read:
		return fault.Conflict("already_read")
	case FilledIn:
		return fault.Conflict("already_filled_in")
	case NotNeeded:
		return notNeeded(d, inv)
	case Delegated:
		return passedOn(inv)
	}
	return nil
}

func (d *Document) Downloadable() error {
	if len(d.Files) == 0 {
		return fault.Conflict("document_without_files")
	}
	return nil
}

// MayHost reports whether a member may lend a person their device to sign on now.
func (d *Document) MayHost(who account.Actor, inv *Invitation, now time.Time) bool {
	return who.Kind == account.ActorUser && who.Can(account.ScopeWrite) &&
		LinkWorks(d, inv) && d.Signable(inv, now) == nil
}
