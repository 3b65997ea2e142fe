package record

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
)

// Condition makes a field depend on the values of others. A field that is not shown is
// not asked for: whatever is sent for it is ignored, and nothing is drawn.
type Condition struct {
	Then  string // what follows if it is met: ConditionShow or ConditionRequire
	Match string // how many comparisons must hold: MatchAll or MatchAny
	When  []Test
}

// Test compares the value of a field, or the choice in a group of radio buttons.
type Test struct {
	Field string // a field's name, or the name of a group
	Op    string
	Value string
}

// What a condition does, and how many of its comparisons must hold.
const (
	ConditionShow    = "show"
	ConditionRequire = "require"
	MatchAll         = "all"
	MatchAny         = "any"
)

// The comparisons. A missing value equals nothing, and is neither greater nor less.
const (
	OpEquals    = "equals"
	OpNotEquals = "not_equals"
	OpFilled    = "filled"
	OpEmpty     = "empty"
	OpContains  = "contains"
	OpGreater   = "greater"
	OpLess      = "less"
)

// maxTests limits the comparisons of a condition.
const maxTests = 20

func (in *FieldInput) applyCondition(f *fault.Fields, x *Field) {
	if in.Condition == nil {
		return
	}
	x.Condition = nil
	c := Condition{Then: cmp.Or(in.Condition.Then, ConditionShow), Match: cmp.Or(in.Condition.Match, MatchAll)}
	if len(in.Condition.When) == 0 {
		return
	}
	if len(in.Condition.When) > maxTests {
		f.TooMany("condition.when", maxTests)
		return
	}
	at := f.Under("condition")
	input.OneOf(at, "then", &c.Then, ConditionShow, ConditionRequire)
	input.OneOf(at, "match", &c.Match, MatchAll, MatchAny)
	for i := range in.Condition.When {
		c.When = append(c.When, in.Condition.When[i].read(at.At("when", i)))
	}
	x.Condition = &c
}

// read checks a comparison by itself. A comparison that needs no value has none.
func (t Test) read(f *fault.Fields) Test {
	t.Field = input.Line(f, "field", &t.Field, MaxName)
	if t.Field == "" && !f.Has("field") {
		f.Required("field")
	}
	input.OneOf(f, "op", &t.Op, OpEquals, OpNotEquals, OpFilled, OpEmpty, OpContains, OpGreater, OpLess)
	if t.Op == OpFilled || t.Op == OpEmpty {
		t.Value = ""
		return t
	}
	t.Value = strings.TrimSpace(input.Line(f, "value", &t.Value, MaxName))
	if t.Value == "" && !f.Has("value") {
		f.Required("value")
	}
	return t
}

// ops lists the comparisons that a field allows.
func ops(x *Field, grouped bool) []string {
	switch {
	case x.HandsIn():
		return []string{OpFilled, OpEmpty}
	case isBox(x) && !grouped:
		return []string{OpFilled, OpEmpty, OpEquals, OpNotEquals}
	case x.Type == pdf.FieldNumber || x.Type == pdf.FieldDate || x.Type == pdf.FieldDateSigned:
		return []string{OpFilled, OpEmpty, OpEquals, OpNotEquals, OpGreater, OpLess}
	}
	return []string{OpFilled, OpEmpty, OpEquals, OpNotEquals, OpContains}
}

// isBox reports whether the field is a box or button to tick.
func isBox(x *Field) bool {
	return x.Type == pdf.FieldCheckbox || x.Type == pdf.FieldRadio && len(x.Options) == 0
}

// Operand is a field whose value conditions compare, or the buttons of a radio group.
type Operand struct {
	Fields  []*Field
	Grouped bool
}

// Operands finds the fields that conditions compare.
type Operands struct {
	document *Document
	people   map[string]*Invitation
	first    map[string]string // of each invitation's group, which shares its fields
	own      map[ownName]*Operand
	early    map[string][]early
	named    map[string]bool
}

