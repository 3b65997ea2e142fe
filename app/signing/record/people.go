package record

import (
	"cmp"
	"slices"
	"strings"
)

// InOrder lists those who act, in the order in which they do.
func (d *Document) InOrder() []*Invitation {
	var out []*Invitation
	for i := range d.Invitations {
		if d.Invitations[i].Acts() {
			out = append(out, &d.Invitations[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Invitation) int { return cmp.Compare(a.Position, b.Position) })
	return out
}

// Open reports whether something can still happen to a document, so that it needs
// an owner who looks after it.
func (s Status) Open() bool { return s != Completed && s != Voided }

// SignatureField returns the name of the field this person signs in a file.
func (i *Invitation) SignatureField(file string) (string, bool) {
	for _, s := range i.SignatureFields {
		if f, name, ok := strings.Cut(s, " "); ok && f == file {
			return name, true
		}
	}
	return "", false
}
