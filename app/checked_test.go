package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

var stores = regexp.MustCompile(`kv\.New(?:Collection|Log)\("([^"]+)"`)

// TestHouseChecksWhateverItStores looks for every collection and log in the source, and fails for
// one that `paraph check` would pass over.
func TestHouseChecksWhateverItStores(t *testing.T) {
	t.Parallel()
	checked := []string{"journal"} // with the documents
	for _, c := range app.Collections() {
		checked = append(checked, c.(interface{ Name() string }).Name())
	}
	found := 0
	err := filepath.WalkDir(".", func(path string, e os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range stores.FindAllStringSubmatch(string(b), -1) {
			found++
			if !slices.Contains(checked, m[1]) {
				t.Errorf("%s: %q is not among the collections that are checked", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 30 {
		t.Errorf("only %d collections were found in the source", found)
	}
}

// TestRepairRebuildsWhatCanBeDerived removes the list items of more documents than are rebuilt at
// a time.
func TestRepairRebuildsWhatCanBeDerived(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	const n = 210
	for range n {
		c.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, 201)
	}
	err := s.DB().Update(func(tx *kv.Tx) error {
		return store.Documents.Each(tx, "", nil, func(key string, _ record.Document) (bool, error) {
			return true, store.Rows.Delete(tx, key)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if problems := s.Check(t.Context(), false); len(problems) < n {
		t.Errorf("%d problems without %d list items", len(problems), n)
	}
	for _, problem := range s.Check(t.Context(), true) {
		t.Error(problem)
	}
	if got := c.Get(t, "/documents").Want(t, 200).Int(t, "meta.total"); got != n {
		t.Errorf("%d documents are listed after the repair", got)
	}
}
