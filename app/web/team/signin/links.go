package signin

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// ended shows that a link has expired or was used. Other errors are returned.
func ended(r *page.Request, err error, key, href string) error {
	if !deadLink(err) {
		return err
	}
	return overTemplate.Render(r, http.StatusGone, page.With(page.Page{Title: r.Say(key + ".over")}, over{
		Text: r.Say(key + ".over.text"), Action: r.Say(key + ".over.do"), Href: href}))
}

// forgotPage is the form for requesting a new password.
type forgotPage struct {
	Mail bool // there is a mail server
	Sent bool
}

func (h *Handlers) forgotForm(r *page.Request, f forgotPage) page.View[forgotPage] {
	f.Mail = h.Notify.Mails()
	return page.With(page.Page{Title: r.Say("forgot.title")}, f)
}

func (h *Handlers) showForgot(r *page.Request, status int, f forgotPage) error {
	r.TeamWords()
	return forgotTemplate.Render(r, status, h.forgotForm(r, f))
}

// Forgot sends a link to reset a password. The response doesn't reveal whether the
// account exists.
func (h *Handlers) Forgot(r *page.Request) error {
	r.TeamWords()
	err := h.Accounts.Authentication.ForgotPassword(r.Form.Value("email"), origin(r))
	if fault.KindOf(err) == fault.KindThrottled {
		return lockedOut(r, r.FailureOf(err), forgotTemplate, h.forgotForm(r, forgotPage{}))
	}
	if err != nil {
		return forgotTemplate.Again(r, err, h.forgotForm(r, forgotPage{}))
	}
	return h.showForgot(r, http.StatusOK, forgotPage{Sent: true})
}

func resetForm(r *page.Request, left account.Outlasting) page.View[account.Outlasting] {
	return page.With(page.Page{Title: r.Say("reset.title"), Scripts: []string{"access.js"}}, left)
}

// ShowReset serves the form for a new password.
func (h *Handlers) ShowReset(r *page.Request) error {
	r.TeamWords()
	left, err := h.Accounts.Authentication.CheckReset(r.Params("token"))
	if err != nil {
		return ended(r, err, "reset", "/forgot")
	}
	return resetTemplate.Render(r, http.StatusOK, resetForm(r, left))
}

// Reset sets a new password.
func (h *Handlers) Reset(r *page.Request) error {
	r.TeamWords()
	left, err := h.Accounts.Authentication.CheckReset(r.Params("token"))
	if err == nil {
		in := account.Reset{Password: r.Form.Value("password"), RevokeTokens: r.Form.Has("revoke_tokens")}
		err = h.Accounts.Authentication.ResetPassword(r.UserContext(), r.Params("token"), in)
	}
	switch {
	case deadLink(err):
		return ended(r, err, "reset", "/forgot")
	case err != nil:
		return resetTemplate.Again(r, err, resetForm(r, left))
	}
	r.Flash("ok", "reset.done")
	return r.SeeOther("/signin")
}

// inviteCookie holds the invitation that the person accepts by signing in.
const inviteCookie = "paraph_invite"

// joinPage is an invitation to a company.
type joinPage struct {
	account.Invite
	Role, Does string
	Other      string // address of the signed-in user, if they are somebody else
}

func joinForm(r *page.Request, in account.Invite) page.View[joinPage] {
	data := joinPage{Invite: in, Role: r.Say("join.role." + string(in.Role)), Does: r.Say("join.does." + string(in.Role))}
	if who, _, ok := r.SignedIn(); ok && !in.Theirs {
		data.Other = who.Email
	}
	r.Shell = nil // the page is about the invitation, not the signed-in user
	return page.With(page.Page{Title: r.Say("join.title", "company", in.Company), Scripts: []string{"access.js"}}, data)
}

// invited reads the invitation of a page.
func (h *Handlers) invited(r *page.Request) (account.Invite, error) {
	who, _, _ := r.SignedIn()
	return h.Accounts.Companies.CheckInvite(account.Call{Actor: who}, r.Params("token"))
}

// ShowJoin serves an invitation to a company.
func (h *Handlers) ShowJoin(r *page.Request) error {
	r.TeamWords()
	in, err := h.invited(r)
	if err != nil {
		return ended(r, err, "join", "/signin")
	}
	return joinTemplate.Render(r, http.StatusOK, joinForm(r, in))
}

// Join accepts an invitation to a company: with the account that the person is signed in with, by
// choosing a password for a new one, or by signing in next.
func (h *Handlers) Join(r *page.Request) error {
	r.TeamWords()
	in, err := h.invited(r)
	if err != nil {
		return ended(r, err, "join", "/signin")
	}
	if !in.Theirs && (!in.New || r.Form.Value("with") == "account") {
		return signInToJoin(r, in)
	}
	signedIn, _, _ := r.SignedIn()
	who := r.Call(signedIn)
	password := r.Form.Value("password")
	_, err = h.Accounts.Companies.AcceptInvite(r.UserContext(), who, r.Params("token"), r.Form.Value("name"), password)
	switch {
	case deadLink(err):
		return ended(r, err, "join", "/signin")
	case err != nil:
		return joinTemplate.Again(r, err, joinForm(r, in))
	}
	r.Flash("ok", "join.done", "company", in.Company)
	if !in.Theirs {
		return h.signInWith(r, in.Email, password, in.CompanyID, "/app/documents")
	}
	t, err := h.Accounts.Authentication.SwitchCompany(who, in.CompanyID)
	if err != nil {
		return err
	}
	r.StartSession(t.CompanyID, t.Secret)
	return r.SeeOther("/app/documents")
}

// signInToJoin asks a person to sign in, which accepts the invitation.
func signInToJoin(r *page.Request, in account.Invite) error {
	if err := r.Leave(); err != nil {
		return err
	}
	r.SetCookie(page.CompanyCookie, in.CompanyID, "/", page.CompanyTime)
	r.SetCookie(inviteCookie, r.Params("token"), "/signin", pendingTime)
	return r.SeeOther("/signin")
}

type confirmPage struct{ Email string }

// ShowConfirm asks whether to confirm an e-mail address.
func (h *Handlers) ShowConfirm(r *page.Request) error {
	r.TeamWords()
	email, err := h.Accounts.Profile.CheckVerification(r.Params("token"))
	if err != nil {
		return ended(r, err, "confirm", "/app/me")
	}
	p := page.Page{Title: r.Say("confirm.title")}
	return confirmEmailTemplate.Render(r, http.StatusOK, page.With(p, confirmPage{email}))
}

// Confirm confirms an e-mail address.
func (h *Handlers) Confirm(r *page.Request) error {
	r.TeamWords()
	user, err := h.Accounts.Profile.VerifyEmail(r.Params("token"))
	if fault.KindOf(err) == fault.KindConflict {
		return overTemplate.Render(r, http.StatusConflict, page.With(page.Page{Title: r.Say("confirm.taken")}, over{
			Text: r.Say("confirm.taken.text"), Action: r.Say("confirm.over.do"), Href: "/app/me"}))
	}
	if err != nil {
		return ended(r, err, "confirm", "/app/me")
	}
	r.Flash("ok", "confirm.done", "email", user.Email)
	return r.SeeOther("/app/me")
}

// ShowForgot serves the form for requesting a new password.
func (h *Handlers) ShowForgot(r *page.Request) error {
	return h.showForgot(r, http.StatusOK, forgotPage{})
}
