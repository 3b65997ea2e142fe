package signer

import (
	"net/http"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// ShowPreview serves a recipient's signing page, read-only, to a member preparing
// the document.
func (h *Handlers) ShowPreview(r *page.Request) error {
	id, invitation := r.Params("id"), r.Params("invitation")
	visit, err := h.Signing.Preview(r.Who.Call, id, invitation)
	if err != nil {
		return err
	}
	base := "/app/documents/" + id + "/preview/" + invitation
	v := &Visitor{Request: r, Visit: visit, who: r.Who.Call, base: base}
	v.who.Document, v.who.Invitation = id, invitation
	r.UseLocale(v.Invitation.Locale, v.Document.Locale, v.Company.Locale)
	p := frame(v, r.Say("preview.title", "name", v.Invitation.Name))
	s, err := h.signPage(v, page.Form{}, nil)
	if err != nil {
		return err
	}
	for _, f := range s.Fields {
		f.Disabled = true
	}
	if v.Document.Status == record.Draft {
		s.addFixed(v.Document)
	}
	p.Styles += s.places()
	p.Back = "/app/documents/" + id + "/edit"
	if r.Query("framed") != "" { // on the page for review, which says what it is
		p.Back = ""
		page.FramedByOwnPages(r)
	}
	r.Shell = nil // show exactly what the signatory will see
	return previewTemplate.Render(r, http.StatusOK, page.With(p, documentPage{visitPage: visitPageOf(v), Sign: s}))
}

// PreviewPicture serves a picture of one page of the previewed document.
func (h *Handlers) PreviewPicture(r *page.Request) error {
	return SendPicture(r, h.Completion, r.Who.Call, r.Params("id"))
}

// PreviewTyped serves a name in a script face.
func (h *Handlers) PreviewTyped(r *page.Request) error {
	return SendTyped(r, h.Fonts, r.Query("text"), r.Query("font"))
}
