package settings

import (
	"cmp"
	"net/http"
	"strings"
	"time"
	"unicode"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/web/page"
)

// Tokens serves the page about API tokens.
type Tokens struct {
	*Frame
	Drafts   *signing.Drafts
	Accounts *account.Services
	Setup    Setup
}

// tokenCards is the data of the page about API tokens.
type tokenCards struct {
	Made   *account.Token // created just now, the only time its secret is shown
	Tokens []tokenLine
	Scopes []scopeChoice
	Lives  []page.Option
	Limits []page.Option // templates that a new token can be limited to
	Pace   int           // requests a minute; 0 for any number
	Site   string
	Own    bool // only the reader's own tokens are listed
	Limit  int
	Window int // minutes
}

// tokenLine is a token in the list.
type tokenLine struct {
	account.Token
	Expired, Unused bool
	From            string // addresses
	Revoke          string
}

type scopeChoice struct {
	Value, Text string
	Checked     bool
	Denied      bool // exceeds the reader's role
}

// unusedAfter is the time without use after which a token counts as unused.
const unusedAfter = 90 * 24 * time.Hour

// tokenLives are the lifetimes offered, in days; 0 means until revoked.
var tokenLives = []string{"30", "90", "365", "0"}

func (h *Tokens) tokenPage(r *page.Request, made *account.Token) (sheet[tokenCards], error) {
	q := account.TokenQuery{Statuses: []string{"active", "expired"}, Descending: true}
	list, err := h.Accounts.Profile.ListTokens(r.Who.Call, q)
	if err != nil {
		return sheet[tokenCards]{}, err
	}
	c := tokenCards{
		Made:   made,
		Site:   r.BaseURL(),
		Own:    !r.Who.Call.IsAdmin(),
		Limit:  h.Setup.LoginLimit,
		Window: int(h.Setup.LoginWindow.Minutes()),
		Pace:   h.Setup.TokenRequests,
	}
	now := h.Now(r.Who.Company.ID)
	for _, t := range list.Items {
		line := tokenLine{Token: t, Revoke: "/app/settings/api/" + t.ID + "/revoke"}
		line.Expired = t.ExpiresAt != nil && !t.ExpiresAt.After(now)
		last := t.CreatedAt
		if t.LastUsedAt != nil {
			last = *t.LastUsedAt
		}
		from := make([]string, len(t.Networks))
		for i, n := range t.Networks {
			from[i] = account.Address(n)
		}
		line.From = strings.Join(from, ", ")
		line.Unused = !line.Expired && now.Sub(last) > unusedAfter
		c.Tokens = append(c.Tokens, line)
	}
	for _, s := range account.Scopes() {
		c.Scopes = append(c.Scopes, scopeChoice{Value: string(s), Text: r.Say("api.scope." + string(s)), Denied: !r.Who.Call.Can(s),
			Checked: r.Form.Has("scope."+string(s)) || r.Form.Values == nil && s == account.ScopeRead})
	}
	for _, days := range tokenLives {
		c.Lives = append(c.Lives, page.Option{Value: days, Label: r.Say("api.life." + days), Selected: days == cmp.Or(r.Form.Value("life"), "90")})
	}
	c.Limits, err = h.templates(r)
	return sheet[tokenCards]{Title: r.Say("settings.api"), Own: c}, err
}

// maxTemplates is how many templates are offered.
const maxTemplates = 500

// templates lists what a token can be limited to.
func (h *Tokens) templates(r *page.Request) ([]page.Option, error) {
	all, _, err := h.Drafts.ListTemplates(r.UserContext(), r.Who.Call, lists.Query{PerPage: maxTemplates})
	if err != nil {
		return nil, err
	}
	chosen := r.Form.Value("template_ids")
	out := []page.Option{{Label: r.Say("api.template.none"), Selected: chosen == ""}}
	for _, t := range all {
		out = append(out, page.Option{Value: t.ID, Label: t.Title, Selected: chosen == t.ID})
	}
	return out, nil
}

// CreateToken creates an API token and shows its secret once.
func (h *Tokens) CreateToken(r *page.Request) error {
	in, err := h.tokenInput(r)
	var made account.Token
	if err == nil {
		made, err = h.Accounts.Profile.CreateToken(r.Who.Call, in)
	}
	if err != nil {
		p, failed := h.tokenPage(r, nil)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, page.MergeFaults(page.MergeFaults(page.MergeFaults(err, "scopes"), "addresses"), "template_ids"), "settings-api", p)
	}
	r.Form = page.Form{}
	p, err := h.tokenPage(r, &made)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusCreated, apiTemplate, p)
}

func (h *Tokens) tokenInput(r *page.Request) (in account.TokenInput, err error) {
	var f fault.Fields
	in.Name = strings.TrimSpace(r.Form.Value("name"))
	for _, s := range account.Scopes() {
		if r.Form.Has("scope." + string(s)) {
			in.Scopes = append(in.Scopes, s)
		}
	}
	if len(in.Scopes) == 0 {
		f.Add("scopes", "no_scope_chosen")
	}
	if in.Name == "" {
		f.Add("name", "token_without_name")
	}
	in.Addresses = strings.FieldsFunc(r.Form.Value("addresses"), func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	if id := r.Form.Value("template_ids"); id != "" {
		if in.Templates, err = h.Drafts.KnownTemplates(&f, r.Who.Call, []string{id}); err != nil {
			return in, err
		}
	}
	if days := number(r, &f, "life"); days > 0 {
		in.ExpiresAt = new(h.Now(r.Who.Company.ID).AddDate(0, 0, min(days, 3650)))
	}
	return in, f.Err()
}

// AskRevoke asks for confirmation, in a dialog if scripts run.
func (h *Tokens) AskRevoke(r *page.Request) error {
	t, err := h.Accounts.Profile.GetToken(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	p := page.Page{Title: r.Say("api.revoke.title", "name", t.Name)}
	return page.ConfirmTemplate.Render(r, http.StatusOK, page.With(p, page.Confirmation{
		Text: r.Say("api.revoke.text"), Action: r.Path(), Do: r.Say("api.revoke"), Back: "/app/settings/api"}))
}

// ShowTokens serves the page about API tokens.
func (h *Tokens) ShowTokens(r *page.Request) error {
	p, err := h.tokenPage(r, nil)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, apiTemplate, p)
}

// Revoke revokes a token.
func (h *Tokens) Revoke(r *page.Request) error {
	if err := h.Accounts.Profile.RevokeToken(r.Who.Call, r.Params("id")); err != nil {
		return err
	}
	r.Flash("ok", "api.revoked")
	return r.SeeOther("/app/settings/api")
}
