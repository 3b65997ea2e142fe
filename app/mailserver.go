package app

import (
	"paraph/app/mail"
	"paraph/app/mailserver"
	"paraph/app/notify"
)

// mailServer opens the settings of the mail server, which the outbox follows.
func (a *App) mailServer(outbox *notify.Outbox) (*mailserver.Service, error) {
	m := a.Config.Mail
	return mailserver.New(mailserver.Options{
		DB: a.db, Key: a.key, Allows: a.Config.Network.AllowsHost, Proven: a.Accounts.Authentication.Proven, Now: a.Clock.Now, Log: a.log,
		DNS: outgoing{a.Config.Network}.resolver(), DKIMSelector: m.DKIMSelector,
		Configured: mailserver.Settings{Host: m.Host, Port: m.Port, Username: m.Username, Password: mail.NewSecret(m.Password.Reveal()),
			TLS: m.TLS, From: m.From, HELO: m.HELO, Timeout: m.Timeout},
		Apply: func(s mailserver.Settings) {
			a.mailWatch.reset()
			outbox.SetTransport(a.transport(s))
		},
		Changed: outbox.Hurry,
	})
}

// transport returns how messages leave through a mail server: not at all if it may not be
// reached.
func (a *App) transport(s mailserver.Settings) notify.Transport {
	t := notify.Transport{Server: s.Host, From: s.Sender()}
	if s.Host != "" && a.Config.Network.AllowsHost(s.Host) {
		t.Sender = watchedSender{counted(s.SMTP(), a.metrics), &a.mailWatch}
	}
	return t
}
