// Package web serves the pages for people. They work without JavaScript, with the
// keyboard, and on a phone, and contain no business rules.
//
// GET requests never change anything; every POST must come from one of our pages;
// every error is shown as a page that explains it; no page loads anything from
// another site.
//
// This file is the table of all routes: method, path, access rule, size limits, and
// handler. The handlers are in packages by audience: signer, team/…, public, and
// apidoc. Package page describes how to add a page.
package web

import (
	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/signing/record"
	"paraph/app/web/apidoc"
	"paraph/app/web/page"
	"paraph/app/web/public"
	"paraph/app/web/signer"
	"paraph/app/web/team/admin"
	"paraph/app/web/team/contacts"
	"paraph/app/web/team/documents"
	"paraph/app/web/team/drafts"
	"paraph/app/web/team/editor"
	"paraph/app/web/team/me"
	"paraph/app/web/team/members"
	"paraph/app/web/team/runs"
	"paraph/app/web/team/settings"
	"paraph/app/web/team/signin"
	"paraph/app/web/team/templates"
)

// route is one row of the table. The first row that matches a path applies. Rights to
// a single document are checked where it is loaded.
type route struct {
	method page.Method
	path   string
	access page.Access
}

const (
	get    = page.Get
	post   = page.Post
	upload = page.Upload
)

// Access rules. One more, invited, requires the link of an invitation.
var (
	everybody = page.Everybody
	member    = page.Members
)

// administrator admits administrators.
func administrator(h page.Handler) page.Access { return page.Administrators("settings.forbidden", h) }

// manager admits administrators, for pages about members.
func manager(h page.Handler) page.Access { return page.Administrators("team.forbidden", h) }

// writer admits members who may change contacts.
func writer(h page.Handler) page.Access { return page.Writers("contacts.forbidden", h) }

// author admits members who may create documents.
func author(h page.Handler) page.Access { return page.Allowed(account.ScopeWrite, h) }

// reader admits members who may see the company's documents.
func reader(h page.Handler) page.Access { return page.Allowed(account.ScopeRead, h) }

// to redirects to another path.
func to(path string) page.Handler {
	return func(r *page.Request) error { return r.SeeOther(path) }
}

// common are the forms that every page offers.
func common() []route {
	return []route{
		{post, "/language", everybody((*page.Request).SetLanguage)},
		{post, "/text-size", everybody((*page.Request).SetTextSize)},
	}
}

// public are the pages about signed files and certificates.
func (p *Pages) public() []route {
	h := &public.Handlers{Accounts: p.options.Accounts, Keys: p.options.Keys, MaxUpload: p.options.MaxUpload,
		Verifier: p.options.Signing.Verifier}
	return []route{
		{get, "/verify", everybody(h.ShowVerify)},
		{get, "/verify/report", everybody(to("/verify"))},
		{upload, "/verify/report", everybody(h.Verify).Uploading(p.options.MaxUpload).Interruptible()},
		{get, "/trust", everybody(h.ShowTrust)},
		{get, "/trust/root.pem", everybody(h.RootFile)},
		{get, "/trust/root.cer", everybody(h.RootFile)},
		{get, "/trust/root.p7b", everybody(h.RootFile)},
		{get, "/logo/:company", everybody(h.Logo)},
	}
}

// docs are the pages about the API.
func docs(openAPI func() ([]byte, error)) []route {
	h := apidoc.New(openAPI, record.EventNames())
	return []route{
		{get, "/docs", everybody(to("/docs/api"))},
		{get, "/docs/api", everybody(h.ShowAll)},
		{get, "/docs/api/:operation", everybody(h.ShowOne)},
		{get, "/docs/webhooks", everybody(h.ShowEvents)},
		{get, "/docs/openapi.json", everybody(h.Description)},
		{get, "/docs/grafana.json", everybody(apidoc.Dashboard)},
	}
}

// maxAttached is the maximum total size of the files in a signatory's form.
const maxAttached = 24 * httpkit.MB

