package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// names returns the recipients of a document as "name <address>", in their order.
func (d *drafting) names(t testing.TB) string {
	t.Helper()
	answer := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
	emails := answer.Texts(t, "invitations", "email")
	for i, name := range answer.Texts(t, "invitations", "name") {
		emails[i] = name + " <" + emails[i] + ">"
	}
	return strings.Join(emails, ", ")
}

// shown returns the names and addresses in the form of people, in their order.
func (w *window) shown() string {
	w.t.Helper()
	return get(w, chromedp.Evaluate[string](`[...document.querySelectorAll(".person-row")].map(r => r.querySelector("[name$='.name']").value + " <" + r.querySelector("[name$='.email']").value + ">").join(", ")`))
}

// paste pastes a text into an input.
func (w *window) paste(where, text string) {
	w.t.Helper()
	get(w, chromedp.Evaluate[bool](fmt.Sprintf(`(() => { const e = document.querySelector(%q), clipboardData = new DataTransfer(); e.focus(); clipboardData.setData("text/plain", %q);
		if (e.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}))) document.execCommand("insertText", false, %q); return true; })()`, where, text, text)))
}

// several are texts that name people, and who they are.
var several = map[string]string{
	"Ann <ann@x.example>, Ben <b@x.example>":                        "Ann <ann@x.example>, Ben <b@x.example>",
	"ann@x.example; b@x.example":                                    " <ann@x.example>,  <b@x.example>",
	"\"Rossi, Ann\" <ann@x.example>\nBen\tb@x.example\nc@x.example": "Rossi, Ann <ann@x.example>, Ben <b@x.example>,  <c@x.example>",
	"Ann Lee <ann@x.example>":                                       "Ann Lee <ann@x.example>",
}

// TestPasteRecipients pastes several people into one input of a row, or, without scripts, into a
// text of their own.
func TestPasteRecipients(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1)
	at := d.URL + "/app/documents/" + d.id + "/files"
	w := team(t, c, look{})
	for text, want := range several {
		w.visit(at)
		w.paste(`[name="invitations.0.name"]`, text)
		if got := w.shown(); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		get(w, chromedp.Evaluate[bool](`window.stop(), document.querySelector("#draft").dispatchEvent(new Event("submit", {bubbles: true}))`)) // so that it may be left
	}
	w.visit(at)
	w.paste(`[name="invitations.0.name"]`, "Ann, of Rossi")
	if got := w.value(`[name="invitations.0.name"]`); got != "Ann, of Rossi" {
		t.Errorf("an ordinary text becomes %q", got)
	}
	get(w, chromedp.Evaluate[bool](`document.querySelector("#draft").dispatchEvent(new Event("submit", {bubbles: true}))`))
	w.visit(at)
	w.paste(`[name="invitations.0.email"]`, "Ann <ann@x.example>, Ben <b@x.example>")
	w.click(`.bar-end button[value="save"]`)
	w.until(`document.querySelectorAll("[name$='.id'][value]:not([value=''])").length === 2`)
	if got := d.names(t); got != "Ann <ann@x.example>, Ben <b@x.example>" {
		t.Errorf("stored are %s", got)
	}

	b := colleague(t, c)
	b.Visit(at)
	b.Click(".several summary")
	b.Write("#i-several", "Cleo <cleo@x.example>; nobody\ndan@x.example")
	b.Click(`button[value="several"]`)
	b.See("#errors")
	rows, addresses := b.Values(`.person-row [name$=".name"]`), b.Values(`.person-row [name$=".email"]`)
	for i := range rows {
		rows[i] += " <" + addresses[i] + ">"
	}
	if got := strings.Join(rows, ", "); !strings.HasSuffix(got, "Cleo <cleo@x.example>, nobody <>,  <dan@x.example>") {
		t.Errorf("without scripts the rows are %q", got)
	}
}

// TestMoveRecipients moves rows with the menu, the keyboard, and the mouse.
func TestMoveRecipients(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, apptest.Map{"name": "A", "email": "a@x.example"}, apptest.Map{"name": "B", "email": "b@x.example"}, apptest.Map{"name": "C", "email": "c@x.example"})
	w := team(t, c, look{width: 1280, height: 900})
	w.visit(d.URL + "/app/documents/" + d.id + "/files")
	w.run(chromedp.Click(chromedp.CSS(`[value="sequential"]`)))
	w.click(".person-row:nth-child(1) .rest summary")
	w.click(`button[value="down.0"]`)
	if got := w.shown(); got != "B <b@x.example>, A <a@x.example>, C <c@x.example>" {
		t.Errorf("the menu leads to %s", got)
	}
	w.run(chromedp.Focus(`.person-row:nth-child(3) [name$=".name"]`))
	w.key("ArrowUp", altKey)
	if got := w.shown(); got != "B <b@x.example>, C <c@x.example>, A <a@x.example>" {
		t.Errorf("the keyboard leads to %s", got)
	}
	if focus := get(w, chromedp.Evaluate[string](`document.activeElement.name`)); focus != "invitations.1.name" {
		t.Errorf("the focus is on %q", focus)
	}
	from, to := w.middle(".person-row:nth-child(1) .letter", 0, 0), w.middle(".person-row:nth-child(3) .letter", 0, 12)
	w.pull(from, to, 0)
	w.until(`document.querySelector("[name='invitations.2.name']").value === "B"`)
	if get(w, chromedp.Evaluate[string](`document.querySelector(".person-row:nth-child(3) .letter").textContent`)) != "C" {
		t.Error("the letters don't follow the order")
	}
	w.click(`.bar-end button[value="edit"]`)
	w.until(`!!document.querySelector(".editor.ready")`)
	if got := d.names(t); got != "C <c@x.example>, A <a@x.example>, B <b@x.example>" {
		t.Errorf("stored are %s", got)
	}
}

