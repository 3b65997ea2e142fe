package bulk

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/sheet"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/variable"
)

// Attributes of a person that a column may hold.
const (
	attrName    = "name"
	attrEmail   = "email"
	attrCompany = "company"
	attrTitle   = "job_title"
	attrCode    = "access_code"
	attrHint    = "access_code_hint"
	attrLocale  = "locale"
	attrNote    = "message"
)

func attributes() []string {
	return []string{attrName, attrEmail, attrCompany, attrTitle, attrCode, attrHint, attrLocale, attrNote}
}

// Targets of a column that are not about a person, a variable or a field.
const (
	targetTitle    = "title"
	targetExternal = "external_id"
)

// Target is a possible use of a column.
type Target struct {
	ID       string // such as "Tenant.email", "variable:rent", "value:Deposit" or "title"
	Name     string // heading of a file that is to be filled in
	Required bool   // a row without it is faulty, unless the cell may be empty
	Kind     string // person, variable, value or document
}

// Targets lists everything that the rows of a template may contain, in the order of its header
// file.
func Targets(t *record.Document) []Target {
	var out []Target
	for i := range t.Invitations {
		inv := &t.Invitations[i]
		for _, attr := range attributes() {
			id := inv.RoleName + "." + attr
			lacks := attr == attrName && inv.Name == "" || attr == attrEmail && inv.Email == ""
			out = append(out, Target{ID: id, Name: id, Kind: "person", Required: lacks && !inv.NamedByPrevious})
		}
	}
	for _, name := range t.Variables() {
		out = append(out, Target{ID: "variable:" + name, Name: name, Kind: "variable", Required: true})
	}
	computed := computedNames(t)
	for _, name := range fieldNames(t, (*record.Field).Enterable) {
		if computed[name] {
			continue
		}
		out = append(out, Target{ID: "value:" + name, Name: name, Kind: "value"})
	}
	for _, name := range []string{targetTitle, targetExternal} {
		out = append(out, Target{ID: name, Name: name, Kind: "document"})
	}
	return out
}

// fieldNames lists the names of the fields of some kind.
func fieldNames(t *record.Document, of func(*record.Field) bool) []string {
	var out []string
	for i := range t.Fields {
		if x := &t.Fields[i]; x.Name != "" && of(x) && !slices.Contains(out, x.Name) {
			out = append(out, x.Name)
		}
	}
	return out
}

// computedNames returns the names of the fields whose values nobody can set.
func computedNames(t *record.Document) map[string]bool {
	out := map[string]bool{}
	for i := range t.Fields {
		if x := &t.Fields[i]; x.Formula != "" {
			out[x.Name] = true
		}
	}
	return out
}

// header lists the headings of a file to be filled in: who takes which role, what the template
// asks for, and the fields that can be filled in beforehand.
func header(t *record.Document) []string {
	var out []string
	for i := range t.Invitations {
		inv := &t.Invitations[i]
		out = append(out, inv.RoleName+"."+attrName, inv.RoleName+"."+attrEmail)
		if inv.Authentication == "access_code" {
			out = append(out, inv.RoleName+"."+attrCode)
		}
	}
	for _, x := range Targets(t) {
		if (x.Kind == "variable" || x.Kind == "value") && !slices.Contains(out, x.Name) {
			out = append(out, x.Name)
		}
	}
	return out
}

// Column is a column of a file and what it is used for.
type Column struct {
	Heading string
	Target  string // ID of the target; "" is nothing
}

// plain folds a heading: case, accents, and signs between words do not count.
func plain(heading string) string {
	between := func(r rune) bool { return strings.ContainsRune(" ._-:", r) }
	return strings.Join(strings.FieldsFunc(input.Fold(heading), between), " ")
}

