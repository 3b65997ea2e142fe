// Package plain is a browser without scripts and without a window, for tests of what the
// server answers. It keeps cookies, follows links and redirects, and fills in and submits the
// forms of the page it was shown, as a browser does: only what a person could see and use there,
// with whatever else the form contains.
//
//	b := plain.Open(t, s.URL)
//	b.Visit("/signin")
//	b.Write(`[name="email"]`, "ann@example.org")
//	b.Click("main form button")
//	b.Heading("Documents")
//
// It knows no style sheets: how a page looks, and what its scripts do, are for a real browser.
package plain

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Browser shows one page at a time.
type Browser struct {
	Status int         // of the page
	Header http.Header // of the page
	HTML   string      // as the server sent it

	t       testing.TB
	client  http.Client
	at      *url.URL
	cookies map[string]*http.Cookie
	headers [][2]string
	page    *html.Node
	files   map[*html.Node][]File // chosen in inputs
}

// File is a file to upload.
type File struct {
	Name    string
	Content []byte
}

// Open returns the browser of a first-time visitor of a site, such as "http://127.0.0.1:8080".
// headers are pairs of names and values that it sends with each request.
func Open(t testing.TB, site string, headers ...string) *Browser {
	t.Helper()
	at, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &Browser{t: t, at: at, cookies: map[string]*http.Cookie{}}
	b.client = http.Client{Jar: jar, Timeout: 2 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for i := 0; i+1 < len(headers); i += 2 {
		b.headers = append(b.headers, [2]string{headers[i], headers[i+1]})
	}
	return b
}

// Enter signs a member in without the sign-in page, by the cookie with their token.
func (b *Browser) Enter(token string) {
	b.client.Jar.SetCookies(b.at, []*http.Cookie{{Name: "paraph_session", Value: token, Path: "/"}})
}

// Cookie returns a cookie as the server set it last, or nil.
func (b *Browser) Cookie(name string) *http.Cookie { return b.cookies[name] }

// Visit opens an address, or a path of the site.
func (b *Browser) Visit(address string) {
	b.t.Helper()
	b.request(http.MethodGet, address, nil, "")
}

// At returns the path and query of the page.
func (b *Browser) At() string { return b.at.RequestURI() }

// request shows the page at an address, relative to the present one, after redirects.
func (b *Browser) request(method, address string, body io.Reader, kind string) {
	b.t.Helper()
	for range 10 {
		to, err := b.at.Parse(address)
		if err != nil {
			b.t.Fatal(err)
		}
		if to.Host != b.at.Host {
			b.t.Fatalf("%s leads to another host: %s", b.At(), address)
		}
		req, err := http.NewRequestWithContext(b.t.Context(), method, to.String(), body)
		if err != nil {
			b.t.Fatal(err)
		}
		req.Header.Set("Accept", "text/html,*/*")
		if method == http.MethodPost {
			req.Header.Set("Content-Type", kind)
			req.Header.Set("Origin", b.at.Scheme+"://"+b.at.Host)
		}
		for _, h := range b.headers {
			req.Header.Set(h[0], h[1])
		}
		res, err := b.client.Do(req)
		if err != nil {
			b.t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			b.t.Fatal(err)
		}
		b.keep(res.Cookies())
		b.at = to
		if address = res.Header.Get("Location"); address != "" {
			method, body = http.MethodGet, nil
			continue
		}
		b.Status, b.Header, b.HTML, b.files = res.StatusCode, res.Header, string(text), map[*html.Node][]File{}
		b.page, err = html.ParseWithOptions(strings.NewReader(b.HTML), html.ParseOptionEnableScripting(false))
		if err != nil {
			b.t.Fatal(err)
		}
		for _, n := range b.find("template") { // what a script would make of it is on no page
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
		}
		return
	}
	b.t.Fatalf("redirects without end, at last to %s", address)
}

func (b *Browser) keep(cookies []*http.Cookie) {
	for _, c := range cookies {
		b.cookies[c.Name] = c
		if c.MaxAge < 0 || c.Value == "" {
			delete(b.cookies, c.Name)
		}
	}
}

// find returns the elements that a CSS selector matches.
func (b *Browser) find(what string) []*html.Node {
	b.t.Helper()
	if b.page == nil {
		b.t.Fatal("no page is shown")
	}
	selector, err := cascadia.ParseGroup(what)
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	return cascadia.QueryAll(b.page, selector)
}

// visible returns the first element of those a selector matches that a person can see.
func (b *Browser) visible(what string) *html.Node {
	b.t.Helper()
	found := b.find(what)
	for _, n := range found {
		if !hidden(n) {
			return n
		}
	}
	b.t.Fatalf("%s cannot be seen (%d are hidden); %s", what, len(found), b.sight())
	return nil
}

// Count returns how many elements a selector matches, seen or not.
func (b *Browser) Count(what string) int { b.t.Helper(); return len(b.find(what)) }

// See fails the test unless an element can be seen.
func (b *Browser) See(what string) { b.t.Helper(); b.visible(what) }

// Gone fails the test if there is an element.
func (b *Browser) Gone(what string) {
	b.t.Helper()
	if n := len(b.find(what)); n > 0 {
		b.t.Fatalf("%s is there %d times; %s", what, n, b.sight())
	}
}

// Read returns the text of an element that can be seen.
func (b *Browser) Read(what string) string { b.t.Helper(); return text(b.visible(what)) }

// ReadAll returns the text of each element of those a selector matches that can be seen and says
// something.
func (b *Browser) ReadAll(what string) []string {
	b.t.Helper()
	var all []string
	for _, n := range b.find(what) {
		if said := text(n); said != "" && !hidden(n) {
			all = append(all, said)
		}
	}
	return all
}

// Text returns what can be read on the whole page.
func (b *Browser) Text() string {
	b.t.Helper()
	return b.Read("body")
}

// Attribute returns an attribute of the first element that a selector matches.
func (b *Browser) Attribute(what, name string) string {
	b.t.Helper()
	found := b.find(what)
	if len(found) == 0 {
		b.t.Fatalf("there is no %s; %s", what, b.sight())
	}
	return attribute(found[0], name)
}

// Heading fails the test unless the page has a title that contains a text.
func (b *Browser) Heading(want string) {
	b.t.Helper()
	for _, n := range b.find("h1") {
		if strings.Contains(text(n), want) {
			return
		}
	}
	b.t.Fatalf("the page is not titled %q; %s", want, b.sight())
}

// Says fails the test for each text that can't be read in the main part of the page.
func (b *Browser) Says(texts ...string) {
	b.t.Helper()
	main := b.Read("main")
	for _, want := range texts {
		if !strings.Contains(main, want) {
			b.t.Errorf("the page does not say %q; %s", want, b.sight())
		}
	}
}

// sight describes the page for a failure message.
func (b *Browser) sight() string {
	if b.page == nil {
		return "no page is shown"
	}
	all := text(b.page)
	if len(all) > 900 {
		all = all[:500] + " … " + all[len(all)-400:]
	}
	return http.StatusText(b.Status) + " " + b.At() + ": " + all
}
