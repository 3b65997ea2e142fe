package api

import (
	"net/http"
	"strconv"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
)

type invitationBody struct {
	Name           *string `json:"name,omitempty" doc:"Up to 255 characters"`
	Email          *string `json:"email,omitempty"`
	Company        *string `json:"company,omitempty" doc:"Fills in their company fields, which they can change; by default the contact's organization when the document is sent"`
	JobTitle       *string `json:"job_title,omitempty" doc:"Fills in their job title fields, likewise"`
	Role           *string `json:"role,omitempty" enum:"signer,approver,assistant,reader,viewer" doc:"signer, approver, assistant (fills in fields for recipients who sign later), reader (confirms having read the document) or viewer (receives a copy at the end)"`
	RoleName       *string `json:"role_name,omitempty" doc:"Name of the role, such as Tenant; required in a template, where name and email are optional"`
	Group          *string `json:"group,omitempty" doc:"Any one of the recipients who name the same group acts for all of them"`
	Named          *bool   `json:"named_by_previous,omitempty" doc:"With signing_order sequential: the recipient before enters name and e-mail address when they act. Needs a role_name instead"`
	SharesEmail    *bool   `json:"shares_email,omitempty" doc:"The recipient has the same e-mail address as another and is another person, such as a spouse: each has a link of their own. Without it a second recipient of an address is refused"`
	Position       *int    `json:"position,omitempty" doc:"Position in the signing order; equal positions sign together"`
	Authentication *string `json:"authentication,omitempty" enum:"link,email_code,access_code"`
	AccessCode     *string `json:"access_code,omitempty" doc:"With access_code: the code you gave the recipient"`
	AccessCodeHint *string `json:"access_code_hint,omitempty" doc:"With access_code: a hint shown to anyone with the link"`
	Locale         *string `json:"locale,omitempty" doc:"The recipient's language"`
	Message        *string `json:"message,omitempty" doc:"Message for this recipient only"`

	Values map[string]fieldValue `json:"values,omitempty" doc:"What is filled in beforehand in their fields, by name; they can change it unless the field is read-only. Not when somebody is replaced"`
}

func (b *invitationBody) input() record.InvitationInput {
	return record.InvitationInput{Name: b.Name, Email: b.Email, Company: b.Company, JobTitle: b.JobTitle, Role: b.Role, RoleName: b.RoleName,
		Group: b.Group, Named: b.Named, SharesEmail: b.SharesEmail, Position: b.Position,
		Authentication: b.Authentication, AccessCode: b.AccessCode, AccessCodeHint: b.AccessCodeHint, Locale: b.Locale, Message: b.Message, Values: texts(b.Values)}
}

type delegateBody struct {
	Name           *string `json:"name,omitempty" doc:"Up to 255 characters"`
	Email          *string `json:"email,omitempty"`
	Company        *string `json:"company,omitempty" doc:"Fills in their company fields, which they can change; by default the contact's organization when the document is sent"`
	JobTitle       *string `json:"job_title,omitempty" doc:"Fills in their job title fields, likewise"`
	Authentication *string `json:"authentication,omitempty" enum:"link,email_code,access_code"`
	AccessCode     *string `json:"access_code,omitempty" doc:"With access_code: the code you gave the recipient"`
	Locale         *string `json:"locale,omitempty" doc:"The recipient's language"`
	Message        *string `json:"message,omitempty" doc:"Message for this recipient only"`
	Reason         *string `json:"reason,omitempty" doc:"Recorded in the audit trail"`
}

func (b *delegateBody) input() record.InvitationInput {
	return record.InvitationInput{Name: b.Name, Email: b.Email, Company: b.Company, JobTitle: b.JobTitle, Authentication: b.Authentication, AccessCode: b.AccessCode, Locale: b.Locale, Message: b.Message}
}

type consentBody struct {
	ShownBody
	Consent *bool `json:"consent,omitempty" doc:"false withdraws it"`
}

type inviteBody struct {
	Invitations []invitationBody `json:"invitations,omitempty"`
}

type signBody struct {
	Fields    map[string]fieldValue `json:"fields,omitempty" doc:"Values by field ID or name; of numbers and dates such as 1234.5 and 2026-12-31, or as people write them in the document's language, such as 1.234,5 and 31.12.2026 in German; of an attachment the file as data URL, such as data:application/pdf;name=plan.pdf;base64,…; of an image a PNG, JPEG, GIF, TIFF, WebP or BMP as data URL or base64"`
	Signature *markBody             `json:"signature,omitempty" doc:"Typed from the recipient's name if left out"`
	Initials  *markBody             `json:"initials,omitempty" doc:"Typed from the recipient's name if left out"`
	Consent   *bool                 `json:"consent,omitempty" doc:"Consent to sign electronically"`
	ReadingBody
	ShownBody
	Next *nextBody `json:"next,omitempty" doc:"The person they name, if the next recipient is named by the previous one"`
	Code string    `json:"code,omitempty" doc:"The e-mail code or access code, if the invitation requires one"`
}

