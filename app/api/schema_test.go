package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest"
)

// route is an operation of the description with the paths that lead to it.
type route struct {
	paths     *regexp.Regexp
	operation obj
}

// descriptions holds the routes of each server's description, which are not the same on all: only a
// test double has those below /test.
var descriptions sync.Map

// fits fails the test if an answer is not what the description of the API says. Every answer of
// this package's tests is held against it.
func fits(t testing.TB, c *apptest.Client, r *apptest.Response) {
	t.Helper()
	method, path, _ := strings.Cut(r.What, " ")
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimRight(strings.TrimPrefix(path, "/api"), "/")
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || path == "/openapi.json" || method == http.MethodHead {
		return
	}
	once, _ := descriptions.LoadOrStore(c.Server, sync.OnceValues(func() (obj, map[string][]route) { return routes(describe(t, c.Server)) }))
	doc, all := once.(func() (obj, map[string][]route))()
	for _, x := range all[method] {
		if x.paths.MatchString(path) {
			for _, why := range unfit(doc, x.operation, r) {
				t.Errorf("%s answers %d: %s", r.What, r.Status, why)
			}
			return
		}
	}
	if r.Status != http.StatusNotFound && r.Status != http.StatusMethodNotAllowed {
		t.Errorf("%s answers %d and is not described", r.What, r.Status)
	}
}

// routes returns the operations by method, those with fewer parameters in their path first.
func routes(doc obj) (obj, map[string][]route) {
	type templated struct {
		path string
		item obj
	}
	var paths []templated
	for path, item := range doc["paths"].(obj) {
		paths = append(paths, templated{path, item.(obj)})
	}
	slices.SortFunc(paths, func(a, b templated) int { return cmp.Compare(strings.Count(a.path, "{"), strings.Count(b.path, "{")) })
	out := map[string][]route{}
	for _, p := range paths {
		pattern := regexp.MustCompile("^" + parameterName.ReplaceAllString(p.path, "[^/]+") + "$")
		for method, operation := range p.item {
			method = strings.ToUpper(method)
			out[method] = append(out[method], route{pattern, operation.(obj)})
		}
	}
	return doc, out
}

// unfit lists where an answer is not what its operation's description says.
func unfit(doc, operation obj, r *apptest.Response) []string {
	response := resolve(operation, fmt.Sprintf("#/responses/%d", r.Status))
	if response == nil {
		response = resolve(operation, "#/responses/default")
	}
	if ref, ok := response["$ref"].(string); ok {
		response = resolve(doc, ref)
	}
	schema := resolve(response, "#/content/application~1json/schema")
	if schema == nil {
		return []string{fmt.Sprintf("not described; %.200s", r.Body)}
	}
	var v any
	if err := json.Unmarshal(r.Body, &v); err != nil {
		return []string{err.Error()}
	}
	return misfits(doc, schema, v, "")
}

// TestAnswersFitDescription reads records with what other tests don't have in them: fits judges
// each answer.
func TestAnswersFitDescription(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	approver := c.Member(t, account.RoleApprover)
	box := obj{"type": "select", "options": list{"a"}, "min": 1, "max": 2, "name": "n", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1, "font_size": 9, "required": false}
	d := draft(t, c, 2, obj{"fields": list{box}, "approver_id": approver.UserID, "remind_every_days": 3, "metadata": obj{"a": "b"}})
	at := "/documents/" + d.Text(t, "id")
	file, inv, field := d.Text(t, "files.0.id"), d.Text(t, "invitations.0.id"), d.Text(t, "fields.0.id")
	failed(t, c.Post(t, "/documents", obj{"title": 1}), 422)
	failed(t, s.Anonymous().Post(t, "/documents", nil), 401)
	c.Get(t, "/documents")
	c.Get(t, "/documents?search=nothing")
	c.Get(t, "/documents/"+titled(t, c, "bare")[0])
	failed(t, c.Get(t, "/documents/x"), 404)
	for _, path := range []string{"files", "fields", "invitations", "events"} {
		c.Get(t, at+"/"+path)
	}
	c.Get(t, at+"/files/"+file)
	c.Get(t, at+"/fields/"+field)
	c.Get(t, at+"/invitations/"+inv)
	c.Post(t, at+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "b.pdf", Content: apptest.PDF(t)}))
	c.Put(t, at+"/files/"+c.Get(t, at).Text(t, "files.0.id")+"/content", apptest.Multipart(t, nil, apptest.File{Name: "c.pdf", Content: apptest.PDF(t)}))
	c.Put(t, at+"/files/"+c.Get(t, at).Text(t, "files.0.id")+"/pages", obj{"pages": list{obj{"page": 1, "rotate": 180}}})
	c.Post(t, at+"/invite", obj{"invitations": signers(3)[2:]})
	c.Put(t, at+"/fields", obj{"fields": list{}})
	c.Post(t, at+"/send", nil)
	failed(t, c.Post(t, at+"/send", nil), 409)
	c.Post(t, at+"/"+inv+"/sign", nil)
	c.Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/decline", nil)
	c.Post(t, at+"/void", obj{"reason": "x"})
	c.Get(t, "/documents?status=voided")
	c.Get(t, "/me")
	s.Anonymous().Post(t, "/login", obj{"email": c.Email, "password": apptest.Password})
	c.Get(t, "/company")
	c.Get(t, "/members")
	c.Post(t, "/members", obj{"email": "someone@company.example"})
	c.Post(t, "/tokens", obj{"name": "x"})
	c.Get(t, "/tokens")
	c.Post(t, "/me/two-factor", nil)
	c.Post(t, "/email/reverify", nil)
	hook := c.Post(t, "/webhooks", obj{"url": "https://hooks.example/"})
	c.Get(t, "/webhooks")
	c.Post(t, "/webhooks/"+hook.Text(t, "id")+"/test", nil)
	c.Get(t, "/webhooks/"+hook.Text(t, "id")+"/deliveries")
	c.Get(t, "/events?per_page=200")
	c.Get(t, "/healthz")
}

