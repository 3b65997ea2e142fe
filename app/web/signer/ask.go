package signer

import (
	"net/http"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// redirectIdle redirects visitors with nothing to sign to the page that says why.
func redirectIdle(v *Visitor) (redirected bool, err error) {
	if v.Stage == record.StageSign || v.Stage == record.StageConsent {
		return false, nil
	}
	return true, v.SeeOther(v.base)
}

// ask shows one of the small forms.
func ask(v *Visitor, t page.Template[visitPage]) error {
	if redirected, err := redirectIdle(v); redirected {
		return err
	}
	return t.Render(v.Request, http.StatusOK, plainPage(v, v.Say(string(t)+".title", "title", v.Document.Title)))
}

// askAgain handles an error of a small form. It shows the form again if the input
// was invalid.
func askAgain(v *Visitor, t page.Template[visitPage], err error) error {
	if fault.KindOf(err) == fault.KindConflict {
		return v.SeeOther(v.base)
	}
	return t.Again(v.Request, err, plainPage(v, v.Say(string(t)+".title", "title", v.Document.Title)))
}

// NotMe notifies the sender that the wrong person was invited.
func (h *Handlers) NotMe(v *Visitor) error {
	note := v.Form.Value("note")
	if _, err := h.Signing.NotMe(v.who, v.who.Document, v.who.Invitation, &note); err != nil {
		return askAgain(v, notMeTemplate, err)
	}
	return farewell(v, "not-me.done")
}

// Clear discards the values entered so far.
func (h *Handlers) Clear(v *Visitor) error {
	if err := h.Signing.ClearAnswers(v.who, v.who.Document, v.who.Invitation); err != nil {
		return askAgain(v, clearTemplate, err)
	}
	v.Flash("ok", "clear.done")
	return v.SeeOther(v.base)
}

// AskNotMe asks whether the wrong person was invited.
func AskNotMe(v *Visitor) error {
	if v.Document.NoDecline {
		return v.SeeOther(v.base)
	}
	return ask(v, notMeTemplate)
}

// AskClear asks whether to discard the values entered so far.
func AskClear(v *Visitor) error { return ask(v, clearTemplate) }
