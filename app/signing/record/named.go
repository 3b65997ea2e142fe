package record

import (
	"slices"
	"strings"

	"paraph/app/fault"
)

// Unnamed reports whether the recipient before an invitation in the signing order has yet to
// name its person.
func (i *Invitation) Unnamed() bool {
	return i.NamedByPrevious && i.Email == "" && i.Status == Pending
}

// Names returns the invitation whose person somebody has to name when they act, because it is
// its turn then; nil if there is none.
func Names(d *Document, inv *Invitation) *Invitation {
	if d.SigningOrder != Sequential {
		return nil
	}
	for i := range d.Invitations {
		o := &d.Invitations[i]
		if !o.Unnamed() || o.Position <= inv.Position {
			continue
		}
		others := slices.ContainsFunc(d.Invitations, func(p Invitation) bool {
			return p.Open() && p.Position < o.Position && p.ID != inv.ID && !p.inGroup(inv)
		})
		if !others {
			return o
		}
	}
	return nil
}

// NamePerson reads who is the person of an unnamed invitation, and returns the event.
func (in *InvitationInput) NamePerson(f *fault.Fields, d *Document, inv *Invitation) Event {
	only := InvitationInput{Name: in.Name, Email: in.Email}
	only.applyPerson(f, inv, true)
	if slices.ContainsFunc(d.Invitations, func(o Invitation) bool {
		return o.ID != inv.ID && o.Status != Delegated && o.Email != "" && strings.EqualFold(o.Email, inv.Email)
	}) {
		f.Add("email", "already_invited")
	}
	return NewEvent(EventInvitationNamed).To(inv.ID).With("email", inv.Email).With("name", inv.Name)
}

// namedProblem returns what prevents others from naming the person of an invitation.
func namedProblem(d *Document, inv *Invitation, at string) []Problem {
	if !inv.Unnamed() {
		return nil
	}
	before, beside := false, false
	for i := range d.Invitations {
		o := &d.Invitations[i]
		before = before || o.Acts() && o.Position < inv.Position
		beside = beside || o.ID != inv.ID && o.Unnamed() && o.Position == inv.Position
	}
	if d.SigningOrder == Sequential && before && !beside && inv.Acts() && inv.Group == "" {
		return nil
	}
	return []Problem{{Code: "cannot_be_named", Severity: SeverityError, Invitation: inv.ID, part: at,
		Args: []fault.Arg{fault.Text("name", inv.DisplayName())}}}
}
