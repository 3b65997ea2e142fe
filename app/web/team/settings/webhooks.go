package settings

import (
	"net/http"
	"slices"
	"strings"

	"paraph/app/notify"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

const webhooksAt = "/app/settings/webhooks"

// Webhooks serves the pages about webhooks and their deliveries.
type Webhooks struct {
	*Frame
	Service *notify.Webhooks
	Private bool // private addresses are allowed
}

// webhookCards is the data of the page that lists webhooks.
type webhookCards struct {
	Made     *notify.Webhook // created just now, the only time its secret is shown
	Webhooks []webhookLine
	Groups   []kindGroup
	All      bool // the form has all events selected
	Private  bool // private addresses are allowed
}

// webhookLine is a webhook in the list and on its own page.
type webhookLine struct {
	notify.Webhook
	At, Kinds, Rate string
	Chip            page.Chip
}

// kindGroup holds the event types of one kind of object.
type kindGroup struct {
	Name  string
	Kinds []kindChoice
}

type kindChoice struct {
	Value, Text string
	Checked     bool
}

// namedKinds is the maximum number of event types named in the list.
const namedKinds = 3

func (h *Webhooks) webhookLine(r *page.Request, w notify.Webhook) webhookLine {
	l := webhookLine{Webhook: w, At: webhooksAt + "/" + w.ID, Kinds: r.Say("webhooks.all"), Rate: r.Say("webhooks.rate.none")}
	if !slices.Contains(w.Events, notify.AllEvents) {
		l.Kinds = strings.Join(w.Events[:min(namedKinds, len(w.Events))], ", ")
		if more := len(w.Events) - namedKinds; more > 0 {
			l.Kinds += " " + r.Say("webhooks.more", "n", more)
		}
	}
	delivered, failed := w.Recent(h.Now(r.Who.Company.ID))
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

// kindGroups returns the event types to choose from.
func kindGroups(r *page.Request, checked func(kind string) bool) (out []kindGroup) {
	for _, kind := range record.EventNames() {
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
	list, err := h.Service.ListWebhooks(r.Who.Call)
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
	for _, kind := range record.EventNames() {
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
	made, err := h.Service.CreateWebhook(r.Who.Call, webhookInput(r))
	if err != nil {
		p, failed := h.webhooksPage(r, nil)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, page.MergeFaults(err, "events"), "settings-webhooks", p)
	}
	r.Form = page.Form{}
	p, err := h.webhooksPage(r, &made)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusCreated, webhooksTemplate, p)
}

// ShowWebhooks serves the list of webhooks.
func (h *Webhooks) ShowWebhooks(r *page.Request) error {
	p, err := h.webhooksPage(r, nil)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, webhooksTemplate, p)
}
