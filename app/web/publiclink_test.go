package web_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// published makes a template with a public link.
func published(t *testing.T, c *apptest.Client, link apptest.Map) (url string, at string) {
	t.Helper()
	tpl := c.Post(t, "/templates", apptest.Multipart(t, apptest.Map{
		"title": "Membership of {{member.name}}",
		"roles": apptest.List{apptest.Map{"role_name": "Member"},
			apptest.Map{"role_name": "Club", "name": "Carla Club", "email": "carla@club.example"}},
	}, apptest.File{Name: "form.pdf", Content: apptest.PDF(t, "I join.")})).Want(t, http.StatusCreated).Text(t, "id")
	link["role"] = "Member"
	made := c.Post(t, "/templates/"+tpl+"/links", link).Want(t, http.StatusCreated)
	return made.Text(t, "url"), "/templates/" + tpl + "/links/" + made.Text(t, "id")
}

// passer is a stranger with a browser of their own.
type passer struct {
	*visitor
	link string
}

func stranger(t *testing.T, s *apptest.Server, link string) *passer {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &passer{&visitor{t, s.URL, http.Client{Jar: jar, Timeout: 2 * time.Minute}}, strings.TrimPrefix(link, s.URL)}
}

// start submits the form of the link.
func (p *passer) start(pairs ...string) (status int, page string) {
	p.t.Helper()
	_, form := p.get(p.link)
	values := url.Values{}
	if m := formToken.FindStringSubmatch(form); m != nil {
		values.Set("csrf", m[1])
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	body := strings.NewReader(values.Encode())
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+p.link, body)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "text/html")
	return p.do(req)
}

var sixDigits = regexp.MustCompile(`\b(\d{6})\b`)

func lastCode(t *testing.T, s *apptest.Server, to string) string {
	t.Helper()
	for _, m := range s.Mails(t, to) {
		if code := sixDigits.FindString(m.Text); code != "" && m.Kind == "signing_code" {
			return code
		}
	}
	t.Fatalf("no code was mailed to %s", to)
	return ""
}

func documentsOf(t *testing.T, c *apptest.Client) []string {
	t.Helper()
	return c.Get(t, "/documents").Want(t, http.StatusOK).Texts(t, "data", "id")
}

func TestPublicLinkLeadsToSigning(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	link, at := published(t, c, apptest.Map{})
	w := guest(t, s)
	w.Visit(link)
	w.Heading("Membership of …")
	w.Write("#i-name", "Mia Member")
	w.Write("#i-email", "mia@member.example")
	w.Click("main .card button.primary")
	w.See("#i-code")
	if n := len(documentsOf(t, c)); n != 0 {
		t.Errorf("%d documents before the address was proven", n)
	}
	w.Write("#i-code", lastCode(t, s, "mia@member.example"))
	w.Click("main .card button.primary")
	w.Heading("Membership of Mia Member")

	id := documentsOf(t, c)[0]
	d := c.Get(t, "/documents/"+id).Want(t, http.StatusOK)
	for path, want := range map[string]any{
		"status": "sent", "owner.id": c.UserID, "invitations.0.email": "mia@member.example",
		"invitations.0.authentication": "email_code", "invitations.1.email": "carla@club.example",
	} {
		if got := d.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	events := c.Get(t, "/documents/"+id+"/events").Want(t, http.StatusOK)
	linkID := at[strings.LastIndex(at, "/")+1:]
	created, shown := false, false
	for i, kind := range events.Texts(t, "data", "type") {
		e := fmt.Sprintf("data.%d.", i)
		switch kind {
		case "document.created":
			created = events.Text(t, e+"data.link") == linkID && events.Text(t, e+"actor.type") == "system"
		case "invitation.link_shown":
			shown = shown || events.Text(t, e+"data.through") == "public_code" && events.Text(t, e+"actor.type") == "signatory"
		}
	}
	if !created || !shown {
		t.Errorf("the audit trail does not say that it came through the link: %s", events.Body)
	}
	if got := c.Get(t, at).Want(t, http.StatusOK).Int(t, "uses_count"); got != 1 {
		t.Errorf("%d uses", got)
	}
}

// TestPublicLinkKeepsTheCheckOfItsRole starts again without e-mail: the role demands a code, so nobody
// gets in.
func TestPublicLinkKeepsTheCheckOfItsRole(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	start := func(mails bool) *apptest.Server {
		s, err := apptest.StartIn(dir, clock, func(cfg *app.Config) { cfg.Server.TestControls = mails })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	end := func(s *apptest.Server) {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	s := start(true)
	c := s.Company(t)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Membership",
		"roles": apptest.List{apptest.Map{"role_name": "Member", "authentication": "email_code"}},
	}, apptest.File{Name: "form.pdf", Content: apptest.PDF(t, "I join.")})).Want(t, http.StatusCreated).Text(t, "id")
	link := c.Post(t, "/templates/"+tpl+"/links", apptest.Map{"role": "Member"}).Want(t, http.StatusCreated).Text(t, "url")
	path := strings.TrimPrefix(link, s.URL)
	if _, html := stranger(t, s, link).get(path); !strings.Contains(html, `name="email"`) {
		t.Errorf("with e-mail, the page is %.500s", html)
	}
	end(s)
	s = start(false)
	t.Cleanup(func() { end(s) })
	if status, _ := stranger(t, s, s.URL+path).start("name", "Mia Member", "email", "mia@member.example"); status != http.StatusGone {
		t.Errorf("without e-mail, the status is %d", status)
	}
	if made := documentsOf(t, s.Login(t, c.Email)); len(made) != 0 {
		t.Errorf("the documents %v were made", made)
	}
}

