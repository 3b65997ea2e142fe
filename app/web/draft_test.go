package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
	"paraph/app/words"
)

// textsOf returns the title, subject and message of a document, and who receives it.
func textsOf(t *testing.T, c *apptest.Client, id string) string {
	t.Helper()
	d := c.Get(t, "/documents/"+id).Want(t, http.StatusOK)
	texts := fmt.Sprintf("%v | %v | %v | ", d.At(t, "title"), d.At(t, "subject"), d.At(t, "message"))
	return texts + strings.Join(d.Texts(t, "invitations", "email"), " | ")
}

// idIn returns the document that an address is about.
func idIn(address string) string {
	_, rest, _ := strings.Cut(address, "/app/documents/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// TestEveryButtonStoresTheDraft enters something into every part of the page for a new document, and
// presses one of its buttons, without scripts: nothing entered is lost.
func TestEveryButtonStoresTheDraft(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := colleague(t, c)
	fill := func() {
		w.Write(`[name="title"]`, "Lease")
		w.Write(`[name="invitations.0.name"]`, "Ann")
		w.Write(`[name="invitations.0.email"]`, "ann@x.example")
		w.Write("#i-subject", "Our lease")
		w.Write("#i-message", "Thank you")
	}
	const stored = "Lease | Our lease | Thank you | ann@x.example"
	for _, button := range []string{"add", "save", "upload", "several"} {
		w.Visit(s.URL + "/app/documents/new")
		fill()
		if button == "several" {
			w.Click(".several summary")
		}
		w.Choose("#i-files", plain.File{Name: "a.pdf", Content: apptest.PDF(t)})
		w.Click(`#draft button[value="` + button + `"]:not(.vh)`)
		w.See("#files [data-file]")
		if got := textsOf(t, c, idIn(w.At())); got != stored {
			t.Errorf("%s stores %q", button, got)
		}
	}
	// What is refused is shown again, and the rest is stored.
	w.Write(`[name="title"]`, "Lease of a flat")
	w.Write(`[name="invitations.0.email"]`, "nobody")
	w.Choose("#i-files", plain.File{Name: "b.pdf", Content: apptest.PDF(t)})
	w.Click(`#files li:nth-child(1) .menu summary`)
	w.Click(`#files li:nth-child(1) .menu-list details:nth-of-type(1) summary`)
	w.Write(`#files li:nth-child(1) input[name^="name-"]`, "First.pdf")
	w.Click(`#files li:nth-child(1) .menu-list details:nth-of-type(3) summary`)
	w.Click(`#files li:nth-child(1) button[value="remove"]`)
	w.See("#i-invitations-0-email-error")
	if got := fileNames(w); got != "First.pdf b.pdf" {
		t.Errorf("the files are %s", got)
	}
	if got := w.Value(`[name="invitations.0.email"]`); got != "nobody" {
		t.Errorf("the refused address became %q", got)
	}
	if got := textsOf(t, c, idIn(w.At())); got != "Lease of a flat | Our lease | Thank you | ann@x.example" {
		t.Errorf("stored are %q", got)
	}
	w.Write(`[name="invitations.0.email"]`, "ben@x.example")
	w.Click(`#files li:nth-child(1) .menu summary`)
	w.Click(`#files li:nth-child(1) .menu-list details:nth-of-type(3) summary`)
	w.Click(`#files li:nth-child(1) button[value="remove"]`)
	if n := w.Count("#files [data-file]"); n != 1 {
		t.Errorf("%d files are left", n)
	}
	if got := textsOf(t, c, idIn(w.At())); !strings.HasSuffix(got, "| ben@x.example") {
		t.Errorf("stored are %q", got)
	}
}

// TestLeavingANewDocument types into the page for a new document and leaves it by the navigation
// before it has a file; then it uploads one beside what was typed, and goes on at once.
func TestLeavingANewDocument(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := team(t, c, look{width: 1280, height: 900})
	w.visit(s.URL + "/app/documents/new")
	w.paste(`[name="invitations.0.name"]`, "Ann <ann@x.example>, Ben <b@x.example>")
	w.write("#i-message", "Thank you")
	w.click(`.top a[href$="/app/contacts"]`)
	w.until(`location.pathname.endsWith("/contacts")`)
	id := c.Get(t, "/documents").Want(t, http.StatusOK).Text(t, "data.0.id")
	if got := textsOf(t, c, id); got != "Untitled document | <nil> | Thank you | ann@x.example | b@x.example" {
		t.Errorf("stored are %q", got)
	}
	w.visit(s.URL + "/app/documents/" + id + "/people")
	w.until(`location.pathname.endsWith("/files") && location.hash === "#people"`)
	w.write(`[name="invitations.0.name"]`, "Anna")
	w.choose(onDisk(t, apptest.File{Name: "The_lease.pdf", Content: heavy(2 << 20)})...)
	w.click(`#finish .primary`)
	w.see(".editor.ready")
	if got := textsOf(t, c, id); got != "The lease | <nil> | Thank you | ann@x.example | b@x.example" {
		t.Errorf("stored are %q", got)
	}
	if got := c.Get(t, "/documents/"+id).Text(t, "invitations.0.name"); got != "Anna" {
		t.Errorf("the first is called %q", got)
	}
}

// TestADraftIsOnePage shows files beside recipients where there is room and above them elsewhere, with one
// primary action, and steps and buttons on one line each.
func TestADraftIsOnePage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := team(t, c, look{})
	w.visit(s.URL + "/app/documents/new")
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range catalogue.Tags() {
		c.Patch(t, "/me", apptest.Map{"locale": language}).Want(t, http.StatusOK)
		w.visit(s.URL + "/app/documents/new")
		for _, width := range []int64{1400, 1280, 1130, 1024, 390, 320} {
			w.run(chromedp.EmulateViewport(width, 900))
			w.wants(fmt.Sprintf(`(document.querySelector("#add").getBoundingClientRect().bottom <= document.querySelector("#people").getBoundingClientRect().top) === %t`, width < 1000),
				fmt.Sprintf("%s, %d px: files are not where they should be", language, width))
			w.wants(`document.querySelectorAll("main .btn.primary").length === 1`, "there is more than one primary action")
			w.wants(`document.documentElement.scrollWidth <= innerWidth`, fmt.Sprintf("%s, %d px: the page scrolls to the side", language, width))
			w.wants(`[...document.querySelectorAll(".stepper ol, .stepper li, .shell .btn.primary, .top-in")].every(e => e.getBoundingClientRect().height < 64)`,
				fmt.Sprintf("%s, %d px: the header, its button or the steps break", language, width))
		}
	}
}
