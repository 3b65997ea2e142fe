package page

import (
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/record"
)

// Sentence describes a fault of one field in the reader's language and time zone, and
// refers to the field by its label.
func (r *Request) Sentence(f fault.Field, labels map[string]string) string {
	args := slices.Clone(f.Args)
	for i, a := range args {
		if a.Name == "field" {
			a = fault.Text("field", r.label(a.String(), labels))
		}
		args[i] = a.In(r.Who.Zone())
	}
	return fault.Sentence(r.Words.SayOf, f.Code, args...)
}

// Problem describes a problem with a draft in the reader's language.
func (r *Request) Problem(p record.Problem) string {
	return fault.Sentence(r.Words.SayOf, p.Code, p.Args...)
}

func (r *Request) label(field string, labels map[string]string) string {
	if l := labels[field]; l != "" {
		return l
	}
	if l, err := r.Words.Text("label." + field); err == nil {
		return l
	}
	return field
}

// Sentences returns the faults of a form in the reader's language, by field.
func (r *Request) Sentences(fields []fault.Field) map[string][]string {
	out := make(map[string][]string, len(fields))
	for _, f := range fields {
		out[f.Name] = append(out[f.Name], r.Sentence(f, nil))
	}
	return out
}

// RenameFaults returns err with its faults moved to other fields.
func RenameFaults(err error, name func(string) string) error {
	fields := fault.FieldsOf(err)
	if len(fields) == 0 {
		return err
	}
	var f fault.Fields
	for _, x := range fields {
		x.Name = name(x.Name)
		f.Keep(x)
	}
	return f.Err()
}

// MergeFaults returns err with the faults of a list's items moved to the single
// input the list is typed into.
func MergeFaults(err error, field string) error {
	return RenameFaults(err, func(name string) string {
		if strings.HasPrefix(name, field+".") {
			return field
		}
		return name
	})
}