// signatories are the pages behind the links of invitations, and those where a member
// previews them or hands over a device.
func (p *Pages) signatories() []route {
	o := p.options
	s := o.Signing
	h := &signer.Handlers{Accounts: o.Accounts, Access: s.Access, Devices: s.Devices, Documents: s.Documents,
		Downloads: s.Downloads, Invitations: s.Invitations, Links: s.Links, Marks: s.Marks, Pads: s.Pads,
		Pages: s.Pages, Signatures: s.Signatures, Visits: s.Visits, Mails: s.Mails, Fonts: o.Fonts, Log: o.Log,
		Now: o.Now}
	invited := h.Invited
	const (
		device  = "/app/documents/:id/people/:invitation/in-person"
		preview = "/app/documents/:id/preview/:invitation"
	)
	return []route{
		{get, device, member(h.AskInPerson)},
		{post, device, author(h.StartInPerson)},
		{get, preview, member(h.ShowPreview)},
		{get, preview + "/pages/:file/:page.png", member(h.PreviewPicture)},
		{get, preview + "/typed.svg", member(h.PreviewTyped)},

		{post, "/s/in-person/confirm", everybody(h.ConfirmPerson)},
		{post, "/s/in-person/back", everybody(h.EndInPerson)},
		{get, "/s/pad/:code", everybody(h.ShowPad)},
		{post, "/s/pad/:code", h.Paired(h.Draw).With(page.Large)},
		{post, "/s/:token/again", everybody(h.SendLink)},

		{get, "/s/:token", invited(h.ShowVisit)},
		{post, "/s/:token", invited(h.Answer).With(page.Large).Uploading(maxAttached)},
		{post, "/s/:token/viewed", invited(h.Viewed)},
		{get, "/s/:token/decline", invited(signer.AskDecline)},
		{post, "/s/:token/decline", invited(h.Decline)},
		{get, "/s/:token/delegate", invited(signer.AskDelegate)},
		{post, "/s/:token/delegate", invited(h.Delegate)},
		{get, "/s/:token/not-me", invited(signer.AskNotMe)},
		{post, "/s/:token/not-me", invited(h.NotMe)},
		{get, "/s/:token/clear", invited(signer.AskClear)},
		{post, "/s/:token/clear", invited(h.Clear)},
		{post, "/s/:token/consent", invited(h.Agree)},
		{get, "/s/:token/withdraw", invited(signer.AskWithdraw)},
		{post, "/s/:token/withdraw", invited(h.WithdrawConsent)},
		{get, "/s/:token/report", invited(signer.ShowReport)},
		{post, "/s/:token/report", invited(h.ReportProblem)},
		{post, "/s/:token/code", invited(h.RequestCode)},
		{post, "/s/:token/identify", invited(h.Identify)},
		{post, "/s/:token/ask", invited(h.AskForLink)},
		{post, "/s/:token/pad", invited(h.OfferPad)},
		{get, "/s/:token/pad/:code", invited(h.Drawn)},
		{get, "/s/:token/text", invited(h.ShowText)},
		{get, "/s/:token/disclosure", invited(signer.ShowDisclosure)},
		{get, "/s/:token/typed.svg", invited(h.Typed)},
		{get, "/s/:token/pages/:file/:page.png", invited(h.PagePicture).Waiting()},
		{get, "/s/:token/files/:what", invited(h.Download)},
		{get, "/s/:token/files/document/:file", invited(h.DownloadFile)},
	}
}

