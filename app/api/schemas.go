package api

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const schemaRefs = "#/components/schemas/"

// registry generates schemas from Go types, and holds those of records by name.
type registry struct{ huma.Registry }

func newRegistry() registry {
	return registry{huma.NewMapRegistry(schemaRefs, schemaName)}
}

// schemaOf returns the schema of an input.
func (r registry) schemaOf(t reflect.Type) *huma.Schema {
	return r.open(r.Schema(t, true, ""))
}

// open allows unknown members in an object. They are ignored, so that clients written
// for another server keep working.
func (r registry) open(s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	for _, x := range r.Map() {
		if x.AdditionalProperties == false {
			x.AdditionalProperties = true
		}
	}
	return s
}

// allowNull lets members be null that may be. It must be called once every type is added.
func (r registry) allowNull() {
	for name, s := range r.Map() {
		r.markNull(s, r.TypeFromRef(schemaRefs+name))
		for _, member := range s.Properties {
			if member.Nullable && len(member.Enum) > 0 && !slices.Contains(member.Enum, nil) {
				member.Enum = append(slices.Clip(member.Enum), nil)
			}
		}
	}
}

// markNull marks members of a record that are records themselves and may be null: pointers
// that are always there. A reference to a schema can't say so; they get a copy of it.
func (r registry) markNull(s *huma.Schema, of reflect.Type) {
	if of == nil || of.Kind() != reflect.Struct {
		return
	}
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			r.markNull(s, f.Type)
		}
		was := s.Properties[name]
		if f.Type.Kind() != reflect.Pointer || was == nil || was.Ref == "" || strings.Contains(options, "omit") {
			continue
		}
		copied := *r.SchemaFromRef(was.Ref)
		copied.Nullable, copied.Description = true, was.Description
		copied.Extensions = map[string]any{"x-members": memberNames(f.Type.Elem())}
		s.Properties[name] = &copied
	}
}

// bodies holds the schemas that requests are checked against.
type bodies struct {
	registry
	byRef map[string]*huma.Schema
}

// complete must be called once every input is added, and before the first request.
func (b *bodies) complete() {
	b.allowNull()
	b.byRef = make(map[string]*huma.Schema, len(b.Map()))
	for name, s := range b.Map() {
		b.byRef[schemaRefs+name] = s
	}
}
