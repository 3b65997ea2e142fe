package web

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/notify"
)

func (d *Door) mailRoutes(app *fiber.App) {
	d.settingsGet(app, "/email", func(r *request) error {
		p, err := r.mailPage("")
		if err != nil {
			return err
		}
		return r.settings(http.StatusOK, "settings-email", p)
	})
	d.teamPost(app, "/app/settings/email/test", (*request).testMail)
	d.settingsGet(app, "/outbox", (*request).showOutbox)
	d.settingsGet(app, "/outbox/:id", (*request).showMessage)
	d.settingsGet(app, "/outbox/:id/preview", (*request).previewMessage)
	d.settingsGet(app, "/outbox/:id/message.eml", (*request).downloadMessage)
	d.teamPost(app, "/app/settings/outbox/:id/retry", func(r *request) error {
		_, err := d.Notify.Retry(r.UserContext(), r.who.Actor, r.Params("id"))
		return r.afterMessage(err, "outbox.retried")
	})
	d.teamPost(app, "/app/settings/outbox/:id/cancel", func(r *request) error {
		_, err := d.Notify.Cancel(r.UserContext(), r.who.Actor, r.Params("id"))
		return r.afterMessage(err, "outbox.done.cancelled")
	})
}

// mailCards is the page of how messages leave.
type mailCards struct {
	Setup
	Sends  bool
	To     string // of the test
	Reply  string // what the server said to a test that it took
	Failed int
}

func (r *request) mailPage(reply string) (page, error) {
	failed, err := r.door.Notify.ListMessages(r.UserContext(), r.who.Actor, notify.OutboxQuery{Limit: 1, Statuses: []string{notify.Failed}})
	if err != nil {
		return page{}, err
	}
	return page{Title: r.say("settings.email"), Data: mailCards{Setup: r.door.Setup, Sends: r.door.Notify.CanSend(),
		To: r.who.User.Email, Reply: reply, Failed: failed.Total}}, nil
}

// testMail sends a message now, and shows what the server said about it.
func (r *request) testMail() error {
	reply, err := r.door.Notify.SendTest(r.UserContext(), r.who.Actor, r.form.value("email"))
	p, failed := r.mailPage(reply)
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return r.settingsAgain(err, "settings-email", p)
	}
	p.Notice = r.notice("ok", "email.sent")
	return r.settings(http.StatusOK, "settings-email", p)
}

// outboxList is the page of all messages.
type outboxList struct {
	Messages []messageLine
	Sends    bool
	To       string
	Kept     []pair
	Filters  []tab
	Pager    pager
	Filtered bool
}

// messageLine is a message in the list.
type messageLine struct {
	notify.Message
	KindName string
	Chip     chipData
}

// messageLooks are the states of a message in their order, with their looks.
var messageLooks = []struct{ status, kind, icon string }{
	{notify.Kept, "info", "file"}, {notify.Queued, "warn", "hourglass"}, {notify.Sent, "ok", "check"}, {notify.Failed, "danger", "alert"}, {notify.Cancelled, "", "void"},
}

func (r *request) showOutbox() error {
	number, size := r.pageOf()
	q := notify.OutboxQuery{Offset: (number - 1) * size, Limit: size, To: strings.TrimSpace(r.Query("to")), Document: r.Query("document")}
	chosen := ""
	for _, look := range messageLooks {
		if r.Query("status") == look.status {
			chosen, q.Statuses = look.status, []string{look.status}
		}
	}
	list, err := r.door.Notify.ListMessages(r.UserContext(), r.who.Actor, q)
	if err != nil {
		return err
	}
	o := outboxList{Sends: r.door.Notify.CanSend(), To: q.To, Kept: r.kept("to", "page"), Pager: r.pager(number, size, list.Total), Filtered: q.To != "" || chosen != "" || q.Document != "",
		Filters: []tab{{Href: r.link("status", "", "page", ""), Text: r.say("outbox.all"), Current: chosen == "", Count: -1}}}
	for _, look := range messageLooks {
		o.Filters = append(o.Filters, tab{Href: r.link("status", look.status, "page", ""), Text: r.say("outbox." + look.status), Current: chosen == look.status, Count: -1})
	}
	for _, m := range list.Items {
		o.Messages = append(o.Messages, r.messageLine(m))
	}
	return r.settings(http.StatusOK, "settings-outbox", page{Title: r.say("settings.outbox"), Data: o})
}

func (r *request) messageLine(m notify.Message) messageLine {
	l := messageLine{Message: m, KindName: strings.ReplaceAll(m.Kind, "_", " ")}
	for _, look := range messageLooks {
		if look.status == m.Status {
			l.Chip = chipData{look.kind, look.icon, r.say("outbox." + look.status)}
		}
	}
	return l
}

// messageCards is the page of one message.
type messageCards struct {
	messageLine
	Tab            string
	Tabs           []tab
	Source         string
	Retry, Cancels bool
	At             string // of this page
}

// shownSource is how much of a message is shown as it is sent; the file has all.
const shownSource = 200 << 10

func (r *request) showMessage() error {
	p, err := r.messagePage()
	if err != nil {
		return err
	}
	return r.settings(http.StatusOK, "settings-message", p)
}

func (r *request) messagePage() (page, error) {
	m, err := r.door.Notify.GetMessage(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return page{}, err
	}
	c := messageCards{messageLine: r.messageLine(m), Tab: "text", At: "/app/settings/outbox/" + m.ID,
		Retry: r.door.Notify.CanSend() && m.Status != notify.Sent, Cancels: m.Status == notify.Queued}
	if named := r.Query("tab"); slices.Contains([]string{"preview", "headers", "raw"}, named) {
		c.Tab = named
	}
	c.Tabs = r.tabs(c.Tab, "text", r.say("outbox.text"), "preview", r.say("outbox.preview"), "headers", r.say("outbox.headers"), "raw", r.say("outbox.raw"))
	if c.Tab == "headers" || c.Tab == "raw" {
		source, err := r.door.Notify.Source(r.UserContext(), r.who.Actor, m.ID)
		if err != nil {
			return page{}, err
		}
		if head, _, ok := bytes.Cut(source, []byte("\r\n\r\n")); ok && c.Tab == "headers" {
			source = head
		}
		c.Source = strings.ToValidUTF8(string(source[:min(len(source), shownSource)]), "�")
	}
	if c.Tab == "preview" {
		r.framesOwnPages()
	}
	return page{Title: m.Subject, Data: c}, nil
}

// afterMessage leads back to a message that was acted on.
func (r *request) afterMessage(err error, done string) error {
	if err != nil {
		p, failed := r.messagePage()
		if failed != nil {
			return failed
		}
		return r.settingsAgain(err, "settings-message", p)
	}
	r.flash("ok", done)
	return r.redirect("/app/settings/outbox/" + r.Params("id"))
}

// previewMessage is the mail itself, for a frame that may do nothing: no script,
// no picture from anywhere, no form, no way out.
func (r *request) previewMessage() error {
	m, err := r.door.Notify.GetMessage(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox")
	r.Set(fiber.HeaderXFrameOptions, "SAMEORIGIN")
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.SendString(m.HTML)
}

func (r *request) downloadMessage() error {
	source, err := r.door.Notify.Source(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "message/rfc822")
	r.Set(fiber.HeaderContentDisposition, `attachment; filename="message.eml"`)
	return r.Send(source)
}
