package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// drafting is a document being prepared.
type drafting struct {
	*apptest.Client
	id, file string
	people   []string // invitations
}

// newDraft creates a document with a number of pages and invited people.
func newDraft(t testing.TB, c *apptest.Client, pages int, people ...apptest.Map) *drafting {
	t.Helper()
	texts := make([]string, pages)
	for i := range texts {
		texts[i] = fmt.Sprintf("Page %d of the lease.", i+1)
	}
	return newDraftOf(t, c, texts, people...)
}

// newDraftOf creates a document of pages with these texts.
func newDraftOf(t testing.TB, c *apptest.Client, texts []string, people ...apptest.Map) *drafting {
	t.Helper()
	d := &drafting{Client: c, id: c.Post(t, "/documents", apptest.Map{"title": "Lease of a flat"}).Want(t, http.StatusCreated).Text(t, "id")}
	d.file = c.Post(t, "/documents/"+d.id+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, texts...)})).
		Want(t, http.StatusCreated).Text(t, "data.0.id")
	if len(people) > 0 {
		d.people = c.Post(t, "/documents/"+d.id+"/invite", apptest.Map{"invitations": people}).Want(t, http.StatusCreated).Texts(t, "data", "id")
	}
	return d
}

// put places fields of the first person through the API.
func (d *drafting) put(t testing.TB, fields ...apptest.Map) {
	t.Helper()
	for _, f := range fields {
		f["file_id"], f["invitation_id"] = d.file, d.people[0]
	}
	d.Put(t, "/documents/"+d.id+"/fields", apptest.Map{"fields": fields}).Want(t, http.StatusOK)
}

// placed is a field as returned by the API.
type placed struct {
	ID, Type, Label     string
	Invitation          string `json:"invitation_id"`
	Page                int
	X, Y, Width, Height float64
	Required            bool
	Options             []string
	Pattern             string
	FontSize            float64 `json:"font_size"`
}

func (d *drafting) fields(t testing.TB) []placed {
	t.Helper()
	var all struct{ Data []placed }
	d.Get(t, "/documents/"+d.id+"/fields?per_page=1000").Want(t, http.StatusOK).Decode(t, &all)
	return all.Data
}

// edit opens the editor of a document.
func (w *window) edit(d *drafting) {
	w.t.Helper()
	w.visit(d.URL + "/app/documents/" + d.id + "/edit")
	w.until(`document.querySelector("#status")?.dataset.ready === "yes" && !!document.querySelector(".editor.ready")`)
}

// saved waits until everything is saved.
func (w *window) saved() {
	w.t.Helper()
	w.until(`/^Saved \d/.test(document.querySelector("#saved").textContent)`)
}

// spot is a position in the window.
type spot struct{ X, Y float64 }

// on returns a position on a page, by fractions of it, once it is visible.
func (w *window) on(page int, x, y float64) spot {
	w.t.Helper()
	var s spot
	script := fmt.Sprintf(`(() => { const r = document.querySelectorAll(".paper")[%d].getBoundingClientRect(); return JSON.stringify({X: r.left + %g * r.width, Y: r.top + %g * r.height}); })()`, page-1, x, y)
	if err := json.Unmarshal([]byte(get(w, chromedp.Evaluate[string](script))), &s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// middle returns the middle of the selected element, offset by pixels.
func (w *window) middle(what string, dx, dy float64) spot {
	w.t.Helper()
	w.see(chromedp.CSS(what))
	var s spot
	script := fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return JSON.stringify({X: r.left + r.width / 2 + %g, Y: r.top + r.height / 2 + %g}); })()`, what, dx, dy)
	if err := json.Unmarshal([]byte(get(w, chromedp.Evaluate[string](script))), &s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

const (
	altKey   = 1
	ctrlKey  = 2
	shiftKey = 8
)

func (w *window) mouse(kind input.DispatchMouseEventType, at spot, keys int64) {
	w.t.Helper()
	p := input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y, Modifiers: keys, Button: input.MouseButtonLeft, ClickCount: 1}
	if kind != input.DispatchMouseEventTypeMouseReleased {
		p.Buttons = 1
	}
	call(w, input.DispatchMouseEvent, p)
}

// hit clicks at a position.
func (w *window) hit(at spot, keys int64) {
	w.t.Helper()
	w.mouse(input.DispatchMouseEventTypeMousePressed, at, keys)
	w.mouse(input.DispatchMouseEventTypeMouseReleased, at, keys)
}

// pull drags from one position to another in small steps, like a hand.
func (w *window) pull(from, to spot, keys int64) {
	w.t.Helper()
	w.mouse(input.DispatchMouseEventTypeMousePressed, from, keys)
	for i := 1; i <= 8; i++ {
		part := float64(i) / 8
		w.mouse(input.DispatchMouseEventTypeMouseMoved, spot{from.X + (to.X-from.X)*part, from.Y + (to.Y-from.Y)*part}, keys)
	}
	get(w, chromedp.Evaluate[bool](`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, chromedp.EvalAwaitPromise))
	w.mouse(input.DispatchMouseEventTypeMouseReleased, to, keys)
}

