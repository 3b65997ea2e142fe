package signing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"paraph/app/account"
)

// Severities of a problem.
const (
	SeverityError   = "error"   // the document can't be sent like this
	SeverityWarning = "warning" // it can, but is it meant?
	SeverityInfo    = "info"    // good to know
)

// Problem is something about a draft that whoever makes it should know before
// it is sent. File, Invitation and Field name what it is about, where it is
// about one of them.
type Problem struct {
	Code       string `json:"code"` // stable word, such as "no_files"
	Severity   string `json:"severity"`
	Message    string `json:"message"` // a sentence
	File       string `json:"file,omitempty"`
	Page       int    `json:"page,omitempty"` // from 1
	Invitation string `json:"invitation,omitempty"`
	Field      string `json:"field,omitempty"`

	part string // of the document that has to change: files, invitations, fields
}

// maxProblems is how many problems of one kind are listed.
const maxProblems = 50

// Problems lists everything that is wrong, or may be, with a draft: errors
// first. It looks at the record alone, so it is cheap enough for every change.
func Problems(d *Document) []Problem {
	var out []Problem
	for _, find := range []func(*Document) []Problem{fileProblems, peopleProblems, fieldProblems, overlaps} {
		found := find(d)
		out = append(out, found[:min(len(found), maxProblems)]...)
	}
	rank := []string{SeverityError, SeverityWarning, SeverityInfo}
	slices.SortStableFunc(out, func(a, b Problem) int {
		return cmp.Compare(slices.Index(rank, a.Severity), slices.Index(rank, b.Severity))
	})
	return out
}

// ready tells everything that keeps a document from being sent.
func (d *Document) ready(f *account.Faults) {
	for _, p := range Problems(d) {
		if p.Severity == SeverityError {
			f.Add(p.part, p.Message)
		}
	}
}

func fileProblems(d *Document) []Problem {
	if len(d.Files) == 0 {
		return []Problem{{Code: "no_files", Severity: SeverityError, Message: "Upload at least one file before sending.", part: "files"}}
	}
	var out []Problem
	for i := range d.Files {
		f := &d.Files[i]
		if f.ConvertedBy == "builtin" && !f.Confirmed {
			out = append(out, Problem{Code: "not_confirmed", Severity: SeverityError, File: f.ID, part: "files",
				Message: "Look at the pages of " + f.Name + ", which the built-in renderer converted, and confirm them before sending."})
		}
		twice := slices.IndexFunc(d.Files[:i], func(o File) bool { return o.SHA256 == f.SHA256 })
		if twice >= 0 {
			out = append(out, Problem{Code: "same_file", Severity: SeverityWarning, File: f.ID, part: "files",
				Message: "The files " + d.Files[twice].Name + " and " + f.Name + " have the same content."})
		}
	}
	return out
}

func peopleProblems(d *Document) []Problem {
	var out []Problem
	add := func(code, severity, invitation, message string) {
		out = append(out, Problem{Code: code, Severity: severity, Message: message, Invitation: invitation, part: "invitations"})
	}
	if !slices.ContainsFunc(d.Invitations, func(i Invitation) bool { return i.Role == Signer }) {
		add("no_signer", SeverityError, "", "Invite at least one signer before sending.")
	}
	seen := map[string]bool{}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		email := strings.ToLower(inv.Email)
		if seen[email] {
			add("same_email", SeverityWarning, inv.ID, "The e-mail address "+inv.Email+" is invited more than once.")
		}
		seen[email] = true
		if inv.acts() && len(d.Files) > 0 {
			out = append(out, signatureProblem(d, inv)...)
		}
	}
	return out
}

// signatureProblem says where the signature of somebody goes who has no place
// for it.
func signatureProblem(d *Document, inv *Invitation) []Problem {
	own := d.fieldsOf(inv.ID)
	if slices.ContainsFunc(own, func(x *Field) bool { return x.Type == "signature" }) {
		return nil
	}
	p := Problem{Code: "no_fields", Severity: SeverityInfo, Invitation: inv.ID, part: "fields",
		Message: inv.Name + " has no fields and signs on a signature page that is added at the end."}
	switch {
	case len(own) > 0:
		p.Code, p.Severity = "no_signature", SeverityWarning
		p.Message = inv.Name + " has fields but none for the signature, so the signature will not be seen on the pages."
	case d.signsFiles(inv.ID)[0].Presigned:
		p.Message = inv.Name + " has no fields. As the file is signed already no page can be added, so the signature will not be seen on the pages."
	}
	return []Problem{p}
}

