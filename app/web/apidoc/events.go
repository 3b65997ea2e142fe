package apidoc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// eventKind is an event type with an example of its webhook message.
type eventKind struct{ Kind, Example string }

// exampleData names the data of event types that have any.
var exampleData = map[string][]string{
	"document.created": {"title"}, "template.created": {"title"}, "document.completed": {"certificate_sha256"}, "document.rejected": {"reason"}, "document.voided": {"reason"}, "document.extended": {"expires_at"},
	"document.handed_over": {"from", "to"}, "document.mail_failed": {"email"}, "document.mail_delivered": {"email"}, "document.overdue": {"job"},
	"document.scheduled": {"send_at"}, "document.not_sent": {"cause"},
	"file.added": {"file", "name", "sha256"}, "file.updated": {"file"}, "file.replaced": {"file", "name", "sha256"}, "file.arranged": {"file", "name", "pages"}, "file.merged": {"file", "name", "sha256", "files", "names"}, "file.removed": {"file", "name", "sha256"}, "field.updated": {"field"}, "field.removed": {"field"},
	"invitation.added": {"email"}, "invitation.removed": {"email"}, "invitation.notified": {"email"}, "invitation.signed": {"email", "method", "certificate"},
	"invitation.consented": {"consent"}, "invitation.consent_withdrawn": {"consent"}, "invitation.in_person": {"email"}, "invitation.declined": {"email", "reason"}, "invitation.delegated": {"from", "to", "invitation"},
	"invitation.replaced": {"from", "to", "invitation"}, "invitation.reminded": {"email"}, "invitation.link_requested": {"email"}, "invitation.problem_reported": {"email", "reason"},
	"invitation.mailed": {"email", "kind", "server", "reply"}, "invitation.bounced": {"email", "kind", "reply"}, "invitation.link_shown": {"email", "through"}, "invitation.code_shown": {"email", "through"},
}

// exampleDatum holds example values of event data that differ from exampleValues.
var exampleDatum = map[string]string{
	"from": "ben@example.org", "to": "dora@example.org", "files": "01K8XN2V8A2M4P6R8T0W2Y4Z6B, 01K8XN2V9B4N6Q8S0V2X4Z6B8D", "file": "01K8XN2V8A2M4P6R8T0W2Y4Z6B", "field": "01K8XN2V9H7K9M1P3R5T7W9Y1Z", "name": "contract.pdf", "pages": "2, 1 (90°)", "names": "contract.pdf, annex.pdf", "method": "link",
	"reason": "The dates are wrong.", "certificate": "5f1c0a", "consent": "1", "expires_at": exampleTime, "invitation": "01K8XN2V9J8M0P2R4T6W8Y0Z2B",
	"job": "remind", "send_at": exampleTime, "cause": "member", "kind": "invitation", "server": "smtp.example.org", "reply": "250 2.0.0 Ok: queued", "through": "web",
	"certificate_sha256": "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13",
}

// exampleStates is the document's status in the example of an event, if not sent.
var exampleStates = map[string]string{
	"document.created": "draft", "template.created": "draft", "document.updated": "draft", "document.fields_added": "draft", "document.fields_replaced": "draft", "document.submitted": "pending_approval",
	"document.withdrawn": "draft", "document.approved": "approved", "document.rejected": "rejected", "document.reopened": "draft", "document.scheduled": "draft", "document.unscheduled": "draft", "document.not_sent": "draft", "document.completed": "completed",
	"document.renewed": "completed", "document.expired": "expired", "document.voided": "voided", "file.added": "draft", "file.updated": "draft", "file.replaced": "draft", "file.arranged": "draft", "file.merged": "draft", "file.removed": "draft",
	"field.updated": "draft", "field.removed": "draft", "invitation.added": "draft", "invitation.updated": "draft", "invitation.removed": "draft",
}

// bySignatory lists the invitation events caused by the signatory.
var bySignatory = []string{"viewed", "consented", "consent_withdrawn", "signed", "declined", "delegated", "link_requested", "problem_reported"}

// events returns all event types with examples built from the message schema.
func (d *openAPI) events(kinds, states []string) ([]eventKind, error) {
	message, err := d.exampleOf("EventMessage")
	if err != nil {
		return nil, err
	}
	document, err := d.exampleOf("Row")
	if err != nil {
		return nil, err
	}
	document = document.without("template", "template_id") // most documents have neither
	var out []eventKind
	for _, kind := range kinds {
		out = append(out, eventKind{kind, asJSON.write(exampleOfKind(kind, message.copied(), document.copied(), states), "")})
	}
	return out, nil
}

// without returns an object that lacks some members.
func (v value) without(names ...string) value {
	out := value{kind: v.kind}
	for i, name := range v.keys {
		if !slices.Contains(names, name) {
			out.keys, out.items = append(out.keys, name), append(out.items, v.items[i])
		}
	}
	return out
}

func (d *openAPI) exampleOf(schema string) (value, error) {
	s := d.Components.Schemas[schema]
	if s == nil {
		return value{}, fmt.Errorf("web: the OpenAPI document has no %s", schema)
	}
	return parseValue(d.example(s, ""))
}

func exampleOfKind(kind string, message, document value, states []string) value {
	message.put(stringOf(kind), "type")
	message.put(stringOf(kind), "data", "event", "type")
	subject, what, _ := strings.Cut(kind, ".")
	actor, id := "user", stringOf(exampleValues["user_id"].(string))
	if subject == "invitation" && slices.Contains(bySignatory, what) {
		actor, id = "signatory", stringOf(exampleValues["invitation_id"].(string))
	} else {
		message.put(stringOf("Ada Lovelace"), "data", "event", "actor", "name")
	}
	message.put(stringOf(actor), "data", "event", "actor", "type")
	message.put(id, "data", "event", "actor", "id")
	message.put(stringOf("01K8XN2V9E7R9T1V3X5Z7B9D1F"), "data", "event", "id")
	if subject != "invitation" {
		message.put(value{text: "null"}, "data", "event", "invitation_id")
	}
	data := value{kind: '{'}
	for _, name := range exampleData[kind] {
		known, ok := exampleDatum[name]
		if !ok {
			known = fmt.Sprint(exampleValues[name])
		}
		data.keys, data.items = append(data.keys, name), append(data.items, stringOf(known))
	}
	message.put(data, "data", "event", "data")
	if state, ok := exampleStates[kind]; ok {
		document.put(stringOf(state), "status")
		document.put(value{text: fmt.Sprint(slices.Index(states, state) + 1)}, "status_id")
	}
	if kind == "document.purged" {
		document = value{text: "null"}
	}
	message.put(document, "data", "document")
	return message
}

func stringOf(s string) value {
	b, err := json.Marshal(s)
	if err != nil {
		return value{text: `""`}
	}
	return value{text: string(b)}
}

// put sets the member at an existing path.
func (v *value) put(to value, path ...string) {
	for _, name := range path {
		i := slices.Index(v.keys, name)
		if i < 0 {
			return
		}
		v = &v.items[i]
	}
	*v = to
}

// copied returns a deep copy.
func (v value) copied() value {
	v.items = slices.Clone(v.items)
	for i := range v.items {
		v.items[i] = v.items[i].copied()
	}
	return v
}

// Genuine returns the sample that checks a webhook signature, in the page's
// language.
func (p docsPage) Genuine() string { return genuine[p.Language.ID] }

// EventTab links to the same page with samples in another language.
func (p docsPage) EventTab(l sampleLanguage) string { return p.in(l, "/docs/webhooks#check") }
