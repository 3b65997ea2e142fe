package signing_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestEveryEventHasAWording looks for the events in the program itself.
func TestEveryEventHasAWording(t *testing.T) {
	t.Parallel()
	var english map[string]string
	b, err := os.ReadFile("wording/texts/en.json")
	if err == nil {
		err = json.Unmarshal(b, &english)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	event := regexp.MustCompile(`"((?:document|invitation|file|field)\.[a-z_]+)"`)
	found := map[string]bool{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range event.FindAllSubmatch(b, -1) {
			found[string(m[1])] = true
		}
	}
	for kind := range found {
		if english["event."+kind] == "" {
			t.Errorf("%s has no wording", kind)
		}
	}
	if len(found) < 30 {
		t.Errorf("only %d events are found", len(found))
	}
}
