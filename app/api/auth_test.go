package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	anyone := s.Anonymous()
	r := anyone.Post(t, "/login", obj{"email": strings.ToUpper(c.Email), "password": apptest.Password, "remember": true}).Want(t, 200)
	for _, field := range []string{"id", "name", "email", "email_verified_at", "locale", "timezone", "two_factor", "created_at", "updated_at", "companies.0.id", "companies.0.name", "companies.0.role"} {
		r.At(t, field)
	}
	if parts := strings.Split(r.Text(t, "companies.0.token"), "."); len(parts) != 3 {
		t.Errorf("the token is no JWT: %s", r.Body)
	}
	for _, secret := range []string{"password", "secret", "hash"} {
		if strings.Contains(string(r.Body), secret) {
			t.Errorf("the answer names a %s: %s", secret, r.Body)
		}
	}
	me := s.With(r.Text(t, "companies.0.token")).Get(t, "/me").Want(t, 200)
	if me.Text(t, "id") != r.Text(t, "id") || me.At(t, "companies.0.token") != nil {
		t.Errorf("GET /me gives %s", me.Body)
	}
	for name, body := range map[string]obj{
		"wrong password": {"email": c.Email, "password": "wrong"},
		"nobody":         {"email": "nobody@nowhere.example", "password": apptest.Password},
	} {
		t.Run(name, func(t *testing.T) {
			r := anyone.Post(t, "/login", body).Want(t, 401)
			if r.Text(t, "message") == "" {
				t.Error("no message")
			}
		})
	}
	failed(t, anyone.Post(t, "/login", obj{}), 422, "email", "password")
	failed(t, anyone.Post(t, "/login", obj{"email": 7, "password": list{}}), 422, "email", "password")
	failed(t, anyone.Post(t, "/login", apptest.Raw{Type: "application/json", Body: []byte(`{"email":`)}), 400)
	failed(t, anyone.Post(t, "/login", apptest.Raw{Type: "application/json", Body: []byte(`[1]`)}), 400)
	failed(t, anyone.Post(t, "/login", apptest.Raw{Type: "text/plain", Body: []byte(`hello`)}), 415)
}

func TestLoginThrottled(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	for range app.Default().Auth.LoginAttempts {
		s.Anonymous().Post(t, "/login", obj{"email": c.Email, "password": "wrong"}).Want(t, 401)
	}
	throttled(t, s.Anonymous().Post(t, "/login", obj{"email": c.Email, "password": apptest.Password}))
}

func throttled(t *testing.T, r *apptest.Response) {
	t.Helper()
	r.Want(t, 429)
	if string(r.Body) != `{"message":"Too Many Requests"}` || r.Header.Get("Retry-After") == "" || r.Header.Get("X-RateLimit-Limit") == "" || r.Header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("429 with %v %s", r.Header, r.Body)
	}
}

