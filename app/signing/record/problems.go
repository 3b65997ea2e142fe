package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
)

// Severities of a problem.
const (
	SeverityError   = "error"   // the document can't be sent like this
	SeverityWarning = "warning" // it can, but may be unintended
	SeverityInfo    = "info"    // good to know
)

// Problem is something that the author of a draft should know before sending it.
// File, Invitation and Field identify the part concerned, if there is a single one.
type Problem struct {
	Code       fault.Code // such as "no_files"; its sentence is that of a fault
	Args       []fault.Arg
	Severity   string
	File       string
	Page       int // from 1
	Invitation string
	Field      string

	part string // part of the document that has to change: files, invitations, fields
}

// maxProblems is how many problems of one kind are listed.
const maxProblems = 50

// Problems lists everything that is, or may be, wrong with a draft, errors first.
// It only reads the record and measures texts, so it is cheap enough to run on every change.
func Problems(d *Document, on *Paper) []Problem {
	var out []Problem
	kinds := []func(*Document) []Problem{fileProblems, peopleProblems, fieldProblems, contradictoryTypes, overlaps, on.peopleProblems, on.trials}
	for _, find := range kinds {
		found := find(d)
		out = append(out, found[:min(len(found), maxProblems)]...)
	}
	rank := []string{SeverityError, SeverityWarning, SeverityInfo}
	slices.SortStableFunc(out, func(a, b Problem) int {
		return cmp.Compare(slices.Index(rank, a.Severity), slices.Index(rank, b.Severity))
	})
	return out
}

// Ready reports everything that prevents a document from being sent.
func (d *Document) Ready(f *fault.Fields, on *Paper) {
	for _, p := range Problems(d, on) {
		if p.Severity == SeverityError {
			f.Add(p.part, p.Code, p.Args...)
		}
	}
}

func fileProblems(d *Document) []Problem {
	if len(d.Files) == 0 {
		return []Problem{{Code: "no_files", Severity: SeverityError, part: "files"}}
	}
	var out []Problem
	for i := range d.Files {
		f := &d.Files[i]
		if f.ConvertedBy == "builtin" && !f.Confirmed {
			out = append(out, Problem{Code: "not_confirmed", Severity: SeverityError, File: f.ID, part: "files",
				Args: []fault.Arg{fault.Text("file", f.Name)}})
		}
		twice := slices.IndexFunc(d.Files[:i], func(o File) bool {
			return o.SHA256 == f.SHA256 && slices.Equal(o.PageChoices(), f.PageChoices())
		})
		if twice >= 0 {
			out = append(out, Problem{Code: "same_file", Severity: SeverityWarning, File: f.ID, part: "files",
				Args: []fault.Arg{fault.Text("file", d.Files[twice].Name), fault.Text("other", f.Name)}})
		}
	}
	return out
}

func peopleProblems(d *Document) []Problem {
	var out []Problem
	add := func(code fault.Code, severity, invitation string, args ...fault.Arg) {
		out = append(out, Problem{Code: code, Args: args, Severity: severity, Invitation: invitation, part: "invitations"})
	}
	if !slices.ContainsFunc(d.Invitations, func(i Invitation) bool { return i.Role == Signer }) {
		add("no_signer", SeverityError, "")
	}
	seen := map[string]bool{}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		email := strings.ToLower(inv.Email)
		if email != "" && seen[email] {
			add("same_email", SeverityWarning, inv.ID, fault.Text("email", inv.Email))
		}
		seen[email] = true
		if inv.lacksCode() {
			out = append(out, Problem{Code: "access_code_missing", Args: []fault.Arg{fault.Text("name", inv.DisplayName())},
				Severity: SeverityError, Invitation: inv.ID, part: fmt.Sprintf("invitations.%d.access_code", i)})
		}
		out = append(out, groupProblem(d, inv, fmt.Sprintf("invitations.%d.group", i))...)
		out = append(out, assistantProblem(d, inv, fmt.Sprintf("invitations.%d.role", i))...)
		out = append(out, namedProblem(d, inv, fmt.Sprintf("invitations.%d.named_by_previous", i))...)
		if inv.Signs() && FirstOfGroup(d, inv) == inv && len(d.Files) > 0 {
			out = append(out, signatureProblem(d, inv)...)
		}
	}
	return out
}

// signatureProblem says where the signature of a person without a field goes.
func signatureProblem(d *Document, inv *Invitation) []Problem {
	own := d.UnsortedFieldsOf(inv.ID)
	if slices.ContainsFunc(own, func(x *Field) bool { return x.Type == pdf.FieldSignature }) {
		return nil
	}
	p := Problem{Code: "no_fields", Args: []fault.Arg{fault.Text("name", inv.DisplayName())}, Severity: SeverityInfo,
		Invitation: inv.ID, part: "fields"}
	switch {
	case len(own) > 0:
		p.Code, p.Severity = "no_signature", SeverityWarning
	case d.SignsFiles(inv.ID)[0].Presigned:
		p.Code = "no_fields.presigned"
	}
	return []Problem{p}
}

