package drafts

import (
	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// step is one entry of the component "stepper".
type step struct {
	Text, Href string
	Button     string // action of the draft's form that leads to the step and stores the form first
	Current    bool
}

// Steps of preparing a document.
const (
	stepFiles  = "files" // with the recipients and the message
	stepFields = "edit"
	stepReview = "review"
)

// steps returns the component "stepper" for a document. A new document ("") has no
// links yet.
func steps(r *page.Request, document, current string) []step {
	var out []step
	for _, name := range []string{stepFiles, stepFields, stepReview} {
		s := step{Text: r.Say("step." + name), Current: name == current}
		if name == stepFiles {
			s.Text = r.Say("step.draft")
		}
		if document != "" && !s.Current {
			s.Href = "/app/documents/" + document + "/" + name
		}
		out = append(out, s)
	}
	return out
}

// storing makes steps that store the draft's form before they leave it.
func storing(all []step) []step {
	for i, name := range []string{stepFiles, stepFields, stepReview} {
		if !all[i].Current {
			all[i].Button = name
		}
	}
	return all
}

// draft loads the document in the address for a member who may change documents.
func (h *Handlers) draft(r *page.Request) (*record.Document, error) {
	d, err := h.Drafts.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return nil, err
	}
	if err := r.Who.Call.Require(account.ScopeWrite); err != nil {
		return nil, err
	}
	if d.Template {
		r.Shell.Within("/app/templates")
	}
	return d, nil
}

// at returns the path of one of a document's pages.
func at(document, page string) string { return "/app/documents/" + document + "/" + page }
