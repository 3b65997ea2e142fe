package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app"
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