func fieldProblems(d *Document) []Problem {
	var out []Problem
	faulty := map[int]fault.Code{}
	for _, w := range conditionFaults(d) {
		faulty[w.field] = "field_condition"
		if w.member == "formula" {
			faulty[w.field] = "field_formula"
		}
	}
	tight := unmeetable(d)
	for i := range d.Fields {
		x := &d.Fields[i]
		p := Problem{Severity: SeverityError, File: x.File, Page: x.Page, Invitation: x.Invitation, Field: x.ID, part: "fields"}
		inv, f := d.Invitation(x.Invitation), d.File(x.File)
		p.Args = []fault.Arg{d.Placed("place", x)}
		switch {
		case inv == nil:
			p.Code = "field_of_nobody"
		case !inv.Signs():
			p.Code = "field_of_viewer"
		case f == nil || x.Page < 1 || x.Page > len(f.Pages):
			p.Code = "field_without_page"
		case !x.inside():
			p.Code = "field_outside"
		case x.unfillable(inv):
			p.Code = "field_impossible"
		case x.Type == pdf.FieldLabel && x.Value == "":
			p.Code = "label_empty"
		case tight[x]:
			p.Code = "group_impossible"
		case faulty[i] != "":
			p.Code = faulty[i]
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

// inside reports whether the whole field lies on its page.
func (x *Field) inside() bool {
	const rounding = 1e-6
	onPage := x.X >= 0 && x.Y >= 0 && x.X+x.Width <= 1+rounding && x.Y+x.Height <= 1+rounding
	return onPage && x.Width > 0 && x.Height > 0
}

// unfillable reports whether the field is required but can't have a value.
func (x *Field) unfillable(inv *Invitation) bool {
	required := x.Required || x.Condition != nil && x.Condition.Then == ConditionRequire
	if !required || !x.ReadOnly || x.Formula != "" || !x.HasAnswer() || x.isButton() {
		return false
	}
	filled := x.Type == pdf.FieldDateSigned || x.Type == pdf.FieldName || x.Type == pdf.FieldEmail
	return !filled && x.empty(x.Automatic(inv, time.Time{}))
}

// overlaps finds fields that overlap. Each is reported once. Nobody's field may lie where another
// person's does, as what one of them fills in would hide what the other signed.
func overlaps(d *Document) []Problem {
	pages := map[string][]*Field{}
	for i := range d.Fields {
		x := &d.Fields[i]
		page := fmt.Sprint(x.File, " ", x.Page)
		pages[page] = append(pages[page], x)
	}
	var errors, warnings []Problem
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		e, w := d.overlapsOn(pages[page])
		errors, warnings = append(errors, e...), append(warnings, w...)
	}
	return append(errors, warnings...)
}

// overlapsOn returns the overlaps on one page that prevent sending, and the others.
func (d *Document) overlapsOn(fields []*Field) (errors, warnings []Problem) {
	slices.SortStableFunc(fields, func(a, b *Field) int { return cmp.Compare(a.Y, b.Y) })
	for i, x := range fields {
		var found *Problem
		for _, below := range fields[i+1:] {
			if below.Y >= x.Y+x.Height || len(errors) == maxProblems {
				break
			}
			hides := d.hides(x, below)
			if (found != nil || len(warnings) == maxProblems) && !hides || !x.Covers(below) {
				continue
			}
			p := Problem{Code: "overlap", Severity: SeverityWarning, File: x.File, Page: x.Page, Field: below.ID, Invitation: below.Invitation, part: "fields",
				Args: []fault.Arg{d.Placed("place", below), d.Placed("other", x)}}
			if found = &p; hides {
				p.Code, p.Severity = "overlap.other", SeverityError
				break
			}
		}
		switch {
		case found == nil:
		case found.Severity == SeverityError:
			errors = append(errors, *found)
		default:
			warnings = append(warnings, *found)
		}
	}
	return errors, warnings
}

// hides reports whether one of two overlapping fields could hide what another person fills in or
// signs. Labels are there before anybody signs, so only pictures could hide them. The line of a
// strikethrough hides nothing.
func (d *Document) hides(x, o *Field) bool {
	switch {
	case x.Type == pdf.FieldStrikethrough || o.Type == pdf.FieldStrikethrough:
		return false
	case x.Type == pdf.FieldLabel || o.Type == pdf.FieldLabel:
		return x.Pictured() || o.Pictured() || !d.sameHands(x, o)
	}
	return !d.sameHands(x, o)
}

// sameHands reports whether the same people may fill in two fields.
func (d *Document) sameHands(x, o *Field) bool {
	return x.Invitation == o.Invitation || hands(d, x.Invitation)[o.Invitation]
}

// Covers reports whether two fields of a page share more than an edge, give or take a point or two.
func (x *Field) Covers(o *Field) bool {
	const touch = 0.002
	wide := min(x.X+x.Width, o.X+o.Width) - max(x.X, o.X)
	high := min(x.Y+x.Height, o.Y+o.Height) - max(x.Y, o.Y)
	return wide > touch && high > touch
}

// Placed names a field with its page, and with its file if there are several.
func (d *Document) Placed(arg string, x *Field) fault.Arg {
	name := fault.Text("field", cmp.Or(x.Label, x.Name))
	if name.String() == "" {
		name = fault.Term("field", "field_type."+string(x.Type))
	}
	page := fault.Number("page", x.Page)
	if f := d.File(x.File); f != nil && len(d.Files) > 1 {
		return fault.Term(arg, "field_place.file", name, page, fault.Text("file", f.Name))
	}
	return fault.Term(arg, "field_place", name, page)
}
