package apidoc

import (
	"fmt"
	"slices"
	"strings"
)

// fields describes the members of an object. If whole, nested objects are
// expanded; otherwise named ones are linked as records.
func (d *openAPI) fields(s *apiSchema, whole bool) []manualField {
	var out []manualField
	for _, name := range s.members() {
		f := d.field(name, s.Properties[name], whole)
		f.Required = slices.Contains(s.Required, name)
		out = append(out, f)
	}
	return out
}

// given clears Required: every member of a response is present.
func given(fields []manualField) []manualField {
	for i := range fields {
		fields[i].Required = false
		given(fields[i].Fields)
	}
	return fields
}

func (d *openAPI) field(name string, s *apiSchema, whole bool) manualField {
	schema := d.of(s)
	f := manualField{Name: name, Text: prose(schema.Description)}
	if s.Description != "" {
		f.Text = prose(s.Description)
	}
	inner, ofList := schema, schema.Type.name() == "array"
	if ofList {
		inner = d.of(schema.Items)
	}
	f.Type = typeOf(inner)
	if f.Choices = texts(inner.Enum); len(f.Choices) > 0 {
		f.Type = ""
	}
	if values := inner.Others.apiSchema; values != nil {
		f.Type = "object of " + typeOf(values) + " values"
	}
	if ofList {
		f.Type = "list of " + f.Type + "s"
	}
	if schema.Type.null() && !ofList {
		f.Type = strings.TrimPrefix(f.Type+" or null", " or ")
	}
	if inner.Minimum != nil && inner.Maximum != nil {
		f.Range = fmt.Sprintf("%.0f–%.0f", *inner.Minimum, *inner.Maximum)
	}
	if !whole && inner.Title != "" {
		f.Record = inner.Title
		return f
	}
	f.Fields = d.fields(inner, whole)
	return f
}

// typeOf describes the type of a value.
func typeOf(s *apiSchema) string {
	if len(s.OneOf) > 0 {
		var all []string
		for _, x := range s.OneOf {
			all = append(all, x.Type.name())
		}
		return strings.Join(all, " or ")
	}
	switch s.Format {
	case "date-time":
		return "time"
	case "uri":
		return "URL"
	case "binary":
		return "file"
	}
	return s.Type.name()
}

// records returns all records used in responses.
func (d *openAPI) records() []manualField {
	var out []manualField
	for _, s := range d.Components.Schemas {
		if fields := given(d.fields(s, false)); s.Title != "" && len(fields) > 0 {
			out = append(out, manualField{Name: s.Title, Fields: fields})
		}
	}
	slices.SortFunc(out, func(a, b manualField) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b manualField) bool { return a.Name == b.Name })
}
