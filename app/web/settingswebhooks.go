package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/notify"
	"paraph/app/signing"
)

const webhooksAt = "/app/settings/webhooks"

func (d *Door) webhookRoutes(app *fiber.App) {
	d.settingsGet(app, "/webhooks", func(r *request) error {
		p, err := r.webhooksPage(nil)
		if err != nil {
			return err
		}
		return r.settings(http.StatusOK, "settings-webhooks", p)
	})
	d.teamPost(app, webhooksAt, (*request).makeWebhook)
	d.settingsGet(app, "/webhooks/:id", (*request).showWebhook)
	d.teamPost(app, webhooksAt+"/:id", (*request).saveWebhook)
	d.teamPost(app, webhooksAt+"/:id/pause", func(r *request) error { return r.enableWebhook(false, "webhooks.paused") })
	d.teamPost(app, webhooksAt+"/:id/enable", func(r *request) error { return r.enableWebhook(true, "webhooks.enabled") })
	d.teamPost(app, webhooksAt+"/:id/test", (*request).testWebhook)
	d.teamPost(app, webhooksAt+"/:id/redeliver", (*request).redeliverFailed)
	d.settingsGet(app, "/webhooks/:id/rotate", func(r *request) error { return r.askWebhook("rotate") })
	d.teamPost(app, webhooksAt+"/:id/rotate", (*request).rotateWebhook)
	d.settingsGet(app, "/webhooks/:id/delete", func(r *request) error { return r.askWebhook("delete") })
	d.teamPost(app, webhooksAt+"/:id/delete", func(r *request) error {
		if err := r.door.Webhooks.DeleteWebhook(r.UserContext(), r.who.Actor, r.Params("id")); err != nil {
			return err
		}
		r.flash("ok", "webhooks.deleted")
		return r.redirect(webhooksAt)
	})
	d.settingsGet(app, "/webhooks/:id/deliveries/:delivery", (*request).showDelivery)
	d.teamPost(app, webhooksAt+"/:id/deliveries/:delivery/redeliver", (*request).redeliver)
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
	Chip            chipData
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

func (r *request) webhookLine(w notify.Webhook) webhookLine {
	l := webhookLine{Webhook: w, At: webhooksAt + "/" + w.ID, Kinds: r.say("webhooks.all"), Rate: r.say("webhooks.rate.none")}
	if !slices.Contains(w.Events, notify.AllEvents) {
		l.Kinds = strings.Join(w.Events[:min(namedKinds, len(w.Events))], ", ")
		if more := len(w.Events) - namedKinds; more > 0 {
			l.Kinds += " " + r.say("webhooks.more", "n", more)
		}
	}
	delivered, failed := w.Recent(r.door.Now())
	if n := delivered + failed; n > 0 {
		l.Rate = r.say("webhooks.rate", "percent", 100*delivered/n, "n", n)
	}
	switch {
	case w.Gone:
		l.Chip = chipData{"warn", "void", r.say("webhooks.state.gone")}
	case !w.Enabled:
		l.Chip = chipData{"", "void", r.say("webhooks.state.paused")}
	case w.FailingSince != nil:
		l.Chip = chipData{"danger", "alert", r.say("webhooks.state.failing")}
	case delivered == 0:
		l.Chip = chipData{"info", "hourglass", r.say("webhooks.state.new")}
	default:
		l.Chip = chipData{"ok", "check", r.say("webhooks.state.ok")}
	}
	return l
}

// kindGroups are all kinds of events to choose from.
func (r *request) kindGroups(checked func(kind string) bool) (out []kindGroup) {
	for _, kind := range signing.EventTypes() {
		name, _, _ := strings.Cut(kind, ".")
		if len(out) == 0 || out[len(out)-1].Name != name {
			out = append(out, kindGroup{Name: name})
		}
		g := &out[len(out)-1]
		g.Kinds = append(g.Kinds, kindChoice{kind, r.say("docs.event." + kind), checked(kind)})
	}
	return out
}

func (r *request) webhooksPage(made *notify.Webhook) (page, error) {
	list, err := r.door.Webhooks.ListWebhooks(r.UserContext(), r.who.Actor)
	if err != nil {
		return page{}, err
	}
	c := webhookCards{Made: made, Private: r.door.Setup.PrivateWebhooks, All: r.form.value("which") != "some",
		Groups: r.kindGroups(func(kind string) bool { return r.form.has("event." + kind) })}
	for _, w := range list {
		c.Webhooks = append(c.Webhooks, r.webhookLine(w))
	}
	return page{Title: r.say("settings.webhooks"), Data: c}, nil
}

// webhookInput reads the form of a webhook.
func (r *request) webhookInput() notify.WebhookInput {
	in := notify.WebhookInput{URL: new(r.form.value("url")), Events: &[]string{notify.AllEvents}}
	if r.form.value("which") != "some" {
		return in
	}
	var chosen []string
	for _, kind := range signing.EventTypes() {
		if r.form.has("event." + kind) {
			chosen = append(chosen, kind)
		}
	}
	if len(chosen) > 0 {
		in.Events = &chosen
	}
	return in
}

func (r *request) makeWebhook() error {
	made, err := r.door.Webhooks.CreateWebhook(r.UserContext(), r.who.Actor, r.webhookInput())
	if err != nil {
		p, failed := r.webhooksPage(nil)
		if failed != nil {
			return failed
		}
		return r.settingsAgain(gathered(err, "events"), "settings-webhooks", p)
	}
	r.form = form{}
	p, err := r.webhooksPage(&made)
	if err != nil {
		return err
	}
	return r.settings(http.StatusCreated, "settings-webhooks", p)
}

// webhookPage is one webhook with its deliveries.
type webhookPage struct {
	webhookLine
	Secret     string // when it was just made
	Groups     []kindGroup
	All        bool
	Editing    bool
	Deliveries []deliveryLine
	Filters    []tab
	Pager      pager
	Filtered   bool
	Failed     int // how many were given up
}

func (r *request) showWebhook() error {
	p, err := r.onePage("")
	if err != nil {
		return err
	}
	return r.settings(http.StatusOK, "settings-webhook", p)
}

// onePage is the page of one webhook.
func (r *request) onePage(secret string) (page, error) {
	w, err := r.door.Webhooks.GetWebhook(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return page{}, err
	}
	c := webhookPage{webhookLine: r.webhookLine(w), Secret: secret, All: slices.Contains(w.Events, notify.AllEvents)}
	if sent := r.form.value("which"); sent != "" {
		c.All, c.Editing = sent != "some", true
	}
	c.Groups = r.kindGroups(func(kind string) bool {
		return r.form.has("event."+kind) || !c.Editing && slices.Contains(w.Events, kind)
	})
	p := page{Title: r.say("webhooks.one"), Data: &c}
	return p, r.listDeliveries(&c)
}

func (r *request) saveWebhook() error {
	_, err := r.door.Webhooks.UpdateWebhook(r.UserContext(), r.who.Actor, r.Params("id"), r.webhookInput())
	return r.afterWebhook(gathered(err, "events"), "webhooks.saved")
}

// afterWebhook leads back to a webhook that was acted on.
func (r *request) afterWebhook(err error, done string, pairs ...string) error {
	if err != nil {
		p, failed := r.onePage("")
		if failed != nil {
			return failed
		}
		return r.settingsAgain(err, "settings-webhook", p)
	}
	r.flash("ok", done, pairs...)
	return r.redirect(webhooksAt + "/" + r.Params("id"))
}

func (r *request) enableWebhook(enabled bool, done string) error {
	_, err := r.door.Webhooks.UpdateWebhook(r.UserContext(), r.who.Actor, r.Params("id"), notify.WebhookInput{Enabled: &enabled})
	return r.afterWebhook(err, done)
}

// askWebhook asks once more before an act that can't be undone.
func (r *request) askWebhook(act string) error {
	w, err := r.door.Webhooks.GetWebhook(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "confirm", page{Title: r.say("webhooks."+act+".title", "url", w.URL), Data: confirmation{
		Text: r.say("webhooks." + act + ".text"), Action: r.Path(), Do: r.say("webhooks." + act), Back: webhooksAt + "/" + w.ID}})
}

func (r *request) rotateWebhook() error {
	w, err := r.door.Webhooks.RotateSecret(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	p, err := r.onePage(w.Secret)
	if err != nil {
		return err
	}
	return r.settings(http.StatusOK, "settings-webhook", p)
}

// testWebhook posts a test, and leads to what came of it.
func (r *request) testWebhook() error {
	d, err := r.door.Webhooks.TestWebhook(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return r.afterWebhook(err, "")
	}
	if d.Status == notify.DeliveryDelivered {
		r.flash("ok", "webhooks.test.ok")
	} else {
		r.flash("warn", "webhooks.test.failed")
	}
	return r.redirect(deliveryAt(d))
}

func (r *request) redeliverFailed() error {
	n, err := r.door.Webhooks.RedeliverFailed(r.UserContext(), r.who.Actor, r.Params("id"))
	return r.afterWebhook(err, "webhooks.redelivered.all", "n", strconv.Itoa(n))
}
