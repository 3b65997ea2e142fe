package record

import (
	"errors"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
	"paraph/app/signing/format"
	"paraph/app/signing/formula"
)

// maxFormulas limits the computed fields of a document.
const maxFormulas = 300

// applyFormula makes a field a computed one. Nobody fills it in, and it may stay empty unless
// the input says otherwise.
func (in *FieldInput) applyFormula(f *fault.Fields, x *Field) {
	before := x.Formula
	if in.Formula != nil {
		x.Formula = strings.TrimSpace(input.Line(f, "formula", in.Formula, formula.MaxLength))
	}
	if x.Formula == "" {
		if before != "" && in.ReadOnly == nil {
			x.ReadOnly = false
		}
		return
	}
	x.ReadOnly = true
	if before == "" && in.Required == nil {
		x.Required = false
	}
	if !f.Has("type") && resultOf(x) == formula.Nothing {
		f.Add("formula", "formula_on_type")
	}
	if x.Value != "" && !f.Has("value") {
		f.Add("value", "formula_with_value")
	}
}

// resultOf returns what the field's formula computes, Nothing if it can't have one.
func resultOf(x *Field) formula.Type {
	switch x.Type {
	case pdf.FieldText:
		return formula.Text
	case pdf.FieldNumber:
		return formula.Number
	case pdf.FieldDate:
		return formula.Date
	}
	return formula.Nothing
}

// Why a formula can't refer to a field.
var (
	errFieldLater   = errors.New("record: the field is filled in later")
	errFieldUnknown = errors.New("record: there is no such field")
)

// typeOf returns what the value of an operand is in formulas.
func (s *Operand) typeOf() (formula.Type, error) {
	switch x := s.Fields[0]; {
	case s.Grouped:
		return formula.Text, nil
	case isBox(x):
		return formula.Truth, nil
	case x.Type == pdf.FieldNumber:
		return formula.Number, nil
	case x.Type == pdf.FieldDate || x.Type == pdf.FieldDateSigned:
		return formula.Date, nil
	case x.HandsIn():
		return formula.Nothing, errFieldUnknown
	}
	return formula.Text, nil
}

// formulaOf compiles a field's formula.
func (s *Operands) formulaOf(x *Field) (*formula.Formula, error) {
	return formula.Compile(x.Formula, resultOf(x), func(name string) (formula.Type, error) {
		found, later := s.Of(x, name)
		switch {
		case later:
			return formula.Nothing, errFieldLater
		case found == nil:
			return formula.Nothing, errFieldUnknown
		}
		return found.typeOf()
	})
}

// formulaFault says what is wrong with a formula.
func formulaFault(err error) *Flaw {
	var refused *formula.Error
	if !errors.As(err, &refused) {
		return NewFlaw("formula_syntax")
	}
	name := fault.Text("name", refused.Name)
	switch refused.Reason {
	case formula.TooComplex:
		return NewFlaw("formula_too_complex", fault.Number("limit", formula.MaxParts))
	case formula.UnknownField:
		if errors.Is(err, errFieldLater) {
			return NewFlaw("formula_field_later", name)
		}
		return NewFlaw("formula_field_unknown", name)
	case formula.UnknownFunction:
		return NewFlaw("formula_function_unknown", name)
	case formula.WrongType:
		return NewFlaw("formula_types", name)
	case formula.WrongResult:
		return NewFlaw("formula_result")
	}
	return NewFlaw("formula_syntax")
}

// checkFormulas compiles all formulas, and notes what the fields refer to.
func (c *circles) checkFormulas(d *Document) []conditionFault {
	var out []conditionFault
	seen := 0
	for i := range d.Fields {
		x := &d.Fields[i]
		if x.Formula == "" {
			continue
		}
		if seen++; seen > maxFormulas {
			limit := fault.Number("limit", maxFormulas)
			return append(out, conditionFault{i, "formula", "formula_too_many", []fault.Arg{limit}})
		}
		compiled, err := c.operands.formulaOf(x)
		if err != nil {
			why := formulaFault(err)
			out = append(out, conditionFault{i, "formula", why.code, why.args})
			continue
		}
		if name, ok := c.unmasked(x, compiled.Fields); ok {
			out = append(out, conditionFault{i, "mask", "formula_of_masked", []fault.Arg{fault.Text("name", name)}})
		}
		c.names[x] = compiled.Fields
	}
	return out
}

// unmasked returns the name of a field whose masked value a computed field would show.
func (c *circles) unmasked(x *Field, names []string) (string, bool) {
	i := slices.IndexFunc(names, func(name string) bool {
		from, _ := c.operands.Of(x, name)
		return from != nil && slices.ContainsFunc(from.Fields, func(of *Field) bool { return of.masks() > x.masks() })
	})
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// masks returns how much of the field's value is hidden.
func (x *Field) masks() int {
	switch {
	case !x.Prints():
		return 0
	case x.Mask == MaskAll:
		return 2
	case x.Mask == MaskPaper:
		return 1
	}
	return 0
}

// computed is the result of a formula.
type computed struct {
	value string
	why   *Flaw
}

// Computed returns the value of a computed field, "" if it is hidden or something that it
// needs is missing. Numbers are rounded as the field's format shows them, so that what
// depends on them agrees with what is drawn.
func (r *Rules) Computed(x *Field) (value string, why *Flaw) {
	if !r.Shown(x) {
		return "", nil
	}
	if known, ok := r.computed[x]; ok {
		return known.value, known.why
	}
	r.computed[x] = computed{} // documents that are sent have no circles
	out := r.compute(x)
	r.computed[x] = out
	return out.value, out.why
}

func (r *Rules) compute(x *Field) computed {
	compiled, err := r.operands.formulaOf(x)
	if err != nil {
		return computed{why: formulaFault(err)}
	}
	in := formula.Inputs{Today: r.today, Decimals: -1, Value: func(name string) string {
		found, _ := r.operands.Of(x, name)
		return r.value(found)
	}}
	if shown, err := format.ParseNumber(x.Format); err == nil && x.Type == pdf.FieldNumber {
		in.Decimals = shown.Decimals()
	}
	v, err := compiled.Compute(in)
	switch {
	case errors.Is(err, formula.ErrDivision):
		return computed{why: NewFlaw("formula_divided_by_zero")}
	case errors.Is(err, formula.ErrValue):
		return computed{why: NewFlaw("formula_not_a_number")}
	case err != nil:
		return computed{why: NewFlaw("formula_out_of_range")}
	}
	return computed{value: strings.TrimSpace(v)}
}
