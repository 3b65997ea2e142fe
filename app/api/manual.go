package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// manual describes an endpoint beyond its summary. Names in braces inside an example
// are placeholders for values that the caller knows.
type manual struct {
	text   string            // sentences; words in backquotes are code
	body   string            // an example of the JSON body
	form   string            // an example of the JSON sent with a file
	query  map[string]string // examples of parameters
	media  string            // media types of a non-JSON response, the usual one first
	bearer string            // whose token it requires, if not a member's
}

// groups holds the descriptions of the document's tags.
var groups = map[string]string{
	"Session":      "Logging in, and your own account.",
	"Documents":    "A document is what people sign: files, invitations, fields, and its history.",
	"States":       "A document moves from draft through sent to completed. Each transition is a request of its own; one that the current state doesn't allow returns 409 and changes nothing.",
	"Files":        "PDF, DOCX, HTML and images go in, PDF comes out. Files can be changed only while the document is a draft.",
	"Fields":       "Where recipients sign or fill something in. A signer without a field signs on an added signature page.",
	"Invitations":  "Who signs, in which order, and how they prove their identity.",
	"Signing":      "Actions of a recipient. Use the company's token, or the token in the recipient's own link: the part of `sign_url` after `/s/`.",
	"Company":      "The company of the token, its members and its API tokens.",
	"Templates":    "A document for repeated use: files, fields and messages, with roles in place of people and variables in its texts.",
	"Saved fields": "Fields with their settings that members use again: the editor offers them next to the types of fields.",
	"Contacts":     "The people the company sends documents to. Recipients are added automatically.",
	"Outbox":       "The messages about the company's documents: what was sent to whom, and whether it was delivered. For administrators.",
	"Webhooks":     "Notify your programs of events, or let them poll. For the payloads and how to verify them, see `/docs/webhooks`. For administrators; `GET /events` is open to everyone with read access.",
	"Checkpoints":  "Signed heads of the company's whole history, made daily and with every completed document. Kept elsewhere, a checkpoint later proves that nothing before it was changed, even to somebody who doesn't trust this server.",
	"Installation": "Everything on this machine, across companies, for administrators of the installation (`paraph user admin`). Everyone else, and any API token, gets 404. It never exposes the content of a company's documents.",
	"Service":      "Open to everyone.",
	"Test":         "Only on a test double: `paraph dev`.",
}

// exampleOf returns an example with the type of its parameter.
func exampleOf(s *huma.Schema, text string) any {
	switch s.Type {
	case huma.TypeInteger, huma.TypeNumber, huma.TypeBoolean:
		return json.RawMessage(text)
	}
	return text
}

// apply adds the manual's text and examples to an operation.
func (m manual) apply(o *huma.Operation) {
	o.Description = m.text
	for _, p := range o.Parameters {
		if v, ok := m.query[p.Name]; ok {
			p.Example = exampleOf(p.Schema, v)
		}
	}
	if o.RequestBody != nil {
		if media := o.RequestBody.Content["application/json"]; media != nil && m.body != "" {
			media.Example = json.RawMessage(m.body)
		}
		if media := o.RequestBody.Content["multipart/form-data"]; media != nil {
			parts := map[string]string{"file": "@contract.pdf"}
			if m.form != "" {
				parts["data"] = m.form
			}
			media.Example = parts
		}
	}
	if m.bearer != "" {
		o.Extensions["x-bearer"] = m.bearer
	}
}

const (
	draftOnly    = " Only while the document is a draft."
	ownerOrAdmin = " Allowed for the document's owner and administrators."
	onlyOnce     = " It is returned only this once."
	inParts      = " A multipart body holds the JSON in the part `data`, or its members as parts of their own: `title=Lease`, `send=true`, and arrays and objects as JSON. A text part of another name returns 422, as does a member that is sent twice."
	textTags     = "A text tag is `{{signature}}`, with the number of the recipient in signing order as in `{{signature2}}` or `{{text:2|Place of birth|optional}}`, or with attributes as in `{{signature;role=Buyer;required}}`: `role` (the name of a role or a group, a role's number, a recipient's name or e-mail address), `name`, `label`, `required`, `optional`, `readonly`, `value` or `default`, `options` (separated by commas), `group`, `format` (of a signature or initials `drawn`, `typed`, `drawn_or_typed` or `upload`), `pattern`, `min`, `max`, `align`, `vertical_align`, `font_size`, `font_weight`, `color`, `cells`, `mask`, and `width` and `height` in points. DocuSeal's form `{{Field name;type=date;role=First Party;required=false}}` works unchanged, with its types `datenow`, `file`, `image`, `cells` and `phone`, and so do `{{sign|1|*|Label}}`, `{{signature, r1, required=true}}`, and the anchors of DocuSign's users: `\\s1\\` or `/sn1/` (signature), `\\os1\\` (optional), `\\i1\\` (initials), `\\d1\\` (date of signing), `\\n1\\` (name), `\\e1\\` (e-mail address), `\\co1\\` (company), `\\t1\\` (title) and `**signature_1**`. A tag may extend over several lines of a page."
	withTags     = " With `text_tags`, the text tags in the files become fields, and are removed when the document is sent, as described at `POST /documents/{document}/fields/detect`; every other text in double braces, such as `{{Place of birth}}`, becomes a text field of that name. A tag without a recipient or with an unknown type returns 422 under `text_tags.N`."
)

