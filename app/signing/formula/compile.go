package formula

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// valueFunc computes a value: a *big.Rat, string, time.Time or bool, or nil if it is missing.
// Values are never changed.
type valueFunc func(in *Inputs) (any, error)

// node is a part of a formula.
type node struct {
	kind    Type
	value   valueFunc
	literal string // of a text in quotation marks
}

// compiler makes nodes of a syntax tree. The parser uses some parts twice, as the b of
// a < b < c, so the parts are counted here.
type compiler struct {
	typeOf func(name string) (Type, error)
	fields []string
	left   int // parts that are still allowed
}

func wrongType(name string) error { return &Error{Reason: WrongType, Name: name} }

func (c *compiler) compile(n ast.Node) (node, error) {
	if c.left--; c.left < 0 {
		return node{}, &Error{Reason: TooComplex}
	}
	switch n := n.(type) {
	case *ast.NilNode:
		return constant(Nothing, nil), nil
	case *ast.BoolNode:
		return constant(Truth, n.Value), nil
	case *ast.IntegerNode:
		return constant(Number, new(big.Rat).SetInt64(int64(n.Value))), nil
	case *ast.FloatNode:
		return constant(Number, readNumber(strconv.FormatFloat(n.Value, 'f', -1, 64))), nil
	case *ast.StringNode:
		out := constant(Text, n.Value)
		out.literal = n.Value
		return out, nil
	case *ast.IdentifierNode:
		return c.field(n.Value)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.choice("?", n.Cond, n.Exp1, n.Exp2)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BuiltinNode:
		return node{}, &Error{Reason: UnknownFunction, Name: n.Name}
	}
	return node{}, &Error{Reason: Syntax}
}

func constant(kind Type, v any) node {
	return node{kind: kind, value: func(*Inputs) (any, error) { return v, nil }}
}

func (c *compiler) field(name string) (node, error) {
	kind, err := c.typeOf(name)
	if err != nil {
		return node{}, &Error{Reason: UnknownField, Name: name, Field: err}
	}
	c.fields = append(c.fields, name)
	return node{kind: kind, value: func(in *Inputs) (any, error) { return read(kind, in.Value(name)), nil }}, nil
}

