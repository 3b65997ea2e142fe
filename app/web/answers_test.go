package web_test

import (
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// TestAnswersWaitAndCanBeCleared continues on another device, and starts over.
func TestAnswersWaitAndCanBeCleared(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	desk := guest(t, s)
	desk.Visit(d.links[0])
	desk.Write(`input[type="text"][name^="f."]`, "Porto")
	desk.Click(`#review button[value="save"]`)
	desk.See(".notice.ok")
	phone := guest(t, s)
	phone.Visit(d.links[0])
	if got := phone.Value(`input[type="text"][name^="f."]`); got != "Porto" {
		t.Errorf("the other device shows %q", got)
	}
	phone.Click("details.menu summary")
	phone.Click(`.menu-list a[href$="/clear"]`)
	phone.Heading("Clear your answers?")
	phone.Click("button.danger")
	phone.See(".notice.ok")
	if got := phone.Value(`input[type="text"][name^="f."]`); got != "" {
		t.Errorf("after clearing the page shows %q", got)
	}
}

// TestReadersChooseTheLanguage checks that a reader's choice takes precedence
// over the browser's language and the invitation's.
func TestReadersChooseTheLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria("locale", "de")})
	w := plain.Open(t, s.URL, "Accept-Language", "fr")
	w.Visit(d.links[0])
	w.See(`html[lang="de"]`)
	w.Pick("#language", "es")
	w.Click("footer button")
	w.See(`html[lang="es"]`)
	w.Visit(s.URL + "/verify")
	w.See(`html[lang="es"]`)
}
