package signing

import (
	"errors"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/kv"
)

// The inks of typed and drawn marks.
const (
	InkBlue  = mark.InkBlue
	InkBlack = mark.InkBlack
)

// The types of marks.
const (
	MarkTyped = mark.TypeTyped
	MarkDrawn = mark.TypeDrawn
	MarkImage = mark.TypeImage
)

// marks holds a person's signature and initials, parsed and checked.
type marks struct{ signature, initials mark.Drawn }

// readMarks checks a person's marks. Missing ones are typed.
func (s *Signing) readMarks(f *fault.Fields, inv *record.Invitation, in SignInput) marks {
	signature := s.readMark(f, "signature", in.Signature, inv.Name, inv.Email)
	initials := s.readMark(f, "initials", in.Initials, mark.Initials(inv.Name), inv.Email)
	return marks{signature, initials}
}

func (s *Signing) readMark(f *fault.Fields, field string, in *mark.Mark, typed, email string) mark.Drawn {
	m := mark.Read(f, field, in, typed)
	if m.Type == MarkTyped && in != nil && in.Text != "" {
		at := f.Under(field)
		m.Text = input.Line(at, "text", &in.Text, record.MaxName)
		if !at.Has("text") && !s.fonts.Inked(m.Text) {
			at.Add("text", "empty")
		}
		input.OwnName(at, "text", m.Text, email)
	}
	return m
}

// checkMarks refuses a signature or initials of a type that is not allowed there. An approver
// without a field for one makes none.
func (a *act) checkMarks(f *fault.Fields) {
	own := a.document.UnsortedFieldsOf(a.inv.ID)
	has := func(kind pdf.FieldType) bool {
		return slices.ContainsFunc(own, func(x *record.Field) bool { return x.Type == kind })
	}
	if (a.inv.Role == record.Signer || has(pdf.FieldSignature)) && !f.Has("signature.data") {
		record.CheckMark(f, a.document, a.inv.ID, pdf.FieldSignature, a.marks.signature.Type)
	}
	if has(pdf.FieldInitials) && !f.Has("initials.data") {
		record.CheckMark(f, a.document, a.inv.ID, pdf.FieldInitials, a.marks.initials.Type)
	}
}

// legible refuses values that can't be drawn, before anything is signed. A name never stops a
// signature: what no font has is written as its code point.
func (s *Signing) legible(f *fault.Fields, a *act) {
	on := s.paper()
	for _, x := range record.FieldsIn(a.asked) {
		if !x.HasAnswer() || f.Has("fields."+x.Key()) {
			continue // nothing to draw, or another value to enter
		}
		if why := on.Check(a.document, x, a.values[x.ID]); why != nil {
			why.Report(f, x)
		}
	}
}

// CheckEntered reports what is wrong with the values that a recipient has entered so far, and which of them do
// not fit on paper. Nothing is missing yet.
func (s *Signing) CheckEntered(f *fault.Fields, d *record.Document, inv *record.Invitation, given map[string]string, today time.Time) {
	s.paper().CheckEntered(f, d, inv, given, today)
}

// SavedMarks holds the marks that a member has saved; nil means none.
type SavedMarks struct {
	Signature *mark.Mark `json:",omitempty"`
	Initials  *mark.Mark `json:",omitempty"`
}

// Mark returns the signature or the initials.
func (m SavedMarks) Mark(kind string) *mark.Mark {
	return map[string]*mark.Mark{"signature": m.Signature, "initials": m.Initials}[kind]
}

// savedMarks holds them by user, because a person signs the same way in every company.
var savedMarks = kv.NewCollection("saved", kv.JSON[SavedMarks]())

// SavedMarks returns the signature and initials the calling member has saved.
func (s *Signing) SavedMarks(who account.Call) (m SavedMarks, err error) {
	if who.Kind != account.ActorUser {
		return m, fault.NotFound("signature")
	}
	err = s.db.View(func(tx *kv.Tx) error {
		m, err = savedMarksOf(tx, who)
		return err
	})
	return m, err
}

func savedMarksOf(tx *kv.Tx, who account.Call) (SavedMarks, error) {
	m, err := savedMarks.Get(tx, who.UserID)
	if errors.Is(err, kv.ErrNotFound) {
		return SavedMarks{}, nil
	}
	return m, err
}

// SaveMark stores a member's mark, of a kind that pads accept too; nil deletes it.
func (s *Signing) SaveMark(who account.Call, kind string, in *mark.Mark) error {
	if who.Kind != account.ActorUser || kindIndex(kind) < 0 {
		return fault.NotFound("signature")
	}
	var f fault.Fields
	if in != nil {
		m := s.readMark(&f, kind, in, in.Text, who.Email)
		if m.Type == MarkTyped && in.Text == "" {
			f.Required(kind + ".text")
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		m, err := savedMarksOf(tx, who)
		if err != nil {
			return err
		}
		if kind == "signature" {
			m.Signature = in
		} else {
			m.Initials = in
		}
		return savedMarks.Put(tx, who.UserID, m)
	})
}
