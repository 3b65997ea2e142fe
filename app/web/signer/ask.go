package signer

import (
	"net/http"

	"paraph/app/fault"
	"paraph/app/signing/record"
)

// mustSign redirects visitors who have nothing to do to the page that says why.
func mustSign(v *Visitor) (gone bool, err error) {
	if v.Stage == record.StageSign || v.Stage == record.StageConsent {
		return false, nil
	}
	return true, v.SeeOther(v.base)
}

// ask shows one of the small forms.
func ask(v *Visitor, name string) error {
	if gone, err := mustSign(v); gone {
		return err
	}
	return v.Render(http.StatusOK, name, plainPage(v, v.Say(name+".title", "title", v.Document.Title)))
}

// asked handles an error of a small form, showing it again if the input was
// invalid.
func asked(v *Visitor, name string, err error) error {
	if fault.KindOf(err) == fault.KindConflict {
		return v.SeeOther(v.base)
	}
	return v.Again(err, name, plainPage(v, v.Say(name+".title", "title", v.Document.Title)))
}

// NotMe notifies the sender that the wrong person was invited.
func (h *Handlers) NotMe(v *Visitor) error {
	note := v.Form.Value("note")
	if _, err := h.Signing.NotMe(v.UserContext(), v.who, v.who.Document, v.who.Invitation, &note); err != nil {
		return asked(v, "not-me", err)
	}
	return farewell(v, "not-me.done")
}

// Clear discards the values filled in.
func (h *Handlers) Clear(v *Visitor) error {
	if err := h.Signing.ClearAnswers(v.UserContext(), v.who, v.who.Document, v.who.Invitation); err != nil {
		return asked(v, "clear", err)
	}
	v.Flash("ok", "clear.done")
	return v.SeeOther(v.base)
}

// AskNotMe asks whether the wrong person was invited.
func AskNotMe(v *Visitor) error {
	if v.Document.NoDecline {
		return v.SeeOther(v.base)
	}
	return ask(v, "not-me")
}

// AskClear asks whether to discard what was filled in.
func AskClear(v *Visitor) error { return ask(v, "clear") }
