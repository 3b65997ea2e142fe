package app_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"paraph/app"
)

// TestEverySettingIsRead finds settings that are loaded and validated but have no
// effect: every field of the configuration must be read somewhere else.
func TestEverySettingIsRead(t *testing.T) {
	t.Parallel()
	exports := exportsOf(t)
	read := map[string]bool{}
	for _, dir := range []string{".", "..", "cli"} {
		selections(t, dir, exports, read)
	}
	fields := configFields(reflect.TypeFor[app.Config]())
	for field, key := range fields {
		if !read[field] {
			t.Errorf("%s is never read", key)
		}
	}
	if len(fields) < 40 {
		t.Errorf("found only %d settings", len(fields))
	}
}

// configFields maps every field that holds a setting, such as
// paraph/app.ServerConfig.Listen, to its name in the configuration.
func configFields(t reflect.Type) map[string]string {
	all := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Kind() != reflect.Struct {
			all[t.PkgPath()+"."+t.Name()+"."+f.Name] = f.Tag.Get("koanf")
			continue
		}
		for field, key := range configFields(f.Type) {
			all[field] = f.Tag.Get("koanf") + "." + key
		}
	}
	return all
}

// exportsOf locates the compiled form of everything that the program imports.
func exportsOf(t *testing.T) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", ".")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, stderrOf(err))
	}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
}

// selections records the fields that the package in dir selects, except in the
// files that load and validate the configuration.
func selections(t *testing.T, dir string, exports map[string]string, read map[string]bool) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files, others []*ast.File
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_windows.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		if name != "config_load.go" && name != "config_check.go" {
			others = append(others, f)
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	check := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	if _, err := check.Check("paraph/app", fset, files, info); err != nil {
		t.Fatal(err)
	}
	for _, f := range others {
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && info.Selections[x] != nil {
				recv := types.Unalias(info.Selections[x].Recv())
				if p, ok := recv.(*types.Pointer); ok {
					recv = p.Elem()
				}
				read[recv.String()+"."+x.Sel.Name] = true
			}
			return true
		})
	}
}
