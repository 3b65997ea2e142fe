package api

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/fault"
)

// deepest is the maximum nesting depth of JSON. The API needs only a few levels.
const deepest = 64

// maxValues is the maximum number of values in a body, so that a body of many small
// values costs no more than its length suggests.
const maxValues = 500_000

// checker validates the text of a JSON object against a schema. It builds no
// values, so a body costs no more memory than its length.
type checker struct {
	schemas    map[string]*huma.Schema // by reference
	maxObjects int

	text    []byte // valid JSON
	at      int
	path    []byte // dotted, of the current value
	faults  fault.Fields
	members map[string]bool // known members of the object itself; true if null
	echoed  map[string]bool // members of answers, which clients send back
	unknown []unknownName
	objects int
	values  int
}

// check returns every fault of a body by the dotted name of its field, and its
// members, each with whether it is null; and the first members that are neither known nor echoed.
func (b *bodies) check(text []byte, s *huma.Schema, echoed map[string]bool, maxObjects int) (members map[string]bool, unknown []unknownName, err error) {
	if !utf8.Valid(text) {
		return nil, nil, fault.Malformed("body_not_utf8")
	}
	if err := shallow(text); err != nil {
		return nil, nil, err
	}
	var nothing struct{}
	if bad, ok := errors.AsType[*stdjson.SyntaxError](stdjson.Unmarshal(text, &nothing)); ok {
		return nil, nil, notJSON(text, bad)
	}
	c := &checker{schemas: b.byRef, echoed: echoed, maxObjects: maxObjects, text: text, members: map[string]bool{}}
	if c.next() != '{' {
		return nil, nil, fault.Malformed("body_not_an_object")
	}
	if err := c.value(s); err != nil {
		return nil, nil, err
	}
	return c.members, c.unknown, c.faults.Err()
}

