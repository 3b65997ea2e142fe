package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestLinkInEveryLook checks every page behind an invitation's link, in every
// state and look.
func TestLinkInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	ben := apptest.Map{"name": "Ben Buyer", "email": "ben@signer.example"}
	every := func() []apptest.Map {
		return append(lease(), place("date", "Since", 1, 0.4), place("number", "Rent", 1, 0.45), place("initials", "Initials", 1, 0.9),
			place("select", "Floor", 1, 0.55, "options", []string{"first", "second"}, "required", false), place("email", "Mail", 1, 0.6),
			place("attachment", "Passport", 1, 0.65, "required", false), place("image", "Meter", 1, 0.7, "height", 0.1, "required", false), place("date_signed", "Signed on", 2, 0.8))
	}
	first := func(people []apptest.Map, fields ...apptest.Map) string {
		return send(t, s, people, fields...).links[0]
	}
	void := func() string {
		d := send(t, s, []apptest.Map{maria()})
		d.Post(t, "/documents/"+d.id+"/void", apptest.Map{"reason": "A mistake in the text."}).Want(t, http.StatusOK)
		return d.links[0]
	}
	signed := func(people ...apptest.Map) string {
		d := send(t, s, people)
		inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
		d.Post(t, "/documents/"+d.id+"/"+inv+"/sign", apptest.Map{"consent": true}).Want(t, http.StatusOK)
		return d.links[0]
	}
	declined := func(i int) string {
		d := send(t, s, []apptest.Map{maria(), ben})
		inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
		d.Post(t, "/documents/"+d.id+"/"+inv+"/decline", apptest.Map{"reason": "Too expensive."}).Want(t, http.StatusOK)
		return d.links[i]
	}
	checked := files(t, map[string][]byte{strings.Repeat("a_long_name_of_a_file_", 4) + ".pdf": signedCopy(t, s), "plain.pdf": apptest.PDF(t)})
	hand := func(w *window) {
		d := send(w.t, s, []apptest.Map{maria()})
		w.signIn(d.Member(w.t, account.RoleMember))
		w.visit(s.URL + "/app/documents/" + d.id + "/people/" + d.Get(w.t, "/documents/"+d.id).Text(w.t, "invitations.0.id") + "/in-person")
		w.click("main button.primary")
		w.see(`form[action$="/confirm"]`)
	}
	// The picture of the signed page has loaded, not just its frame.
	shown := func(w *window) { w.until(`document.querySelector(".signed img")?.naturalWidth > 500`) }
	_, toTheEnd := longLease(t, requiresReading(t, s), maria())
	pages := map[string]func(w *window){}
	for name, at := range map[string]struct {
		link    string
		heading string
		then    func(w *window)
	}{
		"sign":       {link: first([]apptest.Map{maria()}, every()...), heading: "Lease of a flat"},
		"sign error": {link: first([]apptest.Map{maria()}, every()...), heading: "Lease of a flat", then: func(w *window) { w.refuse() }},
		"dialog": {link: first([]apptest.Map{maria()}, every()...), heading: "Lease of a flat", then: func(w *window) {
			w.click(`button[data-mark="signature"]`)
			w.see("dialog[open]")
		}},
		"dialog to draw": {link: first([]apptest.Map{maria()}, every()...), heading: "Lease of a flat", then: func(w *window) {
			w.click(`button[data-mark="signature"]`)
			w.click("#tab-signature-drawn")
			w.see("dialog canvas")
		}},
		"options": {link: first([]apptest.Map{maria()}), heading: "Lease of a flat", then: func(w *window) {
			w.click("details.menu summary")
			w.see("#text-size")
		}},
		"read to the end": {link: toTheEnd[0], heading: "Lease of a flat", then: func(w *window) {
			w.until(`document.querySelector("#reading").hidden`)
		}},
		"hand back": {link: s.URL + "/s/in-person"},
		"in person": {link: s.URL + "/s/in-person", then: hand},
		"on their device": {link: s.URL + "/s/in-person", then: func(w *window) {
			hand(w)
			w.click("main button.primary")
			w.see("#sign")
		}},
		"consent first": {link: gated(t, s, []apptest.Map{maria()}).links[0]},
		"withdraw":      {link: first([]apptest.Map{maria()}) + "/withdraw"},
		"report":        {link: first([]apptest.Map{maria()}) + "/report"},
		"approve":       {link: first([]apptest.Map{maria("role", "approver"), ben}), heading: "Lease of a flat"},
		"decline":       {link: first([]apptest.Map{maria()}) + "/decline"},
		"delegate":      {link: first([]apptest.Map{maria()}) + "/delegate"},
		"wrong person":  {link: first([]apptest.Map{maria()}) + "/not-me"},
		"clear":         {link: first([]apptest.Map{maria()}) + "/clear"},
		"text":          {link: first([]apptest.Map{maria()}) + "/text"},
		"disclosure":    {link: first([]apptest.Map{maria()}) + "/disclosure"},
		"mail code":     {link: first([]apptest.Map{maria("authentication", "email_code")})},
		"access code":   {link: first([]apptest.Map{maria("authentication", "access_code", "access_code", "lemon tree")})},
		"voided":        {link: void()},
		"completed":     {link: signed(maria()), then: shown},
		"signed":        {link: signed(maria(), ben), then: shown},
		"declined":      {link: declined(0)},
		"stopped":       {link: declined(1)},
		"dead":          {link: s.URL + "/s/nothing"},
		"verify":        {link: s.URL + "/verify", then: func(w *window) { w.check(checked) }},
		"trust":         {link: s.URL + "/trust"},
		"lost":          {link: s.URL + "/nowhere"},
		"sign in":       {link: s.URL + "/signin"},
	} {
		pages[name] = func(w *window) {
			w.visit(at.link)
			w.see("h1")
			if at.then != nil {
				at.then(w)
			}
		}
	}
	inEveryLook(t, pages)
}

// check checks files, and opens all details of the reports.
func (w *window) check(paths []string) {
	w.t.Helper()
	w.see("#i-file")
	w.run(chromedp.SetUploadFiles(chromedp.CSS("#i-file"), paths))
	w.click("form.drop button")
	w.see("#all")
	w.run(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => d.open = true)`))
}

// files writes files to send from a window.
func files(t *testing.T, contents map[string][]byte) []string {
	t.Helper()
	folder := t.TempDir()
	var paths []string
	for name, content := range contents {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// refuse submits the page unchanged, bypassing the script's validation, and
// gets the errors.
func (w *window) refuse() {
	w.t.Helper()
	w.run(chromedp.Evaluate[chromedp.Void](`(f => { f.insertAdjacentHTML("beforeend", '<input type="hidden" name="do" value="finish">'); HTMLFormElement.prototype.submit.call(f); })(document.querySelector("#sign"))`))
	w.see("#errors")
}
