package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// withoutMail configures an appliance that can't send mail, without the tests' access to unsent messages.
func withoutMail(c *app.Config) { c.Server.TestControls = false }

// asked is a sent document with one invitation, and the path and token of its link.
type asked struct {
	document, invitation, token string
}

func (i asked) path() string { return "/documents/" + i.document + "/" + i.invitation }

func sendWith(t *testing.T, c *apptest.Client, person apptest.Map) asked {
	t.Helper()
	person["name"], person["email"] = "Ben Buyer", "ben@signer.example"
	data := apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{person}}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 201)
	_, token, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	return asked{d.Text(t, "id"), d.Text(t, "invitations.0.id"), token}
}

// six matches a code.
var six = regexp.MustCompile(`\b\d{6}\b`)

// TestCodesByMailNeedAMailServer checks that codes cannot be required that cannot be delivered.
func TestCodesByMailNeedAMailServer(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, withoutMail).Company(t)
	person := apptest.Map{"name": "Ben", "email": "ben@signer.example", "authentication": "email_code"}
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{person}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 422)
	if !strings.Contains(string(r.Body), "no_mail_for_codes") || !strings.Contains(string(r.Body), "This server can't send e-mail") {
		t.Errorf("refused with %s", r.Body)
	}
	person["authentication"] = "link"
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{person}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id") + "/invitations/" + d.Text(t, "invitations.0.id")
	c.Patch(t, at, apptest.Map{"authentication": "email_code"}).Want(t, 422)
	c.Patch(t, at, apptest.Map{"authentication": "access_code", "access_code": "open sesame"}).Want(t, 200)
}

// TestCodeOfAnEarlierInvitationIsInTheOutbox removes the mail server after an invitation and a draft required
// codes by e-mail.
func TestCodeOfAnEarlierInvitationIsInTheOutbox(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	s, err := apptest.StartIn(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	owner := s.Company(t)
	sent := sendWith(t, owner, apptest.Map{"authentication": "email_code"})
	draft := owner.Post(t, "/documents/"+sent.document+"/duplicate", nil).Want(t, 201).Text(t, "id")
	template := owner.Post(t, "/documents/"+sent.document+"/template", apptest.Map{"roles": apptest.List{"Tenant"}}).Want(t, 201).Text(t, "id")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = apptest.StartIn(dir, clock, withoutMail); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	c := s.Login(t, owner.Email)
	if r := c.Post(t, "/documents/"+draft+"/send", nil).Want(t, 422); !strings.Contains(string(r.Body), "no_mail_for_codes") {
		t.Errorf("sending the copy: %s", r.Body)
	}
	tenant := apptest.List{apptest.Map{"role": "Tenant", "name": "Cy", "email": "cy@signer.example"}}
	if r := c.Post(t, "/templates/"+template+"/documents", apptest.Map{"people": tenant, "send": true}).Want(t, 422); !strings.Contains(string(r.Body), "no_mail_for_codes") {
		t.Errorf("sending from the template: %s", r.Body)
	}
	page := string(s.Anonymous().Get(t, "/s/"+sent.token).Want(t, 200).Body)
	if strings.Contains(page, "we&#39;ll send") || !strings.Contains(page, "Owner Person") || !strings.Contains(page, "This service doesn&#39;t send e-mail") {
		t.Errorf("the page that asks for the code says %s", page)
	}
	said := s.With(sent.token).Post(t, sent.path()+"/code", nil).Want(t, 202)
	if !strings.Contains(said.Text(t, "message"), "Ask the sender") {
		t.Errorf("the response is %s", said.Body)
	}
	kept := c.Get(t, "/outbox?document_id="+sent.document).Want(t, 200)
	if kept.Text(t, "data.0.kind") != "signing_code" {
		t.Fatalf("the outbox holds %s", kept.Body)
	}
	at := "/outbox/" + kept.Text(t, "data.0.id")
	if six.MatchString(c.Get(t, at).Want(t, 200).Text(t, "text")) {
		t.Error("the code is shown before it is revealed")
	}
	code := six.FindString(c.Post(t, at+"/reveal", nil).Want(t, 200).Text(t, "text"))
	s.With(sent.token).Post(t, sent.path()+"/identify", apptest.Map{"code": code}).Want(t, 200)
	refused(t, c.Post(t, at+"/reveal", nil), 409, "nothing_to_hand_over")
}

// kept returns the path of the newest message of a kind to an address.
func kept(t *testing.T, c *apptest.Client, address, kind string) string {
	t.Helper()
	r := c.Get(t, "/outbox?search="+address).Want(t, 200)
	kinds := r.Texts(t, "data", "kind")
	i := slices.Index(kinds, kind)
	if i < 0 {
		t.Fatalf("no %s to %s is kept: %s", kind, address, r.Body)
	}
	return "/outbox/" + r.Texts(t, "data", "id")[i]
}

// TestAirGappedTeamIsBroughtInByBrowser invites five people, in every role, using pages only, and has one of them
// choose a new password.
func TestAirGappedTeamIsBroughtInByBrowser(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withoutMail)
	owner := s.Company(t)
	b := browse(t, s)
	b.signIn(owner.Email, apptest.Password)
	for i, role := range account.Roles() {
		email := fmt.Sprintf("new%d@company.example", i)
		said := b.post("/app/team/invite", "emails", email, "role", string(role))
		if strings.Contains(said, "is on its way") || !strings.Contains(said, "nothing was sent") {
			t.Errorf("after inviting %s the page says %s", email, said)
		}
		link := b.post(linkForm.FindString(said))
		join := accountLink.FindString(link)
		colleague := browse(t, s)
		colleague.post(join, "name", "New Person", "password", apptest.Password)
		if r := s.Login(t, email); r.CompanyID != owner.CompanyID {
			t.Errorf("%s is in company %s", email, r.CompanyID)
		}
		if again := browse(t, s).get(join); strings.Contains(again, "password") {
			t.Errorf("the link of %s works again", email)
		}
	}
	said := browse(t, s).post("/forgot", "email", "new3@company.example")
	if strings.Contains(said, "by e-mail") || !strings.Contains(said, "Ask an administrator") {
		t.Errorf("the page for a new password says %s", said)
	}
	flushed(t, s)
	if r := owner.Get(t, "/outbox?search=new3@company.example").Want(t, 200); strings.Contains(string(r.Body), `"kind":"reset"`) {
		t.Errorf("the company's outbox holds %s", r.Body)
	}
}

