package notify

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/record"
)

// WebhookInput holds the settings of a webhook; nil keeps the current value.
type WebhookInput struct {
	URL     *string
	Events  *[]string // empty: all
	Enabled *bool
}

// apply checks an input and writes it to the webhook.
func (s *Webhooks) apply(w *Webhook, in WebhookInput) error {
	var f fault.Fields
	if in.URL != nil {
		w.URL = strings.TrimSpace(*in.URL)
	}
	s.checkURL(&f, w.URL)
	if in.Events != nil {
		w.Events = filter(&f, *in.Events)
	}
	if in.Enabled != nil {
		w.Enabled = *in.Enabled
	}
	if w.Enabled {
		w.Gone = false
	}
	return f.Err()
}

func (s *Webhooks) checkURL(f *fault.Fields, address string) {
	u, err := url.Parse(address)
	switch {
	case address == "":
		f.Required("url")
	case len(address) > maxWebhookURL:
		f.TooLong("url", maxWebhookURL)
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || strings.ContainsFunc(address, notInURL):
		f.Add("url", "not_a_full_address")
	case u.User != nil:
		f.Add("url", "credentials_in_address")
	case !s.Client.MayReach(u.Hostname()):
		f.Add("url", "private_address")
	}
}

func notInURL(r rune) bool { return r <= ' ' || r == 0x7f }

// filter returns the requested kinds of events in standard order, or only AllEvents.
func filter(f *fault.Fields, events []string) []string {
	if len(events) == 0 || slices.Contains(events, AllEvents) {
		return []string{AllEvents}
	}
	var out []string
	for _, kind := range record.EventNames() {
		if slices.Contains(events, kind) {
			out = append(out, kind)
		}
	}
	for i, kind := range events {
		if !slices.Contains(out, kind) {
			f.Selected(fmt.Sprintf("events.%d", i))
		}
	}
	return out
}
