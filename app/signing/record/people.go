package record

import (
	"cmp"
	"slices"
	"strings"
)

// InOrder lists the people who sign, in signing order; of a group only the first.
func (d *Document) InOrder() []*Invitation {
	var out []*Invitation
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Signs() && FirstOfGroup(d, inv) == inv {
			out = append(out, inv)
		}
	}
	slices.SortStableFunc(out, func(a, b *Invitation) int { return cmp.Compare(a.Position, b.Position) })
	return out
}

// Open reports whether a document in this state can still change, so that it needs
// an owner.
func (s Status) Open() bool { return s != Completed && s != Voided }

// SignatureField returns the name of the field that this person signs in a file.
func (i *Invitation) SignatureField(file string) (string, bool) {
	for _, s := range i.SignatureFields {
		if f, name, ok := strings.Cut(s, " "); ok && f == file {
			return name, true
		}
	}
	return "", false
}

// WaitingFor returns the names of the people whose turn it is.
func (d *Document) WaitingFor() []string {
	var people []*Invitation
	if d.Status != Sent || d.Declined() != nil {
		return nil
	}
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Open() && d.IsTurnOf(inv) {
			people = append(people, inv)
		}
	}
	return names(people)
}
