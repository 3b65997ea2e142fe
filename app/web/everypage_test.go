package web_test

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/web"
)

// routes returns the team's paths that the router knows for a method.
func routes(t *testing.T, method string) []string {
	t.Helper()
	all := routesUnder(t, "/app", method)
	if len(all) < 40 {
		t.Fatalf("there are only %d routes for %s: %v", len(all), method, all)
	}
	return all
}

// routesUnder returns the paths below another one that the router knows for a method.
func routesUnder(t *testing.T, folder, method string) []string {
	t.Helper()
	kit, err := httpkit.New(httpkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := web.New(web.Options{Words: catalogue(t), Kit: kit, Signing: &signing.Services{}})
	if err != nil {
		t.Fatal(err)
	}
	router := fiber.New(fiber.Config{DisableStartupMessage: true})
	d.Mount(router, func() ([]byte, error) { return nil, nil })
	var all []string
	for _, r := range router.GetRoutes(true) {
		if r.Method == method && strings.HasPrefix(r.Path, folder) && !slices.Contains(all, r.Path) {
			all = append(all, r.Path)
		}
	}
	return all
}

var parameter = regexp.MustCompile(`(:[a-z]+)(<[^>]*>)?`)

// places holds a company's value for every route parameter.
type places map[string]string

// fill inserts a company's values into a route. Identifiers of nested records,
// such as files, are stored by the name of the parameter.
func (p places) fill(t *testing.T, route string) string {
	t.Helper()
	return parameter.ReplaceAllStringFunc(route, func(name string) string {
		name, _, _ = strings.Cut(name, "<")
		if name == ":id" {
			area, _, _ := strings.Cut(route, "/:id")
			name = area
		}
		value, ok := p[name]
		if !ok {
			t.Errorf("this test has nothing for %s of %s", name, route)
		}
		return value
	})
}

// settled sets up a company that has one of everything.
func settled(t *testing.T, c *apptest.Client) places {
	t.Helper()
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{maria()}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	made := func(path string, body apptest.Map) string {
		return c.Post(t, path, body).Want(t, http.StatusCreated).Text(t, "id")
	}
	template := c.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Lease", "roles": apptest.List{apptest.Map{"role_name": "Tenant"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated).Text(t, "id")
	run := c.Post(t, "/templates/"+template+"/bulk", apptest.Map{"rows": apptest.List{apptest.Map{"people": apptest.List{apptest.Map{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example"}}}}}).Want(t, http.StatusOK).Text(t, "run.id")
	hook := made("/webhooks", apptest.Map{"url": "https://hooks.example.org/in"})
	c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Sent", "send": true, "invitations": apptest.List{maria()}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated)
	c.Mails(t, "maria@signer.example") // waits until it was sent
	return places{
		"/app/documents": d.Text(t, "id"), ":file": d.Text(t, "files.0.id"), ":invitation": d.Text(t, "invitations.0.id"), ":page": "1", ":what": "pdf", ":upload": "none", ":kind": "signature",
		"/app/templates": template, ":link": made("/templates/"+template+"/links", apptest.Map{"role": "Tenant"}), "/app/bulk": run,
		"/app/contacts": made("/contacts", apptest.Map{"name": "Ben Buyer", "email": "ben@buyer.example"}), "/app/team": c.Member(t, account.RoleMember).UserID,
		"/app/settings/api": made("/tokens", apptest.Map{"name": "Build server"}), "/app/settings/webhooks": hook,
		":delivery": c.Post(t, "/webhooks/"+hook+"/test", nil).Want(t, http.StatusOK).Text(t, "id"), "/app/settings/outbox": c.Get(t, "/outbox").Want(t, http.StatusOK).Text(t, "data.0.id"),
	}
}

var (
	headings  = regexp.MustCompile(`(?s)<h1[^>]*>(.*?)</h1>`)
	sentences = regexp.MustCompile(`(?s)<main[^>]*>(.*)</main>`)
	marks     = regexp.MustCompile(`(?s)<(script|style|template)[^>]*>.*?</(script|style|template)>|<[^>]*>`)
	titles    = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
	hollow    = regexp.MustCompile(`<(p|li|h1|h2|h3)( class="(lead|error|notice[^"]*)")?>\s*</(p|li|h1|h2|h3)>`)
)

// whole requires a response to be a complete page: a title, one heading, some text, the frame
// of the team's pages, and no empty or unexpanded parts.
func whole(t *testing.T, what string, res *http.Response, body string) {
	t.Helper()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%s: %d is no page but %s: %.200s", what, res.StatusCode, res.Header.Get("Content-Type"), body)
		return
	}
	text := func(pattern *regexp.Regexp) string {
		m := pattern.FindStringSubmatch(body)
		if m == nil {
			return ""
		}
		return strings.Join(strings.Fields(html.UnescapeString(marks.ReplaceAllString(m[len(m)-1], " "))), " ")
	}
	if n := strings.Count(body, "<h1"); n != 1 || text(headings) == "" || text(titles) == "" {
		t.Errorf("%s: %d headings, the first %q, under the title %q", what, n, text(headings), text(titles))
	}
	if said := strings.TrimSpace(strings.TrimPrefix(text(sentences), text(headings))); len(said) < 20 || !strings.ContainsAny(said, ".?!:") && res.StatusCode >= 400 {
		t.Errorf("%s: %d says no more than %q", what, res.StatusCode, said)
	}
	if !strings.Contains(body, `<header class="top shell">`) && !strings.Contains(what, "/preview/") { // as a signatory sees it
		t.Errorf("%s: %d stands without the navigation", what, res.StatusCode)
	}
	if m := hollow.FindString(body); m != "" || strings.Contains(body, "%!") || strings.Contains(body, "&lt;nil&gt;") {
		t.Errorf("%s: %d has something empty: %q", what, res.StatusCode, m)
	}
	if res.StatusCode >= 400 && !strings.Contains(body, "<a ") && !strings.Contains(body, "<button") {
		t.Errorf("%s: %d leads nowhere", what, res.StatusCode)
	}
}

// notRead are routes that don't return pages: an endless stream, and those for
// scripts, frames and pictures.
var notRead = regexp.MustCompile(`^/app/events$|\.png$|\.svg$|\.json$|\.csv$|/export$|/suggest$|/edit/lines$|/mail$|/menu$|/message.eml$|/outbox/:id[^/]*/preview$|/uploads/:upload$|/download/:what$|/me/signature/:kind$`)

// TestEveryPageInEveryState requests every team page the router knows in every role: the response
// is the page, or one that explains why it isn't available.
func TestEveryPageInEveryState(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	own := settled(t, owner)
	viewer, stranger, fresh := owner.Member(t, account.RoleViewer), s.Company(t), s.Company(t)
	for _, route := range routes(t, http.MethodGet) {
		if notRead.MatchString(route) {
			continue
		}
		path, named := own.fill(t, route), strings.Contains(route, ":id")
		nothing := path
		if named {
			nothing = parameter.ReplaceAllString(route, "01K9NOTHING000000000000000")
		}
		for _, x := range []struct {
			who  string
			c    *apptest.Client
			path string
			want []int
		}{
			{"the owner", owner, path, map[bool][]int{true: {200, 303, 409}, false: {200, 303}}[named]}, // too early: 409
			{"a viewer", viewer, path, []int{200, 303, 403, 404, 409}},
			{"another company", stranger, path, map[bool][]int{true: {404}, false: {200, 303}}[named]},
			{"nobody", &apptest.Client{Server: s.Anonymous().Server}, path, []int{303}},
			{"a company with nothing", fresh, nothing, map[bool][]int{true: {404}, false: {200, 303}}[named]},
		} {
			what := x.who + " at " + x.path
			res, body := fetch(t, s.URL+x.path, "Cookie", "paraph_session="+x.c.Token)
			if !slices.Contains(x.want, res.StatusCode) {
				t.Errorf("%s: %d, want one of %v: %.300s", what, res.StatusCode, x.want, body)
			} else if to := res.Header.Get("Location"); res.StatusCode == http.StatusSeeOther && (to == "" || x.c.Token == "" && !strings.HasPrefix(to, "/signin")) {
				t.Errorf("%s leads to %q", what, to)
			} else if res.StatusCode != http.StatusSeeOther {
				whole(t, what, res, body)
			}
		}
	}
}

// TestEveryFormIsGuarded submits every form of the team without the token that our
// pages include.
func TestEveryFormIsGuarded(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	own, v := settled(t, owner), browse(t, owner)
	for _, route := range routes(t, http.MethodPost) {
		path := own.fill(t, route)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader("name=x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", "text/html")
		status, body := v.do(req)
		if h := headings.FindStringSubmatch(body); status != http.StatusForbidden || h == nil || h[1] == "" {
			t.Errorf("%s without a token: %d %.300s", path, status, body)
		}
	}
}

// TestTooOften tries more passwords than allowed: a page says how long to wait.
func TestTooOften(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Auth.LoginAttempts = 2 })
	owner := s.Company(t)
	v := browse(t, s.Anonymous())
	last, said := 0, ""
	for range 5 {
		last, said = v.send("/signin", "email", owner.Email, "password", "not the password")
	}
	if last != http.StatusTooManyRequests || !strings.Contains(said, "<h1") || !strings.Contains(said, "minute") && !strings.Contains(said, "second") {
		t.Errorf("after five wrong passwords: %d %s", last, marks.ReplaceAllString(said, " "))
	}
}

// TestTooLate acts on a finished document: a page says so.
func TestTooLate(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	d.Post(t, "/documents/"+d.id+"/void", apptest.Map{"reason": "A mistake."}).Want(t, http.StatusOK)
	v := browse(t, d.Client)
	for _, act := range []string{"void", "remind", "extend", "replace"} {
		status, body := v.send("/app/documents/"+d.id+"/"+act, "reason", "Once more.", "expires_at", "2060-01-01")
		if said := notices.FindStringSubmatch(body); status >= http.StatusInternalServerError || !strings.Contains(body, "<h1") || said == nil && status == http.StatusOK {
			t.Errorf("%s on a document that was withdrawn: %d, and nothing is said: %.300s", act, status, body)
		}
	}
}

var notices = regexp.MustCompile(`class="notice[^"]*"[^>]*>`)
