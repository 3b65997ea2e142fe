package api

import (
	"maps"
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
)

type templateView struct {
	ID              string              `json:"id"`
	Title           string              `json:"title"`
	Subject         *string             `json:"subject"`
	Message         *string             `json:"message"`
	SigningOrder    string              `json:"signing_order" enum:"parallel,sequential"`
	Metadata        map[string]string   `json:"metadata" doc:"Copied to each document"`
	Locale          *string             `json:"locale"`
	Owner           PersonView          `json:"owner"`
	Approver        *approverView       `json:"approver"`
	ExpiresDays     *int                `json:"expires_days" doc:"Days until the deadline of its documents"`
	RemindEveryDays *int                `json:"remind_every_days"`
	RedirectURL     *string             `json:"redirect_url" format:"uri"`
	AllowDecline    bool                `json:"allow_decline"`
	AllowDelegation bool                `json:"allow_delegation"`
	DeclineReason   bool                `json:"decline_reason_required"`
	OnDecline       *string             `json:"on_decline" enum:"notify,void"`
	ReadToEnd       bool                `json:"read_to_end"`
	SendEmails      bool                `json:"send_emails"`
	SignatureTypes  []string            `json:"signature_types" enum:"drawn,typed,image" doc:"What is accepted as signatures and initials"`
	Files           []fileView          `json:"files"`
	Roles           []roleView          `json:"roles"`
	Fields          []fieldView         `json:"fields" doc:"invitation_id is the ID of the role"`
	Variables       []string            `json:"variables" doc:"Variables that each document needs: {{name}} in the title, subject, messages, values of fields, DOCX and HTML files"`
	Lists           map[string][]string `json:"lists" doc:"Variables that are lists, with the names of the values that each item has"`
	Documents       int                 `json:"documents_count" doc:"Number of documents created from it"`
	LastUsedAt      *string             `json:"last_used_at" format:"date-time"`
	CreatedAt       string              `json:"created_at" format:"date-time"`
	UpdatedAt       string              `json:"updated_at" format:"date-time"`
	ArchivedAt      *string             `json:"archived_at" format:"date-time"`
	DeletedAt       *string             `json:"deleted_at" format:"date-time"`
	Version         int64               `json:"version" doc:"Version number, also the ETag"`
}

type roleView struct {
	ID             string  `json:"id"`
	RoleName       string  `json:"role_name"`
	Name           *string `json:"name" doc:"Default person in the role"`
	Email          *string `json:"email"`
	Company        *string `json:"company" doc:"Of the default person"`
	JobTitle       *string `json:"job_title" doc:"Of the default person"`
	Role           string  `json:"role" enum:"signer,approver,assistant,reader,viewer"`
	Group          *string `json:"group" doc:"Any one of the roles that name the same group acts for all of them"`
	Named          bool    `json:"named_by_previous" doc:"The recipient before them in the signing order names them"`
	SharesEmail    bool    `json:"shares_email" doc:"Another recipient with the same e-mail address is another person"`
	Position       int     `json:"position" doc:"Position in the signing order"`
	Authentication string  `json:"authentication" enum:"link,email_code,access_code"`
	Locale         *string `json:"locale"`
	Message        *string `json:"message"`
}

