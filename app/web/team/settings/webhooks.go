package settings

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/web/page"
)

const webhooksAt = "/app/settings/webhooks"

// Webhooks serves the pages about webhooks and their deliveries.
type Webhooks struct {
	*Frame
	Service *notify.Webhooks
	Private bool // private addresses are allowed
}

// webhookCards is the page of all webhooks.
type webhookCards struct {
	Made     *notify.Webhook // just now: the only time its secret is seen
	Webhooks []webhookLine
	Groups   []kindGroup
	All      bool // the new one is to be told of every event
	Private  bool // private addresses are allowed
}

// webhookLine is a webhook in the list, and on its own page.
type webhookLine struct {
	notify.Webhook
	At, Kinds, Rate string
	Chip            page.Chip
}

// kindGroup are the kinds of events that concern one sort of thing.
type kindGroup struct {
	Name  string
	Kinds []kindChoice
}

type kindChoice struct {
	Value, Text string
	Checked     bool
}

// namedKinds is how many kinds of events the list names.
const namedKinds = 3

func (h *Webhooks) webhookLine(r *page.Request, w notify.Webhook) webhookLine {
	l := webhookLine{Webhook: w, At: webhooksAt + "/" + w.ID, Kinds: r.Say("webhooks.all"), Rate: r.Say("webhooks.rate.none")}
	if !slices.Contains(w.Events, notify.AllEvents) {
		l.Kinds = strings.Join(w.Events[:min(namedKinds, len(w.Events))], ", ")
		if more := len(w.Events) - namedKinds; more > 0 {
			l.Kinds += " " + r.Say("webhooks.more", "n", more)
		}
	}
	delivered, failed := w.Recent(h.Now())
	if n := delivered + failed; n > 0 {
		l.Rate = r.Say("webhooks.rate", "percent", 100*delivered/n, "n", n)
	}
	switch {
	case w.Gone:
		l.Chip = page.Chip{Kind: "warn", Icon: "void", Text: r.Say("webhooks.state.gone")}
	case !w.Enabled:
		l.Chip = page.Chip{Kind: "", Icon: "void", Text: r.Say("webhooks.state.paused")}
	case w.FailingSince != nil:
		l.Chip = page.Chip{Kind: "danger", Icon: "alert", Text: r.Say("webhooks.state.failing")}
	case delivered == 0:
		l.Chip = page.Chip{Kind: "info", Icon: "hourglass", Text: r.Say("webhooks.state.new")}
	default:
		l.Chip = page.Chip{Kind: "ok", Icon: "check", Text: r.Say("webhooks.state.ok")}
	}
	return l
}

// kindGroups are all kinds of events to choose from.
func kindGroups(r *page.Request, checked func(kind string) bool) (out []kindGroup) {
	for _, kind := range signing.EventTypes() {
		name, _, _ := strings.Cut(kind, ".")
		if len(out) == 0 || out[len(out)-1].Name != name {
			out = append(out, kindGroup{Name: name})
		}
		g := &out[len(out)-1]
		g.Kinds = append(g.Kinds, kindChoice{kind, r.Say("docs.event." + kind), checked(kind)})
	}
	return out
}

func (h *Webhooks) webhooksPage(r *page.Request, made *notify.Webhook) (sheet[webhookCards], error) {
	list, err := h.Service.ListWebhooks(r.UserContext(), r.Who.Actor)
	if err != nil {
		return sheet[webhookCards]{}, err
	}
	c := webhookCards{Made: made, Private: h.Private, All: r.Form.Value("which") != "some",
		Groups: kindGroups(r, func(kind string) bool { return r.Form.Has("event." + kind) })}
	for _, w := range list {
		c.Webhooks = append(c.Webhooks, h.webhookLine(r, w))
	}
	return sheet[webhookCards]{Title: r.Say("settings.webhooks"), Own: c}, nil
}

// webhookInput reads the form of a webhook.
func webhookInput(r *page.Request) notify.WebhookInput {
	in := notify.WebhookInput{URL: new(r.Form.Value("url")), Events: &[]string{notify.AllEvents}}
	if r.Form.Value("which") != "some" {
		return in
	}
	var chosen []string
	for _, kind := range signing.EventTypes() {
		if r.Form.Has("event." + kind) {
			chosen = append(chosen, kind)
		}
	}
	if len(chosen) > 0 {
		in.Events = &chosen
	}
	return in
}

// CreateWebhook creates a webhook and shows its secret once.
func (h *Webhooks) CreateWebhook(r *page.Request) error {
	made, err := h.Service.CreateWebhook(r.UserContext(), r.Who.Actor, webhookInput(r))
	if err != nil {
		p, failed := h.webhooksPage(r, nil)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, page.Gathered(err, "events"), "settings-webhooks", p)
	}
	r.Form = page.Form{}
	p, err := h.webhooksPage(r, &made)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusCreated, "settings-webhooks", p)
}

// webhookPage is one webhook with its deliveries.
type webhookPage struct {
	webhookLine
	Secret     string // when it was just made
	Groups     []kindGroup
	All        bool
	Editing    bool
	Deliveries []deliveryLine
	Filters    []page.Tab
	Pager      page.Pager
	Filtered   bool
	Failed     int // how many were given up
}

