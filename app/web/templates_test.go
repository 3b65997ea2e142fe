package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// TestATemplateIsMadeAndUsedWithoutScripts saves a document as a template, names
// its role and sends a document made from it, with forms alone.
func TestATemplateIsMadeAndUsedWithoutScripts(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "message": "The rent is {{rent}}.", "invitations": apptest.List{maria()}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	v := browse(t, owner)
	status, body := v.send("/app/documents/" + d.Text(t, "id") + "/template")
	if status != http.StatusOK || !strings.Contains(body, "Signer 1") {
		t.Fatalf("saved as a template: %d %s", status, body)
	}
	template := owner.Get(t, "/templates").Want(t, http.StatusOK)
	id, role := template.Text(t, "data.0.id"), template.Text(t, "data.0.roles.0.id")
	v.send("/app/documents/"+id+"/files", "rows", "1", "signing_order", "parallel", "invitations.0.id", role, "invitations.0.role_name", "Tenant", "do", "save")
	if got := owner.Get(t, "/templates/"+id).Text(t, "roles.0.role_name"); got != "Tenant" {
		t.Errorf("the role is called %q", got)
	}
	if _, body := v.get("/app/documents/" + id + "/files"); !strings.Contains(body, `<a href="/app/templates" aria-current="page">`) ||
		strings.Contains(body, `<a href="/app/documents" aria-current="page">`) {
		t.Error("the page of a template is not among the templates")
	}
	status, body = v.send("/app/templates/"+id+"/use", "people.0.name", "Tim Tenant", "do", "send")
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, "Tim Tenant") {
		t.Errorf("without an address and the rent: %d", status)
	}
	status, body = v.send("/app/templates/"+id+"/use", "people.0.name", "Tim Tenant", "people.0.email", "tim@tenant.example", "variables.rent", "1,200", "do", "send")
	if status != http.StatusOK {
		t.Fatalf("used: %d %s", status, body)
	}
	sent := owner.Get(t, "/documents").Want(t, http.StatusOK)
	if sent.Int(t, "meta.total") != 2 || sent.Text(t, "data.0.status") != "sent" || sent.Text(t, "data.0.signatories.0.name") != "Tim Tenant" {
		t.Errorf("documents: %s", sent.Body)
	}
	if got := owner.Get(t, "/documents/"+sent.Text(t, "data.0.id")).Text(t, "message"); got != "The rent is 1,200." {
		t.Errorf("the message is %q", got)
	}
}

// TestAListIsEnteredInLines uses a template whose file has a repeated section.
func TestAListIsEnteredInLines(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(cfg *app.Config) { cfg.Convert.Soffice = "none" })
	owner := s.Company(t)
	tpl := owner.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Order", "roles": apptest.List{apptest.Map{"role_name": "Buyer"}}},
		apptest.File{Name: "order.docx", Content: apptest.DOCX(t, "{{#items}}", "{{what}} at {{price|0.00}}", "{{/items}}")})).Want(t, http.StatusCreated)
	v, at := browse(t, owner), "/app/templates/"+tpl.Text(t, "id")+"/use"
	form := []string{"people.0.name", "Ben Buyer", "people.0.email", "ben@buyer.example", "do", "draft", "variables.items"}
	if status, body := v.send(at, append(form, "Desk")...); status != http.StatusUnprocessableEntity || !strings.Contains(body, "One item per line: what; price") {
		t.Errorf("an item without a price: %d %s", status, body)
	}
	if status, body := v.send(at, append(form, "Desk; 120\r\nChair; 30.5")...); status != http.StatusOK {
		t.Fatalf("used: %d %s", status, body)
	}
	d := owner.Get(t, "/documents").Want(t, http.StatusOK).Text(t, "data.0.id")
	file := owner.Get(t, "/documents/"+d).Want(t, http.StatusOK).Text(t, "files.0.id")
	found := owner.Get(t, "/documents/"+d+"/files/"+file+"/content").Want(t, http.StatusOK).Body
	if got := apptest.PagesText(t, found); !strings.Contains(got, "Desk at 120.00") || !strings.Contains(got, "Chair at 30.50") {
		t.Errorf("the document says %s", got)
	}
}

