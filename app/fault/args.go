package fault

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Arg is one value inserted into a sentence, such as the limit that was exceeded.
type Arg struct {
	Name string

	text   string
	count  int
	counts bool
	term   bool
	args   []Arg // of a term or a reason
	at     *time.Time
	reason bool
}

// Text returns an argument that reads the same in every language, such as a file name.
func Text(name, value string) Arg { return Arg{Name: name, text: value} }

// Number returns an argument with a whole number. The one named n selects the plural form.
func Number[N ~int | ~int64](name string, n N) Arg {
	return Arg{Name: name, text: strconv.FormatInt(int64(n), 10), count: int(n), counts: true}
}

// Decimal returns an argument with a number that may have a fraction, in its shortest form.
func Decimal(name string, n float64) Arg {
	return Text(name, strconv.FormatFloat(n, 'g', -1, 64))
}

// Choices returns an argument that lists the allowed words.
func Choices(name string, words ...string) Arg { return Text(name, strings.Join(words, ", ")) }

// Time returns an argument with a moment, which a language writes in words.
func Time(name string, at time.Time) Arg {
	return Arg{Name: name, text: at.UTC().Format(time.RFC3339), at: &at}
}

// In returns the argument with a moment in the reader's zone. Other arguments stay as they are.
func (a Arg) In(zone *time.Location) Arg {
	if a.at != nil {
		at := a.at.In(zone)
		a.at = &at
	}
	return a
}

// Term returns an argument with a text from the catalogue, under "term." and the key; the text
// may contain other values.
func Term(name, key string, args ...Arg) Arg {
	return Arg{Name: name, text: key, term: true, args: args}
}

// Reason returns an argument with the sentence of another code.
func Reason(name string, code Code, args ...Arg) Arg {
	return Arg{Name: name, text: string(code), reason: true, args: args}
}

// String returns the value as text; of a term, its key; of a reason, its code.
func (a Arg) String() string { return a.text }

// Count returns the value of a whole number.
func (a Arg) Count() (n int, ok bool) { return a.count, a.counts }

// storedArg is an argument as it is stored with a record that keeps a fault.
type storedArg struct {
	Name   string
	Text   string
	Count  int        `json:",omitempty"`
	Counts bool       `json:",omitempty"`
	Term   bool       `json:",omitempty"`
	Args   []Arg      `json:",omitempty"`
	At     *time.Time `json:",omitempty"`
	Reason bool       `json:",omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (a Arg) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedArg{a.Name, a.text, a.count, a.counts, a.term, a.args, a.at, a.reason})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Arg) UnmarshalJSON(b []byte) error {
	var s storedArg
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*a = Arg{s.Name, s.Text, s.Count, s.Counts, s.Term, s.Args, s.At, s.Reason}
	return nil
}
