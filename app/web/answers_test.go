package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestAnswersWaitAndCanBeCleared continues on another device, and starts over.
func TestAnswersWaitAndCanBeCleared(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	desk := open(t, look{plain: true})
	desk.visit(d.links[0])
	desk.write(`input[type="text"][name^="f."]`, "Porto")
	desk.click(`#review button[value="save"]`)
	desk.see(".notice.ok")
	phone := open(t, look{plain: true, width: 360, height: 740})
	phone.visit(d.links[0])
	if got := phone.value(`input[type="text"][name^="f."]`); got != "Porto" {
		t.Errorf("the other device shows %q", got)
	}
	phone.click("details.menu summary")
	phone.click(`.menu-list a[href$="/clear"]`)
	phone.heading("Clear your answers?")
	phone.click("button.danger")
	phone.see(".notice.ok")
	if got := phone.value(`input[type="text"][name^="f."]`); got != "" {
		t.Errorf("after clearing the page shows %q", got)
	}
}

// TestReadersChooseTheLanguage checks that a reader's choice takes precedence
// over the browser's language and the invitation's.
func TestReadersChooseTheLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria("locale", "de")})
	w := open(t, look{language: "fr"})
	w.visit(d.links[0])
	w.see(`html[lang="de"]`)
	w.run(chromedp.SetValue("#language", "es"))
	w.click("footer button")
	w.see(`html[lang="es"]`)
	w.visit(s.URL + "/verify")
	w.see(`html[lang="es"]`)
}
