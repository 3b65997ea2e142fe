package account

import (
	"fmt"
	"strings"
)

// Faults collects what is wrong with an input, so that all faults are told at
// once. Fields are dotted, such as "invitations.0.email". The zero value is
// ready; it is not safe for use by several goroutines.
type Faults struct {
	fields map[string][]string
	root   *Faults // nil at the top
	prefix string  // "" at the top, else ends with a dot
}

// Under gives a collector whose fields lie below prefix and which reports into f.
func (f *Faults) Under(prefix string) *Faults {
	return &Faults{root: f.top(), prefix: f.prefix + prefix + "."}
}

// At gives a collector for one element of a list: At("fields", 3) is
// Under("fields.3").
func (f *Faults) At(list string, index int) *Faults {
	return f.Under(fmt.Sprintf("%s.%d", list, index))
}

func (f *Faults) top() *Faults {
	if f.root != nil {
		return f.root
	}
	return f
}

// Add records a whole sentence about a field.
func (f *Faults) Add(field, sentence string) {
	top := f.top()
	if top.fields == nil {
		top.fields = make(map[string][]string)
	}
	field = f.prefix + field
	top.fields[field] = append(top.fields[field], sentence)
}

// Required records "The … field is required.".
func (f *Faults) Required(field string) {
	f.Add(field, "The "+f.label(field)+" field is required.")
}

// Must records "The … field must " followed by what and a full stop, for
// example Must("email", "be a valid email address").
func (f *Faults) Must(field, what string) {
	f.Add(field, "The "+f.label(field)+" field must "+what+".")
}

// TooLong records that a text has more than limit characters.
func (f *Faults) TooLong(field string, limit int) {
	f.Must(field, fmt.Sprintf("not be greater than %d characters", limit))
}

// TooMany records that a list has more than limit items.
func (f *Faults) TooMany(field string, limit int) {
	f.Must(field, fmt.Sprintf("not have more than %d items", limit))
}

// Between records that a number is outside its range, both ends included.
func (f *Faults) Between(field string, low, high int) {
	f.Must(field, fmt.Sprintf("be between %d and %d", low, high))
}

// OneOf records that a word is none of those allowed.
func (f *Faults) OneOf(field string, allowed ...string) {
	f.Must(field, "be one of: "+strings.Join(allowed, ", "))
}

// Selected records "The selected … is invalid.", for a choice that does not
// exist.
func (f *Faults) Selected(field string) {
	f.Add(field, "The selected "+f.label(field)+" is invalid.")
}

// Taken records that a value which must be unique is in use.
func (f *Faults) Taken(field string) {
	f.Add(field, "The "+f.label(field)+" has already been taken.")
}

// Has reports whether anything is wrong with field.
func (f *Faults) Has(field string) bool {
	return len(f.top().fields[f.prefix+field]) > 0
}

// Empty reports whether nothing was found wrong anywhere.
func (f *Faults) Empty() bool { return len(f.top().fields) == 0 }

// Err is nil if nothing is wrong, else one *Error of KindInvalid that names
// every field.
func (f *Faults) Err() error {
	if f.Empty() {
		return nil
	}
	return &Error{
		Kind: KindInvalid, Code: "invalid", Message: "The given data was invalid.",
		Fields: f.top().fields,
	}
}

// label is the field as a person would read it: "brand_color" is "brand color".
func (f *Faults) label(field string) string {
	return strings.ReplaceAll(f.prefix+field, "_", " ")
}