var keyCodes = map[string]int64{"Enter": 13, "Tab": 9, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
	"Delete": 46, "F6": 117, "PageUp": 33, "PageDown": 34}

// key presses a key together with others.
func (w *window) key(key string, keys int64) {
	w.t.Helper()
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: key, Modifiers: keys, WindowsVirtualKeyCode: keyCodes[key]}
	if len(key) == 1 && key != " " {
		p.Code, p.WindowsVirtualKeyCode = "Key"+strings.ToUpper(key), int64(strings.ToUpper(key)[0])
	}
	if key == "Enter" {
		p.Text = "\r"
	}
	call(w, input.DispatchKeyEvent, p)
	p.Type, p.Text = input.DispatchKeyEventTypeKeyUp, ""
	call(w, input.DispatchKeyEvent, p)
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.004 }

func TestEditorByPointer(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 3, maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"})
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)

	// By clicking: the middle of the field is where the click was.
	w.click(`[data-type="signature"]`)
	w.until(`document.querySelector('[data-type="signature"]').getAttribute("aria-pressed") === "true"`)
	w.hit(w.on(1, .5, .3), 0)
	w.see(`.box[aria-label^="Signature, Maria Silva"]`)
	w.until(`document.querySelector('[data-type="signature"]').getAttribute("aria-pressed") === "false"`)
	// By dragging from the palette, for the other person.
	w.run(chromedp.SetValue(chromedp.CSS("#for"), d.people[1]))
	get(w, chromedp.Evaluate[bool](`document.querySelector("#for").dispatchEvent(new Event("change"))`))
	w.pull(w.middle(`[data-type="date"]`, 0, 0), w.on(1, .3, .5), 0)
	w.see(`.box[aria-label^="Date, Ben Buyer"]`)
	// By drawing a box; with Alt, so that nothing snaps.
	w.click(`[data-type="text"]`)
	w.pull(w.on(1, .1, .1), w.on(1, .4, .15), altKey)
	w.see(`.box[aria-label^="Text, Ben Buyer"]`)
	w.saved()
	all := d.fields(t)
	if len(all) != 3 {
		t.Fatalf("%d fields are placed: %+v", len(all), all)
	}
	text, signature, date := all[0], all[1], all[2]
	if text.Type != "text" || !near(text.X, .1) || !near(text.Y, .1) || !near(text.Width, .3) || !near(text.Height, .05) || text.Invitation != d.people[1] {
		t.Errorf("the box that was drawn is %+v", text)
	}
	if signature.Type != "signature" || !near(signature.X+signature.Width/2, .5) || !near(signature.Y+signature.Height/2, .3) || signature.Invitation != d.people[0] {
		t.Errorf("the field that was placed by a click is %+v", signature)
	}
	if date.Type != "date" || !near(date.X+date.Width/2, .3) || !near(date.Y+date.Height/2, .5) {
		t.Errorf("the field that was dragged from the palette is %+v", date)
	}

	// Moving: near the left edge of the text, the field snaps to it.
	const box = `.box[aria-label^="Date"]`
	grip := w.middle(box, 0, 0)
	to := w.on(1, text.X+date.Width/2+.004, .4)
	w.pull(grip, to, 0)
	w.saved()
	if got := d.fields(t); math.Abs(got[2].X-text.X) > 1e-5 || !near(got[2].Y+got[2].Height/2, .4) {
		t.Errorf("the field did not snap to the other one: %+v", got[2])
	}
	// It is shown where it was dropped.
	if at := w.middle(box, 0, 0); math.Abs(at.X-to.X) > 6 || math.Abs(at.Y-to.Y) > 6 {
		t.Errorf("it was dropped at %v and is seen at %v", to, at)
	}
	// Resizing by a handle.
	w.pull(w.middle(box+` .handle.se`, 0, 0), w.on(1, .5, .5), altKey)
	w.until(`document.querySelector("#saved").textContent !== ""`)
	w.saved()
	w.until(fmt.Sprintf(`(b => b.offsetWidth / b.parentNode.offsetWidth)(document.querySelector('%s')) > .35`, box))
	// Undo and redo.
	w.click(`[data-do="undo"]`)
	w.until(fmt.Sprintf(`(b => b.offsetWidth / b.parentNode.offsetWidth)(document.querySelector('%s')) < .2`, box))
	w.click(`[data-do="redo"]`)
	w.until(fmt.Sprintf(`(b => b.offsetWidth / b.parentNode.offsetWidth)(document.querySelector('%s')) > .35`, box))
	// Several, with a box drawn around them, aligned.
	w.pull(w.on(1, .05, .05), w.on(1, .9, .6), 0)
	w.until(`document.querySelectorAll('.box[aria-pressed="true"]').length === 3`)
	w.click(`[data-do="align-left"]`)
	w.until(`new Set([...document.querySelectorAll(".box")].map(b => b.style.left)).size === 1`)
	w.click(`[data-do="same-width"]`)
	w.until(`new Set([...document.querySelectorAll(".box")].map(b => b.style.width)).size === 1`)
	// One of them taken out with Ctrl, the others copied to other pages.
	w.hit(w.middle(box, 0, 0), ctrlKey)
	w.until(`document.querySelectorAll('.box[aria-pressed="true"]').length === 2`)
	w.click(`#selection [data-do="copy-pages"]`)
	w.see("#to-pages[open]")
	w.write("#range", "2-3, 9")
	w.click(`#to-pages button[value="ok"]`)
	w.see("#range-e")
	get(w, chromedp.Evaluate[string](`document.querySelector("#range").value = ""`))
	w.run(chromedp.SendKeys(chromedp.CSS("#range"), "2-3"))
	w.click(`#to-pages button[value="ok"]`)
	w.until(`document.querySelector('[data-count="2"]').textContent === "2 fields"`)
	w.saved()
	w.until(`!document.querySelector("#saved").classList.contains("bad")`)
	// Everything is there after a reload, including the undo steps.
	w.edit(d)
	w.until(`document.querySelector('[data-count="1"]').textContent === "2 fields"`)
	if got := d.fields(t); len(got) != 7 {
		t.Errorf("%d fields are kept", len(got))
	}
	w.click(`[data-do="undo"]`)
	w.until(`document.querySelector('[data-count="1"]').textContent === ""`)
	w.saved()
	if got := d.fields(t); len(got) != 3 {
		t.Errorf("%d fields are left after the undo", len(got))
	}
	// Ben is dragged before Maria, who was the first.
	w.click("#tab-people")
	w.pull(w.middle(`#people li:nth-child(2) .name`, 0, 0), w.middle(`#people li:first-child .name`, 0, -20), 0)
	w.until(`document.querySelector("#people .name").textContent === "Ben Buyer" && !document.querySelector("#people .going")`)
	if got := d.Get(t, "/documents/"+d.id).Texts(t, "invitations", "id"); !slices.Equal(got, []string{d.people[1], d.people[0]}) {
		t.Errorf("the people are %v", got)
	}
}

