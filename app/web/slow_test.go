package web_test

import (
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	intercept "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// slowly lets a test hold back requests of the page's scripts whose address contains a text:
// answers to fetch, and the bodies of XMLHttpRequest.
const slowly = `{
	let on = "", held = [];
	const ask = window.fetch, open = XMLHttpRequest.prototype.open, send = XMLHttpRequest.prototype.send;
	window.opened = [];
	window.fetch = (...of) => {
		const answer = ask(...of);
		return on && String(of[0]).includes(on) ? new Promise(done => held.push(() => done(answer))) : answer;
	};
	XMLHttpRequest.prototype.open = function(method, address) { opened.push(address); this.address = address; open.call(this, method, address); };
	XMLHttpRequest.prototype.send = function(body) { on && this.address.includes(on) ? held.push(() => send.call(this, body)) : send.call(this, body); };
	window.hold = text => { on = text; };
	window.holds = () => held.length;
	window.letGo = async () => { on = ""; held.splice(0).forEach(f => f()); await (await ask(location.href)).text(); return true; };
}`

// slow makes the pages of a window wait where the test says so.
func slow(w *window) *window {
	w.t.Helper()
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: slowly})
	return w
}

// hold holds back requests whose address contains a text while an action triggers a number of
// them.
func (w *window) hold(text string, n int, do string) {
	w.t.Helper()
	w.js(`hold(` + quoted(text) + `[0])`)
	w.js(do)
	w.until(`holds() >= ` + strings.Repeat("1+", n-1) + "1")
}

// letGo releases the held requests and waits for their responses.
func (w *window) letGo() {
	w.t.Helper()
	get(w, chromedp.Evaluate[bool](`letGo()`, chromedp.EvalAwaitPromise))
}

// js runs a script on the page.
func (w *window) js(script string) {
	w.t.Helper()
	w.run(chromedp.Evaluate[chromedp.Void](script + ";0"))
}

// wants fails the test unless an expression is true on the page.
func (w *window) wants(expression, complaint string) {
	w.t.Helper()
	if !get(w, chromedp.Evaluate[bool](expression)) {
		w.t.Errorf("%s; %s", complaint, w.sight())
	}
}

// TestSlowAnswersInTheTeam holds back answers on several pages of one window.
func TestSlowAnswersInTheTeam(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	c.Post(t, "/members", apptest.Map{"email": "new@example.org", "role": "approver"}).Want(t, http.StatusCreated)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("signature", "Signature", 1, .6))
	w := slow(team(t, c, look{}))

	// Two clicks on what opens a dialog.
	w.visit(s.URL + "/app/team")
	w.see("main a[href$='/remove'][data-ask]")
	w.hold("/remove", 2, `{ const a = document.querySelector("main a[href$='/remove'][data-ask]"); a.click(); a.click() }`)
	w.letGo()
	w.see("dialog[open]")
	w.wants(`document.querySelectorAll("dialog").length === 1`, "two clicks opened two dialogs")

	// A menu of a row that opens when the reader is elsewhere.
	w.visit(s.URL + "/app/documents")
	w.see("a.more")
	w.hold("/menu", 1, `document.querySelector("a.more").click()`)
	w.run(chromedp.Focus("#search"))
	w.letGo()
	w.see("details.menu[open]")
	w.wants(`document.activeElement.id === "search"`, "the menu took the focus from the search")

	// News that arrive while a link to earlier ones is being pressed.
	w.visit(s.URL + "/app/documents/" + d.id)
	w.see("#live")
	c.Post(t, "/documents/"+d.id+"/send", apptest.Map{}).Want(t, http.StatusOK)
	w.until(`!!(window.pressed = document.querySelector("#live a")) && !!(window.first = document.querySelector("#live").innerText)`)
	c.Post(t, "/documents/"+d.id+"/void", apptest.Map{"reason": "Too late."}).Want(t, http.StatusOK)
	w.until(`document.querySelector("#live").innerText !== first`)
	w.wants(`pressed.isConnected`, "the link was replaced under the pointer")

	// Leaving a form.
	w.visit(s.URL + "/app/settings/company")
	w.see("form[data-dirty]")
	w.js(`{ const form = document.querySelector("form[data-dirty]");
		const asks = () => !dispatchEvent(new Event("beforeunload", {cancelable: true}));
		window.first = asks();
		form.dispatchEvent(new Event("input"));
		window.changed = asks();
		form.dispatchEvent(new Event("reset"));
		window.discarded = asks();
		form.dispatchEvent(new Event("input"));
		form.dispatchEvent(new Event("submit"));
		window.saved = asks() }`)
	w.wants(`changed && !first && !discarded && !saved`, "leaving asks about a form without changes, or not about one with")
}

