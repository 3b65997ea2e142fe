package record

import (
	"cmp"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/mark"
)

// TypesOfMark returns the types that a recipient's signature or initials may have: those that
// the document and every such field of theirs, or of their group, allow. Without any, the fields
// contradict each other.
func TypesOfMark(d *Document, invitation string, kind pdf.FieldType) []string {
	out := allowedBy(mark.Types(), d.SignatureTypes)
	for _, x := range d.UnsortedFieldsOf(invitation) {
		if x.Type == kind {
			out = allowedBy(out, x.SignatureTypes)
		}
	}
	return out
}

func allowedBy(types, allowed []string) []string {
	if len(allowed) == 0 {
		return types
	}
	return slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(allowed, t) })
}

// CheckMark refuses a signature or initials of a type that is not allowed. Types that do not
// exist are refused where marks are read.
func CheckMark(f *fault.Fields, d *Document, invitation string, kind pdf.FieldType, used string) {
	if allowed := TypesOfMark(d, invitation, kind); slices.Contains(mark.Types(), used) && !slices.Contains(allowed, used) {
		f.Add(string(kind)+".type", TypesRefused(allowed))
	}
}

// TypesRefused returns the code of the refusal of any type but those allowed.
func TypesRefused(allowed []string) fault.Code {
	return fault.Code("signature_type_not_allowed." + cmp.Or(strings.Join(allowed, "_"), "none"))
}

// contradictoryTypes reports recipients whose fields allow no common type of mark.
func contradictoryTypes(d *Document) []Problem {
	var out []Problem
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if FirstOfGroup(d, inv) != inv {
			continue // reported once
		}
		for _, kind := range []pdf.FieldType{pdf.FieldSignature, pdf.FieldInitials} {
			if len(TypesOfMark(d, inv.ID, kind)) == 0 {
				out = append(out, Problem{Code: "signature_types_contradictory", Severity: SeverityError, Invitation: inv.ID,
					part: "fields", Args: []fault.Arg{fault.Text("name", inv.DisplayName())}})
				break
			}
		}
	}
	return out
}
