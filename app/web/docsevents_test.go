package web_test

import (
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/app/signing/record"
)

// caught is a message received by a webhook receiver.
type caught struct {
	id, timestamp, signature string
	body                     []byte
}

// hooked returns an appliance whose first company has a webhook, and the
// messages it receives.
func hooked(t *testing.T) (c *apptest.Client, secret string, told chan caught) {
	t.Helper()
	told = make(chan caught, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		told <- caught{r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), r.Header.Get("webhook-signature"), body}
	}))
	t.Cleanup(receiver.Close)
	s := apptest.New(t, func(c *app.Config) { c.Webhooks.AllowPrivate, c.Network.Egress = true, []string{"any"} })
	c = s.Company(t)
	return c, c.Post(t, "/webhooks", obj{"url": receiver.URL}).Want(t, http.StatusCreated).Text(t, "secret"), told
}

// genuinePrograms are the commands that run the samples that check a signature.
var genuinePrograms = map[string]struct {
	file    string
	command []string
}{
	"curl": {"check.sh", []string{"sh", "-e", "check.sh"}}, "go": {"check.go", []string{"go", "run", "check.go"}}, "python": {"check.py", []string{"python3", "check.py"}},
	"javascript": {"check.mjs", []string{"node", "check.mjs"}}, "php": {"check.php", []string{"php", "check.php"}},
}

// TestSignatureSamples runs the signature checks exactly as shown on the page, on a
// received message and on a modified one.
func TestSignatureSamples(t *testing.T) {
	t.Parallel()
	c, secret, told := hooked(t)
	c.Post(t, "/documents", obj{"title": "Lease – ünïcode & <b>"}).Want(t, http.StatusCreated)
	message := patience.Receive(t, "the webhook's message", told)
	for language, program := range genuinePrograms {
		if _, err := exec.LookPath(program.command[0]); err != nil {
			t.Logf("no %s on this machine", program.command[0])
			continue
		}
		t.Run(language, func(t *testing.T) {
			_, page := fetch(t, c.URL+"/docs/webhooks?lang="+language)
			_, page, _ = strings.Cut(page, `id="check"`)
			code := sampleCode.FindStringSubmatch(page)
			if code == nil {
				t.Fatal("there is no sample")
			}
			check := func(body []byte) (string, error) {
				dir := t.TempDir()
				for name, content := range map[string][]byte{program.file: []byte(html.UnescapeString(code[1]) + "\n"), "body.json": body} {
					if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.CommandContext(t.Context(), program.command[0], program.command[1:]...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "SECRET="+secret, "ID="+message.id, "TIMESTAMP="+message.timestamp, "SIGNATURE="+message.signature, "GOFLAGS=", "GOWORK=off")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := check(message.body); err != nil || strings.TrimSpace(out) != "genuine" {
				t.Errorf("what came is %q, %v", out, err)
			}
			if out, err := check(append(slices.Clone(message.body), ' ')); err == nil || !strings.Contains(out, "forged") {
				t.Errorf("what was changed is %q, %v", out, err)
			}
		})
	}
}

var documentedEvent = regexp.MustCompile(`(?s)<dt><code>([a-z_.]+)</code></dt><dd>[^<]+<details>.*?<pre[^>]*><code>(.*?)</code></pre>`)

// shape returns the dotted names of all members; within an event's data, only
// those that don't name a file.
func shape(t *testing.T, body []byte) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	names := map[string]bool{}
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case obj:
			for k, x := range v {
				if !strings.Contains(k, ".") {
					names[prefix+k] = true
					walk(prefix+k+".", x)
				}
			}
		case list:
			if len(v) > 0 {
				walk(prefix+"0.", v[0])
			}
		}
	}
	walk("", v)
	for name := range names {
		if strings.HasPrefix(name, "data.document.signatories.") {
			delete(names, name) // there may be none yet
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// TestExamplesOfEvents compares the messages on the page with those received.
func TestExamplesOfEvents(t *testing.T) {
	t.Parallel()
	c, _, told := hooked(t)
	_, page := fetch(t, c.URL+"/docs/webhooks")
	examples := map[string][]byte{}
	for _, m := range documentedEvent.FindAllStringSubmatch(page, -1) {
		examples[m[1]] = []byte(html.UnescapeString(m[2]))
	}
	if want := record.EventTypes(); len(examples) != len(want) {
		t.Fatalf("there are %d examples, want %d", len(examples), len(want))
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "send": true, "read_to_end": true, "invitations": list{obj{"name": "Ben Buyer", "email": "ben@example.org"}}},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	at := "/documents/" + d.Text(t, "id")
	c.Post(t, at+"/remind", nil).Want(t, http.StatusOK)
	c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{"read_all": true}).Want(t, http.StatusOK)
	c.Delete(t, at).Want(t, http.StatusOK)
	c.Post(t, at+"/purge", obj{"title": "Lease"}).Want(t, http.StatusNoContent)
	if err := c.Test.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for len(told) > 0 {
		message := <-told
		var body struct{ Type string }
		if err := json.Unmarshal(message.body, &body); err != nil {
			t.Fatal(err)
		}
		seen[body.Type] = true
		if strings.Contains(string(message.body), `"document":null`) {
			continue // it was deleted before the message was created
		}
		if got, want := shape(t, message.body), shape(t, examples[body.Type]); !slices.Equal(got, want) {
			t.Errorf("%s has\n%v, on the page it has\n%v", body.Type, got, want)
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %v came", slices.Sorted(maps.Keys(seen)))
	}
}
