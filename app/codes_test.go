package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/words"
)

// codeAt maps calls to the index of the argument that is a refusal's code.
var codeAt = map[string]int{
	"Forbidden": 0, "Conflict": 0, "Malformed": 0, "TooLarge": 0, "Unsupported": 0, "Unavailable": 0, "NotFound": 0, "Exhausted": 0, "Invalid": 1, "Add": 1,
	"conflict": 0, "unsupported": 0, "flawed": 0, "wrongState": 0, "refuse": 1,
}

var codeShape = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*(\.[a-z0-9_]+)?$`)

// TestEveryCodeHasASentence finds the codes of refusals in the program's own text
// and requires the English of each in the catalogue.
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
		t.Errorf("only %d codes were found", len(found))
	}
}

// limitAt maps the calls that refuse a conversion to the index of the argument that names the limit.
var limitAt = map[string]int{"TooLarge": 0, "Exceeded": 1}

// TestEveryLimitOfAConversionHasASentence holds the limits that conversions name against those
// that the catalogue describes.
func TestEveryLimitOfAConversionHasASentence(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	_, all := parsed(t)
	for _, p := range all {
		if !strings.HasPrefix(p.folder, "app/convert") {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if at, ok := limitAt[called(call)]; ok && at < len(call.Args) {
						for _, limit := range texts(call.Args[at]) {
							found[limit] = true
						}
					}
				}
				return true
			})
		}
	}
	described := catalogue.English().Keys("term.limit.")
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, slices.Sorted(slices.Values(described))) {
		t.Errorf("conversions name  %q\nthe catalogue has %q", got, described)
	}
}

// sources returns the Go files that produce refusals: all but tests and the base
// packages, which have errors of their own.
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

// codesIn returns the codes in a file with a position of each.
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
