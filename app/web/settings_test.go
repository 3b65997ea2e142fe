package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// visitor is a member's browser without a window: pages and forms over HTTP.
type visitor struct {
	t      *testing.T
	base   string
	client http.Client
}

// browse signs a member in.
func browse(t *testing.T, c *apptest.Client) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	jar.SetCookies(u, []*http.Cookie{{Name: "paraph_session", Value: c.Token}})
	return &visitor{t, c.URL, http.Client{Jar: jar, Timeout: 2 * time.Minute}}
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	return v.do(req)
}

func (v *visitor) do(req *http.Request) (int, string) {
	v.t.Helper()
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// token returns the form token of this browser.
func (v *visitor) token() string {
	v.t.Helper()
	_, html := v.get("/app/settings/api")
	m := formToken.FindStringSubmatch(html)
	if m == nil {
		v.t.Fatalf("no form on the page: %.300s", html)
	}
	return m[1]
}

// send submits a form and follows redirects.
func (v *visitor) send(path string, pairs ...string) (int, string) {
	v.t.Helper()
	values := url.Values{"csrf": {v.token()}}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, strings.NewReader(values.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "text/html")
	return v.do(req)
}

// sendFile sends a form with one file.
func (v *visitor) sendFile(path, field, name string, content []byte, pairs ...string) (int, string) {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	fields := append([]string{"csrf", v.token()}, pairs...)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			v.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile(field, name)
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		v.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		v.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, &b)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	return v.do(req)
}

// contains fails the test for each text missing from a page.
func (v *visitor) contains(html string, texts ...string) {
	v.t.Helper()
	for _, s := range texts {
		if !strings.Contains(html, s) {
			v.t.Errorf("the page does not say %q: %.2000s", s, html[strings.Index(html, "<main"):])
		}
	}
}

// TestSettingsByRole opens every page as every role.
func TestSettingsByRole(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	admins := []string{"/app/settings/company", "/app/settings/branding", "/app/settings/consent", "/app/settings/trust", "/app/settings/webhooks", "/app/settings/security", "/app/settings/security/sign-out", "/app/team/" + owner.UserID}
	everybody := []string{"/app/settings", "/app/settings/api", "/app/team", "/app/team/roles"}
	for _, role := range account.Roles() {
		c := owner
		if role != account.RoleOwner {
			c = owner.Member(t, role)
		}
		v := browse(t, c)
		for _, path := range everybody {
			if status, html := v.get(path); status != http.StatusOK {
				t.Errorf("%s gets %d from %s: %.300s", role, status, path, html)
			}
		}
		for _, path := range admins {
			status, html := v.get(path)
			if role == account.RoleOwner || role == account.RoleAdmin {
				if status != http.StatusOK {
					t.Errorf("%s gets %d from %s: %.300s", role, status, path, html)
				}
				continue
			}
			if status != http.StatusForbidden {
				t.Errorf("%s gets %d from %s", role, status, path)
			}
			v.contains(html, "owners and administrators", owner.Email)
		}
		if role == account.RoleOwner || role == account.RoleAdmin {
			continue
		}
		for _, path := range []string{"/app/settings/company", "/app/settings/branding", "/app/settings/consent", "/app/settings/security", "/app/settings/security/sign-out", "/app/team/invite", "/app/team/" + owner.UserID + "/role", "/app/team/" + owner.UserID + "/deactivate"} {
			if status, _ := v.send(path, "card", "name", "name", "X", "locale", "en", "timezone", "UTC", "emails", "a@b.example", "role", "viewer"); status != http.StatusForbidden {
				t.Errorf("%s may post to %s: %d", role, path, status)
			}
		}
		if _, html := v.get("/app/settings"); strings.Contains(html, "/app/settings/company") {
			t.Errorf("%s is led to what is not theirs", role)
		}
	}
	if got := owner.Get(t, "/company").Want(t, 200).Text(t, "name"); got == "X" {
		t.Error("somebody changed the company")
	}
}

// companyForm returns the form about a company with some of its values changed; "" leaves a checkbox out.
func companyForm(changes ...string) []string {
	values := map[string]string{"name": "Acme", "locale": "en", "timezone": "UTC", "default_expiry_days": "30", "reminder_days": "14, 3;7",
		"on_decline": "void", "require_approval": "yes", "phone": "", "privacy_url": "", "retention_days": ""}
	for i := 0; i+1 < len(changes); i += 2 {
		values[changes[i]] = changes[i+1]
	}
	var out []string
	for name, value := range values {
		if value != "" || name != "require_approval" {
			out = append(out, name, value)
		}
	}
	return out
}

