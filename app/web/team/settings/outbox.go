package settings

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/notify"
	"paraph/app/web/page"
)

// outboxList is the page that lists messages.
type outboxList struct {
	Messages []messageLine
	Sends    bool
	To       string
	Kept     []page.Pair
	Filters  []page.Tab
	Pager    page.Pager
	Filtered bool
}

// messageLine is a message in the list.
type messageLine struct {
	notify.Message
	KindName string
	Chip     page.Chip
}

// messageLooks holds the states of messages with their icons.
var messageLooks = []struct{ status, kind, icon string }{
	{notify.Kept, "info", "file"}, {notify.Queued, "warn", "hourglass"}, {notify.Sent, "ok", "check"}, {notify.Failed, "danger", "alert"}, {notify.Bounced, "danger", "alert"}, {notify.Cancelled, "", "void"},
}

// ShowOutbox serves the list of messages.
func (h *Mail) ShowOutbox(r *page.Request) error {
	number, size := r.PageOf()
	q := notify.OutboxQuery{
		Offset:   (number - 1) * size,
		Limit:    size,
		To:       strings.TrimSpace(r.Query("to")),
		Document: r.Query("document"),
	}
	chosen := ""
	for _, look := range messageLooks {
		if r.Query("status") == look.status {
			chosen, q.Statuses = look.status, []string{look.status}
		}
	}
	list, err := h.Notify.Messages.List(r.Who.Call, q)
	if err != nil {
		return err
	}
	o := outboxList{
		Sends:    h.Notify.CanSend(),
		To:       q.To,
		Kept:     r.Kept("to", "page"),
		Pager:    r.Pager(number, size, list.Total),
		Filtered: q.To != "" || chosen != "" || q.Document != "",
		Filters: []page.Tab{{
			Href: r.Link("status", "", "page", ""), Text: r.Say("outbox.all"), Current: chosen == "", Count: -1,
		}},
	}
	for _, look := range messageLooks {
		o.Filters = append(o.Filters, page.Tab{Href: r.Link("status", look.status, "page", ""), Text: r.Say("outbox." + look.status), Current: chosen == look.status, Count: -1})
	}
	for _, m := range list.Items {
		o.Messages = append(o.Messages, messageLineOf(r, m))
	}
	return show(h.Frame, r, http.StatusOK, outboxTemplate, sheet[outboxList]{Title: r.Say("settings.outbox"), Own: o})
}

func messageLineOf(r *page.Request, m notify.Message) messageLine {
	l := messageLine{Message: m, KindName: page.MessageKind(r, m.Kind)}
	for _, look := range messageLooks {
		if look.status == m.Status {
			l.Chip = page.Chip{Kind: look.kind, Icon: look.icon, Text: r.Say("outbox." + look.status)}
		}
	}
	return l
}

// messageCards is the page of one message.
type messageCards struct {
	messageLine
	Tab            string
	Tabs           []page.Tab
	Source         string
	Retry, Cancels bool
	Covered        bool   // it contains a link or code, shown only on request
	At             string // path of this page
}

// shownSource is the maximum number of bytes of the source shown. Downloads are complete.
const shownSource = 200 << 10

// ShowMessage serves one message with its attempts.
func (h *Mail) ShowMessage(r *page.Request) error {
	p, err := h.messagePage(r)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, messageTemplate, p)
}

func (h *Mail) messagePage(r *page.Request) (sheet[messageCards], error) {
	m, err := h.Notify.Messages.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return sheet[messageCards]{}, err
	}
	m = m.Covered()
	c := messageCards{messageLine: messageLineOf(r, m), Tab: "text", At: "/app/settings/outbox/" + m.ID,
		Retry: h.Notify.CanSend() && m.Status != notify.Sent &&
			m.Status != notify.Bounced, Cancels: m.Status == notify.Queued}
	if named := r.Query("tab"); slices.Contains([]string{"preview", "headers", "raw"}, named) {
		c.Tab = named
	}
	c.Covered = m.Revealable()
	c.Tabs = r.Tabs(c.Tab, "text", r.Say("outbox.text"), "preview", r.Say("outbox.preview"), "headers", r.Say("outbox.headers"), "raw", r.Say("outbox.raw"))
	if c.Tab == "headers" || c.Tab == "raw" {
		source, err := h.Notify.Encode(m)
		if err != nil {
			return sheet[messageCards]{}, err
		}
		if head, _, ok := bytes.Cut(source, []byte("\r\n\r\n")); ok && c.Tab == "headers" {
			source = head
		}
		c.Source = strings.ToValidUTF8(string(source[:min(len(source), shownSource)]), "�")
	}
	if c.Tab == "preview" {
		r.FramesOwnPages()
	}
	return sheet[messageCards]{Title: m.Subject, Own: c}, nil
}

// RevealMessage shows the link or code in a message to the reader, who passes it on.
func (h *Mail) RevealMessage(r *page.Request) error {
	m, err := h.Notify.Reveal(r.Who.Call, r.Params("id"))
	if fault.KindOf(err) == fault.KindConflict {
		return h.afterMessage(r, err, "")
	}
	if err != nil {
		return err
	}
	secrets := m.Links
	if len(secrets) == 0 {
		secrets = m.Secrets
	}
	return r.ShowSecrets(m.Subject, cmp.Or(m.ToName, m.To), secrets, "/app/settings/outbox/"+m.ID)
}

// afterMessage redirects to a message after an action on it.
func (h *Mail) afterMessage(r *page.Request, err error, done string) error {
	if err != nil {
		p, failed := h.messagePage(r)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, err, messageTemplate, p)
	}
	r.Flash("ok", done)
	return r.SeeOther("/app/settings/outbox/" + r.Params("id"))
}

// PreviewMessage serves a message for a frame.
func (h *Mail) PreviewMessage(r *page.Request) error {
	m, err := h.Notify.Messages.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	return sendLetter(r, m.Covered())
}

// sendLetter sends a mail's HTML for a sandboxed frame: no scripts, no remote
// pictures, no forms, no navigation.
func sendLetter(r *page.Request, m notify.Message) error {
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox")
	r.Set(fiber.HeaderXFrameOptions, "SAMEORIGIN")
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.SendString(m.HTML)
}

// DownloadMessage serves the source of a message.
func (h *Mail) DownloadMessage(r *page.Request) error {
	m, err := h.Notify.Messages.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	source, err := h.Notify.Encode(m.Covered())
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "message/rfc822")
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition("message.eml"))
	return r.Send(source)
}

// RetryMessage queues a message again.
func (h *Mail) RetryMessage(r *page.Request) error {
	_, err := h.Notify.Retry(r.Who.Call, r.Params("id"))
	return h.afterMessage(r, err, "outbox.retried")
}

// CancelMessage cancels a message that hasn't been sent yet.
func (h *Mail) CancelMessage(r *page.Request) error {
	_, err := h.Notify.Cancel(r.Who.Call, r.Params("id"))
	return h.afterMessage(r, err, "outbox.done.cancelled")
}