// ShownBody says what a recipient was shown. Its name is exported because it is embedded.
type ShownBody struct {
	FormVersion string `json:"form_version,omitempty" doc:"form_version of the document as it was shown to the recipient. If the files, fields, consent text or settings have changed since, the act is refused with 409 (form_outdated): show the document again"`
}

// nextBody names a person.
type nextBody struct {
	Name  *string `json:"name,omitempty" doc:"Up to 255 characters"`
	Email *string `json:"email,omitempty"`
}

func (b *nextBody) input() *record.InvitationInput {
	if b == nil {
		return nil
	}
	return &record.InvitationInput{Name: b.Name, Email: b.Email}
}

type fillBody struct {
	ShownBody
	Fields map[string]fieldValue `json:"fields,omitempty" doc:"Values by field ID or name, of later recipients"`
	Next   *nextBody             `json:"next,omitempty" doc:"The person they name, if the next recipient is named by the previous one"`
	Code   string                `json:"code,omitempty" doc:"The e-mail code or access code, if the invitation requires one"`
}

// ReadingBody says what a recipient has read of a document with read_to_end. Its name is exported
// because it is embedded.
type ReadingBody struct {
	PagesShown []int `json:"pages_shown,omitempty" doc:"With read_to_end: the pages that were shown to the recipient, numbered from 1 through all files"`
	ReadAll    bool  `json:"read_all,omitempty" doc:"With read_to_end: the recipient confirms that they have read all pages"`
}

func (b ReadingBody) input() record.Reading {
	return record.Reading{Pages: b.PagesShown, Confirmed: b.ReadAll}
}

type readBody struct {
	ShownBody
	ReadingBody
	Next *nextBody `json:"next,omitempty" doc:"The person they name, if the next recipient is named by the previous one"`
	Code string    `json:"code,omitempty" doc:"The e-mail code or access code, if the invitation requires one"`
}

type markBody struct {
	Type string `json:"type,omitempty" enum:"drawn,typed,image"`
	Data string `json:"data,omitempty" doc:"drawn: strokes as [[[x,y],…],…], points optionally with the relative width of the line (0.25 to 3) as a third number, or a picture; image: PNG or JPEG as data URL or base64"`
	Text string `json:"text,omitempty" doc:"typed: the text"`
	Font string `json:"font,omitempty" enum:"script1,script2,script3,script4,script5,script6,sans" doc:"Of what is typed"`
	Ink  string `json:"ink,omitempty" enum:"blue,black" doc:"Of what is typed or drawn"`
}

func (m *markBody) mark() *mark.Mark {
	if m == nil {
		return nil
	}
	return (*mark.Mark)(m)
}

type codeBody struct {
	Code string `json:"code,omitempty"`
}

type tokenAnswer struct {
	Token string `json:"token" doc:"Bearer token of this recipient, valid for an hour"`
}

// invitationHandlers serves invitations, for the company and for signatories.
type invitationHandlers struct {
	signing *signing.Signing
	drafts  *signing.Drafts
	sending *signing.Sending

	notify  *notify.Service
	maxBody int64 // of JSON, bytes
}

