package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestFlattenByChoice signs a copy of a file's pages because its owner chose
// that, without scripts.
func TestFlattenByChoice(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	path := filepath.Join(t.TempDir(), "lease.pdf")
	if err := os.WriteFile(path, apptest.PDF(t, "The tenant rents the flat."), 0o600); err != nil {
		t.Fatal(err)
	}
	w := team(t, owner, look{plain: true})
	w.visit(s.URL + "/app/documents/new")
	w.click(".unscripted details summary")
	w.click("#i-flatten")
	w.run(chromedp.SetUploadFiles("#i-files", []string{path}))
	w.click("#add button")
	w.see("#files li[data-file]")
	at := get(w, chromedp.Location())
	id := strings.Split(strings.TrimPrefix(at, s.URL+"/app/documents/"), "/")[0]
	codes := owner.Get(t, "/documents/"+id).Want(t, http.StatusOK).Texts(t, "files.0.findings", "code")
	if !slices.Contains(codes, "flattened") {
		t.Errorf("the file says %v", codes)
	}
}
