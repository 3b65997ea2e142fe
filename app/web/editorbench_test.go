package web_test

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// dragFeel is what a person feels who drags a field, in milliseconds.
type dragFeel struct {
	First   float64 `json:"first"`   // the page is there (FCP)
	Loading float64 `json:"loading"` // it did not answer while it came, in all
	Long    float64 `json:"long"`    // it did not answer while the field was dragged
	Frame   float64 `json:"frame"`   // between two pictures, 95 of 100 are faster
	Frames  float64 `json:"frames"`
	Nodes   float64 `json:"nodes"`
}

const watchFrames = `(() => {
	Object.assign(seen, {loading: seen.long, frames: []});
	seen.long = 0;
	let last = performance.now();
	const next = now => { seen.frames.push(now - last); last = now; requestAnimationFrame(next); };
	requestAnimationFrame(next);
	return true; })()`

const framesSeen = `(() => { const all = seen.frames.slice(2).sort((a, b) => a - b);
	return {first: seen.first, loading: seen.loading, long: seen.long, frame: all[Math.floor(all.length * .95)] || 0, frames: all.length,
		nodes: document.querySelectorAll("*").length}; })()`

// BenchmarkEditor drags fields of a document of 200 pages with 1000 fields, next
// to the goals. What is measured depends on the machine, as in BenchmarkPages.
func BenchmarkEditor(b *testing.B) {
	const pages, onEach = 200, 5
	s := apptest.New(b)
	c := s.Company(b)
	d := newDraft(b, c, pages, maria())
	var fields []apptest.Map
	for p := 1; p <= pages; p++ {
		for n := range onEach {
			fields = append(fields, place("text", "City", p, .1+.15*float64(n)))
		}
	}
	d.put(b, fields...)
	for range b.N {
		var all []dragFeel
		for range tries {
			all = append(all, dragged(b, d))
		}
		slices.SortFunc(all, func(x, y dragFeel) int { return int(x.Frame - y.Frame) })
		got := all[len(all)/2]
		b.Logf("editor: first paint %.0f ms (1500), long tasks %.0f ms while loading, %.0f ms (0) while dragging, frame p95 %.1f ms (20) of %.0f, %.0f nodes",
			got.First, got.Loading, got.Long, got.Frame, got.Frames, got.Nodes)
	}
}

// dragged opens the editor and drags a field there and back.
func dragged(b *testing.B, d *drafting) dragFeel {
	b.Helper()
	w := open(b, look{width: 1366, height: 900})
	defer w.close()
	w.signIn(d.Client)
	w.slowDown()
	w.edit(d)
	w.until(`document.readyState === "complete" && seen.first > 0 && performance.now() > seen.first + 3000`)
	from := w.middle(".box", 0, 0)
	to := spot{from.X + 300, from.Y + 200}
	get(w, chromedp.Evaluate[bool](watchFrames))
	w.pull(from, to, 0)
	w.pull(to, spot{from.X + 20, from.Y + 90}, 0)
	return get(w, chromedp.Evaluate[dragFeel](framesSeen))
}
