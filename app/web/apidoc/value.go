package apidoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// value is JSON with ordered members. Which of keys, items and text are set
// depends on its kind; text is a scalar as encoded in JSON.
type value struct {
	kind  byte // { [ or 0 for a scalar
	keys  []string
	items []value
	text  string
}

func parseValue(raw json.RawMessage) (value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return readValue(d)
}

func readValue(d *json.Decoder) (v value, err error) {
	token, err := d.Token()
	if err != nil {
		return v, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return scalar(token)
	}
	for v.kind = byte(delim); d.More(); {
		if v.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return v, err
			}
			v.keys = append(v.keys, fmt.Sprint(key))
		}
		item, err := readValue(d)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	_, err = d.Token()
	return v, err
}

func scalar(x any) (value, error) {
	b, err := json.Marshal(x)
	return value{text: string(b)}, err
}

// notation describes how a language writes JSON literals.
type notation struct {
	open, close string // of an object
	colon       string
	words       map[string]string   // for true, false and null
	text        func(string) string // of a string that may contain placeholders
	emptyObject string
}

var asJSON = notation{open: "{", close: "}", colon: ": ", text: strconv.Quote, emptyObject: "{}"}

// widest is the maximum length of a value on one line.
const widest = 64

// write formats a value in a language's notation, over several lines if it is
// long.
func (n notation) write(v value, indent string) string {
	if one := n.line(v); len(one) <= widest || v.kind == 0 {
		return one
	}
	open, end := "[", "]"
	if v.kind == '{' {
		open, end = n.open, n.close
	}
	lines := make([]string, len(v.items))
	for i, item := range v.items {
		lines[i] = indent + "    " + n.key(v, i) + n.write(item, indent+"    ")
	}
	return open + "\n" + strings.Join(lines, ",\n") + "\n" + indent + end
}

func (n notation) line(v value) string {
	switch {
	case v.kind == '{' && len(v.items) == 0:
		return n.emptyObject
	case v.kind == 0 && strings.HasPrefix(v.text, `"`):
		s, err := strconv.Unquote(v.text)
		if err != nil {
			return v.text
		}
		return n.text(s)
	case v.kind == 0:
		if w, ok := n.words[v.text]; ok {
			return w
		}
		return v.text
	}
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		parts[i] = n.key(v, i) + n.line(item)
	}
	if v.kind == '{' {
		return n.open + strings.Join(parts, ", ") + n.close
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (n notation) key(v value, i int) string {
	if v.kind != '{' {
		return ""
	}
	return strconv.Quote(v.keys[i]) + n.colon
}

// indented formats JSON for reading.
func indented(raw json.RawMessage) string {
	v, err := parseValue(raw)
	if err != nil {
		return string(raw)
	}
	return asJSON.write(v, "")
}

// example returns JSON that fits a schema, from the examples that its members have. Nullable members
// without an example are null.
func (d *openAPI) example(s *apiSchema) json.RawMessage {
	schema := d.of(s)
	switch kind := schema.Type.name(); {
	case len(schema.Examples) > 0:
		return schema.Examples[0]
	case schema.Type.null():
		return json.RawMessage("null")
	case kind == "object":
		return d.exampleObject(schema)
	case kind == "array":
		if d.of(schema.Items).Type.name() != "object" {
			return json.RawMessage("[]")
		}
		return json.RawMessage("[" + string(d.example(schema.Items)) + "]")
	case kind == "integer" || kind == "number":
		return json.RawMessage("0")
	case kind == "boolean":
		return json.RawMessage("false")
	case len(schema.Enum) > 0:
		return quoted(fmt.Sprint(schema.Enum[0]))
	}
	return quoted("…")
}

func (d *openAPI) exampleObject(s *apiSchema) json.RawMessage {
	var parts []string
	for _, name := range s.members() {
		parts = append(parts, strconv.Quote(name)+":"+string(d.example(s.Properties[name])))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

func quoted(s string) json.RawMessage {
	v, err := scalar(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return json.RawMessage(v.text)
}
