package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"paraph/app/account"
	"paraph/app/apptest"
)

// verdict classifies a route's effect on how people get access.
type verdict struct {
	asks    bool        // for a recent proof of identity
	carries bool        // or accepts one in the request, always
	body    apptest.Map // of the API
	form    []string    // of a page
}

// harmless are routes that grant nobody new access: they end something, change
// something unrelated, or are themselves ways to prove one's identity.
var harmless = strings.Fields(`POST/logout PATCH/me/passkeys/:passkey POST/me/proof POST/me/proof/passkey/begin POST/me/proof/passkey
POST/sign-out-everybody DELETE/members/:member DELETE/tokens/:token POST/app/switch POST/app/me/prove POST/app/me/prove/begin POST/app/me
POST/app/me/signature POST/app/me/passkeys/rename POST/app/session POST/app/me/sessions/end POST/app/me/sessions/end-others POST/app/team/:id/remove
POST/app/team/:id/deactivate POST/app/team/:id/hand-over POST/app/team/:id/link POST/app/team/:id/resend POST/app/settings/company
POST/app/settings/security/sign-out POST/app/settings/api/:id/revoke POST/app/keys
PUT/company/texts/:kind/:language DELETE/company/texts/:kind/:language POST/company/texts/:kind/:language/preview`)

// verdicts are the routes that change how people get access.
var verdicts = map[string]verdict{
	"PATCH/me":                       {carries: true, body: apptest.Map{"password": "another horse"}},
	"POST/me/two-factor":             {asks: true, body: apptest.Map{}},
	"DELETE/me/two-factor":           {carries: true, body: apptest.Map{}},
	"POST/email/reverify":            {asks: true, body: apptest.Map{"email": "thief@else.example"}},
	"POST/me/passkeys/begin":         {asks: true, body: apptest.Map{}},
	"POST/me/passkeys":               {asks: true, body: apptest.Map{"ceremony": "x", "credential": apptest.Map{}}},
	"DELETE/me/passkeys/:passkey":    {asks: true, body: apptest.Map{}},
	"POST/me/recovery-codes":         {carries: true, body: apptest.Map{}},
	"PATCH/company":                  {asks: true, body: apptest.Map{"require_two_factor": false}},
	"POST/members":                   {asks: true, body: apptest.Map{"email": "thief@else.example", "role": "owner"}},
	"PATCH/members/:member":          {asks: true, body: apptest.Map{"role": "owner"}},
	"POST/tokens":                    {asks: true, body: apptest.Map{"name": "back door"}},
	"POST/app/me/email":              {asks: true, form: []string{"email", "thief@else.example"}},
	"POST/app/me/password":           {carries: true, form: []string{"password", "another horse"}},
	"POST/app/me/two-factor":         {asks: true},
	"POST/app/me/two-factor/confirm": {asks: true, form: []string{"code", "123456", "url", "otpauth://totp/x?secret=AAAA"}},
	"POST/app/me/two-factor/off":     {carries: true},
	"POST/app/me/recovery-codes":     {carries: true},
	"POST/app/me/passkeys/begin":     {asks: true},
	"POST/app/me/passkeys":           {asks: true, form: []string{"ceremony", "x", "credential", "{}"}},
	"POST/app/me/passkeys/remove":    {asks: true, form: []string{"passkey", "PASSKEY"}},
	"POST/app/team/invite":           {asks: true, form: []string{"emails", "thief@else.example", "role", "admin"}},
	"POST/app/team/:id/role":         {asks: true, form: []string{"role", "admin"}},
	"POST/app/team/:id/activate":     {asks: true},
	"POST/app/settings/security":     {asks: true},
	"POST/app/settings/api":          {asks: true, form: []string{"name", "back door", "scope.read", "yes", "life", "30"}},
}

// ways are the path prefixes of routes about people and their access.
var ways = regexp.MustCompile(`^/(me|email|members|tokens|logout|sign-out|company|app/me|app/team|app/settings/(api|security|company)|app/session|app/switch|app/keys)`)

