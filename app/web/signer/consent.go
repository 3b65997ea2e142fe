package signer

import (
	"net/http"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// consentPage is the page that asks for consent before anything else.
type consentPage struct {
	visitPage
	Other *otherReader // the signed-in member, if they are not the person invited
}

// showConsentGate asks for consent before any part of the document is sent.
func showConsentGate(v *Visitor, status int, notice *page.Notice) error {
	p := frame(v, v.Say("agree.title"))
	p.Notice = notice
	return agreeTemplate.Render(v.Request, status, page.With(p, consentPage{visitPageOf(v), otherReaderOf(v)}))
}

// AsksHere reports whether the signing page asks for consent.
func (p visitPage) AsksHere() bool {
	return p.Consent != "" && p.Company.ConsentMode != account.ConsentGate
}

// Agree records consent to sign electronically.
func (h *Handlers) Agree(v *Visitor) error {
	_, err := h.Signing.Agree(v.who, v.who.Document, v.who.Invitation, v.Form.Value(shownVersion))
	if v.Stage == record.StageConsent && outdated(err) {
		return showConsentGate(v, http.StatusConflict, v.Notice("warn", "fault.form_outdated"))
	}
	if err != nil && fault.KindOf(err) != fault.KindConflict {
		return err
	}
	return v.SeeOther(v.base)
}

// AskWithdraw asks whether consent is to be withdrawn.
func AskWithdraw(v *Visitor) error {
	if v.Stage != record.StageSign || v.Consent == "" {
		return v.SeeOther(v.base)
	}
	return ask(v, withdrawTemplate)
}

// WithdrawConsent withdraws consent.
func (h *Handlers) WithdrawConsent(v *Visitor) error {
	_, err := h.Signing.WithdrawConsent(v.who, v.who.Document, v.who.Invitation)
	switch {
	case err == nil:
		v.Flash("ok", "withdraw.done")
	case fault.KindOf(err) != fault.KindConflict:
		return err
	}
	return v.SeeOther(v.base)
}

// recordConsent records consent given on a form that is only saved, so that other
// devices know of it.
func (h *Handlers) recordConsent(v *Visitor) error {
	if v.Consent == "" || v.Agreed || v.Form.Value("consent") != "yes" {
		return nil
	}
	_, err := h.Signing.Agree(v.who, v.who.Document, v.who.Invitation, v.Form.Value(shownVersion))
	if outdated(err) {
		return nil // they agreed to another text, so that they are asked again
	}
	return err
}

// ShowReport serves the form for reporting a problem.
func ShowReport(v *Visitor) error {
	return reportProblemTemplate.Render(v.Request, http.StatusOK, plainPage(v, v.Say("report.title")))
}

// ReportProblem notifies the sender of a problem.
func (h *Handlers) ReportProblem(v *Visitor) error {
	err := h.Signing.ReportProblem(v.who, v.who.Document, v.who.Invitation, v.Form.Value("message"))
	if err != nil {
		return reportProblemTemplate.Again(v.Request, err, plainPage(v, v.Say("report.title")))
	}
	v.Flash("ok", "report.done", "sender", visitPageOf(v).Sender)
	return v.SeeOther(v.base)
}

// otherReader is a signed-in member who is not the person invited.
type otherReader struct {
	Email string
	Href  string // page of their own documents
}

// otherReaderOf returns the signed-in member if they are not the person invited.
func otherReaderOf(v *Visitor) *otherReader {
	if v.Query("as") == "invited" {
		return nil
	}
	_, u, ok := v.SignedIn()
	if !ok || strings.EqualFold(u.Email, v.Invitation.Email) {
		return nil
	}
	o := &otherReader{Email: u.Email, Href: "/app/action"}
	if slices.ContainsFunc(u.Companies, func(c account.UserCompany) bool { return c.ID == v.Company.ID }) {
		o.Href = "/app/documents/" + v.who.Document
	}
	return o
}