func TestSigningCanBeStoppedAndTriedAgain(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, place("signature", "Signature", 1, .5))
	w := open(t, look{})
	w.visit(d.links[0])
	w.click(`[data-mark="signature"]`)
	w.click("dialog[open] [data-adopt]")
	w.until(`document.querySelector("#saved").textContent === "Saved"`)
	call(w, intercept.Enable, intercept.EnableParams{Patterns: []*intercept.RequestPattern{{URLPattern: "*/s/*", ResourceType: network.ResourceTypeDocument}}})
	held := make(chan struct{}, 1)
	if err := chromedp.Listen(w.ctx, func(event any) {
		if _, ok := event.(*intercept.EventRequestPaused); ok {
			held <- struct{}{}
		}
	}); err != nil {
		t.Fatal(err)
	}
	w.click("#finish")
	w.until(`document.querySelector("#finish").getAttribute("aria-busy") === "true"`)
	// The button is busy before its request has begun, which stopping would miss.
	patience.Receive(t, "the request to finish", held)
	w.run(chromedp.Stop())
	w.until(`!document.querySelector("#finish").hasAttribute("aria-busy") && document.querySelector("#finish").innerText === "Finish and sign"`)
	call(w, intercept.Disable, cdp.Empty{})
	w.click("#finish")
	w.heading("Everyone has signed")
}

func TestASlowListOfFilesKeepsWhatAPersonIsAt(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1)
	w := slow(team(t, c, look{}))
	w.visit(s.URL + "/app/documents/" + d.id + "/files")
	w.js(`hold("/files")`)
	w.choose(onDisk(t, apptest.File{Name: "b.pdf", Content: apptest.PDF(t)})...)
	w.until(`holds() === 1`)
	w.write(`[name="title"]`, "The lea")
	w.letGo()
	w.ready(2)
	w.run(chromedp.KeyEvent("se"))
	w.wants(`document.activeElement.value === "The lease"`, "the list took what was typed, or the focus")

	// A pressed button is not replaced before its click, even if a new list arrives.
	w.js(`hold("/files")`)
	w.choose(onDisk(t, apptest.File{Name: "c.pdf", Content: apptest.PDF(t)})...)
	w.until(`holds() === 1`)
	next := w.middle("#finish button.primary", 0, 0)
	w.mouse("mousePressed", next, 0)
	w.letGo()
	w.mouse("mouseReleased", next, 0)
	w.see(".editor.ready")
}

func TestAFileCancelledBeforeItsDocumentIsMadeStaysAway(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := slow(team(t, s.Company(t), look{}))
	w.visit(s.URL + "/app/documents/new")
	w.js(`hold("/documents/new")`)
	paths := onDisk(t, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)}, apptest.File{Name: "b.pdf", Content: apptest.PDF(t)})
	w.choose(paths[0])
	w.until(`holds() === 1`)
	w.click("#uploads .cancel")
	w.write(`[name="title"]`, "Lease")
	w.letGo()
	w.choose(paths[1])
	w.ready(1)
	w.wants(`opened.filter(a => a.endsWith("/uploads")).length === 1`, "the cancelled file was uploaded")
	if got := w.value(`[name="title"]`); got != "Lease" {
		t.Errorf("the title typed meanwhile became %q", got)
	}
}

