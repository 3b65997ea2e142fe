package web

import (
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

func (d *Door) sessionRoutes(app *fiber.App) {
	d.teamPost(app, "/app/session", (*request).renewSession)
	d.teamGet(app, "/app/me/sessions", func(r *request) error { return r.showSessions(http.StatusOK, page{}) })
	d.teamPost(app, "/app/me/sessions/end", (*request).endSession)
	d.teamPost(app, "/app/me/sessions/end-others", (*request).endOtherSessions)
}

// left is how many seconds there are until then; 0 for what does not end.
func (r *request) left(until time.Time) int {
	if until.IsZero() {
		return 0
	}
	return max(0, int(until.Sub(r.door.Now()).Seconds()))
}

// renewSession begins the session's time anew. A script is told how long that is.
func (r *request) renewSession() error {
	t, err := r.door.Accounts.RenewSession(r.UserContext(), r.who.Actor)
	if err != nil {
		return err
	}
	r.keepSession(t.CompanyID, t.Secret)
	if r.scripted() {
		return r.JSON(map[string]int{"left": r.left(*t.ExpiresAt)})
	}
	return r.redirect(r.inside(r.form.value("next")))
}

// sessionsPage is where somebody is signed in.
type sessionsPage struct {
	meTabs
	Sessions []sessionView
	More     int // that are not shown
	SignIns  []ownSignIn
}

// ownSignIn is a line of the record of sign-ins.
type ownSignIn struct {
	signInLine
	Device string
}

type sessionView struct {
	account.Token
	Device  string
	Used    time.Time
	Current bool
}

// sessionsShown is how many sessions are listed, those used last first.
const sessionsShown = 50

const signInsShown = 25

func (r *request) showSessions(status int, p page) error {
	list, err := r.door.Accounts.ListSessions(r.UserContext(), r.who.Actor, account.ListQuery{Sort: "last_used_at", Descending: true, Limit: sessionsShown})
	if err != nil {
		return err
	}
	data := sessionsPage{meTabs: r.meTabs(), More: list.Total - len(list.Items)}
	for _, t := range list.Items {
		v := sessionView{Token: t, Device: r.device(t.Name), Used: t.CreatedAt, Current: t.ID == r.who.Actor.TokenID}
		if t.LastUsedAt != nil {
			v.Used = *t.LastUsedAt
		}
		data.Sessions = append(data.Sessions, v)
	}
	log, err := r.door.Accounts.ListSignIns(r.UserContext(), r.who.Actor, false, 0, signInsShown)
	if err != nil {
		return err
	}
	for _, e := range log.Items {
		data.SignIns = append(data.SignIns, ownSignIn{r.signInLine(e), r.device(e.UserAgent)})
	}
	p.Title, p.Data = r.say("me.sessions.title"), data
	return r.render(status, "me-sessions", p)
}

func (r *request) endSession() error {
	id := r.form.value("session")
	if id == r.who.Actor.TokenID {
		return r.signOut()
	}
	if err := r.door.Accounts.EndSession(r.UserContext(), r.who.Actor, id); err != nil {
		return err
	}
	r.flash("ok", "me.sessions.ended")
	return r.redirect("/app/me/sessions")
}

func (r *request) endOtherSessions() error {
	if err := r.door.Accounts.EndOtherSessions(r.UserContext(), r.who.Actor); err != nil {
		return err
	}
	r.flash("ok", "me.sessions.others.ended")
	return r.redirect("/app/me/sessions")
}
