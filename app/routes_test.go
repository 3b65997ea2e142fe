package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/httpkit"
)

// caller is a client that tries every route.
type caller struct {
	name    string
	headers string
	actor   account.Call // as the rules of the routes see them
}

// filled returns the path of a route with every parameter filled in.
func filled(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, ":") || s == "*" {
			segments[i] = "01K8XN2V7Q3J5T9B4C6D8E0F1G"
		}
	}
	return strings.Join(segments, "/")
}

// TestBodiesOfRefusedCallersAreNotRead announces a far too large body to every route,
// and sends one byte of it: the response must come immediately.
func TestBodiesOfRefusedCallersAreNotRead(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) {
		c.Server.TestControls = false // one of them deletes everything
		c.Server.Limits.Upload, c.Server.Limits.Body = app.MB, app.MB
	})
	owner := s.Company(t)
	viewer := owner.Member(t, account.RoleViewer)
	sent := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Contract", "send": true, "invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
	_, link, _ := strings.Cut(sent.Text(t, "invitations.0.sign_url"), "/s/")
	bearer := func(token string) string { return "Authorization: Bearer " + token + "\r\n" }
	callers := []caller{
		{"a stranger", "", account.Call{}},
		{"somebody with a false token", bearer("false"), account.Call{}},
		{"a signatory", bearer(link), account.Call{Actor: account.Actor{Kind: account.ActorSignatory}}},
		{"a viewer", bearer(viewer.Token) + "Cookie: paraph_session=" + viewer.Token + "\r\n", account.Call{Actor: account.Actor{Kind: account.ActorUser, Role: account.RoleViewer, Scopes: account.Scopes()}}},
	}
	tried := 0
	for _, route := range s.Routes() {
		if route.Method == http.MethodGet || route.Method == http.MethodHead {
			continue
		}
		for _, c := range callers {
			tried++
			status := offer(t, s, route, c)
			// Admitted requests are too large; all others are refused because of the
			// caller.
			admitted := route.Rule.For == httpkit.Everyone || c.actor.Kind != "" && route.Rule.Admit(account.Call{Actor: c.actor.Actor}) == nil
			if admitted && status != 413 && status != 404 || status < 300 || status >= 500 {
				t.Errorf("%s %s by %s: %d", route.Method, route.Path, c.name, status)
			}
		}
	}
	if tried < 800 {
		t.Errorf("only %d requests were tried", tried)
	}
}

// offer returns the response status for a body that is announced but not sent.
func offer(t *testing.T, s *apptest.Server, route httpkit.Route, c caller) int {
	t.Helper()
	conn := dial(t, s.URL, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n%s\r\n{", route.Method, filled(route.Path), c.headers))
	defer conn.Close()
	r, err := answered(conn)
	if err != nil {
		t.Errorf("%s %s by %s: %v", route.Method, route.Path, c.name, err)
		return 0
	}
	return r.StatusCode
}

func TestEveryRouteIsInTheTable(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	known := map[string]bool{}
	for _, r := range s.Routes() {
		known[r.Method+" "+r.Path] = true
	}
	for _, r := range s.Router().GetRoutes(true) {
		if r.Method != http.MethodHead && !known[r.Method+" "+r.Path] {
			t.Errorf("%s %s was added without a rule", r.Method, r.Path)
		}
	}
	if len(known) < 300 {
		t.Errorf("only %d routes", len(known))
	}
}

func TestStrangersMayOnlySendSmallBodies(t *testing.T) {
	t.Parallel()
	for _, r := range apptest.New(t).Routes() {
		if r.Rule.For == httpkit.Everyone && r.Rule.Body > httpkit.Small {
			t.Errorf("%s %s accepts %d bytes from anyone", r.Method, r.Path, r.Rule.Body)
		}
		if r.Rule.For == httpkit.Everyone && r.Rule.Files > 0 && !strings.Contains(r.Path, "/verify") {
			t.Errorf("%s %s accepts files from anyone", r.Method, r.Path)
		}
	}
}

// TestWorkForFilesStopsWhenTheClientHangsUp finds routes that convert, verify or search
// files, and go on when nobody waits for the result.
func TestWorkForFilesStopsWhenTheClientHangsUp(t *testing.T) {
	t.Parallel()
	kept := []string{ // files that are kept as they are, or read in an instant
		"/s/:token", "/app/me/signature", "/app/settings/branding/logo", "/app/bulk/new", "/app/contacts/import",
		"/app/documents/:id<len(26)>/uploads/:upload", "/outbox/bounces", "/api/outbox/bounces",
	}
	seen := 0
	for _, r := range apptest.New(t).Routes() {
		if r.Rule.Files == 0 && !strings.HasSuffix(r.Path, "/detect") || slices.Contains(kept, r.Path) {
			continue
		}
		if seen++; !r.Rule.Stops {
			t.Errorf("%s %s goes on", r.Method, r.Path)
		}
	}
	if seen < 10 {
		t.Errorf("only %d routes were seen", seen)
	}
}
