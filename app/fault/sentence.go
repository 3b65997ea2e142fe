package fault

import "fmt"

// Sayer returns the catalogue text for a key, with values inserted by name.
type Sayer func(key string, args map[string]any) string

// Sentence returns the sentence that people read for a code.
func Sentence(say Sayer, code Code, args ...Arg) string {
	return say("fault."+string(code), values(say, args))
}

func values(say Sayer, args []Arg) map[string]any {
	out := make(map[string]any, len(args))
	for _, a := range args {
		out[a.Name] = a.value(say)
	}
	return out
}

func (a Arg) value(say Sayer) any {
	switch {
	case a.term:
		return say("term."+a.text, values(say, a.args))
	case a.reason:
		return Sentence(say, Code(a.text), a.args...)
	case a.counts:
		return a.count
	case a.at != nil:
		return *a.at
	}
	return a.text
}

// Sentence returns the argument's value in words.
func (a Arg) Sentence(say Sayer) string { return fmt.Sprint(a.value(say)) }

// Sentences returns the sentences for each faulty field, by its name.
func Sentences(say Sayer, fields []Field) map[string][]string {
	return byName(fields, func(f Field) string { return Sentence(say, f.Code, f.Args...) })
}

// Words returns the code words for each faulty field, in the order of its [Sentences].
func Words(fields []Field) map[string][]string {
	return byName(fields, func(f Field) string { return f.Code.Word() })
}

func byName(fields []Field, what func(Field) string) map[string][]string {
	if len(fields) == 0 {
		return nil
	}
	out := make(map[string][]string, len(fields))
	for _, f := range fields {
		out[f.Name] = append(out[f.Name], what(f))
	}
	return out
}