func (h *invitationHandlers) routes(s *server) {
	const base = "/documents/{document}"
	handle(s, operation{method: http.MethodPost, path: base + "/invite", rule: may(account.ScopeWrite).With(h.maxBody), id: "addInvitations", summary: "Add invitations", tag: "Invitations", status: http.StatusCreated}, h.invite)
	handle(s, operation{method: http.MethodGet, path: base + "/invitations", rule: shared(account.ScopeRead), id: "listInvitations", summary: "List the invitations of a document", tag: "Invitations", query: pageParameters, list: true}, h.listInvitations)
	handle(s, operation{method: http.MethodGet, path: base + "/invitations/{invitation}", rule: shared(account.ScopeRead), id: "getInvitation", summary: "Get an invitation", tag: "Invitations"}, h.getInvitation)
	handle(s, operation{method: http.MethodPatch, path: base + "/invitations/{invitation}", rule: may(account.ScopeWrite), id: "updateInvitation", summary: "Change an invitation of a draft", tag: "Invitations"}, h.updateInvitation)
	handle(s, operation{method: http.MethodDelete, path: base + "/invitations/{invitation}", rule: may(account.ScopeWrite), id: "deleteInvitation", summary: "Remove an invitation from a draft", tag: "Invitations"}, h.deleteInvitation)
	act := func(name, id string, rule httpkit.Rule, summary, tag string, status int) operation {
		return operation{method: http.MethodPost, rule: rule, path: base + "/{invitation}/" + name, also: base + "/invitations/{invitation}/" + name, id: id, summary: summary, tag: tag, status: status}
	}
	handle(s, act("replace", "replaceRecipient", may(account.ScopeWrite), "Put somebody else in the place of a person", "Invitations", 0), h.replace)
	handle(s, act("sign", "signInvitation", shared(account.ScopeSign).With(h.maxBody), "Sign", "Signing", 0), h.sign)
	handle(s, act("fill-in", "fillInFields", shared(account.ScopeSign).With(h.maxBody), "Fill in fields for recipients who sign later", "Signing", 0), h.fillIn)
	handle(s, act("read", "confirmReading", shared(account.ScopeSign), "Confirm having read the document", "Signing", 0), h.read)
	handle(s, act("view", "recordViewing", shared(""), "Note that the person has looked at the document", "Signing", 0), h.view)
	handle(s, act("consent", "setConsent", shared(""), "Agree to signing electronically, or take that back", "Signing", 0), h.consent)
	handle(s, act("decline", "declineInvitation", shared(account.ScopeSign), "Decline to sign", "Signing", 0), h.decline)
	handle(s, act("delegate", "delegateInvitation", shared(account.ScopeSign), "Pass an invitation on to somebody else", "Signing", 0), h.delegate)
	handle(s, act("remind", "remindRecipient", may(account.ScopeWrite), "Remind one person", "Signing", 0), h.remind)
	handle(s, act("code", "requestCode", shared(""), "Mail a code to the signatory", "Signing", http.StatusAccepted), h.requestCode)
	handle(s, act("identify", "identifyRecipient", shared(""), "Prove who you are with a code", "Signing", 0), h.identify)
}

// place reads the IDs of the document and the invitation in the path.
func (r *request) place() (document, invitation string, err error) {
	if document, err = r.document(); err == nil {
		invitation, err = r.id("invitation")
	}
	return document, invitation, err
}

func (h *invitationHandlers) invite(r *request, in *inviteBody) (all[invitationView], error) {
	id, err := r.document()
	if err != nil {
		return all[invitationView]{}, err
	}
	var input []record.InvitationInput
	for i := range in.Invitations {
		input = append(input, in.Invitations[i].input())
	}
	d, made, err := h.drafts.Invite(r.call(), id, input)
	if err != nil {
		return all[invitationView]{}, err
	}
	return all[invitationView]{Data: r.showInvitations(d, made)}, nil
}

func (h *invitationHandlers) listInvitations(r *request, _ *nothing) (envelope[invitationView], error) {
	d, err := r.load()
	if err != nil {
		return envelope[invitationView]{}, err
	}
	return slice(r, r.showInvitations(d, d.Invitations))
}

// showInvitations shows the caller invitations, with the links that they may see.
func (r *request) showInvitations(d *record.Document, all []record.Invitation) []invitationView {
	return r.viewInvitations(d, all, r.showLinks(d, all))
}

// showLinks returns the signing links that the caller may see, by invitation, once it is recorded
// that they were shown them: without the record there are none.
func (r *request) showLinks(d *record.Document, all []record.Invitation) map[string]string {
	if r.who.IsSignatory() {
		return nil
	}
	links, shown := map[string]string{}, []string{}
	for i := range all {
		if link := r.server.Signing.Sending.SignURL(r.who, d, &all[i], r.site()); link != "" {
			links[all[i].ID] = link
			shown = append(shown, all[i].ID)
		}
	}
	if err := r.server.Signing.Sending.HandOutLinks(r.who, d, shown...); err != nil {
		r.server.Log.Error("recording who is shown a link", "document", d.ID, "error", err)
		return nil
	}
	return links
}

// load returns the document in the path.
func (r *request) load() (*record.Document, error) {
	id, err := r.document()
	if err != nil {
		return nil, err
	}
	return r.server.Signing.Drafts.Get(r.call(), id)
}

func (h *invitationHandlers) getInvitation(r *request, _ *nothing) (invitationView, error) {
	_, id, err := r.place()
	if err != nil {
		return invitationView{}, err
	}
	d, err := r.load()
	if err != nil {
		return invitationView{}, err
	}
	return r.showInvitation(d, id)
}

func (r *request) showInvitation(d *record.Document, id string) (invitationView, error) {
	inv := d.Invitation(id)
	if inv == nil || r.who.IsSignatory() && r.who.Invitation != id {
		return invitationView{}, fault.NotFound("invitation")
	}
	return r.showInvitations(d, []record.Invitation{*inv})[0], nil
}

