package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// manualText explains the operations and tags of the API, for its description.
//
//go:embed manual.md
var manualText string

// describing is the manual, parsed when the description is first asked for.
var describing = sync.OnceValue(func() *manuals { return parseManuals(manualText) })

// manuals hold what is said of the API beyond summaries and schemas.
type manuals struct {
	operations map[string]*manual // by ID
	tags       map[string]string
	properties map[string]string // of fields
}

// manual describes an endpoint beyond its summary. Names in braces inside an example
// are placeholders for values that the caller knows.
type manual struct {
	text   string            // sentences; words in backquotes are code
	body   string            // an example of the JSON body
	form   string            // an example of the JSON sent with a file
	query  map[string]string // examples of parameters
	media  string            // media types of a non-JSON response, the usual one first
	bearer string            // whose token it requires, if not a member's
}

// sharedText refers to a text that several operations have.
var sharedText = regexp.MustCompile(`\[\[([^\]]+)\]\]`)

// parseManuals reads the file, whose introduction describes its format. It panics if
// the file, which is a part of the program, doesn't follow it.
func parseManuals(markdown string) *manuals {
	ms := &manuals{operations: map[string]*manual{}, tags: map[string]string{}, properties: map[string]string{}}
	texts := map[string]string{}
	for chapter := range strings.SplitSeq(markdown, "\n## ") {
		heading, rest, _ := strings.Cut(chapter, "\n")
		for i, section := range strings.Split(rest, "\n### ") {
			name, body, _ := strings.Cut(section, "\n")
			switch {
			case i == 0: // before the first heading
			case heading == "Tags":
				ms.tags[name] = parseManual(body).text
			case heading == "Properties":
				ms.properties[name] = parseManual(body).text
			case heading == "Operations":
				ms.operations[name] = parseManual(body)
			case heading == "Shared texts":
				texts[name] = parseManual(body).text
			default:
				panic(fmt.Sprintf("manual.md: %q stands below an unknown heading", name))
			}
		}
	}
	var insert func(text string) string
	insert = func(text string) string {
		return sharedText.ReplaceAllStringFunc(text, func(reference string) string {
			name := strings.Trim(reference, "[]")
			if texts[name] == "" {
				panic("manual.md: there is no shared text " + reference)
			}
			return insert(texts[name])
		})
	}
	for _, m := range ms.operations {
		m.text = insert(m.text)
	}
	return ms
}

// parseManual reads what stands below one heading.
func parseManual(markdown string) *manual {
	m := &manual{query: map[string]string{}}
	example := &m.body
	for block := range strings.SplitSeq(strings.TrimSpace(markdown), "\n\n") {
		name, value, _ := strings.Cut(block, ": ")
		switch {
		case block == "Body:":
			example = &m.body
		case block == "Form:":
			example = &m.form
		case strings.HasPrefix(block, "```"):
			*example = strings.TrimSuffix(strings.TrimPrefix(block, "```json\n"), "\n```")
		case strings.HasPrefix(block, "- "):
			for line := range strings.SplitSeq(block, "\n") {
				parameter, value, _ := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
				m.query[parameter] = strings.Trim(value, "`")
			}
		case name == "Media":
			m.media = value
		case name == "Bearer":
			m.bearer = value
		case m.text != "":
			panic(fmt.Sprintf("manual.md: unexpected block %q", block))
		default:
			m.text = strings.ReplaceAll(block, "\n", " ")
		}
	}
	return m
}

// exampleOf returns an example with the type of its parameter.
func exampleOf(s *huma.Schema, text string) any {
	switch s.Type {
	case huma.TypeInteger, huma.TypeNumber, huma.TypeBoolean:
		return json.RawMessage(text)
	}
	return text
}

// apply adds the manual's text and examples to an operation.
func (m *manual) apply(o *huma.Operation) {
	o.Description = m.text
	for _, p := range o.Parameters {
		if v, ok := m.query[p.Name]; ok {
			p.Example = exampleOf(p.Schema, v)
		}
	}
	if o.RequestBody != nil {
		if media := o.RequestBody.Content["application/json"]; media != nil && m.body != "" {
			media.Example = json.RawMessage(m.body)
		}
		if media := o.RequestBody.Content["multipart/form-data"]; media != nil {
			parts := map[string]string{"file": "@contract.pdf"}
			if m.form != "" {
				parts["data"] = m.form
			}
			media.Example = parts
		}
	}
	if m.bearer != "" {
		o.Extensions["x-bearer"] = m.bearer
	}
}
