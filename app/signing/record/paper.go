package record

import (
	"strconv"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/text"
	"paraph/app/words"
)

// Paper tells how values look on paper before anything is drawn there.
type Paper struct {
	Fonts *text.Fonts
	Words *words.Catalogue
}

// Identifies reports whether the value says who the person is. It never stops them from signing: a
// character that no font has is written as its code point.
func (x *Field) Identifies() bool {
	switch x.Type {
	case pdf.FieldName:
		return true
	case pdf.FieldEmail, pdf.FieldCompany, pdf.FieldJobTitle:
		return x.ReadOnly
	}
	return false
}

// Check returns the flaw that keeps a value from being drawn in a field, or nil.
func (p *Paper) Check(x *Field, v string) *Flaw {
	if missing := p.Fonts.Missing(v); len(missing) > 0 && !x.Identifies() {
		return NewFlaw("undrawable_characters", fault.Text("characters", strconv.Quote(string(missing))))
	}
	return nil
}

// peopleProblems names the people whose names have characters that no font has.
func (p *Paper) peopleProblems(d *Document) []Problem {
	var out []Problem
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if missing := p.Fonts.Missing(inv.Name); len(missing) > 0 {
			out = append(out, Problem{Code: "name_undrawable", Severity: SeverityWarning, Invitation: inv.ID, part: "invitations",
				Args: []fault.Arg{fault.Text("name", inv.Name), fault.Text("characters", string(missing))}})
		}
	}
	return out
}
