// Package client talks to the API of any installation, for the commands of people who use one.
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Client acts with the rights of a token.
type Client struct {
	URL   string `json:"url"` // of the installation
	Token string `json:"token"`
}

// Refusal is an answer that is not a success.
type Refusal struct {
	Status  int                 `json:"-"`
	Message string              `json:"message"`
	Code    string              `json:"code"`
	Errors  map[string][]string `json:"errors"`
}

// Error says everything that was refused, in one line.
func (r *Refusal) Error() string {
	said := cmp.Or(r.Message, http.StatusText(r.Status), fmt.Sprint("status ", r.Status))
	var fields []string
	for field, messages := range r.Errors {
		fields = append(fields, field+": "+strings.Join(messages, " "))
	}
	if slices.Sort(fields); len(fields) > 0 {
		said += " " + strings.Join(fields, "; ")
	}
	return said
}

// Person is somebody who is asked to sign.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Invitation is a recipient of a document, as far as the commands show one.
type Invitation struct {
	Name    string `json:"name"`
	Email   string `json:"email"`
	Status  string `json:"status"`
	SignURL string `json:"sign_url"`
}

// Document is a document, as far as the commands show one.
type Document struct {
	ID          string       `json:"id"`
	Title       string       `json:"title"`
	Status      string       `json:"status"`
	Attention   any          `json:"attention"`
	Invitations []Invitation `json:"invitations"`
	Progress    struct {
		Signed int `json:"signed"`
		Total  int `json:"total"`
	} `json:"progress"`
}

// answerLimit bounds what is read of an answer that is not a file.
const answerLimit = 64 << 20

// Do sends a request whose body, if not nil, is JSON, and decodes the answer into a pointer that is
// not nil. A success without a JSON body leaves it as it is.
func (c *Client) Do(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	kind := ""
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content, kind = bytes.NewReader(b), "application/json"
	}
	return c.send(ctx, method, path, kind, content, into)
}

// Post sends a body of another type, as Do does.
func (c *Client) Post(ctx context.Context, path, kind string, body io.Reader, into any) error {
	return c.send(ctx, http.MethodPost, path, kind, body, into)
}

func (c *Client) send(ctx context.Context, method, path, kind string, body io.Reader, into any) (err error) {
	res, err := c.answer(ctx, method, path, kind, body)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	b, err := io.ReadAll(io.LimitReader(res.Body, answerLimit))
	if err != nil || into == nil || len(b) == 0 {
		return err
	}
	return json.Unmarshal(b, into)
}

// staying follows no redirects: passwords, tokens and documents go to the address that was given, and
// nowhere else.
var staying = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// answer returns the answer to a request if it is a success, and otherwise the refusal.
func (c *Client) answer(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+"/api"+path, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", rand.Text())
	}
	req.Header.Set("Prefer", "handling=strict")
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	res, err := staying.Do(req)
	if err != nil || res.StatusCode < http.StatusMultipleChoices {
		return res, err
	}
	refusal := &Refusal{Status: res.StatusCode}
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	if json.Unmarshal(b, refusal) != nil { // a proxy's page, say: its status has to do
		refusal.Message = ""
	}
	if to, err := res.Location(); err == nil {
		refusal.Message = fmt.Sprintf("The server sends to %s. If it has moved there, run paraph login with that address.", to)
	}
	return nil, refusal
}

// Create makes a document of files and what else its request may carry.
func (c *Client) Create(ctx context.Context, data map[string]any, files []string) (json.RawMessage, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	b, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	if err := form.WriteField("data", string(b)); err != nil {
		return nil, err
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		part, err := form.CreateFormFile("files", filepath.Base(path))
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(content); err != nil {
			return nil, err
		}
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	var made json.RawMessage
	err = c.Post(ctx, "/documents", form.FormDataContentType(), &body, &made)
	return made, err
}

// Waits between two looks at a document that somebody is to sign.
const (
	firstLook  = 250 * time.Millisecond
	latestLook = 10 * time.Second
)

// Wait waits until a document is completed, or never will be unless its sender does something.
func (c *Client) Wait(ctx context.Context, id string, tell func(Document)) (raw json.RawMessage, d Document, err error) {
	for pause := firstLook; ; pause = min(pause*2, latestLook) {
		if err := c.Do(ctx, http.MethodGet, "/documents/"+url.PathEscape(id), nil, &raw); err != nil {
			return raw, d, err
		}
		d = Document{}
		if err := json.Unmarshal(raw, &d); err != nil {
			return raw, d, err
		}
		tell(d)
		if d.Over() {
			return raw, d, nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return raw, d, ctx.Err()
		}
	}
}

// Over reports whether a document waits for nobody but its sender.
func (d *Document) Over() bool {
	declined := slices.ContainsFunc(d.Invitations, func(inv Invitation) bool { return inv.Status == "declined" })
	return d.Status != "sent" || declined
}

// Download writes what a download returns to a file that appears once it is whole, and returns its
// name. An empty name is the one that the server proposes, under which there must be no file yet.
func (c *Client) Download(ctx context.Context, id, content, name string) (saved string, err error) {
	body := map[string]any{}
	if content != "" {
		body["content"] = content
	}
	b, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	res, err := c.answer(ctx, http.MethodPost, "/documents/"+url.PathEscape(id)+"/download", "application/json", bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	proposal := name == ""
	if proposal {
		if name = proposed(res, id); reserve(name) != nil {
			return "", fmt.Errorf("%s can't be saved here, or there is such a file already; name one with -o", name)
		}
	}
	err = write(name, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, res.Body)
		return err
	})
	if err != nil && proposal {
		err = errors.Join(err, os.Remove(name))
	}
	return name, err
}

// reserve makes an empty file of a name that is not taken.
func reserve(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// write replaces a file, which appears once it is whole.
func write(name string, mode fs.FileMode, content func(io.Writer) error) error {
	draft, err := os.CreateTemp(filepath.Dir(name), ".paraph-*")
	if err != nil {
		return err
	}
	err = content(draft)
	if err = errors.Join(err, draft.Chmod(mode), draft.Close()); err == nil {
		err = os.Rename(draft.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return nil
}

// Load returns the client of the environment (PARAPH_URL, PARAPH_TOKEN), or else of the last login.
func Load() (*Client, error) {
	c := &Client{}
	path, err := file()
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if err := json.Unmarshal(b, c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if elsewhere := os.Getenv("PARAPH_URL"); elsewhere != "" && elsewhere != c.URL {
		c = &Client{URL: elsewhere} // its token is not for everybody
	}
	c.Token = cmp.Or(os.Getenv("PARAPH_TOKEN"), c.Token)
	if c.URL == "" || c.Token == "" {
		return nil, errors.New("not logged in: run paraph login, or set PARAPH_URL and PARAPH_TOKEN")
	}
	return c, nil
}

// Save keeps the client for the commands to come, readable for its user alone.
func (c *Client) Save() error {
	path, err := file()
	if err != nil {
		return err
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func file() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "paraph", "client.json"), err
}
