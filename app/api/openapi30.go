package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// openAPI30 describes the API in OpenAPI 3.0, for generators that don't read 3.1. It has no
// webhooks, which 3.0 doesn't know.
func (s *server) openAPI30() ([]byte, error) {
	d := s.description()
	d.api.Webhooks, d.api.Info.License = nil, &huma.License{Name: "MIT", URL: "https://opensource.org/license/mit"}
	if err := d.tidy(); err != nil {
		return nil, err
	}
	b, err := d.api.Downgrade()
	if err != nil {
		return nil, err
	}
	var whole any
	if err := json.Unmarshal(b, &whole); err != nil {
		return nil, err
	}
	downgrade(whole)
	return json.Marshal(whole)
}

// downgrade rewrites what 3.0 doesn't allow and the library leaves in the description: the media
// type of a string, and a description beside a reference.
func downgrade(at any) {
	switch at := at.(type) {
	case []any:
		for _, x := range at {
			downgrade(x)
		}
	case map[string]any:
		if _, is := at["contentMediaType"].(string); is {
			delete(at, "contentMediaType")
		}
		if ref, is := at["$ref"].(string); is && len(at) > 1 {
			delete(at, "$ref")
			at["allOf"] = []any{map[string]any{"$ref": ref}}
		}
		for _, x := range at {
			downgrade(x)
		}
	}
}
