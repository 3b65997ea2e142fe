package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// noteShifts counts how far the layout of a page moves without the reader having done anything.
const noteShifts = `window.shifted = 0; window.shifts = []; new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput) { window.shifted += e.value; window.shifts.push(e.value.toFixed(4) + " " + e.sources.map(s => (s.node?.id || s.node?.className || s.node?.nodeName) + " " + [s.previousRect, s.currentRect].map(r => [r.x, r.y, r.width, r.height].map(Math.round)).join(" to "))); } }).observe({type: "layout-shift", buffered: true})`

// steady opens a page and fails if its layout moves while it loads.
func (w *window) steady(visit func()) {
	w.t.Helper()
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: noteShifts})
	visit()
	if moved := get(w, chromedp.Evaluate[float64](`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(window.shifted), 300))))`, chromedp.EvalAwaitPromise)); moved > .02 {
		w.t.Errorf("the layout moves by %.3f: %s", moved, get(w, chromedp.Evaluate[string](`window.shifts.join("; ")`)))
	}
}

// height returns the height of an element in pixels.
func (w *window) height(what string) float64 {
	w.t.Helper()
	return get(w, chromedp.Evaluate[float64](fmt.Sprintf(`document.querySelector(%q)?.getBoundingClientRect().height ?? 0`, what)))
}

// TestEditorKeepsItsLayout edits at several widths: the layout never moves, the toolbar is one
// line, and only the panes scroll.
func TestEditorKeepsItsLayout(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 3, maria())
	d.put(t, place("text", "City", 1, .4))
	for _, width := range []int64{1280, 1024, 390, 320} {
		w := team(t, c, look{width: width, height: 720})
		w.steady(func() { w.edit(d) })
		if wide := get(w, chromedp.Evaluate[float64](`Math.max(document.documentElement.scrollWidth - innerWidth, document.querySelector("#pages").scrollWidth - document.querySelector("#pages").clientWidth)`)); wide > 0 {
			t.Errorf("at %d it scrolls %g to the side", width, wide)
		}
		at := `[document.querySelector(".paper").getBoundingClientRect().top, document.querySelector("#zoom").textContent].join(" ")`
		before, high := get(w, chromedp.Evaluate[string](at)), w.height("#tools")
		w.run(chromedp.Focus(".box"))
		w.key("ArrowRight", 0)
		w.saved()
		if after := get(w, chromedp.Evaluate[string](at)); after != before || w.height("#tools") != high || high > 60 {
			t.Errorf("at %d the first edit moves the page and its zoom from %s to %s, and the toolbar is %g high, then %g", width, before, after, high, w.height("#tools"))
		}
		if width > 900 {
			w.pane("properties")
			w.see("#q-label")
			if after := get(w, chromedp.Evaluate[string](at)); after != before {
				t.Errorf("at %d the properties move the page and its zoom from %s to %s", width, before, after)
			}
			if more := get(w, chromedp.Evaluate[float64](`document.documentElement.scrollHeight - innerHeight`)); more > 0 {
				t.Errorf("at %d the properties make the window %g longer", width, more)
			}
		}
		if chrome := w.height("#tools") + w.height(".top") + w.height(".bottom") + w.height("#selection"); width == 320 && chrome > 720./3 {
			t.Errorf("the controls take %g of 720 pixels", chrome)
		}
		w.close()
	}
}

// TestEditorOfALongFile opens a file of wide and narrow pages, most of which are not drawn yet.
func TestEditorOfALongFile(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 60, maria())
	for _, width := range []int64{1280, 390} {
		w := team(t, c, look{width: width, height: 720})
		w.steady(func() { w.edit(d) })
		if wide := get(w, chromedp.Evaluate[float64](`document.querySelector("#pages").scrollWidth - document.querySelector("#pages").clientWidth`)); wide > 0 {
			t.Errorf("at %d the pages scroll %g to the side", width, wide)
		}
		w.close()
	}
}

