package record

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
)

// Fill checks a value and writes it to the record and to values. A field that the rules
// hide has none.
func (x *Field) Fill(f *fault.Fields, rules *Rules, v string, values map[string]string) {
	if x.Hidden = !rules.Shown(x); x.Hidden {
		delete(values, x.ID)
		return
	}
	if !x.HasAnswer() {
		return
	}
	if x.Formula != "" {
		var why *Flaw
		if v, why = rules.Computed(x); why != nil {
			why.Report(f, x)
			return
		}
	}
	if v = strings.TrimSpace(v); !x.empty(v) {
		accepted, why := x.acceptToday(v, rules.today)
		if why != nil {
			why.Report(f, x)
			return
		}
		v = accepted
	}
	if x.empty(v) && rules.Required(x) && !(x.Type == pdf.FieldRadio && x.Group != "") {
		f.Add("fields."+x.Key(), "required", x.Arg())
		return
	}
	values[x.ID] = v
	x.Kept = v != "" && v == x.Value
	x.Value, x.Filled = v, true
}

// Arg returns the field's name as an argument of a fault.
func (x *Field) Arg() fault.Arg { return fault.Text("field", x.Key()) }

// Key returns the field's name in messages: its name, label or identifier, or its alias.
func (x *Field) Key() string {
	switch {
	case x.Alias != "":
		return x.Alias
	case x.Name != "":
		return x.Name
	case x.Label != "":
		return x.Label
	}
	return x.ID
}

// GroupKey returns the name of the field's group in messages, or its alias.
func (x *Field) GroupKey() string { return cmp.Or(x.GroupAlias, x.Group) }

// SetValue sets the value of the field with the given name, label or identifier.
func SetValue(own []*Field, values map[string]string, key, v string) bool {
	for _, x := range own {
		if strings.EqualFold(x.ID, key) {
			values[x.ID] = v
			return true
		}
	}
	done := false
	for _, x := range own {
		if x.Name == key {
			values[x.ID] = v
			done = true
		}
	}
	return done
}

// SetGroup selects one button of a radio group by name, label or identifier.
func SetGroup(own []*Field, values map[string]string, group, choice string) bool {
	members := slices.DeleteFunc(slices.Clone(own), func(x *Field) bool {
		return x.Type != pdf.FieldRadio || x.Group != group || group == ""
	})
	i := slices.IndexFunc(members, func(x *Field) bool {
		return x.Name == choice || x.Label == choice || x.ID == choice
	})
	if i < 0 {
		return false
	}
	for j, x := range members {
		values[x.ID] = unchecked
		if j == i || x.linkable() && members[i].linkable() && x.link() == members[i].link() {
			values[x.ID] = Checked
		}
	}
	return true
}

// Automatic returns the value of a field that its signatory did not fill in: their
// name, address, company or job title, the date, or the default.
func (x *Field) Automatic(inv *Invitation, now time.Time) string {
	if x.Type == pdf.FieldDateSigned {
		return now.Format(time.DateOnly)
	}
	if x.Value != "" {
		return x.Value
	}
	switch x.Type {
	case pdf.FieldName:
		return inv.Name
	case pdf.FieldEmail:
		return inv.Email
	case pdf.FieldCompany:
		return inv.Company
	case pdf.FieldJobTitle:
		return inv.JobTitle
	}
	return ""
}

// Entered returns a recipient's values by field: those given, for the field itself or one
// linked to it, and the automatic ones. Choosing a radio button takes the place of a default in its group.
func Entered(own []*Field, inv *Invitation, given map[string]string, now time.Time) map[string]string {
	out, linked, chosen := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, x := range own {
		v, said := given[x.ID]
		if said && x.isButton() && !x.empty(v) {
			chosen[x.Group] = true
		}
		if said && x.linkable() {
			if _, known := linked[x.link()]; !known {
				linked[x.link()] = v
			}
		}
	}
	for _, x := range own {
		v, said := given[x.ID]
		if !said && x.linkable() {
			v, said = linked[x.link()]
		}
		switch {
		case !said && !x.ReadOnly && x.isButton() && chosen[x.Group]:
			v = unchecked
		case !said || x.ReadOnly || x.computed():
			v = x.Automatic(inv, now)
		}
		out[x.ID] = v
	}
	return out
}

// isButton reports whether the field is a radio button of a group.
func (x *Field) isButton() bool {
	return x.Type == pdf.FieldRadio && x.Group != "" && len(x.Options) == 0
}

// computed reports whether the value follows from the act or from other values, whoever asks.
func (x *Field) computed() bool { return x.Type == pdf.FieldDateSigned || x.Formula != "" }

// Settled reports whether nobody can enter the value: it is fixed or computed.
func (x *Field) Settled() bool { return x.ReadOnly || x.computed() }

// Computed reports whether the value follows from others, or from when the person signs.
func (x *Field) Computed() bool { return x.computed() }

