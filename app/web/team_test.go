package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
)

// signIn signs a member in through the sign-in page.
func (w *window) signIn(c *apptest.Client) {
	w.t.Helper()
	w.visit(c.URL + "/signin")
	w.write(`input[name="email"]`, c.Email)
	w.write(`input[name="password"]`, apptest.Password)
	w.run(chromedp.Submit(`form[action$="/signin"]`))
	w.see(`header.shell`)
}

// enter signs a member in without the sign-in page, by setting its cookie.
func (w *window) enter(c *apptest.Client) {
	w.t.Helper()
	call(w, network.SetCookie, network.SetCookieParams{Name: "paraph_session", Value: c.Token, URL: c.URL})
}

// team opens a window that shows a member the pages of the team.
func team(t testing.TB, c *apptest.Client, l look) *window {
	t.Helper()
	w := open(t, l)
	w.enter(c)
	return w
}

// signedIn opens a window and signs a member in by hand.
func signedIn(t testing.TB, c *apptest.Client, l look) *window {
	t.Helper()
	w := open(t, l)
	w.signIn(c)
	return w
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := guest(t, s)
	w.Visit(s.URL + "/app/settings?tab=2")
	w.Heading("Sign in")
	w.Write(`input[name="email"]`, owner.Email)
	w.Write(`input[name="password"]`, "not the password")
	w.Submit("/signin")
	w.See("#errors")
	if got := w.Value(`input[name="email"]`); got != owner.Email {
		t.Errorf("the address was forgotten: %q", got)
	}
	w.Write(`input[name="password"]`, apptest.Password)
	w.Submit("/signin")
	w.See("header.shell")
	if w.At() != "/app/settings?tab=2" {
		t.Errorf("signing in leads to %s", w.At())
	}
	w.Click(`.menu:not(.thin) summary`)
	w.Click(`form[action="/signout"] button`)
	w.Heading("Sign in")
	w.Visit(s.URL + "/app/documents")
	w.Heading("Sign in")
}

// TestSignInLeadsNowhereElse passes an address of another site.
func TestSignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	s.Company(t)
	for _, next := range []string{"https://evil.example/app", "//evil.example/app", `/app\evil`, "/\\evil.example", "javascript:alert(1)", "/signout", "/app@evil.example\n"} {
		_, html := fetch(t, s.URL+"/signin?next="+url.QueryEscape(next))
		if !strings.Contains(html, `name="next" value="/app/documents"`) && !strings.Contains(html, `name="next" value="/app`) {
			t.Errorf("%q is kept: %s", next, html)
		}
	}
}

// TestPagesNeedASession requests pages without being signed in.
func TestPagesNeedASession(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	viewer := owner.Member(t, account.RoleViewer)
	for name, token := range map[string]string{"none": "", "nonsense": "x.y.z", "an API token": owner.Post(t, "/tokens", apptest.Map{"name": "ci"}).Want(t, http.StatusCreated).Text(t, "token")} {
		res, _ := fetch(t, s.URL+"/app/documents", "Cookie", "paraph_session="+token)
		if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(res.Header.Get("Location"), "/signin?next=") {
			t.Errorf("%s: %d to %q", name, res.StatusCode, res.Header.Get("Location"))
		}
	}
	viewer.Post(t, "/logout", nil).Want(t, http.StatusNoContent)
	if res, _ := fetch(t, s.URL+"/app/documents", "Cookie", "paraph_session="+viewer.Token); res.StatusCode != http.StatusSeeOther {
		t.Errorf("a session that was ended opens the pages: %d", res.StatusCode)
	}
}