func TestPublicLinkWithoutCodes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		captures bool
		link     apptest.Map
	}{
		"no mail server": {false, apptest.Map{}},
		"not wanted":     {true, apptest.Map{"check_address": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t, func(cfg *app.Config) { cfg.Server.TestControls = tt.captures })
			c := s.Company(t)
			link, _ := published(t, c, tt.link)
			p := stranger(t, s, link)
			if status, html := p.start("name", "Mia Member", "email", "mia@member.example"); status != http.StatusOK ||
				!strings.Contains(html, "Membership of Mia Member") {
				t.Fatalf("%d: %.2000s", status, html)
			}
			id := documentsOf(t, c)[0]
			d := c.Get(t, "/documents/"+id).Want(t, http.StatusOK)
			if got := d.Text(t, "invitations.0.authentication"); got != "link" {
				t.Errorf("the address counts as proven by %s", got)
			}
			if events := string(c.Get(t, "/documents/"+id+"/events").Body); !strings.Contains(events, `"through":"public"`) {
				t.Errorf("the trail does not say how they got the link: %s", events)
			}
		})
	}
}

func TestPublicLinkRefusesFaultyInputAndWrongCodes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	link, at := published(t, c, apptest.Map{})
	p := stranger(t, s, link)
	good := []string{"name", "Mia Member", "email", "mia@member.example"}
	for name, pairs := range map[string][]string{
		"nothing":              {},
		"no address":           {"name", "Mia", "email", "mia"},
		"somebody else's role": {"name", "Mia", "email", "Carla@Club.example"},
		"code without sending": append([]string{"code", "123456"}, good...),
		"empty code":           append([]string{"code", ""}, good...),
	} {
		if status, html := p.start(pairs...); status != http.StatusUnprocessableEntity || !strings.Contains(html, `id="errors"`) {
			t.Errorf("%s: %d: %.1500s", name, status, html)
		}
	}
	if status, _ := p.start(good...); status != http.StatusOK {
		t.Fatalf("no code was sent: %d", status)
	}
	if status, _ := p.start(good...); status != http.StatusTooManyRequests {
		t.Errorf("two codes at once: %d", status)
	}
	code := lastCode(t, s, "mia@member.example")
	if status, _ := p.start("name", "Mia", "email", "other@member.example", "code", code); status != http.StatusUnprocessableEntity {
		t.Errorf("the code of another address: %d", status)
	}
	wrong := "000000"
	if code == wrong {
		wrong = "000001"
	}
	for try, want := range []int{422, 422, 422, 422, 422, 429} {
		if status, _ := p.start(append([]string{"code", wrong}, good...)...); status != want {
			t.Errorf("wrong code %d: %d, want %d", try, status, want)
		}
	}
	if status, _ := p.start(append([]string{"code", code}, good...)...); status != http.StatusTooManyRequests {
		t.Errorf("the right code after too many wrong ones: %d", status)
	}
	if n := len(documentsOf(t, c)); n != 0 || c.Get(t, at).Int(t, "uses_count") != 0 {
		t.Errorf("%d documents", n)
	}
	large := strings.Repeat("x", 17<<10)
	if status, _ := p.start("name", large, "email", "mia@member.example"); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", status)
	}
}

