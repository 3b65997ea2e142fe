package settings

import (
	"net/http"

	"paraph/app/mailserver"
	"paraph/app/notify"
	"paraph/app/web/page"
)

// Mail serves the pages about sending mail and the messages sent.
type Mail struct {
	*Frame
	Notify *notify.Service
	Server *mailserver.Service
}

// mailCards is the data of the page about sending mail.
type mailCards struct {
	Server     mailserver.Settings
	Configured bool // by the configuration rather than in the web app
	Blocked    bool
	Runs       bool // the reader may change the server
	Sends      bool
	To         string // recipient of the test message
	Reply      string // the server's reply after accepting the test message
	Failed     int
}

func (h *Mail) mailPage(r *page.Request, reply string) (sheet[mailCards], error) {
	q := notify.OutboxQuery{Limit: 1, Statuses: []string{notify.Failed}}
	failed, err := h.Notify.Messages.List(r.Who.Call, q)
	if err != nil {
		return sheet[mailCards]{}, err
	}
	return sheet[mailCards]{Title: r.Say("settings.email"), Own: mailCards{
		Server:     h.Server.Current(),
		Configured: h.Server.IsConfigured(),
		Blocked:    h.Server.Blocked(),
		Runs:       r.Who.Call.RunsInstallation(),
		Sends:      h.Notify.CanSend(),
		To:         r.Who.User.Email,
		Reply:      reply,
		Failed:     failed.Total,
	}}, nil
}

// TestMail sends a test message and shows the server's reply.
func (h *Mail) TestMail(r *page.Request) error {
	reply, err := h.Notify.SendTest(r.UserContext(), r.Who.Call, r.Form.Value("email"))
	p, failed := h.mailPage(r, reply)
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return again(h.Frame, r, err, emailTemplate, p)
	}
	p.Notice = r.Notice("ok", "email.sent")
	return show(h.Frame, r, http.StatusOK, emailTemplate, p)
}

// ShowMail serves the page about sending mail.
func (h *Mail) ShowMail(r *page.Request) error {
	p, err := h.mailPage(r, "")
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, emailTemplate, p)
}
