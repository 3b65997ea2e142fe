package settings

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/web/page"
)

// deliveryLine is a delivery in the list of a webhook.
type deliveryLine struct {
	notify.Delivery
	At     string
	Chip   page.Chip
	Result string // the response status, or the reason why there is none
	Took   string
}

// deliveryLooks holds the states of deliveries with their icons.
var deliveryLooks = []struct{ status, kind, icon string }{
	{notify.DeliveryWaiting, "warn", "hourglass"}, {notify.DeliveryDelivered, "ok", "check"}, {notify.DeliveryFailed, "danger", "alert"},
}

func deliveryAt(d notify.Delivery) string {
	return webhooksAt + "/" + d.Webhook + "/deliveries/" + d.ID
}

func deliveryLineOf(r *page.Request, d notify.Delivery) deliveryLine {
	l := deliveryLine{Delivery: d, At: deliveryAt(d), Result: r.Say("webhooks.untried")}
	for _, look := range deliveryLooks {
		if look.status == d.Status {
			l.Chip = page.Chip{Kind: look.kind, Icon: look.icon, Text: r.Say("webhooks." + look.status)}
		}
	}
	if last := d.Last(); last != nil {
		l.Result, l.Took = resultOf(r.Words.SayOf, *last), r.Say("webhooks.ms", "n", last.Milliseconds)
	}
	return l
}

// resultOf describes the result of an attempt.
func resultOf(say fault.Sayer, t notify.Try) string {
	if problem := t.Problem(say); problem != "" {
		return problem
	}
	return strings.TrimSpace("HTTP " + strconv.Itoa(t.Status) + " " + http.StatusText(t.Status))
}

// listDeliveries adds deliveries to the page of their webhook.
func (h *Webhooks) listDeliveries(r *page.Request, c *webhookPage) error {
	number, size := r.PageOf()
	q := notify.DeliveryQuery{Offset: (number - 1) * size, Limit: size}
	at := c.At
	for _, look := range deliveryLooks {
		if r.Query("status") == look.status {
			q.Status = look.status
		}
	}
	list, err := h.Service.ListDeliveries(r.Who.Call, c.ID, q)
	if err != nil {
		return err
	}
	failed, err := h.Service.ListDeliveries(r.Who.Call, c.ID,
		notify.DeliveryQuery{Status: notify.DeliveryFailed})
	if err != nil {
		return err
	}
	c.Failed, c.Filtered, c.Pager = failed.Total, q.Status != "", r.Pager(number, size, list.Total)
	c.Filters = []page.Tab{{Href: at, Text: r.Say("webhooks.deliveries.all"), Current: q.Status == "", Count: -1}}
	for _, look := range deliveryLooks {
		c.Filters = append(c.Filters, page.Tab{
			Href:    at + "?status=" + look.status,
			Text:    r.Say("webhooks." + look.status),
			Current: q.Status == look.status,
			Count:   -1,
		})
	}
	for _, d := range list.Items {
		c.Deliveries = append(c.Deliveries, deliveryLineOf(r, d))
	}
	return nil
}

// deliveryPage is one delivery with its request and response.
type deliveryPage struct {
	deliveryLine
	URL, Back       string
	Sent            []page.Pair // headers
	Body, Curl      string
	AnswerHeaders   string
	Tries           []tryLine
	Redeliver, Test bool
}

type tryLine struct {
	notify.Try
	Result, Took string
}

// ShowDelivery serves one delivery with its attempts.
func (h *Webhooks) ShowDelivery(r *page.Request) error {
	p, err := h.deliveryPage(r)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, deliveryTemplate, p)
}

func (h *Webhooks) deliveryPage(r *page.Request) (sheet[deliveryPage], error) {
	id := r.Params("id")
	w, err := h.Service.GetWebhook(r.Who.Call, id)
	if err != nil {
		return sheet[deliveryPage]{}, err
	}
	d, err := h.Service.GetDelivery(r.Who.Call, id, r.Params("delivery"))
	if err != nil {
		return sheet[deliveryPage]{}, err
	}
	c := deliveryPage{deliveryLine: deliveryLineOf(r, d), URL: w.URL, Back: webhooksAt + "/" + id, Body: indented(d.Body),
		AnswerHeaders: strings.Join(d.Answer.Headers, "\n"), Redeliver: w.Enabled, Test: d.Type == notify.TestEvent}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		c.Sent = append(c.Sent, page.Pair{Name: name, Value: d.Headers[name]})
	}
	if len(d.Headers) > 0 {
		c.Curl = curlOf(w.URL, c.Sent, d.Body)
	}
	for _, t := range d.Tries {
		c.Tries = append(c.Tries, tryLine{t, resultOf(r.Words.SayOf, t), r.Say("webhooks.ms", "n", t.Milliseconds)})
	}
	return sheet[deliveryPage]{Title: d.Type, Own: c}, nil
}

// indented formats JSON with one member per line. Other text is unchanged.
func indented(body string) string {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(body), "", "  "); err != nil {
		return body
	}
	return out.String()
}

// curlOf returns a request as a curl command.
func curlOf(url string, headers []page.Pair, body string) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	lines := []string{"curl -i " + quote(url)}
	for _, h := range headers {
		lines = append(lines, "  -H "+quote(h.Name+": "+h.Value))
	}
	return strings.Join(append(lines, "  --data-raw "+quote(body)), " \\\n")
}

// Redeliver queues one delivery again.
func (h *Webhooks) Redeliver(r *page.Request) error {
	_, err := h.Service.Redeliver(r.Who.Call, r.Params("id"), r.Params("delivery"))
	if err != nil {
		p, failed := h.deliveryPage(r)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, err, deliveryTemplate, p)
	}
	r.Flash("ok", "webhooks.redelivered")
	return r.SeeOther(webhooksAt + "/" + r.Params("id") + "/deliveries/" + r.Params("delivery"))
}