// badTokens returns every kind of bearer token that must be rejected.
func badTokens(t *testing.T, c *apptest.Client) map[string]string {
	t.Helper()
	var claims jwt.MapClaims
	parts := strings.Split(c.Token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(raw, &claims) != nil {
		t.Fatal("the token can't be read")
	}
	foreign, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	gone := c.Server.Login(t, c.Email)
	gone.Post(t, "/logout", nil).Want(t, 204)
	program := c.Post(t, "/tokens", obj{"name": "gone"}).Want(t, 201)
	c.Delete(t, "/tokens/"+program.Text(t, "id")).Want(t, 204)
	left := c.Member(t, account.RoleMember)
	c.Patch(t, "/members/"+left.UserID, obj{"active": false}).Want(t, 200)
	removed := c.Member(t, account.RoleMember)
	c.Delete(t, "/members/"+removed.UserID).Want(t, 204)
	return map[string]string{
		"Bearer":                        "Bearer",
		"empty":                         "Bearer ",
		"malformed":                     "Bearer abc",
		"three parts of nothing":        "Bearer a.b.c",
		"wrong scheme":                  "Basic " + c.Token,
		"no scheme":                     c.Token,
		"cut":                           "Bearer " + c.Token[:len(c.Token)-4],
		"wrongly signed":                "Bearer " + foreign,
		"alg none":                      "Bearer " + none,
		"alg none, signature kept":      "Bearer " + none + parts[2],
		"logged out":                    "Bearer " + gone.Token,
		"revoked":                       "Bearer " + program.Text(t, "token"),
		"deactivated":                   "Bearer " + left.Token,
		"removed":                       "Bearer " + removed.Token,
		"link that is none":             "Bearer 01M7Z4BMC36K290EBM3T11X3Q8" + strings.Repeat("A", 32),
		"link of nonsense":              "Bearer " + strings.Repeat("/", 58),
		"two tokens":                    "Bearer " + c.Token + " " + c.Token,
		"control characters in the JWT": "Bearer " + c.Token + "\t" + "x",
		"long":                          "Bearer " + strings.Repeat("x", 9000),
	}
}

func TestUnauthenticated(t *testing.T) {
	t.Parallel()
	c := company(t)
	failed(t, c.Server.Anonymous().Get(t, "/documents"), 401)
	for name, header := range badTokens(t, c) {
		t.Run(name, func(t *testing.T) {
			failed(t, c.Server.Anonymous().Get(t, "/documents", "Authorization", header), 401)
			failed(t, c.Server.Anonymous().Under("/api").Post(t, "/documents", obj{}, "Authorization", header), 401)
		})
	}
	for _, scheme := range []string{"bearer", "BEARER", "Bearer "} {
		c.Server.Anonymous().Get(t, "/documents", "Authorization", scheme+" "+c.Token).Want(t, 200)
	}
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	program := s.With(c.Post(t, "/tokens", obj{"name": "ci", "expires_at": s.Clock.Now().Add(30 * 24 * time.Hour).Format(time.RFC3339)}).Want(t, 201).Text(t, "token"))
	s.Advance(t, "6d")
	c.Get(t, "/me").Want(t, 200)
	s.Advance(t, "2d")
	failed(t, c.Get(t, "/me"), 401)
	program.Get(t, "/documents").Want(t, 200)
	s.Advance(t, "30d")
	failed(t, program.Get(t, "/documents"), 401)
}

func TestReverify(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	for i := range 6 {
		r := c.Post(t, "/email/reverify", obj{}).Want(t, 202)
		if r.Header.Get("X-RateLimit-Limit") != "6" || r.Header.Get("X-RateLimit-Remaining") != fmt.Sprint(5-i) {
			t.Errorf("request %d: %v", i+1, r.Header)
		}
	}
	throttled(t, c.Post(t, "/email/reverify", obj{}))
	s.Company(t).Post(t, "/email/reverify", nil).Want(t, 202) // another user is not limited
	s.Advance(t, "61s")
	c.Post(t, "/email/reverify", obj{"email": "new@company.example"}).Want(t, 202)
	token := s.Link(t, "new@company.example", "/confirm/")
	failed(t, s.Anonymous().Get(t, "/email/verify?token=wrong"), 422, "token")
	s.Anonymous().Get(t, "/email/verify?token="+token).Want(t, 200)
	if got := c.Get(t, "/me").Text(t, "email"); got != "new@company.example" {
		t.Errorf("the address is %s", got)
	}
	failed(t, s.Anonymous().Get(t, "/email/verify?token="+token), 422, "token")
	failed(t, c.Post(t, "/email/reverify", obj{"email": "nope"}), 422, "email")
}

func TestPasswordReset(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	anyone := s.Anonymous()
	known := anyone.Post(t, "/password/forgot", obj{"email": c.Email}).Want(t, 202)
	unknown := anyone.Post(t, "/password/forgot", obj{"email": "nobody@nowhere.example"}).Want(t, 202)
	if string(known.Body) != string(unknown.Body) {
		t.Error("the answer tells whether an address is known")
	}
	failed(t, anyone.Post(t, "/password/forgot", obj{}), 422, "email")
	token := s.Link(t, c.Email, "/reset/")
	failed(t, anyone.Post(t, "/password/reset", obj{"token": token, "password": "short"}), 422, "password")
	anyone.Post(t, "/password/reset", obj{"token": token, "password": "a much better password"}).Want(t, 200)
	failed(t, c.Get(t, "/me"), 401)
	anyone.Post(t, "/login", obj{"email": c.Email, "password": apptest.Password}).Want(t, 401)
	anyone.Post(t, "/login", obj{"email": c.Email, "password": "a much better password"}).Want(t, 200)
	if r := anyone.Post(t, "/password/reset", obj{"token": token, "password": "yet another password"}); r.Status < 400 || r.Status >= 500 {
		t.Errorf("a used link gives %d", r.Status)
	}
}

func TestTwoFactor(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	setup := c.Post(t, "/me/two-factor", obj{}).Want(t, 200)
	if !strings.HasPrefix(setup.Text(t, "url"), "otpauth://") || setup.At(t, "enabled") != false {
		t.Errorf("the setup is %s", setup.Body)
	}
	code := func() string {
		t.Helper()
		v, err := totp.GenerateCode(setup.Text(t, "secret"), s.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	failed(t, c.Post(t, "/me/two-factor", obj{"code": "000000x"}), 422, "code")
	done := c.Post(t, "/me/two-factor", obj{"code": code()}).Want(t, 200)
	if done.At(t, "enabled") != true || len(done.At(t, "recovery_codes").(list)) == 0 {
		t.Errorf("the confirmation is %s", done.Body)
	}
	if c.Get(t, "/me").At(t, "two_factor") != true {
		t.Error("GET /me does not say that it is on")
	}
	anyone := s.Anonymous()
	with := func(code string) *apptest.Response {
		return anyone.Post(t, "/login", obj{"email": c.Email, "password": apptest.Password, "code": code})
	}
	failed(t, with(""), 422, "code")
	s.Advance(t, "2m")
	now := code()
	with(now).Want(t, 200)
	if r := with(now); r.Status == 200 {
		t.Error("a code works twice")
	}
	with(done.Text(t, "recovery_codes.0")).Want(t, 200)
	failed(t, c.Do(t, http.MethodDelete, "/me/two-factor", obj{}), 422)
	c.Do(t, http.MethodDelete, "/me/two-factor", obj{"password": apptest.Password}).Want(t, 204)
	with("").Want(t, 200)
}

func TestTokenScopes(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	type call struct {
		method, path string
		body         any
	}
	read, write := call{"GET", at, nil}, call{"PATCH", at, obj{"external_id": "x"}}
	sign, admin := call{"POST", at + "/" + d.Text(t, "invitations.0.id") + "/view", nil}, call{"PATCH", "/company", obj{"brand_color": "#123456"}}
	for scope, can := range map[string]call{"read": read, "write": write, "sign": sign, "admin": admin} {
		t.Run(scope, func(t *testing.T) {
			made := c.Post(t, "/tokens", obj{"name": scope, "scopes": list{scope}}).Want(t, 201)
			program := c.Server.With(made.Text(t, "token"))
			for _, x := range []call{read, write, sign, admin} {
				r := program.Do(t, x.method, x.path, x.body)
				if allowed := x.method+x.path == can.method+can.path; allowed && r.Status != 200 {
					t.Errorf("%s: %d %s", r.What, r.Status, r.Body)
				} else if !allowed {
					failed(t, r, 403, "scope_missing")
				}
			}
		})
	}
	l := c.Get(t, "/tokens").Want(t, 200)
	if l.Int(t, "meta.total") != 4 || strings.Contains(string(l.Body), "eyJ") || l.At(t, "data.0.token") != nil {
		t.Errorf("the list is %s", l.Body)
	}
	failed(t, c.Post(t, "/tokens", obj{"name": "", "scopes": list{"everything"}}), 422, "name", "scopes.0")
	failed(t, c.Post(t, "/tokens", obj{"name": "x", "expires_at": "2001-01-01T00:00:00Z"}), 422, "expires_at")
	failed(t, c.Post(t, "/tokens", obj{"name": "x", "expires_at": "tomorrow"}), 422, "expires_at")
	failed(t, c.Delete(t, "/tokens/01M7Z4BMC36K290EBM3T11X3Q8"), 404)
}

func TestRoles(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	for role, want := range map[account.Role]struct{ read, write, admin int }{
		account.RoleOwner: {200, 200, 200}, account.RoleAdmin: {200, 200, 200}, account.RoleApprover: {200, 200, 403},
		account.RoleMember: {200, 200, 403}, account.RoleViewer: {200, 403, 403},
	} {
		t.Run(string(role), func(t *testing.T) {
			m := c.Member(t, role)
			m.Get(t, at).Want(t, want.read)
			m.Patch(t, at, obj{"external_id": string(role)}).Want(t, want.write)
			m.Patch(t, "/company", obj{"timezone": "UTC"}).Want(t, want.admin)
			if r := m.Post(t, "/members", obj{"email": string(role) + ".new@company.example", "name": "New"}); (r.Status == 201) != (want.admin == 200) {
				t.Errorf("%s: %d %s", r.What, r.Status, r.Body)
			}
		})
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	m := c.Post(t, "/members", obj{"name": "Nora New", "email": "nora@company.example", "role": "approver"}).Want(t, 201)
	if m.Text(t, "status") != "invited" || m.Text(t, "role") != "approver" {
		t.Errorf("the member is %s", m.Body)
	}
	if mails := s.Mails(t, "nora@company.example"); len(mails) != 1 {
		t.Errorf("%d messages to the new member", len(mails))
	}
	ready := c.Post(t, "/members", obj{"name": "Rita Ready", "email": "rita@company.example", "password": apptest.Password}).Want(t, 201)
	rita := s.Login(t, "rita@company.example")
	id := ready.Text(t, "id")
	c.Patch(t, "/members/"+id, obj{"role": "admin"}).Want(t, 200)
	rita.Patch(t, "/company", obj{"name": "Renamed"}).Want(t, 200)
	c.Patch(t, "/members/"+id, obj{"role": "viewer"}).Want(t, 200)
	failed(t, rita.Post(t, "/documents", obj{}), 403)
	if got := c.Get(t, "/members?search=rita").Want(t, 200).Texts(t, "data", "email"); len(got) != 1 {
		t.Errorf("the search finds %v", got)
	}
	c.Get(t, "/members/"+id).Want(t, 200)
	for _, x := range []struct {
		body   obj
		fields []string
	}{
		{obj{}, []string{"email"}}, {obj{"email": "nope", "role": "king"}, []string{"email", "role"}},
		{obj{"email": "rita@company.example"}, []string{"email"}}, {obj{"email": 1}, []string{"email"}},
		{obj{"email": "x@company.example", "password": "short"}, []string{"password"}},
	} {
		failed(t, c.Post(t, "/members", x.body), 422, x.fields...)
	}
	failed(t, c.Patch(t, "/members/"+id, obj{"role": "king"}), 422, "role")
	failed(t, c.Patch(t, "/members/"+c.UserID, obj{"role": "member"}), 409, "last_owner")
	failed(t, c.Delete(t, "/members/"+c.UserID), 409, "last_owner")
	c.Delete(t, "/members/"+id).Want(t, 204)
	failed(t, c.Get(t, "/members/"+id), 404)
}

func TestCompany(t *testing.T) {
	t.Parallel()
	c := company(t)
	r := c.Get(t, "/company").Want(t, 200)
	for _, f := range strings.Fields("id name locale timezone logo_url brand_color require_approval default_expiry_days reminder_days consent_text retention_days on_decline created_at updated_at") {
		r.At(t, f)
	}
	r = c.Patch(t, "/company", obj{"name": "New name", "default_expiry_days": 14, "reminder_days": list{7, 3}, "on_decline": "void", "unknown": true}).Want(t, 200)
	if r.Text(t, "name") != "New name" || r.Int(t, "default_expiry_days") != 14 || r.Int(t, "reminder_days.0") != 3 || r.Text(t, "on_decline") != "void" {
		t.Errorf("it is %s", r.Body)
	}
	if c.Patch(t, "/company", obj{"default_expiry_days": 0}).Want(t, 200).At(t, "default_expiry_days") != nil {
		t.Error("0 does not take the deadline away")
	}
	failed(t, c.Patch(t, "/company", obj{"name": "", "locale": "!!", "timezone": "Mars/Base", "brand_color": "red", "on_decline": "cry", "retention_days": -1}), 422,
		"name", "locale", "timezone", "brand_color", "on_decline", "retention_days")
	failed(t, c.Patch(t, "/company", obj{"require_approval": "yes", "reminder_days": "3"}), 422, "require_approval", "reminder_days")
	if got := c.Get(t, "/company").Text(t, "name"); got != "New name" {
		t.Errorf("a refused change was kept: %s", got)
	}
	pem := c.Server.Anonymous().Get(t, "/certificates/root.pem").Want(t, 200)
	if !strings.HasPrefix(string(pem.Body), "-----BEGIN CERTIFICATE-----") {
		t.Errorf("the root is %.40s", pem.Body)
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	c := company(t)
	r := c.Patch(t, "/me", obj{"name": "Zoë", "locale": "de", "timezone": "Europe/Berlin"}).Want(t, 200)
	if r.Text(t, "name") != "Zoë" || r.Text(t, "timezone") != "Europe/Berlin" {
		t.Errorf("it is %s", r.Body)
	}
	failed(t, c.Patch(t, "/me", obj{"name": "", "timezone": "x", "password": "short"}), 422, "name", "timezone", "password", "current_password")
	failed(t, c.Patch(t, "/me", obj{"password": "a much better password", "current_password": "wrong"}), 422, "current_password")
	other := c.Server.Login(t, c.Email)
	c.Patch(t, "/me", obj{"password": "a much better password", "current_password": apptest.Password}).Want(t, 200)
	c.Get(t, "/me").Want(t, 200)
	failed(t, other.Get(t, "/me"), 401)
}

// TestTokensArePaced makes more requests with one token than it may, and one with another token.
func TestTokensArePaced(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.Limits.TokenRequests = 12 })
	c := s.Company(t)
	last := 12
	for {
		r := c.Get(t, "/documents")
		if r.Status == http.StatusTooManyRequests {
			throttled(t, r)
			break
		}
		left, err := strconv.Atoi(r.Want(t, 200).Header.Get("X-RateLimit-Remaining"))
		if err != nil || left >= last || r.Header.Get("X-RateLimit-Limit") != "12" {
			t.Fatalf("%d are left after %d: %v", left, last, r.Header)
		}
		last = left
	}
	if last != 0 {
		t.Errorf("refused with %d left", last)
	}
	s.Login(t, c.Email).Get(t, "/documents").Want(t, 200)
}
