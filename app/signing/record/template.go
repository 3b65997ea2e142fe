package record

import (
	"maps"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/convert/merge"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/variable"
)

// TemplatePrefix begins the names of the lists of templates.
const TemplatePrefix = "template."

// maxExpiresDays is the longest deadline of a template, in days.
const maxExpiresDays = 3650

// Variables lists the variables that documents made from the template need, in
// the order of their names. Those that the service fills in itself are left out.
func (d *Document) Variables() []string {
	var names []string
	for _, text := range d.Texts() {
		names = append(names, variable.Names(*text)...)
	}
	for _, x := range PlaceholdersOf(d) {
		if x.Of == "" {
			names = append(names, x.Name)
		}
	}
	known := d.BuiltinVariables(account.Actor{}, account.Company{}, time.Time{})
	names = slices.DeleteFunc(names, func(name string) bool {
		_, own := known[name]
		return own
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// Texts lists the texts of a template in which variables are filled in.
func (d *Document) Texts() []*string {
	out := []*string{&d.Title, &d.Subject, &d.Message}
	for i := range d.Invitations {
		out = append(out, &d.Invitations[i].Message)
	}
	for i := range d.Fields {
		out = append(out, &d.Fields[i].Value)
	}
	return out
}

// RoleIndex returns the index of the role with the given identifier or name, -1 if there is none.
func (d *Document) RoleIndex(ref string) int {
	return slices.IndexFunc(d.Invitations, func(inv Invitation) bool {
		return inv.ID == ref || inv.RoleName != "" && strings.EqualFold(inv.RoleName, ref)
	})
}

// Distinct refuses a second invitation of the same address, unless the sender says that two
// people share it, and, in a template, a second role of the same name.
func (d *Document) Distinct(f *fault.Fields, inv *Invitation) {
	for i := range d.Invitations {
		switch o := &d.Invitations[i]; {
		case o.ID == inv.ID:
		case inv.Email != "" && strings.EqualFold(o.Email, inv.Email) && !inv.SharesEmail && !o.SharesEmail:
			f.Add("email", "already_invited")
			return
		case d.Template && inv.RoleName != "" && strings.EqualFold(o.RoleName, inv.RoleName):
			f.Add("role_name", "role_exists")
			return
		}
	}
}

// CreatedEvent returns the first event of the document's audit trail.
func (d *Document) CreatedEvent() Event {
	switch {
	case d.Template:
		return NewEvent(EventTemplateCreated).With("title", d.Title)
	case d.MadeFrom != nil:
		e := NewEvent(EventDocumentCreated).With("title", d.Title).With("template", d.MadeFrom.Template)
		if d.MadeFrom.Run != "" {
			e = e.With("run", d.MadeFrom.Run)
		}
		if d.MadeFrom.Link != "" {
			e = e.With("link", d.MadeFrom.Link)
		}
		return e
	}
	return NewEvent(EventDocumentCreated).With("title", d.Title)
}

// DeadlineDays returns how many days a document allowed for signing, for a template made from it; 0 means no deadline.
func (d *Document) DeadlineDays() int {
	if d.ExpiresAt == nil {
		return d.ExpiresDays
	}
	began := d.CreatedAt
	if d.SentAt != nil {
		began = *d.SentAt
	}
	return min(max(1, int(d.ExpiresAt.Sub(began).Hours()+12)/24), maxExpiresDays)
}

// BuiltinVariables returns the values of the variables that the service fills in itself.
func (d *Document) BuiltinVariables(who account.Actor, company account.Company, now time.Time) map[string]string {
	out := map[string]string{"sender.name": who.Name, "sender.email": who.Email, "company": company.Name,
		"today": now.In(company.Zone()).Format(time.DateOnly)}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		role := variable.Fold(inv.RoleName)
		out[role+".name"], out[role+".email"] = inv.Name, inv.Email
	}
	return out
}

// FillIn replaces the variables in all texts, and returns what the files are filled in
// with. Variables without a value and values for unknown variables are faults.
func (d *Document) FillIn(f *fault.Fields, given, known map[string]string, written Writing) merge.Data {
	values := variable.Folded(given)
	wanted := wantedBy(d)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if _, own := known[name]; own {
			values[name] = known[name]
		} else if _, ok := values[name]; !ok && wanted[name] {
			f.Required("variables." + name)
		}
	}
	out := merge.Data{Values: map[string]string{}, Lists: map[string][]merge.Item{}}
	lists := ListsOf(d)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at, value := "variables."+name, values[name]
		if _, ok := wanted[name]; !ok {
			f.Add(at, "unknown_variable")
		}
		if names, ok := lists[name]; ok {
			out.Lists[name] = readItems(f, at, value, names, values)
			continue
		}
		input.Lines(f, at, &value, maxMessage)
		out.Values[name] = value
	}
	if PlaceholdersOf(d).check(f, out, written); !f.Empty() {
		return out
	}
	before := slices.Clone(d.Fields)
	for _, text := range d.Texts() {
		*text = variable.Fill(*text, out.Values)
	}
	d.filledTexts(f)
	for i := range d.Fields {
		if x := &d.Fields[i]; x.Value != before[i].Value { // the field may restrict its value
			(&FieldInput{Value: &x.Value}).Apply(f.At("fields", i), x, Placement{d.Files, d.Invitations, written})
		}
	}
	return out
}

// wantedBy returns the variables of all texts and files, and whether each must have a value:
// one that is only a condition, or used only where it is true, is false without.
func wantedBy(d *Document) map[string]bool {
	out := map[string]bool{}
	for _, text := range d.Texts() {
		for _, name := range variable.Names(*text) {
			out[name] = true
		}
	}
	for _, x := range PlaceholdersOf(d) {
		optional := x.Of != "" || x.Optional || x.Kind == merge.Condition // items may have it
		out[x.Name] = out[x.Name] || !optional
	}
	return out
}

// filledTexts checks the texts again: filling them in may have made them too long.
func (d *Document) filledTexts(f *fault.Fields) {
	d.Title = input.Line(f, "title", &d.Title, maxTitle)
	d.Subject = input.Line(f, "subject", &d.Subject, maxTitle)
	d.Message = input.Lines(f, "message", &d.Message, maxMessage)
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		inv.Message = input.Lines(f.At("people", i), "message", &inv.Message, maxMessage)
	}
}

// Preset sets the values of fields by name: of one person, or ("") of all.
func (d *Document) Preset(f *fault.Fields, invitation string, values map[string]string, written Writing) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, found := values[name], false
		for i := range d.Fields {
			x := &d.Fields[i]
			if x.Name != name || !x.HasAnswer() || invitation != "" && x.Invitation != invitation {
				continue
			}
			found = true
			(&FieldInput{Value: &value}).Apply(f.Under("values."+name), x, Placement{d.Files, d.Invitations, written})
		}
		if !found {
			f.Add("values."+name, "unknown_field")
		}
	}
}

// People returns the name that the list of invitations has in the API: those of a template are its roles.
func (d *Document) People() string {
	if d.Template {
		return "roles"
	}
	return "invitations"
}
