package record

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/format"
	"paraph/app/signing/pattern"
)

// trials tries what is known of the values of fields as signing will: it finds the fields that could not be
// signed as they are, and warns of those that take less than their settings promise.
func (p *Paper) trials(d *Document) []Problem {
	var out []Problem
	lookups := OperandsOf(d)
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.Signs() {
			continue
		}
		own := d.UnsortedFieldsOf(inv.ID)
		t := trial{on: p, d: d, inv: inv, operands: lookups, twins: map[string][]*Field{}, known: map[*Field]bool{}}
		for _, x := range own {
			if x.linkable() {
				t.twins[x.link()] = append(t.twins[x.link()], x)
			}
		}
		entered := Entered(own, inv, nil, someDay)
		for _, day := range []time.Time{t.now(), t.now().AddDate(3, 1, 1)} {
			t.days = append(t.days, RulesFor(d, inv.ID, entered, day))
		}
		groups := choices(own)
		for j := range d.Fields {
			x := &d.Fields[j]
			if x.Invitation != inv.ID {
				continue
			}
			found := Problem{Code: "value_unsignable", Severity: SeverityError}
			if why := cmp.Or(t.flaw(x), groups[x]); why != nil {
				found.Args = []fault.Arg{why.reason(x)}
			} else if found = t.doubt(x); found.Code == "" {
				continue
			}
			found.File, found.Page, found.Invitation, found.Field, found.part = x.File, x.Page, x.Invitation, x.ID, "fields"
			found.Args = append([]fault.Arg{d.Placed("place", x)}, found.Args...)
			out = append(out, found)
		}
	}
	return out
}

// reason returns the flaw as an argument of a problem with a field.
func (w *Flaw) reason(x *Field) fault.Arg {
	return fault.Reason("reason", w.code, append(slices.Clone(w.args), x.Arg())...)
}

// someDay is the day of drafts that have none, and the day in samples.
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
	days     []*Rules            // on two days: what fails on both fails whenever it is signed
	twins    map[string][]*Field // fields that are filled in together
	known    map[*Field]bool     // fields whose value nobody will enter
}

// now returns the day on which the draft is tried.
func (t *trial) now() time.Time { return cmp.Or(t.d.UpdatedAt, someDay) }

// try returns what signing would refuse a value of a field with, on a day.
func (t *trial) try(x *Field, v string, today time.Time) *Flaw {
	v, why := x.acceptToday(v, today)
	if why == nil {
		why = t.on.check(t.d, x, v, false)
	}
	return why
}

// together tries a value of a field and of those that are filled in with it.
func (t *trial) together(x *Field, v string, today time.Time) *Flaw {
	why := t.try(x, v, today)
	if x.linkable() {
		for _, twin := range t.twins[x.link()] {
			why = cmp.Or(why, t.try(twin, v, today))
		}
	}
	return why
}

// flaw returns what keeps a field from being signed as it is, nil if nothing does or if it depends on what
// is entered.
func (t *trial) flaw(x *Field) *Flaw {
	switch {
	case t.hidden(x):
		return nil
	case x.Type == pdf.FieldLabel:
		return t.on.Check(t.d, x, x.Value)
	case !x.HasAnswer() || x.HandsIn():
		return nil
	}
	why := cmp.Or(t.settings(x), t.value(x))
	if required := x.Required || x.Condition != nil && x.Condition.Then == ConditionRequire; why == nil && required {
		why = t.possible(x)
	}
	return why
}

// hidden reports whether the field's recipient will never be asked for it.
func (t *trial) hidden(x *Field) bool {
	return x.Condition != nil && x.Condition.Then == ConditionShow && t.decided(x) && !t.days[0].Shown(x)
}

// value returns what keeps the value that a field has from being signed: the one that is fixed or computed, or the
// default, which counts as it is where nobody changes it.
func (t *trial) value(x *Field) *Flaw {
	if x.Type == pdf.FieldDateSigned {
		return t.dateSigned(x)
	}
	if x.Formula != "" && !t.settled(x) {
		return nil
	}
	var why *Flaw
	for _, rules := range t.days {
		v := x.Automatic(t.inv, rules.today)
		if x.Formula != "" {
			v, why = rules.Computed(x)
		}
		switch {
		case why != nil:
		case !x.empty(v):
			why = t.try(x, v, rules.today)
		case x.Formula != "" && rules.Required(x):
			why = NewFlaw("required")
		}
		if why == nil || x.prefilled() {
			return nil
		}
	}
	return why
}

// prefilled reports whether the field has no default of its own but says who its recipient is, who may write that
// in another way.
func (x *Field) prefilled() bool { return x.Value == "" && !x.Settled() }

// dateSigned returns what keeps the day of the signature from being drawn, in whichever month that is.
func (t *trial) dateSigned(x *Field) *Flaw {
	for _, day := range monthsOf(t.now()) {
		if why := t.on.check(t.d, x, day, false); why != nil {
			return why
		}
	}
	_, why := x.accept(t.now().Format(time.DateOnly))
	return why
}

