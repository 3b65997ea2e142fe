package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// linkRoutes are the pages behind the links of messages to people who have an
// account or get one: each works once, and shows what it is for before it is used.
func (d *Door) linkRoutes(app *fiber.App) {
	d.get(app, "/forgot", func(r *request) error { return r.showForgot(http.StatusOK, forgotPage{}) })
	d.post(app, "/forgot", (*request).forgot)
	d.get(app, "/reset/:token", (*request).showReset)
	d.post(app, "/reset/:token", (*request).reset)
	d.get(app, "/join/:token", (*request).showJoin)
	d.post(app, "/join/:token", (*request).join)
	d.get(app, "/confirm/:token", (*request).showConfirm)
	d.post(app, "/confirm/:token", (*request).confirm)
}

// ended shows that a link does not work any more. Any other error is given back.
func (r *request) ended(err error, key, href string) error {
	if !deadLink(err) {
		return err
	}
	return r.render(http.StatusGone, "over", page{Title: r.say(key + ".over"), Data: over{
		Text: r.say(key + ".over.text"), Action: r.say(key + ".over.do"), Href: href}})
}

// forgotPage is where a new password is asked for.
type forgotPage struct {
	Mail bool // there is a mail server
	Sent bool
}

func (r *request) forgotForm(f forgotPage) page {
	f.Mail = r.door.Notify.Sender != nil
	return page{Title: r.say("forgot.title"), Data: f}
}

func (r *request) showForgot(status int, f forgotPage) error {
	r.teamWords()
	return r.render(status, "forgot", r.forgotForm(f))
}

func (r *request) forgot() error {
	r.teamWords()
	err := r.door.Accounts.ForgotPassword(r.UserContext(), r.form.value("email"), r.origin())
	if account.KindOf(err) == account.KindThrottled {
		return r.lockedOut(r.failureOf(err), "forgot", r.forgotForm(forgotPage{}))
	}
	if err != nil {
		return r.again(err, "forgot", r.forgotForm(forgotPage{}))
	}
	return r.showForgot(http.StatusOK, forgotPage{Sent: true})
}

func (r *request) resetForm() page {
	return page{Title: r.say("reset.title"), Scripts: []string{"access.js"}}
}

func (r *request) showReset() error {
	r.teamWords()
	if err := r.door.Accounts.CheckReset(r.UserContext(), r.Params("token")); err != nil {
		return r.ended(err, "reset", "/forgot")
	}
	return r.render(http.StatusOK, "reset", r.resetForm())
}

func (r *request) reset() error {
	r.teamWords()
	err := r.door.Accounts.ResetPassword(r.UserContext(), r.Params("token"), r.form.value("password"))
	switch {
	case deadLink(err):
		return r.ended(err, "reset", "/forgot")
	case err != nil:
		return r.again(err, "reset", r.resetForm())
	}
	r.flash("ok", "reset.done")
	return r.redirect("/signin")
}

// joinPage is an invitation to a company.
type joinPage struct {
	account.Invite
	Role, Does string
	Other      string // who is signed in here, if that is somebody else
}

func (r *request) joinForm(in account.Invite) page {
	data := joinPage{Invite: in, Role: r.say("join.role." + string(in.Role)), Does: r.say("join.does." + string(in.Role))}
	if r.enter() == nil && r.who.User.ID != in.UserID {
		data.Other = r.who.User.Email
	}
	r.shell = nil // the page is that of the invitation, whoever is signed in
	return page{Title: r.say("join.title", "company", in.Company), Scripts: []string{"access.js"}, Data: data}
}

func (r *request) showJoin() error {
	r.teamWords()
	in, err := r.door.Accounts.CheckInvite(r.UserContext(), r.Params("token"))
	if err != nil {
		return r.ended(err, "join", "/signin")
	}
	return r.render(http.StatusOK, "join", r.joinForm(in))
}

func (r *request) join() error {
	r.teamWords()
	in, err := r.door.Accounts.CheckInvite(r.UserContext(), r.Params("token"))
	if err != nil {
		return r.ended(err, "join", "/signin")
	}
	password := r.form.value("password")
	_, err = r.door.Accounts.AcceptInvite(r.UserContext(), r.Params("token"), r.form.value("name"), password)
	switch {
	case deadLink(err):
		return r.ended(err, "join", "/signin")
	case err != nil:
		return r.again(err, "join", r.joinForm(in))
	}
	if in.NeedsPassword {
		r.flash("ok", "join.done", "company", in.Company)
		return r.signInWith(in.Email, password, in.CompanyID, "/app/documents")
	}
	return r.enterJoined(in)
}

// enterJoined brings somebody who had an account already into the company: at once
// if they are signed in here, else by way of signing in.
func (r *request) enterJoined(in account.Invite) error {
	if r.enter() == nil && r.who.User.ID == in.UserID {
		t, err := r.door.Accounts.SwitchCompany(r.UserContext(), r.who.Actor, in.CompanyID)
		if err != nil {
			return err
		}
		r.keepSession(t.CompanyID, t.Secret)
		r.flash("ok", "join.done", "company", in.Company)
		return r.redirect("/app/documents")
	}
	if err := r.leave(); err != nil {
		return err
	}
	r.keep(companyCookie, in.CompanyID, "/", companyTime)
	r.flash("ok", "join.then", "company", in.Company)
	return r.redirect("/signin")
}

type confirmPage struct{ Email string }

func (r *request) showConfirm() error {
	r.teamWords()
	email, err := r.door.Accounts.CheckVerification(r.UserContext(), r.Params("token"))
	if err != nil {
		return r.ended(err, "confirm", "/app/me")
	}
	return r.render(http.StatusOK, "confirm-email", page{Title: r.say("confirm.title"), Data: confirmPage{email}})
}

func (r *request) confirm() error {
	r.teamWords()
	user, err := r.door.Accounts.VerifyEmail(r.UserContext(), r.Params("token"))
	if account.KindOf(err) == account.KindConflict {
		return r.render(http.StatusConflict, "over", page{Title: r.say("confirm.taken"), Data: over{
			Text: r.say("confirm.taken.text"), Action: r.say("confirm.over.do"), Href: "/app/me"}})
	}
	if err != nil {
		return r.ended(err, "confirm", "/app/me")
	}
	r.flash("ok", "confirm.done", "email", user.Email)
	return r.redirect("/app/me")
}
