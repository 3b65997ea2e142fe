package pdfium_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf/pdfium"
)

// encrypted makes qpdf encrypt a page of text.
func encrypted(t *testing.T, user, owner string, args ...string) pdfium.Source {
	t.Helper()
	in := write(t, lines("Top secret")).Paths[0]
	out := filepath.Join(t.TempDir(), "encrypted.pdf")
	a := append([]string{"--allow-weak-crypto", "--encrypt", user, owner}, args...)
	tool(t, "qpdf", append(a, "--", in, out)...)
	return pdfium.File(out)
}

func TestEncrypted(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	for _, c := range []struct {
		name, password string
		src            pdfium.Source
		want           error
	}{
		{"AES-256 without", "", encrypted(t, "user", "owner", "256"), pdfium.ErrPassword},
		{"AES-256 wrong", "resu", encrypted(t, "user", "owner", "256"), pdfium.ErrPassword},
		{"AES-256 user", "user", encrypted(t, "user", "owner", "256"), nil},
		{"AES-256 owner", "owner", encrypted(t, "user", "owner", "256"), nil},
		{"AES-256 not ASCII", "grüße", encrypted(t, "grüße", "owner", "256"), nil},
		{"AES-128", "user", encrypted(t, "user", "owner", "128", "--use-aes=y"), nil},
		{"RC4 40", "user", encrypted(t, "user", "owner", "40"), nil},
		{"only owner", "", encrypted(t, "", "owner", "256", "--modify=none", "--extract=n"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out.pdf")
			err := e.Repair(ctx(t), c.src, c.password, out)
			if !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if err != nil {
				if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a file remains: %v", err)
				}
				if c.password != "" && strings.Contains(err.Error(), c.password) {
					t.Errorf("the error contains the password: %v", err)
				}
				return
			}
			checkRepaired(t, out)
			if text, err := e.PlainText(ctx(t), pdfium.File(out), 100); err != nil || text != "Top secret" {
				t.Errorf("text %q, %v", text, err)
			}
		})
	}
}

// checkRepaired fails unless a file is private, unencrypted and free of errors in
// qpdf.
func checkRepaired(t *testing.T, path string) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("file: %v, %v", st.Mode(), err)
	}
	if out := tool(t, "qpdf", "--check", path); !strings.Contains(out, "not encrypted") || !strings.Contains(out, "No syntax or stream encoding errors") {
		t.Errorf("qpdf: %s", out)
	}
}

func TestRepairDamaged(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	good := lines("Still here", "and here")
	for name, data := range map[string][]byte{
		"no xref":       slices.Concat(good[:bytes.Index(good, []byte("xref\n0"))], good[bytes.Index(good, []byte("trailer")):]),
		"no end":        good[:bytes.LastIndex(good, []byte("startxref"))],
		"wrong offsets": bytes.Replace(good, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%shifted\n"), 1),
		"junk before":   append([]byte("HTTP/1.1 200 OK\r\n\r\n"), good...),
		"junk after":    append(bytes.Clone(good), bytes.Repeat([]byte("\x00junk"), 2000)...),
	} {
		out := filepath.Join(t.TempDir(), "out.pdf")
		if err := os.WriteFile(out, bytes.Repeat([]byte("old"), 10_000), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := e.Repair(ctx(t), write(t, data), "", out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkRepaired(t, out)
		if text, err := e.PlainText(ctx(t), pdfium.File(out), 100); err != nil || text != "Still here\fand here" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		src  pdfium.Source
		want error // nil: any
	}{
		{"empty", write(t, nil), pdfium.ErrDamaged},
		{"no pieces", pdfium.Source{}, pdfium.ErrDamaged},
		{"text", write(t, []byte("hello")), pdfium.ErrDamaged},
		{"header only", write(t, []byte("%PDF-1.7\n")), pdfium.ErrDamaged},
		{"zeros", write(t, make([]byte, 1<<20)), pdfium.ErrDamaged},
		{"no pages", write(t, build("<</Type/Catalog>>")), pdfium.ErrDamaged},
		{"cyclic page tree", write(t, build("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>")), pdfium.ErrDamaged},
		{"absent", pdfium.File(filepath.Join(dir, "absent")), fs.ErrNotExist},
		{"folder", pdfium.File(dir), nil},
		{"pipe", pdfium.File(pipe), nil},
	} {
		out := filepath.Join(t.TempDir(), "out.pdf")
		_, render := e.Render(ctx(t), c.src, 0, 100)
		if render == nil || c.want != nil && !errors.Is(render, c.want) && !errors.Is(render, pdfium.ErrNoPage) {
			t.Errorf("%s: Render: %v", c.name, render)
		}
		_, pages := e.Pages(ctx(t), c.src)
		_, plain := e.PlainText(ctx(t), c.src, 100)
		_, text := e.Text(ctx(t), c.src)
		if c.name == "cyclic page tree" {
			continue // PDFium defines their content; these tests only require that it finishes
		}
		for _, err := range []error{pages, plain, text} {
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		}
		if err := e.Repair(ctx(t), c.src, "", out); err == nil {
			t.Errorf("%s was repaired", c.name)
		}
	}
	if err := e.Repair(ctx(t), write(t, lines("x")), "", filepath.Join(dir, "absent", "out.pdf")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing output folder: %v", err)
	}
}
