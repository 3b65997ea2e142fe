package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// packageRule says what the packages of one folder may import.
type packageRule struct {
	folder string   // of the module, with its subfolders
	may    []string // packages it may import besides itself; "*" means all that app may
}

// ground lists the base packages. All others may import them; they import none of
// the others.
var ground = []string{
	"app/blob",
	"app/bucket",
	"app/client",
	"app/cold",
	"app/confine",
	"app/control",
	"app/convert",
	"app/double",
	"app/fault",
	"app/folder",
	"app/input",
	"app/limit",
	"app/linebreak",
	"app/list",
	"app/mail",
	"app/markup",
	"app/memory",
	"app/metrics",
	"app/mishap",
	"app/pdf",
	"app/pki",
	"app/seal",
	"app/sheet",
	"app/tree",
	"app/turns",
	"app/variable",
	"app/webhook",
	"app/words",
	"kv",
	"search",
}

// toolImports lists the imports among base packages: for sharing resources in turn,
// and for the domain's errors.
var toolImports = map[string][]string{
	"app/convert": {"app/confine", "app/fault", "app/linebreak", "app/variable"},
	"app/input":   {"app/fault", "app/mail"},
	"app/limit":   {"kv"},
	"app/list":    {"app/fault"},
	"app/mail":    {"app/fault"},
	"app/cold":    {"app/blob", "app/bucket", "kv"},
	"app/mishap":  {"app/fault"},
	"app/pdf":     {"app/linebreak", "app/turns"},
	"app/sheet":   {"app/fault"},
	"app/turns":   {"app/fault"},
	"kv":          {"app/turns"},
}

// packages returns the rules of all packages. Dependencies only point down.
func packages() []packageRule {
	above := func(more ...string) []string { return append(more, ground...) }
	// Handlers only call services: none touches the store, the index or the
	// files.
	handlerLayer := []string{
		"app/account", "app/bulk", "app/checkpoint", "app/contact", "app/convert", "app/fault", "app/httpkit", "app/limit", "app/list", "app/machine", "app/mail", "app/mailserver", "app/markup", "app/mishap", "app/notify", "app/pdf", "app/pki",
		"app/publiclink",
		"app/reportjson",
		"app/signing",
		"app/signing/detect",
		"app/signing/intake",
		"app/signing/lists",
		"app/signing/mark",
		"app/signing/record",
		"app/signing/report",
		"app/signing/trail",
		"app/signing/verify",
		"app/tree",
		"app/turns",
		"app/words",
	}
	pages := append([]string{"app/web/page"}, handlerLayer...)
	below := []string{
		"app/signing/completion",
		"app/signing/detect",
		"app/signing/disk",
		"app/signing/format",
		"app/signing/formula",
		"app/signing/intake",
		"app/signing/lists",
		"app/signing/mark",
		"app/signing/pattern",
		"app/signing/pictures",
		"app/signing/record",
		"app/signing/report",
		"app/signing/store",
		"app/signing/trail",
		"app/signing/verify",
	}
	all := []packageRule{
		{"", []string{"*", "app"}},
		{"app", []string{"*"}},
		{"app/cli", above("app", "app/account", "app/archive")},
		{"app/apptest", []string{"*", "app"}},
		{"app/api", append([]string{"app/api/examples", "app/rehearse"}, handlerLayer...)},
		{"app/api/examples", []string{"app/signing/record", "app/signing/trail"}},
		{"app/web", append([]string{"app/web/apidoc", "app/web/gallery", "app/web/manual", "app/web/page", "app/web/public", "app/web/signer", "app/web/team"}, handlerLayer...)},
		{"app/web/page", handlerLayer},
		{"app/web/gallery", []string{"app/web/page"}},
		{"app/web/manual", []string{"app/web/page"}},
		{"app/web/apidoc", []string{"app/fault", "app/httpkit", "app/web/page"}},
		{"app/web/public", pages},
		{"app/web/signer", pages},
		{"app/web/team", append([]string{"app/web/public", "app/web/signer"}, pages...)},
		{"app/httpkit", []string{"app/account", "app/fault", "app/input", "app/memory", "app/turns"}},
		{"app/notify", above("app/signing", "app/signing/record", "app/signing/store", "app/signing/trail", "app/account")},
		{"app/machine", above("app/signing", "app/signing/store", "app/signing/lists", "app/signing/record", "app/account", "app/notify")},
		{"app/mailserver", above("app/account")},
		{"app/bulk", above("app/signing", "app/signing/intake", "app/signing/record", "app/account")},
		{"app/rehearse", above("app/signing", "app/signing/mark", "app/signing/pattern", "app/signing/record", "app/account")},
		{"app/publiclink", above("app/signing", "app/signing/record", "app/signing/store", "app/account")},
		{"app/contact", above("app/signing", "app/signing/record", "app/signing/store", "app/signing/trail", "app/account")},
		{"app/checkpoint", above("app/account")},
		{"app/signing", above(append(below, "app/account", "app/checkpoint")...)},
		{"app/signing/completion", []string{"app/pdf", "app/tree", "app/words"}},
		{"app/signing/detect", []string{"app/pdf"}},
		{"app/signing/mark", []string{"app/fault", "app/pdf"}},
		{"app/signing/format", nil},
		{"app/signing/formula", nil},
		{"app/signing/pattern", nil},
		{"app/signing/pictures", nil},
		{"app/signing/record", above("app/account", "app/signing/detect", "app/signing/format", "app/signing/formula", "app/signing/mark", "app/signing/pattern")},
		{"app/signing/disk", above()},
		{"app/signing/intake", above("app/account", "app/signing/detect", "app/signing/disk", "app/signing/record", "app/signing/report")},
		{"app/signing/lists", above("app/account", "app/signing/record", "app/signing/store")},
		{"app/signing/store", above("app/account", "app/checkpoint", "app/signing/mark", "app/signing/record")},
		{"app/signing/trail", above("app/account", "app/signing/record", "app/signing/store")},
		{"app/signing/verify", above("app/account", "app/signing/disk", "app/signing/record", "app/signing/report", "app/signing/store")},
		{"app/reportjson", []string{"app/pki", "app/signing/report", "app/words"}},
		{"app/signing/report", []string{"app/pdf", "app/pki", "app/words"}},
		{"app/account", above()},
		{"app/archive", nil},
		{"app/backup", []string{"app/archive", "app/blob", "app/bucket", "app/control", "kv"}},
		{"app/transfer", above("app/account", "app/archive", "app/checkpoint", "app/contact", "app/notify", "app/publiclink", "app/signing", "app/signing/record", "app/signing/store")},
	}
	for _, folder := range ground {
		all = append(all, packageRule{folder, toolImports[folder]})
	}
	return all
}