func TestCompanySettings(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	v := browse(t, owner)
	_, html := v.send("/app/settings/company", companyForm()...)
	v.contains(html, "Saved.", `value="3, 7, 14"`)
	got := owner.Get(t, "/company").Want(t, 200)
	if got.Int(t, "default_expiry_days") != 30 || got.At(t, "require_approval") != true || got.Text(t, "on_decline") != "void" {
		t.Errorf("kept %s", got.Body)
	}
	for name, changes := range map[string][]string{
		"no name": {"name", " "}, "no zone": {"timezone", "Nowhere/Town"}, "word": {"default_expiry_days", "soon"},
		"bad days": {"reminder_days", "3, x"}, "day too far": {"reminder_days", "3, 99999"},
		"on decline": {"on_decline", "cry"}, "too long": {"retention_days", "99999999"},
	} {
		status, html := v.send("/app/settings/company", companyForm(changes...)...)
		if status != http.StatusUnprocessableEntity || !strings.Contains(html, `aria-invalid="true"`) {
			t.Errorf("%s: %d: %.200s", name, status, html)
		}
	}
	_, html = v.send("/app/settings/company", companyForm("name", "", "require_approval", "", "privacy_url", "https://example.org/mine")...)
	v.contains(html, `value="https://example.org/mine"`)
	if strings.Contains(html, `name="require_approval" value="yes" checked`) {
		t.Error("a refused form loses what was entered elsewhere in it")
	}
}

// TestOneSaveBar shows the save bar at the edge of the window while there are unsaved changes, discards
// them, and saves the whole page at once. Without scripts the same button is at the end.
func TestOneSaveBar(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := team(t, owner, look{})
	w.visit(s.URL + "/app/settings/company")
	const inView = `(b => b.top >= 0 && b.bottom <= innerHeight)(document.querySelector(".savebar").getBoundingClientRect())`
	w.until("!" + inView)
	w.write(`input[name="name"]`, "Renamed")
	w.until(inView)
	w.click(`.savebar [type="reset"]`)
	w.until("!" + inView + ` && document.querySelector("[name=name]").value !== "Renamed"`)
	w.js(`document.querySelector("[name=name]").value = ""`)
	w.write(`input[name="name"]`, "Renamed")
	w.write(`input[name="phone"]`, "+31 20 123 45 67")
	w.click(`.savebar .btn.primary`)
	w.reads("Saved.")
	if got := owner.Get(t, "/company").Want(t, 200); got.Text(t, "name") != "Renamed" || got.Text(t, "phone") != "+31 20 123 45 67" {
		t.Errorf("kept %s", got.Body)
	}
	b := colleague(t, owner)
	b.Visit(s.URL + "/app/settings/company")
	b.Write(`input[name="privacy_url"]`, "https://example.org/privacy")
	b.Click(`.savebar .btn.primary`)
	b.Says("Saved.")
}

// ask sends a document to one person, and returns it with that person's link.
func ask(t *testing.T, c *apptest.Client, email string) (document, link string) {
	t.Helper()
	body := apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{apptest.Map{"name": "Ben Buyer", "email": email}}, "send": true},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "A lease.")})
	r := c.Post(t, "/documents", body).Want(t, http.StatusCreated)
	return r.Text(t, "id"), r.Text(t, "invitations.0.sign_url")
}

