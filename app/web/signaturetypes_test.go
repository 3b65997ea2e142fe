package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// accepting sends a document that accepts only some types of signatures, and returns the page.
func accepting(t *testing.T, types ...string) *sent {
	t.Helper()
	return send(t, apptest.New(t), []apptest.Map{maria()}, place("signature", "Signature", 2, .7, "signature_types", types))
}

func TestOnlyAcceptedSignaturesAreOffered(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ types, tabs, says string }{
		{"drawn typed image", "typed drawn image phone", ""},
		{"typed", "typed", "The sender accepts only typed names here."},
		{"image", "image", "The sender accepts only uploaded pictures here."},
		{"drawn", "drawn phone", "The sender accepts only drawings here."},
	} {
		d := accepting(t, strings.Fields(tc.types)...)
		_, page := fetch(t, d.links[0])
		for _, tab := range []string{"typed", "drawn", "image", "phone"} {
			offered := strings.Contains(tc.tabs, tab)
			if got := strings.Contains(page, `data-type="`+tab+`"`); got != offered {
				t.Errorf("%s: tab %s offered: %v", tc.types, tab, got)
			}
			if got := strings.Contains(page, `id="panel-signature-`+tab+`"`); got != offered {
				t.Errorf("%s: panel %s on the page: %v", tc.types, tab, got)
			}
		}
		if tc.says != "" {
			want(t, page, tc.says)
		}
		if got := strings.Contains(page, "Drawing requires JavaScript"); got != (tc.types == "drawn") {
			t.Errorf("%s: asks for JavaScript: %v", tc.types, got)
		}
	}
}

func TestSignWithTheOnlyAcceptedType(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		accepted string
		sign     func(w *window)
	}{
		{"typed", func(w *window) { w.click("dialog[open] [data-adopt]") }},
		{"drawn", func(w *window) {
			w.until(`(c => c.clientWidth > 0 && c.width === c.clientWidth)(document.querySelector("canvas.pad"))`)
			get(w, chromedp.Evaluate[bool](drag))
			w.click("dialog[open] [data-adopt]")
			// A small drawing is asked about once more.
			w.until(`(d => !d || d.querySelector(".mark-error").textContent !== "")(document.querySelector("dialog[open]"))`)
			if get(w, chromedp.Evaluate[bool](`!!document.querySelector("dialog[open]")`)) {
				w.click("dialog[open] [data-adopt]")
			}
		}},
	} {
		d := accepting(t, tc.accepted)
		w := open(t, look{})
		w.visit(d.links[0])
		w.click(`[data-mark="signature"]`)
		w.see("dialog[open]")
		tc.sign(w)
		w.until(`!document.querySelector("dialog[open]")`)
		w.click("#finish")
		w.heading("Everyone has signed")
		evidence := d.Get(t, "/documents/"+d.id+"/download?content=evidence").Want(t, http.StatusOK)
		if got := evidence.Text(t, "signatories.0.signature_type"); got != tc.accepted {
			t.Errorf("%s: signed with %s", tc.accepted, got)
		}
	}
}

func TestTypedWithoutScript(t *testing.T) {
	t.Parallel()
	d := accepting(t, "typed")
	w := guest(t, d.Server)
	w.Visit(d.links[0])
	w.Write(`[name="signature.text"]`, "Maria Silva")
	w.Click("#finish")
	w.Heading("Everyone has signed")
}

// TestTypedIsRefusedWithoutScript posts a type that the page does not offer.
func TestTypedIsRefusedWithoutScript(t *testing.T) {
	t.Parallel()
	d := accepting(t, "drawn")
	w := guest(t, d.Server)
	w.Visit(d.links[0])
	w.Click("#finish")
	w.See("#errors")
	if got := w.Read("#mark-signature"); !strings.Contains(got, "Drawing requires JavaScript") {
		t.Errorf("the page says %q", got)
	}
	if got := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Text(t, "status"); got != "sent" {
		t.Errorf("the document is %s", got)
	}
}

// TestChooseAcceptedSignatures sets the types where the web app has them.
func TestChooseAcceptedSignatures(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	w := team(t, c, look{width: 1280, height: 1000})
	w.visit(c.URL + "/app/settings/company")
	pick(w, "[name=signature_types]", "drawn image")
	w.click(`form:has([name=signature_types]) .btn.primary`)
	w.see(".notice.ok")
	if got := fmt.Sprint(c.Get(t, "/company").At(t, "signature_types")); got != "[drawn image]" {
		t.Errorf("the company accepts %s", got)
	}

	d := newDraft(t, c, 1, maria())
	d.put(t, place("signature", "Signature", 1, .1))
	w.edit(d)
	w.click(`.box:nth-of-type(1)`)
	w.pane("properties")
	pick(w, "#q-marks", "drawn")
	w.saved()
	w.visit(c.URL + "/app/documents/" + d.id + "/review")
	w.click(`.options > summary`)
	pick(w, "[name=signature_types]", "drawn typed")
	w.click(`[name=do][value=save]`)
	w.until(`!location.pathname.endsWith("/review")`)
	r := c.Get(t, "/documents/"+d.id)
	if got := fmt.Sprint(r.At(t, "fields.0.signature_types"), r.At(t, "signature_types")); got != "[drawn] [drawn typed]" {
		t.Errorf("the field and the document accept %s", got)
	}
}
