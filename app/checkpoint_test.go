package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/apptest/patience"
)

// part downloads the document or its certificate of completion to a file.
func (c *client) part(t *testing.T, id, content string) string {
	t.Helper()
	b, err := c.send(http.MethodPost, "/documents/"+id+"/download", "application/json", strings.NewReader(fmt.Sprintf(`{"content":%q}`, content)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), content+".pdf")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// publishedIn waits for a checkpoint of at least the given number of events, and
// returns its folder.
func publishedIn(t *testing.T, outside string, events int) (folder string) {
	t.Helper()
	patience.Until(t, "the published checkpoint", func() (saw string, ok bool) {
		found, err := filepath.Glob(filepath.Join(outside, "*", "checkpoint"))
		if err != nil || len(found) == 0 {
			return fmt.Sprint(found, err), false
		}
		b, err := os.ReadFile(found[0])
		lines := strings.Split(string(b), "\n")
		if err != nil || len(lines) < 2 {
			return fmt.Sprint(err), false
		}
		var n int
		if _, err := fmt.Sscan(lines[1], &n); err != nil {
			return err.Error(), false
		}
		folder = filepath.Dir(found[0])
		return lines[1] + " events", n >= events
	})
	return folder
}

// checkpointFile saves the newest checkpoint of the client's company.
func (c *client) checkpointFile(t *testing.T) string {
	t.Helper()
	var got struct{ Data []struct{ Checkpoint string } }
	if err := c.do(http.MethodGet, "/checkpoints?per_page=1", nil, &got); err != nil || len(got.Data) != 1 {
		t.Fatal(got, err)
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.WriteFile(path, []byte(got.Data[0].Checkpoint), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPublishedCheckpointProvesTheHistory completes documents, resets the machine to
// an earlier state, and creates a different history: only the published checkpoint
// reveals it.
func TestPublishedCheckpointProvesTheHistory(t *testing.T) {
	t.Parallel()
	dir, outside, content := t.TempDir(), t.TempDir(), smallPDF("Lease", 20_000)
	publish := "checkpoints.folder=" + outside
	events := 0
	complete := func(title string) (contract, certificate string) {
		t.Helper()
		p := serve(t, dir, publish)
		c := p.login()
		id, err := c.complete(title, content)
		if err != nil {
			t.Fatal(err)
		}
		contract, certificate = c.part(t, id, "document"), c.part(t, id, "certificate")
		events += c.number(t, "/documents/"+id+"/events") // including those of earlier documents
		publishedIn(t, outside, events)
		if code := p.stop(); code != 0 {
			t.Fatalf("exit %d", code)
		}
		return contract, certificate
	}
	contract, certificate := complete("First")
	before := events
	earlier := filepath.Join(t.TempDir(), "earlier")
	if err := os.CopyFS(earlier, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	complete("Second")
	folder := publishedIn(t, outside, events)
	newest := filepath.Join(folder, "checkpoint")

	verify := func(want int, says string, args ...string) {
		t.Helper()
		got := call(t, append([]string{"verify", "--checkpoint"}, args...)...)
		if got.code != want || !strings.Contains(got.out, says) {
			t.Errorf("verify %q: exit %d\n%s%s", args, got.code, got.out, got.err)
		}
	}
	verify(0, "history: proven", newest, contract, certificate)
	verify(0, "history: proven", folder, certificate)
	verify(1, "history: UNPROVEN", newest, contract)
	b, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "checkpoint")
	if err := os.WriteFile(alone, b, 0o600); err != nil {
		t.Fatal(err)
	}
	verify(1, "history: UNPROVEN", alone, certificate) // it lacks the hashes
	mustCall(t, dir, "check", "--checkpoint", alone)

	// A new key continues the old one's history, and the certificate leads to it.
	if key := mustCall(t, dir, "checkpoint", "key"); !strings.Contains(key.out, "paraph/company/") {
		t.Errorf("printed %q", key.out)
	}
	mustCall(t, dir, "checkpoint", "rotate")
	complete("Third")
	verify(0, "history: proven", newest, contract, certificate)
	mustCall(t, dir, "check", "--checkpoint", alone)

	// The different history, on its own.
	dir, outside, events = earlier, t.TempDir(), before
	publish = "checkpoints.folder=" + outside
	_, forged := complete("Another second")
	mustCall(t, dir, "check")
	got := call(t, "check", "--checkpoint", alone, "--set", "data.dir="+dir, "--set", "data.reserve=1MB")
	if got.code != 1 || !strings.Contains(got.out, "the history was changed") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	got = call(t, "check", "--checkpoint", newest, "--set", "data.dir="+dir, "--set", "data.reserve=1MB")
	if got.code != 1 || !strings.Contains(got.out, " was changed") || !strings.Contains(got.out, ": event ") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	verify(1, "history: REFUTED", newest, forged)
	verify(0, "history: proven", newest, certificate) // both from before the reset
}
