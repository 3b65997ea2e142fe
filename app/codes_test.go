package app_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/words"
)

// codeAt maps calls to the index of the argument that is a refusal's code.
var codeAt = map[string]int{
	"Forbidden": 0, "Conflict": 0, "Malformed": 0, "TooLarge": 0, "Unsupported": 0, "Unavailable": 0, "NotFound": 0, "Exhausted": 0, "Invalid": 1, "Add": 1,
	"conflict": 0, "unsupported": 0, "flawed": 0, "wrongState": 0, "refuse": 1,
}

var codeShape = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*(\.[a-z0-9_]+)?$`)

// TestEveryCodeHasASentence finds the codes of refusals in the source and looks each
// up in the English catalogue.
func TestEveryCodeHasASentence(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range sources(t) {
		for code, at := range codesIn(t, name) {
			found[code] = true
			if !catalogue.English().Has("fault." + code) {
				t.Errorf("%s: the catalogue has no fault.%s", at, code)
			}
		}
	}
	if len(found) < 200 {
		t.Errorf("found only %d codes", len(found))
	}
}

// TestEveryKindOfJobHasAName looks the kinds that have a handler up in each language's own
// catalogue, without the fallback to English.
func TestEveryKindOfJobHasAName(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	kinds := apptest.New(t).JobKinds()
	if len(kinds) < 15 {
		t.Errorf("found only %q", kinds)
	}
	for _, tag := range catalogue.Tags() {
		raw, err := os.ReadFile(filepath.Join("words", tag, "admin.json"))
		if err != nil {
			t.Fatal(err)
		}
		var own map[string]any
		if err := json.Unmarshal(raw, &own); err != nil {
			t.Fatalf("%s: %v", tag, err)
		}
		for _, kind := range kinds {
			if own["admin.job."+kind] == nil {
				t.Errorf("%s has no name for jobs of the kind %s", tag, kind)
			}
		}
	}
}

// coded lists codes other than those of refusals: where they occur in the source, and the prefix
// of their sentences in the catalogue.
var coded = []struct {
	folder string // of the packages
	prefix string
	codes  func(n ast.Node) []string
}{
	{"app/convert", "term.limit.", func(n ast.Node) []string { return argument(n, map[string]int{"TooLarge": 0, "Exceeded": 1}) }},
	{"app/mail", "term.mail.", func(n ast.Node) []string { return element(n, "failure", 1) }},
	{"app/signing/record", "term.reason.", func(n ast.Node) []string { return constant(n, "ReasonCode") }},
	{"app/webhook", "webhook.error.", func(n ast.Node) []string { return constant(n, "Code") }},
}

// TestEveryReasonHasASentence compares the codes in the source with the catalogue.
func TestEveryReasonHasASentence(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	_, all := parsed(t)
	for _, c := range coded {
		found := map[string]bool{}
		for _, p := range all {
			if p.folder != c.folder && !strings.HasPrefix(p.folder, c.folder+"/") {
				continue
			}
			for _, f := range p.files {
				ast.Inspect(f, func(n ast.Node) bool {
					for _, code := range c.codes(n) {
						found[code] = true
					}
					return true
				})
			}
		}
		described := catalogue.English().Keys(c.prefix)
		if got := slices.Sorted(maps.Keys(found)); len(got) == 0 || !slices.Equal(got, described) {
			t.Errorf("%s has %q\nthe catalogue describes %q", c.folder, got, described)
		}
	}
}

// argument returns the literal argument of a call of one of the functions.
func argument(n ast.Node, places map[string]int) []string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if at, ok := places[called(call)]; ok && at < len(call.Args) {
		return texts(call.Args[at])
	}
	return nil
}

// element returns the literal at an index of a composite literal of a type.
func element(n ast.Node, of string, at int) []string {
	x, ok := n.(*ast.CompositeLit)
	if !ok || at >= len(x.Elts) {
		return nil
	}
	if name, ok := x.Type.(*ast.Ident); !ok || name.Name != of {
		return nil
	}
	return texts(x.Elts[at])
}

// constant returns the values of the constants of a type.
func constant(n ast.Node, of string) []string {
	x, ok := n.(*ast.ValueSpec)
	if !ok {
		return nil
	}
	if name, ok := x.Type.(*ast.Ident); !ok || name.Name != of {
		return nil
	}
	return texts(x.Values...)
}

// sources returns the Go files that produce refusals: all except tests and the base
// packages, which have their own errors.
func sources(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (path == "fault" || path == "pdf" || path == "convert" || path == "pki") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// codesIn returns the codes in a file with the position of each.
func codesIn(t *testing.T, name string) map[string]token.Position {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]token.Position{}
	ast.Inspect(file, func(n ast.Node) bool {
		if x, ok := n.(*ast.CompositeLit); ok {
			if literal := codeOf(x); literal != nil {
				if code, err := strconv.Unquote(literal.Value); err == nil && codeShape.MatchString(code) {
					found[code] = files.Position(literal.Pos())
				}
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := called(call)
		at, ok := codeAt[name]
		if !ok || at >= len(call.Args) {
			return true
		}
		if literal, ok := call.Args[at].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			code, err := strconv.Unquote(literal.Value)
			if name == "NotFound" {
				code = "not_found." + code
			}
			if err == nil && codeShape.MatchString(code) {
				found[code] = files.Position(literal.Pos())
			}
		}
		return true
	})
	return found
}

// codeOf returns the code in a literal of a refusal, a problem or a reason for
// waiting, nil if it has none.
func codeOf(x *ast.CompositeLit) *ast.BasicLit {
	if name, ok := x.Type.(*ast.Ident); x.Type != nil && (!ok || name.Name != "Attention" && name.Name != "Problem" && name.Name != "Error") {
		return nil
	}
	for _, element := range x.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Code" {
			literal, _ := pair.Value.(*ast.BasicLit)
			return literal
		}
	}
	return nil
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
