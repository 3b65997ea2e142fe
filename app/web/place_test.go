package web_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"

	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// under starts an appliance that is reached under /sign through a proxy, which
// removes that part of the path or passes it on.
func under(t *testing.T, strip bool, change ...func(*app.Config)) *apptest.Server {
	t.Helper()
	var target atomic.Pointer[url.URL]
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = target.Load().Scheme, target.Load().Host
		r.Out.Host = r.In.Host
		r.SetXForwarded()
		if strip {
			r.Out.URL.Path = "/" + strings.TrimPrefix(strings.TrimPrefix(r.In.URL.Path, "/sign"), "/")
			r.Out.URL.RawPath = ""
		}
	}, ErrorLog: nil})
	t.Cleanup(proxy.Close)
	s := apptest.New(t, append(change, func(c *app.Config) {
		c.Server.BaseURL, c.Server.TrustedProxies = proxy.URL+"/sign", []string{"127.0.0.1"}
	})...)
	target.Store(&url.URL{Scheme: "http", Host: s.Addr().String()})
	return s
}

var (
	rooted   = regexp.MustCompile(`([a-z-]+)="(/[^"]*)"`)
	imported = regexp.MustCompile(`(?:fetch|EventSource|assign|open|import)\(\s*['"\x60]/|href: *['"\x60]/|from *['"\x60]/`)
)

// notFollowed are attributes whose values start with a slash but are never requested by browsers:
// form values, which the server reads, and the search words of the API reference.
var notFollowed = map[string]bool{"value": true, "placeholder": true, "data-find": true, "content": true}

// TestNothingLeavesThePath requests every page of the team and of a signatory through a proxy
// with a path prefix: every address in them stays under it and resolves.
func TestNothingLeavesThePath(t *testing.T) {
	t.Parallel()
	for _, strip := range []bool{false, true} {
		t.Run(fmt.Sprintf("stripped %v", strip), func(t *testing.T) {
			t.Parallel()
			s := under(t, strip)
			owner := s.Company(t)
			own := settled(t, owner)
			at := []string{"/", "/signin", "/forgot", "/verify", "/trust", "/docs/api", "/docs/webhooks", "/nowhere",
				"/s/" + s.Link(t, "maria@signer.example", "/s/"), "/s/wrong"}
			for _, route := range routes(t, http.MethodGet) {
				if !notRead.MatchString(route) || strings.HasSuffix(route, "/menu") {
					at = append(at, own.fill(t, route))
				}
			}
			led := map[string]bool{}
			for _, p := range at {
				res, body := fetch(t, s.URL+p, "Cookie", "paraph_session="+owner.Token)
				stays(t, p, res)
				for _, m := range rooted.FindAllStringSubmatch(body, -1) {
					if notFollowed[m[1]] {
						continue
					}
					if m[1] == "srcset" && strings.Count(m[2], "/sign/s/") != strings.Count(m[2], ",")+1 {
						t.Errorf("%s: %s leaves the path", p, m[0])
					}
					if !strings.HasPrefix(m[2], "/sign/") && m[2] != "/sign" {
						t.Errorf("%s: %s leaves the path", p, m[0])
					} else if m[1] == "href" || m[1] == "src" {
						led[strings.ReplaceAll(m[2], "&amp;", "&")] = true
					}
				}
			}
			followed(t, s, owner, led)
			if len(led) < 100 {
				t.Errorf("only %d addresses were found", len(led))
			}
		})
	}
}

// followed requests the addresses found in pages, one of each kind.
func followed(t *testing.T, s *apptest.Server, owner *apptest.Client, addresses map[string]bool) {
	t.Helper()
	kinds := map[string]bool{}
	for a := range addresses {
		a, _, _ = strings.Cut(a, "#")
		bare, _, _ := strings.Cut(a, "?")
		kind := bare[:strings.LastIndexByte(bare, '/')]
		if kinds[kind] || strings.HasSuffix(bare, "/app/events") {
			continue
		}
		kinds[kind] = true
		res, _ := fetch(t, strings.TrimSuffix(s.URL, "/sign")+a, "Cookie", "paraph_session="+owner.Token)
		if res.StatusCode >= 400 && res.StatusCode != http.StatusConflict {
			t.Errorf("%s leads to %d", a, res.StatusCode)
		}
	}
}

// stays checks the headers of a response.
func stays(t *testing.T, p string, res *http.Response) {
	t.Helper()
	if to := res.Header.Get("Location"); to != "" && to != "/sign" && !strings.HasPrefix(to, "/sign/") {
		t.Errorf("%s redirects to %s", p, to)
	}
	for _, c := range res.Cookies() {
		if c.Path != "/sign" && !strings.HasPrefix(c.Path, "/sign/") {
			t.Errorf("%s sets the cookie %s for %s", p, c.Name, c.Path)
		}
	}
}

// TestScriptsNameNoRoot reads the scripts: they take addresses from the page.
func TestScriptsNameNoRoot(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir("static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".js" {
			return err
		}
		raw, err := os.ReadFile(name)
		for _, m := range imported.FindAllString(string(raw), -1) {
			t.Errorf("%s: %s… names a path of the host; see data-root", name, m)
		}
		read++
		return err
	})
	if err != nil || read < 15 {
		t.Errorf("%d scripts read: %v", read, err)
	}
}

// TestEverythingElseKnowsThePath checks what pages don't show: links in the API, its description,
// mails, and redirects.
func TestEverythingElseKnowsThePath(t *testing.T) {
	t.Parallel()
	s := under(t, false)
	d := send(t, s, []apptest.Map{maria()})
	for _, m := range s.Mails(t, "maria@signer.example") {
		for _, l := range m.Links {
			if !strings.HasPrefix(l, s.URL+"/s/") {
				t.Errorf("a mail links to %s", l)
			}
		}
	}
	if first := d.Get(t, "/documents").Want(t, http.StatusOK).Text(t, "links.first"); !strings.HasPrefix(first, s.URL+"/documents") {
		t.Errorf("a list links to %s", first)
	}
	r := s.Anonymous().Get(t, "/openapi.json").Want(t, http.StatusOK)
	if one, two := r.Text(t, "servers.0.url"), r.Text(t, "servers.1.url"); one != "/sign" || two != "/sign/api" {
		t.Errorf("the servers of the API are %s and %s", one, two)
	}
	d.Get(t, "/api/documents").Want(t, http.StatusOK)
	v := browse(t, d.Client)
	v.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path != "/sign/app/contacts" {
			t.Errorf("a form returns to %s", r.URL)
		}
		return http.ErrUseLastResponse
	}
	for _, next := range []string{"/app/contacts", "/sign/app/contacts"} {
		if status, body := v.send("/theme", "theme", "dark", "next", next); status != http.StatusSeeOther {
			t.Errorf("a form returns %d %.300s", status, body)
		}
	}
}

// TestAPathThatPagesBeginWithIsRefused checks that the prefix can't be that of a page: whether the
// proxy has removed it could not be told.
func TestAPathThatPagesBeginWithIsRefused(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"/app", "/s", "/x/api/", "/docs"} {
		s, err := apptest.Start(func(c *app.Config) { c.Server.BaseURL = "http://127.0.0.1" + at })
		if err == nil {
			t.Errorf("the appliance starts under %s: %v", at, s.Close())
		} else if !strings.Contains(err.Error(), "server.base_url") {
			t.Errorf("under %s: %v", at, err)
		}
	}
}
