package signer

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// consentRoutes are about agreeing to sign electronically, and about what people
// can say when something is in the way.
func (h *Handlers) consentRoutes(app *fiber.App) {
	const base = "/s/:token"
	h.Site.Post(app, base+"/consent", h.invited(h.agree))
	h.Site.Get(app, base+"/withdraw", h.invited(askWithdraw))
	h.Site.Post(app, base+"/withdraw", h.invited(h.withdrawConsent))
	h.Site.Get(app, base+"/report", h.invited(func(r *page.Request, v *visitor) error { return showReport(r, v) }))
	h.Site.Post(app, base+"/report", h.invited(h.reportProblem))
}

// showConsentGate asks whether somebody agrees, before anything of the document is
// sent to them.
func showConsentGate(r *page.Request, v *visitor) error {
	p := frame(r, v, r.Say("agree.title"))
	data := p.Data.(visitPage)
	data.Other = otherReaderOf(r, v)
	p.Data = data
	return r.Render(http.StatusOK, "agree", p)
}

// AsksHere says whether the page of the document asks for consent.
func (p visitPage) AsksHere() bool {
	return p.Consent != "" && p.Company.ConsentMode != account.ConsentGate
}

func (h *Handlers) agree(r *page.Request, v *visitor) error {
	_, err := h.Signing.Agree(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil && account.KindOf(err) != account.KindConflict {
		return err
	}
	return r.SeeOther(v.base)
}

func askWithdraw(r *page.Request, v *visitor) error {
	if v.Stage != signing.StageSign || v.Consent == "" {
		return r.SeeOther(v.base)
	}
	return ask(r, v, "withdraw")
}

func (h *Handlers) withdrawConsent(r *page.Request, v *visitor) error {
	_, err := h.Signing.WithdrawConsent(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	switch {
	case err == nil:
		r.Flash("ok", "withdraw.done")
	case account.KindOf(err) != account.KindConflict:
		return err
	}
	return r.SeeOther(v.base)
}

// noteConsent records the tick of somebody who saves what they filled in, so that
// the next device knows it.
func (h *Handlers) noteConsent(r *page.Request, v *visitor) error {
	if v.Consent == "" || v.Agreed || r.Form.Value("consent") != "yes" {
		return nil
	}
	_, err := h.Signing.Agree(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	return err
}

func showReport(r *page.Request, v *visitor) error {
	return r.Render(http.StatusOK, "report-problem", frame(r, v, r.Say("report.title")))
}

// reportProblem tells the sender what is in somebody's way.
func (h *Handlers) reportProblem(r *page.Request, v *visitor) error {
	err := h.Signing.ReportProblem(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.Form.Value("message"))
	if err != nil {
		return r.Again(err, "report-problem", frame(r, v, r.Say("report.title")))
	}
	p := frame(r, v, "")
	r.Flash("ok", "report.done", "sender", p.Data.(visitPage).Sender)
	return r.SeeOther(v.base)
}

// otherReader is a member who is signed in here and is not the one invited.
type otherReader struct {
	Email string
	Href  string // where they find what is theirs
}

// otherReaderOf finds out whether the link of one person was opened by another.
func otherReaderOf(r *page.Request, v *visitor) *otherReader {
	if r.Query("as") == "invited" {
		return nil
	}
	_, u, ok := r.SignedIn()
	if !ok || strings.EqualFold(u.Email, v.Invitation.Email) {
		return nil
	}
	o := &otherReader{Email: u.Email, Href: "/app/action"}
	if slices.ContainsFunc(u.Companies, func(c account.UserCompany) bool { return c.ID == v.Company.ID }) {
		o.Href = "/app/documents/" + v.who.Document
	}
	return o
}
