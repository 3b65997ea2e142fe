package api

import (
	"net/http"
	"strings"

	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing/trail"
)

type webhookView struct {
	ID           string    `json:"id"`
	URL          string    `json:"url" example:"https://example.org/hooks/paraph"`
	Events       []string  `json:"events" doc:"Event types; * means all"`
	Secret       *string   `json:"secret" example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" doc:"Only right after creation"`
	Enabled      bool      `json:"enabled"`
	FailingSince *string   `json:"failing_since" format:"date-time" doc:"First failure since the last success"`
	Recent       triesView `json:"recent" doc:"Attempts in the last seven days"`
	CreatedAt    string    `json:"created_at" format:"date-time"`
	UpdatedAt    string    `json:"updated_at" format:"date-time"`
}

type triesView struct {
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
}

func (h *webhookHandlers) viewWebhook(w notify.Webhook) webhookView {
	delivered, failed := w.Recent(h.webhooks.NowIn(w.Company))
	return webhookView{ID: w.ID, URL: w.URL, Events: w.Events, Secret: orNull(w.Secret), Enabled: w.Enabled, FailingSince: maybe(w.FailingSince),
		Recent: triesView{delivered, failed}, CreatedAt: when(w.CreatedAt), UpdatedAt: when(w.UpdatedAt)}
}

// DeliveryRow is a delivery as lists show it. Its name is exported because it is
// embedded: the description omits unexported types.
type DeliveryRow struct {
	ID            string  `json:"id"`
	EventID       string  `json:"event_id" doc:"Value of the webhook-id header"`
	Type          string  `json:"type" doc:"For example document.completed"`
	DocumentID    *string `json:"document_id"`
	Status        string  `json:"status" enum:"waiting,delivered,failed" doc:"failed: given up"`
	Attempt       int     `json:"attempt" doc:"Attempts so far"`
	StatusCode    *int    `json:"status_code" doc:"Status of the last response"`
	Error         *string `json:"error" doc:"Reason why there was no response"`
	DurationMS    *int    `json:"duration_ms" doc:"Of the last attempt"`
	NextAttemptAt *string `json:"next_attempt_at" format:"date-time"`
	CreatedAt     string  `json:"created_at" format:"date-time"`
}

func (h *webhookHandlers) viewDeliveryRow(d notify.Delivery) DeliveryRow {
	v := DeliveryRow{ID: d.ID, EventID: d.Event, Type: d.Type, DocumentID: orNull(d.Document), Status: d.Status, Attempt: d.Attempts,
		NextAttemptAt: maybe(d.Next), CreatedAt: when(d.CreatedAt)}
	if last := d.Last(); last != nil {
		v.StatusCode, v.Error, v.DurationMS = positive(last.Status), orNull(last.Problem(h.english())), &last.Milliseconds
	}
	return v
}

type deliveryView struct {
	DeliveryRow
	Request  deliveryRequestView  `json:"request" doc:"As last sent"`
	Response deliveryResponseView `json:"response" doc:"Of the last attempt"`
}

type deliveryRequestView struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

type deliveryResponseView struct {
	Headers []string `json:"headers"`
	Body    string   `json:"body" doc:"The first 4 KB"`
}

func (h *webhookHandlers) viewDelivery(d notify.Delivery) deliveryView {
	v := deliveryView{DeliveryRow: h.viewDeliveryRow(d), Request: deliveryRequestView{d.Headers, d.Body}, Response: deliveryResponseView{d.Answer.Headers, d.Answer.Body}}
	if v.Request.Headers == nil {
		v.Request.Headers = map[string]string{}
	}
	if v.Response.Headers == nil {
		v.Response.Headers = []string{}
	}
	return v
}

type webhookBody struct {
	URL     *string   `json:"url,omitempty" doc:"Required at creation"`
	Events  *[]string `json:"events,omitempty" doc:"Event types; all if left out or empty"`
	Enabled *bool     `json:"enabled,omitempty" doc:"false pauses it"`
}

type redeliveredView struct {
	Count int `json:"count" doc:"Number of deliveries being resent"`
}

