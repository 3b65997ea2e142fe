package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestFieldListWithoutScript adds, changes and removes fields with plain forms.
func TestFieldListWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 2, maria())
	d.put(t, place("text", "City", 1, .3, "font_size", 12, "pattern", "[A-Z].*"), place("checkbox", "Pets", 2, .5))
	w := colleague(t, c)
	w.Visit(d.URL + "/app/documents/" + d.id + "/edit")
	w.See(".drawn")
	w.Click(`.notice a[href$="/edit/list"]`)
	w.Heading("Lease of a flat")
	text := d.fields(t)[0]
	name := func(field, input string) string {
		return fmt.Sprintf(`[name="f.%s.%s"]`, field, input)
	}
	if got := w.Value(name(text.ID, "x")); got != "21" {
		t.Errorf("a tenth of A4 is shown as %q mm", got)
	}
	w.Write(name(text.ID, "x"), "42")
	w.Write(name(text.ID, "y"), "far down")
	w.Click(`button[value="save"]`)
	w.See("#errors")
	w.See(`[aria-invalid="true"]`)
	w.Write(name(text.ID, "y"), "29.7")
	w.Click(fmt.Sprintf(`[name="remove.%s"]`, d.fields(t)[1].ID))
	w.Click(`button[value="add"]`)
	w.See(`#row-new`)
	w.Write(`[name="f.new.page"]`, "3")
	w.Click(`button[value="save"]`)
	w.See(`#i-new-page-e`)
	w.Write(`[name="f.new.page"]`, "2")
	w.Write(`[name="f.new.label"]`, "Sign here")
	w.Click(`button[value="save"]`)
	w.See(".notice.ok")
	all := d.fields(t)
	if len(all) != 2 || !near(all[0].X, .2) || !near(all[0].Y, .1) || all[0].ID != text.ID || all[0].FontSize != 12 || all[0].Pattern != "[A-Z].*" {
		t.Errorf("the fields are %+v", all)
	}
	if all[1].Page != 2 || all[1].Label != "Sign here" || all[1].Type != "signature" || all[1].Invitation != d.people[0] {
		t.Errorf("the field that was added is %+v", all[1])
	}
	// A concurrent change comes first.
	d.put(t, place("signature", "Theirs", 1, .1))
	w.Click(`button[value="save"]`)
	w.See("#errors")
	if got := w.Read("#errors"); !strings.Contains(got, "Owner Person changed this document") {
		t.Errorf("it says %q", got)
	}
	if got := d.fields(t); len(got) != 1 || got[0].Label != "Theirs" {
		t.Errorf("theirs was written over: %+v", got)
	}
}

// TestTwoEditors lets two people change the same document at once.
func TestTwoEditors(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := team(t, c, look{width: 1280, height: 1000})
	for name, x := range map[string]struct{ want, undone string }{
		"theirs": {"Both,Theirs,New", "Both,Mine"},
		"mine":   {"Both,Mine", "Both,Theirs,New"},
		"both":   {"Both,Mine,New", "Both,Theirs,New"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			d := newDraft(t, c, 1, maria())
			d.put(t, place("text", "Both", 1, .1), place("text", "Old", 1, .2))
			w.edit(d)
			have := d.fields(t)
			d.put(t, place("text", "Both", 1, .1, "id", have[0].ID), place("text", "Theirs", 1, .2, "id", have[1].ID), place("text", "New", 1, .3))
			// The same field gets a different name here.
			w.click(`.box[aria-label^="Old"]`)
			w.click(`#tab-properties`)
			w.see("#q-label")
			w.run(chromedp.Focus("#q-label"))
			w.key("a", ctrlKey)
			w.run(chromedp.KeyEvent("Mine"))
			w.see("#keep-mine")
			if got := w.read("#trouble"); !strings.Contains(got, "Owner Person saved this") || !strings.Contains(got, "2 fields") {
				t.Errorf("it says %q", got)
			}
			// Nothing is overwritten before the user has chosen.
			if got := labels(d.fields(t)); got != "Both,Theirs,New" {
				t.Errorf("before the choice there is %s", got)
			}
			shown := func(want string) {
				w.t.Helper()
				w.until(fmt.Sprintf(`[...document.querySelectorAll(".box .what")].map(e => e.textContent.replace(" *", "")).join() === %q`, want))
				w.until(`document.querySelector("#saved").textContent.startsWith("Saved")`)
				if got := labels(d.fields(t)); got != want {
					w.t.Errorf("there is %s, want %s", got, want)
				}
			}
			w.click(chromedp.CSS("#keep-" + name))
			shown(x.want)
			// And nothing is lost by the choice.
			w.click(`[data-do="undo"]`)
			shown(x.undone)
		})
	}
	w.t = t
}

