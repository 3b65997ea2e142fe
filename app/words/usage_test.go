package words_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources calls read with every file of code, templates and scripts, without tests
// and the catalogue itself.
func sources(t *testing.T, read func(path, content string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path == filepath.Join("..", "words")) {
			return filepath.SkipDir
		}
		if !slices.Contains([]string{".go", ".html", ".js"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		read(path, string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literals are all quoted texts of the sources, in order.
func literals(t *testing.T) []string {
	t.Helper()
	quoted := regexp.MustCompile(`"[^"\n]*"|'[^'\n]*'|` + "`[^`]*`")
	var all []string
	sources(t, func(_, content string) {
		for _, s := range quoted.FindAllString(content, -1) {
			all = append(all, s[1:len(s)-1])
		}
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// TestEveryTextIsUsed finds English texts that nothing uses. A key composed at run time is recognized
// by its beginning or its end.
func TestEveryTextIsUsed(t *testing.T) {
	t.Parallel()
	literals := literals(t)
	for area, texts := range areas(t, "en") {
		if area == "formats" {
			continue // used by this package
		}
		for key := range texts {
			if !used(literals, key) {
				t.Errorf("%s: nothing uses %s", area, key)
			}
		}
	}
}

func used(literals []string, key string) bool {
	has := func(s string) bool { _, ok := slices.BinarySearch(literals, s); return ok }
	if has(key) {
		return true
	}
	for i, c := range key {
		if c != '.' {
			continue
		}
		if begins(literals, key[:i+1]) || has(key[i+1:]) || has(key[i:]) {
			return true
		}
	}
	return false
}

// begins reports whether one of the literals begins with a prefix.
func begins(literals []string, prefix string) bool {
	i, _ := slices.BinarySearch(literals, prefix)
	return i < len(literals) && strings.HasPrefix(literals[i], prefix)
}

// worded are the files that can use texts.
var worded = regexp.MustCompile(`"paraph/app/(words|web/page)"|(?m)^package page$`)

// comment is an example, not a use.
var comment = regexp.MustCompile(`(?m)^\s*//.*$`)

// askedFor are the ways in which code and templates refer to a whole key.
var askedFor = []*regexp.Regexp{
	regexp.MustCompile(`\.(?:Say|Text|SayOr|SayOf|TextOf)\("([^"]+)"[,)]`),
	regexp.MustCompile(`\bsay\("([^"]+\.[^"]+)"[,)]`),
	regexp.MustCompile(`\b(?:Flash|Notice)\("\w+", "([^"]+)"[,)]`),
	regexp.MustCompile(`[{( ]t "([^"]+)"`),
}

func TestEveryTextThatIsAskedForExists(t *testing.T) {
	t.Parallel()
	english, n := load(t).English(), 0
	sources(t, func(path, content string) {
		if strings.HasSuffix(path, ".go") && !worded.MatchString(content) {
			return
		}
		content = strings.ReplaceAll(comment.ReplaceAllString(content, ""), "fault.Text(", "") // names of arguments
		for _, pattern := range askedFor {
			for _, found := range pattern.FindAllStringSubmatch(content, -1) {
				if n++; !english.Has(found[1]) {
					t.Errorf("%s asks for %s, which has no text", path, found[1])
				}
			}
		}
	})
	if n < 500 {
		t.Errorf("only %d keys are asked for", n)
	}
}
