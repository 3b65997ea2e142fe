package app_test

import (
	"go/ast"
	"strings"
	"testing"
)

// ownTurn lists the functions that write in the turn of the installation although a person or a
// job of a company asks for it, and why.
var ownTurn = map[string]string{
	"app/checkpoint.begin":   "checkpoints are the installation's",
	"app/checkpoint.makeAll": "checkpoints are the installation's",
	"app/notify.sweep":       "it removes old messages of all companies",
}

// TestHouseWritesInTurnOfTheCompany checks that what a person asks for, and what a job does,
// is written in the turn of a company, so that no company's writes delay those of the others.
func TestHouseWritesInTurnOfTheCompany(t *testing.T) {
	t.Parallel()
	_, packages := parsed(t)
	seen := map[string]bool{}
	for _, p := range packages {
		for _, f := range p.files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || !strings.HasPrefix(p.folder, "app/") || !onBehalf(fn) || !writesInCommonTurn(fn.Body) {
					continue
				}
				name := p.folder + "." + fn.Name.Name
				seen[name] = true
				if ownTurn[name] == "" {
					t.Errorf("%s writes in the turn of the installation: use For of the company", name)
				}
			}
		}
	}
	for name := range ownTurn {
		if !seen[name] {
			t.Errorf("%s no longer writes in the turn of the installation", name)
		}
	}
}

// onBehalf reports whether a function takes the one who acts, or a job.
func onBehalf(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		switch x := p.Type.(type) {
		case *ast.Ident:
			if x.Name == "Actor" {
				return true
			}
		case *ast.SelectorExpr:
			if x.Sel.Name == "Actor" || x.Sel.Name == "Job" {
				return true
			}
		}
	}
	return false
}

// writesInCommonTurn reports whether code calls Update of a database itself.
func writesInCommonTurn(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		update, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || update.Sel.Name != "Update" {
			return true
		}
		if db, ok := update.X.(*ast.SelectorExpr); ok && strings.EqualFold(db.Sel.Name, "db") {
			found = true
		}
		return true
	})
	return found
}