// access are the pages for getting into the app.
func (p *Pages) access() []route {
	h := &signin.Handlers{Accounts: p.options.Accounts, Notify: p.options.Notify, Lists: p.options.Signing.Lists}
	return []route{
		{get, "/", everybody(h.Home)},
		{get, "/setup", everybody(h.ShowSetup)},
		{post, "/setup", everybody(h.SetUp).Hashing()},
		{get, "/signin", everybody(signin.ShowSignIn)},
		{post, "/signin", everybody(h.SignIn).Hashing()},
		{get, "/signin/verify", everybody(h.ShowSecondStep)},
		{post, "/signin/verify", everybody(h.SecondStep)},
		{post, "/signin/passkey/begin", everybody(h.BeginPasskey)},
		{post, "/signin/passkey", everybody(h.Passkey)},
		{post, "/signout", everybody(signin.SignOut)},
		{get, "/forgot", everybody(h.ShowForgot)},
		{post, "/forgot", everybody(h.Forgot)},
		{get, "/reset/:token", everybody(h.ShowReset)},
		{post, "/reset/:token", everybody(h.Reset).Hashing()},
		{get, "/join/:token", everybody(h.ShowJoin)},
		{post, "/join/:token", everybody(h.Join).Hashing()},
		{get, "/undo/:token", everybody(h.ShowUndo)},
		{post, "/undo/:token", everybody(h.Undo)},
		{get, "/confirm/:token", everybody(h.ShowConfirm)},
		{post, "/confirm/:token", everybody(h.Confirm)},
		{post, "/theme", everybody(signin.SetTheme)},
		{get, "/app", member(to("/app/documents"))},
		{get, "/app/welcome", member(h.Welcome)},
		{post, "/app/switch", member(h.SwitchCompany)},
	}
}

// own are the pages of a member about their own account.
func (p *Pages) own() []route {
	o := p.options
	h := &me.Handlers{Accounts: o.Accounts, Fonts: o.Fonts, Marks: o.Signing.Marks, Mails: o.Signing.Mails}
	return []route{
		{get, "/app/me", member(h.Show)},
		{get, "/app/me/prove", member(page.ShowProve)},
		{post, "/app/me/prove", member(page.Prove)},
		{post, "/app/me/prove/begin", member(page.BeginProof)},
		{post, "/app/me", member(h.Save)},
		{post, "/app/me/email", member(h.VerifyEmail)},
		{get, "/app/me/signature", member(h.ShowSignature)},
		{post, "/app/me/signature", member(h.SaveMark).With(page.Large).Uploading(page.Large)},
		{get, "/app/me/signature/:kind", member(h.SavedPicture)},
		{get, "/app/me/security", member(h.ShowSecurity)},
		{post, "/app/me/password", member(h.ChangePassword)},
		{post, "/app/me/two-factor", member(h.BeginTwoFactor)},
		{post, "/app/me/two-factor/confirm", member(h.ConfirmTwoFactor)},
		{post, "/app/me/two-factor/off", member(h.DisableTwoFactor)},
		{post, "/app/me/recovery-codes", member(h.NewRecoveryCodes)},
		{post, "/app/me/passkeys/begin", member(h.BeginPasskey)},
		{post, "/app/me/passkeys", member(h.AddPasskey)},
		{post, "/app/me/passkeys/rename", member(h.RenamePasskey)},
		{post, "/app/me/passkeys/remove", member(h.RemovePasskey)},
		{post, "/app/session", member(h.RenewSession)},
		{get, "/app/me/sessions", member(h.ShowSessions)},
		{post, "/app/me/sessions/end", member(h.EndSession)},
		{post, "/app/me/sessions/end-others", member(h.EndOtherSessions)},
	}
}

// document is the page of one document. The length distinguishes IDs from the names
// of other pages.
const document = "/app/documents/:id<len(26)>"

