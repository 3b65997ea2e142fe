package signing_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"paraph/app/words"
)

// TestTheCertificateHasWordsForEveryEvent looks for the events in the program itself.
func TestTheCertificateHasWordsForEveryEvent(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
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
		if !catalogue.English().Has("certificate.event." + kind) {
			t.Errorf("the certificate has no words for %s", kind)
		}
	}
	if len(found) < 30 {
		t.Errorf("only %d events are found", len(found))
	}
}