// ownName is the name of a field of a recipient, or of their group.
type ownName struct{ name, first string }

// early is an operand that is known earlier than all that come before it in the document.
type early struct {
	*Operand
	position int // of its recipient; always is known to everybody
}

// always is the position of values that are known from the start.
const always = -1

// OperandsOf returns what the conditions of a document may compare. The first field of a
// recipient with a name counts.
func OperandsOf(d *Document) *Operands {
	s := &Operands{document: d, people: map[string]*Invitation{}, first: map[string]string{},
		own: map[ownName]*Operand{}, early: map[string][]early{}, named: map[string]bool{}}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		s.people[inv.ID], s.first[inv.ID] = inv, FirstOfGroup(d, inv).ID
	}
	for i := range d.Fields {
		if x := &d.Fields[i]; isBox(x) && x.Type == pdf.FieldRadio {
			s.add(x.Group, x, true)
		}
	}
	for i := range d.Fields {
		if x := &d.Fields[i]; x.HasAnswer() {
			s.add(x.Name, x, false)
		}
	}
	return s
}

// add adds a field under its name, or a button under the name of its group.
func (s *Operands) add(name string, x *Field, grouped bool) {
	at := ownName{name, s.first[x.Invitation]}
	switch o := s.own[at]; {
	case name == "":
	case o == nil:
		o = &Operand{[]*Field{x}, grouped}
		s.own[at], s.named[name] = o, true
		all := s.early[name]
		if position, ok := s.position(x); ok && (len(all) == 0 || position < all[len(all)-1].position) {
			s.early[name] = append(all, early{o, position})
		}
	case grouped:
		o.Fields = append(o.Fields, x)
	}
}

// position returns after whose turn others know the value of a field. It is false if they
// don't know it before everybody has signed.
func (s *Operands) position(x *Field) (n int, known bool) {
	if x.ReadOnly && x.Value != "" && x.Condition == nil && x.Formula == "" {
		return always, true
	}
	inv := s.people[x.Invitation]
	if inv == nil || s.document.SigningOrder != Sequential {
		return 0, false
	}
	return inv.Position, true
}

// Of returns what a field's condition compares: the recipient's own, or their group's, else the
// first one whose value is known before their turn; nil if there is none. later reports that
// somebody who may sign later has a field of this name. The cost does not depend on the number
// of fields.
func (s *Operands) Of(x *Field, name string) (found *Operand, later bool) {
	if o := s.own[ownName{name, s.first[x.Invitation]}]; o != nil {
		return o, false
	}
	mine := 0
	if inv := s.people[x.Invitation]; inv != nil && s.document.SigningOrder == Sequential {
		mine = inv.Position
	}
	all := s.early[name] // descending by position
	if i := sort.Search(len(all), func(i int) bool { return all[i].position < mine }); i < len(all) {
		return all[i].Operand, false
	}
	return nil, s.named[name]
}

// conditionFault is something wrong with a condition or formula of a document.
type conditionFault struct {
	field  int // its index
	member string
	code   fault.Code
	args   []fault.Arg
}

// conditionFaults checks what conditions and formulas say about other fields.
func conditionFaults(d *Document) []conditionFault {
	var out []conditionFault
	if !slices.ContainsFunc(d.Fields, func(x Field) bool { return x.Condition != nil || x.Formula != "" }) {
		return nil
	}
	s := OperandsOf(d)
	c := circles{operands: s, open: map[any]bool{}, names: map[*Field][]string{}}
	out = append(out, c.checkFormulas(d)...)
	for i := range d.Fields {
		x := &d.Fields[i]
		if x.Condition == nil {
			continue
		}
		if x.Type == pdf.FieldSignature {
			out = append(out, conditionFault{i, "condition", "condition_on_signature", nil})
			continue
		}
		if x.Fixed() {
			out = append(out, conditionFault{i, "condition", "condition_on_fixed", nil})
			continue
		}
		for n, t := range x.Condition.When {
			if member, code, args := s.fault(x, t); code != "" {
				out = append(out, conditionFault{i, fmt.Sprintf("condition.when.%d.%s", n, member), code, args})
			}
			c.names[x] = append(c.names[x], t.Field)
		}
	}
	if len(out) > 0 {
		return out
	}
	for i := range d.Fields {
		switch x := &d.Fields[i]; {
		case !c.closed(x):
		case x.Formula != "":
			return []conditionFault{{i, "formula", "formula_cycle", nil}}
		default:
			return []conditionFault{{i, "condition", "condition_cycle", nil}}
		}
	}
	return nil
}