// TestEditorAcrossPages drags a field over the edge of its page.
func TestEditorAcrossPages(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 2, maria())
	d.put(t, place("signature", "Signature", 1, .8))
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click(".zooms summary")
	w.click(`[data-do="fit-page"]`)
	w.until(`document.querySelector(".paper").offsetHeight < 950`)
	get(w, chromedp.Evaluate[bool](`document.querySelector("#pages").scrollTop = 500, true`))
	w.pull(w.middle(".box", 0, 0), w.on(2, .4, .3), 0)
	w.saved()
	if got := d.fields(t); len(got) != 1 || got[0].Page != 2 || math.Abs(got[0].Y+got[0].Height/2-.3) > .02 {
		t.Errorf("the field is %+v", got)
	}
	if focus := get(w, chromedp.Evaluate[string](`document.activeElement.className`)); !strings.Contains(focus, "box") {
		t.Errorf("the focus is lost to %q", focus)
	}
}

// TestEditorCountsFieldsOfFarPages undoes copies to pages that were never near
// the window, so that no boxes of theirs are removed.
func TestEditorCountsFieldsOfFarPages(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 12, maria())
	d.put(t, place("signature", "Signature", 1, .3))
	w := team(t, c, look{width: 1280, height: 700})
	w.edit(d)
	w.hit(w.middle(".box", 0, 0), 0)
	w.click(`#selection [data-do="copy-pages"]`)
	w.see("#to-pages[open]")
	w.click(`#to-pages button[value="ok"]`)
	const far = `document.querySelector('[data-count="11"]').textContent`
	w.until(far + ` === "1 field"`)
	w.click(`[data-do="undo"]`)
	w.until(far + ` === ""`)
	w.click(`[data-do="redo"]`)
	w.until(far + ` === "1 field"`)
}

