package markup

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBoxesAreFlexible checks in the style sheets that each class of boxes has a rule of its own which
// makes it flexible, and none that takes that back.
func TestBoxesAreFlexible(t *testing.T) {
	t.Parallel()
	displayed := map[string][]string{}
	files, err := filepath.Glob("../web/static/*.css")
	if err != nil {
		t.Fatal(err)
	}
	rule := regexp.MustCompile(`(?m)^((?:\.[\w-]+,\n)*\.[\w-]+) \{\n((?:  .*\n)*?)\}`)
	display := regexp.MustCompile(`(?m)^  display: (.+);`)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rule.FindAllStringSubmatch(string(raw), -1) {
			if d := display.FindStringSubmatch(m[2]); d != nil {
				for name := range strings.SplitSeq(m[1], ",\n") {
					displayed[name[1:]] = append(displayed[name[1:]], d[1])
				}
			}
		}
	}
	for name := range boxes {
		if len(displayed[name]) == 0 {
			t.Errorf("no style sheet makes .%s a flexible box", name)
		}
		for _, d := range displayed[name] {
			if !slices.Contains([]string{"flex", "inline-flex", "grid", "inline-grid", "none"}, d) {
				t.Errorf(".%s is displayed as %s", name, d)
			}
		}
	}
}
