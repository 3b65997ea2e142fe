package drafts

import (
	"net/http"
	"strconv"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// Files are uploaded in pieces, so that an interruption costs at most one piece. The
// upload needs a script; finishing or cancelling it doesn't.

// tokenHeader carries the form token of a request whose body isn't a form.
const tokenHeader = "X-CSRF-Token"

// progress is the state of an upload, for a script.
type progress struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	Received int64  `json:"received"`
	Locked   bool   `json:"locked"`
	Fixed    bool   `json:"fixed"`
	Message  string `json:"message,omitempty"`
}

func sendProgress(r *page.Request, status int, u signing.Unfinished, message string) error {
	return r.Status(status).JSON(progress{u.ID, u.Name, u.Size, u.Received, u.Locked, u.Fixed, message})
}

// BeginUpload starts the upload of a file, or resumes an earlier one.
func (h *Handlers) BeginUpload(r *page.Request) error {
	size, err := strconv.ParseInt(r.Form.Value("size"), 10, 64)
	if err != nil {
		return fault.Malformed("upload_without_size")
	}
	u, err := h.Drafts.BeginUpload(r.Who.Call, r.Params("id"), r.Form.Value("name"), size)
	if err != nil {
		return err
	}
	return sendProgress(r, http.StatusCreated, u, "")
}

// ShowUpload responds to a script with the state of an upload.
func (h *Handlers) ShowUpload(r *page.Request) error {
	u, err := h.Drafts.GetUpload(r.Who.Call, r.Params("id"), r.Params("upload"))
	if err != nil {
		return err
	}
	return sendProgress(r, http.StatusOK, u, "")
}

// AppendUpload appends a piece, sent as the raw body. The response to a piece at the
// wrong offset contains the expected one.
func (h *Handlers) AppendUpload(r *page.Request) error {
	if err := r.CheckOrigin(); err != nil {
		return err
	}
	if err := r.CheckToken(r.Get(tokenHeader)); err != nil {
		return err
	}
	offset, err := strconv.ParseInt(r.Query("offset"), 10, 64)
	if err != nil || offset < 0 {
		return fault.Malformed("upload_without_offset")
	}
	body, err := r.Body()
	if err != nil {
		return err
	}
	u, err := h.Drafts.AppendUpload(r.Who.Call, r.Params("id"), r.Params("upload"), offset, body)
	switch {
	case body.Err() != nil:
		return body.Err()
	case fault.CodeOf(err) == "wrong_offset":
		return sendProgress(r, http.StatusConflict, u, r.Explain(r.FailureOf(err)))
	case err != nil:
		return err
	}
	return sendProgress(r, http.StatusOK, u, "")
}

// FinishUpload adds a complete upload to the document as a file, opened with its
// password if it has one, or as a flattened copy if the original can't be used.
func (h Form) FinishUpload(r *page.Request) error { return h.withForm(r, h.finishUpload) }

func (h Form) finishUpload(r *page.Request, d *record.Document) error {
	id, finish := d.ID, h.Drafts.FinishUpload
	password, flatten := secretOf(r, r.Params("upload"))
	if flatten {
		finish = h.Drafts.FinishUploadFlattened
	}
	d, file, err := finish(r.UserContext(), r.Who.Call, id, r.Params("upload"), password)
	if err == nil {
		if r.Scripted() {
			return r.JSON(map[string]any{"file": file.ID, "title": d.Title})
		}
		return r.SeeOther(at(id, stepFiles))
	}
	why, err := refusedFile(r, err)
	if err != nil {
		return err
	}
	if !r.Scripted() {
		r.Flash("warn", "files.failed", "why", shorten(why, 900))
		return r.SeeOther(at(id, stepFiles))
	}
	u, err := h.Drafts.GetUpload(r.Who.Call, id, r.Params("upload"))
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	return sendProgress(r, http.StatusUnprocessableEntity, u, why)
}

// CancelUpload discards an unfinished upload.
func (h Form) CancelUpload(r *page.Request) error { return h.withForm(r, h.cancelUpload) }

func (h Form) cancelUpload(r *page.Request, d *record.Document) error {
	id := d.ID
	err := h.Drafts.CancelUpload(r.Who.Call, id, r.Params("upload"))
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	if r.Scripted() {
		return r.SendStatus(http.StatusNoContent)
	}
	r.Flash("ok", "files.cancelled")
	return r.SeeOther(at(id, stepFiles))
}