// dot returns a picture of one colour.
func dot(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 60, 20))
	for x := range 60 {
		m.Set(x, 10, color.NRGBA{R: 255, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLogoIsSeenBySignatories uploads one and opens a signatory's page.
func TestLogoIsSeenBySignatories(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	v := browse(t, owner)
	if status, html := v.sendFile("/app/settings/branding/logo", "logo", "logo.svg", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")); status != http.StatusUnprocessableEntity || !strings.Contains(html, "must be a PNG or a JPEG") {
		t.Errorf("an SVG: %d", status)
	}
	status, html := v.sendFile("/app/settings/branding/logo", "logo", "logo.png", dot(t))
	if status != http.StatusOK {
		t.Fatalf("upload: %d: %.500s", status, html)
	}
	v.contains(html, "The logo has been saved.", `src="/logo/`+owner.CompanyID)
	shown := owner.Get(t, "/company").Want(t, 200).Text(t, "logo_url")
	if !strings.HasPrefix(shown, s.URL+"/logo/"+owner.CompanyID+"?v=") {
		t.Errorf("the API shows it at %q", shown)
	}
	res, body := fetch(t, shown)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "image/png" || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") || len(body) == 0 {
		t.Errorf("%d, %v", res.StatusCode, res.Header)
	}
	// A program can write back what it read.
	owner.Patch(t, "/company", apptest.Map{"logo_url": shown, "name": "Acme"}).Want(t, 200)
	_, link := ask(t, owner, "ben@signer.example")
	b := guest(t, s)
	b.Visit(link)
	b.See(`header img.logo[src^="/logo/"]`)
	_, body = fetch(t, s.URL+b.Attribute("header img.logo", "src"))
	if picture, err := png.DecodeConfig(strings.NewReader(body)); err != nil || picture.Width != 60 {
		t.Errorf("signatories are shown %+v, %v", picture, err)
	}
	if mail := s.Mails(t, "ben@signer.example")[0]; !strings.Contains(mail.HTML, `src="`+shown+`"`) {
		t.Errorf("the mail does not show it: %.400s", mail.HTML)
	}
	if _, html = v.send("/app/settings/branding/logo/remove"); strings.Contains(html, `src="/logo/`) {
		t.Error("it is still there")
	}
	if res, _ = fetch(t, shown); res.StatusCode != http.StatusNotFound {
		t.Errorf("it is still served: %d", res.StatusCode)
	}
}

// TestColoursMustBeReadable sets a colour on which white is unreadable.
func TestColoursMustBeReadable(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := team(t, owner, look{})
	w.visit(s.URL + "/app/settings/branding")
	w.write(`input[name="brand_color"]`, "#ff8800")
	w.until(`document.getElementById('contrast').textContent.includes('too low')`)
	w.click(`#colour .savebar button`)
	w.see("#errors")
	proposed := w.value("#use")
	if !account.Readable(proposed) {
		t.Errorf("%q is proposed", proposed)
	}
	if c := owner.Get(t, "/company").Want(t, 200); c.At(t, "brand_color") != nil {
		t.Errorf("it was kept: %s", c.Body)
	}
	w.click("#use")
	w.see(".notice.ok")
	if got := owner.Get(t, "/company").Want(t, 200).Text(t, "brand_color"); got != proposed {
		t.Errorf("got %q, want %q", got, proposed)
	}
}

func TestConsentPage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Signing.Consent = "The server's text." })
	owner := s.Company(t)
	v := browse(t, owner)
	_, html := v.get("/app/settings/consent")
	v.contains(html, account.ConsentName("The server's text."), "has not been changed yet")
	v.send("/app/settings/consent", "consent_text", "First text.\r\nTwo lines.")
	_, html = v.send("/app/settings/consent", "consent_text", "Second <b>text</b>.")
	v.contains(html, "The new version is in force", account.ConsentName("Second <b>text</b>."), account.ConsentName("First text.\nTwo lines."), "First text.\nTwo lines.", "Owner Person", "Second &lt;b&gt;text")
	if status, _ := v.send("/app/settings/consent", "consent_text", strings.Repeat("x", 10_001)); status != http.StatusUnprocessableEntity {
		t.Errorf("a text that is too long: %d", status)
	}
}

// TestTokensInTheBrowser creates a token, uses it, and revokes it.
func TestTokensInTheBrowser(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for name, scripts := range map[string]bool{"scripts": true, "plain": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owner := s.Company(t)
			p := either(t, owner, scripts)
			p.Visit(s.URL + "/app/settings/api")
			p.Write(`input[name="name"]`, "Nightly export")
			p.Click(`label[for="scope-write"]`)
			p.Click(`form[action="/app/settings/api"] button.primary`)
			secret := p.Read("#secret")
			s.With(secret).Get(t, "/documents").Want(t, http.StatusOK)
			s.With(secret).Get(t, "/members").Want(t, http.StatusOK)
			s.With(secret).Patch(t, "/company", apptest.Map{"name": "X"}).Want(t, http.StatusForbidden)
			if _, html := fetch(t, s.URL+"/app/settings/api", "Cookie", "paraph_session="+owner.Token); strings.Contains(html, secret) || !strings.Contains(html, "Nightly export") {
				t.Error("the secret is shown again, or the token is not listed")
			}
			p.Visit(s.URL + "/app/settings/api")
			p.Click(`a.btn.danger`)
			if scripts {
				p.Click(`dialog[open] button.danger`)
			} else {
				p.Heading("Revoke “Nightly export”?")
				p.Click(`main form button.danger`)
			}
			p.See(".notice.ok")
			s.With(secret).Get(t, "/documents").Want(t, http.StatusUnauthorized)
		})
	}
}

