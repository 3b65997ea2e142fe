package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// consentRoutes are about agreeing to sign electronically, and about what people
// can say when something is in the way.
func (d *Door) consentRoutes(app *fiber.App) {
	const base = "/s/:token"
	d.post(app, base+"/consent", d.invited((*request).agree))
	d.get(app, base+"/withdraw", d.invited((*request).askWithdraw))
	d.post(app, base+"/withdraw", d.invited((*request).withdrawConsent))
	d.get(app, base+"/report", d.invited(func(r *request, v *visitor) error { return r.showReport(v) }))
	d.post(app, base+"/report", d.invited((*request).reportProblem))
}

// showConsentGate asks whether somebody agrees, before anything of the document is
// sent to them.
func (r *request) showConsentGate(v *visitor) error {
	p := r.frame(v, r.say("agree.title"))
	data := p.Data.(visitPage)
	data.Other = r.otherReader(v)
	p.Data = data
	return r.render(http.StatusOK, "agree", p)
}

// AsksHere says whether the page of the document asks for consent.
func (p visitPage) AsksHere() bool {
	return p.Consent != "" && p.Company.ConsentMode != account.ConsentGate
}

func (r *request) agree(v *visitor) error {
	_, err := r.door.Signing.Agree(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil && account.KindOf(err) != account.KindConflict {
		return err
	}
	return r.redirect(v.base)
}

func (r *request) askWithdraw(v *visitor) error {
	if v.Stage != signing.StageSign || v.Consent == "" {
		return r.redirect(v.base)
	}
	return r.ask(v, "withdraw")
}

func (r *request) withdrawConsent(v *visitor) error {
	_, err := r.door.Signing.WithdrawConsent(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	switch {
	case err == nil:
		r.flash("ok", "withdraw.done")
	case account.KindOf(err) != account.KindConflict:
		return err
	}
	return r.redirect(v.base)
}

// noteConsent records the tick of somebody who saves what they filled in, so that
// the next device knows it.
func (r *request) noteConsent(v *visitor) error {
	if v.Consent == "" || v.Agreed || r.form.value("consent") != "yes" {
		return nil
	}
	_, err := r.door.Signing.Agree(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	return err
}

func (r *request) showReport(v *visitor) error {
	return r.render(http.StatusOK, "report-problem", r.frame(v, r.say("report.title")))
}

// reportProblem tells the sender what is in somebody's way.
func (r *request) reportProblem(v *visitor) error {
	err := r.door.Signing.ReportProblem(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.form.value("message"))
	if err != nil {
		return r.again(err, "report-problem", r.frame(v, r.say("report.title")))
	}
	p := r.frame(v, "")
	r.flash("ok", "report.done", "sender", p.Data.(visitPage).Sender)
	return r.redirect(v.base)
}

// otherReader is a member who is signed in here and is not the one invited.
type otherReader struct {
	Email string
	Href  string // where they find what is theirs
}

// otherReader finds out whether the link of one person was opened by another.
func (r *request) otherReader(v *visitor) *otherReader {
	if r.Query("as") == "invited" {
		return nil
	}
	_, u, ok := r.signedIn()
	if !ok || strings.EqualFold(u.Email, v.Invitation.Email) {
		return nil
	}
	o := &otherReader{Email: u.Email, Href: "/app/action"}
	if slices.ContainsFunc(u.Companies, func(c account.UserCompany) bool { return c.ID == v.Company.ID }) {
		o.Href = "/app/documents/" + v.who.Document
	}
	return o
}

// signedIn is the member who is signed in in this browser, if one is.
func (r *request) signedIn() (account.Actor, account.User, bool) {
	kept := r.Cookies(sessionCookie)
	if kept == "" {
		return account.Actor{}, account.User{}, false
	}
	who, err := r.door.Accounts.Authenticate(r.UserContext(), kept)
	if err != nil || who.Kind != account.ActorUser {
		return account.Actor{}, account.User{}, false
	}
	u, err := r.door.Accounts.Me(r.UserContext(), who)
	return who, u, err == nil
}

// textCookie holds the size of text that somebody chose.
const textCookie = "paraph_text"

// textSize is that size: large, larger, or "" for the usual one.
func (r *request) textSize() string {
	if v := r.Cookies(textCookie); v == "large" || v == "larger" {
		return v
	}
	return ""
}

// setTextSize keeps the size that was chosen, and goes back to the page.
func (r *request) setTextSize() error {
	lifetime := 365 * 24 * time.Hour
	size := r.form.value("size")
	if size != "large" && size != "larger" {
		size, lifetime = "", -1
	}
	r.keep(textCookie, size, "/", lifetime)
	if r.scripted() {
		return r.SendStatus(http.StatusNoContent)
	}
	return r.redirect(local(r.form.value("next"), "/"))
}
