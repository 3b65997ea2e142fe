package page

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var importedScript = regexp.MustCompile(`(?:from |import\(|import )'(\.[^']+)'`)

// TestScriptsImportNoCircles follows the imports of every script, those made on first use as well.
func TestScriptsImportNoCircles(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	err := filepath.WalkDir("../static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".js" {
			return err
		}
		raw, err := os.ReadFile(name)
		name = filepath.ToSlash(name)
		imports[name] = []string{}
		for _, m := range importedScript.FindAllStringSubmatch(string(raw), -1) {
			imports[name] = append(imports[name], path.Join(path.Dir(name), m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(imports["../static/people.js"], "../static/keep.js") {
		t.Errorf("people.js imports only %v", imports["../static/people.js"])
	}
	done := map[string]bool{}
	var follow func(name string, trail []string)
	follow = func(name string, trail []string) {
		if i := slices.Index(trail, name); i >= 0 {
			t.Errorf("a circle of imports: %s", strings.Join(append(trail[i:], name), " → "))
			return
		}
		if done[name] {
			return
		}
		if imports[name] == nil {
			t.Errorf("%s imports %s, which does not exist", trail[len(trail)-1], name)
		}
		for _, next := range imports[name] {
			follow(next, append(slices.Clone(trail), name))
		}
		done[name] = true
	}
	for name := range imports {
		follow(name, nil)
	}
}
