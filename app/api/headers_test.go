package api_test

import (
	"strings"
	"sync"
	"testing"

	"paraph/app/apptest"
)

func TestTogetherIdempotency(t *testing.T) {
	t.Parallel()
	c := company(t)
	count := func(want int) {
		t.Helper()
		if got := c.Get(t, "/documents").Int(t, "meta.total"); got != want {
			t.Errorf("%d documents, want %d", got, want)
		}
	}
	body := obj{"title": "Once"}
	a := c.Post(t, "/documents", body, "Idempotency-Key", "k1").Want(t, 201)
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the first answer says it is replayed")
	}
	b := c.Under("/api").Post(t, "/documents", body, "Idempotency-Key", "k1").Want(t, 201)
	if b.Header.Get("Idempotency-Replayed") != "true" || string(a.Body) != string(b.Body) || b.Header.Get("Content-Type") != a.Header.Get("Content-Type") {
		t.Errorf("the answer again is %v %s", b.Header, b.Body)
	}
	count(1)
	failed(t, c.Post(t, "/documents", obj{"title": "Other"}, "Idempotency-Key", "k1"), 409)
	failed(t, c.Post(t, "/documents/"+a.Text(t, "id")+"/archive", nil, "Idempotency-Key", "k1"), 409)
	count(1)
	other := company(t)
	if r := other.Post(t, "/documents", body, "Idempotency-Key", "k1").Want(t, 201); r.Text(t, "id") == a.Text(t, "id") {
		t.Error("another company gets our answer")
	}
	// A refused request can be corrected and sent again.
	failed(t, c.Post(t, "/documents", obj{"title": 1}, "Idempotency-Key", "k2"), 422)
	c.Post(t, "/documents", body, "Idempotency-Key", "k2").Want(t, 201)
	count(2)
	// Concurrently.
	var wg sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		wg.Go(func() { ids[i] = c.Post(t, "/documents", body, "Idempotency-Key", "k3").Text(t, "id") })
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("requests at the same time made %v", ids)
		}
	}
	count(3)
	// Files count as part of the body; boundaries do not.
	file := func(text string) apptest.Raw {
		return apptest.Multipart(t, body, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, text)})
	}
	d := c.Post(t, "/documents", file("One."), "Idempotency-Key", "k4").Want(t, 201)
	if again := c.Post(t, "/documents", file("One."), "Idempotency-Key", "k4").Want(t, 201); again.Text(t, "id") != d.Text(t, "id") {
		t.Error("the same files made another document")
	}
	failed(t, c.Post(t, "/documents", file("Two."), "Idempotency-Key", "k4"), 409)
	count(4)
	at := "/documents/" + d.Text(t, "id")
	c.Post(t, at+"/archive", nil, "Idempotency-Key", "k5").Want(t, 200)
	c.Post(t, at+"/archive", nil, "Idempotency-Key", "k5").Want(t, 200)
	failed(t, c.Post(t, "/documents", body, "Idempotency-Key", strings.Repeat("k", 256)), 422)
	// Every POST that changes something, not only those with JSON responses.
	c.Post(t, "/logout", nil, "Idempotency-Key", "k6").Want(t, 204)
}

func TestIdempotencyEnds(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	a := c.Post(t, "/documents", obj{}, "Idempotency-Key", "k").Want(t, 201).Text(t, "id")
	s.Advance(t, "23h")
	if b := c.Post(t, "/documents", obj{}, "Idempotency-Key", "k").Want(t, 201).Text(t, "id"); b != a {
		t.Error("within a day it is done again")
	}
	s.Advance(t, "2h")
	if b := c.Post(t, "/documents", obj{}, "Idempotency-Key", "k").Want(t, 201).Text(t, "id"); b == a {
		t.Error("after a day it is still replayed")
	}
}

func TestTogetherIfMatch(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1, obj{"fields": list{obj{"type": "text", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1}}})
	at := "/documents/" + d.Text(t, "id")
	tag := d.Header.Get("ETag")
	if got := c.Get(t, at).Header.Get("ETag"); tag == "" || got != tag {
		t.Errorf("ETag %s, then %s", tag, got)
	}
	c.Get(t, at, "If-None-Match", tag).Want(t, 304)
	r := c.Patch(t, at, obj{"title": "New"}, "If-Match", tag).Want(t, 200)
	if now := r.Header.Get("ETag"); now == tag || now == "" {
		t.Errorf("the ETag after a change is %s", now)
	}
	c.Get(t, at, "If-None-Match", tag).Want(t, 200)
	before := c.Get(t, at)
	box := obj{"type": "text", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1}
	file, inv, field := "/files/"+d.Text(t, "files.0.id"), "/invitations/"+d.Text(t, "invitations.0.id"), "/fields/"+d.Text(t, "fields.0.id")
	for _, stale := range []string{tag, `"0"`, `"x"`, `W/` + tag} {
		for _, x := range []struct {
			method, path string
			body         any
		}{
			{"PATCH", "", obj{"title": "Stale"}}, {"PATCH", "", obj{"metadata": obj{"a": "b"}}}, {"DELETE", "", nil}, {"PUT", "/fields", obj{"fields": list{}}}, {"POST", "/fields", obj{"fields": list{box}}},
			{"PATCH", field, obj{"label": "x"}}, {"DELETE", field, nil}, {"PATCH", file, obj{"name": "x.pdf"}}, {"DELETE", file, nil}, {"PATCH", inv, obj{"name": "X"}}, {"DELETE", inv, nil},
			{"POST", "/invite", obj{"invitations": signers(3)[2:]}}, {"POST", "/send", obj{}}, {"POST", "/submit", nil}, {"POST", "/archive", nil},
			{"POST", "/upload", apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})},
		} {
			failed(t, c.Do(t, x.method, at+x.path, x.body, "If-Match", stale), 412)
		}
	}
	unchanged(t, c, before)
	c.Patch(t, at, obj{"title": "Any"}, "If-Match", "*").Want(t, 200)
	// Of many callers that saw the same version, one succeeds.
	tag = c.Get(t, at).Header.Get("ETag")
	var wg sync.WaitGroup
	status := make([]int, 8)
	for i := range status {
		wg.Go(func() { status[i] = c.Patch(t, at, obj{"title": "Race"}, "If-Match", tag).Status })
	}
	wg.Wait()
	good := 0
	for _, s := range status {
		if s == 200 {
			good++
		} else if s != 412 {
			t.Errorf("status %d", s)
		}
	}
	if good != 1 {
		t.Errorf("%d were let through", good)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	c := company(t)
	seen := map[string]bool{}
	for _, path := range []string{"/documents", "/nothing", "/documents/x", "/documents?page=0", "/healthz", "/readyz", "/openapi.json", "/certificates/root.pem", "/api/me"} {
		id := c.Get(t, path).Header.Get("X-Request-Id")
		if len(id) != 26 || seen[id] {
			t.Errorf("%s: X-Request-Id %q", path, id)
		}
		seen[id] = true
	}
	if c.Server.Anonymous().Get(t, "/documents").Header.Get("X-Request-Id") == "" {
		t.Error("a refusal has no X-Request-Id")
	}
}
