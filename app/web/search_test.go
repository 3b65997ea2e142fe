package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestSearchShowsWhatMatched marks the words of a search where the row shows them, and adds an excerpt
// of the part of the document that has the others.
func TestSearchShowsWhatMatched(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	data := apptest.Map{"title": "Lease <b> of a flat", "external_id": "K-4711", "message": "Please read and sign all of these papers before the garden party.",
		"metadata":    apptest.Map{"cost_centre": "Vienna"},
		"invitations": apptest.List{apptest.Map{"name": "Vladimir Lindqvist-Östergård", "email": "vladimir@signer.example"}}}
	o.member.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "annex_2026.pdf", Content: apptest.PDF(t, "The rent is due on the third working day.")})).Want(t, 201)
	v := browse(t, o.owner)
	for query, want := range map[string]string{
		"leas":           `<mark>Leas</mark>e &lt;b&gt; of a flat</a>`,
		"ostergard":      `Vladimir Lindqvist-<mark>Östergård</mark>`,
		"lease rent":     `<span>Text:</span> <q dir="auto">The <mark>rent</mark> is due on the third working day.</q>`,
		"annex":          `<span>File name:</span> <q dir="auto"><mark>annex</mark>_2026.pdf</q>`,
		"signer.example": `<span>Recipient:</span> <q dir="auto">vladimir@<mark>signer.example</mark></q>`,
		"k-4711":         `<span>Your reference:</span> <q dir="auto"><mark>K-4711</mark></q>`,
		"garden":         `<span>Message:</span> <q dir="auto">… papers before the <mark>garden</mark> party.</q>`,
		"vienna":         `<span>Metadata:</span> <q dir="auto"><mark>Vienna</mark></q>`,
		"member":         `<span>Owner:</span> <q dir="auto"><mark>Member</mark> Person</q>`,
		"lindqvist flat": `of a <mark>flat</mark></a>`,
	} {
		_, html := v.get("/app/documents?search=" + strings.ReplaceAll(strings.ReplaceAll(query, "@", "%40"), " ", "+"))
		v.contains(html, want)
		if inRow := !strings.Contains(want, "<q"); inRow && strings.Contains(html, `class="match"`) {
			t.Errorf("%s: an excerpt repeats what the row shows", query)
		}
	}
}

// TestSearchAsYouType filters the list while the reader types, moves nothing above it, keeps the address,
// and needs no script.
func TestSearchAsYouType(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 25 {
		o.member.Post(t, "/documents", apptest.Map{"title": fmt.Sprintf("Paper %02d", i)}).Want(t, 201)
	}
	w := team(t, o.owner, look{})
	w.visit(o.URL + "/app/documents?per_page=50")
	const rows = `document.querySelectorAll(".documents tbody tr").length`
	w.until(rows + " === 25")
	const top = `document.querySelector(".filters").getBoundingClientRect().top`
	before := get(w, chromedp.Evaluate[float64](top))
	w.run(chromedp.Focus("#search"))
	w.run(chromedp.KeyEvent("paper 07"))
	w.until(rows + ` === 1 && location.search.includes("search=paper+07") && location.search.includes("per_page=50")`)
	w.until(`document.querySelector("#status").textContent.includes("1–1 of 1") && document.activeElement.id === "search"`)
	if after := get(w, chromedp.Evaluate[float64](top)); after != before {
		t.Errorf("the list moved from %v to %v", before, after)
	}
	if got := w.read(".documents mark"); got != "Paper" {
		t.Errorf("marked: %q", got)
	}
	w.press("ArrowDown")
	w.until(`document.activeElement.matches(".documents th a")`)
	w.run(chromedp.Focus("#search"))
	w.run(chromedp.KeyEvent(" nothing"))
	w.until(`document.querySelector("#results .empty h2")?.textContent === "No matching documents"`)
	w.until(`document.querySelector("#status").textContent === "No matching documents" && document.activeElement.id === "search"`)
	w.run(chromedp.Evaluate[chromedp.Void](`(i => { i.value = ""; i.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#search"))`))
	w.until(rows + ` === 25 && !location.search.includes("search")`)
	// The bar of bulk actions works on the rows that replaced the first ones.
	w.click(`.documents input[name="id"]`)
	w.until(`document.querySelector("[data-count]").textContent === "1 selected"`)
	w.click(`#bulk button[type="reset"]`)
	w.until(`!document.querySelector("#bulk").offsetWidth`)

	b := colleague(t, o.owner)
	b.Visit(o.URL + "/app/documents")
	b.Write("#search", "paper 03")
	b.Click(".find button")
	if n := b.Count(".documents tbody tr"); n != 1 {
		t.Errorf("without a script there are %d rows", n)
	}
}

// TestUndoFromTheList archives a document from its row and several with the bulk bar, and undoes both,
// with and without scripts.
func TestUndoFromTheList(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ids := []string{o.in(t, "draft"), o.in(t, "draft")}
	archived := func(want bool) {
		t.Helper()
		for _, id := range ids {
			if got := o.member.Get(t, "/documents/"+id).Want(t, 200).At(t, "archived_at") != nil; got != want {
				t.Errorf("archived: %v, want %v", got, want)
			}
		}
	}
	for _, scripts := range []bool{false, true} {
		w := either(t, o.member, scripts)
		w.Visit(o.URL + "/app/documents")
		for _, id := range ids {
			w.Click(`input[name="id"][value="` + id + `"]`)
		}
		w.Click(`#bulk button[value="archive"]`)
		w.Says("2 documents archived.")
		archived(true)
		w.Click(".toast form button")
		w.Says("2 documents restored.")
		archived(false)
		if scripts {
			w.Click("[data-dismiss]")
			w.Gone(".toast")
		}
	}
}

// TestShortcuts opens the list of shortcuts with ?, follows some, and turns them off.
func TestShortcuts(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first := o.in(t, "draft")
	w := team(t, o.member, look{})
	w.visit(o.URL + "/app/documents")
	w.until(`document.documentElement.dataset.keys === "on"`)
	w.press("j")
	w.until(`document.activeElement.closest("tr")?.id === "row-` + first + `"`)
	w.press("x")
	w.until(`document.querySelector("[data-count]").textContent === "1 selected"`)
	w.press("/")
	w.until(`document.activeElement.id === "search"`)
	w.run(chromedp.KeyEvent("?"))
	w.until(`document.querySelector("#search").value === "?"`)
	w.run(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	w.press("?")
	w.see("dialog kbd")
	w.click("dialog [data-close]")
	w.until(`!document.querySelector("dialog")`)
	w.press("g")
	w.press("c")
	w.heading("Contacts")
	w.visit(o.URL + "/app/keys?next=/app/documents")
	w.click(`main .ask button`)
	w.reads("Keyboard shortcuts are off.")
	w.press("?")
	if get(w, chromedp.Evaluate[bool](`!!document.querySelector("dialog") || !!document.querySelector("a[data-keys=on]")`)) {
		t.Error("shortcuts work although they were turned off")
	}
	w.visit(o.URL + "/app/keys")
	w.click(`main .ask button.primary`)
	w.reads("Keyboard shortcuts are on.")
}
