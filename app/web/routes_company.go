package web

import (
	"paraph/app/web/page"
	"paraph/app/web/team/admin"
	"paraph/app/web/team/members"
	"paraph/app/web/team/settings"
)

// members are the pages about a company's members.
func (p *Pages) members() []route {
	o := p.options
	h := &members.Handlers{Accounts: o.Accounts, Notify: o.Notify, Sending: o.Signing.Sending,
		Mails: o.Mails}
	return []route{
		{get, "/app/team", member(h.ShowList)},
		{get, "/app/team/invite", manager(h.AskInvite)},
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
	company := &settings.Company{Frame: frame, Accounts: o.Accounts, Consent: o.Consent}
	security := &settings.Security{Frame: frame, Accounts: o.Accounts}
	tokens := &settings.Tokens{Frame: frame, Drafts: o.Signing.Drafts, Accounts: o.Accounts, Setup: o.Setup}
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
		{get, "/admin/companies/new", page.Operators(h.AskCompany)},
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
