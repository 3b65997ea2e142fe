package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Field is one fault of one field of an input.
type Field struct {
	Name string // dotted, such as "invitations.0.email"
	Code Code
	Args []Arg // with "field", the field's name in the sentence
}

// Fields collects the faults of an input, so that they are all reported together. The zero
// value is ready to use; it is not safe for concurrent use.
type Fields struct {
	found  []Field
	names  map[string]bool // of the fields found
	root   *Fields         // nil at the top
	prefix string          // "" at the top, else ends with a dot
}

// Under returns a collector for the fields below prefix, which reports into f.
func (f *Fields) Under(prefix string) *Fields {
	return &Fields{root: f.top(), prefix: f.prefix + prefix + "."}
}

// At returns a collector for one element of a list: At("fields", 3) is
// Under("fields.3").
func (f *Fields) At(list string, index int) *Fields {
	return f.Under(list + "." + strconv.Itoa(index))
}

func (f *Fields) top() *Fields {
	if f.root != nil {
		return f.root
	}
	return f
}

// Add records a fault of a field. Its sentence names the field by the argument "field", by
// default the field's name in words.
func (f *Fields) Add(field string, code Code, args ...Arg) {
	field = f.prefix + field
	if !slices.ContainsFunc(args, func(a Arg) bool { return a.Name == "field" }) {
		args = append([]Arg{Text("field", strings.ReplaceAll(field, "_", " "))}, args...)
	}
	f.Keep(Field{Name: field, Code: code, Args: args})
}

// Keep adds faults found elsewhere, unchanged.
func (f *Fields) Keep(found ...Field) {
	top := f.top()
	top.found = append(top.found, found...)
	if top.names == nil {
		top.names = map[string]bool{}
	}
	for _, x := range found {
		top.names[x.Name] = true
	}
}

// Required records that a field is required.
func (f *Fields) Required(field string) { f.Add(field, "required") }

// TooLong records that a text has more than limit characters.
func (f *Fields) TooLong(field string, limit int) {
	f.Add(field, "too_long", Number("limit", limit))
}

// TooMany records that a list has more than limit items.
func (f *Fields) TooMany(field string, limit int) {
	f.Add(field, "too_many", Number("limit", limit))
}

// Between records that a number is outside its range, both ends included.
func (f *Fields) Between(field string, low, high int) {
	f.Add(field, "not_between", Number("low", low), Number("high", high))
}

// OneOf records that a word is not one of those allowed.
func (f *Fields) OneOf(field string, allowed ...string) {
	f.Add(field, "not_one_of", Choices("choices", allowed...))
}

// Selected records the choice of an item that does not exist.
func (f *Fields) Selected(field string) { f.Add(field, "not_selectable") }

// Taken records that a unique value is already in use.
func (f *Fields) Taken(field string) { f.Add(field, "taken") }

// Has reports whether a field has a fault.
func (f *Fields) Has(field string) bool {
	return f.top().names[f.prefix+field]
}

// Empty reports whether there are no faults.
func (f *Fields) Empty() bool { return len(f.top().found) == 0 }

// Err returns nil without faults, else one *Error of KindInvalid with all of them.
func (f *Fields) Err() error {
	if f.Empty() {
		return nil
	}
	return f.refusal()
}

func (f *Fields) refusal() *Error {
	return &Error{Kind: KindInvalid, Code: "invalid", Fields: distinct(f.top().found)}
}

// distinct returns the faults without repetitions: fields that are filled in together have
// the same ones.
func distinct(all []Field) []Field {
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(slices.Clone(all), func(x Field) bool {
		key := fmt.Sprint(x)
		again := seen[key]
		seen[key] = true
		return again
	})
}