func (h *invitationHandlers) updateInvitation(r *request, in *invitationBody) (invitationView, error) {
	document, id, err := r.place()
	if err != nil {
		return invitationView{}, err
	}
	d, err := h.drafts.UpdateInvitation(r.call(), document, id, in.input())
	if err != nil {
		return invitationView{}, err
	}
	return r.showInvitation(d, id)
}

func (h *invitationHandlers) deleteInvitation(r *request, _ *nothing) (nothing, error) {
	document, id, err := r.place()
	if err != nil {
		return nothing{}, err
	}
	_, err = h.drafts.RemoveInvitation(r.call(), document, id)
	return nothing{}, err
}

func (h *invitationHandlers) sign(r *request, in *signBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(h.signing.Sign(r.UserContext(), r.call(), document, id, signing.SignInput{Fields: texts(in.Fields), Written: true,
		Signature: in.Signature.mark(), Initials: in.Initials.mark(), Consent: in.Consent,
		Next: in.Next.input(), Read: in.ReadingBody.input(), Code: in.Code, Shown: in.FormVersion}))
}

func (h *invitationHandlers) fillIn(r *request, in *fillBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	input := signing.SignInput{Fields: texts(in.Fields), Written: true, Next: in.Next.input(), Code: in.Code, Shown: in.FormVersion}
	return r.reply(h.signing.FillIn(r.UserContext(), r.call(), document, id, input))
}

func (h *invitationHandlers) read(r *request, in *readBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	input := signing.SignInput{Next: in.Next.input(), Read: in.ReadingBody.input(), Code: in.Code, Shown: in.FormVersion}
	return r.reply(h.signing.Confirm(r.UserContext(), r.call(), document, id, input))
}

func (h *invitationHandlers) view(r *request, _ *nothing) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(h.signing.MarkViewed(r.call(), document, id))
}

func (h *invitationHandlers) decline(r *request, in *reasonBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(h.signing.Decline(r.call(), document, id, signing.DeclineInput{Reason: in.Reason}))
}

// consent records or withdraws the recipient's consent.
func (h *invitationHandlers) consent(r *request, in *consentBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	if in.Consent == nil || *in.Consent {
		return r.reply(h.signing.Agree(r.call(), document, id, in.FormVersion))
	}
	return r.reply(h.signing.WithdrawConsent(r.call(), document, id))
}

func (h *invitationHandlers) delegate(r *request, in *delegateBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(
		h.sending.Delegate(r.call(), document, id, in.input(), in.Reason))
}

func (h *invitationHandlers) replace(r *request, in *invitationBody) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	var f fault.Fields
	for name := range in.Values { // the fields keep what was filled in before they were sent
		f.Add("values."+name, "unknown_field")
	}
	if err := f.Err(); err != nil {
		return documentView{}, err
	}
	return r.reply(h.sending.Replace(r.call(), document, id, in.input()))
}

func (h *invitationHandlers) remind(r *request, _ *nothing) (documentView, error) {
	document, id, err := r.place()
	if err != nil {
		return documentView{}, err
	}
	return r.reply(h.sending.Remind(r.call(), document, id))
}

func (h *invitationHandlers) requestCode(r *request, _ *nothing) (message, error) {
	document, id, err := r.place()
	if err != nil {
		return message{}, err
	}
	said := mailed(h.notify, "A code is on its way.", "No e-mail can be sent. Ask the sender for the code.")
	return message{said}, h.signing.RequestCode(r.who, document, id)
}

func (h *invitationHandlers) identify(r *request, in *codeBody) (tokenAnswer, error) {
	document, id, err := r.place()
	if err != nil {
		return tokenAnswer{}, err
	}
	token, err := h.signing.Identify(r.who, document, id, in.Code)
	return tokenAnswer{token}, err
}

// message is a response that is a single sentence.
type message struct {
	Message string `json:"message"`
}

// fieldValue is a value of a field: text, a number, or a boolean.
type fieldValue struct{ text string }

// texts returns values by the identifiers or names of their fields.
func texts(fields map[string]fieldValue) map[string]string {
	out := make(map[string]string, len(fields))
	for k, v := range fields {
		out[idOr(k)] = v.text
	}
	return out
}

// UnmarshalJSON accepts a string, a number, a boolean or null.
func (v *fieldValue) UnmarshalJSON(b []byte) error {
	switch s := string(b); {
	case s == "null":
		v.text = ""
	case len(s) > 0 && s[0] == '"':
		t, err := unquote(b)
		v.text = t
		return err
	case s == "true" || s == "false":
		v.text = s
	default:
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return err
		}
		v.text = s
	}
	return nil
}
