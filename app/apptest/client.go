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

// Client is somebody who calls the API.
type Client struct {
	*Server
	Token     string
	Prefix    string // "" or "/api"
	CompanyID string
	UserID    string
	Email     string
}

// Under is the same caller with another prefix of every path.
func (c *Client) Under(prefix string) *Client {
	d := *c
	d.Prefix = prefix
	return &d
}

// Raw is a body that is sent as it is, with its content type.
type Raw struct {
	Type string
	Body []byte
}

// Get calls with GET; headers come in pairs.
func (c *Client) Get(t testing.TB, path string, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodGet, path, nil, headers...)
}

// Post calls with POST. The body is JSON, or goes as it is if it is a Raw.
func (c *Client) Post(t testing.TB, path string, body any, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodPost, path, body, headers...)
}

// Patch calls with PATCH.
func (c *Client) Patch(t testing.TB, path string, body any, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodPatch, path, body, headers...)
}

// Put calls with PUT.
func (c *Client) Put(t testing.TB, path string, body any, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodPut, path, body, headers...)
}

// Delete calls with DELETE.
func (c *Client) Delete(t testing.TB, path string, headers ...string) *Response {
	t.Helper()
	return c.Do(t, http.MethodDelete, path, nil, headers...)
}

// Do sends one request and reads the whole answer.
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
		t.Fatalf("%s %s: reading the answer: %v", method, path, err)
	}
	return &Response{What: method + " " + c.Prefix + path, Status: res.StatusCode, Header: res.Header, Body: b}
}

// Response is an answer, read to its end.
type Response struct {
	What   string // the request
	Status int
	Header http.Header
	Body   []byte
}

// Want ends the test unless the answer has this status.
func (r *Response) Want(t testing.TB, status int) *Response {
	t.Helper()
	if r.Status != status {
		t.Fatalf("%s: status %d, want %d; body: %.600s", r.What, r.Status, status, r.Body)
	}
	return r
}

// Decode reads the JSON of the answer.
func (r *Response) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Body, into); err != nil {
		t.Fatalf("%s: %v; body: %.300s", r.What, err, r.Body)
	}
}

// Look returns a value of the JSON by its dotted path, such as "data.0.id", and
// whether it is there.
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

// At returns a value that must be there.
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
		t.Fatalf("%s: %s is no string in %.600s", r.What, path, r.Body)
	}
	return s
}

// Int returns a value that must be a whole number.
func (r *Response) Int(t testing.TB, path string) int {
	t.Helper()
	n, ok := r.At(t, path).(float64)
	if !ok || n != float64(int(n)) {
		t.Fatalf("%s: %s is no integer in %.600s", r.What, path, r.Body)
	}
	return int(n)
}

// Texts returns one member of every object of the list at a path.
func (r *Response) Texts(t testing.TB, path, member string) []string {
	t.Helper()
	list, ok := r.At(t, path).(List)
	if !ok {
		t.Fatalf("%s: %s is no list in %.600s", r.What, path, r.Body)
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

// Multipart makes a body of files; data, unless nil, is the JSON of its part
// "data".
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
