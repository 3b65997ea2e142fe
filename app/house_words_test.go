package app_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// metaphors lists words to avoid in identifiers: the field has its own terms.
var metaphors = map[string]bool{
	"heart": true, "door": true, "doors": true, "rooms": true, "prey": true, "heir": true, "heirs": true, "errand": true,
	"errands": true,
}

// renderings matches phrases that read as translated.
var renderings = regexp.MustCompile(`(?i)\b(who asks|as it came|as they came|behind which|the heart|our doors|takes away)\b`)

func TestHouseIdentifiersAreNoMetaphors(t *testing.T) {
	t.Parallel()
	fset, all := parsed(t)
	for _, p := range all {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					for _, word := range wordsOf(id.Name) {
						if metaphors[word] {
							t.Errorf("%s: %s: use the field's term instead of %q", fset.Position(id.Pos()), id.Name, word)
						}
					}
				}
				return true
			})
		}
	}
}

// wordsOf splits an identifier at its capitals and returns the words in lower case.
func wordsOf(name string) (out []string) {
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
			out = append(out, strings.ToLower(string(runes[start:i])))
			start = i
		}
	}
	return out
}

func TestIdentifiersAreSplitIntoWords(t *testing.T) {
	t.Parallel()
	if got := strings.Join(wordsOf("newHeirOfID"), " "); got != "new heir of id" {
		t.Errorf("got %q", got)
	}
}

// longLines is how many lines outside tests and without string literals exceed 120 columns. The number
// may only go down.
const longLines = 261

// TestHouseReadsWell checks what a program can check of readability: no phrases that
// read as translated, and no long lines. A tab counts as four columns.
func TestHouseReadsWell(t *testing.T) {
	t.Parallel()
	_, all := parsed(t)
	long := 0
	for _, p := range all {
		for name := range p.files {
			path := filepath.Join("..", p.folder, name)
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(source), "\n") {
				code, comment, _ := strings.Cut(line, "//")
				if found := renderings.FindString(comment); found != "" && !strings.ContainsAny(code, "\"`") {
					t.Errorf("%s:%d: %q: say it in plain English", path, i+1, found)
				}
				if len([]rune(strings.ReplaceAll(line, "\t", "    "))) > 120 && !strings.ContainsAny(line, "\"`") {
					long++
				}
			}
		}
	}
	if long > longLines {
		t.Errorf("%d lines exceed 120 columns, at most %d: wrap the new ones", long, longLines)
	}
}