// ShowWebhook serves one webhook with its deliveries.
func (h *Webhooks) ShowWebhook(r *page.Request) error {
	p, err := h.onePage(r, "")
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, "settings-webhook", p)
}

// onePage is the page of one webhook.
func (h *Webhooks) onePage(r *page.Request, secret string) (sheet[*webhookPage], error) {
	w, err := h.Service.GetWebhook(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return sheet[*webhookPage]{}, err
	}
	c := webhookPage{webhookLine: h.webhookLine(r, w), Secret: secret, All: slices.Contains(w.Events, notify.AllEvents)}
	if sent := r.Form.Value("which"); sent != "" {
		c.All, c.Editing = sent != "some", true
	}
	c.Groups = kindGroups(r, func(kind string) bool {
		return r.Form.Has("event."+kind) || !c.Editing && slices.Contains(w.Events, kind)
	})
	p := sheet[*webhookPage]{Title: r.Say("webhooks.one"), Own: &c}
	return p, h.listDeliveries(r, &c)
}

// SaveWebhook changes a webhook.
func (h *Webhooks) SaveWebhook(r *page.Request) error {
	_, err := h.Service.UpdateWebhook(r.UserContext(), r.Who.Actor, r.Params("id"), webhookInput(r))
	return h.afterWebhook(r, page.Gathered(err, "events"), "webhooks.saved")
}

// afterWebhook leads back to a webhook that was acted on.
func (h *Webhooks) afterWebhook(r *page.Request, err error, done string, pairs ...string) error {
	if err != nil {
		p, failed := h.onePage(r, "")
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, err, "settings-webhook", p)
	}
	r.Flash("ok", done, pairs...)
	return r.SeeOther(webhooksAt + "/" + r.Params("id"))
}

func (h *Webhooks) enableWebhook(r *page.Request, enabled bool, done string) error {
	_, err := h.Service.UpdateWebhook(r.UserContext(), r.Who.Actor, r.Params("id"), notify.WebhookInput{Enabled: &enabled})
	return h.afterWebhook(r, err, done)
}

// askWebhook asks once more before an act that can't be undone.
func (h *Webhooks) askWebhook(r *page.Request, act string) error {
	w, err := h.Service.GetWebhook(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	return r.Render(http.StatusOK, "confirm", page.Page{Title: r.Say("webhooks."+act+".title", "url", w.URL), Data: page.Confirmation{
		Text: r.Say("webhooks." + act + ".text"), Action: r.Path(), Do: r.Say("webhooks." + act), Back: webhooksAt + "/" + w.ID}})
}

// RotateWebhook gives a webhook a new secret and shows it once.
func (h *Webhooks) RotateWebhook(r *page.Request) error {
	w, err := h.Service.RotateSecret(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	p, err := h.onePage(r, w.Secret)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, "settings-webhook", p)
}

// TestWebhook posts a test, and leads to what came of it.
func (h *Webhooks) TestWebhook(r *page.Request) error {
	d, err := h.Service.TestWebhook(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return h.afterWebhook(r, err, "")
	}
	if d.Status == notify.DeliveryDelivered {
		r.Flash("ok", "webhooks.test.ok")
	} else {
		r.Flash("warn", "webhooks.test.failed")
	}
	return r.SeeOther(deliveryAt(d))
}

// RedeliverFailed queues every failed delivery of a webhook again.
func (h *Webhooks) RedeliverFailed(r *page.Request) error {
	n, err := h.Service.RedeliverFailed(r.UserContext(), r.Who.Actor, r.Params("id"))
	return h.afterWebhook(r, err, "webhooks.redelivered.all", "n", strconv.Itoa(n))
}

// ShowWebhooks serves the list of webhooks.
func (h *Webhooks) ShowWebhooks(r *page.Request) error {
	p, err := h.webhooksPage(r, nil)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, "settings-webhooks", p)
}

// PauseWebhook stops deliveries.
func (h *Webhooks) PauseWebhook(r *page.Request) error {
	return h.enableWebhook(r, false, "webhooks.paused")
}

// EnableWebhook resumes deliveries.
func (h *Webhooks) EnableWebhook(r *page.Request) error {
	return h.enableWebhook(r, true, "webhooks.enabled")
}

// AskRotateWebhook asks whether a webhook is to get a new secret.
func (h *Webhooks) AskRotateWebhook(r *page.Request) error { return h.askWebhook(r, "rotate") }

// AskDeleteWebhook asks whether a webhook is to be deleted.
func (h *Webhooks) AskDeleteWebhook(r *page.Request) error { return h.askWebhook(r, "delete") }

// DeleteWebhook deletes a webhook.
func (h *Webhooks) DeleteWebhook(r *page.Request) error {
	if err := h.Service.DeleteWebhook(r.UserContext(), r.Who.Actor, r.Params("id")); err != nil {
		return err
	}
	r.Flash("ok", "webhooks.deleted")
	return r.SeeOther(webhooksAt)
}