// manuals holds the manual of each operation by its ID.
var manuals = map[string]manual{
	"logIn": {text: "The response lists the companies you belong to, each with a bearer token: `companies[].token`. Too many failed attempts return 429. With two-factor sign-in on, `code` is the number shown by the app, or a recovery code.",
		body: `{"email": "{email}", "password": "{password}"}`},
	"logOut":     {text: "The token stops working immediately."},
	"getProfile": {text: "The user the token belongs to, with their companies."},
	"updateProfile": {text: "Omitted members keep their value. A new `password` requires the `current_password` and ends all other sessions.",
		body: `{"name": "Ada Lovelace", "timezone": "Europe/Amsterdam"}`},
	"setUpTwoFactor": {text: "Takes two steps: an empty body returns a `secret` and a `url` for the app; sending the `code` that the app then shows turns it on and returns the recovery codes." + onlyOnce + " Requires a token from login.",
		body: `{}`},
	"disableTwoFactor": {text: "Requires the `password` or a `code` from the app.",
		body: `{"password": "{password}", "code": "{code}"}`},
	"beginPasskeyLogin": {text: "Returns `options` for `navigator.credentials.get` and a `ceremony` to send back within five minutes. With an empty body, the passkey replaces address and password; with `email` and `password`, it is the second factor.",
		body: `{}`},
	"logInWithPasskey": {text: "`credential` is the JSON of the browser's `PublicKeyCredential`. The response is that of `POST /login`.",
		body: `{"ceremony": "{ceremony}", "credential": {}}`},
	"proveIdentity": {text: "Changing how you sign in (address, password, passkeys, second factor, recovery codes, API tokens) requires proof of identity within the last five minutes; otherwise the response is 403 `proof_required`. Logging in is such a proof, and so is this call with the `password` or a `code`. It applies to the token used for the call. Requests that accept `current_password` need no separate call. Inviting or promoting administrators, reactivating members and turning off required two-factor sign-in need a proof too, except with API tokens.",
		body: `{"password": "{password}"}`},
	"beginPasskeyProof":        {text: "Returns `options` for `navigator.credentials.get` and a `ceremony` to send back within five minutes."},
	"proveIdentityWithPasskey": {text: "`credential` is the JSON of the browser's `PublicKeyCredential`. Does the same as `POST /me/proof`."},
	"listPasskeys":             {text: "Your own, oldest first. All passkey operations require a token from login."},
	"beginPasskeyRegistration": {text: "Returns `options` for `navigator.credentials.create` and a `ceremony` to send back within five minutes. Passkeys require HTTPS and a host name."},
	"registerPasskey": {text: "`credential` is the JSON of the browser's `PublicKeyCredential`. Once you have a passkey, the password alone is not enough to log in; the response to the first one includes `recovery_codes`." + onlyOnce,
		body: `{"ceremony": "{ceremony}", "name": "Laptop", "credential": {}}`},
	"renamePasskey": {text: "Only the name can be changed.", body: `{"name": "Old laptop"}`},
	"deletePasskey": {text: "Removing the last second factor requires the `password` or a `code`.", body: `{"password": "{password}"}`},
	"createRecoveryCodes": {text: "Requires the `password` or a `code`. The old codes stop working." + onlyOnce,
		body: `{"password": "{password}"}`},
	"listOwnSignIns":   {text: "Newest first, including failed ones. The last 100 are kept.", query: map[string]string{"per_page": "50"}},
	"listSignIns":      {text: "For administrators. The last 100 of each member are kept.", query: map[string]string{"per_page": "50"}},
	"signOutEverybody": {text: "Ends every session in the company except the caller's. For administrators. API tokens keep working."},
	"sendEmailVerification": {text: "Sends a verification link to your own address, or to a new one in `email`, which replaces the old one when the link is opened. At most six messages per minute.",
		body: `{}`},
	"verifyEmail": {text: "The `token` is part of the link in the message.", query: map[string]string{"token": "{link_token}"}},
	"requestPasswordReset": {text: "Sends a link for choosing a new password. The response doesn't reveal whether the address has an account.",
		body: `{"email": "{email}"}`},
	"resetPassword": {text: "The `token` is part of the link in the message; it works once.",
		body: `{"token": "{link_token}", "password": "a new password, long enough"}`},

	"listDocuments": {text: "Newest first. `search` covers titles, messages, names, e-mail addresses, file names, metadata and the text of the files, and includes all changes made before the request. `sort` accepts `created_at`, `updated_at`, `title`, `status_id`, `expires_at` and `completed_at`. `status` accepts `active`, `archived`, `deleted`, the names of the states, and the numbers 1 to 8; several values are combined with OR.",
		query: map[string]string{"status": "draft,sent", "sort": "updated_at|desc", "per_page": "50"}},
	"createDocument": {text: "A `title` alone creates a draft. With `files`, `invitations`, `fields` and `send`, one request does everything or nothing; with `send`, the document has been sent when the response arrives. Send files as parts of a multipart body, or as base64 in the JSON." + inParts + withTags,
		body: `{"title": "Lease", "invitations": [{"name": "Ben Buyer", "email": "ben@example.org"}]}`,
		form: `{"title": "Lease", "invitations": [{"name": "Ben Buyer", "email": "ben@example.org"}], "send": true}`},
	"getDocument": {text: "The document with its files, invitations and fields. The `ETag` is its version. With a recipient's token, a document that was voided, declined or has expired is returned without its content, and everything below it returns 409 `document_closed`, unless the company's `closed_documents_readable` is on. Completed documents stay readable."},
	"updateDocument": {text: "Omitted members keep their value. `null` clears `expires_at`, `approver_id`, `remind_every_days`, `subject`, `message`, `redirect_url` or `external_id`. Once the document is no longer a draft, only `metadata` and `external_id` can be changed.",
		body: `{"title": "Lease, second floor", "external_id": "CRM-4711", "metadata": {"project": "harbour"}}`},
	"deleteDocument": {text: "Moves it to the trash, from which it can be restored until it is deleted permanently. A document that is out for signing must be voided first." + ownerOrAdmin},
	"purgeDocument": {text: "Only for documents in the trash, and only for administrators. The `title` must match, as confirmation. Its events stay in the audit trail.",
		body: `{"title": "Lease"}`},
	"duplicateDocument": {text: "Copies the files, invitations, fields and settings of any document into a new draft, without its history. Access codes have to be set again before it can be sent (422 under `invitations.N.access_code`). A deadline in the past is moved so that it leaves as much time as the original did."},
	"sendDocument": {text: "Requires at least one file and one signer. Every recipient whose turn it is gets a message with a link; without a mail server, or with `send_emails` false, pass on the `sign_url` of the invitations. If the company requires approval, the draft must be submitted and approved first. With `send_at` it is checked at once and sent at that time on behalf of the caller, with the rights they have then; until then it can't be changed. If it can't be sent at that time, its `attention` is `not_sent` and the owner is told. Archiving, voiding or deleting it ends the schedule; sending it without `send_at` sends it now.",
		body: `{"message": "Please sign by Friday.", "expires_at": "2040-12-31", "remind_every_days": 3}`},
	"listDocumentEvents": {text: "All events, oldest first, each with the hash of the previous one. For the types, see `/docs/webhooks`.",
		query: map[string]string{"sort": "at|desc", "per_page": "50"}},
	"downloadDocument": {text: "The sealed PDF, or a ZIP of several files. `version` is `completed`, `current` (as it is now) or `original` (as uploaded); `content` is `document`, `certificate` (of completion) or `evidence` (JSON). Before completion, `completed` returns 409. Supports `Range`.",
		body: `{"version": "completed"}`, media: "application/pdf, application/zip, application/json"},
	"getDocumentDownload": {text: "The same as POST, with the options in the query.",
		query: map[string]string{"version": "completed"}, media: "application/pdf, application/zip, application/json"},

	"submitDocument":     {text: "From draft to pending approval. Required before sending if the company requires approval."},
	"withdrawDocument":   {text: "From pending approval back to draft. Allowed for the submitter and the document's owner."},
	"approveDocument":    {text: "From pending approval to approved. Allowed for approvers and administrators, except for their own submissions, unless nobody else can approve."},
	"rejectDocument":     {text: "From pending approval to rejected, with a reason.", body: `{"reason": "The rent is missing."}`},
	"reopenDocument":     {text: "From approved or rejected back to draft."},
	"unscheduleDocument": {text: "For a document with `send_at`: it is not sent at that time, and can be changed again."},
	"retrySealing":       {text: "For a document with `attention` `sealing` or `sealing_failed`: retries immediately, and keeps retrying if that fails. `attention_message` states the cause. A completed document is returned unchanged; any other returns 409." + ownerOrAdmin},
	"archiveDocument":    {text: "Hides it from lists. Possible in any state except sent; `restore` reverses it."},
	"restoreDocument":    {text: "From the archive or the trash back to the lists, in its previous state."},
	"voidDocument":       {text: "Cancels it permanently, with a reason: nobody can sign it any more, and the recipients are notified. Delete a draft instead. A completed document can't be voided." + ownerOrAdmin, body: `{"reason": "Signed on paper instead."}`},
	"extendDocument":     {text: "From expired back to sent." + ownerOrAdmin, body: `{"expires_at": "2040-12-31T23:59:59Z"}`},
	"remindRecipients":   {text: "Sends a message to every recipient whose turn it is. Returns 409 if there is nobody to remind."},

	"replaceFile": {text: "Takes one file, as a part of a multipart body or as base64 in JSON. The fields on the old file stay at their places on the new one; fields with an `anchor` go where the new file has the phrase, and nothing that was covered in the old file is covered in the new one. `unfit_fields` lists the fields that need attention: those on a page that the new file doesn't have, which prevent sending until they are moved or deleted, and those whose phrase was not found, which keep their place without an anchor. Works for templates too; documents made before keep the old file." + draftOnly},
	"redactFile": {text: "Makes the regions black and removes what is beneath, in a copy of the file that takes its place: text, drawings that lie in a region, pixels of images (an image that can't be decoded is removed as a whole), annotations, links and form fields with their values, and the texts for screen readers and thumbnails that stand for them. Nothing of it remains in the copy. `x`, `y`, `width` and `height` are fractions of the page as displayed, as those of fields are. Properties of the file, and its XMP metadata, are removed if they contain a word from a region, and such bookmarks lose their title. Files attached to a PDF are left out of the copy, as they may repeat what you black out; a finding says how many. A tiling pattern, a mesh, or a character that is a picture, of which a part is in a region is emptied wherever the file uses it. A drawing that only reaches into a region stays in the file below the black; embedded fonts still tell which characters were used. The upload is kept for those who may change documents: `merged` names it, and `version=original` downloads it. Viewers, and tokens without the scope `write`, get 403 for it, and recipients only get the copy. There is no way back other than uploading the file again. Returns 409 if the file is already signed, or has placeholders yet to be filled in." + draftOnly,
		body: `{"regions": [{"page": 1, "x": 0.1, "y": 0.2, "width": 0.3, "height": 0.02}]}`},
	"arrangePages": {text: "The file gets the listed pages of its upload, in this order; those not listed are left out. Pages always have the numbers of the upload, which is kept: list them all to have them all again. Fields move along with their pages, and those on pages that are left out are removed. Nothing of such pages remains in the PDF that is sent: no text, form field, bookmark or tag; recipients can't download the upload. Returns 409 if the file is already signed, or has placeholders yet to be filled in." + draftOnly,
		body: `{"pages": [{"page": 1, "rotate": 90}]}`},
	"splitFile": {text: "The pages from `page` on become a file of their own, which comes right after the old one and is returned. Fields stay on their pages. `PUT .../files/{file}/pages` with all pages turns either part into the whole file again." + draftOnly,
		body: `{"page": 2}`},
	"mergeFiles": {text: "The pages of the files in `files`, or without it of all other files, come after those of this one, which is returned; the other files are gone. Fields stay on their pages. Form fields of PDFs that are named alike are renamed; bookmarks and tags, which describe a file as a whole, are dropped. The uploads are kept: `merged` lists them, and a download of the document with `version=original` has them. Returns 409 if one of the files is already signed, or has placeholders yet to be filled in." + draftOnly,
		body: `{}`},
	"uploadFiles": {text: "Any number of files, of which all or none are accepted. DOCX, HTML and images are converted to PDF. Send files as parts of a multipart body, which is streamed, or as base64 in JSON." + inParts + " `findings` in the response reports peculiarities of a file. A PDF that must not be changed, such as one certified with no changes allowed, is rejected unless `flatten` is true: recipients then sign a copy that looks the same, with the original PDF attached." + withTags + draftOnly},
	"listFiles":   {text: "In document order."},
	"updateFile": {text: "`position` moves it among the files. `confirmed` states that somebody has checked the pages made by the built-in renderer." + draftOnly,
		body: `{"name": "Lease.pdf", "position": 1}`},
	"deleteFile":   {text: "The fields on it are removed too." + draftOnly},
	"downloadFile": {text: "`version` is `current`, the PDF as it is now, or `original`, the upload byte for byte. If pages of it were left out or parts blacked out, only those who may change documents get it; others get 403. Recipients always get a PDF: the one that they sign instead of what it was made of. Supports `Range`.", query: map[string]string{"version": "original"}, media: "application/octet-stream"},
	"getPageImage": {text: "Pages start at 1. The image shows what has been filled in and signed so far.", query: map[string]string{"width": "800"}, media: "image/png"},

	"getFile":       {text: "One file, with its size, pages, hash and findings."},
	"getField":      {text: "One field, with its value."},
	"getInvitation": {text: "One recipient and their progress."},
	"listFields":    {text: "In document order. With a recipient's token, only their own."},
	"replaceFields": {text: "Positions are fractions of the page as displayed, from the top left: `x` 0.5 is the middle. `file_id` is an ID or the position of the file starting at 0; `invitation_id` is an ID or the recipient's e-mail address. With `anchor`, a field is placed by a phrase of the file: at, above, below or beside an occurrence of it, with an offset in points; a phrase that does not occur that often returns 422 under `fields.N.anchor`. A request can have 200 anchors. With a `condition`, a field is only shown, or only required, while other fields have certain values; conditions that could never work, such as one on a field of somebody who signs later, are refused. `help` and `placeholder` are hints for the recipient, and `pattern_message` is what they are told if a value does not match `pattern`; none of them is drawn. `min` and `max` of a date are days, or relative to the day of signing in the company's time zone: `today`, `today+30d`, `today-18y` (d, w, m, y). Of the checkboxes of a recipient with the same `group`, `group_min` to `group_max` have to be ticked. `signature_types` of a signature or initials says what is accepted there, besides what the document accepts." + formulaText + draftOnly,
		body: `{"fields": [{"type": "signature", "file_id": "0", "invitation_id": "ben@example.org", "page": 1, "x": 0.1, "y": 0.8, "width": 0.3, "height": 0.06}]}`},
	"addFields": {text: "Like PUT, but keeps the existing fields." + draftOnly,
		body: `{"fields": [{"type": "text", "name": "deposit", "label": "Deposit", "file_id": "0", "invitation_id": "ben@example.org", "page": 1, "x": 0.1, "y": 0.7, "width": 0.3, "height": 0.03}]}`},
	"detectFields": {text: "Fields that the files seem to need, each with a confidence: 1 for fields of a PDF's own form and for text tags, less for lines to write on and boxes to tick. Fields of a PDF's own form come with what they hold and how they are set up. Places that already have a field are left out, and nothing is changed: send those you want to `POST /documents/{document}/fields`, where `covered` hides a text tag. A field that lies where the file's own form has one takes its place in the document that is sent: the old one is hidden and loses its value. " + textTags,
		body: `{"sources": ["tag", "line"], "min_confidence": 0.8}`},
	"updateField": {text: "Omitted members keep their value." + draftOnly, body: `{"label": "Deposit in euros", "required": false}`},
	"deleteField": {text: "Removes the field." + draftOnly},

	"addInvitations": {text: "`role` is `signer`, `approver`, `assistant` (fills in fields for recipients who sign later), `reader` (confirms having read the document; it does not complete before) or `viewer` (receives a copy at the end). Only signers and approvers can have fields. Recipients who name the same `group` are asked together, at one position and with the same fields, and the first of them to act acts for all: the others become `not_needed`, and a decline of any of them counts as that of the group. With `named_by_previous`, a recipient needs only a `role_name`: in a document with the `signing_order` `sequential`, the one who acts before them names them with `next` when signing; an e-mail code then goes to that address, and an access code is the one you set here. You can name them yourself with `replace`. `position` is the place in the signing order; recipients with equal positions sign in parallel. `authentication` is `link`, `email_code` or `access_code`. Each e-mail address can be invited only once." + draftOnly,
		body: `{"invitations": [{"name": "Clara Clerk", "email": "clara@example.org", "role": "signer", "position": 2}]}`},
	"listInvitations":  {text: "In signing order. `sign_url` is present while the link works, for callers of the company who may send or sign: viewers and tokens without the scope `write` or `sign` get null."},
	"updateInvitation": {text: "Omitted members keep their value." + draftOnly + " Once the document is sent, only the access code can be changed (`access_code`, with `access_code_hint`): proofs given with the old code expire, and a recipient who had none gets their link.", body: `{"name": "Benjamin Buyer", "locale": "en"}`},
	"deleteInvitation": {text: "The recipient's fields are removed too." + draftOnly},
	"replaceRecipient": {text: "Possible once the document is sent, even after a decline. The new recipient takes over the position, the fields and the way to prove their identity, and the old link stops working. If the previous recipient had an access code, a new `access_code` is required.",
		body: `{"name": "Dora Deputy", "email": "dora@example.org"}`},

	"signInvitation": {text: "`fields` holds values by field ID or name. If `signature` is omitted, it is typed from the recipient's name. A `type` that the document or one of the recipient's fields does not accept (`signature_types`) returns 422 under `signature.type` or `initials.type`. A required field without a value returns 422 under `fields.NAME`. If `read_to_end` is true, the recipient's own token needs every page in `pages_shown`, or `read_all`; otherwise this returns 422 under `pages`, which names those left. With the company's token it is up to your own pages to show all of them, and the evidence says how they were read only if you send either. Signing out of turn, twice, or after the document has ended returns 409. With the company's token, the evidence records that it was signed through the API, and with whose token. When the last recipient signs, the sealed file is on disk before the response is sent.",
		body: `{"consent": true, "signature": {"type": "typed", "text": "Ben Buyer"}}`},
	"fillInFields": {text: "For recipients with the role `assistant`, who add no signature to the files. `fields` holds values by field ID or name, of recipients who have a later `position` in a document with the `signing_order` `sequential`; a name stands for all of their fields that have it. Values are checked as when signing, but none is required, and become the default values that those recipients find, can change, and sign. Signatures, initials, attachments, signing dates, read-only fields and masked values that are filled in already are left to them: a value for one returns 422 under `fields.NAME`. The event `invitation.filled_in` names the fields. Filling in out of turn, twice, or after the document has ended returns 409.",
		body: `{"fields": {"city": "Lisbon"}}`},
	"confirmReading": {text: "For recipients with the role `reader`, who have no fields and add no signature to the files. Until they have confirmed, nobody after them in the signing order is asked, and the document does not complete. `read_to_end` is demanded as of signatures. Confirming out of turn, twice, or after the document has ended returns 409. With the company's token, the evidence records that it was confirmed through the API, and with whose token.",
		body: `{}`},
	"recordViewing": {text: "Recorded once in the audit trail."},
	"setConsent": {text: "For the recipient, with their own token. If the company's `consent_mode` is `gate`, they can't see the document before consenting.",
		body: `{"consent": true}`, bearer: "signatory"},
	"declineInvitation": {text: "Nobody else can sign any more, and the owner is notified, who can void the document or replace the recipient. If `allow_decline` is false, this returns 409; if `decline_reason_required` is true, the reason must not be empty.", body: `{"reason": "The dates are wrong."}`},
	"delegateInvitation": {text: "The other person takes over the position, the fields and the way to prove their identity, and the old link stops working. An e-mail code goes to the new address. An access code must be replaced by the sender: until then the document's `attention` is `access_code`, and the other person has no link. If `allow_delegation` is false, this returns 409.",
		body: `{"name": "Dora Deputy", "email": "dora@example.org"}`},
	"remindRecipient": {text: "Only for a recipient whose turn it is."},
	"requestCode": {text: "For invitations that require a code by e-mail. It is valid for ten minutes and five attempts. A new one can be requested after 30 seconds, at most five per day. After 25 wrong codes in a day no code is accepted: 429 `tries_used_up` with `Retry-After`.",
		bearer: "signatory"},
	"identifyRecipient": {text: "Accepts the e-mail code or the access code (five attempts in ten minutes, 25 per day), and returns a bearer token with which the recipient can read and sign for an hour.",
		body: `{"code": "{code}"}`, bearer: "signatory"},

	"getCompany": {text: "Its name, branding and rules."},
	"updateCompany": {text: "Omitted members keep their value; `null` clears an optional one. After `retention_days`, finished documents move to the trash. With `closed_documents_readable`, recipients can still read documents that were voided, declined or have expired; by default their link shows only what happened. For administrators.",
		body: `{"name": "Acme Leasing", "brand_color": "#1d5bd1", "default_expiry_days": 30, "reminder_days": [3, 7]}`},
	"listMembers": {text: "`sort` accepts `created_at`, `name`, `email`, `role` and `status`; `status` accepts `active`, `invited` and `deactivated`.",
		query: map[string]string{"sort": "name|asc"}},
	"inviteMember": {text: "Sends the member a message with a link. With a `password`, no message is sent: somebody without an account can log in right away, and is a member from then on; for anybody else the password has no effect, and they join with an invitation. The response does not tell which.",
		body: `{"name": "Max Member", "email": "max@example.org", "role": "member"}`},
	"getMember":    {text: "One member of the company."},
	"updateMember": {text: "A member who is not `active` can't log in, and their tokens stop working. The last active owner can't be deactivated or get another role.", body: `{"role": "approver"}`},
	"removeMember": {text: "Their documents stay. The last owner can't be removed."},
	"listTokens":   {text: "All tokens for administrators, your own otherwise.", query: map[string]string{"sort": "created_at|desc"}},
	"createToken": {text: "For programs. `scopes` limits it to part of what you may do yourself: `read`, `write`, `sign`, `admin`." + onlyOnce,
		body: `{"name": "Nightly export", "scopes": ["read"], "expires_at": "2040-12-31"}`},
	"revokeToken": {text: "It stops working immediately."},

	"listTemplates": {text: "The templates of the company with their roles, fields and variables. `search` matches titles, files and texts; `sort` is as for documents; `status` accepts `active`, `archived` and `deleted`.",
		query: map[string]string{"sort": "title|asc"}},
	"createTemplate": {text: "A template is a draft with roles in place of people: files, fields, messages, order and access checks. Files may be parts of a multipart body." + inParts + " A template's title, subject, messages and values of fields may contain variables, such as `{{rent}}`; the service itself fills in `{{company}}`, `{{today}}`, `{{sender.name}}` and, for a role called Tenant, `{{tenant.name}}` and `{{tenant.email}}`. So may DOCX and HTML files, which are filled in before they are converted: `{{rent}}` with the format of its first character, `{{rent|#,##0.00 €}}` and `{{start|D MMMM YYYY}}` in a format and the language of the document, `{{#if guarantor}} … {{/if}}`, `{{#unless guarantor}} … {{/unless}}` and `{{#if kind=lease}} … {{/if}}` around parts that may be left out, and `{{#items}} … {{/items}}` around what is repeated for each item of a list: words, paragraphs, or rows of a table. Fields with an `anchor`, and those of text tags, follow their text, and are left out with the part they are in. Edit its content with the operations under `/documents/`, using its ID." + withTags,
		body: `{"title": "Lease for {{tenant.name}}", "roles": [{"role_name": "Tenant"}, {"role_name": "Landlord", "name": "Ben Buyer", "email": "ben@example.org"}], "expires_days": 14}`,
		form: `{"title": "Lease for {{tenant.name}}", "roles": [{"role_name": "Tenant"}]}`},
	"getTemplate":       {text: "One template, with the number of its documents and the time of its last use."},
	"updateTemplate":    {text: "Omitted members keep their value. Existing documents are not changed.", body: `{"expires_days": 30}`},
	"deleteTemplate":    {text: "Only for the owner of the template and administrators. It can be restored from the trash until it is deleted permanently."},
	"archiveTemplate":   {text: "Hides it from lists, and it can't be used; `restore` reverses it."},
	"restoreTemplate":   {text: "From the archive or the trash back to the list."},
	"duplicateTemplate": {text: "Copies the files, roles, fields and settings. Access codes have to be set for each document."},
	"createDocumentFromTemplate": {text: "Copies the current template into a new draft, replaces roles by people and fills in the variables; with `send`, the document is sent in the same request. Roles that have a person in the template may be omitted. All missing variables and people are reported at once, under `variables.NAME` and `people`. The variable of a list is an array of objects, as in `{\"items\": [{\"what\": \"Desk\", \"price\": 120}]}`, or a line for each item with its values divided by semicolons.",
		body: `{"people": [{"role": "Tenant", "name": "Ann Owner", "email": "ann@example.org"}], "send": false}`},
	"listPublicLinks": {text: "Newest first. `status` is `open`, `off`, `expired` after `expires_at`, " +
		"`used_up` after `max_uses` documents, `full` while there is no room for more documents of the company, or `closed` while the template is archived or deleted, or its owner may " +
		"no longer send documents."},
	"createPublicLink": {text: "A page where anybody can sign the template in one role. Visitors state " +
		"their name and e-mail address, and continue on the signing page of a document of their own, which belongs " +
		"to the member who made the link. Their role must sign first and without an access code, and the other " +
		"roles need people, from the template or in `people`. With `check_address`, or if the role wants it, a code is mailed to the address first if the server can send " +
		"e-mail; otherwise the evidence says that the address was only stated. A use is counted with each document, " +
		"so `max_uses` is never exceeded. Everything that would keep documents from being sent is reported at once. " +
		"`document.created` in each audit trail names the link. A template has up to 20 links; duplicates of it have none.",
		body: `{"role": "Tenant", "max_uses": 100, "expires_at": "2040-12-31", "closing_text": "We are full."}`},
	"getPublicLink": {text: "One link, with the number of documents made so far."},
	"updatePublicLink": {text: "Omitted members keep their value; documents made before stay as " +
		"they are. If the owner may no longer send documents, you become the owner.", body: `{"enabled": false}`},
	"deletePublicLink": {text: "Its address stops working. Documents made through it stay."},
	"saveDocumentAsTemplate": {text: "Creates a template from a document in any state: its files, fields and settings, with a role in place of each person, and without the values that people entered.",
		body: `{"title": "Lease", "roles": ["Tenant"]}`},
	"createBulkRun": {text: "One document for each row, made in the background. All rows are checked first, as if each were a request of its own: if any is invalid, all faults are returned by row and column and nothing is started, unless `skip_invalid` is set. As `text/csv`, or in `csv`, the first row names the columns: `Tenant.name`, `Tenant.email`, `Tenant.company`, `Tenant.job_title`, `Tenant.access_code`, `Tenant.locale` and `Tenant.message` for a role called Tenant, the names of variables and fields, `title` and `external_id`. Every role needs a name and an e-mail address, except one with `named_by_previous`: its columns and cells may be missing. UTF-8, UTF-16 and Windows-1252 are recognised, and comma, semicolon and tab; an empty cell counts as missing. The run uses the template as it is now, even if it is changed or archived later; if it is deleted, the remaining rows fail. A row becomes one document at most, even if the server is killed meanwhile. `per_minute` slows the run down. `messages` is the number of people who are notified at once. A company can have 5 runs in progress. `document.created` in each audit trail names the run.",
		body: `{"rows": [{"external_id": "flat-1", "people": [{"role": "Tenant", "name": "Ann Owner", "email": "ann@example.org"}]}], "check": false}`},
	"downloadBulkTable":    {text: "A CSV with the columns that the template needs and no rows, for `POST /templates/{template}/bulk`.", media: "text/csv"},
	"listBulkRuns":         {text: "The bulk runs of the company, newest first. They are kept for 90 days after they ended unless `retention.bulk_days` is changed; their documents stay.", query: map[string]string{"status": "running"}},
	"getBulkRun":           {text: "One run, with the number of its rows in each state."},
	"listBulkRows":         {text: "The rows in the order of the table: `waiting`, `made` with their document, `failed` when their turn came, or `invalid`.", query: map[string]string{"status": "failed"}},
	"exportBulkResults":    {text: "One row for each row of the run: its document with state and times, and the values of its fields. Cells that a spreadsheet would run as formulas begin with an apostrophe.", media: "text/csv"},
	"exportFailedBulkRows": {text: "The rows of which no document was made, in the encoding and with the separator and columns of the uploaded file, and a last column that says why. Rows sent as JSON have the columns of the header file and of whatever else they hold. Mend them and upload the file again.", media: "text/csv"},
	"cancelBulkRun":        {text: "The rows that wait are not made. Documents that exist stay."},
	"retryBulkRun":         {text: "The failed rows wait again; rows that were left out as invalid do not. A cancelled run returns 409."},
	"listSavedFields":      {text: "By name. The editor of documents and templates offers them next to the types of fields."},
	"createSavedField": {text: "`field` has the settings of a field in a document, without a recipient and a place. What depends on other fields or on a file (`condition`, `formula`, `anchor`, `covered`) returns 422. A company can have 500 saved fields.",
		body: `{"name": "IBAN in cells", "field": {"type": "text", "name": "iban", "label": "IBAN", "width": 0.5, "height": 0.03, "cells": 22, "pattern": "[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}", "pattern_message": "An IBAN without blanks, please."}}`},
	"getSavedField":    {text: "One saved field. To place it, send `field` with `file_id`, `invitation_id`, `page`, `x` and `y` to the fields of a document."},
	"updateSavedField": {text: "Documents that have the field keep it as it is.", body: `{"name": "IBAN"}`},
	"deleteSavedField": {text: "Documents that have the field keep it."},
	"listContacts": {text: "By name. `search` matches the beginnings of words in name, address, organization and tags. `sort` accepts `name`, `email`, `organization`, `created_at`, `updated_at` and `last_used_at`; `status` accepts `active`, `archived` and `deleted`.",
		query: map[string]string{"search": "ben", "sort": "last_used_at|desc"}},
	"createContact": {text: "E-mail addresses are unique, ignoring case. An address that already exists, even in the archive, returns 422.",
		body: `{"name": "Ben Buyer", "email": "ben@example.org", "organization": "Example Ltd", "job_title": "Buyer", "locale": "en", "tags": ["buyer"]}`},
	"exportContacts": {text: "CSV with the columns `name`, `email`, `organization`, `phone`, `locale`, `note`, `tags` (separated by semicolons) and `job_title`, without contacts in the trash.", media: "text/csv"},
	"importContacts": {text: "The first row names the columns; `email` is required. A row with a known address updates that contact with its non-empty cells; a row with an error is skipped and listed in `faults`. At most 8 MB and 20,000 rows.", query: map[string]string{"check": "true"}},
	"getContact":     {text: "One contact, and when a document was last sent to them."},
	"updateContact":  {text: "Omitted members keep their value; an empty string clears it.", body: `{"phone": "+31 20 123 45 67"}`},
	"deleteContact":  {text: "It can be restored from the trash until it is deleted permanently."},
	"archiveContact": {text: "Hides it from lists and suggestions; `restore` reverses it."},
	"restoreContact": {text: "Returns 409 if another contact now has the address."},

	"getMailServer":    {text: "The mail server of the installation, used by all companies. For administrators of the installation, with a token from login; others and API tokens get 404."},
	"setMailServer":    {text: "Applies immediately, to queued messages too. Because the operator of a mail server could read everybody's links, this requires proof of identity within the last five minutes, or `current_password`. If the configuration names the mail server, it takes precedence, and the response is 409 `mail_server_configured`.", body: `{"host": "smtp.example.org", "port": 587, "tls": "starttls", "username": "paraph", "password": "the password of the mailbox", "from": "Contracts <contracts@example.org>"}`},
	"deleteMailServer": {text: "Deletes the server and its password. From then on messages stay in the outbox, including those already queued."},
	"getSenderDomain":  {text: "The DNS records of the domain in `from`: SPF, DKIM and DMARC. There are no lookups unless `network.dns` allows them; DKIM requires `mail.dkim_selector`."},
	"testMailServer":   {text: "Sends a message immediately, and returns the SMTP conversation line by line. Use `server` to try settings before saving them.", body: `{"email": "{email}"}`},

	"listMessages": {text: "Newest first. `search` matches the beginning of the address; `status` accepts `kept`, `queued`, `sent`, `failed`, `bounced` and `cancelled`. Messages meant only for their recipient, such as codes and password links, are listed only if there is no mail server.",
		query: map[string]string{"status": "failed,queued", "sort": "created_at|desc"}},
	"sendTestMessage":  {text: "Sends it to `email`, or to you. The response contains the mail server's reply; if the server refuses, the message of the 409 does.", body: `{"email": "{email}"}`},
	"getMessage":       {text: "One message, with its text and links."},
	"getMessageSource": {text: "In the format of RFC 5322, which mail programs open.", media: "message/rfc822"},
	"reportBounce":     {text: "The body is a delivery report returned by a mail server (RFC 3464), as `message/rfc822` or `multipart/report`. The message is found by its Message-ID and becomes `bounced`, and the document gets `attention`. A report of a delay returns 409."},
	"revealMessage":    {text: "For messages that couldn't be sent because there is no mail server: the link of an invitation to the company, for a new password or for verifying an address, or a code. `links` holds the link to pass on to the person. Links that give access to an account require proof of identity within the last five minutes, and are never shown to anyone with a lower role than the person, or to the person themselves. The audit trail records who was shown what.", body: `{}`},
	"retryMessage":     {text: "A waiting message is sent now; one that failed, was cancelled, or was kept without a mail server gets a full set of attempts again."},
	"cancelMessage":    {text: "Only while it is waiting."},

	"listCheckpoints": {text: "Newest first. `checkpoint` is a signed note (c2sp.org/tlog-checkpoint): its lines are the origin, the number of events, the root hash in base64, and the time. `key` is this server's key; when it is replaced, the old key signs the new one. `paraph check --checkpoint` and `paraph verify --checkpoint` read the note from a file.",
		query: map[string]string{"per_page": "1"}},
	"proveDocumentHistory": {text: "Proves the newest event of the document that the latest checkpoint covers: a day after an event at the latest, and always once the document is completed. Before that it returns 409 `no_checkpoint_yet`. `rule` describes how to compute the root in `checkpoint` from the hash of the event and `hashes`."},

	"getInstallation": {text: "Versions, the figures of every list, the progress of the search index, and the last backup and check. `last_upgrade`, `last_check` and `last_backup` are null if there was none."},
	"listCompanies": {text: "By name. `search` matches the start of the name. Documents and bytes are counted with every change, not when they are read; files that several documents share count for each.",
		query: map[string]string{"search": "Acme"}},
	"addCompany": {text: "An existing user becomes its owner without other changes. For a new person, `setup_url` is a link for choosing a password, which you pass on to them: it works once, for seven days, and is returned only here.",
		body: `{"name": "Lease Ltd.", "email": "olga@example.org", "owner": "Olga Owner", "locale": "en", "timezone": "Europe/Amsterdam"}`},
	"renameCompany": {text: "Its own administrators can change the name too.", body: `{"name": "Lease Ltd."}`},
	"listAccounts": {text: "By address. `search` matches the beginning of the address.",
		query: map[string]string{"search": "ada@"}},
	"listJobs":                      {text: "By state, kind and due time. `status` is `dead` (given up), `running` or `waiting`.", query: map[string]string{"status": "dead"}},
	"retryJob":                      {text: "Runs the job now. One that was given up gets the full number of attempts; a running job is not affected."},
	"listFailedMessages":            {text: "Newest first: the messages of all companies and of the installation that were not delivered or bounced, or with `status=held` those of the installation whose link has to be passed on because there is no mail server. Subjects and texts are not included, and for messages about documents only the domain of the address.", query: map[string]string{"status": "failed"}},
	"retryFailedMessage":            {text: "Queues it with the full number of attempts."},
	"revealFailedMessage":           {text: "For a message of the installation, such as a new password for somebody who belongs to several companies: `links` holds the link to pass on to them. Requires proof of identity within the last five minutes. It is recorded that you were shown the link; your own link is never shown to you.", body: `{}`},
	"listDocumentsNeedingAttention": {text: "Documents of all companies that can't proceed, with the reason and the time since. Titles are not included."},
	"retryDocument":                 {text: "Retries immediately to seal a document that everybody has signed. If that fails, a job keeps retrying. Returns 409 if there is nothing to retry."},
	"getLog":                        {text: "The latest 500 lines, newest first, from memory. `request_id` is the ID on an error page or in a 500 response.", query: map[string]string{"request_id": "01K8XN2V7Q3J5T9B4C6D8E0F1G"}},
	"startCheck":                    {text: "Checks all data while the server is running, as `paraph check` does while it is stopped. `GET /installation` returns the result."},

	"listMessageTexts": {text: "A company can have its own texts for each kind of message and language. Messages to people who approve, fill in fields for others or confirm instead of signing are separate kinds, ending in `_approver`, `_assistant` or `_reader`."},
	"getMessageText":   {text: "The company's own text, or the default one in the same format. `language` is one of the languages of messages, such as `en`."},
	"setMessageText": {text: "Applies to every message sent from then on. Plain text: `{{link}}` in a paragraph of its own becomes the button, and `{{message}}` the sender's message. A paragraph with a variable that has no value is omitted. Unknown variables, and missing ones that are `required`, return 422.",
		body: `{"subject": "Please sign: {{ title }}", "body": "Hello {{ name }},\n\n{{ sender }} asks you to sign {{ title }}.\n\n{{ message }}\n\n{{ link }}"}`},
	"resetMessageText":   {text: "Deletes the company's own text. It stays in `changes`."},
	"previewMessageText": {text: "The message as it would be sent with this text, with sample values. Nothing is stored.", body: `{"subject": "Please sign: {{ title }}", "body": "{{ link }}"}`},

	"listWebhooks": {text: "Oldest first. A company can have 20."},
	"createWebhook": {text: "It receives all events from then on, or only those in `events`. Private addresses are rejected unless the configuration allows them." + onlyOnce,
		body: `{"url": "https://example.org/hooks/paraph", "events": ["document.completed", "invitation.signed"]}`},
	"getWebhook": {text: "Includes the results of the last seven days."},
	"updateWebhook": {text: "Omitted members keep their value. Events during a pause are not delivered later: catch up with `GET /events`. A webhook whose receiver responds with 410 is paused.",
		body: `{"events": ["*"], "enabled": true}`},
	"deleteWebhook":       {text: "Its deliveries are deleted too, including those waiting."},
	"rotateWebhookSecret": {text: "For a day, deliveries are signed with both the old and the new secret, so that the receiver can switch." + onlyOnce},
	"testWebhook":         {text: "Sends an event of type `webhook.test`, even if the webhook is paused. There is only one attempt, and the response contains the result."},
	"listDeliveries": {text: "Newest first. They are kept for 30 days by default, and at most 10,000 per webhook.",
		query: map[string]string{"status": "failed", "per_page": "50"}},
	"getDelivery":     {text: "The headers and body that were sent, and the beginning of the response."},
	"redeliver":       {text: "Queues it with the full number of attempts, whatever its status. The receiver gets the same `webhook-id` and the same body, except that a body over 16 KB is recreated with the document's current state."},
	"redeliverFailed": {text: "Queues all failed deliveries again, for example after an outage of the receiver. Returns 409 while the webhook is paused."},
	"listEvents": {text: "Oldest first, in the format of webhook deliveries. Send `after` from the response with the next request, and no event is missed or repeated. With filters, a page may be short or empty while `has_more` is true.",
		query: map[string]string{"type": "document.completed,invitation.signed", "per_page": "50"}},

	"verifySignatures":   {text: "Any PDF, as a part of a multipart body or as the body itself (`application/pdf`). Nothing is stored."},
	"getHealth":          {text: "For process supervisors."},
	"getVersion":         {text: "For support, and for programs that need to know what the server can do."},
	"getReadiness":       {text: "Creates a test signature, and returns 503 if that fails. For load balancers."},
	"getRootCertificate": {text: "The root certificate of all signatures. To learn how to trust it, see `/trust`.", media: "application/x-pem-file"},
	"getDescription":     {text: "OpenAPI 3.1, or with `version=3.0` the same in OpenAPI 3.0.3, for generators that don't read 3.1. It is generated from the types that the handlers use."},

	"reset":           {text: "Restores the initial users, companies and documents."},
	"setClock":        {text: "Everything that becomes due, such as reminders and expiry, is done before the response.", body: `{"advance": "48h"}`},
	"getClock":        {text: "The service's current time."},
	"rehearseSigning": {text: "For tests of your own program: everybody who must act does, in the signing order, exactly as through their links, so that the document completes: each opens it, agrees, fills in what is required and signs or confirms having read it; of a group one acts, and somebody is named where the recipient before has to. Codes count as entered. `fields` is for all who act: each gets the values of their own fields. A document that is not sent returns 409.", body: `{"fields": {"Place": "Lisbon"}}`},
	"listTestOutbox":  {text: "With their links, after everything due has been done."},
}

// formulaText describes the formulas of computed fields.
const formulaText = " A text, number or date with a `formula` is computed when the recipient signs, and on the page while they type; " +
	"what is sent for it is refused. A formula refers to fields of the same recipient, or of earlier ones, by name; a name with " +
	"spaces is written `field(\"Unit price\")`. A box is true or false, and a choice a text. There are `+ - * /`, comparisons, " +
	"`and or not`, `cond ? a : b` or `if(cond, a, b)`, `a ?? b`, `sum min max round(x, decimals) floor ceil abs`, " +
	"`empty filled`, `join(separator, a, b)`, `text number`, `today() date(\"2026-12-31\") year month day`, " +
	"`add_months(date, n)` and `add_years`; dates count in days: `start + 30`, `end - start`. Numbers are exact, and the result is rounded, " +
	"half away from zero, to the decimals of `format`, without one to nine. An operation with a missing value has no result; " +
	"`sum`, `min`, `max`, `join` and `??` leave missing values out. A comparison with a missing value is false, and `!=` true. " +
	"Division by zero, and results that are too large, are refused when somebody signs. A document has at most 300 formulas."
