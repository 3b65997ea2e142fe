package api

import (
	"net/http"
	"slices"

	"paraph/app/account"
	"paraph/app/notify"
)

// textKindView is a kind of message in the list.
type textKindView struct {
	Kind      string   `json:"kind"`
	Variables []string `json:"variables" doc:"Variables that the body may use as {{variable}}; so may the subject, except link and message"`
	Required  []string `json:"required" doc:"Variables that the body must use"`
	Languages []string `json:"languages" doc:"Languages in which the company has its own text"`
}

type textView struct {
	Kind      string           `json:"kind"`
	Language  string           `json:"language"`
	Subject   string           `json:"subject"`
	Body      string           `json:"body" doc:"Paragraphs separated by blank lines"`
	Own       bool             `json:"own" doc:"Whether it is the company's own text rather than the default"`
	Variables []string         `json:"variables"`
	Required  []string         `json:"required"`
	Changes   []textChangeView `json:"changes" doc:"Newest first"`
}

// textChangeView is an earlier text, or a reset to the default.
type textChangeView struct {
	Subject   *string `json:"subject" doc:"null for a reset to the default text"`
	Body      *string `json:"body"`
	ChangedAt string  `json:"changed_at" format:"date-time"`
	ChangedBy string  `json:"changed_by"`
	Email     string  `json:"email" doc:"E-mail address of the member who made the change"`
}

type textBody struct {
	Subject string `json:"subject,omitempty" doc:"Required; at most 200 characters"`
	Body    string `json:"body,omitempty" doc:"Required; at most 10,000 characters"`
}

type textPreview struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html"`
}

// textHandlers serves the texts of messages.
type textHandlers struct {
	texts *notify.Texts
}

func (h *textHandlers) routes(s *server) {
	const list = "/company/texts"
	const one = list + "/{kind}/{language}"
	handle(s, operation{method: http.MethodGet, path: list, rule: may(account.ScopeAdmin), id: "listMessageTexts", summary: "List the kinds of messages", tag: "Outbox"}, h.listTexts)
	handle(s, operation{method: http.MethodGet, path: one, rule: may(account.ScopeAdmin), id: "getMessageText", summary: "Get the text of a kind of message", tag: "Outbox"}, h.getText)
	handle(s, operation{method: http.MethodPut, path: one, rule: may(account.ScopeAdmin), id: "setMessageText", summary: "Set the text of a kind of message", tag: "Outbox"}, h.putText)
	handle(s, operation{method: http.MethodDelete, path: one, rule: may(account.ScopeAdmin), id: "resetMessageText", summary: "Return to the usual text", tag: "Outbox"}, func(r *request, _ *nothing) (nothing, error) {
		return nothing{}, h.texts.Reset(r.who, r.Params("kind"), r.Params("language"))
	})
	handle(s, operation{method: http.MethodPost, path: one + "/preview", rule: may(account.ScopeAdmin), id: "previewMessageText", summary: "Preview a text", tag: "Outbox"}, func(r *request, in *textBody) (textPreview, error) {
		m, err := h.texts.Preview(r.who, r.Params("kind"), r.Params("language"), notify.MailTextInput(*in))
		return textPreview{Subject: m.Subject, Text: m.Text, HTML: m.HTML}, err
	})
}

func (h *textHandlers) listTexts(r *request, _ *nothing) (all[textKindView], error) {
	own, err := h.texts.List(r.who)
	languages := map[string][]string{}
	for _, t := range own {
		languages[t.Kind] = append(languages[t.Kind], t.Language)
	}
	return all[textKindView]{Data: views(h.texts.Kinds(), func(k notify.TextKind) textKindView {
		slices.Sort(languages[k.Kind])
		return textKindView{Kind: k.Kind, Variables: k.Variables, Required: orEmpty(k.Required), Languages: orEmpty(languages[k.Kind])}
	})}, err
}

func (h *textHandlers) getText(r *request, _ *nothing) (textView, error) {
	k, t, changes, err := h.texts.Get(r.who, r.Params("kind"), r.Params("language"))
	return textView{Kind: t.Kind, Language: t.Language, Subject: t.Subject, Body: t.Body, Own: !t.ChangedAt.IsZero(),
		Variables: k.Variables, Required: orEmpty(k.Required), Changes: views(changes, viewTextChange)}, err
}

func (h *textHandlers) putText(r *request, in *textBody) (textView, error) {
	if err := h.texts.Save(r.who, r.Params("kind"), r.Params("language"), notify.MailTextInput(*in)); err != nil {
		return textView{}, err
	}
	return h.getText(r, nil)
}

func viewTextChange(t notify.MailText) textChangeView {
	return textChangeView{Subject: orNull(t.Subject), Body: orNull(t.Body), ChangedAt: when(t.ChangedAt), ChangedBy: t.ChangedBy, Email: t.Email}
}

// orEmpty returns a list that is encoded as [] rather than null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