func TestSlowAnswersAboutPeopleOverwriteNothing(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"}, apptest.Map{"name": "Cleo", "email": "cleo@signer.example"})
	d.put(t, place("text", "City", 1, .3))
	w := slow(team(t, c, look{width: 1280, height: 1000}))
	w.edit(d)
	w.pane("people")
	// Every click on an arrow counts, even before the first response.
	w.hold("/recipients", 1, `{ const up = document.querySelector("#people li:nth-child(3) [data-act=up]"); up.click(); up.click() }`)
	w.letGo()
	w.until(`document.querySelector("#people li .name").textContent === "Cleo"`)
	// Adding oneself twice adds one recipient; the chosen recipient and text being typed are kept.
	w.hold("/recipients", 1, `{ const me = document.querySelector("[data-do=add-me]"); me.click(); me.click() }`)
	w.js(`{ const who = document.querySelector("#for"); who.selectedIndex = 2; who.dispatchEvent(new Event("change")); window.chosen = who.value;
		document.querySelector(".box").click() }`)
	w.pane("properties")
	w.run(chromedp.Focus(`#properties [name="value"]`))
	w.run(chromedp.KeyEvent("Lis"))
	w.letGo()
	w.until(`document.querySelectorAll("#for option").length === 4`)
	w.wants(`document.querySelector("#for").value === chosen`, "the answer chose another person")
	w.wants(`document.querySelector('#properties [name="value"]').value === "Lis"`, "the answer took what was typed")
	// The response about one recipient does not close another one's dialog.
	w.pane("people")
	w.click(`#people li:nth-child(1) [data-act="edit"]`)
	w.hold("/recipients", 1, `document.querySelector("#person form").requestSubmit()`)
	w.key("Escape", 0)
	w.until(`!document.querySelector("#person").open`)
	w.js(`document.querySelector('#people li:nth-child(2) [data-act="edit"]').click()`)
	w.see("#person[open]")
	w.letGo()
	w.until(`document.querySelector("#status").textContent.includes("Cleo")`)
	w.wants(`document.querySelector("#person").open`, "the answer closed the dialog about another person")
	w.key("Escape", 0)
	w.until(`!document.querySelector("#person").open`)
	// A button is not replaced until it is released.
	w.hold("/recipients", 1, `document.querySelector("#people li:nth-child(1) [data-act=down]").click()`)
	w.js(`window.pressed = document.querySelector("#people li:nth-child(4) [data-act=remove]");
		pressed.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))`)
	w.letGo()
	w.until(`document.querySelector("#status").textContent.includes("is now number")`)
	w.wants(`pressed.isConnected`, "the answer replaced a button that was being pressed")
	w.js(`pressed.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }))`)
	w.until(`!pressed.isConnected`)
	// A field being dragged disappears together with its recipient.
	w.js(`[...document.querySelectorAll("#people li")].find(row =>
		row.querySelector(".letter").textContent === document.querySelector(".box .letter").dataset.letter).querySelector("[data-act=remove]").click()`)
	w.see("#leave-person[open]")
	w.hold("/recipients", 1, `document.querySelector("#leave-person [data-yes]").click()`)
	w.js(`{ const box = document.querySelector(".box"), at = (type, y) => box.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 7, clientX: 300, clientY: y }));
		at("pointerdown", 300); at("pointermove", 340); window.drop = () => dispatchEvent(new PointerEvent("pointerup", { pointerId: 7, clientX: 300, clientY: 360 })) }`)
	w.letGo()
	w.until(`document.querySelector("#status").textContent.includes("was removed")`)
	w.js(`drop()`)
	w.wants(`!document.querySelector(".box, .going")`, "the field of somebody who was removed is still there")
}

func TestAPictureStillBeingPreparedIsAdopted(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7))
	w := open(t, look{})
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `{
		const real = createImageBitmap, held = [];
		window.createImageBitmap = f => new Promise(done => held.push(() => done(real(f))));
		window.holds = () => held.length;
		window.prepare = n => held[n]();
	}`})
	w.visit(d.links[0])
	w.click(`button[data-mark="signature"]`)
	w.click("#tab-signature-image")
	for _, f := range onDisk(t, apptest.File{Name: "a.png", Content: apptest.Picture(t, png.Encode)}, apptest.File{Name: "b.png", Content: apptest.Picture(t, png.Encode)}) {
		w.run(chromedp.SetUploadFiles("#signature-file", []string{f}))
		w.until(`holds() === ` + map[bool]string{true: "1", false: "2"}[strings.HasSuffix(f, "a.png")])
	}
	w.js(`document.querySelector("dialog[open] [data-adopt]").click()`)
	w.wants(`document.querySelector("dialog[open] .mark-error").hidden`, "a picture being prepared counts as missing")
	w.js(`prepare(0)`)
	w.js(`prepare(1)`)
	w.until(`!document.querySelector("dialog[open]")`)
	w.see(`button[data-mark="signature"] img`)
}

func TestWhatIsTypedBeforeTheScriptIsSaved(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	w := open(t, look{})
	// A late script: somebody types as soon as there is an input.
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `new MutationObserver((_, o) => {
		const city = document.querySelector(".f.k-text input");
		if (city) { o.disconnect(); city.value = "Lisbon"; }
	}).observe(document, { childList: true, subtree: true })`})
	w.visit(d.links[0])
	w.until(`document.querySelector("#saved").textContent === "Saved"`)
}