// monthsOf returns a day of each month of a year, late enough to have two figures.
func monthsOf(year time.Time) []string {
	var out []string
	for month := time.January; month <= time.December; month++ {
		out = append(out, time.Date(year.Year(), month, 28, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	return out
}

// doubt returns what a field's recipient may not be able to enter although its settings suggest it.
func (t *trial) doubt(x *Field) Problem {
	warn := func(code fault.Code, args ...fault.Arg) Problem {
		return Problem{Code: code, Severity: SeverityWarning, Args: args}
	}
	if x.Settled() || !x.HasAnswer() || x.HandsIn() || t.hidden(x) {
		return Problem{}
	}
	if why := t.possible(x); why != nil {
		return warn("value_unsignable.any", why.reason(x))
	}
	if v := x.Automatic(t.inv, someDay); x.prefilled() && v != "" {
		if why := t.try(x, v, someDay); why != nil {
			return warn("value_unsignable.prefilled", fault.Text("value", v), why.reason(x))
		}
	}
	switch {
	case len(x.Options) > 0:
		for _, o := range x.Options {
			if _, why := x.accept(o); why != nil {
				return warn("value_unsignable.option", fault.Text("option", o), why.reason(x))
			}
		}
		for _, o := range longest(x.Options) {
			if why := t.together(x, o, t.now()); why != nil {
				return warn("value_unsignable.option", fault.Text("option", o), why.reason(x))
			}
		}
	case x.Type == pdf.FieldDate:
		for _, day := range monthsOf(t.now()) {
			if n, fits := t.on.room(t.d, x, day, false); !fits {
				return warn("no_room.date", fault.Number("limit", n))
			}
		}
	case x.Type == pdf.FieldText && x.Max != nil && !x.Divided() && *x.Max >= 1 && *x.Max <= MaxValue:
		most := int(*x.Max)
		usual := strings.Repeat("sample ", most/len("sample ")+1)[:most]
		if n, fits := t.on.room(t.d, x, strings.TrimSpace(usual), false); !fits {
			return warn("no_room.limit", fault.Number("most", most), fault.Number("limit", n))
		}
	}
	return Problem{}
}

// longest returns the longest few of some options, which are likely to be the widest: there may be hundreds.
func longest(options []string) []string {
	const few = 3
	sorted := slices.Clone(options)
	slices.SortStableFunc(sorted, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	return sorted[:min(few, len(sorted))]
}

// settings returns what keeps every value from being signed: a format or choices that no font has.
func (t *trial) settings(x *Field) *Flaw {
	if len(x.Options) > 0 && (x.Type == pdf.FieldSelect || x.Type == pdf.FieldRadio) {
		if why := allFlawed(x.Options, t.on.undrawable); why != nil {
			return why
		}
	}
	sample := map[pdf.FieldType]string{pdf.FieldNumber: "1", pdf.FieldDate: someDate, pdf.FieldDateSigned: someDate}[x.Type]
	if sample != "" && x.Format != "" {
		return t.on.undrawable(x.Shown(sample, t.on.Words.Match(t.d.Locale)))
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

// possible returns what keeps all values from being entered, nil if some value may be or if nobody enters any.
func (t *trial) possible(x *Field) *Flaw {
	if x.Settled() {
		return nil
	}
	accepted := func(v string) *Flaw { return t.together(x, v, t.now()) }
	switch x.Type {
	case pdf.FieldSelect, pdf.FieldRadio, pdf.FieldCheckbox:
		if len(x.Options) == 0 {
			return accepted(Checked)
		}
		return allFlawed(x.Options, accepted)
	case pdf.FieldNumber:
		return allFlawed(x.simplest(), accepted)
	case pdf.FieldDate:
		return t.someDate(x)
	}
	if why := t.on.check(t.d, x, cmp.Or(narrowest[x.Type], "0"), false); why != nil {
		return why
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

// narrowest are values of types of which not every text is one.
var narrowest = map[pdf.FieldType]string{pdf.FieldEmail: "i@i.il", pdf.FieldPhone: "1111"}

// someDate returns what keeps all days from being entered: limits that leave none, now and later, no room for any month,
// or a pattern that matches none.
func (t *trial) someDate(x *Field) *Flaw {
	const years = 100 // around now, in which a pattern has to match a day
	now := t.now()
	none := func(today time.Time) bool {
		first, last := x.Days(today)
		return last != "" && last < first
	}
	if first, _ := x.Days(now); none(now) && none(now.AddDate(1, 0, 0)) {
		return NewFlaw("too_early", fault.Text("limit", first))
	}
	why := allFlawed(monthsOf(now), func(day string) *Flaw { return t.on.check(t.d, x, day, false) })
	if why != nil || x.Pattern == "" {
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