// recognise finds what each column of a file is for. A caller may say it, by heading; a heading
// that is not mentioned is recognised by its name.
func recognise(t *record.Document, headings []string, said map[string]string) ([]Column, error) {
	var f fault.Fields
	targets, used := Targets(t), map[string]bool{}
	names := known(targets)
	out := make([]Column, len(headings))
	for i, h := range headings {
		out[i].Heading = h
		target, explicit := said[h]
		if !explicit {
			target = names.of(h)
		} else if target != "" && !slices.ContainsFunc(targets, func(x Target) bool { return x.ID == target }) {
			f.Selected("columns." + h)
			continue
		}
		if !used[target] {
			out[i].Target = target
			used[target] = target != ""
		}
	}
	for _, x := range targets {
		if x.Required && !used[x.ID] {
			f.Add("columns", "column_missing", fault.Text("column", x.Name))
		}
	}
	return out, f.Err()
}

// headings finds the targets of headings.
type headings struct{ exact, plain map[string]string }

// of returns the target of a heading, "" if there is none. What the header file calls a target
// comes first: Owner.company and the variable owner_company are the same but for signs.
func (n headings) of(heading string) string {
	return cmp.Or(n.exact[strings.TrimSpace(heading)], n.plain[plain(heading)])
}

// known collects the headings of targets. Where several have the same it counts as the first.
func known(targets []Target) headings {
	out := headings{map[string]string{}, map[string]string{}}
	add := func(heading, target string) {
		if name := plain(heading); name != "" && out.plain[name] == "" {
			out.plain[name] = target
		}
	}
	for _, x := range targets {
		if out.exact[x.Name] == "" {
			out.exact[x.Name] = x.ID
		}
		add(x.ID, x.ID)
		add(x.Name, x.ID)
	}
	for _, x := range targets { // "Tenant e-mail", and in a template with one role "E-mail"
		if role, attr, ok := cutLast(x.ID); ok && attr == attrEmail {
			add(role+" e mail", x.ID)
			add(role+" mail", x.ID)
		}
	}
	return out
}

// cutLast splits the target of a person into role and attribute.
func cutLast(id string) (role, attr string, ok bool) {
	n := strings.LastIndexByte(id, '.')
	if n < 0 || strings.Contains(id, ":") || !slices.Contains(attributes(), id[n+1:]) {
		return "", "", false
	}
	return id[:n], id[n+1:], true
}

// inputOf reads a row of a file. An empty cell is as good as none.
func inputOf(columns []Column, cells []string) RowInput {
	in := RowInput{Variables: map[string]string{}, Values: map[string]string{}}
	for i, c := range columns {
		if i >= len(cells) || c.Target == "" {
			continue
		}
		cell := sheet.Unguarded(strings.TrimSpace(cells[i]))
		if cell == "" {
			continue
		}
		in.set(c.Target, cell)
	}
	return in
}

func (in *RowInput) set(target, cell string) {
	if name, ok := strings.CutPrefix(target, "variable:"); ok {
		in.Variables[name] = cell
		return
	}
	if name, ok := strings.CutPrefix(target, "value:"); ok {
		in.Values[name] = cell
		return
	}
	switch target {
	case targetTitle:
		in.Title = &cell
		return
	case targetExternal:
		in.ExternalID = &cell
		return
	}
	role, attr, ok := cutLast(target)
	if !ok {
		return
	}
	*attribute(in.person(role), attr) = &cell
}

// attribute returns the member of a person that holds an attribute.
func attribute(p *signing.RolePerson, attr string) **string {
	return map[string]**string{
		attrName: &p.Name, attrEmail: &p.Email, attrCompany: &p.Company, attrTitle: &p.JobTitle,
		attrCode: &p.AccessCode, attrHint: &p.AccessCodeHint, attrLocale: &p.Locale, attrNote: &p.Message,
	}[attr]
}

// person returns the person who takes a role, adding them if need be.
func (in *RowInput) person(role string) *signing.RolePerson {
	for i := range in.People {
		if in.People[i].Role == role {
			return &in.People[i]
		}
	}
	in.People = append(in.People, signing.RolePerson{Role: role})
	return &in.People[len(in.People)-1]
}