// documents are the lists of documents and the page of each.
func (p *Pages) documents() []route {
	o := p.options
	s := o.Signing
	h := &documents.Handlers{Accounts: o.Accounts, Log: o.Log, MaxUpload: o.MaxUpload, Notify: o.Notify,
		Now: o.Now, Documents: s.Documents, Downloads: s.Downloads, Drafts: s.Drafts,
		Invitations: s.Invitations, Lifecycle: s.Lifecycle, Links: s.Links, Lists: s.Lists, Pages: s.Pages,
		Schedule: s.Schedule, Sealing: s.Sealing, Trail: s.Trail, Mails: s.Mails}
	return []route{
		{get, "/app/documents", member(h.ShowList)},
		{get, "/app/documents/archived", member(h.ShowList)},
		{get, "/app/documents/trash", member(h.ShowList)},
		{post, "/app/documents/bulk", reader(h.Bulk)},
		{post, "/app/documents/sample", author(h.CreateSample)},
		{get, "/app/action", member(h.ShowWaiting)},
		{post, "/app/keys", member(documents.SetKeys)},
		{get, "/app/events", member(h.Events)},
		{get, document, member(h.Show)},
		{get, document + "/menu", member(h.ShowRowMenu)},
		{get, document + "/pages/:file/:page.png", member(h.PagePicture)},
		{get, document + "/download/:what", member(h.Download)},
		{get, document + "/events.json", member(h.DownloadEvents)},
		{post, document + "/people/:invitation/code", author(h.RevealCode)},
		{post, document + "/people/:invitation/link", author(h.ShowLink)},
		{post, document + "/people/:invitation/sign", member(h.Sign)},

		{post, document + "/submit", author(h.Step("submit"))},
		{post, document + "/withdraw", author(h.Step("withdraw"))},
		{post, document + "/approve", author(h.Step("approve"))},
		{post, document + "/reopen", author(h.Step("reopen"))},
		{post, document + "/remind", author(h.Step("remind"))},
		{post, document + "/seal", author(h.Step("seal"))},
		{post, document + "/archive", author(h.Step("archive"))},
		{post, document + "/restore", author(h.Step("restore"))},
		{post, document + "/delete", author(h.Step("delete"))},
		{post, document + "/duplicate", author(h.Step("duplicate"))},
		{get, document + "/reject", member(h.AskStep("reject"))},
		{post, document + "/reject", author(h.TakeForm("reject"))},
		{get, document + "/void", member(h.AskStep("void"))},
		{post, document + "/void", author(h.TakeForm("void"))},
		{get, document + "/extend", member(h.AskStep("extend"))},
		{post, document + "/extend", author(h.TakeForm("extend"))},
		{get, document + "/replace", member(h.AskStep("replace"))},
		{post, document + "/replace", author(h.TakeForm("replace"))},
		{get, document + "/access_code", member(h.AskStep("access_code"))},
		{post, document + "/access_code", author(h.TakeForm("access_code"))},
		{get, document + "/purge", member(h.AskStep("purge"))},
		{post, document + "/purge", author(h.TakeForm("purge"))},
	}
}

// drafts are the steps for preparing a document: files, recipients, fields, and
// review. Each works without scripts.
func (p *Pages) drafts() []route {
	o := p.options
	s := o.Signing
	h := &drafts.Handlers{Accounts: o.Accounts, Contacts: o.Contacts, Log: o.Log, MaxUpload: o.MaxUpload,
		Notify: o.Notify, Now: o.Now, Detection: s.Detection, Dispatch: s.Dispatch, Documents: s.Documents,
		Drafts: s.Drafts, Intake: s.Intake, Lifecycle: s.Lifecycle, Links: s.Links, Uploads: s.Uploads,
		Mails: s.Mails}
	e := &editor.Handlers{Detection: s.Detection, Documents: s.Documents, Drafts: s.Drafts, Trail: s.Trail,
		Limits: s.Limits, Mails: s.Mails}
	return []route{
		{get, "/app/documents/new", member(h.ShowNew)},
		{upload, "/app/documents/new", author(h.Create).Uploading(o.MaxFiles).Interruptible()},
		{get, document + "/files", member(h.ShowFiles)},
		{upload, document + "/files", author(h.AddFiles).Uploading(o.MaxFiles).Interruptible()},
		{post, document + "/files/title", author(h.SaveTitle)},
		{post, document + "/files/:file", author(h.ChangeFile)},
		{post, document + "/uploads", author(h.BeginUpload)},
		{get, document + "/uploads/:upload", member(h.ShowUpload)},
		{upload, document + "/uploads/:upload", author(h.AppendUpload).Uploading(o.MaxUpload)},
		{post, document + "/uploads/:upload/finish", author(h.FinishUpload)},
		{post, document + "/uploads/:upload/cancel", author(h.CancelUpload)},
		{get, document + "/people", member(h.ShowPeople)},
		{post, document + "/people", author(h.SavePeople).With(page.Large)},
		{get, document + "/people/:invitation/mail", member(h.ShowMail)},
		{get, document + "/edit", member(e.Show)},
		{get, document + "/edit/list", member(e.ShowList)},
		{post, document + "/edit/list", author(e.SaveList).With(page.Large)},
		{post, document + "/fields", author(e.SaveFields).With(page.Large)},
		{post, document + "/recipients", author(e.ChangeRecipients).With(page.Large)},
		{post, document + "/detect", reader(e.Detect)},
		{get, document + "/review", member(h.ShowReview)},
		{post, document + "/review", author(h.Review)},
		{get, document + "/links", member(h.ShowLinks)},
		{post, document + "/links", author(h.RevealLinks)},
	}
}

