// Package formula computes the value of a field from those of others, such as
// round(net * (1 + vat / 100), 2).
//
// The grammar is that of the expression language Expr, whose parser is used; what an
// expression means is decided here, so that numbers are exact, missing values are
// possible, and nothing can be called but the functions below. There are no variables
// and no loops: a formula takes as much time as it has parts, at most.
//
// An operation with a missing value has none; sum, min, max, join and ?? leave missing
// values out. A comparison with a missing value is false, and != is true.
package formula

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
)

// Limits of a formula. Texts are as long as the values of fields may be.
const (
	MaxLength = 1000 // characters
	MaxParts  = 200  // fields, numbers, operators and calls
	maxText   = 10_000
)

// Type is the type of a value.
type Type int

// The types of values. Nothing is the type of nil, which suits all others.
const (
	Nothing Type = iota
	Number
	Text
	Date
	Truth
)

// Reason says what is wrong with a formula.
type Reason int

// The reasons to refuse a formula.
const (
	Syntax          Reason = iota + 1 // it can't be read
	TooComplex                        // it has too many parts
	UnknownField                      // Name is that of no field
	UnknownFunction                   // Name is that of no function
	WrongType                         // Name, an operator or function, does not suit its values
	WrongResult                       // the field has another type
)

// Error refuses a formula.
type Error struct {
	Reason Reason
	Name   string
	Field  error // why there is no such field
}

func (e *Error) Error() string { return fmt.Sprintf("formula: reason %d at %q", e.Reason, e.Name) }

// Unwrap returns why there is no such field.
func (e *Error) Unwrap() error { return e.Field }

// Why a formula has no result.
var (
	ErrDivision = errors.New("formula: division by zero")
	ErrRange    = errors.New("formula: out of range")
	ErrValue    = errors.New("formula: a text is not a number")
)

// Formula is a formula whose fields and types are known.
type Formula struct {
	Fields []string // names of the fields that it refers to
	result Type
	value  valueFunc
}

// Compile reads a formula for a field of a type. typeOf returns the types of fields by
// name; its errors are reported as those of a formula.
func Compile(text string, result Type, typeOf func(name string) (Type, error)) (*Formula, error) {
	if utf8.RuneCountInString(text) > MaxLength {
		return nil, &Error{Reason: TooComplex}
	}
	tree, err := parser.ParseWithConfig(text, &language)
	if err != nil || tree.Node == nil {
		return nil, &Error{Reason: Syntax}
	}
	c := compiler{typeOf: typeOf, left: MaxParts}
	x, err := c.compile(tree.Node)
	if err != nil {
		return nil, err
	}
	if x.kind != result && x.kind != Nothing {
		return nil, &Error{Reason: WrongResult}
	}
	return &Formula{Fields: c.fields, result: result, value: x.value}, nil
}

// language is a grammar without the functions of the library. Those of the same name as ours
// are parsed in ways of their own unless they are known.
var language = func() conf.Config {
	c := conf.Config{MaxNodes: MaxLength, DisableIfOperator: true, Disabled: map[string]bool{},
		Functions: conf.FunctionsTable{}}
	for _, name := range builtin.Names {
		c.Disabled[name] = true
	}
	for name := range functions {
		c.Functions[name] = nil
	}
	return c
}()

// Inputs holds the values from which a formula is computed.
type Inputs struct {
	Value    func(name string) string // the value of a field as it is stored
	Today    time.Time                // in the time zone of its location
	Decimals int                      // of a number; negative for as many as it needs
}

// Compute returns the value as it is stored in a field, "" if there is none.
func (f *Formula) Compute(in Inputs) (string, error) {
	v, err := f.value(&in)
	if err != nil || v == nil {
		return "", err
	}
	return write(v, in.Decimals)
}
