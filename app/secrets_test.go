package app_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/httpkit"
)

// secret opens something to whoever has it.
type secret struct {
	name, value string
	// readers are the callers who may be shown it.
	readers string
	// handed means that they have to ask for it, which is recorded.
	handed bool
	// shownIn finds it where an answer has it in another form each time.
	shownIn func(answer []byte) bool
}

// repeated is a request whose answer the server keeps, for whoever sends it again with its key.
type repeated struct {
	name, path string
	body       any
}

// vault is a company with a live secret of every kind.
type vault struct {
	s       *apptest.Server
	callers map[string]*apptest.Client
	of      map[string][]string // identifiers by the route's parameter
	secrets []secret
	kept    []repeated
}

func after(t *testing.T, text, before string) string {
	t.Helper()
	_, found, ok := strings.Cut(text, before)
	if !ok || found == "" {
		t.Fatalf("nothing follows %q in %s", before, text)
	}
	return found
}

// fillVault makes everything that is secret. All waiting messages are kept, so that each could be shown.
func fillVault(t *testing.T) *vault {
	t.Helper()
	s := apptest.New(t, func(c *app.Config) { c.Server.BaseURL = "https://sign.example.org" }) // passkeys need a name
	s.URL = "http://" + s.Addr().String()
	v := &vault{s: s, of: map[string][]string{"page": {"1"}, "kind": {"invitation"}, "language": {"en"}}}
	operator, owner, elsewhere := administrator(t, s), s.Company(t), s.Company(t)
	sender, victim, own := owner.Member(t, account.RoleMember), owner.Member(t, account.RoleAdmin), owner.Member(t, account.RoleMember)
	narrow := func(c *apptest.Client, scopes ...any) *apptest.Client {
		return s.With(c.Post(t, "/tokens", apptest.Map{"name": "narrow", "scopes": scopes}).Want(t, 201).Text(t, "token"))
	}
	keep := func(name, value, readers string) {
		t.Helper()
		if value == "" {
			t.Fatalf("there is no %s", name)
		}
		v.secrets = append(v.secrets, secret{name: name, value: value, readers: readers})
	}
	hand := func(name, value, readers string) {
		t.Helper()
		keep(name, value, readers)
		v.secrets[len(v.secrets)-1].handed = true
	}
	put := func(name string, ids ...string) { v.of[name] = append(v.of[name], ids...) }

	hook := owner.Post(t, "/webhooks", apptest.Map{"url": "https://hooks.example/"}).Want(t, 201)
	keep("the secret of a webhook", hook.Text(t, "secret"), "")
	people := apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"},
		apptest.Map{"name": "Kim", "email": "kim@signer.example", "authentication": "email_code"},
		apptest.Map{"name": "Lee", "email": "lee@signer.example", "access_code": "open sesame 7731"}}
	contract := apptest.Multipart(t, apptest.Map{"title": "Contract", "send": true, "invitations": people},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})
	d := sender.Post(t, "/documents", contract, "Idempotency-Key", "the contract").Want(t, 201)
	v.kept = append(v.kept, repeated{"the contract", "/documents", contract})
	at := "/documents/" + d.Text(t, "id")
	senders := "the sender, the owner, an administrator, a colleague, an approver, a program that writes, a program that signs"
	links := map[string]string{}
	for i, name := range []string{"sam", "kim", "lee"} {
		_, links[name], _ = strings.Cut(d.Texts(t, "invitations", "sign_url")[i], "/s/")
		keep("the link of "+name, links[name], senders)
		put("invitation", d.Texts(t, "invitations", "id")[i])
	}
	keep("an access code", "open sesame 7731", "")
	pad := onPages(signatory{Client: s.With(links["sam"])}).form(t, "", "/pad", "kind", "signature").Want(t, 200)
	keep("the code of a pad for drawing", pad.Text(t, "code"), "a signatory")
	keep("the code of a device that was handed over", handed(t, owner.Member(t, account.RoleAdmin), d.Text(t, "id"), d.Texts(t, "invitations", "id")[0]), "")
	s.With(links["kim"]).Post(t, at+"/"+d.Texts(t, "invitations", "id")[1]+"/code", nil).Want(t, 202)
	hand("a code by mail", codeFor(t, s, "kim@signer.example"), senders)

	owner.Post(t, "/members", apptest.Map{"email": "new@company.example", "name": "New"}).Want(t, 201)
	hand("the link of an invitation to the team", s.Link(t, "new@company.example", "/join/"), "the owner, an administrator")
	forgot(t, s, own.Email)
	hand("a link for a new password", s.Link(t, own.Email, "/reset/"), "the operator")
	keep("a token", victim.Post(t, "/tokens", apptest.Map{"name": "CI"}).Want(t, 201).Text(t, "token"), "")
	// The server keeps the answers to requests that may be repeated.
	repeatable := func(c *apptest.Client, name, path string, body any) *apptest.Response {
		t.Helper()
		v.kept = append(v.kept, repeated{name, path, body})
		return c.Post(t, path, body, "Idempotency-Key", name).Want(t, 201)
	}
	keep("a token made by a request that may be repeated", repeatable(victim, "the token", "/tokens", apptest.Map{"name": "again"}).Text(t, "token"), "")
	keep("the secret of a webhook made by a request that may be repeated", repeatable(victim, "the webhook", "/webhooks", apptest.Map{"url": "https://hooks.example/again"}).Text(t, "secret"), "")
	registration := victim.Post(t, "/me/passkeys/begin", nil).Want(t, 200)
	keep("the ceremony of a new passkey", registration.Text(t, "ceremony"), "")
	keep("the challenge of a new passkey", registration.Text(t, "options.publicKey.challenge"), "")
	login := s.Anonymous().Post(t, "/login/passkey/begin", nil).Want(t, 200)
	keep("the ceremony of a login with a passkey", login.Text(t, "ceremony"), "")
	keep("the challenge of a login with a passkey", login.Text(t, "options.publicKey.challenge"), "")
	form := formOf(t, victim)
	keep("a browser's secret for its forms", form.secret, "")
	keep("a browser's token of its forms", form.token, "")
	v.secrets[len(v.secrets)-1].shownIn = form.tokenIn
	app := victim.Post(t, "/me/two-factor", apptest.Map{}).Want(t, 200)
	keep("a key of an authenticator app", app.Text(t, "secret"), "")
	second := owner.Member(t, account.RoleMember)
	confirm, err := totp.GenerateCode(second.Post(t, "/me/two-factor", apptest.Map{}).Want(t, 200).Text(t, "secret"), s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	keep("a recovery code", second.Post(t, "/me/two-factor", apptest.Map{"code": confirm}).Want(t, 200).Text(t, "recovery_codes.0"), "")
	victim.Post(t, "/email/reverify", apptest.Map{"email": "moved@company.example"}).Want(t, 202)
	keep("a link that proves an address", s.Link(t, "moved@company.example", "/confirm/"), "")
	victim.Patch(t, "/me", apptest.Map{"password": "another horse 7731", "current_password": apptest.Password}).Want(t, 200)
	hand("a link that takes a change back", s.Link(t, victim.Email, "/undo/"), "the operator")
	keep("a session", victim.Token, "")
	template := owner.Post(t, "/templates", apptest.Multipart(t, apptest.Map{"title": "Form", "roles": apptest.List{apptest.Map{"role_name": "Tenant"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A form.")})).Want(t, 201).Text(t, "id")
	public := owner.Post(t, "/templates/"+template+"/links", apptest.Map{"role": "Tenant"}).Want(t, 201)
	keep("a public link", after(t, public.Text(t, "url"), "/p/"), senders+", a viewer, a program that reads, a program that administers")
	company := operator.Post(t, "/installation/companies", apptest.Map{"name": "Zebra Ltd.", "email": "olga@zebra.example", "owner": "Olga"}).Want(t, 201)
	keep("a link to set a company up", after(t, string(company.Body), "/setup?token="), "")
	for i, x := range v.secrets {
		// What pages and JSON may escape is left out, and so is the rest of an address.
		plain := regexp.MustCompile(`[\w. -]+`).FindAllString(regexp.MustCompile(`^[^?"]+`).FindString(x.value), -1)
		v.secrets[i].value = slices.MaxFunc(plain, func(a, b string) int { return len(a) - len(b) })
	}

	v.callers = map[string]*apptest.Client{"the operator": operator, "the owner": owner, "an administrator": owner.Member(t, account.RoleAdmin), "the sender": sender,
		"a colleague": owner.Member(t, account.RoleMember), "an approver": owner.Member(t, account.RoleApprover), "a viewer": owner.Member(t, account.RoleViewer),
		"a program that reads": narrow(owner, "read"), "a program that writes": narrow(owner, "read", "write"), "a program that signs": narrow(owner, "read", "sign"),
		"a program that administers": narrow(owner, "read", "admin"), "another company": elsewhere, "a signatory": s.With(links["sam"]), "nobody": s.Anonymous()}
	// Every message that is kept, whoever may see it.
	for _, box := range []struct {
		c    *apptest.Client
		path string
	}{{owner, "/outbox?per_page=100"}, {operator, "/outbox?per_page=100"}, {operator, "/installation/messages?per_page=100"}} {
		put("message", box.c.Get(t, box.path).Want(t, 200).Texts(t, "data", "id")...)
	}
	put("document", d.Text(t, "id"))
	put("file", d.Text(t, "files.0.id"))
	put("template", template)
	put("link", public.Text(t, "id"))
	put("webhook", hook.Text(t, "id"))
	put("delivery", owner.Get(t, "/webhooks/"+hook.Text(t, "id")+"/deliveries?per_page=100").Want(t, 200).Texts(t, "data", "id")...)
	put("member", victim.UserID, own.UserID)
	put("member", owner.Get(t, "/members?search=new@company.example").Want(t, 200).Texts(t, "data", "id")...)
	put("token", owner.Get(t, "/tokens").Want(t, 200).Texts(t, "data", "id")...)
	put("company", company.Text(t, "id"), owner.CompanyID)
	return v
}

// handed hands the device of a member over to a person, and returns the code that it has then.
func handed(t *testing.T, c *apptest.Client, document, invitation string) string {
	t.Helper()
	at := "/app/documents/" + document + "/people/" + invitation + "/in-person"
	session := "paraph_session=" + c.Token
	page := c.Server.Anonymous().Get(t, at, "Cookie", session).Want(t, 200)
	for _, x := range page.Header.Values("Set-Cookie") {
		session += "; " + x[:strings.IndexByte(x+";", ';')]
	}
	token := formToken.FindSubmatch(page.Body)
	if token == nil {
		t.Fatalf("no form in %s", page.Body)
	}
	r := c.Server.Anonymous().Post(t, at, apptest.Raw{Type: "application/x-www-form-urlencoded", Body: []byte(url.Values{"csrf": {string(token[1])}}.Encode())}, "Cookie", session)
	for _, x := range r.Header.Values("Set-Cookie") {
		if value, ok := strings.CutPrefix(x, "paraph_in_person="); ok {
			return value[:strings.IndexByte(value+";", ';')]
		}
	}
	t.Fatalf("%d %v: no code", r.Status, r.Header)
	return ""
}

// codeFor returns the code in a message.
func codeFor(t *testing.T, s *apptest.Server, to string) string {
	t.Helper()
	for _, m := range s.Mails(t, to) {
		if m.Kind == "signing_code" {
			return six.FindString(m.Text)
		}
	}
	t.Fatalf("no code for %s", to)
	return ""
}

// pathsOf returns the paths of a route, one for each record that it could be about.
func (v *vault) pathsOf(route string) []string {
	area := map[string]string{"documents": "document", "templates": "template", "team": "member", "outbox": "message", "webhooks": "webhook", "api": "token", "companies": "company"}
	paths := []string{""}
	before := ""
	for part := range strings.SplitSeq(strings.TrimPrefix(route, "/"), "/") {
		values := []string{part}
		if name, ok := strings.CutPrefix(part, ":"); ok {
			name, _, _ = strings.Cut(name, "<")
			name, end, dotted := strings.Cut(name, ".")
			if name == "id" {
				name = area[before]
			}
			if values = v.of[name]; name == "token" && slices.Contains([]string{"s", "p", "join", "reset", "undo", "confirm"}, before) {
				values = nil // whoever knows it
			}
			if len(values) == 0 {
				values = []string{"01M7Z4BMC36K290EBM3T11X3Q8"}
			}
			if dotted {
				values = slices.Clone(values)
				for i := range values {
					values[i] += "." + end
				}
			}
		}
		before = part
		var longer []string
		for _, p := range paths {
			for _, value := range values {
				longer = append(longer, p+"/"+value)
			}
		}
		paths = longer
	}
	return paths
}

// looks sends one request, as a program and as a browser would, and returns everything that came back.
func (v *vault) looks(t *testing.T, c *apptest.Client, method, path string, form browserForm) []byte {
	t.Helper()
	var body any
	if method != http.MethodGet {
		body = apptest.Map{}
		if pages.MatchString(path) {
			body = apptest.Raw{Type: "application/x-www-form-urlencoded", Body: []byte(url.Values{"csrf": {form.token}}.Encode())}
		}
	}
	r := c.Do(t, method, path, body, "Cookie", "paraph_session="+c.Token+"; paraph_form="+form.secret, "X-CSRF-Token", form.token)
	if masked.Match(r.Body) && formToken.Match(r.Body) && !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
		t.Errorf("%s %s: a page with a token of its forms may be stored: %q", method, path, r.Header.Get("Cache-Control"))
	}
	if r.Status == http.StatusForbidden && bytes.Contains(r.Body, []byte("This form is too old")) {
		t.Errorf("%s %s: the walk's own form is refused", method, path)
	}
	all := slices.Concat(r.Body, []byte("\n"+r.Header.Get("Location")))
	if z, err := zip.NewReader(bytes.NewReader(r.Body), int64(len(r.Body))); err == nil {
		for _, f := range z.File {
			if in, err := f.Open(); err == nil {
				inside, _ := io.ReadAll(in)
				all = append(all, inside...)
				in.Close()
			}
		}
	}
	if unescaped, err := url.QueryUnescape(string(all)); err == nil {
		all = append(all, unescaped...)
	}
	return all
}

// browserForm is what a browser has for its forms: a cookie, and a token derived from it.
type browserForm struct{ secret, token string }

// formOf opens a page, as a new browser in which somebody is signed in.
func formOf(t *testing.T, c *apptest.Client) (f browserForm) {
	t.Helper()
	path := "/app/me"
	if c.Token == "" || c.UserID == "" {
		path = "/signin"
	}
	r := c.Get(t, path, "Cookie", "paraph_session="+c.Token).Want(t, 200)
	for _, x := range r.Header.Values("Set-Cookie") {
		if value, ok := strings.CutPrefix(x, "paraph_form="); ok {
			f.secret = value[:strings.IndexByte(value+";", ';')]
		}
	}
	m := formToken.FindSubmatch(r.Body)
	if m == nil || f.secret == "" {
		t.Fatalf("no form in %s: %v", path, r.Header)
	}
	f.token = string(m[1])
	return f
}

var masked = regexp.MustCompile(`[\w-]{48}`)

// unmask returns the token of a browser's forms, which is sent as a mask and itself under the mask.
func unmask(token []byte) []byte {
	b := make([]byte, base64.RawURLEncoding.DecodedLen(len(token)))
	n, err := base64.RawURLEncoding.Decode(b, token)
	if err != nil || n%2 != 0 {
		return nil
	}
	out := make([]byte, n/2)
	subtle.XORBytes(out, b[:n/2], b[n/2:])
	return out
}

// tokenIn reports whether an answer has the token, under any mask.
func (f browserForm) tokenIn(answer []byte) bool {
	want := unmask([]byte(f.token))
	return slices.ContainsFunc(masked.FindAll(answer, -1), func(m []byte) bool { return bytes.Equal(unmask(m), want) })
}

var pages = regexp.MustCompile(`^/(app|admin|s|p|join|reset|undo|confirm|setup|signin|forgot)(/|$)`)

// last are the ends of routes that end what the secrets open, in this order, after all others.
var last = regexp.MustCompile(`/(cancel|void|decline|replace|delegate|not-me|rotate|delete|purge|remove|off|deactivate|end-others|end|sign-out|sign-out-everybody|logout|signout|reset|session|switch)$`)

// TestLiveSecretsAreShownToThoseTheyAreFor has everybody call every route, and looks in all that comes back for secrets
// of somebody else.
func TestLiveSecretsAreShownToThoseTheyAreFor(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(fillVault(t).callers))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := fillVault(t)
			c := v.callers[name]
			stream, stop := context.WithCancel(t.Context())
			streamed := v.follow(t, stream, c)
			shown := map[string][]string{}
			look := func(what string, answer []byte) {
				for _, x := range v.secrets {
					shows := bytes.Contains(answer, []byte(x.value)) || x.shownIn != nil && x.shownIn(answer)
					if x.value != c.Token && shows && !slices.Contains(shown[x.name], what) {
						shown[x.name] = append(shown[x.name], what)
					}
				}
			}
			form, tried := formOf(t, c), 0
			for _, k := range v.kept {
				r := c.Post(t, k.path, k.body, "Idempotency-Key", k.name)
				if again := r.Header.Get("Idempotency-Replayed") != ""; again != (k.name == "the contract" && name == "the sender") {
					t.Errorf("the answer to the request for %s is repeated: %v (%d)", k.name, again, r.Status)
				}
				look("a repeated request for "+k.name, r.Body)
			}
			routes := slices.DeleteFunc(slices.Clone(v.s.Routes()), func(r httpkit.Route) bool {
				return strings.HasPrefix(r.Path, "/api/") || strings.HasPrefix(r.Path, "/test/") || strings.HasPrefix(r.Path, "/static") || r.Path == "/app/events"
			})
			slices.SortStableFunc(routes, func(a, b httpkit.Route) int { return order(a) - order(b) })
			for _, r := range routes {
				for _, path := range v.pathsOf(r.Path) {
					tried++
					look(r.Method+" "+r.Path, v.looks(t, c, r.Method, path, form))
				}
			}
			stop()
			look("GET /app/events", <-streamed)
			if tried < 600 {
				t.Errorf("only %d requests", tried)
			}
			for _, x := range v.secrets {
				for _, route := range shown[x.name] {
					if !slices.Contains(strings.Split(x.readers, ", "), name) || x.handed && strings.HasPrefix(route, "GET ") {
						t.Errorf("%s is shown to %s by %s", x.name, name, route)
					}
				}
			}
			if name == "the owner" && len(shown) < 5 {
				t.Errorf("the owner is shown only %v", shown)
			}
		})
	}
}

// order sorts routes so that those that end something come last.
func order(r httpkit.Route) int {
	switch {
	case r.Method == http.MethodGet:
		return 0
	case r.Method == http.MethodDelete:
		return 2
	case last.MatchString(r.Path):
		return 3
	}
	return 1
}

// follow reads the stream of events until the context ends.
func (v *vault) follow(t *testing.T, ctx context.Context, c *apptest.Client) <-chan []byte {
	t.Helper()
	out := make(chan []byte, 1)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.s.URL+"/app/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", "paraph_session="+c.Token)
	go func() {
		var all []byte
		if res, err := http.DefaultClient.Do(req); err == nil {
			all, _ = io.ReadAll(res.Body)
			res.Body.Close()
		}
		out <- all
	}()
	return out
}