// TestPublicLinkIsNoDirectory has a stranger try who else signs the documents of a link.
func TestPublicLinkIsNoDirectory(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	link, _ := published(t, s.Company(t), apptest.Map{})
	p := stranger(t, s, link)
	tries := 0
	for status := http.StatusUnprocessableEntity; status == http.StatusUnprocessableEntity && tries <= 60; tries++ {
		status, _ = p.start("name", "Mia", "email", "carla@club.example")
	}
	if status, _ := p.start("name", "Mia", "email", "carla@club.example"); status != http.StatusTooManyRequests || tries != 61 {
		t.Errorf("%d after %d tries", status, tries)
	}
}

// TestPublicLinksWriteToAnAddressSoOften has a stranger send somebody messages from the links of two companies.
func TestPublicLinksWriteToAnAddressSoOften(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	var links []string
	for range 2 {
		link, _ := published(t, s.Company(t), apptest.Map{"check_address": false})
		links = append(links, link)
	}
	for i := range 21 {
		status, html := stranger(t, s, links[i%2]).start("name", "Mia", "email", "Mia@member.example")
		if want := map[bool]int{false: http.StatusOK, true: http.StatusTooManyRequests}[i == 20]; status != want {
			t.Fatalf("visit %d: %d: %.500s", i, status, html)
		}
	}
	if status, _ := stranger(t, s, links[0]).start("name", "Ben", "email", "ben@member.example"); status != http.StatusOK {
		t.Errorf("another address: %d", status)
	}
}

// TestPublicLinkFormRefusesWrongDates posts a day that browsers don't send.
func TestPublicLinkFormRefusesWrongDates(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	_, at := published(t, c, apptest.Map{})
	f := newFormClient(t, c)
	role := c.Get(t, at).Want(t, http.StatusOK).Text(t, "role")
	if status, html := f.form("/app"+at, "role", role, "expires_at", "31.12.2040"); status != http.StatusUnprocessableEntity {
		t.Errorf("%d: %.1500s", status, html)
	}
}

func TestPublicLinkCodeServesOnce(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	link, _ := published(t, c, apptest.Map{})
	p := stranger(t, s, link)
	p.start("name", "Mia", "email", "mia@member.example")
	code := lastCode(t, s, "mia@member.example")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { p.start("name", "Mia", "email", "mia@member.example", "code", code) })
	}
	all.Wait()
	if n := len(documentsOf(t, c)); n != 1 {
		t.Errorf("%d documents of one code", n)
	}
}

func TestPublicLinkNeverExceedsItsLimit(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	link, at := published(t, c, apptest.Map{"check_address": false, "max_uses": 3, "closing_text": "We are full."})
	var all sync.WaitGroup
	for i := range 6 {
		p := stranger(t, s, link)
		all.Go(func() { p.start("name", "Mia", "email", fmt.Sprintf("mia%d@member.example", i)) })
	}
	all.Wait()
	got := c.Get(t, at).Want(t, http.StatusOK)
	if n := len(documentsOf(t, c)); n != 3 || got.Int(t, "uses_count") != 3 || got.Text(t, "status") != "used_up" {
		t.Errorf("%d documents: %s", n, got.Body)
	}
}