func TestTokenForms(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	viewer := owner.Member(t, account.RoleViewer)
	v := browse(t, viewer)
	for name, form := range map[string][]string{
		"no name": {"scope.read", "yes", "life", "30"}, "no scope": {"name", "x", "life", "30"},
		"too much": {"name", "x", "scope.write", "yes", "life", "30"}, "no life": {"name", "x", "scope.read", "yes", "life", "soon"},
		"no address":  {"name", "x", "scope.read", "yes", "life", "30", "addresses", "127.0.0.1, home"},
		"no template": {"name", "x", "scope.read", "yes", "life", "30", "template_ids", "lease"},
	} {
		if status, html := v.send("/app/settings/api", form...); status != http.StatusUnprocessableEntity || strings.Contains(html, `id="secret"`) {
			t.Errorf("%s: %d", name, status)
		}
	}
	status, html := v.send("/app/settings/api", "name", "Reader", "scope.read", "yes", "life", "0", "addresses", "127.0.0.1, 192.0.2.0/24")
	if status != http.StatusCreated {
		t.Fatalf("%d: %.300s", status, html)
	}
	id := viewer.Get(t, "/tokens").Want(t, 200).Text(t, "data.0.id")
	s.Advance(t, "2184h")
	v = browse(t, s.Login(t, viewer.Email))
	_, html = v.get("/app/settings/api")
	v.contains(html, "Unused for 90 days", "does not expire", "only from <bdi>127.0.0.1, 192.0.2.0/24</bdi>", "There is no limit on how often")
	stranger := browse(t, s.Company(t))
	for _, path := range []string{"/app/settings/api/" + id + "/revoke"} {
		if status, _ := stranger.get(path); status != http.StatusNotFound {
			t.Errorf("another company gets %d from %s", status, path)
		}
		if status, _ := stranger.send(path); status != http.StatusNotFound {
			t.Errorf("another company posts to %s: %d", path, status)
		}
	}
}

func TestSecurityPage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member := owner.Member(t, account.RoleMember)
	stranger := s.Company(t)
	s.Anonymous().Post(t, "/login", apptest.Map{"email": member.Email, "password": "wrong"}).Want(t, http.StatusUnauthorized)
	v := browse(t, owner)
	_, html := v.get("/app/settings/security")
	v.contains(html, member.Email, "2 members have not set it up")
	if strings.Contains(html, stranger.Email) {
		t.Error("the log shows somebody of another company")
	}
	// A user without a second factor could not sign in again.
	if status, html := v.send("/app/settings/security", "require_two_factor", "yes"); status != http.StatusConflict || !strings.Contains(html, `id="errors"`) {
		t.Errorf("requiring what one lacks: %d", status)
	}
	b := colleague(t, owner)
	b.Visit("/app/settings/security")
	b.Click(`main a[data-ask]`)
	b.Click(`main button.danger`)
	b.See(".notice.ok")
	member.Get(t, "/me").Want(t, http.StatusUnauthorized)
	stranger.Get(t, "/me").Want(t, http.StatusOK)
}

// TestCertificatesThatRunOut checks the warning above the settings, years
// later.
func TestCertificatesThatRunOut(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member := owner.Member(t, account.RoleMember)
	root := s.Keys.Root()
	v := browse(t, owner)
	_, html := v.get("/app/settings/trust")
	v.contains(html, root.Subject.CommonName, "Created here", "ECDSA P-256", "/trust/root.p7b", "Built in")
	if strings.Contains(html, "expires on") {
		t.Error("a new certificate is said to run out")
	}
	for _, at := range []struct {
		left time.Duration
		kind string
	}{{40 * 24 * time.Hour, "notice warn"}, {5 * 24 * time.Hour, "notice danger"}} {
		s.Advance(t, (root.NotAfter.Sub(s.Clock.Now()) - at.left).String())
		for _, path := range []string{"/app/settings", "/app/settings/company"} {
			_, html := browse(t, s.Login(t, owner.Email)).get(path)
			v.contains(html, at.kind, root.Subject.CommonName, "expires on")
		}
		if _, html := browse(t, s.Login(t, member.Email)).get("/app/settings"); strings.Contains(html, "expires on") {
			t.Error("who can't do anything about it is told")
		}
	}
}
