package api

import (
	"bytes"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	json "github.com/goccy/go-json"

	"paraph/app/signing/record"
)

// The properties of a field are members of bodies and views by [record.Properties]: no Go type lists them. Those types
// implement [huma.SchemaTransformer], and read or write the properties in their own JSON.

// propertyNames returns the names of the members.
func propertyNames() (names []string) {
	for _, p := range record.Properties() {
		names = append(names, p.Name)
	}
	return names
}

// hasProperties reports whether the properties are members of a type.
func hasProperties(of reflect.Type) bool {
	return of != nil && of.Implements(reflect.TypeFor[huma.SchemaTransformer]())
}

// describeProperties says what the properties mean, wherever they are.
func (d *document) describeProperties() {
	for name, s := range d.Map() {
		if !hasProperties(d.TypeFromRef(schemaRefs + name)) {
			continue
		}
		for _, p := range record.Properties() {
			s.Properties[p.Name].Description = describing().properties[p.Name]
		}
	}
}

// addProperties adds the members to the schema of a body, or of a view, where each is there and null if it isn't set.
func addProperties(s *huma.Schema, view bool) *huma.Schema {
	for _, p := range record.Properties() {
		x := schemaOfProperty(&p, view)
		if view {
			s.Required = append(s.Required, p.Name)
		}
		s.Properties[p.Name] = x
	}
	return s
}

// schemaOfProperty describes the values of a property.
func schemaOfProperty(p *record.Property, view bool) *huma.Schema {
	words := make([]any, len(p.Choices))
	for i, c := range p.Choices {
		words[i] = c
	}
	switch p.Kind {
	case record.KindFlag:
		return &huma.Schema{Type: huma.TypeBoolean}
	case record.KindWhole:
		return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Nullable: view}
	case record.KindNumber:
		return &huma.Schema{Type: huma.TypeNumber, Format: "double", Nullable: view}
	case record.KindChoices, record.KindList:
		return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Enum: words}}
	case record.KindLimit:
		return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeNumber, Nullable: view}, {Type: huma.TypeString}}}
	case record.KindValue:
		if !view {
			return fieldValue{}.Schema(nil)
		}
	}
	return &huma.Schema{Type: huma.TypeString, Enum: words, Nullable: view && p.Name != "type"}
}

// readProperties sets the properties of an input to the members of a body. Those that are null are as if they weren't there.
func readProperties(b []byte, in *record.FieldInput) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	for _, p := range record.Properties() {
		raw := members[p.Name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if err := readProperty(&p, raw, in); err != nil {
			return err
		}
	}
	return nil
}

func readProperty(p *record.Property, raw []byte, in *record.FieldInput) error {
	switch p.Kind {
	case record.KindLimit:
		if raw[0] == '"' {
			day, err := unquote(raw)
			p.SetLimit(in, nil, &day)
			return err
		}
		number, err := strconv.ParseFloat(string(raw), 64)
		p.SetLimit(in, &number, nil)
		return err
	case record.KindValue:
		var v fieldValue
		err := v.UnmarshalJSON(raw)
		in.Value = &v.text
		return err
	}
	return json.Unmarshal(raw, p.In(in))
}

// writeProperties adds the properties of a field to the JSON of a view, whose other members are given.
func writeProperties(view any, x *record.Field) ([]byte, error) {
	b, err := json.Marshal(view)
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSuffix(b, []byte("}"))
	for _, p := range record.Properties() {
		member, err := json.Marshal(viewProperty(&p, x))
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, p.Name), ':')
		b = append(b, member...)
	}
	return append(b, '}'), nil
}

func viewProperty(p *record.Property, x *record.Field) any {
	switch v := p.Of(x).(type) {
	case string:
		return orNull(v)
	case int:
		return orNull(v)
	case float64:
		return orNull(v)
	case []string:
		if p.Kind == record.KindChoices && len(v) == 0 {
			return p.Choices
		}
		return append([]string{}, v...) // never null
	default:
		return v
	}
}
