package apidoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// manual is the OpenAPI document prepared for the pages.
type manual struct {
	Groups   []manualGroup
	Records  []manualField // records in responses, by name
	Refusals []refusalView
	States   []string // of a document, in the order of their numbers
	Events   []eventKind
	byID     map[string]*operationView
	moved    map[string]string // identifier of an alternative path → the operation's own
}

type manualGroup struct {
	Name, ID   string
	Text       template.HTML
	Operations []*operationView
}

// operationView is one operation. Answer is short, with links to the records;
// Whole includes them in full.
type operationView struct {
	ID, Method, Path, Also, Summary string
	Text                            template.HTML
	Public                          bool
	Bearer                          string
	Places, Query                   []manualField
	Body                            []manualField
	Files                           bool
	Status                          int
	StatusText, Gives               string
	Takes                           string // media type of a body that is a bare file
	Answer, Whole                   []manualField
	Example                         string
	Refusals                        []refusalView
	Group                           string
	Previous, Next                  *operationView
	call                            call
}

// manualField is a parameter or a member of an object.
type manualField struct {
	Name, Type string
	Required   bool
	Text       template.HTML
	Choices    []string
	Range      string
	Record     string // whose members are described elsewhere
	Fields     []manualField
}

// refusalView is an error response of an operation.
type refusalView struct {
	Status     int
	Name, Body string
	Text       template.HTML
}

func newManual(raw []byte, states []string) (*manual, error) {
	var doc openAPI
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("web: reading the OpenAPI document: %w", err)
	}
	doc.unite()
	m := &manual{States: states, byID: map[string]*operationView{}, moved: map[string]string{}}
	orders := map[*operationView]int{}
	for _, tag := range doc.Tags {
		m.Groups = append(m.Groups, manualGroup{Name: tag.Name, ID: "group-" + slug(tag.Name), Text: prose(tag.Description)})
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.SameAs != "" {
				m.moved[op.OperationID] = op.SameAs
				continue
			}
			v, err := doc.operation(strings.ToUpper(method), path, op)
			if err != nil {
				return nil, err
			}
			m.byID[v.ID], orders[v] = v, op.Order
			i := slices.IndexFunc(m.Groups, func(g manualGroup) bool { return g.Name == v.Group })
			if i < 0 {
				return nil, fmt.Errorf("web: the operation %s is in no group", v.ID)
			}
			m.Groups[i].Operations = append(m.Groups[i].Operations, v)
		}
	}
	m.sort(orders)
	m.Records, m.Refusals, m.Events = doc.records(), doc.refusals(nil), doc.events()
	return m, nil
}

// sort puts the operations into reading order.
func (m *manual) sort(orders map[*operationView]int) {
	var last *operationView
	for _, g := range m.Groups {
		slices.SortFunc(g.Operations, func(a, b *operationView) int { return cmp.Compare(orders[a], orders[b]) })
		for _, op := range g.Operations {
			if op.Previous = last; last != nil {
				last.Next = op
			}
			last = op
		}
	}
}

// find returns the groups with the operations that match every word.
func (m *manual) find(query string) []manualGroup {
	wanted := strings.Fields(strings.ToLower(query))
	var out []manualGroup
	for _, g := range m.Groups {
		found := g
		found.Operations = nil
		for _, op := range g.Operations {
			text := strings.ToLower(strings.Join([]string{op.Method, op.Path, op.Also, op.Summary, g.Name, string(op.Text)}, " "))
			if !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(text, w) }) {
				found.Operations = append(found.Operations, op)
			}
		}
		if len(found.Operations) > 0 {
			out = append(out, found)
		}
	}
	return out
}

func (d *openAPI) operation(method, path string, op apiOperation) (*operationView, error) {
	v := &operationView{ID: op.OperationID, Method: method, Path: path, Also: op.Also, Summary: op.Summary,
		Text:   prose(op.Description),
		Public: len(op.Security) == 0, Bearer: op.Bearer}
	if len(op.Tags) > 0 {
		v.Group = op.Tags[0]
	}
	for _, p := range op.Parameters {
		f := d.field(p.Name, p.Schema, false)
		f.Required, f.Text = p.Required, prose(p.Description)
		if p.In == "path" {
			v.Places = append(v.Places, f)
		} else {
			v.Query = append(v.Query, f)
		}
	}
	if op.RequestBody != nil {
		body := d.of(op.RequestBody.Content["application/json"].Schema)
		v.Body = d.fields(body, true)
		_, v.Files = op.RequestBody.Content["multipart/form-data"]
		_, csv := op.RequestBody.Content["text/csv"]
		if _, json := op.RequestBody.Content["application/json"]; csv && !json {
			v.Takes = "text/csv"
		}
	}
	var statuses []int
	for s, r := range op.Responses {
		if s == "default" {
			continue // says only that there may be others
		}
		status, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("web: the operation %s answers %q", v.ID, s)
		}
		if r.Ref != "" {
			statuses = append(statuses, status)
		} else if v.Status == 0 || v.Status > status {
			v.Status, v.StatusText = status, http.StatusText(status)
			d.answer(v, r)
		}
	}
	v.Refusals = d.refusals(statuses)
	var err error
	v.call, err = newCall(v, op)
	return v, err
}

func (d *openAPI) answer(v *operationView, r apiResponse) {
	for kind, media := range r.Content {
		// Of several kinds, the pages show one: JSON only where there is nothing else.
		if v.Gives == "" || v.Gives == "application/json" || kind != "application/json" && kind < v.Gives {
			v.Gives = kind
		}
		schema := d.of(media.Schema)
		if v.Answer, v.Whole = given(d.fields(schema, false)), given(d.fields(schema, true)); len(v.Whole) > 0 {
			v.Example = indented(d.example(media.Schema))
		}
	}
	if record := d.of(r.Content["application/json"].Schema); record.Title != "" {
		v.Answer = []manualField{{Record: record.Title}}
	}
}

// refusals returns the error responses with the given statuses, or all.
func (d *openAPI) refusals(only []int) []refusalView {
	var out []refusalView
	for status := http.StatusBadRequest; status < 600; status++ {
		r, ok := d.Components.Responses[strings.ReplaceAll(http.StatusText(status), " ", "")]
		if ok && http.StatusText(status) != "" && (only == nil || slices.Contains(only, status)) {
			out = append(out, refusalView{status, http.StatusText(status), indented(r.Content["application/json"].Example), prose(r.Description)})
		}
	}
	return out
}

func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if v != nil { // the type says that null is possible
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(s string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

var codeInProse = regexp.MustCompile("`([^`]+)`")

// prose converts text to HTML; backquoted parts become code.
func prose(s string) template.HTML {
	return template.HTML(codeInProse.ReplaceAllString(template.HTMLEscapeString(s), "<code>$1</code>"))
}

// Functions returns the template functions used only by these pages.
func Functions() template.FuncMap {
	return template.FuncMap{"prose": prose, "slug": slug}
}
