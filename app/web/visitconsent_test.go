package web_test

import (
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

// invited returns a browser without a window that is not signed in.
func invited(t *testing.T, s *apptest.Server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, s.URL, http.Client{Jar: jar, Timeout: 2 * time.Minute}}
}

// path returns the path of a link.
func path(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Path
}

// want checks that a page contains each text, and none of those after "not".
func want(t *testing.T, page string, parts ...string) {
	t.Helper()
	page, absent := html.UnescapeString(page), false
	for _, p := range parts {
		if p == "not" {
			absent = true
			continue
		}
		if strings.Contains(page, p) == absent {
			_, main, _ := strings.Cut(page, "<main")
			t.Errorf("%q on the page: %v\n%.1500s", p, absent, main)
		}
	}
}

// events returns the types of a document's events.
func (d *sent) events(t *testing.T) []string {
	t.Helper()
	return d.Get(t, "/documents/"+d.id+"/events?per_page=100").Want(t, http.StatusOK).Texts(t, "data", "type")
}

func (d *sent) happened(t *testing.T, kind string) int {
	t.Helper()
	n := 0
	for _, k := range d.events(t) {
		if k == kind {
			n++
		}
	}
	return n
}

// gated sends a document of a company that requires consent before showing it.
func gated(t *testing.T, s *apptest.Server, people []apptest.Map, fields ...apptest.Map) *sent {
	t.Helper()
	d := send(t, s, people, fields...)
	d.Patch(t, "/company", apptest.Map{"consent_mode": "gate", "consent_text": "I accept papers by electronic means."}).Want(t, http.StatusOK)
	return d
}

// TestConsentGate withholds the document until consent is given, with plain forms.
func TestConsentGate(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := gated(t, s, []apptest.Map{maria()}, lease()...)
	v, at := invited(t, s), path(t, d.links[0])
	_, html := v.get(at)
	want(t, html, "Before you see the document", "I accept papers by electronic means.", at+"/decline", at+"/consent", "not", "First page", "/pages/", "#sign")
	file := d.Get(t, "/documents/"+d.id).Text(t, "files.0.id")
	for _, closed := range []string{"/pages/" + file + "/1.png", "/files/current"} {
		if status, _ := v.get(at + closed); status != http.StatusForbidden {
			t.Errorf("%s is given without consent: %d", closed, status)
		}
	}
	_, html = v.get(at + "/text")
	want(t, html, "Before you see the document", "not", "First page")
	_, html = v.send(at + "/consent")
	want(t, html, "First page of the lease", "You have agreed", "not", `name="consent"`)
	if status, _ := v.get(at + "/pages/" + file + "/1.png"); status != http.StatusOK {
		t.Errorf("the page is not shown after consent: %d", status)
	}
	v.send(at + "/consent")
	if n := d.happened(t, "invitation.consented"); n != 1 {
		t.Errorf("consent is recorded %d times", n)
	}

	_, html = v.get(at + "/withdraw")
	want(t, html, "Withdraw your consent?", "Nothing is signed")
	_, html = v.send(at + "/withdraw")
	want(t, html, "Your consent has been withdrawn", "Before you see the document")
	if n := d.happened(t, "invitation.consent_withdrawn"); n != 1 {
		t.Errorf("the withdrawal is recorded %d times", n)
	}

	v.send(at + "/consent")
	_, html = v.send(at, "do", "finish", "signature.text", "Maria Silva", "f.x", "y")
	want(t, html, "City")
	for _, f := range d.Get(t, "/documents/"+d.id).At(t, "fields").([]any) {
		if f := f.(map[string]any); f["type"] == "text" {
			_, html = v.send(at, "do", "finish", "signature.text", "Maria Silva", "f."+f["id"].(string), "Porto")
		}
	}
	want(t, html, "Everyone has signed")
	if _, html := v.get(at + "/withdraw"); strings.Contains(html, "Withdraw your consent?") {
		t.Error("consent can be withdrawn after signing")
	}
}

// TestNewConsentTextIsAskedAgain checks that a change of the text ends earlier
// consent.
func TestNewConsentTextIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := gated(t, s, []apptest.Map{maria()})
	v, at := invited(t, s), path(t, d.links[0])
	_, html := v.send(at + "/consent")
	want(t, html, "First page")
	d.Patch(t, "/company", apptest.Map{"consent_text": "Another text."}).Want(t, http.StatusOK)
	_, html = v.get(at)
	want(t, html, "Another text.", "not", "First page")
	d.Patch(t, "/company", apptest.Map{"consent_mode": "off"}).Want(t, http.StatusOK)
	_, html = v.get(at)
	want(t, html, "First page", "not", `name="consent"`, "/withdraw")
	_, html = v.send(at, "do", "finish", "signature.text", "Maria Silva")
	want(t, html, "Everyone has signed")
}

