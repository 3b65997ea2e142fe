package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// axe is axe-core, which `make tools` fetches.
var axe = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile("testdata/node_modules/axe-core/axe.min.js")
	return string(b), err
})

// violation is a finding of axe-core.
type violation struct {
	ID, Help string
	Nodes    []struct {
		HTML    string
		Summary string `json:"failureSummary"`
	}
}

func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.ID, v.Help)
	for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
		fmt.Fprintf(&b, "\n\t%.300s\n\t%s", n.HTML, strings.ReplaceAll(n.Summary, "\n", "\n\t"))
	}
	return b.String()
}

// The rules of axe-core: all of them, those whose finding depends on size or colour, and
// those about colour alone.
const (
	allRules    = `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
	rulesOfLook = `{type: "rule", values: ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]}`
)

// runAxe returns the script that lists violations. It builds selectors only for violating
// elements, because building all of them takes longer than some rules.
func runAxe(rules string) string {
	return `axe.run(document, {resultTypes: ["violations"], preload: false, selectors: false, runOnly: ` + rules + `}).then(r => JSON.stringify(r.violations))`
}

// unfit lists what axe-core doesn't detect: horizontal scrolling, and targets
// smaller than WCAG 2.2 requires (2.5.8). Boxes of the editor are exempt: their
// size on paper is essential.
const unfit = `(() => { const found = [];
	if (document.documentElement.scrollWidth > innerWidth) {
		const wide = [...document.querySelectorAll("body *")].filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.right > innerWidth + 1 || b.left < -1) && !e.closest(".scroller,.scroll,.tabs,.vh,.skip"); });
		found.push("needs scrolling to the side: " + document.documentElement.scrollWidth + " px; " + wide.slice(0, 4).map(e => e.outerHTML.slice(0, 120)).join(" | "));
	}
	for (const e of document.querySelectorAll("body *:not(input,textarea,select,svg *,.vh,.vh *,img)")) {
		const s = getComputedStyle(e);
		if (s.overflowX !== "visible" && s.overflowX !== "auto" && s.overflowX !== "scroll" && s.textOverflow !== "ellipsis" && !s.clipPath.startsWith("inset") && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1 && e.checkVisibility({visibilityProperty: true}) && e.innerText?.trim()) found.push("is cut off, " + e.scrollWidth + " in " + e.clientWidth + " px: " + e.outerHTML.slice(0, 160));
	}
	for (const e of document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary")) {
		if (!e.checkVisibility({visibilityProperty: true}) || e.closest(".vh,.skip,dialog:not([open])") || e.matches(".skip,.vh,.box")) continue;
		const b = e.getBoundingClientRect(), label = e.labels?.[0]?.getBoundingClientRect();
		const inline = e.tagName === "A" && getComputedStyle(e).display === "inline";
		if (!inline && Math.max(b.width, label?.width || 0) < 23.9 || !inline && Math.max(b.height, label?.height || 0) < 23.9) found.push("too small (" + b.width.toFixed() + " x " + b.height.toFixed() + "): " + e.outerHTML.slice(0, 160));
		if (["INPUT", "SELECT", "TEXTAREA"].includes(e.tagName) && e.labels && !["submit", "button", "image"].includes(e.type) && !e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby")
			&& ![...e.labels].some(l => l.checkVisibility() && l.innerText.trim())) found.push("has no label: " + e.outerHTML.slice(0, 160));
	}
	return found; })()`

// untidy lists what works but looks unfinished: several primary buttons, more plain buttons in a row than a
// menu should hold, labels that wrap, words broken in the middle, and menus that leave the window.
const untidy = `(() => {
	const found = [], main = document.querySelector("main") || document.body, english = document.documentElement.lang === "en";
	const seen = e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width > 2
		&& !e.closest("dialog,.menu-list,.toast,.vh,[inert],.gallery");
	const textsIn = function*(e) {
		const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) if (walk.currentNode.data.trim() && seen(walk.currentNode.parentElement)) yield walk.currentNode;
	};
	const lines = (node, from, to) => {
		const range = document.createRange();
		range.setStart(node, from); range.setEnd(node, to);
		return new Set([...range.getClientRects()].filter(r => r.width).map(r => Math.round(r.top))).size;
	};
	const names = list => list.map(e => e.innerText.trim()).join(" | ");

	// A button that steps back has the colour of the page's header.
	const paper = getComputedStyle(document.querySelector(".top") || main).backgroundColor;
	const buttons = [...main.querySelectorAll(".btn")].filter(seen);
	const primary = buttons.filter(e => e.matches(".primary") && getComputedStyle(e).backgroundColor !== paper);
	if (primary.length > 1) found.push("has " + primary.length + " primary buttons: " + names(primary));
	const plain = buttons.filter(e => !e.matches(".primary,.quiet"));
	for (const [row, all] of Map.groupBy(plain, e => e.closest(".row,.head,.acts,.rowcard,.bar-end,li,td"))) {
		if (row && all.length > 3) found.push("has " + all.length + " plain buttons in a row: " + names(all));
	}

	// The pseudo-locale is 40 % longer than English: on phones its labels may wrap.
	const labels = innerWidth > 400 || english ? [...buttons, ...main.querySelectorAll(".chip,.tabs a,thead th,.filters a")] : [];
	for (const e of labels.filter(seen)) for (const n of textsIn(e)) {
		if (n.data.trim().length < 25 && lines(n, 0, n.length) > 1) found.push("has a label that wraps: " + n.data.trim());
	}
	for (const n of english ? textsIn(main) : []) {
		if (/\S{31}/.test(n.data) || n.parentElement.closest("pre,code,.mono,textarea,select,svg,.paper,.page")) continue;
		for (const m of n.data.matchAll(/[\p{L}\p{N}.@_\/-]+/gu)) {
			if (m[0].length < 25 && !/[\/-]/.test(m[0]) && lines(n, m.index, m.index + m[0].length) > 1) found.push("breaks a word: " + m[0]);
		}
	}

	for (const d of [...main.querySelectorAll("details.menu:not([open])")].filter(seen)) {
		d.open = true;
		const b = d.querySelector(".menu-list")?.getBoundingClientRect();
		if (b && (b.left < -1 || b.right > innerWidth + 1)) found.push("opens a menu outside the window: " + d.outerHTML.slice(0, 120));
		d.open = false;
	}
	return [...new Set(found)]; })()`

// inEveryLook checks pages in light and dark, wide and narrow, left-to-right and right-to-left.
// Each function opens a page in the shared window, since opening another window costs as much as
// checking a page.
func inEveryLook(t *testing.T, pages map[string]func(w *window)) {
	t.Helper()
	w := open(t, look{})
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		t.Run(name, func(t *testing.T) {
			w.t = t
			for _, language := range []string{"en", "ar-XB"} {
				w.anew(language)
				pages[name](w)
				w.inEverySize(name, language)
			}
		})
	}
	w.t = t
	w.close()
}

// anew resets the window to that of a first-time visitor.
func (w *window) anew(language string) {
	w.t.Helper()
	call(w, network.ClearBrowserCookies, cdp.Empty{})
	call(w, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": language}})
	w.run(chromedp.EmulateViewport(1200, 900))
}

// inEverySize checks the visible page: wide and light in English, narrow and dark in the other
// language, whose texts are longer. `make looks` judges every combination and takes pictures.
func (w *window) inEverySize(name, language string) {
	w.t.Helper()
	dir := os.Getenv("PARAPH_LOOKS")
	for i, width := range []int64{1280, 320} {
		if narrow := i == 1; dir == "" && narrow != (language != "en") {
			continue
		}
		scheme, rules := "light", allRules
		if language != "en" {
			scheme, rules = "dark", rulesOfLook // names, roles and structure are the same
		}
		w.run(chromedp.EmulateViewport(width, 4000)) // so that a sticky bar covers nothing
		w.in(scheme)
		w.judge(rules, fmt.Sprintf("%s, %s, %d px, %s", name, scheme, width, language))
	}
	if dir == "" {
		return
	}
	for _, width := range []int64{1280, 1024, 390, 320} {
		for _, scheme := range []string{"light", "dark"} {
			w.run(chromedp.EmulateViewport(width, 900))
			w.in(scheme)
			w.until(atRest)
			// The whole page, unless it is a long list.
			height := get(w, chromedp.Evaluate[int64](`document.documentElement.scrollHeight`))
			w.run(chromedp.EmulateViewport(width, min(max(height, 900), 2400)))
			w.shoot(dir, strings.ReplaceAll(fmt.Sprintf("%s-%s-%d-%s", w.t.Name(), language, width, scheme), "/", "-"))
		}
	}
}

// in shows the page in a colour scheme, without motion.
func (w *window) in(scheme string) {
	w.t.Helper()
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// judge checks the visible page by the rules of accessibility.
func (w *window) judge(rules, what string) {
	w.t.Helper()
	source, err := axe()
	if err != nil {
		w.t.Fatalf("axe-core is needed, which make tools fetches: %v", err)
	}
	if !get(w, chromedp.Evaluate[bool](`"axe" in window`)) {
		get(w, chromedp.Evaluate[bool](source+";true"))
	}
	w.until(atRest)
	var found []violation
	if err := json.Unmarshal([]byte(get(w, chromedp.Evaluate[string](runAxe(rules), chromedp.EvalAwaitPromise))), &found); err != nil {
		w.t.Fatal(err)
	}
	for _, v := range found {
		w.t.Errorf("%s: %s", what, v)
	}
	if len(found) > 0 {
		w.t.Logf("%s: judged as it was: %s", what, get(w, chromedp.Evaluate[string](layout)))
	}
	for _, v := range get(w, chromedp.Evaluate[[]string](unfit)) {
		w.t.Errorf("%s: %s", what, v)
	}
	for _, v := range get(w, chromedp.Evaluate[[]string](untidy)) {
		w.t.Errorf("%s: %s", what, v)
	}
	if over := get(w, chromedp.Evaluate[string](weighed)); over != "" {
		w.t.Errorf("%s: %s", what, over)
	}
}

// atRest reports whether everything that affects the look of the page has loaded: style sheets,
// fonts, pictures, transitions. Lazy pictures may never load.
const atRest = `document.readyState === "complete" && document.fonts.status === "loaded" &&
	[...document.querySelectorAll("link[rel=stylesheet]")].every(l => l.sheet) &&
	[...document.images].every(i => i.complete || i.loading === "lazy") &&
	document.getAnimations().every(a => a.playState !== "running" || a.effect.getComputedTiming().endTime === Infinity)`

// layout describes what findings may depend on.
const layout = `JSON.stringify({state: document.readyState, window: [innerWidth, innerHeight],
	sheets: [...document.styleSheets].map(s => [s.href?.split("/").at(-1), s.cssRules.length]),
	pictures: [...document.images].slice(0, 20).map(i => [i.src.slice(-40), i.complete, i.naturalWidth, Math.round(i.getBoundingClientRect().height)]),
	scripts: performance.getEntriesByType("resource").filter(r => r.initiatorType === "script").map(r => r.name.split("/").at(-1))})`

// weighed reports a page that loads more scripts and styles than allowed, in
// bytes: uncompressed, and where it matters most also as transferred.
const weighed = `(() => {
	const loaded = performance.getEntriesByType("resource").filter(r => /\.(js|css)$/.test(new URL(r.name).pathname));
	const has = name => loaded.some(r => r.name.endsWith("/" + name)), size = loaded.reduce((n, r) => n + r.decodedBodySize, 0);
	const limit = 1024 * (has("pad.js") ? 59 : has("sign.js") ? 43 : loaded.some(r => r.name.includes("editor")) ? 90 : 45);
	const sent = loaded.reduce((n, r) => n + r.encodedBodySize, 0), most = 1024 * (has("pad.js") ? 19 : has("sign.js") ? 14 : Infinity);
	return size > limit || sent > most ? "loads " + size + " bytes of scripts and styles, " + sent + " compressed; the limits are " + limit + " and " + most : "";
})()`
