package apidoc

import (
	"cmp"
	"slices"
)

// eventKind is an event type with an example of its webhook message.
type eventKind struct{ Kind, Example string }

// events returns all event types in reading order, with their examples.
func (d *openAPI) events() []eventKind {
	var out []eventKind
	orders := map[string]int{}
	for kind, methods := range d.Webhooks {
		for _, op := range methods {
			if op.RequestBody == nil {
				continue
			}
			orders[kind] = op.Order
			out = append(out, eventKind{kind, indented(op.RequestBody.Content["application/json"].Example)})
		}
	}
	slices.SortFunc(out, func(a, b eventKind) int { return cmp.Compare(orders[a.Kind], orders[b.Kind]) })
	return out
}

// Genuine returns the sample that checks a webhook signature, in the page's
// language.
func (p docsPage) Genuine() string { return genuine[p.Language.ID] }

// EventTab links to the same page with samples in another language.
func (p docsPage) EventTab(l sampleLanguage) string { return p.in(l, "/docs/webhooks#check") }
