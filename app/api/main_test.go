package api_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"paraph/app/apptest"
)

// shared is the appliance of the tests that don't need one of their own. Each
// of them works in its own company.
var shared = sync.OnceValues(func() (*apptest.Server, error) {
	started = true
	return apptest.Start()
})

var started bool

func TestMain(m *testing.M) {
	apptest.Answered = fits
	code := apptest.Main(m)
	if started {
		if s, err := shared(); err == nil {
			err = s.Close()
			if err != nil {
				fmt.Fprintln(os.Stderr, "the appliance did not end well:", err)
				code = max(code, 1)
			}
		}
	}
	os.Exit(code)
}

// everyCase skips tests that try every case of a large table, one request after
// the other, or that unpack gigabytes in one goroutine, with -short, as used under the race
// detector.
func everyCase(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("every case of a large table, or gigabytes in one goroutine")
	}
}

type (
	obj  = apptest.Map
	list = apptest.List
)

func server(t testing.TB) *apptest.Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// company returns the owner of a company that no other test sees.
func company(t testing.TB) *apptest.Client {
	t.Helper()
	return server(t).Company(t)
}

func signer(n int) obj {
	return obj{"name": fmt.Sprintf("Signer %d", n), "email": fmt.Sprintf("signer%d@signer.example", n)}
}

func signers(n int) list {
	var out list
	for i := range n {
		out = append(out, signer(i+1))
	}
	return out
}

func merged(a obj, more ...obj) obj {
	out := obj{}
	for _, m := range append([]obj{a}, more...) {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// draft creates a document with one file and some signers.
func draft(t testing.TB, c *apptest.Client, people int, more ...obj) *apptest.Response {
	t.Helper()
	data := merged(obj{"title": "Contract", "invitations": signers(people)}, more...)
	return c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
}

// sent creates a document that is out for signing.
func sent(t testing.TB, c *apptest.Client, people int, more ...obj) *apptest.Response {
	t.Helper()
	return draft(t, c, people, append([]obj{{"send": true}}, more...)...)
}

// completed creates a document that its one signer has signed.
func completed(t testing.TB, c *apptest.Client, more ...obj) *apptest.Response {
	t.Helper()
	d := sent(t, c, 1, more...)
	return c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
}

// link returns the token of an invitation's link.
func link(t testing.TB, d *apptest.Response, n int) string {
	t.Helper()
	_, token, ok := strings.Cut(d.Text(t, fmt.Sprintf("invitations.%d.sign_url", n)), "/s/")
	if !ok {
		t.Fatalf("invitation %d has no link: %s", n, d.Body)
	}
	return token
}

// failed checks an error response against the common format.
func failed(t testing.TB, r *apptest.Response, status int, fields ...string) *apptest.Response {
	t.Helper()
	r.Want(t, status)
	if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("%s: content type %q", r.What, got)
	}
	if r.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s: no X-Request-Id", r.What)
	}
	message := r.Text(t, "message")
	if message == "" || strings.Contains(string(r.Body), `"fault.`) {
		t.Errorf("%s: no sentence in %s", r.What, r.Body)
	}
	switch status {
	case 401:
		if message != "Unauthenticated." || r.Text(t, "code") == "" {
			t.Errorf("%s: body %s", r.What, r.Body)
		}
	case 422:
		if message != "The given data was invalid." {
			t.Errorf("%s: message %q", r.What, message)
		}
		all, ok := r.At(t, "errors").(obj)
		if !ok || len(all) == 0 {
			t.Fatalf("%s: errors of %s", r.What, r.Body)
		}
		codes, ok := r.At(t, "codes").(obj)
		if !ok || len(codes) != len(all) {
			t.Errorf("%s: codes of %s", r.What, r.Body)
		}
		for field, messages := range all {
			sentences, ok := messages.(list)
			if !ok || len(sentences) == 0 {
				t.Errorf("%s: %s has %v", r.What, field, messages)
			}
			if words, ok := codes[field].(list); !ok || len(words) != len(sentences) {
				t.Errorf("%s: %s has messages %v, codes %v", r.What, field, messages, codes[field])
			}
			for _, s := range sentences {
				if s, ok := s.(string); !ok || s == "" {
					t.Errorf("%s: %s has %v", r.What, field, messages)
				}
			}
		}
		for _, f := range fields {
			if all[f] == nil {
				t.Errorf("%s: no fault of %s in %s", r.What, f, r.Body)
			}
		}
	case 403, 404, 409, 413, 415:
		code := r.Text(t, "code")
		if code == "" || strings.ContainsAny(code, " -") || strings.ToLower(code) != code {
			t.Errorf("%s: code %q", r.What, code)
		}
		if len(fields) > 0 && code != fields[0] {
			t.Errorf("%s: code %q, want %q", r.What, code, fields[0])
		}
	}
	return r
}
