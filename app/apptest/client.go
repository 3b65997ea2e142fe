package apptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
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
	r := &Response{What: method + " " + c.Prefix + path, Status: res.StatusCode, Header: res.Header, Body: b}
	if Answered != nil {
		Answered(t, c, r)
	}
	return r
}

// Answered is called with every response that a client receives, unless it is nil. It is set before
// the tests run.
var Answered func(t testing.TB, c *Client, r *Response)

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
