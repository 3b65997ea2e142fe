package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
)

// DocumentBody holds the settings of a document. Its name is exported because
// it is embedded: the description omits unexported types.
type DocumentBody struct {
	Title           *string            `json:"title,omitempty" doc:"Up to 255 characters"`
	Subject         *string            `json:"subject,omitempty" doc:"Subject of the messages"`
	Message         *string            `json:"message,omitempty" doc:"Included in the messages"`
	SigningOrder    *string            `json:"signing_order,omitempty" enum:"parallel,sequential"`
	ExternalID      *string            `json:"external_id,omitempty" doc:"Your own reference"`
	Metadata        *map[string]string `json:"metadata,omitempty" doc:"Your own key-value pairs; included in the search"`
	Locale          *string            `json:"locale,omitempty" doc:"Language of messages, such as en or nl"`
	ExpiresAt       *string            `json:"expires_at,omitempty" doc:"RFC 3339; a date ends with that day in the company's time zone"`
	RemindEveryDays *int               `json:"remind_every_days,omitempty" doc:"0 uses the company default"`
	ApproverID      *string            `json:"approver_id,omitempty" doc:"Member who should approve"`
	RedirectURL     *string            `json:"redirect_url,omitempty" doc:"Where recipients are redirected after signing, declining or saving: an http or https URL, to which event (signed, declined or saved), document and invitation are added"`
	AllowDecline    *bool              `json:"allow_decline,omitempty" doc:"Whether recipients can decline; defaults to true"`
	AllowDelegation *bool              `json:"allow_delegation,omitempty" doc:"Whether recipients can delegate; defaults to true"`
	DeclineReason   *bool              `json:"decline_reason_required,omitempty" doc:"Whether declining requires a reason; defaults to false"`
	OnDecline       *string            `json:"on_decline,omitempty" enum:"notify,void" doc:"What happens when somebody declines: notify tells the owner, who decides; void voids the document at once. By default, what the company has set"`
	SignatureTypes  *[]string          `json:"signature_types,omitempty" enum:"drawn,typed,image" doc:"What is accepted as signatures and initials: drawn, typed and image, or some of them; an empty list allows all. The company's setting by default"`
	ReadToEnd       *bool              `json:"read_to_end,omitempty" doc:"Whether recipients can only sign, approve or confirm once all pages were shown to them, or they confirm that they have read them. The company's setting by default"`
	SendEmails      *bool              `json:"send_emails,omitempty" doc:"Whether recipients are written to; defaults to true. With false, pass on their links; they only get the codes they ask for, and can't delegate"`
}

func (b *DocumentBody) input(r *request, f *fault.Fields) (record.DocumentInput, error) {
	until, err := r.deadline(f, "expires_at", b.ExpiresAt)
	in := record.DocumentInput{Title: b.Title, Subject: b.Subject, Message: b.Message, SigningOrder: b.SigningOrder,
		ExternalID: b.ExternalID, Metadata: b.Metadata, Locale: b.Locale, ExpiresAt: until,
		RemindEveryDays: b.RemindEveryDays, RedirectURL: b.RedirectURL, AllowDecline: b.AllowDecline, AllowDelegation: b.AllowDelegation, DeclineReason: b.DeclineReason, OnDecline: b.OnDecline,
		SendEmails: b.SendEmails, SignatureTypes: b.SignatureTypes, ReadToEnd: b.ReadToEnd}
	if b.ExpiresAt != nil && *b.ExpiresAt == "" {
		in.ExpiresAt = new(time.Time)
	}
	if b.ApproverID != nil {
		id := idOr(*b.ApproverID)
		in.ApproverID = &id
	}
	return in, err
}

// deadline reads a time of a body. A date without a time means the end of that day in the
// company's time zone, as on the pages.
func (r *request) deadline(f *fault.Fields, field string, v *string) (*time.Time, error) {
	if v == nil || *v == "" {
		return nil, nil
	}
	if _, err := time.Parse(time.DateOnly, *v); err != nil {
		return instant(f, field, v), nil
	}
	c, err := r.server.Accounts.Companies.CompanyByID(r.who.CompanyID)
	if err != nil {
		return nil, err
	}
	t, err := time.ParseInLocation(time.DateOnly, *v, c.Zone())
	if err != nil {
		return nil, err
	}
	return new(t.AddDate(0, 0, 1).Add(-time.Millisecond)), nil
}

