package admin

import (
	"net/http"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/mailserver"
	"paraph/app/notify"
	"paraph/app/web/page"
)

// Mail serves the page about the mail server.
type Mail struct {
	Server *mailserver.Service
	Notify *notify.Service
}

// mailPath is the path of the page.
const mailPath = "/admin/mail"

// serverPage is the data of the page.
type serverPage struct {
	mailserver.State
	To   string // recipient of the test message
	Test *mailserver.Test
	Why  string // the test failed
	// Sender holds the DNS records of the sender domain; nil if they were not requested.
	Sender *senderCard
	Tried  *mailserver.Input // the test used these settings; nil for those stored
}

// Unsaved reports whether the form holds other settings than are stored, after a test of them.
func (p serverPage) Unsaved() bool {
	in := p.Tried
	return in != nil && (in.Password != nil || in.Host != p.Host || in.Port != p.Port || in.Username != p.Username ||
		in.TLS != p.TLS || in.From != p.From)
}

// Encryptions returns the options for the encryption of the connection.
func (p serverPage) Encryptions(starttls, tls, none string) []page.Option {
	all := []page.Option{{Value: "starttls", Label: starttls}, {Value: "tls", Label: tls}, {Value: "none", Label: none}}
	for i := range all {
		all[i].Selected = all[i].Value == p.TLS
	}
	return all
}

// PortText returns the port for the form, "" before a server is set.
func (p serverPage) PortText() string {
	if p.Host == "" {
		return ""
	}
	return strconv.Itoa(p.Port)
}

// PasswordHelp returns the key of the help under the password.
func (p serverPage) PasswordHelp() string {
	if p.Password {
		return "mailserver.password.kept"
	}
	return "mailserver.password.help"
}

func (h *Mail) page(r *page.Request, data serverPage) (_ page.View[framed[serverPage]], err error) {
	data.State, err = h.Server.Get(r.Who.Call)
	data.To = r.Who.User.Email
	if data.Test != nil {
		data.Why = data.Test.Problem(r.Words.SayOf)
	}
	return frame(r, r.Say("admin.mail"), data), err
}

func (h *Mail) show(r *page.Request, data serverPage) error {
	p, err := h.page(r, data)
	if err != nil {
		return err
	}
	p.Values = r.Form
	return mailTemplate.Render(r, http.StatusOK, p)
}

// again shows the page with the errors of its form.
func (h *Mail) again(r *page.Request, err error) error {
	p, failed := h.page(r, serverPage{})
	if failed != nil {
		return failed
	}
	return mailTemplate.Again(r, err, p)
}

// Show serves the page.
func (h *Mail) Show(r *page.Request) error { return h.show(r, serverPage{}) }

// Save stores the mail server's settings, which apply at once.
func (h *Mail) Save(r *page.Request) error {
	in, err := serverInput(r)
	if err == nil {
		_, err = h.Server.Save(r.UserContext(), r.Who.Call, in)
	}
	return h.done(r, err, "mailserver.saved")
}

// TurnOff stops sending mail.
func (h *Mail) TurnOff(r *page.Request) error {
	return h.done(r, h.Server.TurnOff(r.UserContext(), r.Who.Call), "mailserver.turned_off")
}

func (h *Mail) done(r *page.Request, err error, done string) error {
	if err != nil {
		return h.again(r, err)
	}
	r.Flash("ok", done)
	return r.SeeOther(mailPath)
}

// Test sends a message and shows the SMTP conversation. It uses the server in the
// form if there is one.
func (h *Mail) Test(r *page.Request) error {
	var tried *mailserver.Input
	if r.Form.Has("host") {
		in, err := serverInput(r)
		if err != nil {
			return h.again(r, err)
		}
		tried = &in
	}
	compose := func(to string) (mail.Message, error) { return h.Notify.TestMessage(r.Who.Call, to) }
	test, err := h.Server.Try(r.UserContext(), r.Who.Call, tried, r.Form.Value("email"), compose)
	if err != nil {
		return h.again(r, err)
	}
	return h.show(r, serverPage{Test: &test, Tried: tried})
}

// serverInput reads the form. Leaving the password empty keeps the stored one.
func serverInput(r *page.Request) (in mailserver.Input, err error) {
	in = mailserver.Input{Host: r.Form.Value("host"), Username: r.Form.Value("username"), TLS: r.Form.Value("tls"), From: r.Form.Value("from")}
	if password := r.Form.Value("password"); password != "" {
		in.Password = &password
	}
	if port := strings.TrimSpace(r.Form.Value("port")); port != "" {
		if in.Port, err = strconv.Atoi(port); err != nil {
			return in, fault.Invalid("port", "not_a_whole_number")
		}
	}
	return in, nil
}
