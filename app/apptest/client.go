package apptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Map is a JSON object.
type Map = map[string]any

// List is a JSON array.
type List = []any

// Client is a client of the API.
type Client struct {
	*Server
	Token     string
	Prefix    string // "" or "/api"
	CompanyID string
	UserID    string
	Email     string
}

// Under returns the same client with another prefix for all paths.
func (c *Client) Under(prefix string) *Client {
	d := *c
	d.Prefix = prefix
	return &d
}

// Raw is a body to send unchanged, with its content type.
type Raw struct {
	Type string
	Body []byte
}

// Get sends a GET request. headers are pairs of names and values.
func (c *Client) Get(t testing.TB, path string, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodGet, path, nil, headers...)
}

// Post sends a POST request. The body is encoded as JSON unless it is a Raw.
func (c *Client) Post(t testing.TB, path string, body any, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodPost, path, body, headers...)
}

// Patch sends a PATCH request.
func (c *Client) Patch(t testing.TB, path string, body any, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodPatch, path, body, headers...)
}

// Put sends a PUT request.
func (c *Client) Put(t testing.TB, path string, body any, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodPut, path, body, headers...)
}

// Delete sends a DELETE request.
func (c *Client) Delete(t testing.TB, path string, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodDelete, path, nil, headers...)
}

// Do sends a request and reads the whole response.
func (c *Client) Do(t testing.TB, method, path string, body any, headers ...string) *Response {
	t.Helper()
	var in io.Reader
	kind := ""
	switch b := body.(type) {
	case nil:
	case Raw:
		in, kind = bytes.NewReader(b.Body), b.Type
	default:
		j, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		in, kind = bytes.NewReader(j), "application/json"
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.URL+c.Prefix+path, in)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: reading the response: %v", method, path, err)
	}
	return &Response{What: method + " " + c.Prefix + path, Status: res.StatusCode, Header: res.Header, Body: b}
}

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

// File is one file of a multipart body.
type File struct {
	Name    string
	Content []byte
}

// Multipart returns a multipart body of files. data, unless nil, becomes the JSON in
// the part "data".
func Multipart(t testing.TB, data any, files ...File) Raw {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if data != nil {
		j, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteField("data", string(j)); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range files {
		p, err := w.CreateFormFile(fmt.Sprintf("file%d", i), f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(f.Content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return Raw{w.FormDataContentType(), b.Bytes()}
}
