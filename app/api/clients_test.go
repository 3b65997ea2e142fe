package api_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// node returns the folder of what `make tools` fetched from npm.
func node(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../web/testdata/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// a workshop is a folder with the description of the API and files beside it, in which generators and compilers run.
type workshop struct {
	testing.TB
	dir    string
	server *apptest.Server
}

func newWorkshop(t testing.TB, version string, files ...string) *workshop {
	t.Helper()
	w := &workshop{t, t.TempDir(), apptest.New(t, func(c *app.Config) {
		c.Webhooks.AllowPrivate, c.Network.Egress = true, []string{"any"}
	})}
	w.put("openapi.json", w.server.Anonymous().Get(t, "/openapi.json"+version).Want(t, 200).Body)
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		w.put(filepath.Base(name), content)
	}
	if err := os.Symlink(node(t), filepath.Join(w.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *workshop) put(name string, content []byte) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), content, 0o600); err != nil {
		w.Fatal(err)
	}
}

// run runs a program, one of those from npm if it is there, and returns what it printed.
func (w *workshop) run(program string, args ...string) []byte {
	w.Helper()
	out, err := w.try(program, args...)
	if err != nil {
		w.Fatalf("%s: %v\n%s", program, err, out)
	}
	return out
}

func (w *workshop) try(program string, args ...string) ([]byte, error) {
	if own := filepath.Join(node(w), ".bin", program); isThere(own) {
		program = own
	}
	cmd := exec.CommandContext(w.Context(), program, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	var why strings.Builder
	cmd.Stderr = &why
	out, err := cmd.Output()
	if err != nil {
		out = append(out, why.String()...)
	}
	return out, err
}

func isThere(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// tours checks that a program has done with a generated client what the README does with curl, and received the
// message of a webhook: it prints the sealed file.
func (w *workshop) tours(program string, args ...string) {
	w.Helper()
	w.put("lease.pdf", apptest.PDF(w, "Lease"))
	sealed := w.run(program, append(args, w.server.URL, w.server.Company(w).Token, "lease.pdf")...)
	w.put("sealed.pdf", sealed)
	if said := string(w.run("pdfsig", "sealed.pdf")); strings.Count(said, "Signature is Valid") < 2 {
		w.Errorf("the file that %s downloaded: %s", program, said)
	}
}

// strict are the arguments of a compiler that lets nothing pass.
var strict = []string{
	"--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--types", "node", "--skipLibCheck", "--module",
	"commonjs", "--moduleResolution", "node10",
}

// TestGeneratedClients generates clients with what people use, and compiles programs that use them.
func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]func(t *testing.T){
		"openapi-typescript": func(t *testing.T) {
			w := newWorkshop(t, "", "typescript/client.ts")
			w.run("openapi-typescript", "openapi.json", "-o", "paraph.ts")
			w.run("tsc", append(strict, "--noEmit", "client.ts")...)
		},
		"hey-api": func(t *testing.T) {
			w := newWorkshop(t, "", "typescript/tour.ts")
			w.run("openapi-ts", "-i", "openapi.json", "-o", "paraph")
			w.run("tsc", append(strict, "--outDir", "out", "tour.ts")...)
			w.tours("node", "out/tour.js")
		},
		"orval": func(t *testing.T) {
			w := newWorkshop(t, "")
			w.run("orval", "--input", "./openapi.json", "--output", "./paraph.ts", "--client", "fetch")
			w.run("tsc", append(strict, "--noEmit", "paraph.ts")...)
		},
		"oapi-codegen": func(t *testing.T) {
			w := newWorkshop(t, "?version=3.0", "go/go.mod", "go/go.sum", "go/main.go")
			if err := os.Mkdir(filepath.Join(w.dir, "paraph"), 0o700); err != nil {
				t.Fatal(err)
			}
			w.run("go", "tool", "oapi-codegen", "-package", "paraph", "-generate", "types,client", "-o", "paraph/paraph.go", "openapi.json")
			w.tours("go", "run", ".")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t)
		})
	}
}

// TestDescriptionHasNoRemarks lets redocly and spectral judge the description by their recommended rules. Paths of the
// contract, such as /documents/{document}/{invitation}/sign, can be read in two ways, which redocly warns of.
func TestDescriptionHasNoRemarks(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, "")
	w.put(".spectral.yaml", []byte(`extends: ["spectral:oas"]`))
	var found struct {
		Totals   struct{ Errors, Warnings, Ignored int }
		Problems []struct{ RuleID, Message string }
	}
	if err := json.Unmarshal(w.run("redocly", "lint", "--extends=recommended", "--format=json", "openapi.json"), &found); err != nil {
		t.Fatal(err)
	}
	if found.Totals.Ignored > 0 || found.Totals.Errors+found.Totals.Warnings != len(found.Problems) {
		t.Errorf("redocly: %+v, and %d problems", found.Totals, len(found.Problems))
	}
	for _, p := range found.Problems {
		if p.RuleID != "no-ambiguous-paths" || !strings.Contains(p.Message, "/documents/{document}/{invitation}/") {
			t.Errorf("redocly: %s: %s", p.RuleID, p.Message)
		}
	}
	if out, err := w.try("spectral", "lint", "--fail-severity=hint", "openapi.json"); err != nil {
		t.Errorf("spectral: %v\n%s", err, out)
	}
}
