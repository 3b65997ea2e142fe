package api_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// operator makes a member of a new company who may administer the installation.
func operator(t *testing.T, s *apptest.Server) *apptest.Client {
	t.Helper()
	c := s.Company(t).Member(t, account.RoleViewer)
	if err := s.Accounts.Companies.SetInstallation(c.Email, true); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNobodyElseFindsTheInstallation tries every operation of the installation as every caller who
// may not use it.
func TestNobodyElseFindsTheInstallation(t *testing.T) {
	t.Parallel()
	s := server(t)
	owner, admin := s.Company(t), operator(t, s)
	d := sent(t, owner, 1)
	_, link, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	values := map[string]string{"company": owner.CompanyID, "document": d.Text(t, "id"), "job": "none", "message": owner.CompanyID}
	callers := map[string]*apptest.Client{
		"an owner": owner, "an administrator": owner.Member(t, account.RoleAdmin), "a member": owner.Member(t, account.RoleMember), "another company's owner": s.Company(t),
		"a token of an owner":      s.With(owner.Post(t, "/tokens", obj{"name": "x", "scopes": list{"read", "write", "sign", "admin"}}).Want(t, 201).Text(t, "token")),
		"the operator's own token": s.With(admin.Post(t, "/tokens", obj{"name": "x", "scopes": list{"read"}}).Want(t, 201).Text(t, "token")),
		"a signatory":              s.With(link),
	}
	nowhere := owner.Get(t, "/nowhere").Want(t, 404)
	tried := 0
	for _, e := range endpoints(t, s) {
		if !strings.HasPrefix(e.path, "/installation") {
			continue
		}
		for who, c := range callers {
			if r := c.Do(t, e.method, e.at(values), e.body); r.Status != 404 || string(r.Body) != string(nowhere.Body) {
				t.Errorf("%s at %s: %d %s, want %s", who, e, r.Status, r.Body, nowhere.Body)
			}
		}
		failed(t, s.Anonymous().Do(t, e.method, e.at(values), e.body), 401)
		tried++
	}
	if tried < 14 {
		t.Errorf("only %d operations were tried", tried)
	}
}

func TestCompaniesOfTheInstallation(t *testing.T) {
	t.Parallel()
	s := server(t)
	c, owner := operator(t, s), s.Company(t)
	owner.Member(t, account.RoleMember)
	draft(t, owner, 1)
	row := func(name string) *apptest.Response {
		return c.Get(t, "/installation/companies?per_page=1&search="+strings.ReplaceAll(name, " ", "%20")).Want(t, 200)
	}
	name := owner.Get(t, "/company").Want(t, 200).Text(t, "name")
	r := row(strings.ToLower(name))
	if r.Text(t, "data.0.id") != owner.CompanyID || r.Int(t, "data.0.members") != 2 || r.Int(t, "data.0.documents") != 1 || r.Int(t, "data.0.bytes") < 100 {
		t.Errorf("got %s", r.Body)
	}
	failed(t, c.Post(t, "/installation/companies", obj{}), 422, "name", "email")
	made := c.Post(t, "/installation/companies", obj{"name": "Zebra Ltd.", "email": "olga@zebra.example", "owner": "Olga"}).Want(t, 201)
	_, token, _ := strings.Cut(made.Text(t, "setup_url"), "/setup?token=")
	if len(token) < 20 || made.Text(t, "owner_email") != "olga@zebra.example" {
		t.Errorf("got %s", made.Body)
	}
	known := c.Post(t, "/installation/companies", obj{"name": "Zulu Ltd.", "email": owner.Email}).Want(t, 201)
	if known.At(t, "setup_url") != nil {
		t.Errorf("a link into an account that somebody has: %s", known.Body)
	}
	renamed := c.Patch(t, "/installation/companies/"+made.Text(t, "id"), obj{"name": "Aardvark Ltd."}).Want(t, 200)
	if renamed.Text(t, "name") != "Aardvark Ltd." || row("zebra").Int(t, "meta.total") != 0 || row("AARD").Int(t, "data.0.members") != 1 {
		t.Errorf("got %s", renamed.Body)
	}
	failed(t, c.Patch(t, "/installation/companies/01M7Z4BMC36K290EBM3T11X3Q8", obj{"name": "X"}), 404)
}

func TestPeopleOfTheInstallation(t *testing.T) {
	t.Parallel()
	s := server(t)
	c, owner := operator(t, s), s.Company(t)
	withApp(t, owner)
	r := c.Get(t, "/installation/people?search="+strings.ToUpper(owner.Email)).Want(t, 200)
	if r.Int(t, "meta.total") != 1 || r.Text(t, "data.0.companies.0.id") != owner.CompanyID || r.Text(t, "data.0.companies.0.role") != "owner" ||
		r.At(t, "data.0.two_factor") != true || r.Text(t, "data.0.last_sign_in_at") == "" || r.At(t, "data.0.installation") != false {
		t.Errorf("got %s", r.Body)
	}
	if all := c.Get(t, "/installation/people?per_page=2").Want(t, 200); all.Int(t, "meta.total") < 3 || len(all.At(t, "data").(list)) != 2 {
		t.Errorf("got %s", all.Body)
	}
}

// TestOverviewOfTheInstallation reads the state, checks all data, and finds the log
// of a request.
func TestOverviewOfTheInstallation(t *testing.T) {
	t.Parallel()
	s := apptest.New(t) // a check of what all tests make beside this one would take long
	c := operator(t, s)
	r := c.Get(t, "/installation").Want(t, 200)
	if r.At(t, "last_check") != nil || r.At(t, "last_backup") != nil || r.At(t, "last_upgrade") != nil || r.At(t, "search.rebuilding") != false || !strings.HasPrefix(r.Text(t, "go"), "go1.") || r.Int(t, "format") < 5 || r.Int(t, "companies") < 1 {
		t.Errorf("got %s", r.Body)
	}
	c.Post(t, "/installation/check", nil).Want(t, 202)
	s.Mails(t, c.Email) // once all due work is done
	if r = c.Get(t, "/installation").Want(t, 200); r.Int(t, "last_check.problems") != 0 || r.At(t, "checking") != false {
		t.Errorf("after a check: %s", r.Body)
	}
	id := r.Header.Get("X-Request-Id")
	found := c.Get(t, "/installation/log?request_id="+strings.ToLower(id)).Want(t, 200)
	if lines := found.At(t, "data").(list); len(lines) != 1 || !strings.Contains(lines[0].(string), "GET /installation") {
		t.Errorf("the log of %s: %s", id, found.Body)
	}
	all := string(c.Get(t, "/installation/log").Want(t, 200).Body)
	if strings.Contains(all, c.Token) || strings.Contains(all, c.Email) {
		t.Error("the log shows secrets")
	}
}
