package api

import (
	"reflect"
	"slices"

	"paraph/app/signing/record"
)

// rebuild recreates the response to a request whose work is done, from what
// [account.Once] recorded with the work.
type rebuild func(r *request, about []string) (any, error)

// rebuilds has an entry for every kind of response whose work records itself: all of it in
// one transaction, or in every one how far it has come. Work behind any other response may
// be done again.
var rebuilds = map[reflect.Type]rebuild{
	typeOf[nothing](): func(*request, []string) (any, error) { return nothing{}, nil },
	typeOf[documentView](): func(r *request, about []string) (any, error) {
		return r.reply(r.server.Signing.Drafts.Get(r.who, about[0]))
	},
	typeOf[templateView](): func(r *request, about []string) (any, error) {
		return r.replyTemplate(&record.Document{ID: about[0]}, nil)
	},
	typeOf[publicLinkView](): func(r *request, about []string) (any, error) {
		l, err := r.server.PublicLinks.Get(r.who, about[0], about[1])
		return (&templateHandlers{links: r.server.PublicLinks}).viewLink(r, l), err
	},
	typeOf[bulkAnswer](): func(r *request, about []string) (any, error) { return reportAgain(r, about[0]) },
	typeOf[runView](): func(r *request, about []string) (any, error) {
		run, err := r.server.Bulk.Get(r.who, about[0])
		return viewRun(run), err
	},
	typeOf[all[fieldView]](): func(r *request, about []string) (any, error) {
		return r.allFields(r.server.Signing.Drafts.Get(r.who, about[0]))
	},
	typeOf[all[fileView]](): func(r *request, about []string) (any, error) {
		d, err := r.server.Signing.Drafts.Get(r.who, about[0])
		if err != nil {
			return nil, err
		}
		r.version(d)
		return r.viewFiles(d, among(d.Files, about, func(f record.File) string { return f.ID })), nil
	},
	typeOf[all[invitationView]](): func(r *request, about []string) (any, error) {
		d, err := r.server.Signing.Drafts.Get(r.who, about[0])
		if err != nil {
			return nil, err
		}
		return all[invitationView]{Data: r.showInvitations(d, among(d.Invitations, about, func(inv record.Invitation) string { return inv.ID }))}, nil
	},
	typeOf[savedFieldView](): func(r *request, about []string) (any, error) {
		x, err := r.server.Signing.Drafts.GetSavedField(r.who, about[0])
		return viewSavedField(x), err
	},
	typeOf[contactView](): func(r *request, about []string) (any, error) {
		c, err := r.server.Contacts.Get(r.who, about[0])
		return viewContact(r, c), err
	},
	typeOf[memberView](): func(r *request, about []string) (any, error) {
		m, err := r.server.Accounts.Companies.GetMember(r.who, about[0])
		return viewMember(m), err
	},
	typeOf[tokenView](): func(r *request, about []string) (any, error) {
		t, err := r.server.Accounts.Profile.GetToken(r.who, about[0])
		return viewToken(t).withoutSecrets(), err
	},
	typeOf[importAnswer](): func(r *request, about []string) (any, error) {
		return r.server.contacts.importFrom(r, about[0])
	},
	typeOf[messageView](): func(r *request, about []string) (any, error) {
		m, err := r.server.Notify.Messages.Get(r.who, about[0])
		return viewMessage(m.Covered()), err
	},
	typeOf[deliveryView](): func(r *request, about []string) (any, error) {
		d, err := r.server.Webhooks.GetDelivery(r.who, about[0], about[1])
		return r.server.webhooks.viewDelivery(d), err
	},
	typeOf[redeliveredView](): func(r *request, about []string) (any, error) {
		n, err := r.server.Webhooks.RedeliverFailed(r.UserContext(), r.who, about[0], about[1:]...)
		return redeliveredView{n}, err
	},
	typeOf[recoveryCodes](): func(*request, []string) (any, error) { return recoveryCodes{}.withoutSecrets(), nil },
	typeOf[webhookView](): func(r *request, about []string) (any, error) {
		w, err := r.server.Webhooks.GetWebhook(r.who, about[0])
		return r.server.webhooks.viewWebhook(w).withoutSecrets(), err
	},
}

// among returns the records whose IDs are listed.
func among[T any](records []T, ids []string, id func(T) string) []T {
	return slices.DeleteFunc(slices.Clone(records), func(v T) bool { return !slices.Contains(ids, id(v)) })
}