// instant reads a time of a body, which has to be exact.
func instant(f *fault.Fields, field string, v *string) *time.Time {
	if v == nil || *v == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, *v)
	if err != nil {
		f.Add(field, "not_a_time")
		return nil
	}
	return &t
}

type createBody struct {
	DocumentBody
	Invitations  []invitationBody `json:"invitations,omitempty"`
	Fields       []fieldBody      `json:"fields,omitempty" doc:"As with PUT fields"`
	Files        []base64File     `json:"files,omitempty" doc:"Files as base64"`
	TextTags     bool             `json:"text_tags,omitempty" doc:"Make fields of the text tags in the files, such as {{signature;role=Buyer}}, and cover them"`
	Placeholders bool             `json:"placeholders,omitempty" doc:"With text_tags: names alone in DOCX and HTML files, such as {{rent}}, are variables to be filled in rather than text fields"`
	Send         bool             `json:"send,omitempty" doc:"Send immediately"`
	SendAt       *string          `json:"send_at,omitempty" doc:"RFC 3339, at most a year ahead: sends it then"`
}

// documentHandlers serves documents.
type documentHandlers struct {
	speech
	sending *signing.Sending

	drafts *signing.Drafts

	lists    *lists.Lists
	trail    *trail.Trail
	maxBody  int64 // of JSON, bytes
	maxFiles int64 // of all files of one request, bytes
	maxCount int   // of files of one request
}

func (h *documentHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/documents", rule: may(account.ScopeRead), id: "listDocuments", summary: "List documents", tag: "Documents", query: documentParameters, list: true}, h.listDocuments)
	handle(s, operation{method: http.MethodPost, path: "/documents", rule: may(account.ScopeWrite).With(h.maxBody).UploadingMany(h.maxCount, h.maxFiles).Interruptible(), id: "createDocument", summary: "Create a document, or do the whole cycle in one request", tag: "Documents", status: http.StatusCreated, files: true}, h.createDocument)
	handle(s, operation{method: http.MethodGet, path: "/documents/{document}", rule: shared(account.ScopeRead), id: "getDocument", summary: "Get a document", tag: "Documents"}, h.getDocument)
	handle(s, operation{method: http.MethodPatch, path: "/documents/{document}", rule: may(account.ScopeWrite).With(h.maxBody), id: "updateDocument", summary: "Change a document", tag: "Documents"}, h.updateDocument)
	handle(s, operation{method: http.MethodDelete, path: "/documents/{document}", rule: may(account.ScopeWrite), id: "deleteDocument", summary: "Move a document to the trash", tag: "Documents"}, h.deleteDocument)
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/send", rule: may(account.ScopeWrite), id: "sendDocument", summary: "Send a document for signing", tag: "Documents"}, h.sendDocument)
	handle(s, operation{method: http.MethodGet, path: "/documents/{document}/events", rule: may(account.ScopeRead), id: "listDocumentEvents", summary: "List the audit trail of a document", tag: "Documents", query: append([]parameter{{name: "sort", description: "at|asc or at|desc", kind: "string"}}, pageParameters...), list: true}, h.listEvents)
}

// documentParameters holds the parameters of the list of documents.
var documentParameters = append([]parameter{
	{name: "owner", description: "me, or the ID of a member.", kind: "string"},
	{name: "external_id", description: "Exactly this external_id.", kind: "string"},
	{name: "metadata", description: "Exactly these values of metadata, as metadata[key]=value or metadata.key=value.", kind: "object"},
	{name: "attention", description: "Documents that need attention for this reason: " + strings.Join(record.AttentionKinds(), ", ") + ".", kind: "string"},
	{name: "recipient", description: "E-mail address of somebody invited.", kind: "string"},
	{name: "template", description: "ID of the template they were made from.", kind: "string"},
	{name: "created_from", description: "Created on or after this day in UTC, such as 2026-12-31.", kind: "string"},
	{name: "created_to", description: "Created on or before this day.", kind: "string"},
	{name: "expires_from", description: "Deadline on or after this day.", kind: "string"},
	{name: "expires_to", description: "Deadline on or before this day.", kind: "string"},
}, listParametersFor("Comma-separated: active, archived, deleted, statuses of documents, "+
	"or scheduled for those that are to be sent at their send_at.")...)

