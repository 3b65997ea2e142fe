package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/notify"
)

// deliveryLine is a delivery in the list of a webhook.
type deliveryLine struct {
	notify.Delivery
	At     string
	Chip   chipData
	Result string // the status of the answer, or why there is none
	Took   string
}

// deliveryLooks are the states of a delivery in their order, with their looks.
var deliveryLooks = []struct{ status, kind, icon string }{
	{notify.DeliveryWaiting, "warn", "hourglass"}, {notify.DeliveryDelivered, "ok", "check"}, {notify.DeliveryFailed, "danger", "alert"},
}

func deliveryAt(d notify.Delivery) string {
	return webhooksAt + "/" + d.Webhook + "/deliveries/" + d.ID
}

func (r *request) deliveryLine(d notify.Delivery) deliveryLine {
	l := deliveryLine{Delivery: d, At: deliveryAt(d), Result: r.say("webhooks.untried")}
	for _, look := range deliveryLooks {
		if look.status == d.Status {
			l.Chip = chipData{look.kind, look.icon, r.say("webhooks." + look.status)}
		}
	}
	if last := d.Last(); last != nil {
		l.Result, l.Took = r.triedAs(*last), r.say("webhooks.ms", "n", last.Milliseconds)
	}
	return l
}

// triedAs words what came of a try.
func (r *request) triedAs(t notify.Try) string {
	if t.Error != "" {
		return t.Error
	}
	return strings.TrimSpace("HTTP " + strconv.Itoa(t.Status) + " " + http.StatusText(t.Status))
}

// listDeliveries puts a page of the deliveries on the page of their webhook.
func (r *request) listDeliveries(c *webhookPage) error {
	number, size := r.pageOf()
	q := notify.DeliveryQuery{Offset: (number - 1) * size, Limit: size}
	at := c.At
	for _, look := range deliveryLooks {
		if r.Query("status") == look.status {
			q.Status = look.status
		}
	}
	list, err := r.door.Webhooks.ListDeliveries(r.UserContext(), r.who.Actor, c.ID, q)
	if err != nil {
		return err
	}
	failed, err := r.door.Webhooks.ListDeliveries(r.UserContext(), r.who.Actor, c.ID, notify.DeliveryQuery{Status: notify.DeliveryFailed})
	if err != nil {
		return err
	}
	c.Failed, c.Filtered, c.Pager = failed.Total, q.Status != "", r.pager(number, size, list.Total)
	c.Filters = []tab{{Href: at, Text: r.say("webhooks.deliveries.all"), Current: q.Status == "", Count: -1}}
	for _, look := range deliveryLooks {
		c.Filters = append(c.Filters, tab{Href: at + "?status=" + look.status, Text: r.say("webhooks." + look.status), Current: q.Status == look.status, Count: -1})
	}
	for _, d := range list.Items {
		c.Deliveries = append(c.Deliveries, r.deliveryLine(d))
	}
	return nil
}

// deliveryPage is one delivery, with what was sent and what came back.
type deliveryPage struct {
	deliveryLine
	URL, Back       string
	Sent            []pair // headers
	Body, Curl      string
	AnswerHeaders   string
	Tries           []tryLine
	Redeliver, Test bool
}

type tryLine struct {
	notify.Try
	Result, Took string
}

func (r *request) showDelivery() error {
	p, err := r.deliveryPage()
	if err != nil {
		return err
	}
	return r.settings(http.StatusOK, "settings-delivery", p)
}

func (r *request) deliveryPage() (page, error) {
	id := r.Params("id")
	w, err := r.door.Webhooks.GetWebhook(r.UserContext(), r.who.Actor, id)
	if err != nil {
		return page{}, err
	}
	d, err := r.door.Webhooks.GetDelivery(r.UserContext(), r.who.Actor, id, r.Params("delivery"))
	if err != nil {
		return page{}, err
	}
	c := deliveryPage{deliveryLine: r.deliveryLine(d), URL: w.URL, Back: webhooksAt + "/" + id, Body: indented([]byte(d.Body)),
		AnswerHeaders: strings.Join(d.Answer.Headers, "\n"), Redeliver: w.Enabled, Test: d.Type == notify.TestEvent}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		c.Sent = append(c.Sent, pair{name, d.Headers[name]})
	}
	if len(d.Headers) > 0 {
		c.Curl = curlOf(w.URL, c.Sent, d.Body)
	}
	for _, t := range d.Tries {
		c.Tries = append(c.Tries, tryLine{t, r.triedAs(t), r.say("webhooks.ms", "n", t.Milliseconds)})
	}
	return page{Title: d.Type, Data: c}, nil
}

// curlOf is a request as a command.
func curlOf(url string, headers []pair, body string) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	lines := []string{"curl -i " + quote(url)}
	for _, h := range headers {
		lines = append(lines, "  -H "+quote(h.Name+": "+h.Value))
	}
	return strings.Join(append(lines, "  --data-raw "+quote(body)), " \\\n")
}

func (r *request) redeliver() error {
	_, err := r.door.Webhooks.Redeliver(r.UserContext(), r.who.Actor, r.Params("id"), r.Params("delivery"))
	if err != nil {
		p, failed := r.deliveryPage()
		if failed != nil {
			return failed
		}
		return r.settingsAgain(err, "settings-delivery", p)
	}
	r.flash("ok", "webhooks.redelivered")
	return r.redirect(webhooksAt + "/" + r.Params("id") + "/deliveries/" + r.Params("delivery"))
}
