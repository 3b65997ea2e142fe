package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// requiresReading makes a company's new documents ask for being read to the end.
func requiresReading(t *testing.T, s *apptest.Server) *apptest.Client {
	t.Helper()
	c := s.Company(t)
	c.Patch(t, "/company", apptest.Map{"read_to_end": true}).Want(t, http.StatusOK)
	return c
}

// longLease sends a document of two files, one of them with many pages, and returns its address and
// the signatory's link.
func longLease(t *testing.T, c *apptest.Client, people ...apptest.Map) (at string, links []string) {
	t.Helper()
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease of a flat", "send": true, "invitations": people},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "One.", "Two.", "Three.")}, apptest.File{Name: "rules.pdf", Content: apptest.PDF(t, "Four.")})).Want(t, http.StatusCreated)
	return "/documents/" + d.Text(t, "id"), d.Texts(t, "invitations", "sign_url")
}

// readings returns how the recipients read a document, as its evidence says.
func readings(t *testing.T, c *apptest.Client, at string) string {
	t.Helper()
	var out []string
	for _, x := range c.Get(t, at+"/download?content=evidence").Want(t, http.StatusOK).At(t, "signatories").(apptest.List) {
		how, _ := x.(apptest.Map)["reading"].(string)
		out = append(out, how)
	}
	return strings.Join(out, " ")
}

// TestReadToEndWithScript signs in a window where one page is visible at a time: the button to finish
// leads from one unread page to the next.
func TestReadToEndWithScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := requiresReading(t, s)
	at, links := longLease(t, c, maria(), apptest.Map{"name": "Rea Reader", "email": "rea@reader.example", "role": "reader"})
	w := open(t, look{width: 1000, height: 700})
	w.visit(links[0])
	const label, fewer = `document.querySelector("#finish").lastChild.textContent`, `document.querySelector('[name=pages]').value.split(",").length`
	w.until(label + ` === "3 pages left" && document.querySelector("#reading").hidden`)
	w.click(`button[data-mark="signature"]`)
	w.click("dialog[open] [data-adopt]")
	w.click("#end")
	w.until(label + ` === "2 pages left" && document.activeElement.id === "p2"`)
	w.until(`document.querySelector("#saved").textContent === "Saved"`)
	// What was shown is remembered.
	w.run(chromedp.Reload())
	w.until(label + ` === "2 pages left"`)
	w.click("#end")
	w.until(label + ` === "One page left" && document.activeElement.id === "p3" && ` + fewer + ` === 3`)
	w.click("#end")
	w.until(label + ` === "Finish and sign" && document.activeElement.id === "p4"`)
	w.click("#end")
	w.heading("You're done")
	w.visit(links[1])
	for _, want := range []string{"3 pages left", "2 pages left", "One page left", "Mark as read"} {
		w.until(label + ` === "` + want + `"`)
		w.click("#end")
	}
	w.heading("Everyone has signed")
	if got := readings(t, c, at); got != "shown shown" {
		t.Errorf("the evidence says they read it as %q", got)
	}
}

// TestReadToEndWithoutScript confirms having read all pages.
func TestReadToEndWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := requiresReading(t, s)
	at, links := longLease(t, c, maria())
	w := guest(t, s)
	w.Visit(links[0])
	w.Write(`[name="signature.text"]`, "Maria Silva")
	w.Click("#finish")
	w.See("#reading.bad")
	if text := w.Read("#reading"); !strings.Contains(text, "Not shown yet: 1–4.") || !strings.Contains(text, "I have read all pages (4 pages)") {
		t.Errorf("the page says %s", text)
	}
	w.Click("#read-all")
	w.Write(`[name="signature.text"]`, "Maria Silva")
	w.Click("#finish")
	w.Heading("Everyone has signed")
	if got := readings(t, c, at); got != "confirmed" {
		t.Errorf("the evidence says she read it as %q", got)
	}
}

// TestReadToEndIsASetting turns reading to the end on for a company and a document, and off for a template.
func TestReadToEndIsASetting(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	v := browse(t, c)
	on := func(path string) bool {
		_, html := v.get(path)
		box, _, _ := strings.Cut(html[strings.Index(html, `name="read_to_end"`):], ">")
		return strings.Contains(box, " checked")
	}
	v.send("/app/settings/company", companyForm("read_to_end", "yes")...)
	template := c.Post(t, "/templates", apptest.Map{"title": "Terms", "roles": apptest.List{apptest.Map{"role_name": "Buyer"}}}).Want(t, http.StatusCreated)
	if !on("/app/settings/company") || template.At(t, "read_to_end") != true {
		t.Errorf("the company's setting is not in %s", template.Body)
	}
	id := template.Text(t, "id")
	was := on("/app/templates/" + id)
	v.send("/app/templates/"+id, "title", "Terms", "expires_days", "")
	if !was || on("/app/templates/"+id) || c.Get(t, "/templates/"+id).At(t, "read_to_end") != false {
		t.Error("the template can't go without")
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{maria()}, "read_to_end": false},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "One.")})).Want(t, http.StatusCreated).Text(t, "id")
	was = on("/app/documents/" + d + "/review")
	v.send("/app/documents/"+d+"/review", "do", "save", "redirect_url", "", "read_to_end", "yes", "allow_decline", "yes", "allow_delegation", "yes")
	if was || !on("/app/documents/"+d+"/review") || c.Get(t, "/documents/"+d).At(t, "read_to_end") != true {
		t.Error("the document can't ask for it")
	}
}
