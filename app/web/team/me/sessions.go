package me

import (
	"cmp"
	"net/http"
	"time"

	"paraph/app/account"
	"paraph/app/web/page"
	"paraph/app/web/team/signin"
)

// RenewSession extends the session. A script gets the remaining time.
func (h *Handlers) RenewSession(r *page.Request) error {
	t, err := h.Accounts.Authentication.RenewSession(r.Who.Call)
	if err != nil {
		return err
	}
	r.StartSession(t.CompanyID, t.Secret)
	if r.Scripted() {
		return r.JSON(map[string]int{"left": r.Left(*t.ExpiresAt)})
	}
	return r.SeeOther(r.Inside(r.Form.Value("next")))
}

// sessionsPage lists the reader's sessions.
type sessionsPage struct {
	meTabs
	Sessions []sessionView
	More     int // number of sessions not shown
	SignIns  []ownSignIn
}

// ownSignIn is an entry of the sign-in log.
type ownSignIn struct {
	page.SignInLine
	Device string
}

type sessionView struct {
	account.Token
	Device  string
	Used    time.Time
	Current bool
}

// sessionsShown is the maximum number of sessions listed, most recently used
// first.
const sessionsShown = 50

// signInsShown is the maximum number of entries of the sign-in log.
const signInsShown = 25

func (h *Handlers) showSessions(r *page.Request, status int, p page.Page) error {
	list, err := h.Accounts.Authentication.ListSessions(r.Who.Call, account.TokenQuery{Sort: "last_used_at", Descending: true, Limit: sessionsShown})
	if err != nil {
		return err
	}
	data := sessionsPage{meTabs: meTabsOf(r), More: list.Total - len(list.Items)}
	for _, t := range list.Items {
		v := sessionView{Token: t, Device: device(r, t.Name), Used: t.CreatedAt, Current: t.ID == r.Who.Call.TokenID}
		if t.LastUsedAt != nil {
			v.Used = *t.LastUsedAt
		}
		data.Sessions = append(data.Sessions, v)
	}
	log, err := h.Accounts.Authentication.ListSignIns(r.Who.Call, false, 0, signInsShown)
	if err != nil {
		return err
	}
	for _, e := range log.Items {
		data.SignIns = append(data.SignIns, ownSignIn{r.SignInLine(e), device(r, e.UserAgent)})
	}
	p.Title = r.Say("me.sessions.title")
	return sessionsTemplate.Render(r, status, page.With(p, data))
}

// EndSession ends one session; ending the current one signs out.
func (h *Handlers) EndSession(r *page.Request) error {
	id := r.Form.Value("session")
	if id == r.Who.Call.TokenID {
		return signin.SignOut(r)
	}
	if err := h.Accounts.Authentication.EndSession(r.Who.Call, id); err != nil {
		return err
	}
	r.Flash("ok", "me.sessions.ended")
	return r.SeeOther("/app/me/sessions")
}

// EndOtherSessions ends all sessions but the current one.
func (h *Handlers) EndOtherSessions(r *page.Request) error {
	if err := h.Accounts.Authentication.EndOtherSessions(r.Who.Call); err != nil {
		return err
	}
	r.Flash("ok", "me.sessions.others.ended")
	return r.SeeOther("/app/me/sessions")
}

// ShowSessions serves the list of the reader's sessions.
func (h *Handlers) ShowSessions(r *page.Request) error {
	return h.showSessions(r, http.StatusOK, page.Page{})
}

// device describes the browser or program of a session.
func device(r *page.Request, agent string) string {
	return cmp.Or(r.Words.Device(agent), r.Say("device.unknown"))
}
