package record

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"paraph/app/fault"
)

// An assistant fills in fields of those who sign later. What they enter becomes the value that
// the signatory finds in the field, may change, and signs: the assistant's word binds nobody, so
// they need not consent, and nothing is drawn before the signatory signs.

// Asked lists the fields of one recipient, or of one group, that an invited person is asked to
// fill in.
type Asked struct {
	Of       *Invitation // whose fields they are, for the values that follow from it
	Name     string      // of the recipient, or of all in the group
	Fields   []*Field
	Reserved []*Field // fields that are left to the recipient themselves
}

// AskedOf returns what an invited person is asked to fill in: all their own fields. Assistants are
// asked for copies of what others can fill in for those who act later, none of it required.
func AskedOf(d *Document, inv *Invitation) []Asked {
	if inv.Role != Assistant {
		return []Asked{{Of: inv, Name: inv.DisplayName(), Fields: d.UnsortedFieldsOf(inv.ID)}}
	}
	var out []Asked
	first := map[string]int{} // part by key, or by name of a group
	for _, of := range assisted(d, inv) {
		part := Asked{Of: of, Name: of.DisplayName()}
		if group := groupOf(d.Invitations, of); len(group) > 1 {
			// Whose name it will be is known when one of them acts.
			part = Asked{Of: &Invitation{ID: of.ID}, Name: names(group)[0]}
		}
		aliases := map[string]string{} // of its groups
		for _, x := range d.UnsortedFieldsOf(of.ID) {
			if !x.assistable() {
				part.Reserved = append(part.Reserved, x)
				continue
			}
			c := x.optional()
			if in, taken := first[x.Key()]; taken && in != len(out) {
				c.Alias = x.ID
			} else {
				first[x.Key()] = len(out)
			}
			if in, taken := first[x.Group]; x.Group != "" && taken && in != len(out) {
				aliases[x.Group] = cmp.Or(aliases[x.Group], x.ID)
				c.GroupAlias = aliases[x.Group]
			} else {
				first[x.Group] = len(out)
			}
			part.Fields = append(part.Fields, c)
		}
		out = append(out, part)
	}
	return out
}

// assisted lists the people for whom an assistant can fill in fields: of a group only the first.
func assisted(d *Document, inv *Invitation) []*Invitation {
	if d.SigningOrder != Sequential || !inv.Open() {
		return nil
	}
	return slices.DeleteFunc(d.InOrder(), func(o *Invitation) bool { return !o.Open() || o.Position <= inv.Position })
}

// assistable reports whether an assistant sees the field. What can't be changed is shown only, and
// a value that is masked is nobody's business but the recipient's.
func (x *Field) assistable() bool {
	return x.Enterable() && x.Masked(x.Value) == x.Value
}

// optional returns a copy of the field that may be left empty.
func (x *Field) optional() *Field {
	c := *x
	c.Required, c.GroupMin = false, 0
	if c.Condition != nil && c.Condition.Then == ConditionRequire {
		c.Condition = nil
	}
	return &c
}

// filledBy returns the invitations whose fields an invited person is asked for.
func filledBy(d *Document, invitation string) map[string]bool {
	inv := d.Invitation(invitation)
	if inv == nil || inv.Role != Assistant {
		return hands(d, invitation)
	}
	out := map[string]bool{}
	for _, o := range assisted(d, inv) {
		maps.Copy(out, hands(d, o.ID))
	}
	return out
}

// FieldsIn returns all fields that somebody is asked for.
func FieldsIn(asked []Asked) (all []*Field) {
	for _, part := range asked {
		all = append(all, part.Fields...)
	}
	return all
}

// EnteredIn returns somebody's values by field, see [Entered].
func EnteredIn(asked []Asked, given map[string]string, now time.Time) map[string]string {
	out := map[string]string{}
	for _, part := range asked {
		maps.Copy(out, Entered(part.Fields, part.Of, given, now))
	}
	return out
}

// Prefill checks what an assistant has entered, and writes it to the document. It returns the
// names of the fields whose values differ from those they had.
func Prefill(
	f *fault.Fields, d *Document, inv *Invitation, asked []Asked, values map[string]string, today time.Time,
) []string {
	var changed []string
	rules := RulesFor(d, inv.ID, values, today)
	for _, part := range asked {
		for _, x := range part.Fields {
			if x.Settled() || !rules.Shown(x) {
				continue
			}
			v := strings.TrimSpace(values[x.ID])
			if x.empty(v) {
				v = ""
			} else if accepted, why := x.acceptToday(v, today); why != nil {
				why.Report(f, x)
				continue
			} else {
				v = accepted
			}
			before := x.Automatic(part.Of, today)
			if v == before || v == "" && x.empty(before) {
				continue
			}
			d.Field(x.ID).assist(v, inv)
			changed = append(changed, x.Key())
		}
		CheckGroups(f, rules, part.Fields, values)
	}
	return changed
}

// assist writes a value that an assistant entered.
func (f *Field) assist(v string, inv *Invitation) {
	if f.AssistedBy != "" && f.AssistedBy != inv.ID {
		f.AssistedBefore = append(slices.Clone(f.AssistedBefore), f.AssistedBy)
	}
	f.Value, f.AssistedBy = v, inv.ID
}

// AssistedFields lists the fields that an assistant has filled in, also those that another one
// changed.
func AssistedFields(d *Document, inv *Invitation) (out []*Field) {
	for i := range d.Fields {
		x := &d.Fields[i]
		if inv.Role == Assistant && (x.AssistedBy == inv.ID || slices.Contains(x.AssistedBefore, inv.ID)) {
			out = append(out, x)
		}
	}
	return out
}

// assistantProblem reports an assistant who would find nothing to fill in.
func assistantProblem(d *Document, inv *Invitation, at string) []Problem {
	open := func(x *Field) bool { return !x.ReadOnly }
	if inv.Role != Assistant || slices.ContainsFunc(FieldsIn(AskedOf(d, inv)), open) {
		return nil
	}
	return []Problem{{Code: "assistant_has_nothing_to_fill_in", Severity: SeverityError, Invitation: inv.ID, part: at,
		Args: []fault.Arg{fault.Text("name", inv.DisplayName())}}}
}