func TestClosedPublicLinksShowNothingElse(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for name, close := range map[string]func(c *apptest.Client, at string){
		"off":     func(c *apptest.Client, at string) { c.Patch(t, at, apptest.Map{"enabled": false}).Want(t, 200) },
		"deleted": func(c *apptest.Client, at string) { c.Delete(t, at[:strings.Index(at, "/links/")]).Want(t, 200) },
		"archived": func(c *apptest.Client, at string) {
			c.Post(t, at[:strings.Index(at, "/links/")]+"/archive", nil).Want(t, 200)
		},
	} {
		c := s.Company(t)
		link, at := published(t, c, apptest.Map{"closing_text": "We are full."})
		p := stranger(t, s, link)
		_, open := p.get(p.link)
		token := formToken.FindStringSubmatch(open)[1]
		close(c, at)
		status, html := p.get(p.link)
		if status != http.StatusGone || !strings.Contains(html, "We are full.") || strings.Contains(html, "Membership") ||
			strings.Contains(html, "Owner Person") {
			t.Errorf("%s: %d: %.2000s", name, status, html)
		}
		status, html = p.start("csrf", token, "name", "Mia", "email", "mia@member.example")
		if status != http.StatusGone || !strings.Contains(html, "We are full.") || len(documentsOf(t, c)) != 0 {
			t.Errorf("%s, form sent anyway: %d", name, status)
		}
		if mails := c.Get(t, "/outbox").Want(t, 200).Int(t, "meta.total"); mails != 0 {
			t.Errorf("%s: %d messages", name, mails)
		}
	}
	c := s.Company(t)
	link, at := published(t, c, apptest.Map{})
	other := link[:len(link)-1] + "_"
	if other == link {
		other = link[:len(link)-1] + "-"
	}
	for _, bad := range []string{other, s.URL + "/p/nothing", link + "x"} {
		if res, _ := fetch(t, bad); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", bad, res.StatusCode)
		}
	}
	c.Delete(t, at).Want(t, http.StatusNoContent)
	if res, _ := fetch(t, link); res.StatusCode != http.StatusNotFound {
		t.Errorf("a deleted link: %d", res.StatusCode)
	}
}

// TestClosedPublicLinksSayWhy opens links that do not work, in the language of the visitor.
func TestClosedPublicLinksSayWhy(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for name, tt := range map[string]struct {
		link    apptest.Map
		close   func(c *apptest.Client, link, at string)
		english string
		german  string
	}{
		"off": {apptest.Map{}, func(c *apptest.Client, _, at string) { c.Patch(t, at, apptest.Map{"enabled": false}).Want(t, 200) },
			"has been closed", "Dieser Link wurde geschlossen"},
		"expired": {apptest.Map{"expires_at": s.App.Clock.Now().Add(time.Hour).Format(time.RFC3339)}, func(*apptest.Client, string, string) { s.Advance(t, "2h") },
			"time for signing here is over", "Zeit zum Unterzeichnen ist abgelaufen"},
		"used up": {apptest.Map{"max_uses": 1, "check_address": false}, func(_ *apptest.Client, link, _ string) {
			stranger(t, s, link).start("name", "Mia", "email", "mia@member.example")
		}, "has reached its limit", "Höchstzahl für diesen Link"},
		"archived": {apptest.Map{}, func(c *apptest.Client, _, at string) {
			c.Post(t, at[:strings.Index(at, "/links/")]+"/archive", nil).Want(t, 200)
		}, "can&#39;t be signed here", "kann hier zurzeit nicht unterzeichnet werden"},
	} {
		c := s.Company(t)
		tt.link["closing_text"] = "We meet again in spring."
		link, at := published(t, c, tt.link)
		tt.close(c, link, at)
		for language, want := range map[string]string{"en": tt.english, "de": tt.german} {
			r := c.Anonymous().Get(t, strings.TrimPrefix(link, s.URL), "Accept", "text/html", "Cookie", "paraph_language="+language).Want(t, http.StatusGone)
			if html := string(r.Body); !strings.Contains(html, want) || !strings.Contains(html, "We meet again") {
				t.Errorf("%s, %s: %.3000s", name, language, html)
			}
		}
	}
}

