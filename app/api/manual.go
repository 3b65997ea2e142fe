package api

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// manual is what the description says of an endpoint beyond its summary. Names in
// braces inside an example stand for what the caller knows.
type manual struct {
	text   string            // sentences; a word in backquotes is code
	body   string            // an example of the JSON body
	form   string            // an example of the JSON that goes beside a file
	query  map[string]string // examples of parameters
	gives  string            // media type of an answer that is no JSON
	bearer string            // whose token it takes, where that is no member's
}

// groups are the parts of the description, in the order of reading.
var groups = map[string]string{
	"Session":     "Logging in, and the account of whoever does.",
	"Documents":   "A document is what people sign: files, the people invited, the fields they fill, and everything that happened to it.",
	"States":      "A document moves from draft over sent to completed. Each step is a request of its own; one that does not fit the state answers 409 and changes nothing.",
	"Files":       "PDF, DOCX and pictures come in; PDF goes out. Files change only while the document is a draft.",
	"Fields":      "Where on the pages somebody signs or fills something in. A signer without a field gets a block on a signature page that is added.",
	"Invitations": "Who is asked to sign, in which order, and how they prove who they are.",
	"Signing":     "What a person invited does. It takes the company's token, or the token of the person's own link: the part of `sign_url` behind `/s/`.",
	"Company":     "The company of the token, its members and its API tokens.",
	"Contacts":    "The people that the company writes to. Whoever a document is sent to is remembered here.",
	"Outbox":      "The messages about the company's documents: what was written to whom, and whether it arrived. For administrators.",
	"Webhooks":    "Tell a program of yours what happens, or let it ask. What is posted, and how to check it: `/docs/webhooks`. For administrators; `GET /events` for everybody who may read.",
	"Service":     "What is open to everybody.",
	"Test":        "Only in a test double: `paraph dev`.",
}

