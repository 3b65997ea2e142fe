package drafts

import (
	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/app/web/page"
	"paraph/app/web/team/documents"
)

// CreateRoutes are the steps in which a document is made: files, people, fields
// (the editor) and review. Each works without scripts.
func (h *Handlers) CreateRoutes(app *fiber.App) {
	h.Site.TeamGet(app, "/app/documents/new", h.showNew)
	h.Site.TeamUpload(app, "/app/documents/new", h.createDocument)
	const base = documents.DocumentPath
	h.Site.TeamGet(app, base+"/files", h.showFiles)
	h.Site.TeamUpload(app, base+"/files", h.addFiles)
	h.Site.TeamPost(app, base+"/files/title", h.nameDocument)
	h.Site.TeamPost(app, base+"/files/:file", h.changeFile)
	h.Site.TeamPost(app, base+"/uploads", h.beginUpload)
	h.Site.TeamGet(app, base+"/uploads/:upload", h.showUpload)
	h.Site.TeamUpload(app, base+"/uploads/:upload", h.appendUpload)
	h.Site.TeamPost(app, base+"/uploads/:upload/finish", h.finishUpload)
	h.Site.TeamPost(app, base+"/uploads/:upload/cancel", h.cancelUpload)
	h.Site.TeamGet(app, base+"/people", h.showPeople)
	h.Site.TeamPost(app, base+"/people", h.savePeople)
	h.Site.TeamGet(app, base+"/people/:invitation/mail", h.showMail)
	h.Site.TeamGet(app, base+"/review", h.showReview)
	h.Site.TeamPost(app, base+"/review", h.review)
	h.Site.TeamGet(app, base+"/links", h.showLinks)
}

// step is one entry of the component "stepper": the way through the making of a
// document.
type step struct {
	Text, Href string
	Current    bool
}

// Steps of the making of a document, for request.steps.
const (
	stepFiles  = "files"
	stepPeople = "people"
	stepFields = "edit"
	stepReview = "review"
)

// steps is the component "stepper" for a document; "" is one that is not there
// yet, which has the first step only to go to.
func steps(r *page.Request, document, current string) []step {
	var out []step
	for _, name := range []string{stepFiles, stepPeople, stepFields, stepReview} {
		s := step{Text: r.Say("step." + name), Current: name == current}
		if document != "" && !s.Current {
			s.Href = "/app/documents/" + document + "/" + name
		}
		out = append(out, s)
	}
	return out
}

// draft loads the document of the address for somebody who may change documents.
func (h *Handlers) draft(r *page.Request) (*signing.Document, error) {
	d, err := h.Signing.Get(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return nil, err
	}
	if err := r.Who.Actor.Require(account.ScopeWrite); err != nil {
		return nil, err
	}
	return d, nil
}

// at is the address of a page of a document.
func at(document, page string) string { return "/app/documents/" + document + "/" + page }