// fault checks a comparison against the field that it is about.
func (s *Operands) fault(x *Field, t Test) (member string, code fault.Code, args []fault.Arg) {
	found, later := s.Of(x, t.Field)
	switch {
	case later:
		return "field", "condition_field_later", nil
	case found == nil:
		return "field", "condition_field_unknown", nil
	}
	o := found.Fields[0]
	if allowed := ops(o, found.Grouped); !slices.Contains(allowed, t.Op) {
		return "op", "not_one_of", []fault.Arg{fault.Choices("choices", allowed...)}
	}
	if t.Op == OpFilled || t.Op == OpEmpty || t.Op == OpContains {
		return "", "", nil
	}
	if found.Grouped {
		if choices := found.Choices(); !slices.Contains(choices, t.Value) {
			return "value", "not_one_of", []fault.Arg{fault.Choices("choices", choices...)}
		}
		return "", "", nil
	}
	switch o.Type {
	case pdf.FieldNumber, pdf.FieldDate, pdf.FieldDateSigned, pdf.FieldCheckbox, pdf.FieldRadio, pdf.FieldSelect:
		plain := Field{Type: o.Type, Options: o.Options}
		if _, why := plain.accept(t.Value); why != nil {
			return "value", why.code, why.args
		}
	}
	return "", "", nil
}

// Choices returns the values of a radio group, one for each button.
func (s *Operand) Choices() []string {
	if !s.Grouped {
		return nil
	}
	out := make([]string, 0, len(s.Fields))
	for _, x := range s.Fields {
		out = append(out, cmp.Or(x.Label, x.Name, x.ID))
	}
	return out
}

// circles looks for conditions and formulas that depend on themselves.
type circles struct {
	operands *Operands
	open     map[any]bool        // fields and groups that were followed: true while they are
	names    map[*Field][]string // what the fields refer to
}

// closed reports whether a field depends on itself.
func (c *circles) closed(x *Field) bool {
	if len(c.names[x]) == 0 {
		return false
	}
	return c.follow(x, func() bool {
		return slices.ContainsFunc(c.names[x], func(name string) bool {
			found, _ := c.operands.Of(x, name)
			return found != nil && c.follow(found, func() bool { return slices.ContainsFunc(found.Fields, c.closed) })
		})
	})
}

// follow follows a field or group once.
func (c *circles) follow(node any, next func() bool) bool {
	if open, ok := c.open[node]; ok {
		return open
	}
	c.open[node] = true
	found := next()
	c.open[node] = found
	return found
}

// CheckConditions reports conditions and formulas that cannot work: unknown fields, fields of people
// who sign later, circles. at returns where to report about the field with an index.
func CheckConditions(d *Document, at func(i int) *fault.Fields) {
	for _, w := range conditionFaults(d) {
		at(w.field).Add(w.member, w.code, w.args...)
	}
}

// Rules decides which of a recipient's fields are shown and required.
type Rules struct {
	operands *Operands
	own      map[string]bool   // the invitations with the fields that the recipient is asked for
	values   map[string]string // of the recipient's fields, as entered
	today    time.Time
	shown    map[*Field]bool
	known    map[*Operand]string
	computed map[*Field]computed
	settled  map[*Field]settled
}