// TestNoCompanyReadsALinkIntoAnAccount requests links for choosing another password, which nobody in a company may see,
// whatever their role: the administrator of the installation hands them over.
func TestNoCompanyReadsALinkIntoAnAccount(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	operator, owner := administrator(t, s), s.Company(t)
	admin, member := owner.Member(t, account.RoleAdmin), owner.Member(t, account.RoleMember)
	for _, c := range []*apptest.Client{owner, admin, member} {
		forgot(t, s, c.Email)
		message := strings.TrimSuffix(strings.TrimPrefix(heldFor(t, operator, c.Email), "/installation/messages/"), "/reveal")
		for _, reader := range []*apptest.Client{owner, admin, s.Company(t)} {
			if r := reader.Get(t, "/outbox?search="+c.Email).Want(t, 200); strings.Contains(string(r.Body), `"kind":"reset"`) {
				t.Errorf("%s sees %s", reader.Email, r.Body)
			}
			for _, path := range []string{"", "/source.eml"} {
				reader.Get(t, "/outbox/"+message+path).Want(t, 404)
			}
			for _, act := range []string{"reveal", "retry", "cancel"} {
				reader.Post(t, "/outbox/"+message+"/"+act, nil).Want(t, 404)
			}
		}
		operator.Post(t, "/installation/messages/"+message+"/reveal", nil).Want(t, 200)
	}
}

// TestACompanyTakesOverNobodyWithItsInvitation has the administrator of one company invite a member of another, and act
// on the link that they were shown.
func TestACompanyTakesOverNobodyWithItsInvitation(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withoutMail)
	victim, evil := s.Company(t), s.Company(t)
	join := map[string]string{}
	for _, email := range []string{victim.Email, "nobody@company.example"} {
		evil.Post(t, "/members", apptest.Map{"email": email, "name": "As Typed", "role": "member"}).Want(t, 201)
		link := evil.Post(t, kept(t, evil, email, "invite")+"/reveal", nil).Want(t, 200).Text(t, "links.0")
		join[email] = strings.TrimPrefix(link, s.URL)
	}
	look := func(email string) string {
		page := browse(t, s).get(join[email])
		page = strings.NewReplacer(email, "", join[email], "").Replace(page)
		return regexp.MustCompile(`name="csrf" value="[^"]*"|nonce-?[^ ">]*`).ReplaceAllString(page, "")
	}
	if known, unknown := look(victim.Email), look("nobody@company.example"); known != unknown {
		t.Errorf("the page tells whether there is an account:\n%s\n%s", known, unknown)
	}
	said := browse(t, s).post(join[victim.Email], "name", "Evil", "password", "the chosen horse 1")
	if strings.Contains(said, "/signout") || !strings.Contains(said, "already an account") {
		t.Errorf("the page says %s", said)
	}
	s.Anonymous().Post(t, "/login", apptest.Map{"email": victim.Email, "password": "the chosen horse 1"}).Want(t, 401)
	victim.Get(t, "/me").Want(t, 200) // nothing was revoked
	if r := evil.Get(t, "/members?search="+victim.Email).Want(t, 200); strings.Contains(string(r.Body), `"status":"active"`) {
		t.Errorf("the company has made them a member: %s", r.Body)
	}

	b := browse(t, s)
	b.post(join[victim.Email], "with", "account")
	b.signIn(victim.Email, apptest.Password)
	r := s.Anonymous().Post(t, "/login", apptest.Map{"email": victim.Email, "password": apptest.Password}).Want(t, 200)
	if companies := r.Texts(t, "companies", "id"); !slices.Contains(companies, evil.CompanyID) || !slices.Contains(companies, victim.CompanyID) {
		t.Errorf("after signing in with the link they are in %v", companies)
	}
}