// TestTagsFoundInTheEditorAreCoveredAndFollowTheFilledFile accepts the text tags of a template's
// DOCX in the editor, moves one of the fields, and uses the template without its optional part.
func TestTagsFoundInTheEditorAreCoveredAndFollowTheFilledFile(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(cfg *app.Config) { cfg.Convert.Soffice = "none" })
	c := s.Company(t)
	docx := apptest.File{Name: "lease.docx", Content: apptest.DOCX(t, "{{#if garage}}", "The garage is {{garage}}.", "{{/if}}", "For {{tenant}}:",
		"{{Kind;type=select;options=a,b;role=Tenant;font_size=9}}", "", "", "{{signature;role=Tenant}}")}
	for _, plain := range []bool{false, true} {
		tpl := c.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Lease", "roles": apptest.List{apptest.Map{"role_name": "Tenant"}}}, docx)).Want(t, 201)
		d := &drafting{Client: c, id: tpl.Text(t, "id")}
		c.Patch(t, "/documents/"+d.id+"/files/"+tpl.Text(t, "files.0.id"), apptest.Map{"confirmed": true}).Want(t, 200)
		if plain {
			if status, html := browse(t, c).send("/app/documents/"+d.id+"/files", "do", "detect"); status != 200 {
				t.Fatalf("fields are not added: %d %s", status, html)
			}
		} else {
			w := team(t, c, look{width: 1280, height: 700})
			w.edit(d)
			w.click(`[data-do="find"]`)
			w.until(`document.querySelectorAll("#found li").length === 2`)
			w.until(`document.querySelector('[data-do="accept-all"]').getBoundingClientRect().bottom <= innerHeight`)
			w.click(`[data-do="accept-all"]`)
			w.saved()
		}
		kind, signature := c.Get(t, "/templates/"+d.id).Want(t, 200), "fields.1"
		if kind.Text(t, "fields.0.type") != "select" || kind.At(t, "fields.0.font_size") != 9. || kind.Text(t, "fields.1.type") != "signature" {
			t.Fatalf("plain %v: the fields are %s", plain, kind.Body)
		}
		x := kind.At(t, signature+".x").(float64)
		c.Patch(t, "/documents/"+d.id+"/fields/"+kind.Text(t, signature+".id"), apptest.Map{"x": x + .1}).Want(t, 200)
		use := func(values apptest.Map) *apptest.Response {
			return c.Post(t, "/templates/"+d.id+"/documents", apptest.Map{"variables": values, "send": true,
				"people": apptest.List{apptest.Map{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example"}}}).Want(t, 201)
		}
		long, short := use(apptest.Map{"garage": "7", "tenant": "Tim"}), use(apptest.Map{"garage": "", "tenant": "Tim"})
		for _, made := range []*apptest.Response{long, short} {
			file := c.Get(t, "/documents/"+made.Text(t, "id")+"/files/"+made.Text(t, "files.0.id")+"/content").Want(t, 200).Body
			if got := apptest.PagesText(t, file); strings.Contains(got, "{") || strings.Contains(got, "role=") {
				t.Errorf("plain %v: a tag can be read: %s", plain, got)
			}
			if got := made.At(t, signature+".x").(float64); !near(got, x+.1) {
				t.Errorf("plain %v: a field that was moved to %v is at %v", plain, x+.1, got)
			}
		}
		for _, field := range []string{"fields.0", signature} {
			if a, b := long.At(t, field+".y").(float64), short.At(t, field+".y").(float64); b >= a-.01 {
				t.Errorf("plain %v: %s is at %v with a garage, at %v without", plain, field, a, b)
			}
		}
	}
}

// TestANewTemplateIsNamedAfterItsFile leaves the title of a new template empty.
func TestANewTemplateIsNamedAfterItsFile(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	w := colleague(t, c)
	w.Visit(c.URL + "/app/templates")
	w.Click(`form[action="/app/templates/new"] button`)
	w.Heading("Untitled template")
	if got := w.Value("#i-title"); got != "" {
		t.Errorf("the title is %q", got)
	}
	w.Choose("#i-files", plain.File{Name: "Lease.pdf", Content: apptest.PDF(t)})
	w.Click("#add button")
	w.See("#files h4")
	w.Click(`#finish [value="save"]`)
	w.Heading("Lease")
}
