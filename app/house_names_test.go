package app_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/signing/record"
)

// wordsInSource lists packages whose examples and manual spell the names out.
var wordsInSource = []string{"app/api", "app/api/examples", "app/web/apidoc"}

// TestHouseNamesEventsByTheirConstants forbids event names as literals, except in calls of Say,
// where the same word is a catalogue key.
func TestHouseNamesEventsByTheirConstants(t *testing.T) {
	t.Parallel()
	fset, all := parsed(t)
	names := record.EventNames()
	for _, p := range all {
		if !strings.HasPrefix(p.folder, "app/") || slices.Contains(wordsInSource, p.folder) {
			continue
		}
		for name, f := range p.files {
			if p.folder == "app/signing/record" && name == "event.go" {
				continue // defines them
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && called(call) == "Say" {
					return false
				}
				if lit, ok := n.(*ast.BasicLit); ok {
					for _, text := range texts(lit) {
						if slices.Contains(names, text) {
							t.Errorf("%s: use the constant for %q", fset.Position(n.Pos()), text)
						}
					}
				}
				return true
			})
		}
	}
	if len(names) < 40 {
		t.Errorf("only %d event names exist", len(names))
	}
}

// TestHouseNamesFieldTypesByTheirConstants forbids literals where the domain compares or sets
// the type of a field or mark.
func TestHouseNamesFieldTypesByTheirConstants(t *testing.T) {
	t.Parallel()
	fset, all := parsed(t)
	types := []string{"typed", "drawn", "image"}
	for _, kind := range pdf.FieldTypes() {
		types = append(types, string(kind))
	}
	for _, p := range all {
		if !strings.HasPrefix(p.folder, "app/signing") {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				for _, text := range typesIn(n) {
					if slices.Contains(types, text) {
						t.Errorf("%s: use the constant for type %q", fset.Position(n.Pos()), text)
					}
				}
				return true
			})
		}
	}
}

// typesIn returns the literals that a node compares with, or assigns to, a struct field named Type.
func typesIn(n ast.Node) []string {
	switch x := n.(type) {
	case *ast.BinaryExpr:
		if (x.Op == token.EQL || x.Op == token.NEQ) && (isType(x.X) || isType(x.Y)) {
			return texts(x.X, x.Y)
		}
	case *ast.KeyValueExpr:
		if isType(x.Key) {
			return texts(x.Value)
		}
	case *ast.AssignStmt:
		if len(x.Lhs) == 1 && isType(x.Lhs[0]) {
			return texts(x.Rhs...)
		}
	case *ast.SwitchStmt:
		var out []string
		if x.Tag == nil || !isType(x.Tag) {
			return nil
		}
		for _, c := range x.Body.List {
			if c, ok := c.(*ast.CaseClause); ok {
				out = append(out, texts(c.List...)...)
			}
		}
		return out
	}
	return nil
}

func isType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Type"
	case *ast.Ident:
		return x.Name == "Type"
	}
	return false
}

// TestHouseNamesEveryCollectionOnce forbids two collections of the same name: they would share
// their records, and each index and check would cover those of the other.
func TestHouseNamesEveryCollectionOnce(t *testing.T) {
	t.Parallel()
	fset, all := parsed(t)
	first := map[string]token.Position{}
	for _, p := range all {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || called(call) != "NewCollection" || len(call.Args) == 0 {
					return true
				}
				lit, ok := call.Args[0].(*ast.BasicLit)
				if !ok {
					return true
				}
				if other, taken := first[lit.Value]; taken {
					t.Errorf("%s: %s has another collection named %s", fset.Position(n.Pos()), other, lit.Value)
				}
				first[lit.Value] = fset.Position(n.Pos())
				return true
			})
		}
	}
	if len(first) < 30 {
		t.Errorf("only %d collections were found", len(first))
	}
}
