package web

import (
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// securityCards is the page of how people sign in.
type securityCards struct {
	Required bool // two-factor of everybody
	Without  int  // active members who have not set it up
	Own      bool // the reader has
	SignIns  []signInLine
	Pager    pager
}

// signInLine is one entry of the log in words.
type signInLine struct {
	account.SignInEntry
	Way     string
	Outcome chipData
}

func (d *Door) securityRoutes(app *fiber.App) {
	d.settingsGet(app, "/security", func(r *request) error {
		p, err := r.securityPage()
		if err != nil {
			return err
		}
		return r.settings(http.StatusOK, "settings-security", p)
	})
	d.teamPost(app, "/app/settings/security", (*request).saveSecurity)
	d.settingsGet(app, "/security/sign-out", func(r *request) error {
		return r.render(http.StatusOK, "confirm", page{Title: r.say("security.out.title", "company", r.who.Company.Name), Data: confirmation{
			Text: r.say("security.out.text"), Action: r.Path(), Do: r.say("security.out"), Back: "/app/settings/security"}})
	})
	d.teamPost(app, "/app/settings/security/sign-out", func(r *request) error {
		ended, err := d.Accounts.EndAllSessions(r.UserContext(), r.who.Actor)
		if err != nil {
			return err
		}
		r.flash("ok", "security.out.done", "count", strconv.Itoa(ended))
		return r.redirect("/app/settings/security")
	})
}

func (r *request) securityPage() (page, error) {
	c := securityCards{Required: r.who.Company.RequireTwoFactor, Own: r.who.User.TwoFactor}
	people, err := r.door.Accounts.ListMembers(r.UserContext(), r.who.Actor, account.ListQuery{})
	if err != nil {
		return page{}, err
	}
	for _, m := range people.Items {
		if m.Status == account.MemberActive && !m.TwoFactor {
			c.Without++
		}
	}
	number, size := r.pageOf()
	log, err := r.door.Accounts.ListSignIns(r.UserContext(), r.who.Actor, true, (number-1)*size, size)
	if err != nil {
		return page{}, err
	}
	for _, e := range log.Items {
		c.SignIns = append(c.SignIns, r.signInLine(e))
	}
	c.Pager = r.pager(number, size, log.Total)
	return page{Title: r.say("settings.security"), Data: c}, nil
}

// signInLine words an entry of the record of sign-ins.
func (r *request) signInLine(e account.SignInEntry) signInLine {
	look := chipData{"danger", "cross", r.say("signin.outcome." + string(e.Outcome))}
	if e.Outcome == account.LetIn {
		look.Kind, look.Icon = "ok", "check"
	}
	return signInLine{e, r.say("signin.method." + string(e.Method)), look}
}

func (r *request) saveSecurity() error {
	required := r.form.has("require_two_factor")
	_, err := r.door.Accounts.UpdateCompany(r.UserContext(), r.who.Actor, account.CompanyPatch{RequireTwoFactor: &required})
	if err != nil {
		p, failed := r.securityPage()
		if failed != nil {
			return failed
		}
		return r.settingsAgain(err, "settings-security", p)
	}
	r.flash("ok", "settings.saved")
	return r.redirect("/app/settings/security")
}
