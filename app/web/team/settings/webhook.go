package settings

import (
	"net/http"
	"slices"
	"strconv"

	"paraph/app/notify"
	"paraph/app/web/page"
)

// webhookPage is one webhook with its deliveries.
type webhookPage struct {
	webhookLine
	Secret     string // right after it was created
	Groups     []kindGroup
	All        bool
	Editing    bool
	Deliveries []deliveryLine
	Filters    []page.Tab
	Pager      page.Pager
	Filtered   bool
	Failed     int // number of deliveries given up
}

// ShowWebhook serves one webhook with its deliveries.
func (h *Webhooks) ShowWebhook(r *page.Request) error {
	p, err := h.onePage(r, "")
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, webhookTemplate, p)
}

// onePage builds the page of one webhook.
func (h *Webhooks) onePage(r *page.Request, secret string) (sheet[*webhookPage], error) {
	w, err := h.Service.GetWebhook(r.Who.Call, r.Params("id"))
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

// SaveWebhook stores the changes to a webhook.
func (h *Webhooks) SaveWebhook(r *page.Request) error {
	_, err := h.Service.UpdateWebhook(r.Who.Call, r.Params("id"), webhookInput(r))
	return h.afterWebhook(r, page.MergeFaults(err, "events"), "webhooks.saved")
}

// afterWebhook redirects to a webhook after an action on it.
func (h *Webhooks) afterWebhook(r *page.Request, err error, done string, pairs ...string) error {
	if err != nil {
		p, failed := h.onePage(r, "")
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, err, webhookTemplate, p)
	}
	r.Flash("ok", done, pairs...)
	return r.SeeOther(webhooksAt + "/" + r.Params("id"))
}

func (h *Webhooks) enableWebhook(r *page.Request, enabled bool, done string) error {
	_, err := h.Service.UpdateWebhook(r.Who.Call, r.Params("id"), notify.WebhookInput{Enabled: &enabled})
	return h.afterWebhook(r, err, done)
}

// askWebhook asks for confirmation before an action that can't be undone.
func (h *Webhooks) askWebhook(r *page.Request, act string) error {
	w, err := h.Service.GetWebhook(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	p := page.Page{Title: r.Say("webhooks."+act+".title", "url", w.URL)}
	return page.ConfirmTemplate.Render(r, http.StatusOK, page.With(p, page.Confirmation{
		Text: r.Say("webhooks." + act + ".text"), Action: r.Path(), Do: r.Say("webhooks." + act), Back: webhooksAt + "/" + w.ID}))
}

// RotateWebhook replaces a webhook's secret and shows the new one once.
func (h *Webhooks) RotateWebhook(r *page.Request) error {
	w, err := h.Service.RotateSecret(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	p, err := h.onePage(r, w.Secret)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, webhookTemplate, p)
}

// TestWebhook sends a test event and redirects to the delivery.
func (h *Webhooks) TestWebhook(r *page.Request) error {
	d, err := h.Service.TestWebhook(r.UserContext(), r.Who.Call, r.Params("id"))
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
	n, err := h.Service.RedeliverFailed(r.UserContext(), r.Who.Call, r.Params("id"))
	return h.afterWebhook(r, err, "webhooks.redelivered.all", "n", strconv.Itoa(n))
}

// PauseWebhook pauses deliveries.
func (h *Webhooks) PauseWebhook(r *page.Request) error {
	return h.enableWebhook(r, false, "webhooks.paused")
}

// EnableWebhook resumes deliveries.
func (h *Webhooks) EnableWebhook(r *page.Request) error {
	return h.enableWebhook(r, true, "webhooks.enabled")
}

// AskRotateWebhook asks whether to replace a webhook's secret.
func (h *Webhooks) AskRotateWebhook(r *page.Request) error { return h.askWebhook(r, "rotate") }

// AskDeleteWebhook asks whether to delete a webhook.
func (h *Webhooks) AskDeleteWebhook(r *page.Request) error { return h.askWebhook(r, "delete") }

// DeleteWebhook deletes a webhook.
func (h *Webhooks) DeleteWebhook(r *page.Request) error {
	if err := h.Service.DeleteWebhook(r.UserContext(), r.Who.Call, r.Params("id")); err != nil {
		return err
	}
	r.Flash("ok", "webhooks.deleted")
	return r.SeeOther(webhooksAt)
}