// eventsAnswer is a page of the company's events.
type eventsAnswer struct {
	Data    []eventMessage `json:"data"`
	After   *string        `json:"after" doc:"Cursor for the next request"`
	HasMore bool           `json:"has_more" doc:"Whether more events can be fetched right away"`
}

// maxEvents is the maximum number of events per request.
const maxEvents = 200

// webhookHandlers serves webhooks and the events of a company.
type webhookHandlers struct {
	speech
	trail    *trail.Trail
	webhooks *notify.Webhooks
}

func (h *webhookHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/webhooks", rule: may(account.ScopeAdmin), id: "listWebhooks", summary: "List webhooks", tag: "Webhooks", query: pageParameters, list: true}, h.listWebhooks)
	handle(s, operation{method: http.MethodPost, path: "/webhooks", rule: may(account.ScopeAdmin), id: "createWebhook", needs: []string{"url"}, summary: "Create a webhook", tag: "Webhooks", status: http.StatusCreated}, func(r *request, in *webhookBody) (webhookView, error) {
		w, err := h.webhooks.CreateWebhook(r.who, notify.WebhookInput(*in))
		return h.viewWebhook(w), err
	})
	handle(s, operation{method: http.MethodGet, path: "/webhooks/{webhook}", rule: may(account.ScopeAdmin), id: "getWebhook", summary: "Get a webhook", tag: "Webhooks"}, onWebhook(func(r *request, id string, _ *nothing) (webhookView, error) {
		w, err := h.webhooks.GetWebhook(r.who, id)
		return h.viewWebhook(w), err
	}))
	handle(s, operation{method: http.MethodPatch, path: "/webhooks/{webhook}", rule: may(account.ScopeAdmin), id: "updateWebhook", summary: "Change, pause or enable a webhook", tag: "Webhooks"}, onWebhook(func(r *request, id string, in *webhookBody) (webhookView, error) {
		w, err := h.webhooks.UpdateWebhook(r.who, id, notify.WebhookInput(*in))
		return h.viewWebhook(w), err
	}))
	handle(s, operation{method: http.MethodDelete, path: "/webhooks/{webhook}", rule: may(account.ScopeAdmin), id: "deleteWebhook", summary: "Delete a webhook", tag: "Webhooks"}, onWebhook(func(r *request, id string, _ *nothing) (nothing, error) {
		return nothing{}, h.webhooks.DeleteWebhook(r.UserContext(), r.who, id)
	}))
	handle(s, operation{method: http.MethodPost, path: "/webhooks/{webhook}/rotate", rule: may(account.ScopeAdmin), id: "rotateWebhookSecret", summary: "Rotate the secret of a webhook", tag: "Webhooks"}, onWebhook(func(r *request, id string, _ *nothing) (webhookView, error) {
		w, err := h.webhooks.RotateSecret(r.who, id)
		return h.viewWebhook(w), err
	}))
	handle(s, operation{method: http.MethodPost, path: "/webhooks/{webhook}/test", rule: may(account.ScopeAdmin), id: "testWebhook", summary: "Send a test to a webhook", tag: "Webhooks"}, onWebhook(func(r *request, id string, _ *nothing) (deliveryView, error) {
		d, err := h.webhooks.TestWebhook(r.UserContext(), r.who, id)
		return h.viewDelivery(d), err
	}))
	h.deliveryRoutes(s)
	handle(s, operation{method: http.MethodGet, path: "/events", rule: may(account.ScopeRead), id: "listEvents", summary: "List the company's events", tag: "Webhooks", query: eventParameters}, h.listFeed)
}

