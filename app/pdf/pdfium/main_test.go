package pdfium_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"paraph/app/pdf/pdfium"
)

// cacheDir is shared by all tests, so that PDFium is compiled once.
var cacheDir string

// TestMain is the worker when it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "pdf-worker" {
		if err := pdfium.Serve(os.Stdin, os.Stdout, pdfium.ServeOptions{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pdfium-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cacheDir = filepath.Join(dir, "cache")
	return m.Run()
}

// open gives an engine whose workers are this test binary.
func open(tb testing.TB, change func(*pdfium.Options)) *pdfium.Engine {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	o := pdfium.Options{Command: []string{exe, "pdf-worker"}, CacheDir: cacheDir}
	if change != nil {
		change(&o)
	}
	e, err := pdfium.Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

func ctx(tb testing.TB) context.Context { return tb.Context() }
