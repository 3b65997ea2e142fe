package record

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
)

// trials finds the fields that could not be signed as they are: everything that is known of their values
// before anybody enters anything is tried as signing will. What is fixed is drawn by valueProblems.
func (p *Paper) trials(d *Document) []Problem {
	var out []Problem
	add := func(x *Field, why *Flaw) {
		out = append(out, Problem{Code: "value_unsignable", Severity: SeverityError, File: x.File, Page: x.Page,
			Invitation: x.Invitation, Field: x.ID, part: "fields",
			Args: []fault.Arg{d.Placed("place", x), fault.Reason("reason", why.code, append(slices.Clone(why.args), x.Arg())...)}})
	}
	lookups := OperandsOf(d)
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.Signs() {
			continue
		}
		own := d.UnsortedFieldsOf(inv.ID)
		t := trial{on: p, d: d, inv: inv, operands: lookups, known: map[*Field]bool{}}
		entered := Entered(own, inv, nil, someDay)
		for _, day := range []time.Time{someDay, someDay.AddDate(3, 1, 1)} {
			t.days = append(t.days, RulesFor(d, inv.ID, entered, day))
		}
		groups := choices(own)
		for _, x := range own {
			if why := cmp.Or(t.flaw(x), groups[x]); why != nil {
				add(x, why)
			}
		}
	}
	return out
}

// someDay is the first of two days on which formulas are tried: what fails on both fails whenever it is
// signed.
var someDay = time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)

// A trial tries the fields of one recipient.
type trial struct {
	on       *Paper
	d        *Document
	inv      *Invitation
	operands *Operands
	days     []*Rules        // on several days
	known    map[*Field]bool // fields whose value nobody will enter
}

// flaw returns what keeps a field from being signed, nil if nothing does or if it depends on what is
// entered.
func (t *trial) flaw(x *Field) *Flaw {
	if x.Condition != nil && x.Condition.Then == ConditionShow && t.decided(x) && !t.days[0].Shown(x) {
		return nil
	}
	if why := t.settings(x); why != nil {
		return why
	}
	switch {
	case x.Formula != "":
		return t.formula(x)
	case !x.HasAnswer() || x.HandsIn() || x.Type == pdf.FieldDateSigned:
		return nil
	}
	v := x.Value
	if x.ReadOnly {
		v = x.Automatic(t.inv, someDay)
	}
	if x.empty(v) {
		return nil // see unfillable
	}
	_, why := x.accept(v)
	return why
}

// settings returns what keeps every value from being signed: choices of which none can be drawn, a format that
// can't, more characters than there are cells for.
func (t *trial) settings(x *Field) *Flaw {
	if x.Type == pdf.FieldSelect || x.Type == pdf.FieldRadio {
		var why *Flaw
		for _, o := range x.Options {
			if why = t.on.undrawable(o); why == nil {
				break
			}
		}
		if why != nil {
			return why
		}
	}
	if x.Type == pdf.FieldText && x.Required && x.Min != nil {
		if why := t.shortest(x, *x.Min); why != nil {
			return why
		}
	}
	sample := ""
	switch x.Type {
	case pdf.FieldNumber:
		sample = "1"
	case pdf.FieldDate, pdf.FieldDateSigned:
		sample = someDay.Format(time.DateOnly)
	}
	if sample == "" || x.Format == "" {
		return nil
	}
	return t.on.undrawable(x.Shown(sample, t.on.Words.Match(t.d.Locale)))
}

// shortest returns what keeps the shortest text that a field accepts from being drawn there, even in narrow letters.
func (t *trial) shortest(x *Field, least float64) *Flaw {
	switch {
	case x.Divided() && least > float64(x.Cells):
		return NewFlaw("too_many_characters", fault.Number("limit", x.Cells))
	case x.Divided() || least < 1 || least > MaxValue:
		return nil
	}
	narrow := strings.Repeat("i ", int(least)/2+1)[:int(least)]
	if n, fits := t.on.room(t.d, x, narrow, false); !fits {
		return NewFlaw("no_room", fault.Number("limit", n))
	}
	return nil
}

// formula tries a formula all of whose values are known.
func (t *trial) formula(x *Field) *Flaw {
	if !t.settled(x) || !t.days[0].Shown(x) {
		return nil
	}
	var why *Flaw
	for _, rules := range t.days {
		var v string
		switch v, why = rules.Computed(x); {
		case why != nil:
		case v != "":
			if v, why = x.accept(v); why == nil {
				why = t.on.Check(t.d, x, v)
			}
		case rules.Required(x):
			why = NewFlaw("required")
		}
		if why == nil {
			return nil
		}
	}
	return why
}

// settled reports whether nobody will enter a field's value, or anything that it depends on. Which day it
// is signed on does not count.
func (t *trial) settled(x *Field) bool {
	known, ok := t.known[x]
	if !ok {
		t.known[x] = false // documents that are sent have no circles
		known = t.settles(x)
		t.known[x] = known
	}
	return known
}

func (t *trial) settles(x *Field) bool {
	if x.Type == pdf.FieldDateSigned || x.AssistedBy != "" || !t.decided(x) {
		return false
	}
	if x.Formula == "" {
		return x.ReadOnly && x.Value != ""
	}
	compiled, err := t.operands.formulaOf(x)
	if err != nil {
		return false // reported as a problem of its own
	}
	return !slices.ContainsFunc(compiled.Fields, func(name string) bool { return !t.settledOperand(x, name) })
}

// decided reports whether it is known if a field's condition holds.
func (t *trial) decided(x *Field) bool {
	return x.Condition == nil || !slices.ContainsFunc(x.Condition.When, func(test Test) bool { return !t.settledOperand(x, test.Field) })
}

func (t *trial) settledOperand(x *Field, name string) bool {
	found, _ := t.operands.Of(x, name)
	return found != nil && !slices.ContainsFunc(found.Fields, func(o *Field) bool { return !t.settled(o) })
}

// choices returns what is wrong with groups of radio buttons, by the first button of each: none of them is
// chosen and none can be, or several are for good.
func choices(own []*Field) map[*Field]*Flaw {
	groups := map[string][]*Field{}
	for _, x := range own {
		if x.isButton() {
			groups[x.Group] = append(groups[x.Group], x)
		}
	}
	out := map[*Field]*Flaw{}
	for _, buttons := range groups {
		required, open, on := false, 0, 0
		for _, x := range buttons {
			required = required || x.Required && x.Condition == nil
			switch {
			case !x.ReadOnly:
				open++
			case !x.empty(x.Value) && x.Condition == nil:
				on++
			case x.Condition != nil:
				open++ // it depends
			}
		}
		switch {
		case on > 1:
			out[buttons[0]] = NewFlaw("several_choices")
		case required && open == 0 && on == 0:
			out[buttons[0]] = NewFlaw("required")
		}
	}
	return out
}
