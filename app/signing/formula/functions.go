package formula

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// function compiles a call.
type function struct {
	least, most int // arguments; 0 for any number
	compile     func(name string, x []node) (node, error)
}

// lazy names the functions that don't compile their arguments like others.
const (
	ifCall    = "if"
	fieldCall = "field"
)

// functions lists the functions that formulas can call.
var functions = map[string]function{
	ifCall:       {3, 3, nil},
	fieldCall:    {1, 1, nil},
	"sum":        {1, 0, reduced(Number, func(a, b any) (any, error) { return calculate("+", a.(*big.Rat), b.(*big.Rat)) })},
	"min":        {1, 0, reduced(Nothing, func(a, b any) (any, error) { return lesser(a, b, -1) })},
	"max":        {1, 0, reduced(Nothing, func(a, b any) (any, error) { return lesser(a, b, 1) })},
	"round":      {1, 2, rounded},
	"floor":      {1, 1, numeric(floor)},
	"ceil":       {1, 1, numeric(ceil)},
	"abs":        {1, 1, numeric(func(n *big.Rat) *big.Rat { return new(big.Rat).Abs(n) })},
	"empty":      {1, 1, presence(false)},
	"filled":     {1, 1, presence(true)},
	"join":       {2, 0, joined},
	"text":       {1, 1, asText},
	"number":     {1, 1, asNumber},
	"date":       {1, 1, asDate},
	"today":      {0, 0, today},
	"year":       {1, 1, partOfDate(time.Time.Year)},
	"month":      {1, 1, partOfDate(func(t time.Time) int { return int(t.Month()) })},
	"day":        {1, 1, partOfDate(time.Time.Day)},
	"add_months": {2, 2, moved(1)},
	"add_years":  {2, 2, moved(12)},
}

func (c *compiler) call(n *ast.CallNode) (node, error) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return node{}, &Error{Reason: Syntax}
	}
	name := callee.Value
	f, ok := functions[name]
	switch {
	case !ok:
		return node{}, &Error{Reason: UnknownFunction, Name: name}
	case len(n.Arguments) < f.least || len(n.Arguments) > f.most && (f.most > 0 || f.least == 0):
		return node{}, wrongType(name)
	case name == ifCall:
		return c.choice(name, n.Arguments...)
	case name == fieldCall:
		if s, ok := n.Arguments[0].(*ast.StringNode); ok {
			return c.field(s.Value)
		}
		return node{}, wrongType(name)
	}
	x, err := c.all(n.Arguments...)
	if err != nil {
		return node{}, err
	}
	return f.compile(name, x)
}

// reduced combines the values that are not missing. kind is Nothing if numbers and
// dates are possible.
func reduced(kind Type, combine func(a, b any) (any, error)) func(string, []node) (node, error) {
	return func(name string, x []node) (node, error) {
		of, err := common(name, x...)
		if err == nil && of != Number && (kind != Nothing || of != Date) {
			err = wrongType(name)
		}
		return node{kind: of, value: func(in *Inputs) (out any, err error) {
			for _, n := range x {
				v, err := n.value(in)
				if err != nil {
					return nil, err
				}
				if out == nil {
					out = v
				} else if v != nil {
					if out, err = combine(out, v); err != nil {
						return nil, err
					}
				}
			}
			return out, nil
		}}, err
	}
}

// lesser returns the lesser value; if sign is 1, the greater one.
func lesser(a, b any, sign int) (any, error) {
	if sign*compare(a, b) > 0 {
		return a, nil
	}
	return b, nil
}

func numeric(of func(*big.Rat) *big.Rat) func(string, []node) (node, error) {
	return func(name string, x []node) (node, error) {
		if x[0].kind != Number {
			return node{}, wrongType(name)
		}
		return strict(Number, func(v []any) (any, error) { return of(v[0].(*big.Rat)), nil }, x[0]), nil
	}
}

func ceil(n *big.Rat) *big.Rat {
	down := floor(new(big.Rat).Neg(n))
	return down.Neg(down)
}

