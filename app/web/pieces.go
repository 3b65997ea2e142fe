package web

import (
	"net/http"
	"strconv"

	"paraph/app/account"
	"paraph/app/signing"
)

// Files that arrive in pieces, so that a line that is cut costs no more than a
// piece. A script sends them; what it has begun can be finished and dropped
// without one.

// tokenHeader carries the token of a form where the body is no form.
const tokenHeader = "X-CSRF-Token"

// progress is how far an upload is, for a script.
type progress struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	Received int64  `json:"received"`
	Locked   bool   `json:"locked"`
	Fixed    bool   `json:"fixed"`
	Message  string `json:"message,omitempty"`
}

func (r *request) sendProgress(status int, u signing.Unfinished, message string) error {
	return r.Status(status).JSON(progress{u.ID, u.Name, u.Size, u.Received, u.Locked, u.Fixed, message})
}

// beginUpload announces a file. One that was begun before goes on.
func (r *request) beginUpload() error {
	size, err := strconv.ParseInt(r.form.value("size"), 10, 64)
	if err != nil {
		return account.Malformed("The size of the file is missing.")
	}
	u, err := r.door.Signing.BeginUpload(r.UserContext(), r.who.Actor, r.Params("id"), r.form.value("name"), size)
	if err != nil {
		return err
	}
	return r.sendProgress(http.StatusCreated, u, "")
}

func (r *request) showUpload() error {
	u, err := r.door.Signing.GetUpload(r.UserContext(), r.who.Actor, r.Params("id"), r.Params("upload"))
	if err != nil {
		return err
	}
	return r.sendProgress(http.StatusOK, u, "")
}

// appendUpload takes a piece, which is the body as it is. The answer to one
// that does not fit says where the next one begins.
func (r *request) appendUpload() error {
	if err := r.checkOrigin(); err != nil {
		return err
	}
	if err := r.checkToken(r.Get(tokenHeader)); err != nil {
		return err
	}
	offset, err := strconv.ParseInt(r.Query("offset"), 10, 64)
	if err != nil || offset < 0 {
		return account.Malformed("The offset of the piece is missing.")
	}
	body := &arriving{r: r.body()}
	u, err := r.door.Signing.AppendUpload(r.UserContext(), r.who.Actor, r.Params("id"), r.Params("upload"), offset, body)
	switch {
	case body.err != nil:
		return cut(body.err)
	case account.CodeOf(err) == "wrong_offset":
		return r.sendProgress(http.StatusConflict, u, r.explain(r.failureOf(err)))
	case err != nil:
		return err
	}
	return r.sendProgress(http.StatusOK, u, "")
}

// finishUpload makes a file of an upload that is whole, with its password if it
// has one; or of a flattened copy of it, where the upload itself may not be changed.
func (r *request) finishUpload() error {
	id := r.Params("id")
	finish := r.door.Signing.FinishUpload
	if r.form.value("flatten") == "yes" {
		finish = r.door.Signing.FinishFlattened
	}
	d, file, err := finish(r.UserContext(), r.who.Actor, id, r.Params("upload"), r.form.value("password"))
	if err == nil {
		if r.scripted() {
			return r.JSON(map[string]any{"file": file.ID, "title": d.Title})
		}
		return r.redirect(at(id, stepFiles))
	}
	why, err := r.refusedFile(err)
	if err != nil {
		return err
	}
	if !r.scripted() {
		r.flash("warn", "files.failed", "why", shorten(why, 900))
		return r.redirect(at(id, stepFiles))
	}
	u, err := r.door.Signing.GetUpload(r.UserContext(), r.who.Actor, id, r.Params("upload"))
	if err != nil && account.KindOf(err) != account.KindNotFound {
		return err
	}
	return r.sendProgress(http.StatusUnprocessableEntity, u, why)
}

func (r *request) cancelUpload() error {
	id := r.Params("id")
	err := r.door.Signing.CancelUpload(r.UserContext(), r.who.Actor, id, r.Params("upload"))
	if err != nil && account.KindOf(err) != account.KindNotFound {
		return err
	}
	if r.scripted() {
		return r.SendStatus(http.StatusNoContent)
	}
	r.flash("ok", "files.cancelled")
	return r.redirect(at(id, stepFiles))
}
