package mailserver

import (
	"time"

	"paraph/app/mail"
)

// Settings describes a mail server and how to use it.
type Settings struct {
	Host     string // "" if there is no server
	Port     int
	Username string // "" for no login
	Password mail.Secret
	TLS      string // starttls, tls or none
	From     string // sender of every message
	HELO     string
	Timeout  time.Duration // for one message
}

// SMTP returns a client for the server.
func (s Settings) SMTP() mail.SMTP {
	return mail.SMTP{
		Host:     s.Host,
		Port:     s.Port,
		Username: s.Username,
		Password: s.Password,
		TLS:      s.TLS,
		HELO:     s.HELO,
		Timeout:  s.Timeout,
	}
}

// Sender returns the address that messages come from.
func (s Settings) Sender() mail.Address {
	address, err := mail.ParseAddress(s.From)
	if err != nil { // it has been validated before
		return mail.Address{Name: "Paraph", Email: "paraph@localhost"}
	}
	return address
}
