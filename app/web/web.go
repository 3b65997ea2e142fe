// Package web serves the pages for people. They work without JavaScript, with the
// keyboard, and on a phone, and contain no business rules.
//
// GET requests never change anything; every POST must come from one of our pages;
// every error is shown as a page that explains it; no page loads anything from
// another site.
//
// This file and routes_*.go are the table of all routes: method, path, access rule,
// size limits, and handler. The handlers are in packages by audience: signer, team/…,
// public, and apidoc. Package page describes how to add a page.
package web

import (
	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/signing/record"
	"paraph/app/web/apidoc"
	"paraph/app/web/gallery"
	"paraph/app/web/manual"
	"paraph/app/web/page"
	"paraph/app/web/public"
	"paraph/app/web/signer"
	"paraph/app/web/team/me"
	"paraph/app/web/team/signin"
	"paraph/app/words"
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
		{upload, "/verify/report", everybody(h.Verify).UploadingMany(public.MaxFiles, p.options.MaxUpload).Interruptible()},
		{get, "/trust", everybody(h.ShowTrust)},
		{get, "/offline", everybody(public.ShowOffline)},
		{get, "/trust/root.pem", everybody(h.RootFile)},
		{get, "/trust/root.cer", everybody(h.RootFile)},
		{get, "/trust/root.p7b", everybody(h.RootFile)},
		{get, "/logo/:company", everybody(h.Logo)},
	}
}

// develop are the pages that only developers of these pages need.
func (p *Pages) develop() []route {
	if !p.options.Develop {
		return nil
	}
	return []route{{get, "/dev/components", everybody(gallery.Show)}}
}

// docs are the manuals and the pages about the API.
func docs(openAPI func() ([]byte, error), english *words.Language) []route {
	h := apidoc.New(openAPI, record.StatusNames(), english)
	all := []route{
		{get, "/docs", everybody(manual.ShowList)},
		{get, "/docs/api", everybody(h.ShowStart)},
		{get, "/docs/api/:operation", everybody(h.ShowOne)},
		{get, "/docs/guide", everybody(h.ShowGuide)},
		{get, "/docs/errors", everybody(h.ShowErrors)},
		{get, "/docs/records", everybody(h.ShowRecords)},
		{get, "/docs/records/:record", everybody(h.ShowRecord)},
		{get, "/docs/all", everybody(h.ShowAll)},
		{get, "/docs/webhooks", everybody(h.ShowEvents)},
		{get, "/docs/openapi.json", everybody(h.Description)},
		{get, "/docs/grafana.json", everybody(apidoc.Dashboard)},
	}
	for _, name := range manual.Names {
		all = append(all, route{get, "/docs/" + name, everybody(manual.ShowOne(name))})
	}
	return all
}

// maxAttached is the maximum total size of the files in a signatory's form.
const maxAttached = 24 * httpkit.MB

// maxMarks is the number of files in it other than attachments: pictures of a signature and
// of initials.
const maxMarks = 2

// signatories are the pages behind the links of invitations, and those where a member
// previews them or hands over a device.
func (p *Pages) signatories() []route {
	o := p.options
	s := o.Signing
	h := &signer.Handlers{Accounts: o.Accounts, Signing: s.Signing,
		Completion: s.Completion, Sending: s.Sending,
		Mails: p.options.Mails, Fonts: o.Fonts, Log: o.Log,
		Now: o.Now}
	host := &signer.Device{Signing: s.Signing, Now: o.Now}
	pad := &signer.Pad{Signing: s.Signing, Now: o.Now}
	public := &signer.Public{Links: o.PublicLinks}
	invited := h.Invited
	const (
		device  = "/app/documents/:id/people/:invitation/in-person"
		preview = "/app/documents/:id/preview/:invitation"
	)
	return []route{
		{get, device, member(host.Ask)},
		{post, device, author(host.Start)},
		{get, preview, member(h.ShowPreview)},
		{get, preview + "/pages/:file/:page.png", member(h.PreviewPicture)},
		{get, preview + "/typed.svg", member(h.PreviewTyped)},

		{get, "/p/:token", everybody(public.Show)},
		{post, "/p/:token", everybody(public.Start).Waiting()},

		{post, "/s/in-person/confirm", everybody(host.Confirm)},
		{post, "/s/in-person/back", everybody(host.End)},
		{get, "/s/pad/:code", everybody(pad.Show)},
		{post, "/s/pad/:code", pad.Paired(pad.Draw).With(page.Large)},
		{post, "/s/:token/again", everybody(h.SendLink)},

		{get, "/s/:token", invited(h.ShowVisit)},
		{post, "/s/:token", invited(h.Answer).With(page.Large).UploadingMany(o.Limits.Fields+maxMarks, maxAttached)},
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
		{post, "/s/:token/pad", invited(pad.Offer)},
		{get, "/s/:token/pad/:code", invited(pad.Drawn)},
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
	h := &me.Handlers{Accounts: o.Accounts, Fonts: o.Fonts, Signing: o.Signing.Signing, Mails: o.Mails}
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
		{get, "/app/keys", member(h.ShowShortcuts)},
		{post, "/app/keys", member(h.SetShortcuts)},
		{post, "/app/me/sessions/end", member(h.EndSession)},
		{post, "/app/me/sessions/end-others", member(h.EndOtherSessions)},
	}
}