func labels(all []placed) string {
	var out []string
	for _, f := range all {
		out = append(out, f.Label)
	}
	return strings.Join(out, ",")
}

// TestEditorsThatDoNotMeet lets two people change different things: there is no
// conflict to resolve.
func TestEditorsThatDoNotMeet(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("text", "City", 1, .1))
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	// Browser and server know a newly placed field by different names.
	w.click(`[data-type="signature"]`)
	w.hit(w.on(1, .5, .3), 0)
	w.saved()
	c.Patch(t, "/documents/"+d.id, apptest.Map{"subject": "Please sign"}).Want(t, http.StatusOK)
	c.Post(t, "/documents/"+d.id+"/invite", apptest.Map{"invitations": []apptest.Map{{"name": "Ben Buyer", "email": "ben@signer.example"}}}).Want(t, http.StatusCreated)
	w.run(chromedp.Focus(".box"))
	w.key("ArrowDown", shiftKey)
	w.saved()
	if got := d.fields(t); len(got) != 2 || got[0].Y <= .1 {
		t.Errorf("the field was not moved: %+v", got)
	}
	w.until(`document.querySelectorAll("#for option").length === 2`)
}

// TestEditorKeepsWhatIsNotSaved signs the member out during editing.
func TestEditorKeepsWhatIsNotSaved(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	w := signedIn(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	get(w, chromedp.Evaluate[bool](`fetch("/signout", {method: "POST", body: new URLSearchParams({csrf: document.querySelector("#csrf").value})}).then(() => true)`, chromedp.EvalAwaitPromise))
	w.click(`[data-type="signature"]`)
	w.hit(w.on(1, .5, .3), 0)
	w.see("#trouble")
	w.click("#trouble a")
	w.heading("Sign in")
	w.write(`input[name="email"]`, c.Email)
	w.write(`input[name="password"]`, apptest.Password)
	w.run(chromedp.Submit(`form[action="/signin"]`))
	w.click("#left-restore")
	w.see(`.box[aria-label^="Signature"]`)
	w.saved()
	if got := d.fields(t); len(got) != 1 || got[0].Type != "signature" {
		t.Errorf("the fields are %+v", got)
	}
}

// TestEditorRefusals tries saves that the server refuses, and people who may not
// edit.
func TestEditorRefusals(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("text", "City", 1, .1))
	viewer := c.Member(t, account.RoleViewer)
	b := colleague(t, viewer)
	b.Visit("/app/documents/" + d.id + "/edit")
	b.See(".drawn")
	if got := b.Read(".editor .notice"); !strings.Contains(got, "role") {
		t.Errorf("a viewer is told %q", got)
	}
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click(".box")
	w.click("#tab-properties")
	w.see("#q-preset")
	get(w, chromedp.Evaluate[bool](`(e => { e.value = "own"; return e.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector("#q-preset"))`))
	w.write("#q-pattern", "(")
	w.key("Tab", 0)
	w.see("#trouble")
	w.see(".box.wrong")
	if got := w.read("#trouble"); !strings.Contains(got, "regular expression") {
		t.Errorf("it says %q", got)
	}
	// Sent by another member meanwhile: nothing can be changed any more.
	c.Post(t, "/documents/"+d.id+"/send", apptest.Map{}).Want(t, http.StatusOK)
	w.run(chromedp.Focus(".box"))
	w.key("ArrowDown", 0)
	w.until(`document.querySelector("#trouble").textContent.includes("can no longer be changed")`)
}

