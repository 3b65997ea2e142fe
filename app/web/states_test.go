package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

func TestDecline(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria(), {"name": "Ben Buyer", "email": "ben@signer.example"}})
	w := open(t, look{plain: true, width: 360, height: 740})
	w.visit(d.links[0])
	w.click(`#review a[href$="/decline"]`)
	w.write("#i-reason", "The rent is too high.")
	w.click("button.danger")
	w.heading("You declined to sign")
	if got := w.read("blockquote"); got != "The rent is too high." {
		t.Errorf("the reason is %q", got)
	}
	w.visit(d.links[1])
	w.heading("Signing has stopped")
	if got := d.Get(t, "/documents/"+d.id).Text(t, "attention"); got != "declined" {
		t.Errorf("attention: %s", got)
	}
}

func TestDelegate(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	w := open(t, look{plain: true})
	w.visit(d.links[0] + "/delegate")
	w.write("#i-name", "Dora Deputy")
	w.write("#i-email", "maria@signer.example")
	w.click("button.primary")
	if got := w.read("#i-email-error"); !strings.Contains(got, "already invited") {
		t.Errorf("the fault is %q", got)
	}
	w.write("#i-email", "dora@signer.example")
	w.click("button.primary")
	w.heading("Delegated")
	w.visit(d.links[0])
	w.heading("This link doesn't work")
	w.visit(s.URL + "/s/" + s.Link(t, "dora@signer.example", "/s/"))
	w.heading("Lease of a flat")
}

func TestNotMe(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	w := open(t, look{plain: true})
	w.visit(d.links[0] + "/not-me")
	w.click("button.danger")
	w.heading("Thank you")
	w.visit(d.links[0])
	w.heading("This link doesn't work")
	if mails := s.Mails(t, d.Email); len(mails) == 0 || !strings.Contains(mails[0].Text, "The invitation reached the wrong person.") {
		t.Errorf("the owner was not told: %v", mails)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	d.Post(t, "/documents/"+d.id+"/void", apptest.Map{"reason": "mistake"}).Want(t, http.StatusOK)
	w := open(t, look{plain: true})
	w.visit(d.links[0])
	w.heading("This document was voided")

	c := s.Company(t)
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Old lease", "send": true, "invitations": []apptest.Map{maria()},
		"expires_at": s.Clock.Now().AddDate(0, 0, 2).UTC().Format("2006-01-02T15:04:05Z")}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	link := r.Texts(t, "invitations", "sign_url")[0]
	s.Advance(t, "72h")
	w.visit(link)
	w.heading("The deadline has passed")
	if text := w.read("header"); strings.Contains(text, "Please respond by") {
		t.Errorf("too late, and still asked for: %s", text)
	}
	w.click("button.primary")
	w.see(".notice.ok")
	w.click("button.primary")
	w.see(".notice.ok")
	told := 0
	for _, m := range s.Mails(t, c.Email) {
		if m.Kind == "link_requested" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the owner was told %d times", told)
	}
}

// TestSeveralFilesForTheSignatory offers each signed file, once everybody has signed.
func TestSeveralFilesForTheSignatory(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Two files", "send": true, "invitations": []apptest.Map{maria()}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "One.")}, apptest.File{Name: "annex.pdf", Content: apptest.PDF(t, "Two.")})).Want(t, http.StatusCreated)
	link := r.Texts(t, "invitations", "sign_url")[0]
	second := link + "/files/document/" + r.Text(t, "files.1.id")
	if res, _ := fetch(t, second); res.StatusCode != http.StatusConflict {
		t.Errorf("before completion: %d", res.StatusCode)
	}
	c.Post(t, "/documents/"+r.Text(t, "id")+"/"+r.Text(t, "invitations.0.id")+"/sign", nil).Want(t, http.StatusOK)
	_, html := fetch(t, link)
	if !strings.Contains(html, `btn primary" href="`+path(t, link)+`/files/all"`) {
		t.Errorf("one file with everything does not come first: %s", html)
	}
	if !strings.Contains(html, "lease.pdf") || !strings.Contains(html, "annex.pdf") {
		t.Errorf("the files are not offered: %s", html)
	}
	res, body := fetch(t, second)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(body, "%PDF") || !strings.Contains(res.Header.Get("Content-Disposition"), "annex.pdf") {
		t.Errorf("%d %s %.20q", res.StatusCode, res.Header.Get("Content-Disposition"), body)
	}
	if res, _ := fetch(t, link+"/files/document/nothing"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a file that doesn't exist: %d", res.StatusCode)
	}
}

