package signing

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/variable"
	"paraph/kv"
)

// A template is stored like a document and edited by the same operations, so
// that everything a draft can hold a template can, too. It is told apart by
// [Document.Template]: it appears in lists of its own and is never sent.

// templatePrefix begins the names of the lists of templates.
const templatePrefix = "template."

func templateVisibilities() []string {
	out := make([]string, 0, len(visibilities))
	for _, v := range visibilities {
		out = append(out, templatePrefix+v)
	}
	return out
}

// byTemplate is the index of the documents made from a template, oldest first.
const byTemplate = "template"

// maxExpiresDays is the longest deadline of a template, in days.
const maxExpiresDays = 3650

// Template is a template and how it has been used.
type Template struct {
	*Document
	Documents  int    // made from it
	LastUsedAt string // RFC 3339; "" is never
}

// Variables lists the variables that documents made from the template need, in
// the order of their names. Those that the service fills in itself are left out.
func (d *Document) Variables() []string {
	var names []string
	for _, text := range d.texts() {
		names = append(names, variable.Names(*text)...)
	}
	known := d.known(account.Actor{}, account.Company{}, time.Time{})
	names = slices.DeleteFunc(names, func(name string) bool {
		_, own := known[name]
		return own
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// texts lists the texts of a template in which variables are filled in.
func (d *Document) texts() []*string {
	out := []*string{&d.Title, &d.Subject, &d.Message}
	for i := range d.Invitations {
		out = append(out, &d.Invitations[i].Message)
	}
	for i := range d.Fields {
		out = append(out, &d.Fields[i].Value)
	}
	return out
}

// roleIndex returns the place of the role with an identifier or name, -1 if there is none.
func (d *Document) roleIndex(ref string) int {
	return slices.IndexFunc(d.Invitations, func(inv Invitation) bool {
		return inv.ID == ref || inv.RoleName != "" && strings.EqualFold(inv.RoleName, ref)
	})
}

// distinct refuses a second invitation of one address, and in a template a second
// role of one name.
func (d *Document) distinct(f *fault.Fields, inv *Invitation) {
	for i := range d.Invitations {
		switch o := &d.Invitations[i]; {
		case o.ID == inv.ID:
		case inv.Email != "" && strings.EqualFold(o.Email, inv.Email):
			f.Add("email", "already_invited")
			return
		case d.Template && inv.RoleName != "" && strings.EqualFold(o.RoleName, inv.RoleName):
			f.Add("role_name", "role_exists")
			return
		}
	}
}

// created returns the event that begins the record's audit trail.
func (d *Document) created() saving {
	switch {
	case d.Template:
		return happened(EventTemplateCreated).with("title", d.Title)
	case d.MadeFrom != nil:
		return happened(EventDocumentCreated).with("title", d.Title).with("template", d.MadeFrom.Template)
	}
	return happened(EventDocumentCreated).with("title", d.Title)
}

// Templates returns a page of the company's templates, and their total.
func (s *Service) Templates(ctx context.Context, who account.Actor, q ListQuery) (list []Template, total int, err error) {
	q.Templates = true
	page, err := s.List(ctx, who, q)
	if err != nil {
		return nil, 0, err
	}
	rows, err := page.Items()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		for _, r := range rows {
			d, err := loadTemplate(tx, who, r.ID)
			if err != nil {
				return err
			}
			t, err := usage(tx, d)
			if err != nil {
				return err
			}
			list = append(list, t)
		}
		return nil
	})
	return list, page.Total, err
}

// GetTemplate returns one template.
func (s *Service) GetTemplate(_ context.Context, who account.Actor, id string, seen ...int64) (t Template, err error) {
	if err := member(who, account.ScopeRead); err != nil {
		return Template{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		d, err := loadTemplate(tx, who, id, seen...)
		if err != nil {
			return err
		}
		t, err = usage(tx, d)
		return err
	})
	return t, err
}

func loadTemplate(tx *kv.Tx, who account.Actor, id string, seen ...int64) (*Document, error) {
	d, err := load(tx, who, id, seen...)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && !d.Template {
		return nil, fault.NotFound("template")
	}
	return d, err
}

// usage counts the documents made from a template.
func usage(tx *kv.Tx, d *Document) (Template, error) {
	_, raw, total, err := rows.PageRaw(tx, kv.Query{Index: byTemplate, Prefix: kv.K(d.Company, d.ID), Descending: true, Limit: 1})
	if err != nil {
		return Template{}, err
	}
	t := Template{Document: d, Documents: total}
	for _, b := range raw {
		r, err := rowCodec.Decode(b)
		if err != nil {
			return Template{}, err
		}
		t.LastUsedAt = r.CreatedAt
	}
	return t, nil
}

// SaveAsTemplate makes a template from a document in any state: its files,
// fields and rules, with a role in place of each person. Names holds the names
// of the roles in the order of the invitations; roles without one are numbered.
func (s *Service) SaveAsTemplate(_ context.Context, who account.Actor, id string, title *string, names []string) (Template, error) {
	if err := member(who, account.ScopeWrite); err != nil {
		return Template{}, err
	}
	from, err := s.get(who, id)
	if err != nil {
		return Template{}, err
	}
	var f fault.Fields
	d := s.copyOf(from, who)
	d.Template, d.ExpiresAt, d.ExpiresDays = true, nil, from.span()
	(&DocumentInput{Title: title}).apply(&f, d, s.Limits, s.Now())
	roles := d.Invitations
	d.Invitations = nil
	for i := range roles {
		inv, at := &roles[i], f.At("roles", i)
		inv.Name, inv.Email = "", ""
		inv.RoleName = roleName(at, inv, names, i)
		d.distinct(at, inv)
		d.Invitations = append(d.Invitations, *inv)
	}
	if err := f.Err(); err != nil {
		return Template{}, err
	}
	return Template{Document: d}, s.insertCopy(who, d, d.created().with("document", id))
}

// roleName returns the name given for a role, or the one it has, or its number.
func roleName(f *fault.Fields, inv *Invitation, names []string, i int) string {
	if i < len(names) {
		if name := line(f, "role_name", &names[i], maxName); name != "" {
			return name
		}
	}
	if inv.RoleName != "" {
		return inv.RoleName
	}
	return fmt.Sprintf("%s%s %d", strings.ToUpper(inv.Role[:1]), inv.Role[1:], i+1)
}

// span returns how many days a document gave people, for its template; 0 is no deadline.
func (d *Document) span() int {
	if d.ExpiresAt == nil {
		return d.ExpiresDays
	}
	began := d.CreatedAt
	if d.SentAt != nil {
		began = *d.SentAt
	}
	return min(max(1, int(d.ExpiresAt.Sub(began).Hours()+12)/24), maxExpiresDays)
}

// UseInput describes a document to be made from a template.
type UseInput struct {
	DocumentInput // overrides settings of the template
	People        []RolePerson
	Variables     map[string]string
	Values        map[string]string // values of fields, by the name of the field
	Send          bool
	BaseURL       string // the request's, for links
}

// RolePerson says who takes a role, by its identifier or name. What is not set
// is taken from the template.
type RolePerson struct {
	Role string
	InvitationInput
}

// Use makes a document from a template, and sends it if asked to. The document
// keeps what the template was at that moment.
func (s *Service) Use(ctx context.Context, who account.Actor, id string, in UseInput, seen ...int64) (*Document, error) {
	if err := member(who, account.ScopeWrite); err != nil {
		return nil, err
	}
	t, err := s.GetTemplate(ctx, who, id, seen...)
	if err != nil {
		return nil, err
	}
	if err := t.live(); err != nil {
		return nil, err
	}
	company, err := s.company(who)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	d := s.copyOf(t.Document, who)
	d.Template, d.ExpiresDays, d.MadeFrom, d.BaseURL = false, 0, &Source{t.ID, t.Version}, s.base(in.BaseURL)
	if t.ExpiresDays > 0 {
		until := now.AddDate(0, 0, t.ExpiresDays)
		d.ExpiresAt = &until
	}
	var f fault.Fields
	s.cast(&f, d, t.Document, in.People)
	in.DocumentInput.apply(&f, d, s.Limits, now)
	d.fillIn(&f, in.Variables, d.known(who, company, now))
	d.preset(&f, in.Values)
	err = s.DB.View(func(tx *kv.Tx) error {
		if err := d.stillApprovable(tx); err != nil {
			return err
		}
		return setApprover(tx, who, &f, d, in.ApproverID)
	})
	if err != nil {
		return nil, err
	}
	if in.Send && f.Empty() {
		d.ready(&f)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return s.insert(ctx, who, d, CreateInput{Send: in.Send})
}

// cast puts people in the place of the roles of a template. The document has its
// invitations in the order of the template's roles.
func (s *Service) cast(f *fault.Fields, d, template *Document, people []RolePerson) {
	taken := map[string]bool{}
	for i := range people {
		p, at := &people[i], f.At("people", i)
		n := template.roleIndex(p.Role)
		switch {
		case n < 0:
			at.Selected("role")
			continue
		case taken[d.Invitations[n].ID]:
			at.Add("role", "role_taken")
			continue
		}
		inv := &d.Invitations[n]
		taken[inv.ID] = true
		p.RoleName = nil
		p.InvitationInput.apply(at, inv, s.proofs())
		d.distinct(at, inv)
	}
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; !taken[inv.ID] && (inv.Name == "" || inv.Email == "") {
			f.Add("people", "role_without_person", fault.Text("role", inv.RoleName))
		}
	}
}

// known returns the variables that the service fills in itself.
func (d *Document) known(who account.Actor, company account.Company, now time.Time) map[string]string {
	out := map[string]string{"sender.name": who.Name, "sender.email": who.Email, "company": company.Name,
		"today": now.In(zoneOf(company)).Format(time.DateOnly)}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		role := variable.Fold(inv.RoleName)
		out[role+".name"], out[role+".email"] = inv.Name, inv.Email
	}
	return out
}

