package record

import (
	"slices"

	"paraph/app/account"
	"paraph/app/pdf"
)

// Drawn reports whether the field's value is a picture rather than text.
func (f *Field) Drawn() bool {
	switch f.Type {
	case pdf.FieldSignature, pdf.FieldInitials, pdf.FieldStamp, pdf.FieldStrikethrough:
		return true
	}
	return false
}

// Pictured reports whether the field can show a picture that somebody draws or uploads.
func (f *Field) Pictured() bool {
	switch f.Type {
	case pdf.FieldSignature, pdf.FieldInitials, pdf.FieldStamp, pdf.FieldImage:
		return true
	}
	return false
}

// Fixed reports whether the field is part of what everybody signs: it is drawn when the
// document is sent, and nobody fills it in.
func (f *Field) Fixed() bool {
	return f.Type == pdf.FieldLabel || f.Type == pdf.FieldStrikethrough
}

// HasAnswer reports whether the field gets a value in text from its recipient, or on their
// behalf.
func (f *Field) HasAnswer() bool { return !f.Drawn() && !f.Fixed() }

// Enterable reports whether somebody else can enter the value of the field before its recipient.
func (f *Field) Enterable() bool {
	return f.HasAnswer() && f.Type != pdf.FieldDateSigned && !f.HandsIn()
}

func (d *Document) File(id string) *File {
	for i := range d.Files {
		if d.Files[i].ID == id {
			return &d.Files[i]
		}
	}
	return nil
}

func (d *Document) Invitation(id string) *Invitation {
	for i := range d.Invitations {
		if d.Invitations[i].ID == id {
			return &d.Invitations[i]
		}
	}
	return nil
}

func (d *Document) Field(id string) *Field {
	for i := range d.Fields {
		if d.Fields[i].ID == id {
			return &d.Fields[i]
		}
	}
	return nil
}

// Acts reports whether the invitation asks for a signature, an approval, values for others or
// a confirmation, so that the document waits for it.
func (i *Invitation) Acts() bool {
	return i.Role != Viewer && i.Status != Delegated && i.Status != NotNeeded
}

// Signs reports whether the invited person signs the files, to sign or to approve.
// Only they have fields.
func (i *Invitation) Signs() bool {
	return i.Acts() && i.InvitedToSign()
}

// InvitedToSign reports whether the invitation asked for a signature or an approval, even if
// somebody else has given it since.
func (i *Invitation) InvitedToSign() bool {
	return i.Role != Viewer && i.Role != Reader && i.Role != Assistant
}

// Acted reports whether the invited person has done what they were asked to do.
func (i *Invitation) Acted() bool {
	return i.Status == Signed || i.Status == Read || i.Status == FilledIn
}

// Open reports whether the invited person can still act on the invitation.
func (i *Invitation) Open() bool {
	return i.Acts() && !i.Acted() && i.Status != Declined
}

// Progress counts the people who have acted and those who have to; a group is one.
type Progress struct {
	Signed int `json:"signed"` // those who acted, whatever their role
	Total  int `json:"total"`
}

// Progress returns how far the document is.
func (d *Document) Progress() Progress {
	acted, total := countActed(d, (*Invitation).Acts)
	return Progress{Signed: acted, Total: total}
}

// CountSignatures counts the people who have signed or approved and those who have to.
func CountSignatures(d *Document) (signed, total int) { return countActed(d, (*Invitation).Signs) }

func countActed(d *Document, counts func(*Invitation) bool) (acted, total int) {
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !counts(inv) || FirstOfGroup(d, inv) != inv {
			continue
		}
		total++
		if inv.Acted() {
			acted++
		}
	}
	return acted, total
}

// IsTurnOf reports whether it is this invitation's turn. In a sequential document,
// no invitation with a lower position may still be open; those with equal positions
// act in any order.
func (d *Document) IsTurnOf(inv *Invitation) bool {
	if d.SigningOrder != Sequential {
		return true
	}
	return !slices.ContainsFunc(d.Invitations, func(o Invitation) bool {
		return o.Open() && o.Position < inv.Position
	})
}

// Declined returns the invitation that was declined and so stopped the signing, or nil.
func (d *Document) Declined() *Invitation {
	for i := range d.Invitations {
		if d.Invitations[i].Status == Declined {
			return &d.Invitations[i]
		}
	}
	return nil
}

// UnsortedFieldsOf lists the fields of one person, or their group, in record order, except
// fixed ones.
func (d *Document) UnsortedFieldsOf(invitation string) []*Field {
	var out []*Field
	own := hands(d, invitation)
	for i := range d.Fields {
		if x := &d.Fields[i]; own[x.Invitation] && !x.Fixed() {
			out = append(out, x)
		}
	}
	return out
}

// OthersFields lists the fields that an invited person is not asked for but is shown, as everybody sees
// what others enter: those of other people, filled in or to come, unless they were not asked either.
func (d *Document) OthersFields(inv *Invitation) []*Field {
	asked := map[string]bool{}
	for _, x := range FieldsIn(AskedOf(d, inv)) {
		asked[x.ID] = true
	}
	var out []*Field
	for i := range d.Fields {
		if x := &d.Fields[i]; !asked[x.ID] && !x.Fixed() && !x.Hidden {
			out = append(out, x)
		}
	}
	return InReadingOrder(d, out)
}

// Entered reports whether the person of a field, or somebody before them, has already filled it in.
func (d *Document) Entered(x *Field) bool {
	inv := d.Invitation(x.Invitation)
	return inv != nil && inv.Acted() || x.AssistedBy != ""
}

// FixedOn lists the fixed fields of a file.
func FixedOn(d *Document, file string) []*Field {
	var out []*Field
	for i := range d.Fields {
		if x := &d.Fields[i]; x.File == file && x.Fixed() {
			out = append(out, x)
		}
	}
	return out
}

// FieldsIn lists the fields of one person on one file, except fixed ones.
func (d *Document) FieldsIn(invitation, file string) []*Field {
	return slices.DeleteFunc(d.UnsortedFieldsOf(invitation), func(x *Field) bool { return x.File != file })
}

// SignsFiles lists the files a person signs: each that has a field of theirs,
// or the first.
func (d *Document) SignsFiles(invitation string) []*File {
	var out []*File
	for i := range d.Files {
		f := &d.Files[i]
		if len(d.FieldsIn(invitation, f.ID)) > 0 {
			out = append(out, f)
		}
	}
	if len(out) == 0 && len(d.Files) > 0 {
		out = append(out, &d.Files[0])
	}
	return out
}

// Visibility returns the list that shows the document. Templates have lists of
// their own.
func (d *Document) Visibility() string {
	v := VisibilityOf(d.ArchivedAt != nil, d.DeletedAt != nil)
	if d.Template {
		return TemplatePrefix + v
	}
	return v
}

func VisibilityOf(archived, deleted bool) string {
	switch {
	case deleted:
		return "deleted"
	case archived:
		return "archived"
	}
	return "active"
}

// Recorded notes who does something in the person's name, and reports whether it is somebody else.
func (i *Invitation) Recorded(who account.Actor) bool {
	i.RecordedBy = nil
	if !who.IsSignatory() {
		i.RecordedBy = &Recorder{Person: PersonOf(who), Doubt: who.Doubt()}
	}
	return i.RecordedBy != nil
}

// PersonOf returns a member in the form recorded in documents.
func PersonOf(who account.Actor) Person {
	return Person{ID: who.UserID, Name: who.Name, Email: who.Email}
}
