package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestAnswersFitDescription validates real responses of every resource against
// the schemas of the OpenAPI document.
func TestAnswersFitDescription(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	doc := describe(t, s)
	fits := func(template string, r *apptest.Response) {
		t.Helper()
		method, path, _ := strings.Cut(template, " ")
		operation := resolve(doc, "#/paths/"+strings.ReplaceAll(path, "/", "~1")+"/"+strings.ToLower(method))
		if operation == nil {
			t.Fatalf("%s is not described", template)
		}
		response := resolve(operation, fmt.Sprintf("#/responses/%d", r.Status))
		if ref, ok := response["$ref"].(string); ok {
			response = resolve(doc, ref)
		}
		schema := resolve(response, "#/content/application~1json/schema")
		if schema == nil {
			t.Fatalf("%s: the answer %d is not described; %.200s", template, r.Status, r.Body)
		}
		var v any
		r.Decode(t, &v)
		for _, why := range misfits(doc, schema, v, "") {
			t.Errorf("%s %d: %s", template, r.Status, why)
		}
	}
	approver := c.Member(t, account.RoleApprover)
	box := obj{"type": "select", "options": list{"a"}, "min": 1, "max": 2, "name": "n", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1, "font_size": 9, "required": false}
	d := draft(t, c, 2, obj{"fields": list{box}, "approver_id": approver.UserID, "remind_every_days": 3, "metadata": obj{"a": "b"}})
	fits("POST /documents", d)
	at := "/documents/" + d.Text(t, "id")
	file, inv, field := d.Text(t, "files.0.id"), d.Text(t, "invitations.0.id"), d.Text(t, "fields.0.id")
	fits("POST /documents", failed(t, c.Post(t, "/documents", obj{"title": 1}), 422))
	fits("POST /documents", failed(t, s.Anonymous().Post(t, "/documents", nil), 401))
	fits("GET /documents", c.Get(t, "/documents"))
	fits("GET /documents", c.Get(t, "/documents?search=nothing"))
	fits("GET /documents/{document}", c.Get(t, "/documents/"+titled(t, c, "bare")[0]))
	fits("GET /documents/{document}", failed(t, c.Get(t, "/documents/x"), 404))
	for _, path := range []string{"files", "fields", "invitations", "events"} {
		fits("GET /documents/{document}/"+path, c.Get(t, at+"/"+path))
	}
	fits("GET /documents/{document}/files/{file}", c.Get(t, at+"/files/"+file))
	fits("GET /documents/{document}/fields/{field}", c.Get(t, at+"/fields/"+field))
	fits("GET /documents/{document}/invitations/{invitation}", c.Get(t, at+"/invitations/"+inv))
	fits("POST /documents/{document}/upload", c.Post(t, at+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "b.pdf", Content: apptest.PDF(t)})))
	fits("PUT /documents/{document}/files/{file}/content", c.Put(t, at+"/files/"+c.Get(t, at).Text(t, "files.0.id")+"/content", apptest.Multipart(t, nil, apptest.File{Name: "c.pdf", Content: apptest.PDF(t)})))
	fits("PUT /documents/{document}/files/{file}/pages", c.Put(t, at+"/files/"+c.Get(t, at).Text(t, "files.0.id")+"/pages", obj{"pages": list{obj{"page": 1, "rotate": 180}}}))
	fits("POST /documents/{document}/invite", c.Post(t, at+"/invite", obj{"invitations": signers(3)[2:]}))
	fits("PUT /documents/{document}/fields", c.Put(t, at+"/fields", obj{"fields": list{}}))
	fits("POST /documents/{document}/send", c.Post(t, at+"/send", nil))
	fits("POST /documents/{document}/send", failed(t, c.Post(t, at+"/send", nil), 409))
	fits("POST /documents/{document}/{invitation}/sign", c.Post(t, at+"/"+inv+"/sign", nil))
	fits("POST /documents/{document}/{invitation}/decline", c.Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/decline", nil))
	fits("POST /documents/{document}/void", c.Post(t, at+"/void", obj{"reason": "x"}))
	fits("GET /documents", c.Get(t, "/documents?status=voided"))
	fits("GET /me", c.Get(t, "/me"))
	fits("POST /login", s.Anonymous().Post(t, "/login", obj{"email": c.Email, "password": apptest.Password}))
	fits("GET /company", c.Get(t, "/company"))
	fits("GET /members", c.Get(t, "/members"))
	fits("POST /members", c.Post(t, "/members", obj{"email": "someone@company.example"}))
	fits("POST /tokens", c.Post(t, "/tokens", obj{"name": "x"}))
	fits("GET /tokens", c.Get(t, "/tokens"))
	fits("POST /me/two-factor", c.Post(t, "/me/two-factor", nil))
	fits("POST /email/reverify", c.Post(t, "/email/reverify", nil))
	hook := c.Post(t, "/webhooks", obj{"url": "https://hooks.example/"})
	fits("POST /webhooks", hook)
	fits("GET /webhooks", c.Get(t, "/webhooks"))
	fits("POST /webhooks/{webhook}/test", c.Post(t, "/webhooks/"+hook.Text(t, "id")+"/test", nil))
	fits("GET /webhooks/{webhook}/deliveries", c.Get(t, "/webhooks/"+hook.Text(t, "id")+"/deliveries"))
	fits("GET /events", c.Get(t, "/events?per_page=200"))
	fits("GET /healthz", c.Get(t, "/healthz"))
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

// TestTheDescriptionMayBeReadAtAnyTime reads the description for the first time while requests are
// checked against it, under the race detector.
func TestTheDescriptionMayBeReadAtAnyTime(t *testing.T) {
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
