package apptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Response is a response with its whole body.
type Response struct {
	What   string // the request
	Status int
	Header http.Header
	Body   []byte
}

// Want ends the test unless the response has this status.
func (r *Response) Want(t testing.TB, status int) *Response {
	t.Helper()
	if r.Status != status {
		t.Fatalf("%s: status %d, want %d; body: %.600s", r.What, r.Status, status, r.Body)
	}
	return r
}

// Decode decodes the JSON of the response.
func (r *Response) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Body, into); err != nil {
		t.Fatalf("%s: %v; body: %.300s", r.What, err, r.Body)
	}
}

// Look returns the value at a dotted path in the JSON, such as "data.0.id", and whether
// it exists.
func (r *Response) Look(t testing.TB, path string) (any, bool) {
	t.Helper()
	var v any
	r.Decode(t, &v)
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case Map:
			next, ok := x[part]
			if !ok {
				return nil, false
			}
			v = next
		case List:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// At returns a value that must exist.
func (r *Response) At(t testing.TB, path string) any {
	t.Helper()
	v, ok := r.Look(t, path)
	if !ok {
		t.Fatalf("%s: no %s in %.600s", r.What, path, r.Body)
	}
	return v
}

// Text returns a value that must be a string.
func (r *Response) Text(t testing.TB, path string) string {
	t.Helper()
	s, ok := r.At(t, path).(string)
	if !ok {
		t.Fatalf("%s: %s isn't a string in %.600s", r.What, path, r.Body)
	}
	return s
}

// Int returns a value that must be an integer.
func (r *Response) Int(t testing.TB, path string) int {
	t.Helper()
	n, ok := r.At(t, path).(float64)
	if !ok || n != float64(int(n)) {
		t.Fatalf("%s: %s isn't an integer in %.600s", r.What, path, r.Body)
	}
	return int(n)
}

// Texts returns one member of every object of the list at a path.
func (r *Response) Texts(t testing.TB, path, member string) []string {
	t.Helper()
	list, ok := r.At(t, path).(List)
	if !ok {
		t.Fatalf("%s: %s isn't a list in %.600s", r.What, path, r.Body)
	}
	out := []string{}
	for _, x := range list {
		out = append(out, fmt.Sprint(x.(Map)[member]))
	}
	return out
}
