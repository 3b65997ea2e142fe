package app_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// harmless are the commands that change nobody's credentials. What serve and dev let people do is not theirs, restore
// fills only an empty folder, outbox prints what could not be mailed, and login to send use what the API of an
// installation lets their user do.
var harmless = strings.Fields(`alerts backup backup+verify check cold checkpoint checkpoint+key checkpoint+rotate
	company company+add company+list company+rename company+export completion completion+bash completion+fish completion+powershell completion+zsh
	bulk download get list login remind send templates void
	config demo dev doctor follow help outbox promote reindex restore serve token token+list user user+list verify version`)

// changed says what a command does to how somebody gets in.
type changed struct {
	args []string
	ends string // of: session, token, password, app
	told string // kinds of messages to the person
}

var changing = map[string]changed{
	"user+add":       {args: []string{"user", "add", "ann@example.org", "--password", "a horse of others 7731", "--company", "OTHER"}},
	"user+role":      {args: []string{"user", "role", "ann@example.org", "viewer"}},
	"user+admin":     {args: []string{"user", "admin", "ann@example.org"}},
	"token+add":      {args: []string{"token", "add", "ann@example.org", "--name", "planted"}, told: "token_created"},
	"token+revoke":   {args: []string{"token", "revoke", "ann@example.org", "TOKEN"}, ends: "token"},
	"user+password":  {args: []string{"user", "password", "ann@example.org", "a horse of others 7731"}, ends: "session password app", told: "password"},
	"user+revoke":    {args: []string{"user", "revoke", "ann@example.org"}, ends: "session token password app"},
	"company+import": {}, // TestACompanyDoesNotMoveIntoTheAccountsOfOthers and TestCompanyMovesToAnotherInstallation
}

var listed = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)

// commandsBelow lists the commands of the program, with + between the words.
func commandsBelow(t *testing.T, words ...string) (all []string) {
	t.Helper()
	_, list, _ := strings.Cut(call(t, append(slices.Clone(words), "--help")...).out, "Available Commands:")
	list, _, _ = strings.Cut(list, "Flags:")
	for _, found := range listed.FindAllStringSubmatch(list, -1) {
		below := append(slices.Clone(words), found[1])
		all = append(append(all, strings.Join(below, "+")), commandsBelow(t, below...)...)
	}
	return all
}

// TestEveryCommandsEffectOnCredentialsIsKnown walks the commands, and runs those that change how somebody gets in.
func TestEveryCommandsEffectOnCredentialsIsKnown(t *testing.T) {
	t.Parallel()
	all := commandsBelow(t)
	for _, name := range all {
		if _, ok := changing[name]; !ok && !slices.Contains(harmless, name) {
			t.Errorf("%s: what does it do to the credentials of people?", name)
		}
	}
	for _, name := range harmless {
		if !slices.Contains(all, name) {
			t.Errorf("there is no %s", name)
		}
	}
	for name, want := range changing {
		if !slices.Contains(all, name) {
			t.Errorf("there is no %s", name)
		}
		if want.args == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, clock := filepath.Join(t.TempDir(), "data"), app.NewClock()
			var ann, program *apptest.Client
			var token, other, secret string
			inFolder(t, dir, clock, func(s *apptest.Server) {
				owner := s.Company(t)
				other = s.Company(t).CompanyID
				u, err := s.Accounts.Operator.AddUser(t.Context(), account.UserInput{Email: "ann@example.org", Password: apptest.Password, CompanyID: owner.CompanyID, Role: account.RoleAdmin})
				if err != nil {
					t.Fatal(u, err)
				}
				ann = s.Login(t, "ann@example.org")
				made := ann.Post(t, "/tokens", apptest.Map{"name": "CI"}).Want(t, 201)
				token, program = made.Text(t, "id"), s.With(made.Text(t, "token"))
				secret = ann.Post(t, "/me/two-factor", apptest.Map{}).Want(t, 200).Text(t, "secret")
				ann.Post(t, "/me/two-factor", apptest.Map{"code": shownBy(t, s, secret)}).Want(t, 200)
			})
			args := strings.Split(strings.NewReplacer("OTHER", other, "TOKEN", token).Replace(strings.Join(want.args, "\n")), "\n")
			if got := call(t, append(args, "--set", "data.dir="+dir)...); got.code != 0 {
				t.Fatalf("exit %d: %s%s", got.code, got.out, got.err)
			}
			inFolder(t, dir, clock, func(s *apptest.Server) {
				var ended []string
				for what, c := range map[string]*apptest.Client{"session": ann, "token": program} {
					if s.With(c.Token).Get(t, "/me").Status != 200 {
						ended = append(ended, what)
					}
				}
				login := apptest.Map{"email": "ann@example.org", "password": apptest.Password}
				if r := s.Anonymous().Post(t, "/login", login); r.Status != 422 && r.Status != 200 {
					ended = append(ended, "password")
				}
				s.Advance(t, "1m")
				login["code"] = shownBy(t, s, secret)
				if r := s.Anonymous().Post(t, "/login", login); r.Status != 200 {
					ended = append(ended, "app")
				}
				wanted := strings.Fields(want.ends)
				slices.Sort(ended)
				slices.Sort(wanted)
				if !slices.Equal(ended, wanted) {
					t.Errorf("%v ended, want %v", ended, wanted)
				}
				var told []string
				for _, m := range s.Mails(t, "ann@example.org") {
					if m.Kind != "token_created" || strings.Contains(fmt.Sprint(m.Text), "planted") {
						told = append(told, m.Kind)
					}
				}
				told = slices.DeleteFunc(told, func(kind string) bool { return kind == "two_factor_on" })
				if strings.Join(told, " ") != want.told {
					t.Errorf("told of %v, want %s", told, want.told)
				}
			})
		})
	}
}

// shownBy returns the code that an authenticator app shows now.
func shownBy(t *testing.T, s *apptest.Server, secret string) string {
	t.Helper()
	v, err := totp.GenerateCode(secret, s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