func (r *request) viewTemplate(t signing.Template) templateView {
	v := templateView{ID: t.ID, Title: t.Title, Subject: orNull(t.Subject), Message: orNull(t.Message), SigningOrder: t.SigningOrder,
		Metadata: t.Metadata, Locale: orNull(t.Locale), Owner: PersonView(t.Owner), ExpiresDays: orNone(t.ExpiresDays),
		RemindEveryDays: orNone(t.RemindEveryDays), RedirectURL: orNull(t.RedirectURL), AllowDecline: !t.NoDecline,
		AllowDelegation: !t.NoDelegation, DeclineReason: t.DeclineReason, OnDecline: orNull(t.OnDecline), ReadToEnd: t.ReadToEnd, SendEmails: !t.NoMails, SignatureTypes: typesOrAll(t.SignatureTypes), Files: []fileView{}, Roles: []roleView{}, Fields: []fieldView{},
		Variables: t.Variables(), Lists: record.ListsOf(t.Document),
		Documents: t.Documents, LastUsedAt: orNull(t.LastUsedAt), CreatedAt: when(t.CreatedAt),
		UpdatedAt: when(t.UpdatedAt), ArchivedAt: maybe(t.ArchivedAt), DeletedAt: maybe(t.DeletedAt), Version: t.Version}
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	if v.Variables == nil {
		v.Variables = []string{}
	}
	if t.Approver != nil {
		v.Approver = &approverView{t.Approver.ID, t.Approver.Name}
	}
	for i := range t.Files {
		v.Files = append(v.Files, r.viewFile(t.Document, &t.Files[i]))
	}
	for i := range t.Invitations {
		inv := &t.Invitations[i]
		v.Roles = append(v.Roles, roleView{ID: inv.ID, RoleName: inv.RoleName, Name: orNull(inv.Name), Email: orNull(inv.Email), Role: inv.Role,
			Company: orNull(inv.Company), JobTitle: orNull(inv.JobTitle),
			Group: orNull(inv.Group), Named: inv.NamedByPrevious, SharesEmail: inv.SharesEmail, Position: inv.Position,
			Authentication: inv.Authentication, Locale: orNull(inv.Locale), Message: orNull(inv.Message)})
	}
	for i := range t.Fields {
		v.Fields = append(v.Fields, viewField(t.Document, &t.Fields[i]))
	}
	return v
}