// TestEditorByKeyboard does everything with the keyboard alone, from the people
// to the sent document.
func TestEditorByKeyboard(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 4)
	w := team(t, c, look{width: 1280, height: 1000})
	tabTo := func(selector string) {
		w.t.Helper()
		for range 80 {
			if get(w, chromedp.Evaluate[bool](fmt.Sprintf(`document.activeElement?.matches(%q)`, selector))) {
				return
			}
			w.key("Tab", 0)
		}
		w.t.Fatalf("%s is not reached with Tab; the focus is on %s", selector, get(w, chromedp.Evaluate[string](`document.activeElement.outerHTML.slice(0, 200)`)))
	}
	// part presses F6 until an element of a class has the focus, or once if
	// there is no class.
	part := func(class string) {
		w.t.Helper()
		for range 6 {
			w.key("F6", shiftKey*int64(min(len(class), 1)))
			if class == "" || get(w, chromedp.Evaluate[bool](fmt.Sprintf(`document.activeElement.classList.contains(%q)`, class))) {
				return
			}
		}
		w.t.Fatalf("F6 does not lead to %q", class)
	}
	// A recipient of a copy, before the editor.
	w.visit(d.URL + "/app/documents/" + d.id + "/files")
	tabTo(`[name="invitations.0.name"]`)
	w.run(chromedp.KeyEvent("Ben Buyer"))
	w.key("Tab", 0)
	w.run(chromedp.KeyEvent("ben@signer.example"))
	w.key("Tab", 0)
	w.run(chromedp.KeyEvent("Receives"))
	tabTo(`button.primary[value="edit"]`)
	w.key("Enter", 0)
	w.see(".editor.ready")
	w.until(`document.querySelector("#status").dataset.ready === "yes"`)
	// And a signatory, in the editor.
	tabTo(`[data-do="add-person"]`)
	w.key("Enter", 0)
	w.see("#person[open]")
	w.run(chromedp.KeyEvent("Maria Silva"))
	w.key("Tab", 0)
	w.run(chromedp.KeyEvent("maria@signer"))
	w.key("Enter", 0)
	w.see("#h-email-e") // the address is not one yet
	w.run(chromedp.KeyEvent(".example"))
	w.key("Enter", 0)
	w.until(`!document.querySelector("#person").open && document.querySelectorAll("#people li").length === 2`)
	// A field: armed, moved with arrows, dropped.
	part("pages")
	part("")
	w.until(`document.activeElement.role === "tab"`)
	w.key("ArrowRight", 0)
	w.until(`document.activeElement.id === "tab-fields"`)
	tabTo(`[data-type="signature"]`)
	w.key("Enter", 0)
	w.until(`document.activeElement.className === "cursor"`)
	w.key("ArrowDown", shiftKey)
	w.key("ArrowDown", shiftKey)
	w.key("ArrowLeft", shiftKey)
	w.key("Enter", 0)
	w.until(`document.activeElement.className.startsWith("box")`)
	w.saved()
	before := d.fields(t)[0]
	// Moved, resized, on another page.
	for range 4 {
		w.key("ArrowRight", 0)
	}
	w.key("ArrowUp", shiftKey)
	w.key("ArrowRight", altKey|shiftKey)
	w.key("ArrowDown", altKey)
	w.until(`document.querySelector("#status").textContent.includes("wide")`)
	w.key("PageDown", altKey)
	w.until(`document.querySelector("#status").textContent === "Moved to page 2."`)
	w.saved()
	after := d.fields(t)[0]
	if !near(after.X, before.X+4*.0025) || after.Y >= before.Y || !near(after.Width, before.Width+.02) || after.Height <= before.Height || after.Page != 2 {
		t.Errorf("the field went from %+v to %+v", before, after)
	}
	// Properties.
	w.key("Enter", 0)
	w.until(`document.activeElement.id === "q-who"`)
	tabTo("#q-label")
	w.run(chromedp.KeyEvent("Sign here"))
	part("box")
	// Duplicated, and copied to pages.
	w.key("d", ctrlKey)
	w.until(`document.querySelectorAll(".box").length === 2`)
	w.key("a", ctrlKey)
	w.until(`document.querySelectorAll('.box[aria-pressed="true"]').length === 2`)
	tabTo(`#selection [data-do="copy-pages"]`)
	w.key("Enter", 0)
	w.see("#to-pages[open]")
	w.until(`document.activeElement.name === "which"`)
	w.key("ArrowDown", 0) // all but the first
	w.key("Enter", 0)
	w.until(`!document.querySelector("#to-pages").open`)
	w.saved()
	w.until(`document.querySelector('[data-count="3"]').textContent === "2 fields"`)
	// Deleted: the focus moves on, and Tab is never trapped.
	part("box")
	w.key("Delete", 0)
	w.until(`document.activeElement.className.startsWith("box") && document.querySelector('[data-count="1"]').textContent === ""`)
	w.key("z", ctrlKey)
	w.until(`document.querySelector('[data-count="1"]').textContent === "2 fields"`)
	w.saved()
	if got := d.fields(t); len(got) != 6 || got[0].Label != "Sign here" {
		t.Errorf("the fields are %+v", got)
	}
	// Reviewed and sent.
	tabTo("#next")
	w.key("Enter", 0)
	w.heading("Review and send")
	tabTo("#i-seen") // the copies overlap
	w.key(" ", 0)
	w.until(`document.activeElement.checked`)
	tabTo(`button[value="send"]`)
	w.key("Enter", 0)
	w.heading("The document has been sent")
	if got := c.Get(t, "/documents/"+d.id); got.Text(t, "status") == "draft" || got.Text(t, "invitations.0.role") != "viewer" {
		t.Errorf("the document is %s", got.Body)
	}
}