func zoneOf(c account.Company) *time.Location {
	if zone, err := time.LoadLocation(c.Timezone); err == nil {
		return zone
	}
	return time.UTC
}

// fillIn replaces the variables in all texts. Those without a value are faults,
// and so are values for variables that do not occur.
func (d *Document) fillIn(f *fault.Fields, given, known map[string]string) {
	values := variable.Folded(given)
	wanted := map[string]bool{}
	for _, text := range d.texts() {
		for _, name := range variable.Names(*text) {
			wanted[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if _, own := known[name]; own {
			values[name] = known[name]
		} else if _, ok := values[name]; !ok {
			f.Required("variables." + name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !wanted[name] {
			f.Add("variables."+name, "unknown_variable")
		}
		value := values[name]
		lines(f, "variables."+name, &value, maxMessage)
	}
	if !f.Empty() {
		return
	}
	before := slices.Clone(d.Fields)
	for _, text := range d.texts() {
		*text = variable.Fill(*text, values)
	}
	d.filledTexts(f)
	for i := range d.Fields {
		if x := &d.Fields[i]; x.Value != before[i].Value { // a field may bound its values
			(&FieldInput{Value: &x.Value}).apply(f.At("fields", i), x, placement{files: d.Files, invitations: d.Invitations})
		}
	}
}

// filledTexts checks the texts again: variables may have made them too long.
func (d *Document) filledTexts(f *fault.Fields) {
	d.Title = line(f, "title", &d.Title, maxTitle)
	d.Subject = line(f, "subject", &d.Subject, maxTitle)
	d.Message = lines(f, "message", &d.Message, maxMessage)
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		inv.Message = lines(f.At("people", i), "message", &inv.Message, maxMessage)
	}
}

// preset gives fields their values, by the name of the field.
func (d *Document) preset(f *fault.Fields, values map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, found := values[name], false
		for i := range d.Fields {
			x := &d.Fields[i]
			if x.Name != name || x.drawn() {
				continue
			}
			found = true
			(&FieldInput{Value: &value}).apply(f.Under("values."+name), x, placement{files: d.Files, invitations: d.Invitations})
		}
		if !found {
			f.Add("values."+name, "unknown_field")
		}
	}
}