func (h *webhookHandlers) deliveryRoutes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/webhooks/{webhook}/deliveries", rule: may(account.ScopeAdmin), id: "listDeliveries", summary: "List the deliveries of a webhook", tag: "Webhooks",
		query: append([]parameter{{name: "status", description: "waiting, delivered or failed.", kind: "string"}, {name: "sort", description: "created_at|asc or created_at|desc", kind: "string"}}, pageParameters...), list: true}, onWebhook(h.listDeliveries))
	handle(s, operation{method: http.MethodGet, path: "/webhooks/{webhook}/deliveries/{delivery}", rule: may(account.ScopeAdmin), id: "getDelivery", summary: "Get a delivery", tag: "Webhooks"}, onWebhook(func(r *request, id string, _ *nothing) (deliveryView, error) {
		delivery, err := r.id("delivery")
		if err != nil {
			return deliveryView{}, err
		}
		d, err := h.webhooks.GetDelivery(r.who, id, delivery)
		return h.viewDelivery(d), err
	}))
	handle(s, operation{method: http.MethodPost, path: "/webhooks/{webhook}/deliveries/{delivery}/redeliver", rule: may(account.ScopeAdmin), id: "redeliver", summary: "Resend a delivery", tag: "Webhooks", status: http.StatusAccepted}, onWebhook(func(r *request, id string, _ *nothing) (deliveryView, error) {
		delivery, err := r.id("delivery")
		if err != nil {
			return deliveryView{}, err
		}
		d, err := h.webhooks.Redeliver(r.who, id, delivery)
		return h.viewDelivery(d), err
	}))
	handle(s, operation{method: http.MethodPost, path: "/webhooks/{webhook}/redeliver", rule: may(account.ScopeAdmin), id: "redeliverFailed", summary: "Resend all failed deliveries", tag: "Webhooks", status: http.StatusAccepted}, onWebhook(func(r *request, id string, _ *nothing) (redeliveredView, error) {
		n, err := h.webhooks.RedeliverFailed(r.UserContext(), r.who, id)
		return redeliveredView{n}, err
	}))
}

// onWebhook returns the handler of an operation whose only input is the webhook.
func onWebhook[I, O any](do func(r *request, id string, in *I) (O, error)) func(*request, *I) (O, error) {
	return func(r *request, in *I) (out O, err error) {
		id, err := r.id("webhook")
		if err != nil {
			return out, err
		}
		return do(r, id, in)
	}
}

func (h *webhookHandlers) listWebhooks(r *request, _ *nothing) (envelope[webhookView], error) {
	all, err := h.webhooks.ListWebhooks(r.who)
	if err != nil {
		return envelope[webhookView]{}, err
	}
	return slice(r, views(all, h.viewWebhook))
}

func (h *webhookHandlers) listDeliveries(r *request, id string, _ *nothing) (envelope[DeliveryRow], error) {
	p := r.query.page()
	q := notify.DeliveryQuery{Offset: p.offset(), Limit: p.size, Status: r.query.text("status")}
	switch r.query.text("sort") {
	case "", "created_at|desc":
	case "created_at|asc":
		q.Ascending = true
	default:
		r.query.faults.Add("sort", "not_a_sort_order.created_at")
	}
	list, err := h.webhooks.ListDeliveries(r.who, id, q)
	if err := merge(&r.query.faults, err); err != nil {
		return envelope[DeliveryRow]{}, err
	}
	return enclose(r, p, views(list.Items, h.viewDeliveryRow), list.Total), nil
}

var eventParameters = []parameter{
	{name: "after", description: "ID of an event: returns those after it. Starts at the first if left out.", kind: "string"},
	{name: "type", description: "Comma-separated event types.", kind: "string"},
	{name: "document_id", description: "ID of a document.", kind: "string"},
	{name: "per_page", description: "Maximum number of events.", kind: "integer", minimum: 1, maximum: maxEvents},
}

func (h *webhookHandlers) listFeed(r *request, _ *nothing) (eventsAnswer, error) {
	q := trail.FeedQuery{Limit: r.query.number("per_page", defaultPerPage, 1, maxEvents)}
	if v := r.query.text("after"); v != "" {
		q.After = idOr(v)
	}
	if v := r.query.text("document_id"); v != "" {
		q.Document = idOr(v)
	}
	if v := r.query.text("type"); v != "" {
		q.Types = strings.Split(v, ",")
	}
	feed, err := h.trail.Feed(r.who, q)
	if err := merge(&r.query.faults, err); err != nil {
		return eventsAnswer{}, err
	}
	view := func(e trail.FeedEvent) eventMessage { return viewMessageOf(h.english(), e) }
	return eventsAnswer{views(feed.Events, view), orNull(feed.Cursor), feed.More}, nil
}
