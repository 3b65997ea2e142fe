package api_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestExamplesOfErrors provokes every error that has an example in the
// description, and expects exactly that body.
func TestExamplesOfErrors(t *testing.T) {
	t.Parallel()
	s := server(t)
	doc := describe(t, s)
	c := s.Company(t)
	waiting := "/documents/" + sent(t, c, 1).Text(t, "id")
	draft := "/documents/" + titled(t, c, "A draft")[0]
	for range 6 {
		c.Post(t, "/email/reverify", nil).Want(t, 202)
	}
	text := func(s string) apptest.Raw { return apptest.Raw{Type: "application/json", Body: []byte(s)} }
	got := map[string]*apptest.Response{
		"BadRequest":            c.Post(t, "/documents", text(`{"title":`)),
		"Unauthorized":          s.Anonymous().Get(t, "/documents"),
		"Forbidden":             c.Member(t, account.RoleViewer).Post(t, "/documents", obj{"title": "x"}),
		"NotFound":              c.Get(t, "/documents/01K8XN2V7Q3J5T9B4C6D8E0F1G"),
		"Conflict":              c.Patch(t, waiting, obj{"title": "x"}),
		"PreconditionFailed":    c.Patch(t, draft, obj{"title": "x"}, "If-Match", `"99"`),
		"RequestEntityTooLarge": c.Patch(t, draft, text(`{"title":"`+strings.Repeat("x", 10_000_000)+`"}`)),
		"UnsupportedMediaType":  c.Patch(t, draft, apptest.Raw{Type: "text/plain", Body: []byte("title")}),
		"UnprocessableEntity":   c.Post(t, draft+"/invite", obj{"invitations": list{obj{"name": "Ben"}}}),
		"TooManyRequests":       c.Post(t, "/email/reverify", nil),
	}
	described := resolve(doc, "#/components/responses")
	for name := range described {
		if slices.Contains([]string{"InternalServerError", "ServiceUnavailable", "InsufficientStorage", "AnyOtherError"}, name) {
			continue // none is due to the request
		}
		want := resolve(doc, "#/components/responses/"+name+"/content/application~1json")["example"]
		if got[name] == nil {
			t.Errorf("nothing provokes %s", name)
			continue
		}
		var body any
		if err := json.Unmarshal(got[name].Body, &body); err != nil || !reflect.DeepEqual(body, want) {
			t.Errorf("%s is %s, the example is %v", name, got[name].Body, want)
		}
	}
}
