package signin

import (
	"net/http"

	"paraph/app/fault"
	"paraph/app/web/page"
)

// ShowUndo asks whether to undo the changes reported in a notice.
func (h *Handlers) ShowUndo(r *page.Request) error {
	r.TeamWords()
	email, err := h.Accounts.Authentication.CheckUndo(r.Params("token"))
	if err != nil {
		return ended(r, err, "undo", "/forgot")
	}
	return undoTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("undo.title")}, confirmPage{email}))
}

// Undo reverts these changes and continues with choosing a new password.
func (h *Handlers) Undo(r *page.Request) error {
	r.TeamWords()
	reset, err := h.Accounts.Authentication.Undo(r.Params("token"))
	if fault.KindOf(err) == fault.KindConflict {
		return overTemplate.Render(r, http.StatusConflict, page.With(page.Page{Title: r.Say("confirm.taken")}, over{
			Text: r.Say("undo.taken.text"), Action: r.Say("undo.over.do"), Href: "/forgot"}))
	}
	if err != nil {
		return ended(r, err, "undo", "/forgot")
	}
	r.Flash("ok", "undo.done")
	return r.SeeOther("/reset/" + reset)
}