// notJSON says where a body stops being JSON.
func notJSON(text []byte, bad *stdjson.SyntaxError) error {
	before := text[:min(int(max(bad.Offset-1, 0)), len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fault.Malformed("body_not_json.at", fault.Number("line", line), fault.Number("column", column)).Because(bad)
}

// shallow refuses JSON that nests too deeply, before any decoder recurses.
func shallow(b []byte) error {
	depth, inString, escaped := 0, false, false
	for _, c := range b {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > deepest {
				return tooDeep()
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

func tooDeep() error {
	return fault.Malformed("body_too_deep", fault.Number("limit", deepest))
}

// next returns the next byte that isn't white space.
func (c *checker) next() byte {
	for {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\r', '\n', ',', ':':
			c.at++
		default:
			return b
		}
	}
}

// value checks one value. Without a schema anything is allowed.
func (c *checker) value(s *huma.Schema) error {
	if s != nil && s.Ref != "" {
		s = c.schemas[s.Ref]
	}
	if c.values++; c.values > maxValues {
		return fault.TooLarge("too_many_values", fault.Number("limit", maxValues))
	}
	switch c.next() {
	case '{':
		c.want(s, "object")
		return c.object(s)
	case '[':
		c.want(s, "array")
		return c.array(s)
	case '"':
		c.want(s, "string")
		c.skipString()
	case 't', 'f':
		c.want(s, "boolean")
		c.skipWord()
	case 'n':
		c.want(s, "null")
		c.skipWord()
	default:
		c.number(s)
	}
	return nil
}

// want records a fault if the schema requires another type.
func (c *checker) want(s *huma.Schema, got string) {
	if s == nil || s.Type == got {
		return
	}
	if len(s.OneOf) > 0 {
		c.wantOneOf(s.OneOf, got)
		return
	}
	if s.Type == "" {
		return
	}
	c.faults.Add(c.field(), fault.Code("wrong_type."+s.Type))
}

func (c *checker) wantOneOf(all []*huma.Schema, got string) {
	var names []string
	for _, s := range all {
		if s.Type == got {
			return
		}
		names = append(names, article(s.Type)+" "+s.Type)
	}
	c.faults.Add(c.field(), "wrong_type.either", fault.Text("types", strings.Join(names, " or ")))
}

func article(kind string) string {
	switch kind {
	case huma.TypeInteger, huma.TypeArray, huma.TypeObject:
		return "an"
	}
	return "a"
}

// field returns the dotted name of the current value.
func (c *checker) field() string {
	if len(c.path) == 0 {
		return "body"
	}
	return string(c.path[1:])
}

// in checks a value under a name.
func (c *checker) in(name string, s *huma.Schema) error {
	n := len(c.path)
	c.path = append(append(c.path, '.'), name...)
	err := c.value(s)
	c.path = c.path[:n]
	return err
}

func (c *checker) object(s *huma.Schema) error {
	if c.objects++; c.objects > c.maxObjects {
		return fault.TooLarge("too_many_values.objects", fault.Number("limit", c.maxObjects))
	}
	given := map[string]bool{}
	top := len(c.path) == 0
	for c.at++; c.next() != '}'; {
		name, err := c.name()
		if err != nil {
			return err
		}
		null := c.next() == 'n'
		if known := strings.ToLower(name); top && s != nil && s.Properties[known] != nil {
			c.members[known] = null
		}
		if len(c.unknown) < maxUnknown && !c.echoed[name] && isUnknown(s, name) {
			c.unknown = append(c.unknown, unknownName{string(append(c.path, "."+name...))[1:], nearest(name, slices.Collect(maps.Keys(s.Properties)))})
		}
		if null { // counts as unset
			c.skipWord()
			continue
		}
		if s != nil && len(s.Required) > 0 {
			given[name] = true
		}
		if err := c.in(name, member(s, name)); err != nil {
			return err
		}
	}
	c.at++
	if s == nil {
		return nil
	}
	for _, name := range s.Required {
		if !given[name] {
			c.faults.Required(string(append(c.path, "."+name...))[1:])
		}
	}
	return nil
}

// member returns the schema of a member, or nil if any value is allowed.
func member(s *huma.Schema, name string) *huma.Schema {
	if s == nil {
		return nil
	}
	if p := s.Properties[name]; p != nil {
		return p
	}
	if rest, ok := s.AdditionalProperties.(*huma.Schema); ok {
		return rest
	}
	return nil
}

// isUnknown reports whether an object has no member of this name. Decoding ignores the case.
func isUnknown(s *huma.Schema, name string) bool {
	if s == nil || len(s.Properties) == 0 {
		return false
	}
	_, others := s.AdditionalProperties.(*huma.Schema)
	return !others && s.Properties[name] == nil && s.Properties[strings.ToLower(name)] == nil
}

func (c *checker) array(s *huma.Schema) error {
	var items *huma.Schema
	if s != nil {
		items = s.Items
	}
	c.at++
	for i := 0; c.next() != ']'; i++ {
		if err := c.in(strconv.Itoa(i), items); err != nil {
			return err
		}
	}
	c.at++
	return nil
}

// name reads the name of a member.
func (c *checker) name() (string, error) {
	from := c.at
	c.skipString()
	raw := c.text[from:c.at]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var name string
	err := stdjson.Unmarshal(raw, &name)
	return name, err
}

func (c *checker) skipString() {
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// skipWord skips true, false, null, or a number.
func (c *checker) skipWord() {
	for c.at < len(c.text) && bytes.IndexByte([]byte(",:]} \t\r\n"), c.text[c.at]) < 0 {
		c.at++
	}
}

func (c *checker) number(s *huma.Schema) {
	from := c.at
	c.skipWord()
	if s == nil || s.Type != huma.TypeInteger {
		c.want(s, huma.TypeNumber)
		return
	}
	if f, err := strconv.ParseFloat(string(c.text[from:c.at]), 64); err == nil && f != math.Trunc(f) {
		c.want(s, huma.TypeNumber)
	}
}
