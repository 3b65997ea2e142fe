package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

func TestDecline(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria(), {"name": "Ben Buyer", "email": "ben@signer.example"}})
	b := guest(t, s)
	b.Visit(d.links[0])
	b.Click(`#review a[href$="/decline"]`)
	b.Write("#i-reason", "The rent is too high.")
	b.Click("button.danger")
	b.Heading("You declined to sign")
	if got := b.Read("blockquote"); got != "The rent is too high." {
		t.Errorf("the reason is %q", got)
	}
	b.Visit(d.links[1])
	b.Heading("Signing has stopped")
	if got := d.Get(t, "/documents/"+d.id).Text(t, "attention"); got != "declined" {
		t.Errorf("attention: %s", got)
	}
}

func TestDelegate(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	b := guest(t, s)
	b.Visit(d.links[0] + "/delegate")
	b.Write("#i-name", "Dora Deputy")
	b.Write("#i-email", "maria@signer.example")
	b.Click("button.primary")
	if got := b.Read("#i-email-error"); !strings.Contains(got, "already invited") {
		t.Errorf("the fault is %q", got)
	}
	b.Write("#i-email", "dora@signer.example")
	b.Click("button.primary")
	b.Heading("Delegated")
	b.Visit(d.links[0])
	b.Heading("This link doesn't work")
	b.Visit("/s/" + s.Link(t, "dora@signer.example", "/s/"))
	b.Heading("Lease of a flat")
}

func TestNotMe(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	b := guest(t, s)
	b.Visit(d.links[0] + "/not-me")
	b.Click("button.danger")
	b.Heading("Thank you")
	b.Visit(d.links[0])
	b.Heading("This link doesn't work")
	if mails := s.Mails(t, d.Email); len(mails) == 0 || !strings.Contains(mails[0].Text, "The invitation reached the wrong person.") {
		t.Errorf("the owner was not told: %v", mails)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	d.Post(t, "/documents/"+d.id+"/void", apptest.Map{"reason": "mistake"}).Want(t, http.StatusOK)
	b := guest(t, s)
	b.Visit(d.links[0])
	b.Heading("This document was voided")

	c := s.Company(t)
	r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Old lease", "send": true, "invitations": []apptest.Map{maria()},
		"expires_at": s.Clock.Now().AddDate(0, 0, 2).UTC().Format("2006-01-02T15:04:05Z")}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	s.Advance(t, "72h")
	b.Visit(r.Text(t, "invitations.0.sign_url"))
	b.Heading("The deadline has passed")
	if text := b.Read("header"); strings.Contains(text, "Please respond by") {
		t.Errorf("too late, and still asked for: %s", text)
	}
	b.Click("button.primary")
	b.See(".notice.ok")
	b.Click("button.primary")
	b.See(".notice.ok")
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
	b := guest(t, s)
	b.Visit(d.links[0])
	b.Heading("One more step")
	if strings.Contains(b.HTML, "maria@signer.example") || strings.Contains(b.HTML, "First page") {
		t.Errorf("the page shows too much: %s", b.HTML)
	}
	if res, _ := fetch(t, d.links[0]+"/files/current"); res.StatusCode != http.StatusForbidden {
		t.Errorf("the file is given without a code: %d", res.StatusCode)
	}
	b.Click(`form[action$="/code"] button`)
	b.See(".notice.ok")
	b.Write("#i-code", "000000x")
	b.Click(`form[action$="/identify"] button`)
	b.See("#i-code-error")
	code := lastCode(t, s, "maria@signer.example")
	b.Write("#i-code", code[:3]+" "+code[3:])
	b.Click(`form[action$="/identify"] button`)
	b.Heading("Lease of a flat")
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
	b := guest(t, s)
	for _, link := range []string{s.URL + "/s/nothing", broken} {
		b.Visit(link)
		b.Heading("This link doesn't work")
		b.Write("#i-email", "maria@signer.example")
		b.Click("button.primary")
		b.See(".notice.ok")
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
	w := open(t, look{language: "ar-XB"})
	w.visit(d.links[0])
	for _, width := range []int64{320, 1280} {
		w.run(chromedp.EmulateViewport(width, 800))
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
