package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/names"
	"paraph/app/signing/record"
	"paraph/kv"
)

// operates makes a member of a company who may administer the installation.
func operates(t *testing.T, c *apptest.Client) *apptest.Client {
	t.Helper()
	m := c.Member(t, account.RoleViewer)
	if err := c.Accounts.Companies.SetInstallation(m.Email, true); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPagesOfTheInstallationAreForItsAdministrators requests every page below
// /admin, and submits every form, as each kind of caller.
func TestPagesOfTheInstallationAreForItsAdministrators(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	operator := operates(t, owner)
	filled := strings.NewReplacer(":id", owner.CompanyID, ":document", "01K9NOTHING000000000000000", ":message", "01K9NOTHING000000000000000", ":job", "none")
	others := map[string]*apptest.Client{"an owner": owner, "an administrator": owner.Member(t, account.RoleAdmin), "a member": owner.Member(t, account.RoleMember), "another company": s.Company(t)}
	pages := routesUnder(t, "/admin", http.MethodGet)
	for _, route := range pages {
		path := filled.Replace(route)
		res, body := fetch(t, s.URL+path, "Cookie", "paraph_session="+operator.Token)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d: %.300s", path, res.StatusCode, body)
		}
		whole(t, path, res, body)
		for who, c := range others {
			res, body := fetch(t, s.URL+path, "Cookie", "paraph_session="+c.Token)
			if res.StatusCode != http.StatusNotFound || strings.Contains(body, "/admin") && !strings.Contains(body, `action="/theme"`) {
				t.Errorf("%s at %s: %d", who, path, res.StatusCode)
			}
			whole(t, who+" at "+path, res, body)
		}
		if res, _ := fetch(t, s.URL+path); res.StatusCode != http.StatusSeeOther {
			t.Errorf("nobody at %s: %d", path, res.StatusCode)
		}
	}
	forms := routesUnder(t, "/admin", http.MethodPost)
	for _, route := range forms {
		path := filled.Replace(route)
		for who, c := range others {
			if status, _ := browse(t, c).send(path, "name", "X"); status != http.StatusNotFound {
				t.Errorf("%s may post to %s: %d", who, path, status)
			}
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader("name=x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if status, _ := browse(t, operator).do(req); status != http.StatusForbidden {
			t.Errorf("%s without a token: %d", path, status)
		}
	}
	if len(pages) < 8 || len(forms) < 6 {
		t.Errorf("only %d pages and %d forms were tried", len(pages), len(forms))
	}
	_, home := browse(t, operator).get("/app/documents")
	if _, theirs := browse(t, owner).get("/app/documents"); !strings.Contains(home, `href="/admin"`) || strings.Contains(theirs, "/admin") {
		t.Error("the menu leads to the pages whom it should not, or not whom it should")
	}
}

// TestInstallationInForms adds and renames a company, checks all data and reads the
// log, with forms alone.
func TestInstallationInForms(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	operator := operates(t, owner)
	v := browse(t, operator)
	if status, html := v.send("/admin/companies", "name", "", "email", "nobody"); status != http.StatusUnprocessableEntity || !strings.Contains(html, `aria-invalid="true"`) {
		t.Errorf("a form with faults: %d", status)
	}
	status, html := v.send("/admin/companies", "name", "Lease Ltd.", "email", "olga@lease.example", "owner", "Olga")
	if status != http.StatusOK || !strings.Contains(html, s.URL+"/setup?token=") {
		t.Errorf("%d: %.300s", status, html)
	}
	_, html = v.send("/admin/companies", "name", "Second Ltd.", "email", owner.Email)
	v.contains(html, "Second Ltd. has been added", owner.Email)
	_, html = v.get("/admin/companies?search=lease")
	_, after, _ := strings.Cut(html, `<td data-label="Name"><a href="/admin/companies/`)
	id, _, _ := strings.Cut(after, `"`)
	_, html = v.send("/admin/companies/"+id, "name", "Rent Ltd.")
	v.contains(html, "Rent Ltd.", "Saved.")
	_, html = v.get("/admin/people?search=olga@")
	v.contains(html, "olga@lease.example", "Rent Ltd.: owner")
	_, html = v.send("/admin/check")
	v.contains(html, "The check has started.")
	s.Mails(t, owner.Email) // once everything that is due is done
	_, html = v.get("/admin")
	v.contains(html, "No problems", "Up to date")
	for _, path := range []string{"/admin/jobs?status=waiting", "/admin/jobs"} { // there are no others
		_, html = v.get(path)
		v.contains(html, "Cleaning up the outbox", "<code class=\"muted ltr\">outbox_sweep</code>", "This installation")
	}
	held(t, operator, owner.Member(t, account.RoleMember).Email)
	_, html = v.get("/admin/messages?status=held")
	v.contains(html, "<strong>Link to choose a new password</strong>")
	res, _ := fetch(t, s.URL+"/healthz")
	_, html = v.get("/admin/log?request=" + res.Header.Get("X-Request-Id"))
	v.contains(html, "GET /healthz")
	if found, html := v.get("/admin/log?request=01K9NOTHING000000000000000"); found != http.StatusOK || !strings.Contains(html, "No lines found") {
		t.Errorf("%d: %.300s", found, html)
	}
}

// TestPagesOfTheInstallationInEveryLook checks pages below /admin: one of each kind,
// with something in its list.
func TestPagesOfTheInstallationInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	operator := operates(t, owner)
	unsealed(t, owner)
	held(t, operator, owner.Member(t, account.RoleMember).Email)
	pages := map[string]func(w *window){}
	for path, part := range map[string]chromedp.CSS{
		"/admin": "h1", "/admin/companies": "h1", "/admin/people": "h1", "/admin/jobs?status=waiting": "h1",
		"/admin/companies/" + owner.CompanyID: `input[name="name"]`, "/admin/log": "pre.source",
		"/admin/companies/new": `input[name="owner"]`, "/admin/mail": "h1",
		"/admin/attention": `form[action$="/retry"]`, "/admin/messages?status=held": `form[action$="/reveal"]`,
	} {
		pages[path] = func(w *window) {
			w.enter(operator)
			w.visit(s.URL + path)
			w.see(part)
		}
	}
	inEveryLook(t, pages)
}

