package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app"
	"paraph/app/apptest"
)

// TestSaveBars changes, discards, and saves every page that is one form of settings. The bar is in
// view while there are unsaved changes, not over what is being typed, and leaving asks.
func TestSaveBars(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Network.Egress = []string{"127.0.0.1"} })
	owner := s.Company(t)
	if err := s.Accounts.Companies.SetInstallation(owner.Email, true); err != nil {
		t.Fatal(err)
	}
	hook := owner.Post(t, "/webhooks", apptest.Map{"url": "https://hooks.example.org/in"}).Want(t, http.StatusCreated).Text(t, "id")
	_, link := published(t, owner, apptest.Map{})
	w, b := team(t, owner, look{width: 390, height: 700}), colleague(t, owner)
	for _, x := range []struct{ page, input string }{
		{"/app/settings/branding", `[name="brand_color"]`},
		{"/app/settings/consent", `[name="consent_text"]`},
		{"/app/settings/webhooks/" + hook, `[name="url"]`},
		{"/app/settings/texts?kind=invitation&language=en", `[name="subject"]`},
		{"/app/me", `[name="name"]`},
		{"/app" + link, `[name="closing_text"]`},
		{"/admin/mail", `[name="from"]`},
	} {
		const form = `document.querySelector("form[data-dirty]")`
		at, input := s.URL+x.page, chromedp.CSS("form[data-dirty] "+x.input)
		first, second := "Terms {{title}}", "Other terms {{title}}"
		switch x.input {
		case `[name="brand_color"]`:
			first, second = "#123456", "#654321"
		case `[name="url"]`:
			first, second = "https://hooks.example.org/a", "https://hooks.example.org/b"
		case `[name="from"]`:
			first, second = "Acme <a@acme.example>", "Acme <b@acme.example>"
		}
		save := func(p pages, text string) {
			t.Helper()
			p.Write(string(input), text)
			if x.page == "/admin/mail" {
				p.Write(`[name="host"]`, "127.0.0.1")
				p.Pick(`[name="tls"]`, "none")
			}
			p.Click("form[data-dirty] .savebar .btn.primary")
			p.See(".notice.ok")
			p.Visit(at)
			if got := p.Value(string(input)); got != text {
				t.Errorf("%s kept %q, want %q", x.page, got, text)
			}
		}
		w.visit(at)
		w.open(hookForm)
		asks := func(want bool, why string) {
			t.Helper()
			w.js(`window.asked = !dispatchEvent(new Event("beforeunload", {cancelable: true}))`)
			if got := get(w, chromedp.Evaluate[bool]("asked")); got != want {
				t.Errorf("%s: leaving asks: %v, %s", x.page, got, why)
			}
		}
		before := w.value(input)
		asks(false, "without changes")
		w.replace(input, first)
		w.until(`(b => b.top >= 0 && b.bottom <= innerHeight)(` + form + `.querySelector(".savebar").getBoundingClientRect())`)
		w.until(`document.activeElement.getBoundingClientRect().top + 40 <= document.querySelector("form.dirty .savebar").getBoundingClientRect().top`)
		asks(true, "with changes")
		w.click(`form[data-dirty] .savebar [type="reset"]`)
		w.gone("form.dirty")
		if got := w.value(input); got != before {
			t.Errorf("%s: discarding leaves %q, want %q", x.page, got, before)
		}
		asks(false, "after discarding")
		save(w, first)
		asks(false, "after saving")
		b.Visit(at)
		if b.Count(string(hookForm)) > 0 {
			b.Click(string(hookForm))
		}
		save(b, second)
	}

	w.visit(s.URL + "/app/settings/security")
	w.click("#i-require-two-factor")
	w.see("form.dirty .unsaved")
}

// hookForm is the summary that unfolds the form of a webhook.
const hookForm = chromedp.CSS("details.card:not([open]):has(form[data-dirty]) summary")

// replace types over the text of an input, and leaves alone what resetting the form restores.
func (w *window) replace(where chromedp.CSS, text string) {
	w.t.Helper()
	w.see(where)
	w.js(`document.querySelector('` + string(where) + `').select()`)
	w.run(chromedp.SendKeys(where, text))
}

// open unfolds a part of the page, if it is folded.
func (w *window) open(summary chromedp.CSS) {
	w.t.Helper()
	if get(w, chromedp.Evaluate[bool](`!!document.querySelector('`+string(summary)+`')`)) {
		w.click(summary)
	}
}

// TestRefusedAndTriedFormsAreUnsaved leaves forms that were sent and whose input is stored nowhere.
func TestRefusedAndTriedFormsAreUnsaved(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Network.Egress = []string{"127.0.0.1"} })
	owner := s.Company(t)
	if err := s.Accounts.Companies.SetInstallation(owner.Email, true); err != nil {
		t.Fatal(err)
	}
	w := team(t, owner, look{})
	const text = "/app/settings/texts?kind=invitation&language=en"
	w.visit(s.URL + text)
	w.click(`[formaction$="/preview"]`)
	w.see("#preview")
	w.gone("form.dirty")
	w.visit(s.URL + text)
	w.write(`[name="subject"]`, "Sign {{title}}")
	w.click(`[formaction$="/preview"]`)
	w.see("#preview")
	w.see("form.dirty .unsaved")
	w.gone("form.dirty [type=reset]")
	w.js(`window.asked = !dispatchEvent(new Event("beforeunload", {cancelable: true}))`)
	w.wants("asked", "leaving a previewed text does not ask")
	w.write(`[name="subject"]`, "{{nothing}}")
	w.click(".savebar .btn.primary")
	w.see("#errors")
	w.see("form.dirty .unsaved")
	if _, html := browse(t, owner).send("/admin/mail/test", "host", "127.0.0.1", "port", "1", "tls", "none", "from", "a@acme.example", "email", "b@acme.example"); !strings.Contains(html, `data-dirty="on"`) {
		t.Errorf("a tried mail server counts as saved: %s", html)
	}
}
