package api_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/kv"
)

// answered is a stored response to a keyed request, as far as the tests know it.
var answered = kv.NewCollection("answers", kv.JSON[map[string]any]())

// killed leaves the newest stored responses as a process does that was killed
// after the work and before the response. It returns how many works were recorded.
func killed(t *testing.T, c *apptest.Client) (works int) {
	t.Helper()
	err := c.Signing.DB.Update(func(tx *kv.Tx) error {
		return answered.Each(tx, "", nil, func(key string, a map[string]any) (bool, error) {
			if a["about"] != nil {
				works++
			}
			delete(a, "body")
			a["status"] = 0
			return true, answered.Put(tx, key, a)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return works
}

// TestKeyedWorkIsDoneOnceThoughTheProcessDies repeats each request after its
// response was lost, and expects the first response and no second effect.
func TestKeyedWorkIsDoneOnceThoughTheProcessDies(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	draft := c.Post(t, "/documents", obj{"title": "A"}).Want(t, 201).Text(t, "id")
	at := "/documents/" + draft
	contact := c.Post(t, "/contacts", obj{"name": "Ann", "email": "ann@example.org"}).Want(t, 201).Text(t, "id")
	page := base64.StdEncoding.EncodeToString(apptest.PDF(t, "One."))
	for i, x := range []struct {
		path string
		body any
	}{
		{"/documents", obj{"title": "B"}}, {at + "/duplicate", nil},
		{at + "/invite", obj{"invitations": list{obj{"name": "Ben", "email": "ben@example.org"}}}},
		{at + "/upload", obj{"files": list{obj{"name": "a.pdf", "content": page}}}},
		{"/documents", obj{"title": "C", "send": true, "invitations": list{obj{"name": "Ben", "email": "ben@example.org"}},
			"files": list{obj{"name": "a.pdf", "content": page}}}},
		{at + "/send", nil}, {at + "/void", obj{"reason": "Over."}}, {at + "/archive", nil}, {at + "/restore", nil},
		{"/contacts", obj{"name": "Cid", "email": "cid@example.org"}}, {"/contacts/" + contact + "/archive", nil},
		{"/tokens", obj{"name": "T", "scopes": list{"read"}}},
		{"/members", obj{"name": "Dan", "email": "dan@company.example", "role": "member"}},
		{"/webhooks", obj{"url": "https://hooks.example/x"}},
	} {
		key := []string{"Idempotency-Key", "key " + string(rune('a'+i))}
		first := c.Post(t, x.path, x.body, key...)
		if first.Status >= 300 {
			t.Errorf("POST %s: %d %s", x.path, first.Status, first.Body)
			continue
		}
		before := c.Get(t, "/events?limit=200").Want(t, 200)
		if works := killed(t, c); works != i+1 {
			t.Errorf("POST %s is not recorded with its work: %d of %d are", x.path, works, i+1)
		}
		again := c.Post(t, x.path, x.body, key...).Want(t, first.Status)
		if again.Header.Get("Idempotency-Replayed") != "true" || !sameAnswer(t, first, again) {
			t.Errorf("POST %s again:\n%s\n%s", x.path, first.Body, again.Body)
		}
		if after := c.Get(t, "/events?limit=200").Want(t, 200); !sameAnswer(t, before, after) {
			t.Errorf("POST %s again did something", x.path)
		}
	}
}

// sameAnswer compares two responses but for secrets, which are shown once.
func sameAnswer(t *testing.T, a, b *apptest.Response) bool {
	t.Helper()
	var x, y map[string]any
	a.Decode(t, &x)
	b.Decode(t, &y)
	for _, m := range []map[string]any{x, y} {
		for name := range m {
			if strings.Contains(name, "token") || strings.Contains(name, "secret") {
				delete(m, name)
			}
		}
	}
	return reflect.DeepEqual(x, y)
}
