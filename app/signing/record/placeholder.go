package record

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/convert/merge"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
	"paraph/app/signing/format"
	"paraph/app/variable"
)

// Limits of a variable that is a list.
const (
	maxItems = 1000
	maxList  = 1 << 20 // bytes
)

// Placeholders are those of one or more files.
type Placeholders []merge.Placeholder

// PlaceholdersOf returns the placeholders of all files of a template.
func PlaceholdersOf(d *Document) (all Placeholders) {
	for i := range d.Files {
		all = append(all, d.Files[i].Placeholders...)
	}
	return all
}

// Has reports whether a text between double braces is one of the placeholders, or a marker
// of their sections.
func (p Placeholders) Has(body string) bool {
	if strings.HasPrefix(body, "#") || strings.HasPrefix(body, "/") {
		return len(p) > 0
	}
	name, _, _ := strings.Cut(body, "|")
	name = variable.Fold(name)
	return slices.ContainsFunc(p, func(x merge.Placeholder) bool {
		return x.Name == name && x.Kind == merge.Value
	})
}

// HasSections reports whether parts of the file may be left out when it is filled in.
func (p Placeholders) HasSections() bool {
	return slices.ContainsFunc(p, func(x merge.Placeholder) bool { return x.Kind != merge.Value })
}

// ListsOf returns the variables that are lists, with the names of their items' members. Names that
// the document also uses outside of lists come last: an item without one has the document's.
func ListsOf(d *Document) map[string][]string {
	all, known := PlaceholdersOf(d), d.BuiltinVariables(account.Actor{}, account.Company{}, time.Time{})
	shared := d.Variables()
	own, common := map[string][]string{}, map[string][]string{}
	for _, x := range all {
		if x.Kind == merge.List {
			own[x.Name] = []string{}
		}
	}
	for _, x := range all {
		if _, builtin := known[x.Name]; x.Of == "" || builtin {
			continue
		}
		to := own
		if slices.Contains(shared, x.Name) {
			to = common
		}
		if !slices.Contains(to[x.Of], x.Name) {
			to[x.Of] = append(to[x.Of], x.Name)
		}
	}
	for name, more := range common {
		own[name] = append(own[name], more...)
	}
	return own
}

// scalar is a JSON string, number or truth value, as text.
type scalar string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *scalar) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, (*string)(s))
	case len(b) > 0 && (b[0] == '{' || b[0] == '['):
		return fmt.Errorf("%.1s is not a value", b)
	case string(b) != "null":
		*s = scalar(b)
	}
	return nil
}

// parseItems reads a JSON array of objects, or a line for each item with its values in the
// order of names, divided by semicolons. The last ones may be missing.
func parseItems(value string, names []string) (items []map[string]scalar, err error) {
	if strings.HasPrefix(strings.TrimSpace(value), "[") {
		return items, json.Unmarshal([]byte(value), &items)
	}
	r := csv.NewReader(strings.NewReader(value))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = ';', -1, true, true
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		if len(cells) > len(names) {
			return nil, csv.ErrFieldCount
		}
		item := map[string]scalar{}
		for i, cell := range cells {
			item[names[i]] = scalar(strings.TrimSpace(cell))
		}
		items = append(items, item)
	}
}

// readItems reads a variable that is a list. An empty value of an item counts as missing if the
// document has one of that name, so that it is used instead.
func readItems(
	f *fault.Fields, at, value string, names []string, document map[string]string,
) (out []merge.Item) {
	if len(value) > maxList {
		f.TooLong(at, maxList)
		return nil
	}
	items, err := parseItems(value, names)
	if err != nil {
		f.Add(at, "not_a_list")
		return nil
	}
	if len(items) > maxItems {
		f.TooMany(at, maxItems)
		return nil
	}
	for i, x := range items {
		item := merge.Item{}
		for name, v := range x {
			text := string(v)
			input.Lines(f, at+"."+strconv.Itoa(i)+"."+name, &text, maxMessage)
			if name = variable.Fold(name); text != "" || document[name] == "" {
				item[name] = text
			}
		}
		out = append(out, item)
	}
	return out
}

// check checks that items have what the files name, and that values fit the formats.
func (p Placeholders) check(f *fault.Fields, in merge.Data, written Writing) {
	for _, x := range p {
		if x.Of == "" {
			checkFormat(f, "variables."+x.Name, in.Values[x.Name], x.Format, written)
			continue
		}
		of, common := in.Values[x.Name] // the document's
		for i, item := range in.Lists[x.Of] {
			at := fmt.Sprintf("variables.%s.%d.%s", x.Of, i, x.Name)
			switch v, ok := item[x.Name]; {
			case ok:
				checkFormat(f, at, v, x.Format, written)
			case common:
				checkFormat(f, "variables."+x.Name, of, x.Format, written)
			case x.Kind == merge.Value && !x.Optional:
				f.Required(at)
			}
		}
	}
}

// dateFormat is the format of a date as the document's language writes it.
const dateFormat = "date"

func checkFormat(f *fault.Fields, at, value, as string, written Writing) {
	if value == "" || as == "" || !KnownFormat(as) {
		return
	}
	x := formatted(as)
	if _, flaw := x.accept(written.Read(&x, value)); flaw != nil && !f.Has(at) {
		f.Add(at, flaw.code, flaw.args...)
	}
}

// formatted returns a field whose value has a format: a number, or else a date.
func formatted(as string) Field {
	x := Field{Type: pdf.FieldDate, Format: as}
	if _, err := format.ParseNumber(as); err == nil {
		x.Type = pdf.FieldNumber
	}
	return x
}

// KnownFormat reports whether a placeholder can have a format: "date", or one of
// [format.ParseNumber] and [format.ParseDate].
func KnownFormat(s string) bool {
	_, number := format.ParseNumber(s)
	_, date := format.ParseDate(s)
	return s == "" || strings.EqualFold(s, dateFormat) || number == nil || date == nil
}

// Write formats a value. One that does not fit its format is written as it is.
func (w Writing) Write(value, as string) string {
	if as == "" || !KnownFormat(as) {
		return value
	}
	x := formatted(as)
	v, flaw := x.accept(w.Read(&x, value))
	switch {
	case flaw != nil:
		return value
	case strings.EqualFold(as, dateFormat):
		if day, err := time.Parse(time.DateOnly, v); err == nil {
			return w.Language.Date(day)
		}
	}
	return x.Shown(v, w.Language)
}
