package pdfium_test

import (
	"path/filepath"
	"testing"

	"paraph/app/pdf/pdfium"
)

// warm returns an engine with a running worker.
func warm(b *testing.B) *pdfium.Engine {
	b.Helper()
	e := open(b, nil)
	if err := e.Warm(b.Context()); err != nil {
		b.Fatal(err)
	}
	return e
}

func BenchmarkRenderLetter(b *testing.B) {
	e, src := warm(b), letterOf(b, 7)
	size := 0
	for b.Loop() {
		data, err := e.Render(b.Context(), src, 0, 1240)
		if err != nil {
			b.Fatal(err)
		}
		size = len(data)
	}
	b.ReportMetric(float64(size), "bytes")
}

// Benchmarks of poppler for comparison, with plain pictures and with PNG.
func BenchmarkPopplerLetterPPM(b *testing.B) { benchmarkPoppler(b) }
func BenchmarkPopplerLetterPNG(b *testing.B) { benchmarkPoppler(b, "-png") }

func benchmarkPoppler(b *testing.B, args ...string) {
	src, out := letterOf(b, 7), filepath.Join(b.TempDir(), "page")
	for b.Loop() {
		tool(b, "pdftoppm", append(args, "-r", "150", "-f", "1", "-l", "1", src.Paths[0], out)...)
	}
}

func BenchmarkText(b *testing.B) {
	e, src := warm(b), letterOf(b, 40)
	pages := 0
	for b.Loop() {
		p, err := e.Text(b.Context(), src)
		if err != nil {
			b.Fatal(err)
		}
		pages = len(p)
	}
	b.ReportMetric(float64(pages), "pages")
}

// BenchmarkPlain reads a short file, the text of which is in a font that isn't embedded.
func BenchmarkPlain(b *testing.B) {
	e, src := warm(b), write(b, lines("a"))
	for b.Loop() {
		if _, err := e.PlainText(b.Context(), src, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPopplerText(b *testing.B) {
	src := letterOf(b, 40)
	for b.Loop() {
		tool(b, "pdftotext", "-bbox", src.Paths[0], "-")
	}
}

func BenchmarkPages(b *testing.B) {
	e, src := warm(b), write(b, lines("a"))
	for b.Loop() {
		if _, err := e.Pages(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart measures a new process with compiled code in the cache.
func BenchmarkStart(b *testing.B) {
	warm(b)
	for b.Loop() {
		e := open(b, nil)
		if err := e.Warm(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompile measures a new process without a cache.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		e := open(b, func(o *pdfium.Options) { o.CacheDir = "" })
		if err := e.Warm(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRenderParallel(b *testing.B) {
	e, src := warm(b), letterOf(b, 7)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := e.Render(b.Context(), src, 0, 1240); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