// linkForm matches the form that shows the link of an invitation.
var linkForm = regexp.MustCompile(`/app/team/\w+/link`)

// accountLink matches a link into an account.
var accountLink = regexp.MustCompile(`/(join|reset)/[\w-]{20,}`)

// flushed waits for messages that are put in the outbox after the response.
func flushed(t *testing.T, s *apptest.Server) {
	t.Helper()
	if err := s.Accounts.Upkeep.Flush(); err != nil {
		t.Fatal(err)
	}
}

// browser keeps cookies and runs no scripts.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
	csrf   string
}

func browse(t *testing.T, s *apptest.Server) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, base: s.URL, client: &http.Client{Jar: jar}}
}

func (b *browser) get(path string) string {
	b.t.Helper()
	return b.read(b.client.Get(b.base + path))
}

// post submits a form of a page.
func (b *browser) post(path string, pairs ...string) string {
	b.t.Helper()
	if b.csrf == "" {
		b.get("/signin")
	}
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	form.Set("csrf", b.csrf)
	return b.read(b.client.PostForm(b.base+path, form))
}

func (b *browser) read(r *http.Response, err error) string {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if found := formToken.FindSubmatch(body); found != nil {
		b.csrf = string(found[1])
	}
	return string(body)
}

func (b *browser) signIn(email, password string) {
	b.t.Helper()
	if page := b.post("/signin", "email", email, "password", password); !strings.Contains(page, "/signout") {
		b.t.Fatalf("%s is not signed in: %s", email, page)
	}
}

