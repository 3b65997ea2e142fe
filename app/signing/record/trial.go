package record

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/format"
	"paraph/app/signing/pattern"
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
var (
	someDay  = time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)
	someDate = someDay.Format(time.DateOnly)
)

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

// settings returns what keeps every value from being signed: a format or choices that no font has, and of a field that
// has to be filled in, that there is no value which its rules accept and its box has room for.
func (t *trial) settings(x *Field) *Flaw {
	if x.Type == pdf.FieldSelect || x.Type == pdf.FieldRadio {
		if why := allFlawed(x.Options, t.on.undrawable); why != nil {
			return why
		}
	}
	sample := map[pdf.FieldType]string{pdf.FieldNumber: "1", pdf.FieldDate: someDate, pdf.FieldDateSigned: someDate}[x.Type]
	if sample != "" && x.Format != "" {
		if why := t.on.undrawable(x.Shown(sample, t.on.Words.Match(t.d.Locale))); why != nil {
			return why
		}
	}
	if required := x.Required || x.Condition != nil && x.Condition.Then == ConditionRequire; required && !x.Settled() {
		return t.possible(x)
	}
	return nil
}

// allFlawed returns the flaw of the last value if all have one, or that one of them has no room.
func allFlawed(values []string, flaw func(v string) *Flaw) (why *Flaw) {
	for _, v := range values {
		found := flaw(v)
		if found == nil {
			return nil
		}
		if why == nil || why.code != "no_room" {
			why = found
		}
	}
	return why
}

// possible returns what keeps all values from being entered, nil if some value may be.
func (t *trial) possible(x *Field) *Flaw {
	accepted := func(v string) *Flaw {
		v, why := x.accept(v)
		if why == nil {
			why = t.on.Check(t.d, x, v)
		}
		return why
	}
	switch x.Type {
	case pdf.FieldSelect, pdf.FieldRadio:
		return allFlawed(x.Options, accepted)
	case pdf.FieldNumber:
		return allFlawed(x.simplest(), accepted)
	case pdf.FieldDate:
		return t.someDate(x)
	case pdf.FieldEmail, pdf.FieldPhone:
		if why := t.on.Check(t.d, x, map[pdf.FieldType]string{pdf.FieldEmail: "i@i.il", pdf.FieldPhone: "1111"}[x.Type]); why != nil {
			return why
		}
	}
	least, most := 1, MaxValue
	if x.Type == pdf.FieldText {
		if x.Min != nil {
			least = max(least, int(min(math.Ceil(*x.Min), MaxValue+1)))
		}
		if x.Max != nil {
			most = int(max(0, min(math.Floor(*x.Max), MaxValue)))
		}
		if x.Divided() {
			most = min(most, x.Cells)
		}
	}
	switch {
	case least > most:
		return NewFlaw("too_many_characters", fault.Number("limit", most))
	case x.Pattern != "" && !pattern.Matchable(x.Pattern, least, most):
		return NewFlaw("not_in_format", fault.Text("format", x.Pattern))
	case least > 1:
		return t.shortest(x, least)
	}
	return nil
}

// someDate returns what keeps all days from being entered: limits that leave none, now and later, no room for any month,
// or a pattern that matches none.
func (t *trial) someDate(x *Field) *Flaw {
	const years = 100 // around now, in which a pattern has to match a day
	now := cmp.Or(t.d.UpdatedAt, someDay)
	none := func(today time.Time) bool {
		first, last := x.Days(today)
		return last != "" && last < first
	}
	if first, _ := x.Days(now); none(now) && none(now.AddDate(1, 0, 0)) {
		return NewFlaw("too_early", fault.Text("limit", first))
	}
	var months []string
	for month := time.January; month <= time.December; month++ {
		months = append(months, time.Date(now.Year(), month, 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	if why := allFlawed(months, func(day string) *Flaw { return t.on.Check(t.d, x, day) }); why != nil || x.Pattern == "" {
		return why
	}
	for day := range 2 * years * 366 {
		if pattern.Match(x.Pattern, now.AddDate(-years, 0, day).Format(time.DateOnly)) {
			return nil
		}
	}
	return NewFlaw("not_in_format", fault.Text("format", x.Pattern))
}

// simplest lists the numbers that the field's limits and format allow, if they allow any, and that need the least room:
// zero, and those next to the limits.
func (x *Field) simplest() []string {
	decimals := maxDecimals
	if shown, err := format.ParseNumber(x.Format); err == nil {
		decimals = shown.Decimals()
	}
	var out []string
	for n := range decimals + 1 { // the fewest decimals first
		scale := math.Pow10(n)
		if x.Max != nil {
			out = append(out, strconv.FormatFloat(math.Floor(*x.Max*scale+rounding)/scale, 'f', n, 64))
		}
		if x.Min != nil {
			out = append(out, strconv.FormatFloat(math.Ceil(*x.Min*scale-rounding)/scale, 'f', n, 64))
		}
	}
	return append([]string{"0"}, out...)
}

// maxDecimals is how many decimals of numbers without a format are tried.
const maxDecimals = 9

// shortest returns what keeps the shortest text that a field accepts from being drawn there, even in narrow letters.
func (t *trial) shortest(x *Field, least int) *Flaw {
	if x.Divided() {
		return nil
	}
	narrow := strings.Repeat("i ", least/2+1)[:least]
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
	groups, followers := map[string][]*Field{}, Followers(own)
	for _, x := range own {
		if x.isButton() && followers[x] == nil {
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