func fieldProblems(d *Document) []Problem {
	var out []Problem
	for i := range d.Fields {
		x := &d.Fields[i]
		p := Problem{Severity: SeverityError, File: x.File, Page: x.Page, Invitation: x.Invitation, Field: x.ID, part: "fields"}
		inv, f := d.invitation(x.Invitation), d.file(x.File)
		what := d.fieldInWords(x)
		switch {
		case inv == nil:
			p.Code, p.Message = "field_of_nobody", what+" belongs to nobody; choose who fills it in."
		case inv.Role == Viewer:
			p.Code, p.Message = "field_of_viewer", what+" belongs to a viewer, who fills in nothing; choose somebody else or remove it."
		case f == nil || x.Page < 1 || x.Page > len(f.Pages):
			p.Code, p.Message = "field_without_page", what+" lies on a page that there is not."
		case !x.inside():
			p.Code, p.Message = "field_outside", what+" reaches over the edge of its page."
		case x.impossible():
			p.Code, p.Message = "field_impossible", what+" is required, but read-only and empty: nobody could ever fill it in."
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

// inside says whether the whole field lies on its page.
func (x *Field) inside() bool {
	const rounding = 1e-6
	return x.X >= 0 && x.Y >= 0 && x.Width > 0 && x.Height > 0 && x.X+x.Width <= 1+rounding && x.Y+x.Height <= 1+rounding
}

// impossible says whether the field has to have a value and can't get one.
func (x *Field) impossible() bool {
	if !x.Required || !x.ReadOnly || x.drawn() || x.Type == "attachment" || x.Type == "radio" && x.Group != "" {
		return false
	}
	filled := x.Type == "date_signed" || x.Type == "name" || x.Type == "email"
	return !filled && x.empty(x.Value)
}

// overlaps finds fields that lie on each other. Each is named once.
func overlaps(d *Document) []Problem {
	pages := map[string][]*Field{}
	for i := range d.Fields {
		x := &d.Fields[i]
		page := fmt.Sprint(x.File, " ", x.Page)
		pages[page] = append(pages[page], x)
	}
	var out []Problem
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		out = append(out, d.overlapsOn(pages[page])...)
	}
	return out
}

func (d *Document) overlapsOn(fields []*Field) []Problem {
	slices.SortStableFunc(fields, func(a, b *Field) int { return cmp.Compare(a.Y, b.Y) })
	var out []Problem
	for i, x := range fields {
		for _, below := range fields[i+1:] {
			if below.Y >= x.Y+x.Height || len(out) == maxProblems {
				break
			}
			if !x.covers(below) {
				continue
			}
			out = append(out, Problem{Code: "overlap", Severity: SeverityWarning, File: x.File, Page: x.Page, Field: below.ID, Invitation: below.Invitation, part: "fields",
				Message: d.fieldInWords(below) + " lies on another field: " + d.fieldInWords(x) + "."})
			break
		}
	}
	return out
}

// covers says whether two fields of a page share more than an edge.
func (x *Field) covers(o *Field) bool {
	const touch = 0.002
	wide := min(x.X+x.Width, o.X+o.Width) - max(x.X, o.X)
	high := min(x.Y+x.Height, o.Y+o.Height) - max(x.Y, o.Y)
	return wide > touch && high > touch
}

// fieldInWords names a field for people, such as: The field “Rent” on page 2 of
// Lease.pdf.
func (d *Document) fieldInWords(x *Field) string {
	name := cmp.Or(x.Label, x.Name, strings.ReplaceAll(x.Type, "_", " "))
	words := fmt.Sprintf("The field “%s” on page %d", name, x.Page)
	if f := d.file(x.File); f != nil && len(d.Files) > 1 {
		words += " of " + f.Name
	}
	return words
}