// TestEditorShowsWhereAFieldWillBe moves an armed field over the page: its ghost has the colour
// of its recipient, sits on the line of the text, and is where the click places it.
func TestEditorShowsWhereAFieldWillBe(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraftOf(t, c, []string{"Name: ____________________"}, maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"})
	var lines struct {
		Pages []struct {
			File string
			Page int
			X, Y []float64
		}
	}
	status, answer := browse(t, c).get("/app/documents/" + d.id + "/edit/lines")
	if status != http.StatusOK {
		t.Fatal(answer)
	}
	if err := json.Unmarshal([]byte(answer), &lines); err != nil {
		t.Fatal(err)
	}
	if len(lines.Pages) != 1 || lines.Pages[0].File != d.file || len(lines.Pages[0].X) < 3 || len(lines.Pages[0].Y) != 1 {
		t.Fatalf("the lines are %s", answer)
	}
	below := lines.Pages[0].Y[len(lines.Pages[0].Y)-1]
	if status, _ := browse(t, s.Company(t)).get("/app/documents/" + d.id + "/edit/lines"); status != http.StatusNotFound {
		t.Errorf("another company reads the lines: %d", status)
	}

	w := team(t, c, look{width: 1280, height: 900})
	w.edit(d)
	w.run(chromedp.SetValue("#for", d.people[1]))
	get(w, chromedp.Evaluate[bool](`document.querySelector("#for").dispatchEvent(new Event("change"))`))
	w.click(`[data-type="text"]`)
	if got := w.read("#placing"); !strings.Contains(got, "Ben Buyer") {
		t.Errorf("while placing it says %q", got)
	}
	// The middle of a field of 20 points that stands on the line, and two pixels lower.
	at := w.on(1, .5, below-10./842)
	at.Y += 2
	w.mouse(input.DispatchMouseEventTypeMouseMoved, at, 0)
	w.see(".ghost.r2")
	stands := fmt.Sprintf(`(() => { const g = document.querySelector(".ghost").getBoundingClientRect(), p = document.querySelector(".paper").getBoundingClientRect(); return Math.abs((g.bottom - p.top) / p.height - %g) < .002; })()`, below)
	w.until(fmt.Sprintf(`document.querySelector(".paper").dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: %g, clientY: %g, pointerType: "mouse"})) && %s`, at.X, at.Y, stands))
	w.see(".guide.across")
	w.hit(at, 0)
	w.saved()
	f := d.fields(t)[0]
	if f.Invitation != d.people[1] || f.Y+f.Height < below-.002 || f.Y+f.Height > below+.002 {
		t.Errorf("the field is %+v, the line at %g", f, below)
	}
	if get(w, chromedp.Evaluate[int](`document.querySelectorAll(".ghost,.guide").length`)) != 0 {
		t.Error("the ghost stays")
	}
	w.click(`[data-type="text"]`)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, at, 0)
	w.see(".ghost")
	w.key("Escape", 0)
	w.gone(".ghost")
	if get(w, chromedp.Evaluate[bool](`document.querySelector("#placing").hidden`)) == false {
		t.Error("the note about placing stays")
	}
}

// TestEditorShowsProblems shows the number of problems in the toolbar, and each of them on
// request, by keyboard too.
func TestEditorShowsProblems(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("text", "City", 1, .4), place("text", "Town", 1, .4))
	for _, width := range []int64{1280, 320} {
		w := team(t, c, look{width: width, height: 720})
		w.edit(d)
		w.see("#problems.some")
		w.run(chromedp.Focus("#problems summary"))
		w.key("Enter", 0)
		w.see("#problems-list button")
		w.run(chromedp.Focus("#problems-list button"))
		w.key("Enter", 0)
		w.until(`document.activeElement.closest(".box") && !document.querySelector("#problems").open`)
		w.close()
	}
}

// TestPanelsOnAPhoneKeepThePage opens a panel from a page in the middle of a file and returns.
func TestPanelsOnAPhoneKeepThePage(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	d := newDraft(t, c, 5, maria())
	w := team(t, c, look{width: 390, height: 780})
	w.edit(d)
	w.js(`scrollTo(0, 1100)`)
	w.js(`document.querySelector("[data-go=fields]").click()`)
	w.until(`scrollY === 0`)
	w.js(`document.querySelector("[data-go=properties]").click()`)
	w.js(`document.querySelector("[data-go=pages]").click()`)
	w.until(`scrollY === 1100`)
}
