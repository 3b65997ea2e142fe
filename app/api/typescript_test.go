package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTypeScriptClient makes types of the description, and compiles a program that uses them.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	tools, err := filepath.Abs("../web/testdata/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, err := os.ReadFile("testdata/typescript/client.ts")
	if err != nil {
		t.Fatal(err)
	}
	description := server(t).Anonymous().Get(t, "/openapi.json").Want(t, 200).Body
	for name, content := range map[string][]byte{"openapi.json": description, "client.ts": program} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{
		{"openapi-typescript", "openapi.json", "-o", "paraph.ts"},
		{"tsc", "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", "--skipLibCheck", "client.ts"},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(tools, command[0]), command[1:]...) // make tools fetches them
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command[0], err, out)
		}
	}
}
