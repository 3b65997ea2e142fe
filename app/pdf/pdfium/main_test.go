package pdfium_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/app/pdf/pdfium"
)

// cacheDir is shared by all tests, so that PDFium is compiled once.
var cacheDir string

// TestMain runs as a worker if the process was started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "pdf-worker" {
		if err := pdfium.Serve(os.Stdin, os.Stdout, pdfium.ServeOptions{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 3 && os.Args[1] == "pdf-parent" {
		os.Exit(parent(os.Args[2], os.Args[3]))
	}
	os.Exit(run(m))
}

// parent prints the process IDs of two workers, one of them permanently busy
// with path, and waits to be killed.
func parent(cache, path string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	e, err := pdfium.Open(pdfium.Options{Command: []string{exe, "pdf-worker"}, CacheDir: cache, Timeout: time.Minute})
	if err != nil {
		return 1
	}
	ctx := context.Background()
	failed := make(chan error, 1)
	go func() {
		_, err := e.Render(ctx, pdfium.File(path), 0, 600)
		failed <- err
	}()
	for len(e.PIDs()) < 2 { // Warm takes the idle one until the other is busy
		if err := e.Warm(ctx); err != nil {
			return 1
		}
	}
	for _, pid := range e.PIDs() {
		fmt.Println(pid)
	}
	fmt.Fprintln(os.Stderr, "parent was not killed:", <-failed)
	return 1
}

func run(m *testing.M) int {
	dir, err := os.UserCacheDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cacheDir = filepath.Join(dir, "paraph")          // the same path as in the test doubles
	if err := pdfium.Compile(cacheDir); err != nil { // too slow under the race detector for the time limit of a worker
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// open returns an engine whose workers run this test binary.
func open(tb testing.TB, change func(*pdfium.Options)) *pdfium.Engine {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	o := pdfium.Options{
		Command: []string{exe, "pdf-worker"}, CacheDir: cacheDir, Timeout: time.Minute,
		Patience: 5 * time.Minute, // callers queue behind each other on a busy machine
	}
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

// skipShort skips slow tests of a single worker in -short mode, which is used under
// the race detector.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("tests one worker after another")
	}
}

func ctx(tb testing.TB) context.Context { return tb.Context() }

// await fails the test if a condition does not become true in time.
func await(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	patience.Until(tb, what, func() (string, bool) { return "otherwise", condition() })
}