func (h *documentHandlers) listDocuments(r *request, _ *nothing) (documentList, error) {
	p := r.query.page()
	q := lists.Query{Page: p.number, PerPage: p.size, Sort: lists.ParseSort(r.query.text("sort")), Search: r.query.text("search"),
		Status: r.query.text("status"), WithTrashed: r.query.flag("with_trashed"), Owner: r.query.text("owner"),
		ExternalID: r.query.text("external_id"), Attention: r.query.text("attention"), Recipient: r.query.text("recipient"), Template: r.query.text("template"), Metadata: r.query.values("metadata"),
		CreatedFrom: r.query.text("created_from"), CreatedTo: r.query.text("created_to"), ExpiresFrom: r.query.text("expires_from"), ExpiresTo: r.query.text("expires_to")}
	if v, ok := r.query.value("sort"); ok && v == "" {
		r.query.faults.Add("sort", "not_a_sort_order")
	}
	got, err := h.lists.List(r.UserContext(), r.who, q)
	if err := merge(&r.query.faults, err); err != nil {
		return documentList{}, err
	}
	l, m := r.frame(p, len(got.Rows), got.Total)
	return documentList{rawEnvelope{got.Rows, l, m}}, nil
}

// documentList is the envelope of list items. Its rows are sent as stored; the
// type describes them.
type documentList struct{ raw rawEnvelope }

// Schema returns the schema of the envelope's rows.
func (documentList) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(typeOf[envelope[record.Row]](), true, "")
}

// describeRows completes the schema of list items, whose type belongs to the store: they
// have their values in common with whole documents, which are described here.
func (d *document) describeRows() {
	d.describeAs(typeOf[record.Row](), typeOf[documentView]())
	d.describeAs(typeOf[record.RowSignatory](), typeOf[invitationView]())
}

func (l documentList) bytes() ([]byte, error) { return l.raw.bytes() }

// merge adds the faults of the query to those found by the service, so that all are
// reported at once.
func merge(f *fault.Fields, err error) error {
	if f.Empty() {
		return err
	}
	if fault.KindOf(err) == fault.KindInvalid {
		f.Keep(fault.FieldsOf(err)...)
	} else if err != nil {
		return err
	}
	return f.Err()
}

func (h *documentHandlers) createDocument(r *request, in *createBody) (documentView, error) {
	var f fault.Fields
	document, err := in.input(r, &f)
	if err != nil {
		return documentView{}, err
	}
	input := signing.CreateInput{DocumentInput: document, Send: in.Send, SendAt: instant(&f, "send_at", in.SendAt),
		TextTags: in.TextTags, Placeholders: in.Placeholders,
		BaseURL: r.server.Kit.MailSite(r.Ctx)}
	for i := range in.Invitations {
		input.Invitations = append(input.Invitations, in.Invitations[i].input())
	}
	d, err := create(r, h.drafts, &f, input, in.Fields, in.Files)
	return r.reply(d, err)
}

