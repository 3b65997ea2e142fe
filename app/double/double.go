// Package double starts a test double of Paraph for the tests of a program that uses its API.
//
//	func TestContract(t *testing.T) {
//		c := double.Start(t).Company(t)
//		shop := New(c.URL+"/api", c.Token) // your own program
//		...
//	}
//
// It runs the program paraph, found in PATH or named by the environment variable PARAPH, and
// depends on nothing but the standard library. One double serves all subtests of a test: each
// makes a company, and what it does there meets no other.
package double

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Double is a running test double.
type Double struct {
	URL string `json:"url"`
}

// Company is a company made for one test, and its only member.
type Company struct {
	URL      string // of the double; the API is below it, with and without /api
	ID       string `json:"id"`
	Email    string `json:"email"`
	Password string `json:"password"`
	Token    string `json:"token"` // with every scope
}

// patience is how long the program may take to start. It takes a tenth of a second.
const patience = 30 * time.Second

// Start starts a double that ends with the test. Arguments are added to those of paraph dev.
func Start(t testing.TB, args ...string) *Double {
	t.Helper()
	program := os.Getenv("PARAPH")
	if program == "" {
		program = "paraph"
	}
	ready := filepath.Join(t.TempDir(), "ready.json")
	cmd := exec.CommandContext(t.Context(), program, append([]string{"dev", "--set", "server.listen=127.0.0.1:0", "--quiet", "--ready-file", ready}, args...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the test's context ends before its cleanup
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting a double: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { <-ended })
	for deadline := time.Now().Add(patience); ; {
		d := &Double{}
		if b, err := os.ReadFile(ready); err == nil && json.Unmarshal(b, d) == nil {
			return d
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the double ended: %v\n%s", err, said.String())
		case <-time.After(5 * time.Millisecond):
			if time.Now().After(deadline) {
				t.Fatal("the double does not start")
			}
		}
	}
}

// Company makes a company for one test, with a token, a clock and an outbox of its own.
func (d *Double) Company(t testing.TB) *Company {
	t.Helper()
	c := &Company{}
	d.do(t, http.MethodPost, "/test/companies", map[string]string{}, c)
	c.URL = d.URL
	return c
}

// Advance moves the company's clock, by way of all that is due before: "36h", "7d".
func (c *Company) Advance(t testing.TB, by string) {
	t.Helper()
	c.do(t, http.MethodPost, "/test/clock", map[string]string{"advance": by}, nil)
}

// Sign lets everybody who must act on a document do so, as through their links.
func (c *Company) Sign(t testing.TB, document string) {
	t.Helper()
	c.do(t, http.MethodPost, "/test/documents/"+document+"/sign", map[string]string{}, nil)
}

// Decline lets the first whose turn it is decline a document.
func (c *Company) Decline(t testing.TB, document string) {
	t.Helper()
	c.do(t, http.MethodPost, "/test/documents/"+document+"/sign", map[string]bool{"decline": true}, nil)
}

// Fail makes the company's next requests fail or, by the fault's target, its mail, webhooks, timestamps, sealing or
// disk; see POST /test/faults.
func (c *Company) Fail(t testing.TB, fault map[string]any) {
	t.Helper()
	c.do(t, http.MethodPost, "/test/faults", fault, nil)
}

// Reset makes the company what it was when it was made. Its token works.
func (c *Company) Reset(t testing.TB) {
	t.Helper()
	c.do(t, http.MethodPost, "/test/reset", nil, nil)
}

// Snapshot keeps the company as it is, its clock included, for the cases of a table that begin alike.
// The function that it returns goes back to that, any number of times.
func (c *Company) Snapshot(t testing.TB) (restore func(t testing.TB)) {
	t.Helper()
	var kept struct{ ID string }
	c.do(t, http.MethodPost, "/test/snapshots", nil, &kept)
	return func(t testing.TB) {
		t.Helper()
		c.do(t, http.MethodPost, "/test/snapshots/"+kept.ID+"/restore", nil, nil)
	}
}

// Posting is what was sent to the receiver of a webhook, and what that answered.
type Posting struct {
	Type       string `json:"type"` // of the event
	URL        string `json:"url"`
	Status     string `json:"status"` // delivered, waiting for another attempt, or failed
	StatusCode int    `json:"status_code"`
	Request    struct {
		Headers map[string]string `json:"headers"` // with the signature
		Body    string            `json:"body"`
	} `json:"request"`
}

// Posted returns what was sent to the company's webhooks about events of a type, newest first, and waits for
// the first of them.
func (c *Company) Posted(t testing.TB, event string) []Posting {
	t.Helper()
	var found struct{ Data []Posting }
	c.do(t, http.MethodGet, "/test/webhooks?wait=5s&type="+event, nil, &found)
	return found.Data
}

// Mail is a message in the outbox.
type Mail struct {
	Kind    string   `json:"kind"`
	To      string   `json:"to"`
	Subject string   `json:"subject"`
	Text    string   `json:"text"`
	Links   []string `json:"links"`
}

// Mail returns the company's messages of a kind, newest first, and waits for the first of them.
func (c *Company) Mail(t testing.TB, kind string) []Mail {
	t.Helper()
	var found struct{ Data []Mail }
	c.do(t, http.MethodGet, "/test/outbox?wait=5s&kind="+kind, nil, &found)
	return found.Data
}

func (c *Company) do(t testing.TB, method, path string, body, into any) {
	t.Helper()
	request(t, c.URL, c.Token, method, path, body, into)
}

func (d *Double) do(t testing.TB, method, path string, body, into any) {
	t.Helper()
	request(t, d.URL, "", method, path, body, into)
}

func request(t testing.TB, url, token, method, path string, body, into any) {
	t.Helper()
	if err := exchange(t, url, token, method, path, body, into); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

func exchange(t testing.TB, url, token, method, path string, body, into any) (err error) {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	if body == nil {
		req.Body = http.NoBody
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	b, err = io.ReadAll(res.Body)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return err
	case res.StatusCode >= http.StatusMultipleChoices:
		return fmt.Errorf("%s: %s", res.Status, b)
	case into == nil:
		return nil
	}
	return json.Unmarshal(b, into)
}