// TestPlacedFieldsAreSigned places fields, sends the document and signs it.
func TestPlacedFieldsAreSigned(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click(`[data-type="signature"]`)
	w.hit(w.on(1, .3, .4), 0)
	w.see(`.box[aria-label^="Signature"]`)
	for i, kind := range []string{"text", "radio", "radio", "select", "checkbox"} {
		w.click(chromedp.CSS(`[data-type="` + kind + `"]`))
		w.hit(w.on(1, .3+.12*float64(i), .5+.03*float64(i)), altKey)
		w.until(fmt.Sprintf(`document.querySelectorAll(".box").length === %d`, i+2))
	}
	w.saved()
	r := c.Post(t, "/documents/"+d.id+"/send", apptest.Map{}).Want(t, http.StatusOK)
	_, token, _ := strings.Cut(r.Text(t, "invitations.0.sign_url"), "/s/")
	values := apptest.Map{}
	for _, f := range d.fields(t) {
		switch f.Type {
		case "text":
			values[f.ID] = "Lisbon"
		case "select":
			values[f.ID] = f.Options[1]
		}
	}
	for _, f := range d.fields(t) {
		if f.Type == "radio" {
			values[f.ID] = true
			break
		}
	}
	s.With(token).Post(t, "/documents/"+d.id+"/"+d.people[0]+"/sign", apptest.Map{"fields": values}).Want(t, http.StatusOK)
	if got := c.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Text(t, "status"); got != "completed" {
		t.Errorf("the document is %s", got)
	}
	w.visit(d.URL + "/app/documents/" + d.id + "/edit")
	w.see(".drawn")
	if got := w.read(".editor .notice"); !strings.Contains(got, "completed") {
		t.Errorf("a completed document says %q", got)
	}
}