func rounded(name string, x []node) (node, error) {
	if slices.ContainsFunc(x, func(n node) bool { return n.kind != Number }) {
		return node{}, wrongType(name)
	}
	return strict(Number, func(v []any) (any, error) {
		decimals := 0
		if len(v) == 2 {
			var err error
			if decimals, err = whole(v[1]); err != nil || decimals < 0 || decimals > maxDecimals {
				return nil, ErrRange
			}
		}
		return round(v[0].(*big.Rat), decimals)
	}, x...), nil
}

// presence asks whether a value is there. A box is filled if it is ticked.
func presence(want bool) func(string, []node) (node, error) {
	return func(_ string, x []node) (node, error) {
		return node{kind: Truth, value: func(in *Inputs) (any, error) {
			v, err := x[0].value(in)
			return (v != nil && v != false) == want, err
		}}, nil
	}
}

// joined puts texts together, with the first one between those that are there.
func joined(name string, x []node) (node, error) {
	if x[0].kind != Text || slices.ContainsFunc(x, func(n node) bool { return n.kind == Truth }) {
		return node{}, wrongType(name)
	}
	return node{kind: Text, value: func(in *Inputs) (any, error) {
		var parts []string
		between := ""
		for i, n := range x {
			v, err := n.value(in)
			if err != nil {
				return nil, err
			}
			s, err := write(v, -1)
			switch {
			case err != nil:
				return nil, err
			case i == 0:
				between = s
			case s != "":
				parts = append(parts, s)
			}
		}
		if len(parts) == 0 {
			return nil, nil
		}
		if len(between)*len(parts) > 4*maxText {
			return nil, ErrRange
		}
		return limited(strings.Join(parts, between))
	}}, nil
}

func asText(name string, x []node) (node, error) {
	if x[0].kind == Truth || x[0].kind == Nothing {
		return node{}, wrongType(name)
	}
	return strict(Text, func(v []any) (any, error) {
		s, err := write(v[0], -1)
		if s == "" || err != nil {
			return nil, err
		}
		return s, nil
	}, x[0]), nil
}

// asNumber reads the number in a text, such as a choice; a box that is ticked is 1.
func asNumber(name string, x []node) (node, error) {
	switch x[0].kind {
	case Number:
		return x[0], nil
	case Text:
		return strict(Number, func(v []any) (any, error) {
			n := readNumber(strings.TrimSpace(v[0].(string)))
			if n == nil {
				return nil, ErrValue
			}
			return bounded(n)
		}, x[0]), nil
	case Truth:
		return strict(Number, func(v []any) (any, error) {
			n := new(big.Rat)
			if v[0] == true {
				n.SetInt64(1)
			}
			return n, nil
		}, x[0]), nil
	}
	return node{}, wrongType(name)
}

// asDate is a date that is given, such as date("2026-12-31").
func asDate(name string, x []node) (node, error) {
	day, err := time.Parse(time.DateOnly, x[0].literal)
	if err != nil || x[0].kind != Text {
		return node{}, wrongType(name)
	}
	return constant(Date, day), nil
}

func today(string, []node) (node, error) {
	return node{kind: Date, value: func(in *Inputs) (any, error) {
		year, month, day := in.Today.Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC), nil
	}}, nil
}

func partOfDate(of func(time.Time) int) func(string, []node) (node, error) {
	return func(name string, x []node) (node, error) {
		if x[0].kind != Date {
			return node{}, wrongType(name)
		}
		return strict(Number, func(v []any) (any, error) {
			return new(big.Rat).SetInt64(int64(of(v[0].(time.Time)))), nil
		}, x[0]), nil
	}
}

// moved adds months to a date, so many for each that is asked for.
func moved(months int) func(string, []node) (node, error) {
	return func(name string, x []node) (node, error) {
		if x[0].kind != Date || x[1].kind != Number {
			return node{}, wrongType(name)
		}
		return strict(Date, func(v []any) (any, error) {
			n, err := whole(v[1])
			if err != nil || n > 120_000 || n < -120_000 {
				return nil, ErrRange
			}
			return addMonths(v[0].(time.Time), n*months)
		}, x...), nil
	}
}
