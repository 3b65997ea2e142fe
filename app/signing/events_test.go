package signing_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/signing/record"
	"paraph/app/words"
)

func TestCertificateDescribesEveryEvent(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range record.EventTypes() {
		if key := "certificate.event." + string(event); !catalogue.English().Has(key) {
			t.Errorf("%s is missing from the catalogue", key)
		}
	}
}

// TestEveryEventTypeIsListedAndRecorded compares the constants in the source with
// EventTypes, and looks for code that records each of them.
func TestEveryEventTypeIsListedAndRecorded(t *testing.T) {
	t.Parallel()
	declared, used := eventConstants(t)
	listed := record.EventTypes()
	if len(declared) != len(listed) {
		t.Errorf("%d constants are declared, %d listed", len(declared), len(listed))
	}
	for name, value := range declared {
		if !slices.Contains(listed, value) {
			t.Errorf("EventTypes does not list %s", name)
		}
		if !used[name] {
			t.Errorf("nothing records %s", name)
		}
	}
}

// eventConstants returns the declared constants of type EventType, and the identifiers
// used outside the file that declares them, in the packages that record events.
func eventConstants(t *testing.T) (declared map[string]record.EventType, used map[string]bool) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.go", "record/*.go", "../publiclink/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	declared, used = map[string]record.EventType{}, map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ValueSpec:
				if kind, ok := x.Type.(*ast.Ident); ok && kind.Name == "EventType" && len(x.Values) == 1 {
					value, err := strconv.Unquote(x.Values[0].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					declared[x.Names[0].Name] = record.EventType(value)
				}
			case *ast.Ident:
				used[x.Name] = used[x.Name] || name != "record/event.go"
			}
			return true
		})
	}
	return declared, used
}