// misfits lists where a value violates its schema (JSON Schema 2020-12, the
// parts in use here). A member missing from the schema is a violation too: the
// description would omit it.
func misfits(doc, schema obj, v any, at string) (why []string) {
	if ref, ok := schema["$ref"].(string); ok {
		schema = resolve(doc, ref)
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if choices, ok := schema[word].(list); ok {
			if !slices.ContainsFunc(choices, func(x any) bool { return len(misfits(doc, x.(obj), v, at)) == 0 }) {
				why = append(why, fmt.Sprintf("%s: %v is none of the choices", at, v))
			}
			return why
		}
	}
	kinds, ok := schema["type"].(list)
	if !ok && schema["type"] != nil {
		kinds = list{schema["type"]}
	}
	kind := kindOf(v)
	if len(kinds) > 0 && !slices.Contains(kinds, any(kind)) && !(kind == "integer" && slices.Contains(kinds, any("number"))) {
		return append(why, fmt.Sprintf("%s: %v is no %v", at, v, kinds))
	}
	if choices, ok := schema["enum"].(list); ok && v != nil && !slices.Contains(choices, v) {
		why = append(why, fmt.Sprintf("%s: %v is none of %v", at, v, choices))
	}
	switch v := v.(type) {
	case string:
		if schema["format"] == "date-time" {
			if at, err := time.Parse("2006-01-02T15:04:05.000Z", v); err != nil || at.IsZero() {
				why = append(why, fmt.Sprintf("%s: %s is no time in UTC with milliseconds", at, v))
			}
		}
	case list:
		items, _ := schema["items"].(obj)
		for i, x := range v {
			why = append(why, misfits(doc, items, x, fmt.Sprintf("%s.%d", at, i))...)
		}
	case obj:
		if schema["type"] == nil {
			return why // anything
		}
		why = append(why, misfitMembers(doc, schema, v, at)...)
	}
	return why
}

func misfitMembers(doc, schema, v obj, at string) (why []string) {
	properties, _ := schema["properties"].(obj)
	required, _ := schema["required"].(list)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			why = append(why, fmt.Sprintf("%s.%s is missing", at, name))
		}
	}
	for name, x := range v {
		s, ok := properties[name].(obj)
		if more, isSchema := schema["additionalProperties"].(obj); !ok && isSchema {
			s, ok = more, true
		}
		if !ok && properties == nil && schema["additionalProperties"] == true {
			continue // a record of its own format
		}
		if !ok {
			why = append(why, fmt.Sprintf("%s.%s is not described", at, name))
			continue
		}
		why = append(why, misfits(doc, s, x, at+"."+name)...)
	}
	return why
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case list:
		return "array"
	}
	return "object"
}

// TestTogetherTheDescriptionIsRead reads the description for the first time while requests are
// checked against it, under the race detector.
func TestTogetherTheDescriptionIsRead(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	var both sync.WaitGroup
	both.Go(func() { c.Get(t, "/openapi.json").Want(t, 200) })
	both.Go(func() {
		for range 20 {
			c.Post(t, "/documents", obj{"invitations": buyerAndSeller()}).Want(t, 201)
		}
	})
	both.Wait()
}
