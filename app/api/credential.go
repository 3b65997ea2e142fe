package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// credential is the JSON of a browser's PublicKeyCredential, passed on
// unchanged.
type credential struct{ json.RawMessage }

// Schema returns the schema of an object.
func (credential) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{}}
}

// text returns the JSON, or null if there is none.
func (c credential) text() []byte {
	if c.RawMessage == nil {
		return []byte("null")
	}
	return c.RawMessage
}
