package api

import (
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/notify"
)

// MessageRow is a message as lists show it. Its name is exported because it is
// embedded: the description omits unexported types.
type MessageRow struct {
	ID           string  `json:"id"`
	Kind         string  `json:"kind"`
	DocumentID   *string `json:"document_id"`
	InvitationID *string `json:"invitation_id"`
	To           string  `json:"to"`
	ToName       string  `json:"to_name"`
	Subject      string  `json:"subject"`
	Status       string  `json:"status" enum:"kept,queued,sent,failed,bounced,cancelled" doc:"kept: no mail server was configured; bounced: a mail server returned it"`
	Attempts     int     `json:"attempts"`
	LastError    *string `json:"last_error"`
	Reply        *string `json:"reply" doc:"The mail server's reply on acceptance"`
	CreatedAt    string  `json:"created_at" format:"date-time"`
	SentAt       *string `json:"sent_at" format:"date-time"`
	Revealable   bool    `json:"revealable" doc:"Whether it contains a link or code that still works, which only POST /outbox/{message}/reveal shows"`
}

func viewMessageRow(m notify.Message) MessageRow {
	return MessageRow{ID: m.ID, Kind: m.Kind, DocumentID: orNull(m.Document), InvitationID: orNull(m.Invitation), To: m.To, ToName: m.ToName,
		Subject: m.Subject, Status: m.Status, Attempts: m.Attempts, LastError: orNull(m.LastError), Reply: orNull(m.Reply),
		CreatedAt: when(m.CreatedAt), SentAt: maybe(m.SentAt), Revealable: m.Revealable()}
}

type messageView struct {
	MessageRow
	Text  string   `json:"text"`
	HTML  string   `json:"html"`
	Links []string `json:"links"`
}

func viewMessage(m notify.Message) messageView {
	v := messageView{MessageRow: viewMessageRow(m), Text: m.Text, HTML: m.HTML, Links: m.Links}
	if v.Links == nil {
		v.Links = []string{}
	}
	return v
}

type testMailAnswer struct {
	Reply string `json:"reply" doc:"The mail server's reply"`
}

// mailed returns the sentence for a message that is mailed, or for one that has to be passed on.
func mailed(n *notify.Service, mailed, kept string) string {
	if n.Mails() {
		return mailed
	}
	return kept
}

// outboxHandlers serves the messages that are sent.
type outboxHandlers struct {
	notify *notify.Service
}

func (h *outboxHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/outbox", rule: may(account.ScopeAdmin), id: "listMessages", summary: "List the messages about the company's documents", tag: "Outbox",
		query: append([]parameter{{name: "document_id", description: "ID of a document.", kind: "string"}}, listParameters...), list: true}, h.listMessages)
	handle(s, operation{method: http.MethodPost, path: "/outbox/test", rule: may(account.ScopeAdmin), id: "sendTestMessage", summary: "Send a test message", tag: "Outbox"}, func(r *request, in *emailBody) (testMailAnswer, error) {
		reply, err := h.notify.SendTest(r.UserContext(), r.who, in.Email)
		return testMailAnswer{reply}, err
	})
	bounce := operation{method: http.MethodPost, path: "/outbox/bounces", rule: may(account.ScopeAdmin).Uploading(maxReport), id: "reportBounce", summary: "Report a message that came back", tag: "Outbox", status: http.StatusOK}
	s.describe(bounce, typeOf[nothing](), typeOf[messageView]())
	s.add(bounce, h.bounce)
	handle(s, operation{method: http.MethodGet, path: "/outbox/{message}", rule: may(account.ScopeAdmin), id: "getMessage", summary: "Get a message", tag: "Outbox"}, h.getMessage)
	stream(s, operation{method: http.MethodGet, path: "/outbox/{message}/source.eml", rule: may(account.ScopeAdmin), id: "getMessageSource", summary: "Get a message in source form", tag: "Outbox"}, h.messageSource)
	handle(s, operation{method: http.MethodPost, path: "/outbox/{message}/reveal", rule: may(account.ScopeAdmin), id: "revealMessage", summary: "Show a link or code to hand it over", tag: "Outbox"}, h.reveal)
	handle(s, operation{method: http.MethodPost, path: "/outbox/{message}/retry", rule: may(account.ScopeAdmin), id: "retryMessage", summary: "Send a message again", tag: "Outbox"}, h.onMessage(h.notify.Retry))
	handle(s, operation{method: http.MethodPost, path: "/outbox/{message}/cancel", rule: may(account.ScopeAdmin), id: "cancelMessage", summary: "Cancel a message", tag: "Outbox"}, h.onMessage(h.notify.Cancel))
}