// templates are the pages about templates, whose content is edited on the pages of drafts.
func (p *Pages) templates() []route {
	s := p.options.Signing
	h := &templates.Handlers{Drafts: s.Drafts, Lifecycle: s.Lifecycle, Templates: s.Templates, Mails: s.Mails}
	return []route{
		{get, "/app/templates", member(h.ShowList)},
		{post, "/app/templates/new", author(h.Add)},
		{get, "/app/templates/:id", member(h.Show)},
		{post, "/app/templates/:id", author(h.Save)},
		{get, "/app/templates/:id/use", author(h.ShowUse)},
		{post, "/app/templates/:id/use", author(h.Use).With(page.Large)},
		{post, "/app/templates/:id/archive", author(h.Step("archive"))},
		{post, "/app/templates/:id/restore", author(h.Step("restore"))},
		{post, "/app/templates/:id/delete", author(h.Step("delete"))},
		{post, "/app/templates/:id/duplicate", author(h.Step("duplicate"))},
		{post, document + "/template", author(h.SaveDocument)},
	}
}

// bulk are the pages about sending a template to many people.
func (p *Pages) bulk() []route {
	o := p.options
	h := &runs.Handlers{Accounts: o.Accounts, Bulk: o.Bulk, Templates: o.Signing.Templates, Mails: o.Signing.Mails}
	return []route{
		{get, "/app/templates/:id/bulk.csv", member(h.Header)},
		{get, "/app/bulk", member(h.ShowList)},
		{get, "/app/bulk/new", author(h.ShowNew)},
		{post, "/app/bulk/new", author(h.Prepare).With(page.Large).Uploading(runs.MaxTable)},
		{get, "/app/bulk/:id", member(h.Show)},
		{get, "/app/bulk/:id/results.csv", reader(h.Results)},
		{get, "/app/bulk/:id/failed.csv", author(h.Leftover)},
		{post, "/app/bulk/:id/cancel", author(h.Cancel)},
		{post, "/app/bulk/:id/retry", author(h.Retry)},
	}
}

// contacts are the pages about a company's contacts.
func (p *Pages) contacts() []route {
	h := &contacts.Handlers{Contacts: p.options.Contacts, Lists: p.options.Signing.Lists}
	return []route{
		{get, "/app/contacts", member(h.ShowList)},
		{get, "/app/contacts/new", writer(h.ShowNew)},
		{post, "/app/contacts/new", writer(h.Add)},
		{get, "/app/contacts/import", writer(h.ShowImport)},
		{post, "/app/contacts/import", writer(h.Import).With(page.Large).Uploading(page.Large)},
		{get, "/app/contacts/export", member(h.Export)},
		{get, "/app/contacts/suggest", member(h.Suggest)},
		{get, "/app/contacts/:id", member(h.Show)},
		{get, "/app/contacts/:id/edit", writer(h.ShowEdit)},
		{post, "/app/contacts/:id/edit", writer(h.Save)},
		{post, "/app/contacts/:id/archive", writer(h.Archive)},
		{post, "/app/contacts/:id/restore", writer(h.Restore)},
		{post, "/app/contacts/:id/delete", writer(h.Delete)},
	}
}