// linkable reports whether the field takes its value from another one of its name. Where a
// condition decides, each field is filled in by itself.
func (x *Field) linkable() bool {
	kind := x.Prints() && x.Type != pdf.FieldDateSigned || x.Type == pdf.FieldCheckbox || x.isButton()
	return kind && x.Name != "" && !x.ReadOnly && x.Condition == nil && x.Formula == ""
}

// link identifies the fields of one recipient that are filled in together.
func (x *Field) link() string {
	if x.Prints() {
		return string(x.Type) + " " + x.Name
	}
	return string(x.Type) + " " + x.Group + "\n" + x.Name
}

// Followers returns the fields that repeat an earlier one, with that.
func Followers(own []*Field) map[*Field]*Field {
	out, first := map[*Field]*Field{}, map[string]*Field{}
	for _, x := range own {
		if !x.linkable() {
			continue
		}
		if leader := first[x.link()]; leader != nil {
			out[x] = leader
		} else {
			first[x.link()] = x
		}
	}
	return out
}

// Repeats returns the identifiers of fields that show what is filled in at an earlier one.
func Repeats(own []*Field) map[string]bool {
	out := map[string]bool{}
	for x := range Followers(own) {
		out[x.ID] = x.Prints()
	}
	return out
}

// Unanswered returns the fields that a recipient has to fill in and has not. Of a group of radio
// buttons without a choice it is the first that they can choose.
func Unanswered(own []*Field, rules *Rules, entered map[string]string) []*Field {
	var out []*Field
	done := map[string]bool{} // groups of radio buttons
	buttons := func(x *Field) bool { return x.Type == pdf.FieldRadio && x.Group != "" }
	for _, x := range own {
		done[x.Group] = done[x.Group] || buttons(x) && rules.Shown(x) && !x.empty(entered[x.ID])
	}
	boxes := BoxesOf(own)
	for _, x := range own {
		needed := rules.Required(x)
		if x.Type == pdf.FieldCheckbox && x.Group != "" {
			g := boxes[x.Group]
			ticked, _, open := g.count(rules, entered)
			needed = needed || ticked < min(g.Min, ticked+open)
		}
		open := !x.ReadOnly && x.HasAnswer() && rules.Shown(x) && x.empty(entered[x.ID])
		if !needed || !open || buttons(x) && done[x.Group] {
			continue
		}
		if out = append(out, x); buttons(x) {
			done[x.Group] = true
		}
	}
	return out
}

// CheckEntered reports what is wrong with the values that a recipient has entered so far, and which of them do
// not fit on paper. Nothing is missing yet.
func (p *Paper) CheckEntered(f *fault.Fields, d *Document, inv *Invitation, given map[string]string, today time.Time) {
	asked := AskedOf(d, inv)
	values := EnteredIn(asked, given, today)
	rules := RulesFor(d, inv.ID, values, today)
	for i := range asked {
		asked[i].check(f, p, d, rules, values)
	}
}

func (a *Asked) check(f *fault.Fields, on *Paper, d *Document, rules *Rules, values map[string]string) {
	for _, x := range a.Fields {
		v, why := strings.TrimSpace(values[x.ID]), (*Flaw)(nil)
		switch {
		case x.Formula != "":
			v, why = rules.Computed(x)
		case x.ReadOnly || !x.HasAnswer() || !rules.Shown(x):
			continue
		}
		if why == nil && !x.empty(v) {
			if v, why = x.acceptToday(v, rules.today); why == nil {
				why = on.Check(d, x, v)
			}
		}
		if why != nil {
			why.Report(f, x)
		}
	}
	for name, g := range BoxesOf(a.Fields) {
		g.checkMost(f, name, rules, values)
	}
}

// CheckGroups requires a choice in every required group and refuses several in any, and as
// many ticks as the groups of checkboxes ask for.
func CheckGroups(f *fault.Fields, rules *Rules, own []*Field, values map[string]string) {
	chosen, required := map[string]int{}, map[string]bool{}
	keys, followers := map[string]string{}, Followers(own) // keys by name of the group
	for _, x := range own {
		if x.Type != pdf.FieldRadio || x.Group == "" || !rules.Shown(x) || followers[x] != nil {
			continue
		}
		keys[x.Group], required[x.Group] = x.GroupKey(), required[x.Group] || rules.Required(x)
		if !x.empty(values[x.ID]) {
			chosen[x.Group]++
		}
	}
	for name, g := range BoxesOf(own) {
		g.checkLeast(f, name, rules, values)
		g.checkMost(f, name, rules, values)
	}
	for group, need := range required {
		switch {
		case need && chosen[group] == 0:
			f.Add("fields."+keys[group], "required", fault.Text("field", group))
		case chosen[group] > 1:
			f.Add("fields."+keys[group], "several_choices", fault.Text("field", group))
		}
	}
}