// headingsOf lists the headings for rows that came as JSON: those of the template's header file, and
// of whatever else the rows hold.
func headingsOf(t *record.Document, rows []RowInput) []string {
	out := header(t)
	for _, x := range Targets(t) {
		holds := func(in RowInput) bool { return in.cell(x.ID) != "" }
		if !slices.Contains(out, x.Name) && slices.ContainsFunc(rows, holds) {
			out = append(out, x.Name)
		}
	}
	return out
}

// cellsOf writes a row that came as JSON under headings.
func cellsOf(names []string, targets headings, in RowInput) []string {
	out := make([]string, len(names))
	for i, h := range names {
		out[i] = in.cell(targets.of(h))
	}
	return out
}

// cell returns what a row that came as JSON says about a target.
func (in *RowInput) cell(target string) string {
	if name, ok := strings.CutPrefix(target, "variable:"); ok {
		return in.Variables[name]
	}
	if name, ok := strings.CutPrefix(target, "value:"); ok {
		return in.Values[name]
	}
	v := map[string]*string{targetTitle: in.Title, targetExternal: in.ExternalID}[target]
	if role, attr, ok := cutLast(target); ok {
		for i := range in.People {
			if p := &in.People[i]; strings.EqualFold(p.Role, role) {
				v = *attribute(p, attr)
			}
		}
	}
	if v == nil {
		return ""
	}
	return *v
}

// nameRoles names the roles of a row by their names.
func (in *RowInput) nameRoles(t *record.Document) {
	in.People = slices.Clone(in.People)
	for i := range in.People {
		if n := t.RoleIndex(in.People[i].Role); n >= 0 {
			in.People[i].Role = t.Invitations[n].RoleName
		}
	}
}

// place finds the column that a fault is about, by the name of the faulty field.
func place(columns []Column, in RowInput, f fault.Field) (heading string) {
	target := ""
	switch parts := strings.Split(f.Name, "."); {
	case parts[0] == "people" && len(parts) == 3:
		if n, err := strconv.Atoi(parts[1]); err == nil && n < len(in.People) {
			target = in.People[n].Role + "." + parts[2]
		}
	case parts[0] == "people" && f.Code == "role_without_person":
		target = lacking(f) + "." + attrEmail
	case parts[0] == "variables":
		target = "variable:" + variable.Fold(strings.TrimPrefix(f.Name, "variables."))
	case parts[0] == "values":
		target = "value:" + strings.TrimSuffix(strings.TrimPrefix(f.Name, "values."), ".value")
	default:
		target = f.Name
	}
	for _, c := range columns {
		if c.Target != "" && strings.EqualFold(c.Target, target) {
			return c.Heading
		}
	}
	return ""
}

// lacking returns the role that nobody takes.
func lacking(f fault.Field) string {
	for _, a := range f.Args {
		if a.Name == "role" {
			return a.String()
		}
	}
	return ""
}

// named puts the heading of the column into a fault's name and sentence.
func named(columns []Column, in RowInput, found []fault.Field) []fault.Field {
	out := make([]fault.Field, len(found))
	for i, f := range found {
		heading := place(columns, in, f)
		out[i] = fault.Field{Name: heading, Code: f.Code, Args: f.Args}
		if heading == "" {
			out[i].Name = f.Name
			continue
		}
		out[i].Args = []fault.Arg{fault.Text("field", heading)}
		for _, a := range f.Args {
			if a.Name != "field" {
				out[i].Args = append(out[i].Args, a)
			}
		}
	}
	return out
}

// readFile reads a table to be sent.
func (s *Service) readFile(b []byte) (sheet.Table, error) {
	return sheet.Read(bytes.NewReader(b), sheet.Limits{Bytes: len(b), Rows: s.MaxRows})
}
