package api

import (
	"context"
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

type reasonBody struct {
	Reason *string `json:"reason,omitempty" doc:"Up to 2000 characters"`
}

type purgeBody struct {
	Title *string `json:"title,omitempty" doc:"The document's title, as confirmation"`
}

type extendBody struct {
	ExpiresAt *string `json:"expires_at,omitempty" doc:"RFC 3339, or a date, which ends with that day in the company's time zone; required"`
}

// step is a service method whose only input is the document.
type step func(account.Call, string) (*record.Document, error)

// slowStep is one that the client may call off while it works.
type slowStep func(context.Context, account.Call, string) (*record.Document, error)

// quick adapts a step that is done at once to a table of slow ones.
func quick(do step) slowStep {
	return func(_ context.Context, who account.Call, id string) (*record.Document, error) { return do(who, id) }
}

// stateHandlers serves the states of documents.
type stateHandlers struct {
	drafts  *signing.Drafts
	sending *signing.Sending

	completion *signing.Completion
}

func (h *stateHandlers) routes(s *server) {
	for _, x := range []struct {
		name, id, summary string
		step              slowStep
		status            int
	}{
		{"submit", "submitDocument", "Submit a draft for approval", quick(h.sending.Submit), 0},
		{"withdraw", "withdrawDocument", "Take a submission back", quick(h.sending.Withdraw), 0},
		{"approve", "approveDocument", "Approve a submitted document", quick(h.sending.Approve), 0},
		{"reopen", "reopenDocument", "Make an approved or rejected document a draft again", quick(h.sending.Reopen), 0},
		{"unschedule", "unscheduleDocument", "Call off sending a document later", quick(h.sending.Unschedule), 0},
		{"seal", "retrySealing", "Retry sealing a document that everybody has signed", h.completion.RetrySealing, 0},
		{"archive", "archiveDocument", "Archive a document", quick(h.sending.Archive), 0},
		{"restore", "restoreDocument", "Restore a document from the archive or the trash", quick(h.sending.Restore), 0},
		{"duplicate", "duplicateDocument", "Make a new draft with the same content", quick(h.drafts.Duplicate), http.StatusCreated},
	} {
		op := operation{method: http.MethodPost, path: "/documents/{document}/" + x.name, rule: may(account.ScopeWrite), id: x.id, summary: x.summary, tag: "States", status: x.status}
		handle(s, op, func(r *request, _ *nothing) (documentView, error) {
			id, err := r.document()
			if err != nil {
				return documentView{}, err
			}
			return r.reply(x.step(r.UserContext(), r.call(), id))
		})
	}
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/reject", rule: may(account.ScopeWrite), id: "rejectDocument", summary: "Reject a submitted document", tag: "States"},
		func(r *request, in *reasonBody) (documentView, error) {
			id, err := r.document()
			if err != nil {
				return documentView{}, err
			}
			return r.reply(h.sending.Reject(r.call(), id, in.Reason))
		})
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/void", rule: may(account.ScopeWrite), id: "voidDocument", summary: "Void a document", tag: "States"},
		func(r *request, in *reasonBody) (documentView, error) {
			id, err := r.document()
			if err != nil {
				return documentView{}, err
			}
			return r.reply(h.sending.Void(r.call(), id, in.Reason))
		})
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/extend", rule: may(account.ScopeWrite), id: "extendDocument", needs: []string{"expires_at"}, summary: "Extend an expired document", tag: "States"},
		func(r *request, in *extendBody) (documentView, error) {
			id, err := r.document()
			if err != nil {
				return documentView{}, err
			}
			var f fault.Fields
			until, err := r.deadline(&f, "expires_at", in.ExpiresAt)
			if err := merge(&f, err); err != nil {
				return documentView{}, err
			}
			return r.reply(h.sending.Extend(r.call(), id, until))
		})
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/remind", rule: may(account.ScopeWrite), id: "remindRecipients", summary: "Remind everybody whose turn it is", tag: "States"},
		func(r *request, _ *nothing) (documentView, error) {
			id, err := r.document()
			if err != nil {
				return documentView{}, err
			}
			return r.reply(h.sending.Remind(r.call(), id, ""))
		})
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/purge", rule: may(account.ScopeWrite), id: "purgeDocument", needs: []string{"title"}, summary: "Delete a document in the trash permanently", tag: "States", status: http.StatusNoContent},
		func(r *request, in *purgeBody) (nothing, error) {
			id, err := r.document()
			if err != nil {
				return nothing{}, err
			}
			title := ""
			if in.Title != nil {
				title = *in.Title
			}
			return nothing{}, h.sending.Purge(r.call(), id, title)
		})
}