// unsealed makes a document look as if its sealing had been abandoned.
func unsealed(t *testing.T, owner *apptest.Client) {
	t.Helper()
	id, who := owner.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, http.StatusCreated).Text(t, "id"), account.System(owner.CompanyID)
	err := owner.DB().Update(func(tx *kv.Tx) error {
		d, err := owner.Signing.Store.Load(tx, who.CompanyID, id)
		if err != nil {
			return err
		}
		d.SetAttention(record.Attention{Kind: record.AttentionSealingFailed, Code: "sealing.disk_full"})
		return owner.Signing.Store.Save(tx, who, d, record.NewEvent(record.EventDocumentSealingFailed).With("cause", "disk_full"))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// held queues a link for a person of two companies in the installation's outbox.
func held(t *testing.T, operator *apptest.Client, email string) {
	t.Helper()
	operator.Post(t, "/installation/companies", apptest.Map{"name": "Lease Ltd.", "email": email}).Want(t, http.StatusCreated)
	operator.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": email}).Want(t, http.StatusAccepted)
	if err := operator.Accounts.Upkeep.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestSenderOnThePage shows what DNS says about the sender's domain, with the remedy.
func TestSenderOnThePage(t *testing.T) {
	t.Parallel()
	dns := names.Serve(t, map[string][]string{"acme.example": {"v=spf1 mx +all <b>"}})
	s := apptest.New(t, mailServer(t), func(c *app.Config) { c.Mail.From, c.Network.DNS = "contracts@acme.example", dns.Address })
	owner := s.Company(t)
	if err := s.Accounts.Companies.SetInstallation(owner.Email, true); err != nil {
		t.Fatal(err)
	}
	v := browse(t, owner)
	_, html := v.get("/admin/mail")
	v.contains(html, "/admin/mail/sender")
	if dns.Asked.Load() > 0 {
		t.Error("DNS is asked without being told to")
	}
	_, html = v.get("/admin/mail/sender")
	v.contains(html, "allows anyone to send for it", "in ~all or -all", "all &lt;b&gt;", "selector is unknown", "acme.example has no policy", "Needs fixing")
}
