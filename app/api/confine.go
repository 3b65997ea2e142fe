package api

import (
	"net/http"
	"slices"
	"strings"

	"paraph/app/fault"
)

// confine keeps a token that is limited to templates to them and to the documents made from them: of everything else, what
// has a name doesn't exist, and other operations are refused. It lists what is allowed, so that a new operation isn't.
func (r *request) confine() error {
	if len(r.who.Templates) == 0 {
		return nil
	}
	of, err := r.concerns()
	switch {
	case err != nil:
		return err
	case of == "":
		return fault.Forbidden("token_templates")
	case of != own && !slices.Contains(r.who.Templates, of):
		return fault.NotFound(r.subject())
	}
	return nil
}

// own stands for an operation that concerns the token alone.
const own = "own"

// concerns returns the template that a request concerns; "" for a request that concerns more than one.
func (r *request) concerns() (string, error) {
	makes := []string{"createDocumentFromTemplate", "createBulkRun"}
	switch path := r.op.path; {
	case r.op.id == "getProfile", r.op.id == "logOut":
		return own, nil
	case r.op.id == "listDocuments":
		return idOr(r.query.text("template")), nil
	case strings.HasPrefix(path, "/templates/{template}") && (r.op.method == http.MethodGet || slices.Contains(makes, r.op.id)):
		return r.id("template")
	case strings.HasPrefix(path, "/documents/{document}") && r.op.id != "saveDocumentAsTemplate":
		id, err := r.document()
		if err != nil {
			return "", err
		}
		return r.server.Signing.Drafts.TemplateOf(r.who, id)
	case strings.HasPrefix(path, "/bulk/{run}"):
		id, err := r.id("run")
		if err != nil {
			return "", err
		}
		run, err := r.server.Bulk.Get(r.who, id)
		return run.Template, err
	}
	return "", nil
}

// subject names what the path of a request is about.
func (r *request) subject() string {
	for _, name := range []string{"document", "run"} {
		if r.Params(name) != "" {
			return name
		}
	}
	return "template"
}