// create makes a document or template with its fields and files.
func create(
	r *request, drafts *signing.Drafts, f *fault.Fields, input signing.CreateInput, fields []fieldBody, files []base64File,
) (*record.Document, error) {
	for i := range fields {
		input.Fields = append(input.Fields, fields[i].input())
	}
	if err := r.uploads.claim(f, files); err != nil {
		return nil, err
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	input.Uploads = r.uploads.chosen
	return drafts.Create(r.UserContext(), r.who, input)
}

// reply responds with a document.
func (r *request) reply(d *record.Document, err error) (documentView, error) {
	if err != nil {
		return documentView{}, err
	}
	r.version(d)
	v := r.viewDocument(d, r.showLinks(d, d.Invitations))
	if r.who.IsSignatory() {
		version, err := r.server.Signing.Signing.FormVersion(r.who, d.ID)
		if err != nil {
			return documentView{}, err
		}
		v.FormVersion = orNull(version)
	}
	v.AllowedActions, err = r.server.Signing.Drafts.Actions(r.who, d)
	return v, err
}

func (h *documentHandlers) getDocument(r *request, _ *nothing) (documentView, error) {
	id, err := r.document()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(h.sending.Get(r.call(), id))
}

func (h *documentHandlers) updateDocument(r *request, in *DocumentBody) (documentView, error) {
	id, err := r.document()
	if err != nil {
		return documentView{}, err
	}
	clearOnNull(r, "subject", &in.Subject)
	clearOnNull(r, "message", &in.Message)
	clearOnNull(r, "external_id", &in.ExternalID)
	clearOnNull(r, "expires_at", &in.ExpiresAt)
	clearOnNull(r, "remind_every_days", &in.RemindEveryDays)
	clearOnNull(r, "approver_id", &in.ApproverID)
	clearOnNull(r, "redirect_url", &in.RedirectURL)
	clearOnNull(r, "on_decline", &in.OnDecline)
	var f fault.Fields
	input, err := in.input(r, &f)
	if err := merge(&f, err); err != nil {
		return documentView{}, err
	}
	return r.reply(h.drafts.Update(r.call(), id, input))
}

func (h *documentHandlers) deleteDocument(r *request, _ *nothing) (documentView, error) {
	id, err := r.document()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(h.sending.Delete(r.call(), id))
}

type sendBody struct {
	Subject         *string `json:"subject,omitempty" doc:"Subject of the messages"`
	Message         *string `json:"message,omitempty" doc:"Included in the messages"`
	ExpiresAt       *string `json:"expires_at,omitempty" doc:"RFC 3339 or a date"`
	RemindEveryDays *int    `json:"remind_every_days,omitempty" doc:"0 uses the company default"`
	SendEmails      *bool   `json:"send_emails,omitempty" doc:"Whether recipients are written to"`
	SendAt          *string `json:"send_at,omitempty" doc:"RFC 3339, at most a year ahead: sends it then"`
}

func (h *documentHandlers) sendDocument(r *request, in *sendBody) (documentView, error) {
	id, err := r.document()
	if err != nil {
		return documentView{}, err
	}
	var f fault.Fields
	until, err := r.deadline(&f, "expires_at", in.ExpiresAt)
	if err != nil {
		return documentView{}, err
	}
	input := signing.SendInput{Subject: in.Subject, Message: in.Message, ExpiresAt: until,
		RemindEveryDays: in.RemindEveryDays, SendEmails: in.SendEmails, SendAt: instant(&f, "send_at", in.SendAt),
		BaseURL: r.server.Kit.MailSite(r.Ctx)}
	if err := f.Err(); err != nil {
		return documentView{}, err
	}
	return r.reply(h.sending.Send(r.UserContext(), r.call(), id, input))
}

func (h *documentHandlers) listEvents(r *request, _ *nothing) (envelope[eventView], error) {
	id, err := r.document()
	if err != nil {
		return envelope[eventView]{}, err
	}
	p := r.query.page()
	q := trail.EventsQuery{Page: p.number, PerPage: p.size}
	switch r.query.text("sort") {
	case "", "at|asc":
	case "at|desc":
		q.Descending = true
	default:
		r.query.faults.Add("sort", "not_a_sort_order.at")
	}
	if err := r.query.faults.Err(); err != nil {
		return envelope[eventView]{}, err
	}
	entries, total, err := h.trail.Events(r.who, id, q)
	if err != nil {
		return envelope[eventView]{}, err
	}
	view := func(e record.Entry) eventView { return viewEvent(h.english(), e) }
	return enclose(r, p, views(entries, view), total), nil
}
