package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// requestSchema returns what the description says of an operation's JSON body.
func requestSchema(doc, operation obj) obj {
	body, _ := operation["requestBody"].(obj)
	content, _ := body["content"].(obj)
	media, _ := content["application/json"].(obj)
	schema, _ := media["schema"].(obj)
	return resolved(doc, schema)
}

func resolved(doc, schema obj) obj {
	if ref, ok := schema["$ref"].(string); ok {
		return resolve(doc, ref)
	}
	return schema
}

// eachRequest calls a function with every operation that has a JSON body, and its schema.
func eachRequest(t *testing.T, s *apptest.Server, do func(e endpoint, doc, schema obj)) {
	t.Helper()
	doc := describe(t, s)
	for path, item := range doc["paths"].(obj) {
		for method, op := range item.(obj) {
			operation, ok := op.(obj)
			if !ok || strings.HasPrefix(path, "/test/") {
				continue
			}
			if schema := requestSchema(doc, operation); schema != nil {
				do(endpoint{method: strings.ToUpper(method), path: path}, doc, schema)
			}
		}
	}
}

// refusal holds the messages and codes of a 422, by the name of the member.
type refusal struct {
	Errors map[string][]string `json:"errors"`
	Codes  map[string][]string `json:"codes"`
}

func refusalOf(t *testing.T, r *apptest.Response) (x refusal) {
	t.Helper()
	if r.Status == 422 {
		r.Decode(t, &x)
	}
	return x
}

// places are documents in the states that are quick to reach, by the values of a path's parameters.
type places struct {
	c    *apptest.Client
	own  map[string]string
	made map[string]map[string]string
}

func placesOf(t *testing.T) *places {
	t.Helper()
	c := company(t)
	p := &places{c: c, own: property(t, c), made: map[string]map[string]string{}}
	template := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Lease", "roles": list{obj{"role_name": "Tenant"}}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Lease.")})).Want(t, 201)
	p.own["template"] = template.Text(t, "id")
	p.own["link"] = c.Post(t, "/templates/"+p.own["template"]+"/links", obj{"role": "Tenant"}).Want(t, 201).Text(t, "id")
	return p
}

// state makes a document that nothing was done with since.
func (p *places) state(t *testing.T, name string) map[string]string {
	t.Helper()
	if p.made[name] != nil {
		return p.made[name]
	}
	var d *apptest.Response
	switch name {
	case "draft":
		d = draft(t, p.c, 2)
	case "sent":
		d = sent(t, p.c, 2)
	case "waiting":
		p.c.Patch(t, "/company", obj{"require_approval": true}).Want(t, 200)
		d = draft(t, p.c, 1)
		p.c.Post(t, "/documents/"+d.Text(t, "id")+"/submit", nil).Want(t, 200)
		p.c.Patch(t, "/company", obj{"require_approval": false}).Want(t, 200)
	case "trashed":
		d = draft(t, p.c, 1)
		p.c.Delete(t, "/documents/"+d.Text(t, "id"))
	}
	p.made[name] = merge(p.own, map[string]string{"document": d.Text(t, "id"), "file": d.Text(t, "files.0.id"), "invitation": d.Text(t, "invitations.0.id")})
	return p.made[name]
}

// try sends a body to an operation, on a document in each state where its path names one.
func (p *places) try(t *testing.T, e endpoint, body any) (answers []*apptest.Response) {
	t.Helper()
	states := []string{"draft"}
	if strings.Contains(e.path, "{document}") {
		states = append(states, "sent", "waiting", "trashed")
	}
	for _, state := range states {
		r := p.c.Do(t, e.method, e.at(p.state(t, state)), body)
		if r.Status < 400 {
			delete(p.made, state) // it isn't what it was
		}
		answers = append(answers, r)
	}
	return answers
}

// eitherNeeded are operations that need one of two members, which a schema says in more words than
// it is worth.
var eitherNeeded = []string{"POST /me/proof"}

// TestRequiredMembers holds what the description says is required against what is refused when it
// is missing.
func TestRequiredMembers(t *testing.T) {
	t.Parallel()
	p := placesOf(t)
	eachRequest(t, p.c.Server, func(e endpoint, _, schema obj) {
		if slices.Contains(eitherNeeded, e.String()) {
			return
		}
		needed, accepted := map[string]bool{}, false
		for _, r := range p.try(t, e, obj{}) {
			accepted = accepted || r.Status < 400
			for name, codes := range refusalOf(t, r).Codes {
				if slices.Contains(codes, "required") {
					needed[name] = true
				}
			}
		}
		said := required(schema)
		for name := range needed {
			if !slices.Contains(said, name) {
				t.Errorf("%s needs %s, which the description doesn't say", e, name)
			}
		}
		if accepted && len(said) > 0 {
			t.Errorf("%s accepts an empty object, though it is said to need %s", e, said)
		}
	})
}

func required(schema obj) (names []string) {
	all, _ := schema["required"].(list)
	for _, name := range all {
		names = append(names, name.(string))
	}
	return names
}

// TestWordsOfRequests sends what no member can be, and compares the words that the refusal lists
// with those of the description.
func TestWordsOfRequests(t *testing.T) {
	t.Parallel()
	p := placesOf(t)
	compared := 0
	eachRequest(t, p.c.Server, func(e endpoint, doc, schema obj) {
		eachWord(doc, schema, 4, func(path []string, words string, body any) {
			name := strings.Join(path, ".")
			for _, r := range p.try(t, e, body) {
				x := refusalOf(t, r)
				i := slices.Index(x.Codes[name], "not_one_of")
				if i < 0 {
					if r.Status < 400 && words != "" {
						t.Errorf("%s accepts any %s, though it is said to be one of %s", e, name, words)
					}
					continue
				}
				_, listed, _ := strings.Cut(strings.TrimSuffix(x.Errors[name][i], "."), ": ")
				allowed := strings.Split(listed, ", ")
				if slices.Sort(allowed); strings.Join(allowed, " ") != words {
					t.Errorf("%s: %s may be %s, but the description says %q", e, name, allowed, words)
				}
				compared++
				break
			}
		})
	})
	if compared < 20 {
		t.Errorf("only %d members were compared", compared)
	}
}

// eachWord calls a function with each member that is a text or a list of texts, with the words
// that it can be, and with a body in which it is something else.
func eachWord(doc, schema obj, depth int, do func(path []string, words string, body any)) {
	schema = resolved(doc, schema)
	if depth == 0 {
		return
	}
	kinds, _ := schema["type"].(list)
	is := func(kind string) bool { return schema["type"] == kind || slices.Contains(kinds, any(kind)) }
	switch {
	case is("string"):
		var words []string
		all, _ := schema["enum"].(list)
		for _, w := range all {
			if w, ok := w.(string); ok {
				words = append(words, w)
			}
		}
		slices.Sort(words)
		do(nil, strings.Join(words, " "), "nonsense")
	case is("array"):
		items, _ := schema["items"].(obj)
		eachWord(doc, items, depth-1, func(path []string, words string, body any) {
			do(append([]string{"0"}, path...), words, list{body})
		})
	case is("object"):
		properties, _ := schema["properties"].(obj)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			eachWord(doc, properties[name].(obj), depth-1, func(path []string, words string, body any) {
				do(append([]string{name}, path...), words, obj{name: body})
			})
		}
	}
}