// touch tells the page what fingers do.
func (w *window) touch(kind input.DispatchTouchEventType, at ...spot) {
	w.t.Helper()
	p := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
	for _, a := range at {
		p.TouchPoints = append(p.TouchPoints, &input.TouchPoint{X: a.X, Y: a.Y})
	}
	call(w, input.DispatchTouchEvent, p)
}

// swipe moves one finger over the page.
func (w *window) swipe(from, to spot) {
	w.t.Helper()
	w.touch(input.DispatchTouchEventTypeTouchStart, from)
	for i := 1; i <= 6; i++ {
		part := float64(i) / 6
		w.touch(input.DispatchTouchEventTypeTouchMove, spot{from.X + (to.X-from.X)*part, from.Y + (to.Y-from.Y)*part})
	}
	w.touch(input.DispatchTouchEventTypeTouchEnd)
}

// TestEditorWithAFinger uses a narrow touch screen.
func TestEditorWithAFinger(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 2, maria())
	w := team(t, c, look{width: 360, height: 740})
	call(w, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	w.edit(d)
	touch := w.touch
	tap := func(at spot) {
		touch(input.DispatchTouchEventTypeTouchStart, at)
		touch(input.DispatchTouchEventTypeTouchEnd)
	}
	// On a busy machine a tap may take so long that the browser treats it as another gesture;
	// people would tap again.
	reach := func(pane string) {
		patience.Until(t, "the pane "+pane, func() (string, bool) {
			tap(w.middle(`[data-go="`+pane+`"]`, 0, 0))
			shown := get(w, chromedp.Evaluate[string](`document.querySelector("#editor").dataset.pane`))
			return shown, shown == pane
		})
	}
	reach("fields")
	w.see(".palette")
	tap(w.middle(`[data-type="signature"]`, 0, 0))
	w.until(`document.querySelector("#editor").dataset.pane === "pages"`)
	tap(w.on(1, .5, .3))
	w.see(`.box[aria-pressed="true"]`)
	w.saved()
	before := d.fields(t)[0]
	from := w.middle(".box", 0, 0)
	to := w.on(1, .4, .6)
	w.swipe(from, to)
	w.until(`parseFloat(document.querySelector(".box").style.top) > 50`)
	w.saved()
	if after := d.fields(t)[0]; after.Y < before.Y+.2 {
		t.Errorf("the field went from %+v to %+v", before, after)
	}
	for _, pane := range []string{"overview", "people", "fields", "properties", "pages"} {
		reach(pane)
		if wide := get(w, chromedp.Evaluate[float64](`document.documentElement.scrollWidth`)); wide > 360 {
			t.Errorf("%s needs scrolling to the side: %g", pane, wide)
		}
	}
}