// TestConsentIsKeptWithAnswers checks that saved consent applies on the next device,
// until it is withdrawn.
func TestConsentIsKeptWithAnswers(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()})
	at := path(t, d.links[0])
	v := invited(t, s)
	_, html := v.get(at + "/withdraw")
	want(t, html, "nothing to withdraw", "not", `action="`+at+`/withdraw"`)
	v.send(at, "do", "save", "consent", "yes")
	if n := d.happened(t, "invitation.consented"); n != 1 {
		t.Errorf("consent is recorded %d times", n)
	}
	other := invited(t, s)
	const ticked = `name="consent" value="yes" aria-describedby="consent-error" data-req aria-required="true" checked`
	_, html = other.get(at)
	want(t, html, ticked, "(1 of 2 done)</title>")
	_, html = other.send(at + "/withdraw")
	want(t, html, `name="consent"`, "(0 of 2 done)</title>", "not", ticked)
}

// TestConsentInTheAPI records consent through the API, as a program of the
// person invited.
func TestConsentInTheAPI(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := gated(t, s, []apptest.Map{maria()})
	_, token, _ := strings.Cut(d.links[0], "/s/")
	inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
	c, at := s.With(token), "/documents/"+d.id
	c.Get(t, at).Want(t, http.StatusForbidden)
	c.Post(t, at+"/"+inv+"/consent", apptest.Map{"consent": true}).Want(t, http.StatusOK)
	c.Get(t, at).Want(t, http.StatusOK)
	c.Post(t, at+"/"+inv+"/consent", apptest.Map{"consent": false}).Want(t, http.StatusOK)
	c.Post(t, at+"/"+inv+"/consent", apptest.Map{"consent": false}).Want(t, http.StatusConflict)
	c.Get(t, at).Want(t, http.StatusForbidden)
	c.Post(t, at+"/"+inv+"/sign", apptest.Map{}).Want(t, http.StatusUnprocessableEntity)
	d.Post(t, at+"/"+inv+"/consent", apptest.Map{"consent": true}).Want(t, http.StatusNotFound)
	c.Post(t, at+"/"+inv+"/sign", apptest.Map{"consent": true}).Want(t, http.StatusOK)
}

func TestReportAProblem(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	v, at := invited(t, s), path(t, d.links[0])
	status, html := v.send(at+"/report", "message", " ")
	if status != http.StatusUnprocessableEntity {
		t.Errorf("an empty report: %d", status)
	}
	want(t, html, "Report a problem", `aria-invalid="true"`)
	_, html = v.send(at+"/report", "message", "The rent is 900, not 950.")
	want(t, html, "can read your message")
	status, html = v.send(at+"/report", "message", "And my name is wrong.")
	if status != http.StatusTooManyRequests {
		t.Errorf("a second report at once: %d", status)
	}
	want(t, html, "And my name is wrong.")
	s.Advance(t, "10m")
	v.send(at+"/report", "message", "My name is wrong too.")
	told := 0
	for _, m := range s.Mails(t, d.Email) {
		if m.Kind == "problem_reported" && (strings.Contains(m.Text, "900, not 950") || strings.Contains(m.Text, "wrong too")) {
			told++
		}
	}
	if told != 2 {
		t.Errorf("the owner was told %d times", told)
	}
}

// TestHelpOfTheCompany shows the company's phone and privacy notice, and accepts
// no other kind of address.
func TestHelpOfTheCompany(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	for name, bad := range map[string]apptest.Map{"script": {"privacy_url": "javascript:alert(1)"}, "no host": {"privacy_url": "https:///x"},
		"password": {"privacy_url": "https://a:b@example.org"}, "words": {"phone": "call me"}, "mode": {"consent_mode": "maybe"}} {
		if got := d.Patch(t, "/company", bad); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
	v := browse(t, d.Client)
	_, html := v.send("/app/settings/company", companyForm("phone", "+31 (20) 123 45 67", "privacy_url", "https://example.org/privacy")...)
	want(t, html, "+31 (20) 123 45 67")
	_, html = invited(t, s).get(path(t, d.links[0]))
	want(t, html, `href="tel:+31201234567"`, `href="https://example.org/privacy"`)
	_, html = v.send("/app/settings/consent", "consent_mode", "gate", "consent_text", "Mine.")
	want(t, html, `value="gate" checked`)
	r := d.Get(t, "/company")
	if r.Text(t, "consent_mode") != "gate" || r.Text(t, "phone") != "+31 (20) 123 45 67" {
		t.Errorf("the company is %s", r.Body)
	}
	if got := d.Patch(t, "/company", apptest.Map{"phone": nil, "privacy_url": ""}).Want(t, http.StatusOK); strings.Contains(string(got.Body), "example.org/privacy") {
		t.Errorf("the company is %s", got.Body)
	}
}

// TestTextSize keeps the size that somebody chose, without scripts.
func TestTextSize(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	v, at := invited(t, s), path(t, d.links[0])
	_, html := v.send("/text-size", "size", "larger", "next", at)
	want(t, html, `data-text="larger"`, `value="larger" aria-current="true"`)
	_, html = v.get(at + "/text")
	want(t, html, `data-text="larger"`)
	_, html = v.send("/text-size", "size", "normal", "next", at)
	want(t, html, "First page", "not", "data-text")
	if status, _ := v.send("/text-size", "size", "large", "next", "https://elsewhere.example/"); status != http.StatusOK {
		t.Errorf("an address elsewhere: %d", status)
	}
}
