package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestConsentIsAskedForInView finishes without consent: the page says so itself, with the box
// in view.
func TestConsentIsAskedForInView(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	for name, l := range map[string]look{"script": {width: 390, height: 780}, "plain": {width: 390, height: 780, plain: true}, "wide": {width: 1280, height: 800}} {
		t.Run(name, func(t *testing.T) {
			d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7)) // a tick is saved, for whoever comes next
			w := open(t, l)
			w.visit(d.links[0])
			if !l.plain {
				w.click(`button[data-mark="signature"]`)
				w.click("dialog[open] [data-adopt]")
			} else {
				w.write("#signature-text", "Maria Silva")
			}
			w.click("#finish")
			if l.plain {
				w.click(`#errors a[href="#consent"]`)
			}
			if got := w.read("#consent-error"); got != "Agree to sign electronically, or decline." {
				t.Errorf("the box says %q", got)
			}
			w.wants(`document.querySelector("#consent").getAttribute("aria-invalid") === "true"`, "the box is not marked")
			w.wants(uncovered("#consent")+"&&"+uncovered("#consent-error"), "the box or its message can't be seen")
			w.click("#consent")
			if !l.plain {
				w.wants(`document.querySelector("#consent-error").hidden`, "the message stays")
			}
			if got := d.status(t); got != "sent" {
				t.Errorf("the document is %s", got)
			}
		})
	}
}

// uncovered reports whether the middle of an element is in view and not covered by another.
func uncovered(what string) string {
	return fmt.Sprintf(`(e => { const b = e.getBoundingClientRect(), at = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
		return !!at && (at === e || e.contains(at) || [...e.labels || []].some(l => l.contains(at))); })(document.querySelector(%q))`, what)
}

// TestMissingFieldsSayWhatIsMissing finishes without a field: the message is at the field until
// it is filled in.
func TestMissingFieldsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, place("text", "City", 1, 0.3), place("email", "Mail", 1, 0.4, "required", false), place("signature", "Signature", 2, 0.7))
	w := open(t, look{})
	w.visit(d.links[0])
	w.click("#finish")
	if got := w.read("#f1 .error"); !strings.Contains(got, "2 required fields are still empty, starting with City") {
		t.Errorf("the field says %q", got)
	}
	w.wants(`document.activeElement.id === "i1" && document.activeElement.getAttribute("aria-describedby").includes("i1-error")`, "the field is not in focus, or not described")
	w.run(chromedp.KeyEvent("Porto"))
	w.until(`!document.querySelector("#f1 .error") && !document.querySelector("#i1").hasAttribute("aria-invalid")`)
	w.click(`button[data-mark="signature"]`)
	w.click("dialog[open] [data-adopt]")
	w.write("#i2", "maria@")
	w.click("#finish")
	w.see("#f2 .error")
	w.wants(`document.activeElement.id === "i2" && `+uncovered("#f2 .error"), "the wrong address is not shown")
	w.run(chromedp.KeyEvent("signer.example"))
	w.click("#finish")
	w.heading("Everyone has signed")
}

// TestBarIsOneLine checks that the bar at the bottom stays one line in every language, and that
// its button is never cut off.
func TestBarIsOneLine(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	w := open(t, look{})
	sizes := [][2]int64{{320, 640}, {390, 780}, {844, 390}, {1280, 800}}
	for _, language := range strings.Fields("en ar cs de es fr he it ja ko nl pl pt tr uk zh") {
		d := send(t, s, []apptest.Map{maria("locale", language)}, place("signature", "Signature", 1, 0.5), place("text", "City", 1, 0.3))
		w.visit(d.links[0])
		w.until(`document.querySelector("#left").textContent.includes("0")`)
		look := func(button string) {
			t.Helper()
			for _, size := range sizes {
				w.run(chromedp.EmulateViewport(size[0], size[1]))
				if got := get(w, chromedp.Evaluate[string](`(b => { const e = b.querySelector("`+button+`"), r = b.getBoundingClientRect();
					return !e.checkVisibility() ? "no button" : r.height > 62 ? "is " + r.height + " px high" : e.scrollWidth > e.clientWidth ? "its button is cut off" : ""; })(document.querySelector(".bar"))`)); got != "" {
					t.Errorf("%s, %d px, %s: the bar: %s", language, size[0], button, got)
				}
			}
		}
		look("#next")
		w.js(`document.querySelector("#consent").click(); document.querySelector("#i1").value = document.querySelector("#i2").value = "Porto"; document.querySelector('button[data-mark]').click(); document.querySelector("dialog[open] [data-adopt]").click()`)
		w.until(`!document.querySelector("#end").hidden && !document.querySelector("dialog[open]")`)
		look("#end")
		w.until(`!!document.querySelector("#saved").textContent`)
	}
}