// TestPreview shows a draft as the signatory will see it.
func TestPreview(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, lease()[1], place("signature", "Signature", 1, .6))
	b := colleague(t, c)
	b.Visit("/app/documents/" + d.id + "/preview/" + d.people[0])
	b.See(".f input")
	if n := b.Count(".f input:enabled, .f button:enabled"); n > 0 {
		t.Errorf("%d parts of the preview can be filled in", n)
	}
	res, _ := fetch(t, d.URL+"/app/documents/"+d.id+"/preview/"+d.people[0])
	if res.StatusCode != http.StatusSeeOther {
		t.Errorf("a stranger is answered %d", res.StatusCode)
	}
	b.Click(`.notice a`)
	b.See("#editor")
}

// TestEditorFindsFields accepts the fields suggested by the text of the pages.
func TestEditorFindsFields(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraftOf(t, c, []string{"Tenant: {{signature1}}", "Place: {{text:1|City}}", "Landlord: {{signature2}}"}, maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"})
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click(`[data-do="find"]`)
	w.until(`document.querySelectorAll("#found li").length === 3`)
	w.click(`#found [data-accept]`)
	w.until(`document.querySelectorAll("#found li").length === 2`)
	w.click(`[data-do="accept-all"]`)
	w.until(`document.querySelectorAll("#found li").length === 0`)
	w.saved()
	all := d.fields(t)
	if labels(all) != ",City," || len(all) != 3 || all[0].Type != "signature" || all[2].Invitation != d.people[1] || all[2].Page != 3 {
		t.Errorf("the fields are %+v", all)
	}
	// Removing a signatory's only field is a problem, reported at once.
	w.until(`document.querySelector("#problems-n").textContent === "No problems"`)
	w.run(chromedp.Focus(`.box[aria-label^="Signature, Maria"]`))
	w.key("Delete", 0)
	w.until(`document.querySelector("#problems-n").textContent === "1 problem"`)
}

// TestEditorFocusIsSeen goes through the editor with the Tab key.
func TestEditorFocusIsSeen(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 3, maria())
	d.put(t, place("signature", "Signature", 1, .1), place("text", "City", 1, .9), place("text", "Rent", 3, .5))
	w := team(t, c, look{})
	for _, width := range []int64{320, 1280} {
		w.run(chromedp.EmulateViewport(width, 700))
		w.edit(d)
		w.tabThrough(70)
	}
}

// TestEditorInEveryLook checks the pages of the editor.
func TestEditorInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 2, maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"})
	d.put(t, append(lease(), place("select", "Floor", 2, .1, "options", []string{"1", "2"}))...)
	done := newDraft(t, c, 1, maria())
	done.put(t, place("signature", "Signature", 1, .6))
	c.Post(t, "/documents/"+done.id+"/send", apptest.Map{}).Want(t, http.StatusOK)
	edit := func(w *window) { w.enter(c); w.edit(d) }
	inEveryLook(t, map[string]func(w *window){
		"fields":     func(w *window) { edit(w); w.pane("fields") },
		"properties": func(w *window) { edit(w); w.run(chromedp.Focus(".box")); w.key(" ", 0); w.pane("properties") },
		"people":     func(w *window) { edit(w); w.pane("people") },
		"pages":      func(w *window) { edit(w); w.pane("pages") },
		"overview":   func(w *window) { edit(w); w.pane("overview") },
		"dialog": func(w *window) {
			edit(w)
			w.pane("people")
			w.click(`[data-do="add-person"]`)
			w.see("#person[open]")
		},
		"list": func(w *window) {
			w.enter(c)
			w.visit(d.URL + "/app/documents/" + d.id + "/edit/list")
			w.see(".fieldlist")
		},
		"read only": func(w *window) { w.enter(c); w.visit(d.URL + "/app/documents/" + done.id + "/edit"); w.see(".drawn") },
		"preview": func(w *window) {
			w.enter(c)
			w.visit(d.URL + "/app/documents/" + d.id + "/preview/" + d.people[0])
			w.see(".sheet")
		},
	})
}

// pane shows a part of the editor, on a screen of any width.
func (w *window) pane(name string) {
	w.t.Helper()
	get(w, chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector('[data-go=%q]').click(), true`, name)))
	w.until(fmt.Sprintf(`document.querySelector("#editor").dataset.pane === %q && !document.querySelector("#pane-%s")?.inert`, name, name))
}