// orNone returns a pointer to n, or nil for zero.
func orNone(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// TemplateBody holds the settings of a template. Its name is exported because it
// is embedded: the description omits unexported types.
type TemplateBody struct {
	Title           *string            `json:"title,omitempty" doc:"Up to 255 characters; becomes the title of its documents"`
	Subject         *string            `json:"subject,omitempty" doc:"Subject of the messages"`
	Message         *string            `json:"message,omitempty" doc:"Included in the messages"`
	SigningOrder    *string            `json:"signing_order,omitempty" enum:"parallel,sequential"`
	Metadata        *map[string]string `json:"metadata,omitempty" doc:"Copied to each document"`
	Locale          *string            `json:"locale,omitempty" doc:"Language of messages, such as en or nl"`
	ExpiresDays     *int               `json:"expires_days,omitempty" doc:"Days until the deadline of its documents; 0 for none"`
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

func (b *TemplateBody) input() record.DocumentInput {
	in := record.DocumentInput{Title: b.Title, Subject: b.Subject, Message: b.Message, SigningOrder: b.SigningOrder, Metadata: b.Metadata,
		Locale: b.Locale, ExpiresDays: b.ExpiresDays, RemindEveryDays: b.RemindEveryDays, RedirectURL: b.RedirectURL,
		AllowDecline: b.AllowDecline, AllowDelegation: b.AllowDelegation, DeclineReason: b.DeclineReason, OnDecline: b.OnDecline,
		SendEmails: b.SendEmails, SignatureTypes: b.SignatureTypes, ReadToEnd: b.ReadToEnd}
	if b.ApproverID != nil {
		id := idOr(*b.ApproverID)
		in.ApproverID = &id
	}
	return in
}

type createTemplateBody struct {
	TemplateBody
	Roles        []invitationBody `json:"roles,omitempty" doc:"In place of people; each needs a role_name"`
	Fields       []fieldBody      `json:"fields,omitempty" doc:"As with PUT fields; invitation_id may be the name of a role"`
	Files        []base64File     `json:"files,omitempty" doc:"Files as base64"`
	TextTags     bool             `json:"text_tags,omitempty" doc:"Make fields of the text tags in the files, such as {{signature;role=Buyer}}, and cover them; roles that only they name are added"`
	Placeholders bool             `json:"placeholders,omitempty" doc:"With text_tags: names alone in DOCX and HTML files, such as {{rent}}, are variables to be filled in rather than text fields"`
}

type saveAsTemplateBody struct {
	Title *string  `json:"title,omitempty" doc:"Defaults to that of the document"`
	Roles []string `json:"roles,omitempty" doc:"Names of the roles, in the order of the invitations"`
}

type rolePersonBody struct {
	Role           string                `json:"role,omitempty" doc:"ID or name of the role"`
	Name           *string               `json:"name,omitempty"`
	Email          *string               `json:"email,omitempty"`
	Company        *string               `json:"company,omitempty" doc:"Fills in their company fields; by default the contact's organization when the document is sent"`
	JobTitle       *string               `json:"job_title,omitempty" doc:"Fills in their job title fields, likewise"`
	Authentication *string               `json:"authentication,omitempty" enum:"link,email_code,access_code"`
	AccessCode     *string               `json:"access_code,omitempty" doc:"With access_code: the code you gave the recipient"`
	AccessCodeHint *string               `json:"access_code_hint,omitempty" doc:"With access_code: a hint shown to anyone with the link"`
	Locale         *string               `json:"locale,omitempty" doc:"The recipient's language"`
	Message        *string               `json:"message,omitempty" doc:"Message for this recipient only"`
	Values         map[string]fieldValue `json:"values,omitempty" doc:"What is filled in beforehand in their fields, by name; they can change it unless the field is read-only"`
}

func (b *rolePersonBody) input() signing.RolePerson {
	return signing.RolePerson{Role: b.Role, InvitationInput: record.InvitationInput{Name: b.Name, Email: b.Email,
		Company: b.Company, JobTitle: b.JobTitle, Authentication: b.Authentication,
		AccessCode: b.AccessCode, AccessCodeHint: b.AccessCodeHint, Locale: b.Locale, Message: b.Message, Values: texts(b.Values)}}
}

type useTemplateBody struct {
	DocumentBody
	People    []rolePersonBody  `json:"people,omitempty" doc:"The person in each role; roles with a default person may be omitted"`
	Variables variables         `json:"variables,omitempty" doc:"A value for each of the template's variables; for a list, an array of objects"`
	Values    map[string]string `json:"values,omitempty" doc:"Values of fields, by the name of the field"`
	Send      bool              `json:"send,omitempty" doc:"Send immediately"`
	SendAt    *string           `json:"send_at,omitempty" doc:"RFC 3339, at most a year ahead: sends it then"`
}

type publicLinkView struct {
	ID           string            `json:"id"`
	TemplateID   string            `json:"template_id"`
	URL          *string           `json:"url" format:"uri" doc:"Null for callers who can't write"`
	Role         string            `json:"role" doc:"ID of the role that visitors take"`
	RoleName     string            `json:"role_name"`
	People       []linkPersonView  `json:"people" doc:"In other roles, if not the template's"`
	Variables    map[string]string `json:"variables" doc:"Values for the variables of all its documents"`
	MaxUses      *int              `json:"max_uses" doc:"null for no limit"`
	Uses         int               `json:"uses_count" doc:"Number of documents made so far"`
	ExpiresAt    *string           `json:"expires_at" format:"date-time"`
	Enabled      bool              `json:"enabled"`
	CheckAddress bool              `json:"check_address"`
	ClosingText  *string           `json:"closing_text"`
	Status       string            `json:"status" enum:"open,off,expired,used_up,full,closed"`
	Owner        PersonView        `json:"owner" doc:"The member who owns its documents"`
	CreatedAt    string            `json:"created_at" format:"date-time"`
	UpdatedAt    string            `json:"updated_at" format:"date-time"`
}

type linkPersonView struct {
	Role   string  `json:"role"`
	Name   *string `json:"name"`
	Email  *string `json:"email"`
	Locale *string `json:"locale"`
}

func (h *templateHandlers) viewLink(r *request, l publiclink.Link) publicLinkView {
	url := h.links.URL(r.who, &l, r.server.Kit.MailSite(r.Ctx))
	v := publicLinkView{ID: l.ID, TemplateID: l.Template, URL: orNull(url), Role: l.Role,
		RoleName: l.RoleName, People: []linkPersonView{}, Variables: map[string]string{},
		MaxUses: orNone(l.MaxUses), Uses: l.Uses, ExpiresAt: maybe(l.ExpiresAt), Enabled: !l.Off,
		CheckAddress: l.CheckAddress, ClosingText: orNull(l.ClosingText), Status: string(l.Status),
		Owner: PersonView(l.By), CreatedAt: when(l.CreatedAt), UpdatedAt: when(l.UpdatedAt)}
	for _, p := range l.People {
		v.People = append(v.People, linkPersonView{p.Role, orNull(p.Name), orNull(p.Email), orNull(p.Locale)})
	}
	maps.Copy(v.Variables, l.Variables)
	return v
}

type publicLinkBody struct {
	Role         *string           `json:"role,omitempty" doc:"ID or name of the visitors' role"`
	People       *[]linkPersonBody `json:"people,omitempty" doc:"In other roles without a default person"`
	Variables    *variables        `json:"variables,omitempty" doc:"Values of the template's variables"`
	MaxUses      *int              `json:"max_uses,omitempty" doc:"Limit of documents; 0 or null for none"`
	ExpiresAt    *string           `json:"expires_at,omitempty" doc:"RFC 3339 or a date; null for never"`
	Enabled      *bool             `json:"enabled,omitempty" doc:"Whether visitors can start; defaults to true"`
	CheckAddress *bool             `json:"check_address,omitempty" doc:"Mail visitors a code; defaults to true"`
	ClosingText  *string           `json:"closing_text,omitempty" doc:"Shown while the link is closed"`
}

type linkPersonBody struct {
	Role   string `json:"role,omitempty" doc:"ID or name of the role"`
	Name   string `json:"name,omitempty"`
	Email  string `json:"email,omitempty"`
	Locale string `json:"locale,omitempty" doc:"Their language"`
}

func (b *publicLinkBody) input(r *request, f *fault.Fields) (publiclink.Input, error) {
	until, err := r.deadline(f, "expires_at", b.ExpiresAt)
	clearOnNull(r, "max_uses", &b.MaxUses)
	clearOnNull(r, "closing_text", &b.ClosingText)
	in := publiclink.Input{Role: b.Role, MaxUses: b.MaxUses, ExpiresAt: until,
		CheckAddress: b.CheckAddress, ClosingText: b.ClosingText, BaseURL: r.server.Kit.MailSite(r.Ctx)}
	clearOnNull(r, "expires_at", &in.ExpiresAt)
	if b.Enabled != nil {
		in.Off = new(!*b.Enabled)
	}
	if b.Variables != nil {
		in.Variables = new(b.Variables.texts())
	}
	if b.People != nil {
		in.People = &[]publiclink.Person{}
		for _, p := range *b.People {
			*in.People = append(*in.People, publiclink.Person(p))
		}
	}
	return in, err
}

// templateHandlers serves templates.
type templateHandlers struct {
	links   *publiclink.Service
	drafts  *signing.Drafts
	sending *signing.Sending

	maxBody  int64 // of JSON, bytes
	maxFiles int64 // of all files of one request, bytes
	maxCount int   // of files of one request
}

func (h *templateHandlers) routes(s *server) {
	const one = "/templates/{template}"
	handle(s, operation{method: http.MethodGet, path: "/templates", rule: may(account.ScopeRead), id: "listTemplates", summary: "List templates", tag: "Templates", query: listParameters, list: true}, h.listTemplates)
	handle(s, operation{method: http.MethodPost, path: "/templates", rule: may(account.ScopeWrite).With(h.maxBody).UploadingMany(h.maxCount, h.maxFiles).Interruptible(), id: "createTemplate", summary: "Create a template", tag: "Templates", status: http.StatusCreated, files: true}, h.createTemplate)
	handle(s, operation{method: http.MethodGet, path: one, rule: may(account.ScopeRead), id: "getTemplate", summary: "Get a template", tag: "Templates"}, h.getTemplate)
	handle(s, operation{method: http.MethodPatch, path: one, rule: may(account.ScopeWrite), id: "updateTemplate", summary: "Change a template", tag: "Templates"}, h.updateTemplate)
	handle(s, operation{method: http.MethodDelete, path: one, rule: may(account.ScopeWrite), id: "deleteTemplate", summary: "Move a template to the trash", tag: "Templates"}, h.onTemplate(h.sending.Delete))
	for _, x := range []struct {
		name, id, summary string
		step              step
		status            int
	}{
		{"archive", "archiveTemplate", "Archive a template", h.sending.Archive, 0},
		{"restore", "restoreTemplate", "Restore a template from the archive or the trash", h.sending.Restore, 0},
		{"duplicate", "duplicateTemplate", "Make a new template with the same content", h.drafts.Duplicate, http.StatusCreated},
	} {
		handle(s, operation{method: http.MethodPost, path: one + "/" + x.name, rule: may(account.ScopeWrite), id: x.id, summary: x.summary, tag: "Templates", status: x.status}, h.onTemplate(x.step))
	}
	handle(s, operation{method: http.MethodPost, path: one + "/documents", rule: may(account.ScopeWrite).With(h.maxBody).Interruptible(), id: "createDocumentFromTemplate", summary: "Make a document from a template", tag: "Templates", status: http.StatusCreated}, h.useTemplate)
	handle(s, operation{method: http.MethodPost, path: "/documents/{document}/template", rule: may(account.ScopeWrite), id: "saveDocumentAsTemplate", summary: "Save a document as a template", tag: "Templates", status: http.StatusCreated}, h.saveAsTemplate)
	h.linkRoutes(s, one+"/links")
}

func (h *templateHandlers) linkRoutes(s *server, all string) {
	const tag = "Templates"
	one := all + "/{link}"
	handle(s, operation{method: http.MethodGet, path: all, rule: may(account.ScopeRead),
		id: "listPublicLinks", summary: "List the public links of a template", tag: tag, query: pageParameters, list: true}, h.listLinks)
	handle(s, operation{method: http.MethodPost, path: all, rule: may(account.ScopeWrite),
		id: "createPublicLink", summary: "Make a public link", tag: tag, status: http.StatusCreated}, h.createLink)
	handle(s, operation{method: http.MethodGet, path: one, rule: may(account.ScopeRead),
		id: "getPublicLink", summary: "Get a public link", tag: tag}, h.getLink)
	handle(s, operation{method: http.MethodPatch, path: one, rule: may(account.ScopeWrite),
		id: "updatePublicLink", summary: "Change a public link", tag: tag}, h.updateLink)
	handle(s, operation{method: http.MethodDelete, path: one, rule: may(account.ScopeWrite),
		id: "deletePublicLink", summary: "Delete a public link", tag: tag}, h.deleteLink)
}

func (h *templateHandlers) listLinks(r *request, _ *nothing) (envelope[publicLinkView], error) {
	id, err := r.id("template")
	p := r.query.page()
	if err := merge(&r.query.faults, err); err != nil {
		return envelope[publicLinkView]{}, err
	}
	list, err := h.links.List(r.UserContext(), r.who, id, p.offset(), p.size)
	view := func(l publiclink.Link) publicLinkView { return h.viewLink(r, l) }
	return enclose(r, p, views(list.Items, view), list.Total), err
}

func (h *templateHandlers) createLink(r *request, in *publicLinkBody) (publicLinkView, error) {
	id, err := r.id("template")
	if err != nil {
		return publicLinkView{}, err
	}
	var f fault.Fields
	input, err := in.input(r, &f)
	if err := merge(&f, err); err != nil {
		return publicLinkView{}, err
	}
	l, err := h.links.Create(r.who, id, input)
	return h.viewLink(r, l), err
}

// publicLink returns the IDs of the template and of the link in the path.
func publicLink(r *request) (template, link string, err error) {
	template, err = r.id("template")
	link, ok := parseID(r.Params("link"))
	if err == nil && !ok {
		err = fault.NotFound("public_link")
	}
	return template, link, err
}

func (h *templateHandlers) getLink(r *request, _ *nothing) (publicLinkView, error) {
	template, id, err := publicLink(r)
	if err != nil {
		return publicLinkView{}, err
	}
	l, err := h.links.Get(r.who, template, id)
	return h.viewLink(r, l), err
}

func (h *templateHandlers) updateLink(r *request, in *publicLinkBody) (publicLinkView, error) {
	template, id, err := publicLink(r)
	if err != nil {
		return publicLinkView{}, err
	}
	var f fault.Fields
	input, err := in.input(r, &f)
	if err := merge(&f, err); err != nil {
		return publicLinkView{}, err
	}
	l, err := h.links.Update(r.who, template, id, input)
	return h.viewLink(r, l), err
}

func (h *templateHandlers) deleteLink(r *request, _ *nothing) (nothing, error) {
	template, id, err := publicLink(r)
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, h.links.Delete(r.who, template, id)
}

func (h *templateHandlers) listTemplates(r *request, _ *nothing) (envelope[templateView], error) {
	p := r.query.page()
	q := lists.Query{Page: p.number, PerPage: p.size, Sort: lists.ParseSort(r.query.text("sort")), Search: r.query.text("search"),
		Status: r.query.text("status"), WithTrashed: r.query.flag("with_trashed")}
	list, total, err := h.drafts.ListTemplates(r.UserContext(), r.who, q)
	if err := merge(&r.query.faults, err); err != nil {
		return envelope[templateView]{}, err
	}
	return enclose(r, p, views(list, r.viewTemplate), total), nil
}

func (h *templateHandlers) createTemplate(r *request, in *createTemplateBody) (templateView, error) {
	var f fault.Fields
	input := signing.CreateInput{DocumentInput: in.input(), Template: true,
		TextTags: in.TextTags, Placeholders: in.Placeholders}
	for i := range in.Roles {
		input.Invitations = append(input.Invitations, in.Roles[i].input())
	}
	d, err := create(r, h.drafts, &f, input, in.Fields, in.Files)
	return r.replyTemplate(d, err)
}

// replyTemplate responds with a template that was just created or changed.
func (r *request) replyTemplate(d *record.Document, err error) (templateView, error) {
	if err != nil {
		return templateView{}, err
	}
	t, err := r.server.Signing.Drafts.GetTemplate(r.who, d.ID)
	if err != nil {
		return templateView{}, err
	}
	r.version(t.Document)
	return r.viewTemplate(t), nil
}

func (h *templateHandlers) getTemplate(r *request, _ *nothing) (templateView, error) {
	id, err := r.id("template")
	if err != nil {
		return templateView{}, err
	}
	t, err := h.drafts.GetTemplate(r.call(), id)
	if err != nil {
		return templateView{}, err
	}
	r.version(t.Document)
	return r.viewTemplate(t), nil
}

// template returns the ID of the template in the path, provided that it is a template.
func (r *request) template() (string, error) {
	id, err := r.id("template")
	if err == nil {
		_, err = r.server.Signing.Drafts.GetTemplate(r.who, id)
	}
	return id, err
}

func (h *templateHandlers) updateTemplate(r *request, in *TemplateBody) (templateView, error) {
	id, err := r.template()
	if err != nil {
		return templateView{}, err
	}
	clearOnNull(r, "subject", &in.Subject)
	clearOnNull(r, "message", &in.Message)
	clearOnNull(r, "expires_days", &in.ExpiresDays)
	clearOnNull(r, "remind_every_days", &in.RemindEveryDays)
	clearOnNull(r, "approver_id", &in.ApproverID)
	clearOnNull(r, "redirect_url", &in.RedirectURL)
	clearOnNull(r, "on_decline", &in.OnDecline)
	return r.replyTemplate(h.drafts.Update(r.call(), id, in.input()))
}

// onTemplate returns the handler of an operation whose only input is the template.
func (h *templateHandlers) onTemplate(do step) func(*request, *nothing) (templateView, error) {
	return func(r *request, _ *nothing) (templateView, error) {
		id, err := r.template()
		if err != nil {
			return templateView{}, err
		}
		return r.replyTemplate(do(r.call(), id))
	}
}

func (h *templateHandlers) useTemplate(r *request, in *useTemplateBody) (documentView, error) {
	id, err := r.id("template")
	if err != nil {
		return documentView{}, err
	}
	var f fault.Fields
	document, err := in.input(r, &f)
	if err != nil {
		return documentView{}, err
	}
	input := signing.UseInput{DocumentInput: document, Send: in.Send, SendAt: instant(&f, "send_at", in.SendAt),
		Variables: in.Variables.texts(), Values: in.Values,
		BaseURL: r.server.Kit.MailSite(r.Ctx)}
	for i := range in.People {
		input.People = append(input.People, in.People[i].input())
	}
	if err := f.Err(); err != nil {
		return documentView{}, err
	}
	return r.reply(h.drafts.UseTemplate(r.UserContext(), r.call(), id, input))
}

func (h *templateHandlers) saveAsTemplate(r *request, in *saveAsTemplateBody) (templateView, error) {
	id, err := r.document()
	if err != nil {
		return templateView{}, err
	}
	t, err := h.drafts.SaveTemplate(r.who, id, in.Title, in.Roles)
	return r.replyTemplate(t.Document, err)
}
