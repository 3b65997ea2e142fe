package pdfium_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/app/pdf/pdfium"
)

// TestTogetherCloseReleasesEverything runs alone, before the parallel tests, because it
// counts resources.
func TestTogetherCloseReleasesEverything(t *testing.T) {
	src, slow := write(t, lines("a")), write(t, runaway())
	before := runtime.NumGoroutine()
	e := open(t, func(o *pdfium.Options) { o.Workers, o.Timeout = 3, 5*time.Second })
	var wg sync.WaitGroup
	for i := range 9 {
		wg.Go(func() {
			if i%3 == 0 {
				if _, err := e.Render(ctx(t), slow, 0, 600); !errors.Is(err, pdfium.ErrTimeout) {
					t.Error(err)
				}
				return
			}
			if _, err := e.Text(ctx(t), src); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	pids := e.PIDs()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
	for _, pid := range pids {
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); err == nil {
			t.Errorf("worker %d is still running", pid)
		}
	}
	if _, err := e.Pages(ctx(t), src); !errors.Is(err, pdfium.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestTogetherWithAnEndlessFile checks that a file that never finishes affects only its own
// request, up to its deadline.
func TestTogetherWithAnEndlessFile(t *testing.T) {
	t.Parallel()
	const limit = 4 * time.Second
	e := open(t, func(o *pdfium.Options) { o.Timeout = limit })
	src := write(t, lines("Others continue"))
	if err := e.Warm(ctx(t)); err != nil {
		t.Fatal(err)
	}
	slow := write(t, runaway())
	done := make(chan error, 1)
	start := time.Now()
	go func() {
		_, err := e.Render(ctx(t), slow, 0, 600)
		done <- err
	}()
	served := 0
	for {
		select {
		case err := <-done:
			took := time.Since(start)
			if !errors.Is(err, pdfium.ErrTimeout) || took < limit || took > limit+time.Minute {
				t.Errorf("%v after %v", err, took)
			}
			if served == 0 {
				t.Errorf("%d other requests were served", served)
			}
			if _, err := e.Text(ctx(t), src); err != nil {
				t.Error(err)
			}
			return
		default:
			if text, err := e.PlainText(ctx(t), src, 100); err != nil || text != "Others continue" {
				t.Fatalf("%q, %v", text, err)
			}
			served++
		}
	}
}

func TestTogetherCloseWhileBusy(t *testing.T) {
	t.Parallel()
	e := open(t, func(o *pdfium.Options) { o.Workers = 1 })
	slow := write(t, runaway())
	if err := e.Warm(ctx(t)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			_, err := e.Render(ctx(t), slow, 0, 600)
			done <- err
		}()
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for range cap(done) {
		if err := patience.Receive(t, "the end of a request", done); !errors.Is(err, pdfium.ErrClosed) {
			t.Error(err)
		}
	}
	if n := len(e.PIDs()); n != 0 {
		t.Errorf("%d workers after Close", n)
	}
}

// TestNothingOfADocumentRemains looks into the memory of PDFium, which one file after
// the other is given to.
func TestNothingOfADocumentRemains(t *testing.T) {
	t.Parallel()
	const secret = "Nobody else may read this"
	before, after, err := pdfium.Remains(cacheDir, write(t, lines(secret)), []byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(after, true) || !slices.Contains(before, true) {
		t.Errorf("in memory before %v, something left after %v", before, after)
	}
}

// TestTogetherCallers checks that many callers of a few workers each get their
// own answer.
func TestTogetherCallers(t *testing.T) {
	t.Parallel()
	e := open(t, func(o *pdfium.Options) { o.RecycleJobs = 7 })
	var wg sync.WaitGroup
	for i := range 40 {
		text := strings.Repeat("x", i+1)
		src := write(t, lines(text))
		wg.Go(func() {
			for range 3 {
				if got, err := e.PlainText(ctx(t), src, 100); err != nil || got != text {
					t.Errorf("%q, %v, want %q", got, err, text)
				}
			}
		})
	}
	wg.Wait()
	if n := len(e.PIDs()); n > 3 {
		t.Errorf("%d workers", n)
	}
}

func TestRecycle(t *testing.T) {
	t.Parallel()
	src := write(t, lines("a"))
	for _, c := range []struct {
		name   string
		change func(*pdfium.Options)
		stays  bool
	}{
		{"after requests", func(o *pdfium.Options) { o.RecycleJobs = 3 }, false},
		{"after much memory", func(o *pdfium.Options) { o.RecycleMB = 10 }, false},
		{"when unused", func(o *pdfium.Options) { o.IdleTimeout = time.Nanosecond }, false},
		{"not yet", func(o *pdfium.Options) { o.RecycleJobs = 4 }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := open(t, func(o *pdfium.Options) { o.Workers = 1; c.change(o) })
			for range 3 {
				if _, err := e.Render(ctx(t), src, 0, 1600); err != nil {
					t.Fatal(err)
				}
			}
			if c.stays {
				if n := len(e.PIDs()); n != 1 {
					t.Errorf("%d workers", n)
				}
				return
			}
			await(t, "the worker is gone", func() bool { return len(e.PIDs()) == 0 })
		})
	}
}

// TestMemoryLimit checks that requests above the memory limit are refused and
// others continue.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	e := open(t, func(o *pdfium.Options) { o.MemoryMB = 48 })
	src := write(t, lines("a"))
	if _, err := e.Render(ctx(t), src, 0, 5000); !errors.Is(err, pdfium.ErrTooLarge) {
		t.Errorf("130 MB of pixels in 48: %v", err)
	}
	if _, err := e.Render(ctx(t), write(t, formBomb()), 0, 600); !errors.Is(err, pdfium.ErrTooLarge) {
		t.Errorf("forms nested without end: %v", err)
	}
	side := "60000"
	image := stream("/Type/XObject/Subtype/Image/Width "+side+"/Height "+side+"/ColorSpace/DeviceRGB/BitsPerComponent 8", strings.Repeat("\x80", 10_000))
	bomb := write(t, onePage(letter, "612 0 0 792 0 0 cm /X6 Do", image))
	_, err := e.Render(ctx(t), bomb, 0, 600)
	if err != nil && !errors.Is(err, pdfium.ErrTooLarge) && !errors.Is(err, pdfium.ErrCrashed) {
		t.Errorf("image of 10 GB: %v", err)
	}
	if _, err := e.Render(ctx(t), src, 0, 1000); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestBadWorkers checks that an invalid worker command causes a clear and timely error.
func TestBadWorkers(t *testing.T) {
	t.Parallel()
	src := write(t, lines("a"))
	for _, c := range []struct {
		name    string
		command []string
		limit   time.Duration
		want    error
	}{
		{"fails", []string{"/bin/false"}, time.Minute, pdfium.ErrNotStarted},
		{"talks", []string{"/bin/echo", "hello world"}, time.Minute, pdfium.ErrNotStarted},
		{"is silent", []string{"/bin/sleep", "100"}, time.Second, context.DeadlineExceeded},
		{"has no end", []string{"/bin/cat", "/dev/zero"}, time.Minute, pdfium.ErrNotStarted},
		{"is absent", []string{"/nonexistent"}, time.Minute, os.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			short, cancel := context.WithTimeout(ctx(t), c.limit)
			defer cancel()
			e, err := pdfium.Open(pdfium.Options{Command: c.command})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			_, err = e.Pages(short, src)
			if !errors.Is(err, c.want) || !errors.Is(err, pdfium.ErrNotStarted) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if errors.Is(err, pdfium.ErrCrashed) || errors.Is(err, pdfium.ErrTimeout) {
				t.Errorf("the file is blamed: %v", err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := write(t, []byte("x")).Paths[0]
	for name, o := range map[string]pdfium.Options{
		"no command":      {},
		"cache in a file": {Command: []string{"x"}, CacheDir: filepath.Join(file, "cache")},
		"too much memory": {Command: []string{"x"}, MemoryMB: 5000},
	} {
		if e, err := pdfium.Open(o); err == nil {
			e.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

// TestServeRefuses checks that a worker ends with an error on invalid input.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing":        "",
		"cut short":      "s\x00\x00",
		"wrong frame":    "r\x00\x00\x00\x02{}",
		"not JSON":       "s\x00\x00\x00\x02xx",
		"endless length": "s\xff\xff\xff\xff",
	} {
		var out bytes.Buffer
		if err := pdfium.Serve(strings.NewReader(in), &out, pdfium.ServeOptions{KeepLimits: true}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
