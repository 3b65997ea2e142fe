package apidoc

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The part of the OpenAPI document that the pages show.

type openAPI struct {
	Tags       []struct{ Name, Description string }
	Paths      map[string]map[string]apiOperation
	Webhooks   map[string]map[string]apiOperation
	Components struct {
		Schemas   map[string]*apiSchema
		Responses map[string]apiResponse
	}
}

type apiOperation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []apiParameter
	RequestBody                       *struct{ Content map[string]apiMedia }
	Responses                         map[string]apiResponse
	Security                          []any

	Order  int    `json:"x-order"`
	Also   string `json:"x-also"`    // alternative path
	SameAs string `json:"x-same-as"` // the operation that this is an alternative path of
	Bearer string `json:"x-bearer"`  // whose token it takes
}

type apiParameter struct {
	Name, In, Description string
	Required              bool
	Schema                *apiSchema
	Example               any
}

type apiMedia struct {
	Schema  *apiSchema
	Example json.RawMessage
}

type apiResponse struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]apiMedia
}

type apiSchema struct {
	Ref              string `json:"$ref"`
	Type             kinds
	Format           string
	Description      string
	Enum             []any
	Examples         []json.RawMessage
	Title            string // of a record that several operations share
	Minimum, Maximum *float64
	Items            *apiSchema
	Properties       map[string]*apiSchema
	Required         []string
	OneOf            []*apiSchema
	Discriminator    *struct{ PropertyName string } // of a record that is one of several, which differ in their type
	Order            []string                       `json:"x-members"`
	Others           others                         `json:"additionalProperties"`
}

// kinds is one JSON type, or several including null.
type kinds []string

// UnmarshalJSON reads a string or a list of strings.
func (k *kinds) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(k))
}

func (k kinds) null() bool { return slices.Contains(k, "null") }

// name returns the type other than null.
func (k kinds) name() string {
	for _, s := range k {
		if s != "null" {
			return s
		}
	}
	return ""
}

// others is the schema of additional properties, nil if any value is allowed.
type others struct{ *apiSchema }

// UnmarshalJSON reads true, false or a schema.
func (o *others) UnmarshalJSON(b []byte) error {
	if s := string(b); s == "true" || s == "false" {
		return nil
	}
	return json.Unmarshal(b, &o.apiSchema)
}

// of returns the schema, or the one it refers to.
func (d *openAPI) of(s *apiSchema) *apiSchema {
	if s == nil {
		return &apiSchema{}
	}
	name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/")
	if to := d.Components.Schemas[name]; ok && to != nil {
		return to
	}
	return s
}

// unite gives a record that is one of several, told apart by a member, the members that all of
// them have: a page shows them once.
func (d *openAPI) unite() {
	for _, s := range d.Components.Schemas {
		if s.Discriminator == nil || len(s.OneOf) == 0 {
			continue
		}
		one := d.of(s.OneOf[0])
		s.Type, s.Required, s.Order, s.Properties, s.OneOf = one.Type, one.Required, one.Order, maps.Clone(one.Properties), nil
		told := *s.Properties[s.Discriminator.PropertyName]
		told.Enum = nil
		s.Properties[s.Discriminator.PropertyName] = &told
	}
}

// members lists property names in declared order if known, else alphabetically.
func (s *apiSchema) members() []string {
	var names []string
	for _, name := range s.Order {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}
	if len(names) == len(s.Properties) {
		return names
	}
	return slices.Sorted(maps.Keys(s.Properties))
}
