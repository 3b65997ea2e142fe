package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// packageSource is the parsed code of one package, without its tests.
type packageSource struct {
	folder string // of the module
	files  map[string]*ast.File
}

// parsed reads every package of the module.
func parsed(t *testing.T) (*token.FileSet, []packageSource) {
	t.Helper()
	fset := token.NewFileSet()
	byFolder := map[string]packageSource{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || path != ".." && strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."))
		folder = strings.TrimPrefix(folder, "/")
		if byFolder[folder].files == nil {
			byFolder[folder] = packageSource{folder, map[string]*ast.File{}}
		}
		byFolder[folder].files[filepath.Base(path)] = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, slices.Collect(maps.Values(byFolder))
}

// domain lists the packages with business rules: they know neither the API's JSON
// nor the wording of messages.
var domain = []string{"app/account", "app/bulk", "app/checkpoint", "app/contact", "app/machine", "app/mailserver", "app/notify", "app/publiclink", "app/signing", "app/signing/intake", "app/signing/lists", "app/signing/record", "app/signing/report", "app/signing/store", "app/signing/trail", "app/signing/verify"}

// TestHouseDomainHasNoWireTags checks that domain structs have JSON names only if
// they are stored or listed in spelled, and no other tags.
func TestHouseDomainHasNoWireTags(t *testing.T) {
	t.Parallel()
	fset, all := parsed(t)
	for _, p := range all {
		if !slices.Contains(domain, p.folder) {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if field, ok := n.(*ast.Field); ok && field.Tag != nil && !onlyJSON.MatchString(field.Tag.Value) {
					t.Errorf("%s: the tag %s belongs to the API", fset.Position(n.Pos()), field.Tag.Value)
				}
				return true
			})
		}
		found := tagged(p)
		for name := range stored(p) {
			delete(found, name)
		}
		for name, file := range found {
			if spelled[p.folder+"."+name] == "" {
				t.Errorf("%s/%s: %s has JSON names but is not stored", p.folder, file, name)
			}
		}
	}
}

// onlyJSON matches a tag with nothing but a name or options in JSON.
var onlyJSON = regexp.MustCompile("^`json:\"[^\"]*\"`$")

// memberName matches a tag that sets a name, not one that only sets options.
var memberName = regexp.MustCompile(`^[a-z]`)

// tagged maps the structs with JSON names to their file.
func tagged(p packageSource) map[string]string {
	found := map[string]string{}
	for name, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			ast.Inspect(spec, func(n ast.Node) bool {
				if field, ok := n.(*ast.Field); ok && field.Tag != nil {
					tag, err := strconv.Unquote(field.Tag.Value)
					if err == nil && memberName.MatchString(reflect.StructTag(tag).Get("json")) {
						found[spec.Name.Name] = name
					}
				}
				return true
			})
			return false
		})
	}
	return found
}

// stored returns the types kept in collections and logs, and their components.
func stored(p packageSource) map[string]bool {
	types, reached := map[string]ast.Expr{}, map[string]bool{}
	var reach func(n ast.Node)
	reach = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && types[id.Name] != nil && !reached[id.Name] {
				reached[id.Name] = true
				reach(types[id.Name])
			}
			return true
		})
	}
	each := func(visit func(n ast.Node)) {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool { visit(n); return true })
		}
	}
	each(func(n ast.Node) {
		if spec, ok := n.(*ast.TypeSpec); ok {
			types[spec.Name.Name] = spec.Type
		}
	})
	each(func(n ast.Node) {
		x, ok := n.(*ast.IndexExpr)
		if !ok {
			return
		}
		switch f := x.X.(type) {
		case *ast.SelectorExpr:
			if f.Sel.Name == "JSON" || f.Sel.Name == "Codec" {
				reach(x.Index)
			}
		}
	})
	return reached
}

// spelled gives the reason why other structs have JSON names.
var spelled = map[string]string{
	"app/account.claims": "signed into a token",

	"app/signing/record.Row":          "stored as the JSON that the API sends",
	"app/signing/record.RowPerson":    "part of a row",
	"app/signing/record.RowSignatory": "part of a row",
	"app/signing/record.Progress":     "part of a row",

	"app/checkpoint.message":     "posted to the operator's webhook",
	"app/checkpoint.messageData": "posted to the operator's webhook",
}

// sentence matches several words that begin or end like a sentence.
var sentence = regexp.MustCompile(`^[A-Z][a-z]* [a-z(].* |\w \w.*[.!?]$`)

// isProse recognizes a sentence, or a pattern for one.
func isProse(s string) bool {
	return sentence.MatchString(strings.NewReplacer("^", "", `\.`, ".", "$", "").Replace(s))
}

func TestProseIsRecognized(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"Somebody else changed this document.": true, `^The (.+) field is required\.$`: true, "is already signed.": true,
		"Bearer ": false, "invitation.signed": false, `^[a-z]+ [a-z]+$`: false, "text/html; charset=utf-8": false, "-----BEGIN ": false,
	} {
		if isProse(s) != want {
			t.Errorf("isProse(%q) is %v", s, !want)
		}
	}
}

// TestHouseComparesNoProse checks that no code compares sentences. They are meant
// for people; programs compare codes.
func TestHouseComparesNoProse(t *testing.T) {
	t.Parallel()
	fset, all := parsed(t)
	for _, p := range all {
		if !strings.HasPrefix(p.folder, "app/") || strings.HasPrefix(p.folder, "app/convert") || strings.HasPrefix(p.folder, "app/pdf") {
			continue // those parse the output of other programs
		}
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				for _, s := range compared(n) {
					if isProse(s) {
						t.Errorf("%s: compares the sentence %q", fset.Position(n.Pos()), s)
					}
				}
				return true
			})
		}
	}
}

// searches lists functions that search a text for another.
var searches = []string{"Contains", "HasPrefix", "HasSuffix", "EqualFold", "Index", "Cut", "CutPrefix", "CutSuffix", "TrimPrefix", "TrimSuffix", "MustCompile"}

// texts returns the values of the string literals among the expressions.
func texts(all ...ast.Expr) (out []string) {
	for _, x := range all {
		if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// compared returns the string literals that a node compares with another text.
func compared(n ast.Node) (out []string) {
	text := func(all ...ast.Expr) { out = append(out, texts(all...)...) }
	switch x := n.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.EQL || x.Op == token.NEQ {
			text(x.X, x.Y)
		}
	case *ast.CaseClause:
		text(x.List...)
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		if from, ok := f.X.(*ast.Ident); ok && (from.Name == "strings" || from.Name == "regexp") && slices.Contains(searches, f.Sel.Name) {
			text(x.Args...)
		}
	}
	return out
}