// TestAStolenSessionIsNotMadePermanent calls every route that changes how people get
// access with a session that began an hour ago. A new route must be assigned a verdict.
func TestAStolenSessionIsNotMadePermanent(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	mate := owner.Member(t, account.RoleMember)
	owner.Patch(t, "/members/"+mate.UserID, apptest.Map{"active": false}).Want(t, 200)
	secret := owner.Post(t, "/me/two-factor", apptest.Map{}).Want(t, 200).Text(t, "secret")
	code, err := totp.GenerateCode(secret, s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	owner.Post(t, "/me/two-factor", apptest.Map{"code": code}).Want(t, 200)
	owner.Patch(t, "/company", apptest.Map{"require_two_factor": true}).Want(t, 200)
	s.Advance(t, "1h")
	thief := browse(t, owner)
	tried := 0
	for _, route := range s.Routes() {
		if route.Method == http.MethodGet || strings.HasPrefix(route.Path, "/api/") || !ways.MatchString(route.Path) {
			continue
		}
		name := route.Method + route.Path
		v, known := verdicts[name]
		if !known {
			if !strings.Contains(" "+strings.Join(harmless, " ")+" ", " "+name+" ") {
				t.Errorf("%s %s: does it change how somebody gets in?", route.Method, route.Path)
			}
			continue
		}
		tried++
		path := strings.NewReplacer(":member", mate.UserID, ":id", mate.UserID, ":passkey", "01K8XN2V7Q3J5T9B4C6D8E0F1G").Replace(route.Path)
		status, answer := 0, ""
		if v.body != nil {
			r := owner.Do(t, route.Method, path, v.body)
			status, answer = r.Status, string(r.Body)
		} else {
			status, answer = thief.send(path, v.form...)
		}
		asked := status == http.StatusForbidden && (strings.Contains(answer, `"proof_required"`) || strings.Contains(answer, `action="/app/me/prove"`))
		if v.asks && !asked || v.carries && status != http.StatusUnprocessableEntity && !asked {
			t.Errorf("%s %s: %d %.300s", route.Method, route.Path, status, answer)
		}
	}
	if tried < len(verdicts) {
		t.Errorf("%d of %d routes were tried", tried, len(verdicts))
	}
}

// TestAFormIsSentOnOnceItsSenderHasProven checks that a form is held back until the
// password is entered, and then submitted.
func TestAFormIsSentOnOnceItsSenderHasProven(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	s.Advance(t, "1h")
	v := browse(t, owner)
	status, html := v.send("/app/settings/api", "name", "The nightly export", "scope.read", "yes", "life", "30")
	if status != http.StatusForbidden {
		t.Fatalf("%d %.300s", status, html)
	}
	held := []string{}
	_, form, _ := strings.Cut(html, `action="/app/me/prove"`)
	form, _, _ = strings.Cut(form, "</form>")
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		if m[1] != "csrf" {
			held = append(held, m[1], m[2])
		}
	}
	status, html = v.send("/app/me/prove", append(held, "proof.password", "a guess")...)
	if status != http.StatusUnprocessableEntity || !strings.Contains(html, "The nightly export") {
		t.Errorf("a wrong password: %d %.300s", status, html)
	}
	status, html = v.send("/app/me/prove", append(held, "proof.password", apptest.Password)...)
	if status != http.StatusCreated || !strings.Contains(html, `id="secret"`) {
		t.Errorf("the right one: %d %.300s", status, html)
	}
	if list := s.Login(t, owner.Email).Get(t, "/tokens").Want(t, 200); !strings.Contains(string(list.Body), "The nightly export") {
		t.Errorf("there is no such token: %.300s", list.Body)
	}
	if m := s.Mails(t, owner.Email); len(m) == 0 || !strings.Contains(m[0].Text, "The nightly export") {
		t.Errorf("nobody was told: %+v", m)
	}
}

// TestTheLinkOfANoticeTakesAChangeBack follows the link that the owner is mailed.
func TestTheLinkOfANoticeTakesAChangeBack(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	made := s.With(owner.Post(t, "/tokens", apptest.Map{"name": "back door"}).Want(t, 201).Text(t, "token"))
	link := s.Link(t, owner.Email, "/undo/")
	v := browse(t, s.Company(t))
	if status, html := v.get("/undo/" + link); status != http.StatusOK || !strings.Contains(html, owner.Email) {
		t.Fatalf("%d %.300s", status, html)
	}
	made.Get(t, "/documents").Want(t, 200)
	status, html := v.send("/undo/" + link)
	if status != http.StatusOK || !strings.Contains(html, "Choose a new password") {
		t.Fatalf("%d %.300s", status, html)
	}
	made.Get(t, "/documents").Want(t, 401)
	owner.Get(t, "/documents").Want(t, 401)
	if status, _ := v.get("/undo/" + link); status != http.StatusGone {
		t.Errorf("the link again: %d", status)
	}
}
