package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// drag draws a line on the pad.
const drag = `(() => { const c = document.querySelector("canvas.pad"), b = c.getBoundingClientRect();
	const at = (type, x, y) => c.dispatchEvent(new PointerEvent(type, {pointerId: 1, button: 0, clientX: b.left + x * b.width, clientY: b.top + y * b.height, bubbles: true}));
	c.setPointerCapture = () => {};
	at("pointerdown", .1, .5); for (let i = 2; i < 9; i++) at("pointermove", i / 10, i % 2 ? .3 : .7); at("pointerup", .9, .5); return true; })()`

// TestHandOverFromAPhone draws on one device and signs on another.
func TestHandOverFromAPhone(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7))
	desk := open(t, look{})
	desk.visit(d.links[0])
	desk.click(`button[data-mark="signature"]`)
	desk.click("#tab-signature-phone")
	desk.until(`document.querySelector(".phone .address")?.textContent.includes("/s/pad/")`)
	address := strings.TrimSpace(desk.read(".phone .address"))
	if !strings.HasPrefix(address, s.URL+"/s/pad/") || strings.Contains(address, d.links[0][strings.LastIndex(d.links[0], "/"):]) {
		t.Fatalf("the phone is led to %s", address)
	}
	phone := open(t, look{width: 360, height: 740})
	phone.visit(address)
	phone.heading("Draw your signature")
	if text := phone.text(); strings.Contains(text, "Lease of a flat") {
		t.Error("the phone is shown what the document is called")
	}
	phone.click("#pad .btn.primary")
	phone.see("#pad .error")
	phone.until(drag)
	phone.click("#pad .btn.primary")
	phone.heading("Sent to your computer")
	desk.see(`button[data-mark="signature"] svg.ink`)
	desk.until(`!document.querySelector("dialog[open]")`)
	desk.click("#finish")
	desk.heading("Everyone has signed")
	if got := d.status(t); got != "completed" {
		t.Errorf("the document is %s", got)
	}
	if res, _ := fetch(t, address); res.StatusCode != http.StatusNotFound {
		t.Errorf("after signing the pad answers %d", res.StatusCode)
	}
}

// TestPadCodes tries invalid codes.
func TestPadCodes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7))
	v, at := invited(t, s), path(t, d.links[0])
	_, page := v.get(at)
	form := url.Values{"csrf": {formToken.FindStringSubmatch(page)[1]}, "kind": {"signature"}}
	res := v.request(http.MethodPost, at+"/pad", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Requested-With", "fetch", "Origin", s.URL)
	var pad struct{ Address string }
	if err := json.NewDecoder(res.Body).Decode(&pad); err != nil {
		t.Fatal(err)
	}
	code := strings.TrimPrefix(pad.Address, s.URL+"/s/pad/")
	if res, _ := fetch(t, s.URL+"/s/pad/"+code); res.StatusCode != http.StatusOK {
		t.Fatalf("the code answers %d", res.StatusCode)
	}
	for i := range len(code) {
		other := []byte(code)
		other[i] = "AB"[map[bool]int{true: 1}[other[i] == 'A']]
		if string(other) == code {
			continue
		}
		if res, _ := fetch(t, s.URL+"/s/pad/"+string(other)); res.StatusCode != http.StatusNotFound && i != len(code)-1 {
			t.Errorf("with another character at %d: %d", i, res.StatusCode)
		}
	}
	for _, bad := range []string{"", "x", strings.Repeat("A", len(code)), strings.Repeat("A", 4000)} {
		if res, _ := fetch(t, s.URL+"/s/pad/"+bad); res.StatusCode != http.StatusNotFound {
			t.Errorf("%.10q: %d", bad, res.StatusCode)
		}
	}
	s.Advance(t, "11m")
	if res, _ := fetch(t, s.URL+"/s/pad/"+code); res.StatusCode != http.StatusNotFound {
		t.Errorf("after eleven minutes: %d", res.StatusCode)
	}
}