// RulesFor returns the rules for a recipient's values, by field identifier. Today is the
// day in the time zone of its location.
func RulesFor(d *Document, invitation string, values map[string]string, today time.Time) *Rules {
	return &Rules{operands: OperandsOf(d), own: filledBy(d, invitation), values: values, today: today,
		shown: map[*Field]bool{}, known: map[*Operand]string{},
		computed: map[*Field]computed{}, settled: map[*Field]settled{}}
}

// Shown reports whether the recipient is asked for a field.
func (r *Rules) Shown(x *Field) bool {
	if x.Condition == nil || x.Condition.Then != ConditionShow {
		return true
	}
	shown, ok := r.shown[x]
	if !ok {
		r.shown[x] = false // documents that are sent have no circles
		shown = r.met(x)
		r.shown[x] = shown
	}
	return shown
}

// Required reports whether a field that is shown has to be filled in.
func (r *Rules) Required(x *Field) bool {
	return x.Required || x.Condition != nil && x.Condition.Then == ConditionRequire && r.met(x)
}

func (r *Rules) met(x *Field) bool {
	holds := func(t Test) bool {
		found, _ := r.operands.Of(x, t.Field)
		return found != nil && t.On(found).holds(found, r.value(found))
	}
	if x.Condition.Match == MatchAny {
		return slices.ContainsFunc(x.Condition.When, holds)
	}
	return !slices.ContainsFunc(x.Condition.When, func(t Test) bool { return !holds(t) })
}

// value returns the value of a field, or the choice among the buttons of a group: "" if
// it is missing or its field is hidden.
func (r *Rules) value(s *Operand) string {
	if !s.Grouped {
		return r.valueOf(s.Fields[0])
	}
	v, ok := r.known[s]
	if !ok {
		if i := slices.IndexFunc(s.Fields, func(x *Field) bool { return r.valueOf(x) != "" }); i >= 0 {
			v = s.Choices()[i]
		}
		r.known[s] = v
	}
	return v
}

func (r *Rules) valueOf(x *Field) string {
	v := x.Value
	if r.own[x.Invitation] {
		if v = r.values[x.ID]; x.Formula != "" {
			v, _ = r.Computed(x)
		}
	}
	if x.Hidden || r.own[x.Invitation] && !r.Shown(x) {
		return ""
	}
	v = strings.TrimSpace(v)
	switch {
	case isBox(x):
		v, _ = acceptCheck(v)
	case x.Type == pdf.FieldDate || x.Type == pdf.FieldDateSigned:
		v, _ = acceptDate(v)
	}
	if x.empty(v) {
		return ""
	}
	return v
}

// On returns the comparison in its simplest form: a box is ticked or not.
func (t Test) On(s *Operand) Test {
	if s.Grouped || !isBox(s.Fields[0]) || t.Op != OpEquals && t.Op != OpNotEquals {
		return t
	}
	want, _ := acceptCheck(t.Value)
	t.Value = ""
	if (want == Checked) == (t.Op == OpEquals) {
		t.Op = OpFilled
	} else {
		t.Op = OpEmpty
	}
	return t
}

// holds reports whether the comparison with a value is true. A missing value equals nothing.
func (t Test) holds(s *Operand, v string) bool {
	switch t.Op {
	case OpFilled:
		return v != ""
	case OpEmpty:
		return v == ""
	case OpContains:
		return strings.Contains(v, t.Value)
	}
	n, comparable := 0, v != ""
	if s.IsNumber() {
		a, err := strconv.ParseFloat(v, 64)
		b, faulty := strconv.ParseFloat(t.Value, 64)
		n, comparable = cmp.Compare(a, b), err == nil && faulty == nil
	} else {
		n = cmp.Compare(v, t.Value) // dates too
	}
	switch t.Op {
	case OpGreater:
		return comparable && n > 0
	case OpLess:
		return comparable && n < 0
	case OpNotEquals:
		return !comparable || n != 0
	}
	return comparable && n == 0
}

// IsNumber reports whether values are compared by size rather than as text.
func (s *Operand) IsNumber() bool { return s.Fields[0].Type == pdf.FieldNumber }