// all compiles parts in their order.
func (c *compiler) all(parts ...ast.Node) ([]node, error) {
	out := make([]node, len(parts))
	for i, n := range parts {
		var err error
		if out[i], err = c.compile(n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *compiler) unary(n *ast.UnaryNode) (node, error) {
	x, err := c.compile(n.Node)
	switch {
	case err != nil:
		return node{}, err
	case (n.Operator == "not" || n.Operator == "!") && x.kind == Truth:
		return node{kind: Truth, value: func(in *Inputs) (any, error) {
			v, err := x.value(in)
			return v != true, err
		}}, nil
	case n.Operator == "-" && x.kind == Number:
		return strict(Number, func(v []any) (any, error) { return new(big.Rat).Neg(v[0].(*big.Rat)), nil }, x), nil
	case n.Operator == "+" && x.kind == Number:
		return x, nil
	}
	return node{}, wrongType(n.Operator)
}

func (c *compiler) binary(n *ast.BinaryNode) (node, error) {
	x, err := c.all(n.Left, n.Right)
	if err != nil {
		return node{}, err
	}
	a, b := x[0], x[1]
	switch n.Operator {
	case "and", "&&", "or", "||":
		return logical(n.Operator, a, b)
	case "==", "!=", "<", "<=", ">", ">=":
		return comparison(n.Operator, a, b)
	case "??":
		return first(n.Operator, a, b)
	}
	out, ok := arithmetic(n.Operator, a, b)
	if !ok {
		return node{}, wrongType(n.Operator)
	}
	return out, nil
}

// strict is an operation that has no result if one of its operands is missing.
func strict(kind Type, of func(v []any) (any, error), x ...node) node {
	return node{kind: kind, value: func(in *Inputs) (any, error) {
		values := make([]any, len(x))
		for i := range x {
			v, err := x[i].value(in)
			if v == nil || err != nil {
				return nil, err
			}
			values[i] = v
		}
		return of(values)
	}}
}

// arithmetic compiles + - * and /. Dates count in days.
func arithmetic(op string, a, b node) (out node, ok bool) {
	numbers := a.kind == Number && b.kind == Number
	switch {
	case op == "+" && a.kind == Text && b.kind == Text:
		return strict(Text, func(v []any) (any, error) { return limited(v[0].(string) + v[1].(string)) }, a, b), true
	case (op == "+" || op == "-") && a.kind == Date && b.kind == Number:
		return strict(Date, func(v []any) (any, error) {
			days, err := whole(v[1])
			if op == "-" {
				days = -days
			}
			return addDays(v[0].(time.Time), days, err)
		}, a, b), true
	case op == "-" && a.kind == Date && b.kind == Date:
		return strict(Number, func(v []any) (any, error) {
			return new(big.Rat).SetInt64(dayNumber(v[0].(time.Time)) - dayNumber(v[1].(time.Time))), nil
		}, a, b), true
	case numbers && strings.Contains("+-*/", op) && len(op) == 1:
		return strict(Number, func(v []any) (any, error) {
			return calculate(op, v[0].(*big.Rat), v[1].(*big.Rat))
		}, a, b), true
	}
	return node{}, false
}

func calculate(op string, a, b *big.Rat) (any, error) {
	out := new(big.Rat)
	switch op {
	case "+":
		out.Add(a, b)
	case "-":
		out.Sub(a, b)
	case "*":
		out.Mul(a, b)
	case "/":
		if b.Sign() == 0 {
			return nil, ErrDivision
		}
		out.Quo(a, b)
	}
	return bounded(out)
}

// logical compiles and, or. What decides alone is enough.
func logical(op string, a, b node) (node, error) {
	if a.kind != Truth || b.kind != Truth {
		return node{}, wrongType(op)
	}
	decides := op == "or" || op == "||"
	return node{kind: Truth, value: func(in *Inputs) (any, error) {
		v, err := a.value(in)
		if err != nil || (v == true) == decides {
			return decides, err
		}
		v, err = b.value(in)
		return v == true, err
	}}, nil
}

// comparison compiles a comparison of two values of the same type.
func comparison(op string, a, b node) (node, error) {
	ordered := a.kind == Number || a.kind == Date
	if a.kind != b.kind || a.kind == Nothing || !ordered && op != "==" && op != "!=" {
		return node{}, wrongType(op)
	}
	return node{kind: Truth, value: func(in *Inputs) (any, error) {
		x, err := a.value(in)
		if err != nil {
			return nil, err
		}
		y, err := b.value(in)
		if err != nil {
			return nil, err
		}
		if x == nil || y == nil {
			return op == "!=", nil
		}
		n := compare(x, y)
		switch op {
		case "==":
			return n == 0, nil
		case "!=":
			return n != 0, nil
		case "<":
			return n < 0, nil
		case "<=":
			return n <= 0, nil
		case ">":
			return n > 0, nil
		}
		return n >= 0, nil
	}}, nil
}

// common returns the type that all nodes have, or Nothing.
func common(name string, x ...node) (Type, error) {
	kind := Nothing
	for _, n := range x {
		if n.kind != Nothing && kind != Nothing && n.kind != kind {
			return Nothing, wrongType(name)
		}
		kind = max(kind, n.kind)
	}
	return kind, nil
}

// first is the first value that is not missing.
func first(op string, x ...node) (node, error) {
	kind, err := common(op, x...)
	return node{kind: kind, value: func(in *Inputs) (v any, err error) {
		for _, n := range x {
			if v, err = n.value(in); v != nil || err != nil {
				break
			}
		}
		return v, err
	}}, err
}

// choice computes one of two values: what isn't needed can't fail.
func (c *compiler) choice(name string, parts ...ast.Node) (node, error) {
	x, err := c.all(parts...)
	if err != nil {
		return node{}, err
	}
	if x[0].kind != Truth {
		return node{}, wrongType(name)
	}
	kind, err := common(name, x[1:]...)
	return node{kind: kind, value: func(in *Inputs) (any, error) {
		v, err := x[0].value(in)
		switch {
		case err != nil:
			return nil, err
		case v == true:
			return x[1].value(in)
		}
		return x[2].value(in)
	}}, err
}
