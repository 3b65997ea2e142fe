package web_test

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// The connection and processor of a user far away with a cheap phone.
const (
	slower    = 4         // times
	roundTrip = 150       // milliseconds
	perSecond = 1.6e6 / 8 // bytes
	tries     = 5         // the median counts
)

// paint measures how a reader perceives the loading of a page, in milliseconds.
type paint struct {
	First   float64 `json:"first"`   // first content shown (FCP)
	Largest float64 `json:"largest"` // largest element shown (LCP)
	Long    float64 `json:"long"`    // total time the page did not respond: the part of tasks beyond 50 ms
	Shift   float64 `json:"shift"`   // layout shift (CLS)
	Nodes   float64 `json:"nodes"`
}

const observe = `window.seen = {first: 0, largest: 0, long: 0, shift: 0, nodes: 0};
for (const [type, take] of Object.entries({
	paint: e => { if (e.name === "first-contentful-paint") seen.first = e.startTime; },
	"largest-contentful-paint": e => { seen.largest = e.startTime; },
	longtask: e => { seen.long += e.duration - 50; },
	"layout-shift": e => { if (!e.hadRecentInput) seen.shift += e.value; },
})) new PerformanceObserver(l => l.getEntries().forEach(take)).observe({type, buffered: true});`

// BenchmarkPages measures page loads on a slow processor and connection and prints the goals
// next to them. Results depend on the machine: on a busy one a missed goal means nothing.
func BenchmarkPages(b *testing.B) {
	s := apptest.New(b)
	d := send(b, s, []apptest.Map{maria()}, lease()...)
	s.Advance(b, "10s") // so that the pictures are ready, as they are for all but the fastest readers
	c := listOf(b, 200)
	for _, x := range []struct {
		name, address string
		client        *apptest.Client
		goal          paint
	}{
		{"signing", d.links[0], nil, paint{First: 1200, Largest: 2000, Long: 100, Shift: 0.02}},
		{"200 documents", c.URL + "/app/documents?per_page=200", c, paint{First: 1200, Nodes: 4000}},
	} {
		for range b.N {
			got := measure(b, x.address, x.client)
			b.Logf("%-14s first paint %.0f ms (%.0f), largest %.0f ms (%.0f), long tasks %.0f ms (%.0f), shift %.3f (%.2f), %.0f nodes (%.0f)", x.name,
				got.First, x.goal.First, got.Largest, x.goal.Largest, got.Long, x.goal.Long, got.Shift, x.goal.Shift, got.Nodes, x.goal.Nodes)
		}
	}
}

// slowDown sets up a window with an empty cache, a slow connection and a slow
// processor, and records how its pages load.
func (w *window) slowDown() {
	w.t.Helper()
	call(w, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(w, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: roundTrip, DownloadThroughput: perSecond, UploadThroughput: perSecond}}})
	call(w, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slower})
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: observe})
}

// measure loads a page with an empty cache, several times.
func measure(b *testing.B, address string, c *apptest.Client) paint {
	b.Helper()
	var all []paint
	for range tries {
		w := open(b, look{width: 360, height: 740})
		if c != nil {
			w.signIn(c)
		}
		w.slowDown()
		w.visit(address)
		w.until(`document.readyState === "complete" && seen.first > 0 && performance.now() > seen.largest + 500`)
		all = append(all, get(w, chromedp.Evaluate[paint](`({...seen, nodes: document.querySelectorAll("*").length})`)))
		w.close()
	}
	median := func(of func(paint) float64) float64 {
		var values []float64
		for _, p := range all {
			values = append(values, of(p))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return paint{median(func(p paint) float64 { return p.First }), median(func(p paint) float64 { return p.Largest }),
		median(func(p paint) float64 { return p.Long }), median(func(p paint) float64 { return p.Shift }), median(func(p paint) float64 { return p.Nodes })}
}
