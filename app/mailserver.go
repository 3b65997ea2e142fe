package app

import (
	"paraph/app/mail"
	"paraph/app/mailserver"
	"paraph/app/metrics"
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
		Apply:   func(s mailserver.Settings) { outbox.SetTransport(transportOf(s, a.Config.Network, a.metrics)) },
		Changed: outbox.Hurry,
	})
}

// transportOf returns how messages leave through a mail server: not at all if it may not be
// reached.
func transportOf(s mailserver.Settings, network NetworkConfig, m *metrics.Metrics) notify.Transport {
	t := notify.Transport{Server: s.Host, From: s.Sender()}
	if s.Host != "" && network.AllowsHost(s.Host) {
		t.Sender = counted(s.SMTP(), m)
	}
	return t
}