// ruleOf returns the rule with the longest folder that contains pkg. The rules for the
// module's own folder and for app cover one package each; the folders below have rules
// of their own.
func ruleOf(pkg string) (packageRule, error) {
	var best *packageRule
	for _, r := range packages() {
		leaf := r.folder == "" || r.folder == "app"
		if pkg != r.folder && (leaf || !strings.HasPrefix(pkg, r.folder+"/")) {
			continue
		}
		if best == nil || len(r.folder) > len(best.folder) {
			best = &r
		}
	}
	if best == nil {
		return packageRule{}, fmt.Errorf("%s has no rule: add one to the table of packages", pkg)
	}
	return *best, nil
}

func (r packageRule) allows(to packageRule) bool {
	switch {
	case r.folder == to.folder || slices.Contains(r.may, to.folder):
		return true
	case to.folder == "" || to.folder == "app" || to.folder == "app/apptest":
		return false
	}
	return slices.Contains(r.may, "*")
}

// arrow returns an error if an import is not allowed.
func arrow(from, to string) error {
	a, err := ruleOf(from)
	if err != nil {
		return err
	}
	b, err := ruleOf(to)
	if err != nil {
		return err
	}
	if !a.allows(b) {
		return fmt.Errorf("%s may not import %s", name(from), name(to))
	}
	return nil
}

func name(pkg string) string {
	if pkg == "" {
		return "main"
	}
	return pkg
}

const module = "paraph"

// ours returns a package's folder in this module.
func ours(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestEveryImportPointsDown(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, stderrOf(err))
	}
	packages := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; packages++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from, ok := ours(p.ImportPath)
		if !ok {
			t.Errorf("%s is outside this module", p.ImportPath)
		}
		for _, path := range p.Imports {
			to, ok := ours(path)
			if !ok {
				continue
			}
			if err := arrow(from, to); err != nil {
				t.Error(err)
			}
		}
	}
	if packages < 15 {
		t.Errorf("only %d packages were checked", packages)
	}
}

func stderrOf(err error) string {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(e.Stderr)
	}
	return ""
}

func TestForbiddenImportsAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, want string }{
		{"app/web", "kv", "app/web may not import kv"},
		{"app/web", "app/signing", ""},
		{"app/web", "app/pki", ""},
		{"app/notify", "app/signing", ""},
		{"app/signing", "app/account", ""},
		{"app/pdf/page", "app/pdf/text", ""},
		{"app/apptest", "app", ""},
		{"", "app", ""},
		{"app", "app/web", ""},
		{"app/web", "app/api", "app/web may not import app/api"},
		{"app/web", "app/web/signer", ""},
		{"app/web/team/me", "app/web/page", ""},
		{"app/web/page", "app/web", "app/web/page may not import app/web"},
		{"app/web/page", "app/web/team/me", "app/web/page may not import app/web/team/me"},
		{"app/web/signer", "app/web/team/me", "app/web/signer may not import app/web/team/me"},
		{"app/web/apidoc", "app/signing", "app/web/apidoc may not import app/signing"},
		{"app/api", "app", "app/api may not import app"},
		{"app/api", "app/apptest", "app/api may not import app/apptest"},
		{"app", "app/apptest", "app may not import app/apptest"},
		{"app/signing", "app/notify", "app/signing may not import app/notify"},
		{"app/account", "app/signing", "app/account may not import app/signing"},
		{"app/account", "app/api", "app/account may not import app/api"},
		{"app/account", "app/httpkit", "app/account may not import app/httpkit"},
		{"app/signing", "app/contact", "app/signing may not import app/contact"},
		{"app/signing", "app/signing/report", ""},
		{"app/signing/report", "app/reportjson", "app/signing/report may not import app/reportjson"},
		{"app/signing/report", "app/signing", "app/signing/report may not import app/signing"},
		{"app/web", "app/signing/pictures", "app/web may not import app/signing/pictures"},
		{"app/web", "app/signing/store", "app/web may not import app/signing/store"},
		{"kv", "search", "kv may not import search"},
		{"app/pdf/object", "app/pki", "app/pdf/object may not import app/pki"},
		{"app/mail", "app/account", "app/mail may not import app/account"},
		{"app/attic", "kv", "app/attic has no rule: add one to the table of packages"},
	} {
		got := ""
		if err := arrow(c.from, c.to); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s → %s: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