// TestLeavingRecipients leaves the form of a draft by its steps and by other links: what was
// typed is stored, or the reader is told why not.
func TestLeavingRecipients(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := team(t, c, look{width: 1280, height: 800})
	for name, b := range map[string]pages{"with scripts": w, "without": colleague(t, c)} {
		d := newDraft(t, c, 1, maria())
		at := d.URL + "/app/documents/" + d.id + "/files"
		b.Visit(at)
		b.Write(`[name="invitations.0.name"]`, "Maria Rossi")
		b.Click(`.stepper button[value="review"]`)
		b.See("#review")
		if got := d.names(t); got != "Maria Rossi <maria@signer.example>" {
			t.Errorf("%s, stored are %s", name, got)
		}
		b.Visit(at)
		b.Write(`[name="invitations.0.email"]`, "")
		b.Click(`.stepper button[value="edit"]`)
		b.See("#errors")
	}
	d := newDraft(t, c, 1, maria())
	w.visit(d.URL + "/app/documents/" + d.id + "/files")
	w.write(`[name="invitations.0.name"]`, "Maria Bianchi")
	w.click(`.top a[href$="/app/contacts"]`)
	w.until(`location.pathname.endsWith("/contacts")`)
	if got := d.names(t); got != "Maria Bianchi <maria@signer.example>" {
		t.Errorf("by another link, stored are %s", got)
	}
	w.visit(d.URL + "/app/documents/" + d.id + "/files")
	w.write(`[name="invitations.0.email"]`, "nobody")
	w.click(`.top a[href$="/app/contacts"]`)
	w.see("#i-invitations-0-email-error")
	w.see("#unkept")
	if focus := get(w, chromedp.Evaluate[string](`document.activeElement.name`)); focus != "invitations.0.email" {
		t.Errorf("the focus is on %q", focus)
	}
}

// TestContactsWhileTyping suggests contacts in the name's input and the address's, and fills in
// the other one.
func TestContactsWhileTyping(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	c.Post(t, "/contacts", apptest.Map{"name": "Zoe Quinn", "email": "zoe@quinn.example"}).Want(t, http.StatusCreated)
	d := newDraft(t, c, 1)
	w := team(t, c, look{})
	for kind, text := range map[string]string{"name": "Zoe", "email": "zoe@"} {
		w.visit(d.URL + "/app/documents/" + d.id + "/files")
		in := `[name="invitations.0.` + kind + `"]`
		w.write(chromedp.CSS(in), text)
		w.until(`!!document.getElementById(document.querySelector(` + "`" + in + "`" + `).getAttribute("list")).querySelector("option")`)
		get(w, chromedp.Evaluate[bool](`(() => { const e = document.querySelector('`+in+`'); e.value = document.getElementById(e.getAttribute("list")).querySelector("option").value; e.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertReplacementText"})); return true; })()`))
		w.until(`document.querySelector("[name='invitations.0.name']").value === "Zoe Quinn" && document.querySelector("[name='invitations.0.email']").value === "zoe@quinn.example"`)
		get(w, chromedp.Evaluate[bool](`document.querySelector("#draft").dispatchEvent(new Event("submit", {bubbles: true}))`))
	}
}

// TestReviewAsRecipientsSeeIt reads the mail and the signing page of each recipient on the page
// for review, with scripts and without.
func TestReviewAsRecipientsSeeIt(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria(), apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"})
	d.put(t, place("text", "City", 1, .4))
	w, b := team(t, c, look{width: 1280, height: 900}), colleague(t, c)
	at := d.URL + "/app/documents/" + d.id + "/review"
	w.steady(func() { w.visit(at) })
	b.Visit(at)
	for _, p := range []pages{w, b} {
		p.Click(".person-row:nth-child(1) .seen:nth-of-type(1) summary")
		p.See(`.person-row:nth-child(1) iframe[src$="/mail"]`)
		p.Click(".person-row:nth-child(1) .seen:nth-of-type(2) > summary")
		p.See(`.person-row:nth-child(1) iframe[src*="/preview/"]`)
	}
	w.until(`(() => { const inside = document.querySelector('iframe[src*="/preview/"]').contentDocument; return !!inside?.querySelector(".f input:disabled") && !inside.querySelector(".notice a"); })()`)
	res, _ := fetch(t, d.URL+"/app/documents/"+d.id+"/preview/"+d.people[0], "Cookie", "paraph_session="+c.Token)
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the page of its own may be framed: %s", policy)
	}
}
