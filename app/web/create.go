package web

import (
	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// createRoutes are the steps in which a document is made: files, people, fields
// (the editor) and review. Each works without scripts.
func (d *Door) createRoutes(app *fiber.App) {
	d.teamGet(app, "/app/documents/new", (*request).showNew)
	d.teamUpload(app, "/app/documents/new", (*request).createDocument)
	const base = documentPath
	d.teamGet(app, base+"/files", (*request).showFiles)
	d.teamUpload(app, base+"/files", (*request).addFiles)
	d.teamPost(app, base+"/files/title", (*request).nameDocument)
	d.teamPost(app, base+"/files/:file", (*request).changeFile)
	d.teamPost(app, base+"/uploads", (*request).beginUpload)
	d.teamGet(app, base+"/uploads/:upload", (*request).showUpload)
	d.teamUpload(app, base+"/uploads/:upload", (*request).appendUpload)
	d.teamPost(app, base+"/uploads/:upload/finish", (*request).finishUpload)
	d.teamPost(app, base+"/uploads/:upload/cancel", (*request).cancelUpload)
	d.teamGet(app, base+"/people", (*request).showPeople)
	d.teamPost(app, base+"/people", (*request).savePeople)
	d.teamGet(app, base+"/people/:invitation/mail", (*request).showMail)
	d.teamGet(app, base+"/review", (*request).showReview)
	d.teamPost(app, base+"/review", (*request).review)
	d.teamGet(app, base+"/links", (*request).showLinks)
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
func (r *request) steps(document, current string) []step {
	var out []step
	for _, name := range []string{stepFiles, stepPeople, stepFields, stepReview} {
		s := step{Text: r.say("step." + name), Current: name == current}
		if document != "" && !s.Current {
			s.Href = "/app/documents/" + document + "/" + name
		}
		out = append(out, s)
	}
	return out
}

// draft loads the document of the address for somebody who may change documents.
func (r *request) draft() (*signing.Document, error) {
	d, err := r.door.Signing.Get(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return nil, err
	}
	if err := r.who.Actor.Require(account.ScopeWrite); err != nil {
		return nil, err
	}
	return d, nil
}

// at is the address of a page of a document.
func at(document, page string) string { return "/app/documents/" + document + "/" + page }