// TestPadFitsAPhoneHeldSideways draws on a phone held sideways: the pad and all buttons fit on the
// screen.
func TestPadFitsAPhoneHeldSideways(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 1, 0.5), place("text", "City", 1, 0.3))
	w := open(t, look{})
	for _, size := range [][2]int64{{844, 390}, {640, 360}, {568, 320}} {
		w.run(chromedp.EmulateViewport(size[0], size[1]))
		w.visit(d.links[0])
		w.click(`button[data-mark="signature"]`)
		w.click("#tab-signature-drawn")
		w.until(`document.querySelector("dialog[open] canvas").width > 300`)
		for _, part := range []string{"canvas", "[data-pad=undo]", "[data-pad=clear]", "[data-adopt]", "[data-cancel]", "[role=tab]"} {
			w.wants(fmt.Sprintf(`(e => { const b = e.getBoundingClientRect(); return b.top >= 0 && b.left >= 0 && b.bottom <= innerHeight && b.right <= innerWidth; })(document.querySelector("dialog[open] %s"))`, part),
				fmt.Sprintf("%v: %s is not entirely on the screen", size, part))
		}
		w.wants(`document.querySelector("dialog[open] canvas").clientHeight >= 96`, "the pad is too low to sign on")
	}
}

// press and go make a stroke with a pen of changing pressure.
const withPressure = `(() => { const c = document.querySelector("dialog[open] canvas"), b = c.getBoundingClientRect();
	const at = (type, i, pressure) => c.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, pointerType: "pen", pressure, clientX: b.left + 40 + i * 6, clientY: b.top + 60 + 20 * Math.sin(i / 4) }));
	c.setPointerCapture = () => {};
	at("pointerdown", 0, .1);
	for (let i = 1; i < 40; i++) at("pointermove", i, i < 20 ? .1 : 1);
	at("pointerup", 40, 0); })()`

// TestPressureOfThePen draws with a pen: pressure makes the line thicker, on the page and on paper.
func TestPressureOfThePen(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, place("signature", "Signature", 1, 0.5), place("text", "City", 1, 0.3, "required", false))
	w := open(t, look{})
	w.visit(d.links[0])
	w.click(`button[data-mark="signature"]`)
	w.click("#tab-signature-drawn")
	w.until(`document.querySelector("dialog[open] canvas").width > 300`)
	w.js(withPressure)
	w.click("dialog[open] [data-adopt]")
	w.until(`document.querySelectorAll('button[data-mark="signature"] svg.ink path').length > 3`)
	w.wants(`(p => p.length > 30 && p.at(-1)[2] > 2 * p[8][2] && p.every(x => x[2] >= .25 && x[2] <= 3))(JSON.parse(document.querySelector('[name="signature.data"]').value)[0])`, "the widths do not follow the pressure")
	w.until(`document.querySelector("#saved").textContent === "Saved"`)
	w.visit(d.links[0]) // it is shown again
	w.until(`document.querySelectorAll('button[data-mark="signature"] svg.ink path').length > 3`)
	w.click("#finish")
	w.heading("Everyone has signed")
	c := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
	strokes := c.Text(t, "invitations.0.status")
	if strokes != "signed" {
		t.Errorf("the invitation is %s", strokes)
	}
}

// TestPinchingZooms checks that nothing keeps a touch screen from zooming the pages.
func TestPinchingZooms(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, lease()...)
	w := open(t, look{width: 390, height: 780})
	w.visit(d.links[0])
	w.see(".im img")
	w.wants(`!/user-scalable|maximum-scale/.test(document.querySelector("meta[name=viewport]").content)`, "the page forbids zooming")
	w.wants(`[...document.querySelectorAll("html,body,main,.sheets,.scroller,.page,.im,.im img")].every(e => /^(auto|manipulation|.*pinch-zoom.*)$/.test(getComputedStyle(e).touchAction))`, "a part of the page keeps fingers from zooming")
	w.run(chromedp.EmulateViewport(1280, 800))
	for _, zoom := range []string{"150", "400"} {
		w.js(`{ const z = document.querySelector("#zoom"); z.value = "` + zoom + `"; z.dispatchEvent(new Event("change")); }`)
		w.wants(fmt.Sprintf(`Math.abs(document.querySelector(".page").clientWidth / document.querySelector(".scroller").clientWidth - %s / 100) < .02 && document.documentElement.scrollWidth <= innerWidth`, zoom), zoom+" % is not shown in a region that scrolls")
	}
}
