package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
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
