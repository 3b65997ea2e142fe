package app_test

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// visitor is a browser on the pages of one link.
type visitor struct {
	*apptest.Client
	at      string
	cookies []string
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// form sends one of the forms of a link's pages.
func (v *visitor) form(t *testing.T, from, to string, pairs ...string) *apptest.Response {
	t.Helper()
	page := v.Get(t, v.at+from, "Cookie", strings.Join(v.cookies, "; "))
	for _, c := range page.Header.Values("Set-Cookie") {
		v.cookies = append(v.cookies, c[:strings.IndexByte(c+";", ';')])
	}
	values := url.Values{}
	if m := formToken.FindSubmatch(page.Body); m != nil {
		values.Set("csrf", string(m[1]))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return v.Post(t, v.at+to, apptest.Raw{Type: "application/x-www-form-urlencoded", Body: []byte(values.Encode())},
		"Cookie", strings.Join(v.cookies, "; "), "Origin", v.URL, "Sec-Fetch-Site", "same-origin")
}

func onPages(p signatory) *visitor {
	return &visitor{Client: p.Server.Anonymous(), at: "/s/" + p.Token}
}

// TestDamagedLinksAreSentAgainAFewTimes requests another person's link
// repeatedly, and links that don't exist.
func TestDamagedLinksAreSentAgainAFewTimes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	p := invite(t, s.Company(t), apptest.Map{})
	damaged := &visitor{Client: s.Anonymous(), at: "/s/" + p.Token[:30]}
	nobody := &visitor{Client: s.Anonymous(), at: "/s/01M7Z4BMC36K290EBM3T11X3Q8aaaa"}
	before := len(s.Mails(t, "sam@signer.example"))
	for range 12 {
		got := damaged.form(t, "", "/again", "email", "sam@signer.example").Want(t, http.StatusOK)
		wrong := damaged.form(t, "", "/again", "email", "eve@else.example").Want(t, http.StatusOK)
		none := nobody.form(t, "", "/again", "email", "sam@signer.example").Want(t, http.StatusOK)
		same := func(r *apptest.Response) int { return bytes.Count(r.Body, []byte("get an e-mail shortly")) }
		if same(got) != 1 || same(wrong) != 1 || same(none) != 1 {
			t.Fatal("the responses reveal which links exist")
		}
		s.Advance(t, "5m")
	}
	if sent := len(s.Mails(t, "sam@signer.example")) - before; sent != 5 {
		t.Errorf("%d messages were sent", sent)
	}
	if len(s.Mails(t, "eve@else.example")) > 0 {
		t.Error("a stranger got the link")
	}
}

// TestNotMeIsADecline tries to report an invitation as misdirected where that is
// not allowed.
func TestNotMeIsADecline(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	status := func(p signatory) string {
		return owner.Get(t, strings.Replace(p.invitation, p.document, p.document+"/invitations", 1)).Text(t, "status")
	}
	coded := invite(t, owner, apptest.Map{"access_code": "open sesame"})
	if r := onPages(coded).form(t, "", "/not-me", "note", "Not mine"); r.Status != http.StatusForbidden || status(coded) != "notified" {
		t.Errorf("without the code: %d, %s", r.Status, status(coded))
	}
	d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"send": true, "allow_decline": false, "invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A")})).Want(t, 201)
	_, link, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	at := "/documents/" + d.Text(t, "id")
	strict := signatory{s.With(link), owner, at, at + "/" + d.Text(t, "invitations.0.id")}
	if r := onPages(strict).form(t, "", "/not-me"); r.Status >= 400 || status(strict) != "notified" {
		t.Errorf("where declining is not allowed: %d, %s", r.Status, status(strict))
	}
	if page := onPages(strict).Get(t, "/s/"+link); bytes.Contains(page.Body, []byte("/not-me")) {
		t.Error("declining is offered although not allowed")
	}
	open := invite(t, owner, apptest.Map{})
	if r := onPages(open).form(t, "/not-me", "/not-me"); r.Status != http.StatusOK || status(open) != "declined" {
		t.Errorf("where it is allowed: %d, %s", r.Status, status(open))
	}
}

// TestFewWidthsAreDrawn requests a page in many widths with one link.
func TestFewWidthsAreDrawn(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	p := invite(t, s.Company(t), apptest.Map{})
	picture := p.document + "/files/" + p.Get(t, p.document).Text(t, "files.0.id") + "/pages/1.png?width="
	var drawn []int
	for _, width := range []string{"16", "17", "150", "160", "161", "200", "250", "300", "320", "321", "1239", "1241"} {
		c, err := png.DecodeConfig(bytes.NewReader(p.Get(t, picture+width).Want(t, 200).Body))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(drawn, c.Width) {
			drawn = append(drawn, c.Width)
		}
	}
	if !slices.Equal(drawn, []int{160, 320, 640, 1240, 2000}) {
		t.Errorf("widths %v were drawn", drawn)
	}
}

// TestNamesInRequestsStayOutOfMails sends a document with a foreign host name in
// every header that could carry one.
func TestNamesInRequestsStayOutOfMails(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	person := apptest.Map{"name": "Sam", "email": "sam@signer.example"}
	file := apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A")}
	headers := []string{"X-Forwarded-Host", "phish.example", "X-Forwarded-Proto", "https", "Forwarded", "host=phish.example"}
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"invitations": apptest.List{person}}, file), headers...).Want(t, 201)
	conn := dial(t, s.URL, "POST /documents/"+d.Text(t, "id")+"/send HTTP/1.1\r\nHost: phish.example\r\nAuthorization: Bearer "+c.Token+"\r\nContent-Length: 0\r\n\r\n")
	if r, err := answered(conn); err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r, err)
	}
	for _, m := range s.Mails(t, "sam@signer.example") {
		if strings.Contains(m.Text+m.HTML+strings.Join(m.Links, " "), "phish") {
			t.Errorf("the message links to %v", m.Links)
		}
		if len(m.Links) == 0 || !strings.HasPrefix(m.Links[0], s.URL+"/") {
			t.Errorf("the message links to %v, want %s", m.Links, s.URL)
		}
	}
}
