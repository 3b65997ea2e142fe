package web

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// tokenCards is the page of API tokens.
type tokenCards struct {
	Made   *account.Token // just now: the only time its secret is seen
	Tokens []tokenLine
	Scopes []scopeChoice
	Lives  []option
	Site   string
	Own    bool // only the reader's own tokens are listed
	Limit  int
	Window int // minutes
}

// tokenLine is a token in the list.
type tokenLine struct {
	account.Token
	Expired, Unused bool
	Revoke          string
}

type scopeChoice struct {
	Value, Text string
	Checked     bool
	Denied      bool // more than the reader's role allows
}

// unusedAfter is how long a token may lie still before the list says so.
const unusedAfter = 90 * 24 * time.Hour

// tokenLives are the lifetimes that are offered, in days; 0 is until revoked.
var tokenLives = []string{"30", "90", "365", "0"}

func (d *Door) tokenRoutes(app *fiber.App) {
	d.teamGet(app, "/app/settings/api", func(r *request) error {
		p, err := r.tokenPage(nil)
		if err != nil {
			return err
		}
		return r.settings(http.StatusOK, "settings-api", p)
	})
	d.teamPost(app, "/app/settings/api", (*request).makeToken)
	d.teamGet(app, "/app/settings/api/:id/revoke", (*request).askRevoke)
	d.teamPost(app, "/app/settings/api/:id/revoke", func(r *request) error {
		if err := r.door.Accounts.RevokeToken(r.UserContext(), r.who.Actor, r.Params("id")); err != nil {
			return err
		}
		r.flash("ok", "api.revoked")
		return r.redirect("/app/settings/api")
	})
}

func (r *request) tokenPage(made *account.Token) (page, error) {
	list, err := r.door.Accounts.ListTokens(r.UserContext(), r.who.Actor, account.ListQuery{Statuses: []string{"active", "expired"}, Descending: true})
	if err != nil {
		return page{}, err
	}
	c := tokenCards{Made: made, Site: r.site(), Own: !r.who.Actor.IsAdmin(), Limit: r.door.Setup.LoginLimit, Window: int(r.door.Setup.LoginWindow.Minutes())}
	now := r.door.Now()
	for _, t := range list.Items {
		line := tokenLine{Token: t, Revoke: "/app/settings/api/" + t.ID + "/revoke"}
		line.Expired = t.ExpiresAt != nil && !t.ExpiresAt.After(now)
		last := t.CreatedAt
		if t.LastUsedAt != nil {
			last = *t.LastUsedAt
		}
		line.Unused = !line.Expired && now.Sub(last) > unusedAfter
		c.Tokens = append(c.Tokens, line)
	}
	for _, s := range account.Scopes() {
		c.Scopes = append(c.Scopes, scopeChoice{Value: string(s), Text: r.say("api.scope." + string(s)), Denied: !r.who.Actor.Can(s),
			Checked: r.form.has("scope."+string(s)) || r.form.values == nil && s == account.ScopeRead})
	}
	for _, days := range tokenLives {
		c.Lives = append(c.Lives, option{days, r.say("api.life." + days), days == cmp.Or(r.form.value("life"), "90")})
	}
	return page{Title: r.say("settings.api"), Data: c}, nil
}

func (r *request) makeToken() error {
	in, err := r.tokenInput()
	var made account.Token
	if err == nil {
		made, err = r.door.Accounts.CreateToken(r.UserContext(), r.who.Actor, in)
	}
	if err != nil {
		p, failed := r.tokenPage(nil)
		if failed != nil {
			return failed
		}
		return r.settingsAgain(gathered(err, "scopes"), "settings-api", p)
	}
	r.form = form{}
	p, err := r.tokenPage(&made)
	if err != nil {
		return err
	}
	return r.settings(http.StatusCreated, "settings-api", p)
}

func (r *request) tokenInput() (in account.TokenInput, err error) {
	var f account.Faults
	in.Name = strings.TrimSpace(r.form.value("name"))
	for _, s := range account.Scopes() {
		if r.form.has("scope." + string(s)) {
			in.Scopes = append(in.Scopes, s)
		}
	}
	if len(in.Scopes) == 0 {
		f.Add("scopes", r.say("api.scopes.none"))
	}
	if in.Name == "" {
		f.Add("name", r.say("api.name.none"))
	}
	if days := r.number(&f, "life"); days > 0 {
		in.ExpiresAt = new(r.door.Now().AddDate(0, 0, min(days, 3650)))
	}
	return in, f.Err()
}

// askRevoke asks once more, in a dialog where there are scripts.
func (r *request) askRevoke() error {
	t, err := r.door.Accounts.GetToken(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "confirm", page{Title: r.say("api.revoke.title", "name", t.Name), Data: confirmation{
		Text: r.say("api.revoke.text"), Action: r.Path(), Do: r.say("api.revoke"), Back: "/app/settings/api"}})
}

// confirmation is the page "confirm", which asks before something that can't be
// undone.
type confirmation struct{ Text, Action, Do, Back string }