// members are the pages about a company's members.
func (p *Pages) members() []route {
	o := p.options
	h := &members.Handlers{Accounts: o.Accounts, Notify: o.Notify, Ownership: o.Signing.Ownership,
		Mails: o.Signing.Mails}
	return []route{
		{get, "/app/team", member(h.ShowList)},
		{post, "/app/team/invite", manager(h.Invite)},
		{get, "/app/team/roles", member(members.ShowRoles)},
		{get, "/app/team/:id", manager(h.Show)},
		{get, "/app/team/:id/remove", manager(h.AskRemove)},
		{post, "/app/team/:id/remove", manager(h.Remove)},
		{post, "/app/team/:id/role", manager(h.ChangeRole)},
		{post, "/app/team/:id/deactivate", manager(h.Deactivate)},
		{post, "/app/team/:id/activate", manager(h.Activate)},
		{post, "/app/team/:id/hand-over", manager(h.TransferOwnership)},
		{post, "/app/team/:id/resend", manager(h.ResendInvite)},
		{post, "/app/team/:id/link", manager(h.RevealInvite)},
	}
}

// installation are the pages about what all companies of the installation share. They
// exist only for its administrators.
func (p *Pages) installation() []route {
	mail := &admin.Mail{Server: p.options.MailServer, Notify: p.options.Notify}
	return []route{
		{get, "/admin/mail", page.Operators(mail.Show)},
		{post, "/admin/mail", page.Operators(mail.Save)},
		{get, "/admin/mail/sender", page.Operators(mail.ShowSender)},
		{post, "/admin/mail/test", page.Operators(mail.Test)},
		{post, "/admin/mail/off", page.Operators(mail.TurnOff)},
	}
}

