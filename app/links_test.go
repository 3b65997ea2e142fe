package app_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/httpkit"
)

// linkWalk searches the responses of every route for members for the links of one
// document's invitations.
type linkWalk struct {
	s      *apptest.Server
	of     map[string]string // identifiers, by the route's parameter
	token  string            // of an invitation's link
	routes []httpkit.Route
}

func walkFor(t *testing.T) (owner *apptest.Client, w *linkWalk) {
	t.Helper()
	s := apptest.New(t)
	owner = s.Company(t)
	data := apptest.Map{"title": "Contract", "send": true, "invitations": apptest.List{
		apptest.Map{"name": "Sam", "email": "sam@signer.example"}, apptest.Map{"name": "Kim", "email": "kim@signer.example"}}}
	d := owner.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")}),
		"Idempotency-Key", "the contract").Want(t, 201)
	s.Mails(t, "sam@signer.example") // all due work has finished
	message := owner.Get(t, "/outbox?search=sam@signer.example").Want(t, 200).Text(t, "data.0.id")
	hook := owner.Post(t, "/webhooks", apptest.Map{"url": "https://hooks.example/"}).Want(t, 201).Text(t, "id")
	event := owner.Get(t, "/events?per_page=1").Want(t, 200).Text(t, "data.0.data.event.id")
	_, token, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	return owner, &linkWalk{s: s, token: token, routes: s.Routes(), of: map[string]string{
		"document": d.Text(t, "id"), "id": d.Text(t, "id"), "invitation": d.Text(t, "invitations.0.id"), "person": d.Text(t, "invitations.0.id"),
		"file": d.Text(t, "files.0.id"), "message": message, "webhook": hook, "event": event, "page": "1", "member": owner.UserID,
		"delivery": owner.Post(t, "/webhooks/"+hook+"/test", nil).Want(t, 200).Text(t, "id"),
	}}
}

// shown lists the routes that show a caller a link.
func (w *linkWalk) shown(t *testing.T, c *apptest.Client) (where []string) {
	t.Helper()
	for _, r := range w.routes {
		if r.Method != http.MethodGet || r.Path == "/app/events" || strings.HasPrefix(r.Path, "/test") || strings.HasPrefix(r.Path, "/api") {
			continue // the stream of events never ends, and the API has every route twice
		}
		segments := strings.Split(r.Path, "/")
		for i, s := range segments {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				name, _, _ = strings.Cut(name, "<") // a constraint
				name, end, _ := strings.Cut(name, ".")
				segments[i] = w.of[name]
				if end != "" {
					segments[i] += "." + end
				}
			}
		}
		path := strings.Join(segments, "/")
		got := c.Get(t, path, "Cookie", "paraph_session="+c.Token)
		if strings.Contains(string(got.Body), w.token[26:]) || strings.Contains(got.Header.Get("Location"), w.token[26:]) {
			where = append(where, r.Path)
		}
	}
	return where
}

func TestLinksAreShownOnlyToThoseWhoMayAct(t *testing.T) {
	t.Parallel()
	owner, w := walkFor(t)
	narrow := func(scopes ...any) *apptest.Client {
		return w.s.With(owner.Post(t, "/tokens", apptest.Map{"name": "narrow", "scopes": scopes}).Want(t, 201).Text(t, "token"))
	}
	if got := w.shown(t, owner); len(got) < 5 {
		t.Errorf("an owner sees the link only in %q", got)
	}
	for name, c := range map[string]*apptest.Client{"scope write": narrow("read", "write"), "scope sign": narrow("read", "sign")} {
		if got := w.shown(t, c); len(got) < 2 {
			t.Errorf("a token with %s sees the link only in %q", name, got)
		}
	}
	for name, c := range map[string]*apptest.Client{
		"a viewer": owner.Member(t, account.RoleViewer), "a token to read": narrow("read"), "a token to administer": narrow("read", "admin"),
		"another signatory": w.s.With(w.s.Link(t, "kim@signer.example", "/s/")),
	} {
		if got := w.shown(t, c); len(got) > 0 {
			t.Errorf("%s is shown the link by %q", name, got)
		}
	}
}