// onMessage returns the handler of an operation whose only input is the message.
func (h *outboxHandlers) onMessage(do func(account.Call, string) (notify.Message, error)) func(*request, *nothing) (messageView, error) {
	return func(r *request, _ *nothing) (messageView, error) {
		id, err := r.id("message")
		if err != nil {
			return messageView{}, err
		}
		m, err := do(r.who, id)
		return viewMessage(m), err
	}
}

func (h *outboxHandlers) getMessage(r *request, _ *nothing) (messageView, error) {
	id, err := r.id("message")
	if err != nil {
		return messageView{}, err
	}
	m, err := h.notify.Messages.Get(r.who, id)
	if err == nil {
		err = h.handOut(r, m)
	}
	return viewMessage(m), err
}

// handOut records that the caller is shown the link in a message to a recipient.
func (h *outboxHandlers) handOut(r *request, m notify.Message) error {
	if m.Document == "" || m.Invitation == "" || len(m.Links) == 0 || len(m.Secrets) == 0 {
		return nil
	}
	d, err := r.server.Signing.Drafts.Get(r.who, m.Document)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // it was purged, so its links no longer work
	}
	if err != nil {
		return err
	}
	return r.server.Signing.Sending.HandOutLinks(r.who, d, m.Invitation)
}

// maxReport is the maximum size of a delivery report.
const maxReport = 1 << 20

// bounce reads a delivery report: a message, or the body of a multipart/report.
func (h *outboxHandlers) bounce(r *request) error {
	if err := r.open(); err != nil {
		return err
	}
	kind := r.Get(fiber.HeaderContentType)
	media, _, err := mime.ParseMediaType(kind)
	var report io.Reader = r.body
	switch {
	case err == nil && media == "message/rfc822":
	case err == nil && media == "multipart/report":
		report = io.MultiReader(strings.NewReader("Content-Type: "+kind+"\r\n\r\n"), r.body)
	default:
		return fault.Unsupported("content_type_not_accepted", fault.Text("wanted", "message/rfc822, multipart/report"))
	}
	m, err := h.notify.Bounce(r.who, report)
	if err != nil {
		return err
	}
	return r.send(answer{status: http.StatusOK, body: viewMessage(m)})
}

// reveal shows a message with its link or code, for the caller to pass on.
func (h *outboxHandlers) reveal(r *request, _ *provenBody) (messageView, error) {
	id, err := r.id("message")
	if err != nil {
		return messageView{}, err
	}
	m, err := h.notify.Reveal(r.who, id)
	return viewMessage(m), err
}

func (h *outboxHandlers) listMessages(r *request, _ *nothing) (envelope[MessageRow], error) {
	asked, p, err := listQuery[string](r)
	if asked.Sort != "" && asked.Sort != "created_at" {
		r.query.faults.OneOf("sort", "created_at")
		err = r.query.faults.Err()
	}
	q := notify.OutboxQuery{Offset: p.offset(), Limit: p.size, To: strings.TrimSpace(asked.Search), Ascending: asked.Sort != "" && !asked.Descending}
	if v := r.query.text("document_id"); v != "" {
		q.Document = idOr(v)
	}
	q.Statuses = asked.Statuses
	if err != nil {
		return envelope[MessageRow]{}, err
	}
	list, err := h.notify.Messages.List(r.who, q)
	return enclose(r, p, views(list.Items, viewMessageRow), list.Total), err
}

func (h *outboxHandlers) messageSource(r *request, _ *nothing) error {
	id, err := r.id("message")
	if err != nil {
		return err
	}
	m, err := h.notify.Messages.Get(r.who, id)
	if err == nil {
		err = h.handOut(r, m)
	}
	if err != nil {
		return err
	}
	source, err := h.notify.Source(r.who, id)
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "message/rfc822")
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition(id+".eml"))
	return r.Send(source)
}