// apply puts the manual's words and examples into an operation.
func (m manual) apply(o *huma.Operation) {
	o.Description = m.text
	for _, p := range o.Parameters {
		if v, ok := m.query[p.Name]; ok {
			p.Example = v
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
	ownerOrAdmin = " The document's owner and administrators may."
	onlyOnce     = " It is shown in this answer and never again."
)

// manuals by the identifier of the operation.
var manuals = map[string]manual{
	"post-login": {text: "The answer lists the companies you belong to, each with a bearer token for it: `companies[].token`. Too many wrong tries answer 429. With two-factor login on, `code` is the number that the app shows, or a recovery code.",
		body: `{"email": "{email}", "password": "{password}"}`},
	"post-logout": {text: "The token stops working at once."},
	"get-me":      {text: "Whoever the token belongs to, with their companies."},
	"patch-me": {text: "Members that are left out keep their value. A new `password` needs the `current_password`, and ends all other sessions.",
		body: `{"name": "Ada Lovelace", "timezone": "Europe/Amsterdam"}`},
	"post-me-two-factor": {text: "In two steps: an empty body gives a `secret` and a `url` for the app; the `code` that the app then shows turns it on and gives the recovery codes." + onlyOnce + " It needs a token from login.",
		body: `{}`},
	"delete-me-two-factor": {text: "Needs the `password` or a `code` of the app.",
		body: `{"password": "{password}", "code": "{code}"}`},
	"post-login-passkey-begin": {text: "Gives `options` for `navigator.credentials.get` and the `ceremony` that leads back, for five minutes. With an empty body the passkey stands for address and password; with `email` and `password` it is the second factor.",
		body: `{}`},
	"post-login-passkey": {text: "`credential` is the JSON of the browser's `PublicKeyCredential`. The answer is that of `POST /login`.",
		body: `{"ceremony": "{ceremony}", "credential": {}}`},
	"get-me-passkeys":        {text: "One's own, oldest first. All that concerns passkeys needs a token from login."},
	"post-me-passkeys-begin": {text: "Gives `options` for `navigator.credentials.create` and the `ceremony` that leads back, for five minutes. Passkeys need https, and an address that is a name."},
	"post-me-passkeys": {text: "`credential` is the JSON of the browser's `PublicKeyCredential`. From the first passkey on, the password alone does not let in; with it come `recovery_codes`." + onlyOnce,
		body: `{"ceremony": "{ceremony}", "name": "Laptop", "credential": {}}`},
	"patch-me-passkeys-passkey":  {text: "Only the name can change.", body: `{"name": "Old laptop"}`},
	"delete-me-passkeys-passkey": {text: "The last second factor goes only with the `password` or a `code`.", body: `{"password": "{password}"}`},
	"post-me-recovery-codes": {text: "Needs the `password` or a `code`. The old codes end." + onlyOnce,
		body: `{"password": "{password}"}`},
	"get-me-sign-ins":         {text: "The newest first, also those that failed. The last hundred are kept.", query: map[string]string{"per_page": "50"}},
	"get-sign-ins":            {text: "Those of all members, for administrators. The last hundred of each are kept.", query: map[string]string{"per_page": "50"}},
	"post-sign-out-everybody": {text: "Ends every session in the company but the one that asks; administrators may. API tokens stay."},
	"post-email-reverify": {text: "Mails a link that proves you have the mailbox: to your own address, or to a new one in `email`, which becomes yours when its link is followed. At most six a minute.",
		body: `{}`},
	"get-email-verify": {text: "The `token` is in the link of the message.", query: map[string]string{"token": "{link_token}"}},
	"post-password-forgot": {text: "Mails a link with which a new password can be chosen. The answer is the same whether or not the address is known.",
		body: `{"email": "{email}"}`},
	"post-password-reset": {text: "The `token` is in the link of the message; it works once.",
		body: `{"token": "{link_token}", "password": "a new password, long enough"}`},

	"get-documents": {text: "The newest first. `search` looks into titles, messages, names, e-mail addresses, file names, metadata and the text of the files, and finds what was committed before it asked. `sort` takes `created_at`, `updated_at`, `title`, `status_id`, `expires_at` and `completed_at`. `status` takes `active`, `archived`, `deleted`, the words of the states and the numbers 1 to 8; several are a union.",
		query: map[string]string{"status": "draft,sent", "sort": "updated_at|desc", "per_page": "50"}},
	"post-documents": {text: "A bare `title` makes a draft. With `files`, `invitations`, `fields` and `send` it does everything in one request, or nothing: with `send` the document goes out before the answer comes. Files come as parts of a multipart body, whose part `data` is the JSON, or as base64 inside the JSON.",
		body: `{"title": "Lease", "invitations": [{"name": "Ben Buyer", "email": "ben@example.org"}]}`,
		form: `{"title": "Lease", "invitations": [{"name": "Ben Buyer", "email": "ben@example.org"}], "send": true}`},
	"get-documents-document": {text: "The document with its files, invitations and fields. The `ETag` is its version."},
	"patch-documents-document": {text: "Members that are left out keep their value. `null` takes `expires_at`, `approver_id`, `remind_every_days`, `subject`, `message`, `redirect_url` or `external_id` away. After the draft only `metadata` and `external_id` can change.",
		body: `{"title": "Lease, second floor", "external_id": "CRM-4711", "metadata": {"project": "harbour"}}`},
	"delete-documents-document": {text: "Not while it is out for signing: void it first. From the trash it can be restored until it is purged for good." + ownerOrAdmin},
	"post-documents-document-purge": {text: "Only from the trash, and only for administrators. The `title` is asked for so that nobody purges another document than they think. What happened stays in the journal.",
		body: `{"title": "Lease"}`},
	"post-documents-document-duplicate": {text: "The files, people and fields of any document in a new draft; nothing of what happened to it."},
	"post-documents-document-send": {text: "Needs at least one file and one signer. Everybody whose turn it is gets a message with a link; without a mail server take `sign_url` of the invitations. If the company wants approval, a draft has to be submitted and approved first.",
		body: `{"message": "Please sign until Friday.", "expires_at": "2040-12-31", "remind_every_days": 3}`},
	"get-documents-document-events": {text: "Everything that happened, oldest first, each with the hash of the event before it. See `/docs/webhooks` for the kinds.",
		query: map[string]string{"sort": "at|desc", "per_page": "50"}},
	"post-documents-document-download": {text: "The sealed PDF, or a ZIP for several files. `version` is `completed`, `current` (as it stands) or `original` (as uploaded); `content` is `document`, `certificate` (of completion) or `evidence` (JSON). Before completion, `completed` answers 409. Takes `Range`.",
		body: `{"version": "completed"}`, gives: "application/pdf"},
	"get-documents-document-download": {text: "The same as with POST, with the choices in the query.",
		query: map[string]string{"version": "completed"}, gives: "application/pdf"},

	"post-documents-document-submit":   {text: "From draft to pending approval. Needed before sending where the company requires approval."},
	"post-documents-document-withdraw": {text: "From pending approval back to draft. Whoever submitted it, and the document's owner, may."},
	"post-documents-document-approve":  {text: "From pending approval to approved. Approvers and administrators may, but not for what they submitted themselves, unless they are alone in the company."},
	"post-documents-document-reject":   {text: "From pending approval to rejected, with a reason.", body: `{"reason": "The rent is missing."}`},
	"post-documents-document-reopen":   {text: "From approved or rejected back to draft."},
	"post-documents-document-archive":  {text: "Takes it out of the lists, in any state but sent; `restore` brings it back."},
	"post-documents-document-restore":  {text: "Brings it back into the lists, in the state it was in."},
	"post-documents-document-void":     {text: "Ends it for good, with a reason: nobody can sign any more, and those invited are told. A draft is deleted instead; what is completed stays." + ownerOrAdmin, body: `{"reason": "Signed on paper instead."}`},
	"post-documents-document-extend":   {text: "From expired back to sent." + ownerOrAdmin, body: `{"expires_at": "2040-12-31T23:59:59Z"}`},
	"post-documents-document-remind":   {text: "A message to everybody whose turn it is. With nobody to remind it answers 409."},

	"post-documents-document-upload": {text: "Any number of files: all are taken, or none. DOCX and pictures become PDF. Files come as parts of a multipart body, streamed, or as base64 inside JSON. `findings` of the answer says what was seen in a file. A PDF that may not be changed, such as one that is certified against every change, is refused unless `flatten` is true: then a copy of what its pages show is signed, and the PDF is attached inside." + draftOnly},
	"get-documents-document-files":   {text: "In the order of the document."},
	"patch-documents-document-files-file": {text: "`position` moves it among the files. `confirmed` says that somebody has looked at pages that the built-in renderer made." + draftOnly,
		body: `{"name": "Lease.pdf", "position": 1}`},
	"delete-documents-document-files-file":             {text: "With the fields on it." + draftOnly},
	"get-documents-document-files-file-content":        {text: "`version` is `current`, the PDF as it stands, or `original`, the upload byte for byte. Takes `Range`.", query: map[string]string{"version": "original"}, gives: "application/octet-stream"},
	"get-documents-document-files-file-pages-page-png": {text: "Pages count from 1. The picture shows what has been filled and signed so far.", query: map[string]string{"width": "800"}, gives: "image/png"},

	"get-documents-document-files-file":             {text: "Its size, its pages, its hash, and what was seen in it."},
	"get-documents-document-fields-field":           {text: "One field, with its value."},
	"get-documents-document-invitations-invitation": {text: "One person, and how far they are."},
	"get-documents-document-fields":                 {text: "In the order of the document; with a signatory's token only their own."},
	"put-documents-document-fields": {text: "Places are fractions of the page as it is displayed, from the top left: `x` 0.5 is the middle. `file_id` is an identifier or the position of the file from 0, `invitation_id` an identifier or the person's e-mail address." + draftOnly,
		body: `{"fields": [{"type": "signature", "file_id": "0", "invitation_id": "ben@example.org", "page": 1, "x": 0.1, "y": 0.8, "width": 0.3, "height": 0.06}]}`},
	"post-documents-document-fields": {text: "As with PUT, but what is there stays." + draftOnly,
		body: `{"fields": [{"type": "text", "name": "deposit", "label": "Deposit", "file_id": "0", "invitation_id": "ben@example.org", "page": 1, "x": 0.1, "y": 0.7, "width": 0.3, "height": 0.03}]}`},
	"patch-documents-document-fields-field":  {text: "Members that are left out keep their value." + draftOnly, body: `{"label": "Deposit in euros", "required": false}`},
	"delete-documents-document-fields-field": {text: "Only while the document is a draft."},

	"post-documents-document-invite": {text: "`role` is `signer`, `approver` or `viewer` (receives a copy). `position` is the order; equal positions go together. `authentication` is `link`, `email_code` or `access_code`. An e-mail address can be invited once." + draftOnly,
		body: `{"invitations": [{"name": "Clara Clerk", "email": "clara@example.org", "role": "signer", "position": 2}]}`},
	"get-documents-document-invitations":               {text: "In the order of signing. `sign_url` is there while the link can be used, and for the company only."},
	"patch-documents-document-invitations-invitation":  {text: "Members that are left out keep their value." + draftOnly, body: `{"name": "Benjamin Buyer", "locale": "en"}`},
	"delete-documents-document-invitations-invitation": {text: "With the person's fields." + draftOnly},
	"post-documents-document-invitation-replace": {text: "Once the document is sent, and also after a decline: the new person takes the place and the fields, and the old link stops working.",
		body: `{"name": "Dora Deputy", "email": "dora@example.org"}`},

	"post-documents-document-invitation-sign": {text: "`fields` are values by identifier or name. `signature` is typed from the person's name unless given. A required field without a value answers 422 under `fields.NAME`; out of turn, twice or after the end answers 409. With the company's token the evidence says that it was signed through the API and by whose token. When the last one signs, the sealed file is on disk before the answer comes.",
		body: `{"consent": true, "signature": {"type": "typed", "text": "Ben Buyer"}}`},
	"post-documents-document-invitation-view": {text: "Goes into the audit trail, once."},
	"post-documents-document-invitation-consent": {text: "For the person invited, with their own token. Where the company's `consent_mode` is `gate`, nothing of the document is given to them before.",
		body: `{"consent": true}`, bearer: "signatory"},
	"post-documents-document-invitation-decline": {text: "The others can't sign any more, and the owner is told: void the document, or replace the person. Where `allow_decline` is false it answers 409; where `decline_reason_required` is true the reason must not be empty.", body: `{"reason": "The dates are wrong."}`},
	"post-documents-document-invitation-delegate": {text: "The other person takes the place and the fields; the first link stops working. Where `allow_delegation` is false it answers 409.",
		body: `{"name": "Dora Deputy", "email": "dora@example.org"}`},
	"post-documents-document-invitation-remind": {text: "Only somebody whose turn it is."},
	"post-documents-document-invitation-code": {text: "For invitations that ask for a code by e-mail. It works for ten minutes; a new one can be asked for after half a minute.",
		bearer: "signatory"},
	"post-documents-document-invitation-identify": {text: "Takes the code that was mailed, or the access code, and gives a bearer token with which the person can read and sign for an hour.",
		body: `{"code": "{code}"}`, bearer: "signatory"},

	"get-company": {text: "Its name, its looks and its rules."},
	"patch-company": {text: "Members that are left out keep their value; `null` takes it away where there need not be one. After `retention_days`, documents that came to their end go to the trash. Administrators only.",
		body: `{"name": "Acme Leasing", "brand_color": "#1d5bd1", "default_expiry_days": 30, "reminder_days": [3, 7]}`},
	"get-members": {text: "`sort` takes `created_at`, `name`, `email`, `role` and `status`; `status` takes `active`, `invited` and `deactivated`.",
		query: map[string]string{"sort": "name|asc"}},
	"post-members": {text: "They get a message with a link. With a `password` they can log in at once, and no message is sent.",
		body: `{"name": "Max Member", "email": "max@example.org", "role": "member"}`},
	"get-members-member":    {text: "One person of the company."},
	"patch-members-member":  {text: "Whoever is not `active` can't log in and their tokens stop working. A company keeps at least one active owner.", body: `{"role": "approver"}`},
	"delete-members-member": {text: "Their documents stay. A company keeps at least one owner."},
	"get-tokens":            {text: "Everybody's for administrators, one's own for others.", query: map[string]string{"sort": "created_at|desc"}},
	"post-tokens": {text: "For programs. Its `scopes` narrow what you may do yourself: `read`, `write`, `sign`, `admin`." + onlyOnce,
		body: `{"name": "Nightly export", "scopes": ["read"], "expires_at": "2040-12-31"}`},
	"delete-tokens-token": {text: "It stops working at once."},

	"get-contacts": {text: "By name. `search` finds by the beginnings of words of name, address, organization and tags. `sort` takes `name`, `email`, `organization`, `created_at`, `updated_at` and `last_used_at`; `status` takes `active`, `archived` and `deleted`.",
		query: map[string]string{"search": "ben", "sort": "last_used_at|desc"}},
	"post-contacts": {text: "An e-mail address is in the contacts once, whatever its case; one that is there already, also in the archive, is 422.",
		body: `{"name": "Ben Buyer", "email": "ben@example.org", "organization": "Example Ltd", "locale": "en", "tags": ["buyer"]}`},
	"get-contacts-export":           {text: "CSV with the columns `name`, `email`, `organization`, `phone`, `locale`, `note` and `tags` (parted by semicolons); without what is in the trash.", gives: "text/csv"},
	"post-contacts-import":          {text: "The first row names the columns; `email` has to be there. A row whose address is known changes that contact, where its cells are not empty; a row that is at fault is left out and told in `faults`. At most 8 MB and 20,000 rows.", query: map[string]string{"check": "true"}},
	"get-contacts-contact":          {text: "One person, and when a document was last sent to them."},
	"patch-contacts-contact":        {text: "Members that are left out keep their value; an empty text takes it away.", body: `{"phone": "+31 20 123 45 67"}`},
	"delete-contacts-contact":       {text: "From the trash it can be restored until it is purged for good."},
	"post-contacts-contact-archive": {text: "It is not listed and not suggested any more; `restore` brings it back."},
	"post-contacts-contact-restore": {text: "Answers 409 if there is another contact with the address by now."},

	"get-outbox": {text: "The newest first. `search` finds by the beginning of the address; `status` takes `kept`, `queued`, `sent`, `failed` and `cancelled`. What only its receiver may read, such as codes and new passwords, is not here.",
		query: map[string]string{"status": "failed,queued", "sort": "created_at|desc"}},
	"post-outbox-test":              {text: "To `email`, or to you. The answer is what the mail server said; so is the message of the 409 if it refused.", body: `{"email": "{email}"}`},
	"get-outbox-message":            {text: "With its text and its links."},
	"get-outbox-message-source-eml": {text: "RFC 5322, for a mail program.", gives: "message/rfc822"},
	"post-outbox-message-retry":     {text: "One that waits is sent now; one that was given up, cancelled, or kept before there was a mail server gets all its tries again."},
	"post-outbox-message-cancel":    {text: "Only while it waits."},

	"get-webhooks": {text: "The oldest first. A company can have 20."},
	"post-webhooks": {text: "It is told of everything from now on. `events` narrows that to some kinds. Private addresses are refused unless the server allows them." + onlyOnce,
		body: `{"url": "https://example.org/hooks/paraph", "events": ["document.completed", "invitation.signed"]}`},
	"get-webhooks-webhook": {text: "With how the tries of the last seven days went."},
	"patch-webhooks-webhook": {text: "Members that are left out keep their value. One that is paused is told of nothing, and of what happened meanwhile nothing later: catch up with `GET /events`. A receiver that answers 410 is paused.",
		body: `{"events": ["*"], "enabled": true}`},
	"delete-webhooks-webhook":      {text: "With its deliveries, also those that wait."},
	"post-webhooks-webhook-rotate": {text: "For a day messages carry two signatures, with the old secret and the new one, so that the receiver can change over." + onlyOnce},
	"post-webhooks-webhook-test":   {text: "An event of the kind `webhook.test`, also to a webhook that is paused. It is tried once, and the answer says what came of it."},
	"get-webhooks-webhook-deliveries": {text: "The newest first. They are kept for 30 days unless the server is set otherwise, and 10,000 of each webhook at most.",
		query: map[string]string{"status": "failed", "per_page": "50"}},
	"get-webhooks-webhook-deliveries-delivery":            {text: "The headers and the body that were sent, and the beginning of the answer."},
	"post-webhooks-webhook-deliveries-delivery-redeliver": {text: "With all its tries, whatever its status. The receiver sees the same `webhook-id` and the same body; one of more than 16 KB is made anew, with the document as it is then."},
	"post-webhooks-webhook-redeliver":                     {text: "Once a receiver that was down for long works again. While the webhook is paused it answers 409."},
	"get-events": {text: "The oldest first, each as webhooks have it. Keep `after` of the answer and give it back with the next request: nothing is left out, and nothing comes twice. With filters a page may be short, or empty, while `has_more` is true.",
		query: map[string]string{"type": "document.completed,invitation.signed", "per_page": "50"}},

	"post-verify":               {text: "Any PDF, as a part of a multipart body or as the body itself (`application/pdf`). Nothing of it is kept."},
	"get-healthz":               {text: "For whoever restarts the process."},
	"get-readyz":                {text: "Signs something small to try; answers 503 if that fails. For whoever routes requests."},
	"get-certificates-root-pem": {text: "The certificate that all signatures lead to. How to trust it: `/trust`.", gives: "application/x-pem-file"},
	"get-openapi-json":          {text: "OpenAPI 3.1, made from the types that the handlers use.", gives: "application/json"},

	"post-test-reset": {text: "People, companies and documents as at the start."},
	"post-test-clock": {text: "What becomes due by it (reminders, expiry) is done when the answer comes.", body: `{"advance": "48h"}`},
	"get-test-clock":  {text: "What time it is for the service."},
	"get-test-outbox": {text: "With their links, once everything that is due is done."},
}