// TestSeveralFilesBeforeOthersHaveSigned offers each file to a person who has signed, as it is so far.
func TestSeveralFilesBeforeOthersHaveSigned(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	people := []apptest.Map{maria(), {"name": "Ben Buyer", "email": "ben@signer.example"}}
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Two files", "send": true, "invitations": people},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "One.")}, apptest.File{Name: "annex.pdf", Content: apptest.PDF(t, "Two.")})).Want(t, http.StatusCreated)
	c.Post(t, "/documents/"+r.Text(t, "id")+"/"+r.Text(t, "invitations.0.id")+"/sign", nil).Want(t, http.StatusOK)
	links := r.Texts(t, "invitations", "sign_url")
	second := "/files/document/" + r.Text(t, "files.1.id")
	_, html := fetch(t, links[0])
	if !strings.Contains(html, "lease.pdf") || !strings.Contains(html, second) || !strings.Contains(html, "What happens next") {
		t.Errorf("the files are not offered: %s", html)
	}
	if res, body := fetch(t, links[0]+second); res.StatusCode != http.StatusOK || !strings.HasPrefix(body, "%PDF") {
		t.Errorf("the second file: %d %.20q", res.StatusCode, body)
	}
	if res, _ := fetch(t, links[1]+second); res.StatusCode != http.StatusConflict {
		t.Errorf("the second file of a person who has not signed: %d", res.StatusCode)
	}
}

func TestCodeByMail(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria("authentication", "email_code")})
	w := open(t, look{})
	w.visit(d.links[0])
	w.heading("One more step")
	if text := w.text(); strings.Contains(text, "maria@signer.example") || strings.Contains(text, "First page") {
		t.Errorf("the page shows too much: %s", text)
	}
	if res, _ := fetch(t, d.links[0]+"/files/current"); res.StatusCode != http.StatusForbidden {
		t.Errorf("the file is given without a code: %d", res.StatusCode)
	}
	w.click(`form[action$="/code"] button`)
	w.see(".notice.ok")
	w.write("#i-code", "000000x")
	w.click(`form[action$="/identify"] button`)
	w.see("#i-code-error")
	code := ""
	for _, m := range s.Mails(t, "maria@signer.example") {
		if m.Kind == "signing_code" && code == "" {
			_, rest, _ := strings.Cut(m.Subject, ": ")
			code = rest[:3] + " " + rest[3:]
		}
	}
	w.write("#i-code", code)
	w.click(`form[action$="/identify"] button`)
	w.heading("Lease of a flat")
}

// Programs that fetch links to inspect them change nothing.
func TestFetchingChangesNothing(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	before := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Text(t, "updated_at")
	// Programs that open links before people do: mail filters, messenger previews, virus scanners.
	for _, agent := range []string{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) BingPreview/1.0b", "Slackbot-LinkExpanding 1.0", "facebookexternalhit/1.1", "Barracuda Sentinel (EE)",
		"Mozilla/5.0 (compatible; Proofpoint URL Defense)", "GoogleImageProxy", "curl/8.5.0"} {
		for _, path := range []string{"", "/text", "/disclosure", "/decline", "/delegate", "/not-me", "/typed.svg?text=Maria&font=script1", "/files/current"} {
			if res, body := fetch(t, d.links[0]+path, "User-Agent", agent); res.StatusCode != http.StatusOK {
				t.Errorf("%s, %s: %d %.200s", agent, path, res.StatusCode, body)
			}
		}
	}
	r := d.Get(t, "/documents/"+d.id)
	if r.Text(t, "updated_at") != before || r.Text(t, "invitations.0.status") != "notified" {
		t.Error("fetching changed something")
	}
}

func TestEveryLinkThatOpensNothingLooksTheSame(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	broken := d.links[0][:len(d.links[0])-1] + "~"
	w := open(t, look{plain: true})
	for _, link := range []string{s.URL + "/s/nothing", broken} {
		w.visit(link)
		w.heading("This link doesn't work")
		w.write("#i-email", "maria@signer.example")
		w.click("button.primary")
		w.see(".notice.ok")
	}
	sent := 0
	for _, m := range s.Mails(t, "maria@signer.example") {
		if m.Kind == "reminder" {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("%d messages with the link, want 1", sent)
	}
}

// The layout copes with right-to-left text and longer words.
func TestFromRightToLeft(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	for _, width := range []int64{320, 1280} {
		w := open(t, look{width: width, height: 800, language: "ar-XB"})
		w.visit(d.links[0])
		w.until(`document.dir === "rtl" && document.documentElement.scrollWidth <= innerWidth`)
	}
}

// TestPagesAreDrawnAhead checks that pictures are rendered before anybody views
// them.
func TestPagesAreDrawnAhead(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	send(t, s, []apptest.Map{maria()}, lease()...)
	s.Advance(t, "10s")
	// Both pages have a field, so their pictures are of the prepared revision. Each is drawn
	// for wide screens and for phones.
	if n, size := s.Pictures().Stats(); n < 4 || size == 0 {
		t.Errorf("%d pictures of %d bytes wait for the signatory", n, size)
	}
}
