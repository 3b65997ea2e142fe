package web_test

import (
	"net/http"
	"slices"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// TestFlattenByChoice signs a copy of a file's pages because its owner chose
// that, without scripts.
func TestFlattenByChoice(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := colleague(t, owner)
	w.Visit(s.URL + "/app/documents/new")
	w.Click(".unscripted details summary")
	w.Click("#i-flatten")
	w.Choose("#i-files", plain.File{Name: "lease.pdf", Content: apptest.PDF(t, "The tenant rents the flat.")})
	w.Click("#add button")
	w.See("#files li[data-file]")
	codes := owner.Get(t, "/documents/"+idIn(w.At())).Want(t, http.StatusOK).Texts(t, "files.0.findings", "code")
	if !slices.Contains(codes, "flattened") {
		t.Errorf("the file says %v", codes)
	}
}
