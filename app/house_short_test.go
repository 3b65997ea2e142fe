package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHouseRunsWhatShortSkips reads the Makefile: the race detector's run is a short one,
// so a test that skips itself there has to be in a package that also runs in full.
func TestHouseRunsWhatShortSkips(t *testing.T) {
	t.Parallel()
	full := fullRuns(t)
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || !skipsItself.Match(b) {
			return err
		}
		if folder := "." + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), ".."); !covers(full, folder) {
			t.Errorf("%s: tests are skipped with -short, but no line of the Makefile runs %s without it", path, folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	skipsItself = regexp.MustCompile(`(?m)^\s+if testing\.Short\(\)`)
	judgedList  = regexp.MustCompile(`(?m)^JUDGED := (.+)$`)
	judgedLine  = regexp.MustCompile(`(?m)^\tgo test (.*\$\(JUDGED\).*)$`)
	everyLine   = regexp.MustCompile(`(?m)^\tgo test .*? (\./.+) -run '\^TestEvery'$`)
	function    = regexp.MustCompile(`^func (\w+)\(`)
)

// fullRuns returns the patterns of the packages that `make test` runs without -short.
func fullRuns(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	named, run := judgedList.FindSubmatch(b), judgedLine.FindSubmatch(b)
	if named == nil || run == nil || strings.Contains(string(run[1]), "-short") {
		t.Fatal("the Makefile has no full run of JUDGED")
	}
	var patterns []string
	for _, word := range strings.Fields(strings.ReplaceAll(string(run[1]), "$(JUDGED)", string(named[1]))) {
		if strings.HasPrefix(word, "./") {
			patterns = append(patterns, word)
		}
	}
	for _, m := range everyLine.FindAllSubmatch(b, -1) {
		for _, folder := range strings.Fields(string(m[1])) {
			if onlyEvery(t, folder) {
				patterns = append(patterns, folder)
			}
		}
	}
	return patterns
}

// onlyEvery reports whether all tests of a folder that skip or shorten themselves have
// names that begin with TestEvery.
func onlyEvery(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", folder, err)
	}
	ok, skips := true, 0
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in := ""
		for line := range strings.Lines(string(b)) {
			if m := function.FindStringSubmatch(line); m != nil {
				in = m[1]
			}
			calls := strings.TrimSpace(line) == "everyCase(t)"
			if !calls && !skipsItself.MatchString(line) || in == "everyCase" {
				continue
			}
			skips++
			if !strings.HasPrefix(in, "TestEvery") {
				t.Errorf("%s: %s skips or shortens itself with -short, and is not named TestEvery", path, in)
				ok = false
			}
		}
	}
	return ok && skips > 0
}

// covers reports whether one of the patterns of the go command matches a folder.
func covers(patterns []string, folder string) bool {
	for _, p := range patterns {
		tree, all := strings.CutSuffix(p, "/...")
		if folder == tree || all && strings.HasPrefix(folder, tree+"/") {
			return true
		}
	}
	return false
}
