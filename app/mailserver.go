package app

import (
	"context"
	"net"

	"paraph/app/mail"
	"paraph/app/mailserver"
	"paraph/app/notify"
)

// mailServer opens the settings of the mail server, which the outbox follows.
func (a *App) mailServer(outbox *notify.Outbox) (*mailserver.Service, error) {
	m := a.Config.Mail
	return mailserver.New(mailserver.Options{
		DB: a.db, Key: a.key, Allows: a.Config.Network.AllowsHost, Proven: a.Accounts.Proofs.Proven, Now: a.Clock.Now, Log: a.log,
		DNS: a.resolver(), DKIMSelector: m.DKIMSelector,
		Configured: mailserver.Settings{Host: m.Host, Port: m.Port, Username: m.Username, Password: mail.NewSecret(m.Password.Reveal()),
			TLS: m.TLS, From: m.From, HELO: m.HELO, Timeout: m.Timeout},
		Apply:   func(s mailserver.Settings) { outbox.SetTransport(a.transport(s)) },
		Changed: outbox.Hurry,
	})
}

// transport returns how messages leave with a mail server, which does not send anything where it may not be reached.
func (a *App) transport(s mailserver.Settings) notify.Transport {
	t := notify.Transport{Server: s.Host, From: s.Sender()}
	if s.Host != "" && a.Config.Network.AllowsHost(s.Host) {
		t.Sender = a.counted(s.SMTP())
	}
	return t
}

// resolver returns what is asked about the sender's domain; nil if DNS may not be asked.
func (a *App) resolver() *net.Resolver {
	server := a.Config.Network.DNS
	switch server {
	case dnsNone:
		return nil
	case dnsSystem:
		return net.DefaultResolver
	}
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}}
}