// TestPublicLinkOfAFullCompany fills a company up, and makes room again.
func TestPublicLinkOfAFullCompany(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.Limits.CompanyDocuments = 3 })
	c := s.Company(t)
	link, at := published(t, c, apptest.Map{"closing_text": "We are full.", "check_address": false})
	p := stranger(t, s, link)
	_, open := p.get(p.link)
	token := formToken.FindStringSubmatch(open)[1]
	c.Post(t, "/documents", apptest.Map{"title": "Last but one"}).Want(t, 201)
	last := c.Post(t, "/documents", apptest.Map{"title": "Last"}).Want(t, 201).Text(t, "id")
	for range 2 {
		status, html := p.get(p.link)
		if status != http.StatusServiceUnavailable || !strings.Contains(html, "filled in right now") || strings.Contains(html, "We are full.") {
			t.Errorf("full: %d %.2000s", status, html)
		}
	}
	if status, html := p.start("csrf", token, "name", "Mia", "email", "mia@member.example"); status != http.StatusServiceUnavailable || !strings.Contains(html, "Try again later") {
		t.Errorf("full, form sent anyway: %d %.2000s", status, html)
	}
	told := func(want int) {
		t.Helper()
		mails := s.Mails(t, c.Email)
		n := 0
		for _, m := range mails {
			if m.Kind == "link_full" {
				n++
				if !strings.Contains(m.Text, s.URL+at[:strings.Index(at, "/links/")]) && !strings.Contains(m.Text, "/app"+at[:strings.Index(at, "/links/")]) {
					t.Errorf("the message leads elsewhere: %s", m.Text)
				}
			}
		}
		if n != want {
			t.Errorf("told %d times, want %d", n, want)
		}
	}
	told(1)
	if got := c.Get(t, at).Want(t, 200).Text(t, "status"); got != "full" {
		t.Errorf("the team sees %s", got)
	}
	s.Advance(t, "25h")
	p.get(p.link)
	told(2)
	c.Delete(t, "/documents/"+last).Want(t, 200)
	s.Advance(t, "2400h") // until it is deleted permanently
	if status, _ := p.start("name", "Mia", "email", "mia@member.example"); status != http.StatusSeeOther && status != http.StatusOK {
		t.Errorf("with room again: %d", status)
	}
}

// TestPublicLinkInTheApp makes, changes, switches and deletes a link without scripts, and by forms
// that the page does not offer.
func TestPublicLinkInTheApp(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Membership",
		"roles": apptest.List{apptest.Map{"role_name": "Member"}, apptest.Map{"role_name": "Club"}},
	}, apptest.File{Name: "form.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated).Text(t, "id")
	at := "/app/templates/" + tpl + "/links"
	w := colleague(t, c)
	w.Visit(s.URL + "/app/templates/" + tpl)
	fromMenu(w, `a[href$="/links"]`)
	w.Click(`a[href$="/links/new"]`)
	w.Click("main button.primary")
	if got := w.Read("#errors"); !strings.Contains(got, "Club") {
		t.Errorf("the role without a person is not named: %s", got)
	}
	w.Write("#i-people-1-name", "Carla Club")
	w.Write("#i-people-1-email", "carla@club.example")
	w.Write("#i-max-uses", "5")
	w.Write("#i-closing-text", "We are full.")
	w.Click("main button.primary")
	w.See(".linkbox")
	made := c.Get(t, "/templates/"+tpl+"/links").Want(t, http.StatusOK)
	if got := w.Read(".linkbox"); got != made.Text(t, "data.0.url") {
		t.Errorf("the page shows %q: %s", got, made.Body)
	}
	for path, want := range map[string]any{"max_uses": 5.0, "closing_text": "We are full.", "people.0.email": "carla@club.example",
		"check_address": true, "status": "open"} {
		if got := made.At(t, "data.0."+path); got != want {
			t.Errorf("%s is %v", path, got)
		}
	}
	w.Click("details:has(.qr) summary")
	w.See("svg.qr")
	fromMenu(w, `form[action$="/off"] button`)
	w.Click(`.kebab > summary`)
	w.See(`form[action$="/on"]`)
	v, one := browse(t, c), at+"/"+made.Text(t, "data.0.id")
	if status, html := v.send(one, "role", "", "max_uses", "many"); status != http.StatusUnprocessableEntity {
		t.Errorf("a faulty form: %d %.1000s", status, html)
	}
	viewer := browse(t, c.Member(t, account.RoleViewer))
	if _, html := viewer.get(at); strings.Contains(html, "/p/") || strings.Contains(html, "svg class=\"qr\"") {
		t.Error("a viewer sees the address")
	}
	for _, path := range []string{at + "/new", one, one + "/on", one + "/delete"} {
		if status, _ := viewer.send(path, "role", "Member"); status != http.StatusForbidden {
			t.Errorf("a viewer, %s: %d", path, status)
		}
	}
	if status, _ := v.send(one + "/on"); status != http.StatusOK || c.Get(t, "/templates/"+tpl+"/links").Text(t, "data.0.status") != "open" {
		t.Errorf("turned on: %d", status)
	}
	if status, _ := v.send(one + "/delete"); status != http.StatusOK || c.Get(t, "/templates/"+tpl+"/links").Int(t, "meta.total") != 0 {
		t.Errorf("deleted: %d", status)
	}
}
