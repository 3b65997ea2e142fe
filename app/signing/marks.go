package signing

import (
	"strconv"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
)

// The inks of typed and drawn marks.
const (
	InkBlue  = mark.InkBlue
	InkBlack = mark.InkBlack
)

// marks holds a person's signature and initials, parsed and checked.
type marks struct{ signature, initials mark.Drawn }

// readMarks checks a person's marks; a missing one is typed.
func readMarks(f *fault.Fields, inv *Invitation, in SignInput) marks {
	signature := readMark(f, "signature", in.Signature, inv.Name)
	initials := readMark(f, "initials", in.Initials, mark.Initials(inv.Name))
	return marks{signature, initials}
}

func readMark(f *fault.Fields, field string, in *Mark, typed string) mark.Drawn {
	m := mark.Read(f, field, in, typed)
	if m.Type == "typed" && in != nil && in.Text != "" {
		m.Text = input.Line(f.Under(field), "text", &in.Text, record.MaxName)
	}
	return m
}

// legible refuses text that none of our fonts can draw, before anything is signed.
func (s *Service) legible(f *fault.Fields, a *act) {
	check := func(field, v string) {
		if missing := s.Fonts.Missing(v); len(missing) > 0 {
			f.Add(field, "undrawable_characters", fault.Text("characters", strconv.Quote(string(missing))))
		}
	}
	for _, x := range a.document.UnsortedFieldsOf(a.inv.ID) {
		if !x.Drawn() {
			check("fields."+x.Key(), a.values[x.ID])
		}
	}
	if a.marks.signature.Type == "typed" {
		check("signature.text", a.marks.signature.Text)
	}
	if a.marks.initials.Type == "typed" {
		check("initials.text", a.marks.initials.Text)
	}
}