// certified signs a document with its link and returns the text of its certificate of completion.
func certified(t *testing.T, c *apptest.Client, i asked, body apptest.Map) string {
	t.Helper()
	body["consent"], body["signature"] = true, apptest.Map{"type": "typed", "text": "Ben Buyer"}
	c.Server.With(i.token).Post(t, i.path()+"/sign", body).Want(t, 200)
	path := filepath.Join(t.TempDir(), "certificate.pdf")
	if err := os.WriteFile(path, c.Post(t, "/documents/"+i.document+"/download", apptest.Map{"content": "certificate"}).Want(t, 200).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", "-raw", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// TestCertificateSaysHowTheLinkTravelled compares what the certificate says with what happened to the link.
func TestCertificateSaysHowTheLinkTravelled(t *testing.T) {
	t.Parallel()
	mailing := apptest.New(t, withServer(strictOffice(t)))
	c := mailing.Company(t)
	person := sendWith(t, c, apptest.Map{})
	settle(t, mailing)
	if text := certified(t, c, person, apptest.Map{}); !strings.Contains(text, "by e-mail to ben@signer.example; the mail server 127.0.0.1 accepted it: 2.0.0 taken as number 17") ||
		!strings.Contains(text, "returned by the API to Owner Person <"+c.Email+">") {
		t.Errorf("certificate for a link mailed and handed out: %s", text)
	}

	s := apptest.New(t, withoutMail)
	c = s.Company(t)
	person = sendWith(t, c, apptest.Map{})
	text := certified(t, c, person, apptest.Map{})
	if strings.Contains(text, "by e-mail") || strings.Contains(text, "sent to their") || strings.Contains(text, "shown in the web app") {
		t.Errorf("certificate for a link handed out by the API only: %s", text)
	}
	if strings.Count(text, "returned by the API") != 1 {
		t.Errorf("certificate for a link returned to one caller of the API: %s", text)
	}

	person = sendWith(t, c, apptest.Map{})
	b := browse(t, s)
	b.signIn(c.Email, apptest.Password)
	at := "/app/documents/" + person.document
	if page := b.get(at); strings.Contains(page, person.token) {
		t.Errorf("the page of the document shows the link: %s", page)
	}
	if page := b.post(at + "/people/" + person.invitation + "/link"); !strings.Contains(page, person.token) {
		t.Errorf("the page with the link is %s", page)
	}
	if text := certified(t, c, person, apptest.Map{}); !strings.Contains(text, "shown in the web app to Owner Person <"+c.Email+">") {
		t.Errorf("certificate for a link shown on a page: %s", text)
	}
	if problems := s.Check(t.Context(), false); len(problems) != 0 {
		t.Errorf("check reports %v", problems)
	}
}

// heldForm finds the forms that show a link in the outbox of the installation.
var heldForm = regexp.MustCompile(`/admin/messages/(\w+)/reveal`)

// TestInstallationHandsOverItsMailByBrowser adds two companies with the same owner, without a mail
// server. The setup link is shown on the page. The link for a new password has to be revealed by the
// installation's administrator: it opens both companies, so neither may hand it over.
func TestInstallationHandsOverItsMailByBrowser(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withoutMail)
	operator, olga := administrator(t, s), browse(t, s)
	b := browse(t, s)
	b.signIn(operator.Email, apptest.Password)
	setup := setupLink.FindString(b.post("/admin/companies", "name", "Lease Ltd.", "owner", "Olga", "email", "olga@lease.example"))
	_, token, _ := strings.Cut(setup, "=")
	if page := olga.get(setup); !strings.Contains(page, `name="password"`) {
		t.Fatalf("the link %q opens %s", setup, page)
	}
	olga.post("/setup", "token", token, "name", "Olga Owner", "email", "olga@lease.example", "company", "Lease Ltd.", "timezone", "UTC", "password", apptest.Password)
	olga = browse(t, s)
	olga.signIn("olga@lease.example", apptest.Password)
	if again := browse(t, s).get(setup); strings.Contains(again, `name="password"`) {
		t.Errorf("the link works again: %s", again)
	}
	if page := b.post("/admin/companies", "name", "Rent Ltd.", "email", "olga@lease.example"); !strings.Contains(page, "Rent Ltd. has been added") || setupLink.MatchString(page) {
		t.Errorf("after adding a company of somebody who has an account the page says %s", page)
	}

	browse(t, s).post("/forgot", "email", "olga@lease.example")
	flushed(t, s)
	page := b.get("/admin/messages?status=held")
	form := heldForm.FindStringSubmatch(page)
	if form == nil || !strings.Contains(page, "olga@lease.example") || accountLink.MatchString(page) {
		t.Fatalf("the outbox of the installation shows %s", page)
	}
	theirs := s.Login(t, "olga@lease.example")
	theirs.Post(t, "/outbox/"+form[1]+"/reveal", nil).Want(t, 404)
	theirs.Post(t, "/installation/messages/"+form[1]+"/reveal", nil).Want(t, 404)
	said := b.post(form[0])
	link := accountLink.FindString(said)
	if handed := operator.Post(t, "/installation/messages/"+form[1]+"/reveal", nil).Want(t, 200); link == "" || !strings.HasSuffix(handed.Text(t, "links.0"), link) {
		t.Fatalf("the page shows %q, the API %s", link, handed.Body)
	}
	browse(t, s).post(link, "password", "another good password 7")
	browse(t, s).signIn("olga@lease.example", "another good password 7")

	flushed(t, s)
	// A notice that her password was changed is held now, with the link for undoing that.
	if page := b.get("/admin/messages?status=held"); strings.Contains(page, form[0]) {
		t.Errorf("after the link was used the page shows %s", page)
	}
	if said := b.post(form[0]); accountLink.MatchString(said) {
		t.Errorf("the used link is shown: %s", said)
	}
	refused(t, operator.Post(t, "/installation/messages/"+form[1]+"/reveal", nil), 409, "nothing_to_hand_over")
	if again := browse(t, s).get(link); strings.Contains(again, `name="password"`) {
		t.Errorf("the used link works again: %s", again)
	}
	if r := operator.Get(t, "/installation/messages?status=held").Want(t, 200); slices.Contains(r.Texts(t, "data", "id"), form[1]) {
		t.Errorf("the API still lists %s", r.Body)
	}
}

// setupLink finds the link to the first password of a company's owner.
var setupLink = regexp.MustCompile(`/setup\?token=[\w-]{20,}`)