// settings are the pages for configuring a company.
func (p *Pages) settings() []route {
	o := p.options
	frame := &settings.Frame{Keys: o.Keys, Now: o.Now, Backups: o.Backups}
	company := &settings.Company{Frame: frame, Accounts: o.Accounts, Consent: o.Signing.Consent}
	security := &settings.Security{Frame: frame, Accounts: o.Accounts}
	tokens := &settings.Tokens{Frame: frame, Accounts: o.Accounts, Setup: o.Setup}
	mail := &settings.Mail{Frame: frame, Notify: o.Notify, Server: o.MailServer}
	hooks := &settings.Webhooks{Frame: frame, Service: o.Webhooks, Private: o.Setup.PrivateWebhooks}
	trust := &settings.Trust{Frame: frame, TimestampURL: o.Setup.TimestampURL}
	const (
		outbox   = "/app/settings/outbox"
		webhooks = "/app/settings/webhooks"
	)
	return []route{
		{get, "/app/settings", member(frame.Show)},
		{get, "/app/settings/company", administrator(company.ShowCompany)},
		{post, "/app/settings/company", administrator(company.SaveCompany)},
		{get, "/app/settings/branding", administrator(company.ShowBranding)},
		{post, "/app/settings/branding", administrator(company.SaveColor)},
		{post, "/app/settings/branding/logo", administrator(company.SaveLogo).Uploading(page.Large)},
		{post, "/app/settings/branding/logo/remove", administrator(company.RemoveLogo)},
		{get, "/app/settings/consent", administrator(company.ShowConsent)},
		{post, "/app/settings/consent", administrator(company.SaveConsent)},
		{get, "/app/settings/trust", administrator(trust.ShowCertificates)},
		{get, "/app/settings/security", administrator(security.ShowSecurity)},
		{post, "/app/settings/security", administrator(security.SaveSecurity)},
		{get, "/app/settings/security/sign-out", administrator(security.AskSignOutAll)},
		{post, "/app/settings/security/sign-out", administrator(security.SignOutAll)},
		{get, "/app/settings/api", member(tokens.ShowTokens)},
		{post, "/app/settings/api", reader(tokens.CreateToken)},
		{get, "/app/settings/api/:id/revoke", member(tokens.AskRevoke)},
		{post, "/app/settings/api/:id/revoke", reader(tokens.Revoke)},
		{get, "/app/settings/email", administrator(mail.ShowMail)},
		{post, "/app/settings/email/test", administrator(mail.TestMail)},
		{get, "/app/settings/texts", administrator(mail.ShowTexts)},
		{post, "/app/settings/texts", administrator(mail.SaveText)},
		{post, "/app/settings/texts/preview", administrator(mail.PreviewText)},
		{post, "/app/settings/texts/preview/message", administrator(mail.PreviewTextMessage)},
		{post, "/app/settings/texts/reset", administrator(mail.ResetText)},
		{get, outbox, administrator(mail.ShowOutbox)},
		{get, outbox + "/:id", administrator(mail.ShowMessage)},
		{get, outbox + "/:id/preview", administrator(mail.PreviewMessage)},
		{get, outbox + "/:id/message.eml", administrator(mail.DownloadMessage)},
		{post, outbox + "/:id/reveal", administrator(mail.RevealMessage)},
		{post, outbox + "/:id/retry", administrator(mail.RetryMessage)},
		{post, outbox + "/:id/cancel", administrator(mail.CancelMessage)},
		{get, webhooks, administrator(hooks.ShowWebhooks)},
		{post, webhooks, administrator(hooks.CreateWebhook)},
		{get, webhooks + "/:id", administrator(hooks.ShowWebhook)},
		{post, webhooks + "/:id", administrator(hooks.SaveWebhook)},
		{post, webhooks + "/:id/pause", administrator(hooks.PauseWebhook)},
		{post, webhooks + "/:id/enable", administrator(hooks.EnableWebhook)},
		{post, webhooks + "/:id/test", administrator(hooks.TestWebhook)},
		{post, webhooks + "/:id/redeliver", administrator(hooks.RedeliverFailed)},
		{get, webhooks + "/:id/rotate", administrator(hooks.AskRotateWebhook)},
		{post, webhooks + "/:id/rotate", administrator(hooks.RotateWebhook)},
		{get, webhooks + "/:id/delete", administrator(hooks.AskDeleteWebhook)},
		{post, webhooks + "/:id/delete", administrator(hooks.DeleteWebhook)},
		{get, webhooks + "/:id/deliveries/:delivery", administrator(hooks.ShowDelivery)},
		{post, webhooks + "/:id/deliveries/:delivery/redeliver", administrator(hooks.Redeliver)},
	}
}

// admin are the pages for administering the installation.
func (p *Pages) admin() []route {
	o := p.options
	h := &admin.Handlers{Machine: o.Machine, Accounts: o.Accounts, Lists: o.Signing.Lists, Notify: o.Notify, Now: o.Now}
	return []route{
		{get, "/admin", page.Operators(h.ShowOverview)},
		{post, "/admin/check", page.Operators(h.StartCheck)},
		{get, "/admin/companies", page.Operators(h.ShowCompanies)},
		{post, "/admin/companies", page.Operators(h.AddCompany).Hashing()},
		{get, "/admin/companies/:id", page.Operators(h.ShowCompany)},
		{post, "/admin/companies/:id", page.Operators(h.RenameCompany)},
		{post, "/admin/companies/:id/documents/:document/retry", page.Operators(h.RetryDocument)},
		{get, "/admin/people", page.Operators(h.ShowPeople)},
		{get, "/admin/attention", page.Operators(h.ShowAttention)},
		{get, "/admin/messages", page.Operators(h.ShowMessages)},
		{post, "/admin/messages/:message/retry", page.Operators(h.RetryMessage)},
		{post, "/admin/messages/:message/reveal", page.Operators(h.RevealMessage)},
		{get, "/admin/jobs", page.Operators(h.ShowJobs)},
		{post, "/admin/jobs/:job/retry", page.Operators(h.RetryJob)},
		{get, "/admin/log", page.Operators(h.ShowLog)},
	}
}
