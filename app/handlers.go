package app

import (
	"net/url"

	"paraph/app/api"
	"paraph/app/httpkit"
	"paraph/app/web"
	"paraph/app/web/team/settings"
)

func (a *App) openHandlers(opened Options) (err error) {
	server, limits := a.Config.Server, a.Config.Server.Limits
	a.kit, err = httpkit.New(httpkit.Options{
		TrustedProxies: server.TrustedProxies, BaseURL: server.BaseURL, Listener: a.URL(),
		ReadTimeout: server.ReadTimeout, Memory: int64(limits.Memory), Members: &a.members, Processors: a.shares,
	})
	if err != nil {
		return err
	}
	pages, err := web.New(web.Options{
		Accounts: a.Accounts, Signing: a.Signing, Limits: a.documentLimits(), Mails: a.Notify.Mails, Consent: a.Config.Signing.Consent, Notify: a.Notify, Webhooks: a.Webhooks, Contacts: a.Contacts, MailServer: a.MailServer,
		Bulk: a.Bulk, PublicLinks: a.PublicLinks, Machine: a.Machine, Keys: a.Keys, Fonts: a.fonts, Words: a.words,
		Log: a.log, Now: a.Clock.NowIn,
		Secret: a.key, Kit: a.kit,
		MaxUpload: int64(limits.Upload), MaxFiles: maxFiles * int64(limits.Upload), Develop: server.TestControls,
		Setup: setupOf(a.Config), Backups: a.lastBackup,
	})
	if err != nil {
		return err
	}
	o := api.Options{
		Accounts: a.Accounts, Signing: a.Signing, Limits: a.documentLimits(), Now: a.Clock.NowIn, Notify: a.Notify, Webhooks: a.Webhooks, Contacts: a.Contacts,
		Bulk: a.Bulk, PublicLinks: a.PublicLinks, MailServer: a.MailServer,
		Machine: a.Machine, Checkpoints: a.Checkpoints, Keys: a.Keys, Words: a.words, Log: a.log, Version: Version(), LogRequests: a.Config.Log.Requests, Kit: a.kit, Mount: pages.Mount,
		MaxBody: int64(limits.Body), MaxUpload: int64(limits.Upload),
		MaxFiles: maxFiles * int64(limits.Upload), MaxObjects: maxObjects(limits),
		ReadTimeout: server.ReadTimeout, IdleTimeout: server.IdleTimeout, Connections: limits.Connections, TokenRequests: limits.TokenRequests,
		Ready: a.Ready, Enter: a.requests.enter, OwnNames: opened.OwnNames, Strict: opened.Strict,
	}
	if u, err := url.Parse(server.BaseURL); err == nil {
		o.Host = u.Host
	}
	if a.metrics != nil {
		o.Observe = a.metrics.Request
	}
	if server.TestControls {
		o.Test, o.Mishaps = a.Test, a.mishaps
	}
	a.http = api.New(o)
	a.http.Server().ConnState = a.conns.note
	return a.kit.CheckPrefix()
}

// maxFiles is how many files of the largest size one request may carry.
const maxFiles = 4

// maxObjects is how many objects the JSON of one request may hold: twice the limit of a
// document, so that the error for a moderate excess can name its field.
func maxObjects(l LimitsConfig) int { return 1000 + 2*(l.Fields+l.Invitations+l.Files) }

// Routes returns the table of all routes.
func (a *App) Routes() []httpkit.Route { return a.kit.Routes() }

// setupOf returns the parts of the configuration that pages show.
func setupOf(c Config) settings.Setup {
	return settings.Setup{
		PrivateWebhooks: c.Webhooks.AllowPrivate, TimestampURL: c.Signing.TimestampURL,
		LoginLimit: c.Auth.LoginAttempts, LoginWindow: c.Auth.LoginWindow, TokenRequests: c.Server.Limits.TokenRequests,
	}
}
