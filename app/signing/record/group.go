package record

import (
	"slices"
	"strings"
	"time"

	"paraph/app/fault"
)

// Recipients of one group, which they name, are asked together: the first of them to act
// acts for all, and the others are not needed any more. Until then they share the group's
// fields, position and signature fields, whichever of them a field names.

// inGroup reports whether two invitations belong to the same group.
func (i *Invitation) inGroup(o *Invitation) bool {
	return i.Group != "" && strings.EqualFold(i.Group, o.Group)
}

// shares reports whether an invitation is still one of its group: it was neither passed on
// nor made unnecessary by somebody else's act.
func (i *Invitation) shares() bool {
	return i.Group != "" && i.Status != Delegated && i.Status != NotNeeded
}

// groupOf returns all who share the group of an invitation, including itself; only itself if
// it has no group.
func groupOf(all []Invitation, inv *Invitation) []*Invitation {
	if !inv.shares() {
		return []*Invitation{inv}
	}
	var out []*Invitation
	for i := range all {
		if o := &all[i]; o.shares() && o.inGroup(inv) {
			out = append(out, o)
		}
	}
	return out
}

// FirstOfGroup returns the invitation in whose name a group's signature fields are placed:
// the first of the group, or the invitation itself.
func FirstOfGroup(d *Document, inv *Invitation) *Invitation { return groupOf(d.Invitations, inv)[0] }

// hands returns the identifiers of all who may fill in an invitation's fields.
func hands(d *Document, invitation string) map[string]bool {
	out := map[string]bool{invitation: true}
	if inv := d.Invitation(invitation); inv != nil {
		for _, o := range groupOf(d.Invitations, inv) {
			out[o.ID] = true
		}
	}
	return out
}

// ActedFor returns who has acted for the group of an invitation that is not needed any more,
// nil for any other invitation.
func ActedFor(d *Document, inv *Invitation) *Invitation {
	if inv.Status != NotNeeded {
		return nil
	}
	for i := range d.Invitations {
		if o := &d.Invitations[i]; o.Acted() && o.inGroup(inv) {
			return o
		}
	}
	return nil
}

// ActForGroup records that an invited person acts for their group: they get its fields, and
// nobody else of it is asked any more.
func ActForGroup(d *Document, inv *Invitation, now time.Time) []Event {
	group := groupOf(d.Invitations, inv)
	for _, x := range d.UnsortedFieldsOf(inv.ID) {
		x.Invitation = inv.ID
	}
	var events []Event
	for _, o := range group {
		if o.ID == inv.ID {
			continue
		}
		o.Status, o.UpdatedAt = NotNeeded, now
		if d.Attention.Invitation == o.ID {
			d.SetAttention(Attention{})
		}
		events = append(events, NewEvent(EventInvitationNotNeeded).To(o.ID).With("email", o.Email).With("by", inv.Email))
	}
	d.RequestMissingCode()
	return events
}

// LeaveFields moves the fields of an invitation that is removed to the rest of its group, or
// removes them.
func LeaveFields(d *Document, gone *Invitation) {
	i := slices.IndexFunc(d.Invitations, func(o Invitation) bool { return o.ID != gone.ID && o.inGroup(gone) })
	if i < 0 {
		d.Fields = slices.DeleteFunc(d.Fields, func(x Field) bool { return x.Invitation == gone.ID })
		return
	}
	for k := range d.Fields {
		if x := &d.Fields[k]; x.Invitation == gone.ID {
			x.Invitation = d.Invitations[i].ID
		}
	}
}

// AlignGroups lets everybody in a group act at the same position: that of the given
// invitation, which was just changed, or else the lowest.
func AlignGroups(d *Document, changed *Invitation) {
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		for k := range d.Invitations {
			if o := &d.Invitations[k]; o.inGroup(inv) {
				inv.Position = min(inv.Position, o.Position)
			}
		}
		if changed != nil && inv.inGroup(changed) {
			inv.Position = changed.Position
		}
	}
}

// groupProblem returns what is wrong with the group of an invitation.
func groupProblem(d *Document, inv *Invitation, at string) []Problem {
	if inv.Group == "" {
		return nil
	}
	p := Problem{Severity: SeverityError, Invitation: inv.ID, part: at,
		Args: []fault.Arg{fault.Text("group", inv.Group), fault.Text("name", inv.DisplayName())}}
	group := groupOf(d.Invitations, inv)
	switch {
	case inv.Role == Viewer:
		p.Code = "group_of_viewer"
	case slices.ContainsFunc(group, func(o *Invitation) bool { return o.Role != group[0].Role }):
		p.Code = "group_roles"
	case len(group) == 1:
		p.Code = "group_of_one"
	default:
		return nil
	}
	if group[0] != inv {
		return nil // reported once
	}
	return []Problem{p}
}

// names lists people; those who act for one another are one entry.
func names(people []*Invitation) []string {
	var out []string
	done := map[string]bool{}
	for _, inv := range people {
		if done[inv.ID] {
			continue
		}
		var group []string
		for _, o := range people {
			if o == inv || o.inGroup(inv) {
				group = append(group, o.DisplayName())
				done[o.ID] = true
			}
		}
		out = append(out, strings.Join(group, " / "))
	}
	return out
}
