package web_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestPagesOfTheTeamInEveryLook checks the pages about settings, people and
// one's own account.
func TestPagesOfTheTeamInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member := owner.Member(t, account.RoleMember).UserID
	contact := owner.Post(t, "/contacts", apptest.Map{"name": "Ben Buyer", "email": "ben@buyer.example"}).Want(t, http.StatusCreated).Text(t, "id")
	template := owner.Post(t, "/templates", apptest.Map{"title": "Lease for {{Tenant.name}}", "message": "{{rent}}", "roles": apptest.List{apptest.Map{"role_name": "Tenant"}}}).Want(t, http.StatusCreated).Text(t, "id")
	run := owner.Post(t, "/templates/"+template+"/bulk", apptest.Map{"skip_invalid": true, "csv": "Tenant.name,Tenant.email,rent,remark\nTim,tim@tenant.example,1,\nTina,tina,2,\n"}).Want(t, http.StatusOK).Text(t, "run.id")
	owner.Post(t, "/tokens", apptest.Map{"name": "Build server"}).Want(t, http.StatusCreated)
	hook := "/webhooks/" + owner.Post(t, "/webhooks", apptest.Map{"url": "https://hooks.example/paraph", "events": apptest.List{"document.sent"}}).Want(t, http.StatusCreated).Text(t, "id")
	delivery := owner.Post(t, hook+"/test", nil).Want(t, http.StatusOK).Text(t, "id")
	public := owner.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Membership", "roles": apptest.List{apptest.Map{"role_name": "Member"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated).Text(t, "id")
	owner.Post(t, "/templates/"+public+"/links", apptest.Map{"role": "Member", "max_uses": 5, "expires_at": "2040-12-31"}).Want(t, http.StatusCreated)
	owner.Post(t, "/members", apptest.Map{"name": "Mo", "email": "mo@looks.example", "role": "member"}).Want(t, http.StatusCreated)
	message := owner.Get(t, "/outbox").Want(t, http.StatusOK).Text(t, "data.0.id")
	pages := map[string]func(w *window){}
	for name, path := range map[string]string{
		"settings": "/app/settings", "company": "/app/settings/company", "branding": "/app/settings/branding", "consent": "/app/settings/consent",
		"API tokens": "/app/settings/api", "mail": "/app/settings/email", "outbox": "/app/settings/outbox", "certificates": "/app/settings/trust",
		"webhooks": "/app/settings/webhooks", "webhook": "/app/settings" + hook, "delivery": "/app/settings" + hook + "/deliveries/" + delivery,
		"security": "/app/settings/security", "team": "/app/team", "member": "/app/team/" + member, "roles": "/app/team/roles",
		"inviting": "/app/team/invite", "welcome": "/app/welcome", "message": "/app/settings/outbox/" + message,
		"texts": "/app/settings/texts", "text": "/app/settings/texts?kind=invitation&language=en",
		"contacts": "/app/contacts", "contact": "/app/contacts/" + contact, "templates": "/app/templates", "template": "/app/templates/" + template, "use of a template": "/app/templates/" + template + "/use", "bulk runs": "/app/bulk", "bulk run": "/app/bulk/" + run,
		"table for a bulk run": "/app/bulk/new?template=" + template, "me": "/app/me", "my security": "/app/me/security", "my sessions": "/app/me/sessions", "my signature": "/app/me/signature",
		"public links": "/app/templates/" + public + "/links", "new public link": "/app/templates/" + template + "/links/new",
		"action": "/app/action", "lost": "/app/nowhere",
	} {
		pages[name] = func(w *window) {
			w.enter(owner)
			w.visit(s.URL + path)
			w.see("h1")
		}
	}
	pages["authenticator app"] = func(w *window) {
		w.enter(owner)
		w.visit(s.URL + "/app/me/security")
		w.click(`form[action="/app/me/two-factor"] button`)
		w.see(".enrol")
	}
	pages["faulty table of a bulk run"] = func(w *window) {
		w.enter(owner)
		w.visit(s.URL + "/app/bulk/new?template=" + template)
		w.write(`textarea[name="pasted"]`, "Tenant.name,Tenant.email,rent,remark\nTim,tim@tenant.example,1,\nTina,tina,2,\n")
		w.click(`button[value="check"]:not(.vh)`)
		w.see(`input[name="cell.3.1"]`)
		get(w, chromedp.Evaluate[bool](`(() => { for (const d of document.querySelectorAll("main details")) d.open = true; return true; })()`))
	}
	inEveryLook(t, pages)
}
