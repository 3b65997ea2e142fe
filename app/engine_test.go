package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestTextIsFoundOnceTheEngineStarts uploads a file while the machine can't start the PDF engine.
// The search finds the text in it once it can.
func TestTextIsFoundOnceTheEngineStarts(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	able := filepath.Join(t.TempDir(), "able")
	script := `[ -e ` + strconv.Quote(able) + ` ] || exit 1; exec "$0" ` + app.WorkerCommand
	s := apptest.WithWorker(t, shell, "-c", script, must(os.Executable()))
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, 201)
	file := apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "The zephyrine clause.")}
	c.Post(t, "/documents/"+d.Text(t, "id")+"/upload", apptest.Multipart(t, nil, file)).Want(t, 201)
	found := func() int { return c.Get(t, "/documents?search=zephyrine").Want(t, 200).Int(t, "meta.total") }
	s.Advance(t, "1ms") // once the job has been tried
	if n := found(); n != 0 {
		t.Errorf("%d documents are found without an engine", n)
	}
	if err := os.WriteFile(able, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Advance(t, "1h")
	if n := found(); n != 1 {
		t.Errorf("%d documents are found after the engine could start", n)
	}
}
