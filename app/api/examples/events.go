package examples

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"paraph/app/signing/record"
	"paraph/app/signing/trail"
)

// data names the data of event types that have any.
var data = map[record.EventType][]string{
	"document.created": {"title"}, "template.created": {"title"}, "document.completed": {"certificate_sha256"}, "document.rejected": {"reason"}, "document.voided": {"reason"}, "document.extended": {"expires_at"},
	"template.link_opened": {"link", "name"}, "template.link_changed": {"link", "name", "changed"}, "template.link_closed": {"link", "name"},
	"template.link_deleted": {"link", "name"}, "template.link_full": {"link", "name", "owner", "email"},
	"document.handed_over": {"from", "to"}, "document.mail_failed": {"email"}, "document.mail_delivered": {"email"}, "document.overdue": {"job"},
	"document.scheduled": {"send_at"}, "document.not_sent": {"cause"},
	"file.added": {"file", "name", "sha256"}, "file.updated": {"file"}, "file.replaced": {"file", "name", "sha256"}, "file.arranged": {"file", "name", "pages"}, "file.merged": {"file", "name", "sha256", "files", "names"}, "file.redacted": {"file", "name", "sha256", "pages"}, "file.removed": {"file", "name", "sha256"}, "field.updated": {"field"}, "field.removed": {"field"},
	"invitation.added": {"email"}, "invitation.removed": {"email"}, "invitation.notified": {"email"}, "invitation.signed": {"email", "method", "certificate", "reading", "recorded_by", "recorded_for"},
	"invitation.filled_in": {"email", "method", "fields"}, "invitation.read": {"email", "method", "reading"}, "invitation.not_needed": {"email", "by"}, "invitation.named": {"email", "name"}, "invitation.consented": {"consent"}, "invitation.consent_withdrawn": {"consent"}, "invitation.in_person": {"email"}, "invitation.declined": {"email", "reason"}, "invitation.delegated": {"from", "to", "invitation"},
	"invitation.replaced": {"from", "to", "invitation"}, "invitation.reminded": {"email"}, "invitation.link_requested": {"email"}, "invitation.problem_reported": {"email", "reason"},
	"invitation.mailed": {"email", "kind", "server", "reply"}, "invitation.bounced": {"email", "kind", "reply"}, "invitation.link_shown": {"email", "through"}, "invitation.code_shown": {"email", "through"},
}

// datums holds example values of event data that differ from those of members.
var datums = map[string]string{
	"from": "ben@example.org", "by": "dora@example.org", "to": "dora@example.org", "files": "01K8XN2V8A2M4P6R8T0W2Y4Z6B, 01K8XN2V9B4N6Q8S0V2X4Z6B8D", "file": "01K8XN2V8A2M4P6R8T0W2Y4Z6B", "field": "01K8XN2V9H7K9M1P3R5T7W9Y1Z", "name": "contract.pdf", "pages": "2, 1 (90°)", "names": "contract.pdf, annex.pdf", "fields": "street, city", "method": "link",
	"owner": "Ada Lovelace", "link": "01K8XN2V9W1Q3S5T7V9X1Z3B5D", "changed": "max_uses, expires_at",
	"reason": "The dates are wrong.", "certificate": "5f1c0a", "consent": "1", "expires_at": exampleTime, "invitation": "01K8XN2V9J8M0P2R4T6W8Y0Z2B",
	"job": "remind", "reading": "shown", "send_at": exampleTime, "cause": "member", "kind": "invitation", "server": "smtp.example.org", "reply": "250 2.0.0 Ok: queued", "through": "web",
	"certificate_sha256": "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13",
}

// states is the document's status in the example of an event, if not sent.
var states = map[record.EventType]record.Status{
	"document.created": record.Draft, "template.created": record.Draft, "document.updated": record.Draft, "document.fields_added": record.Draft, "document.fields_replaced": record.Draft, "document.submitted": record.PendingApproval,
	"document.withdrawn": record.Draft, "document.approved": record.Approved, "document.rejected": record.Rejected, "document.reopened": record.Draft, "document.scheduled": record.Draft, "document.unscheduled": record.Draft, "document.not_sent": record.Draft, "document.completed": record.Completed,
	"document.renewed": record.Completed, "document.expired": record.Expired, "document.voided": record.Voided, "file.added": record.Draft, "file.updated": record.Draft, "file.replaced": record.Draft, "file.arranged": record.Draft, "file.merged": record.Draft, "file.redacted": record.Draft, "file.removed": record.Draft,
	"field.updated": record.Draft, "field.removed": record.Draft, "invitation.added": record.Draft, "invitation.updated": record.Draft, "invitation.removed": record.Draft,
}

// bySignatory lists the invitation events caused by the signatory.
var bySignatory = []string{"viewed", "consented", "consent_withdrawn", "signed", "filled_in", "read", "not_needed", "named", "declined", "delegated", "link_requested", "problem_reported"}

// Event returns an example of an event of a type, with the document as it was at the time.
func Event(kind record.EventType) trail.FeedEvent {
	at, err := time.Parse(time.RFC3339, exampleTime)
	if err != nil {
		panic(err) // it is a constant
	}
	subject, what, _ := strings.Cut(string(kind), ".")
	e := record.Event{Type: kind, Document: text("document_id"), ActorKind: "user", ActorID: text("user_id"),
		ActorName: "Ada Lovelace", IP: text("ip"), UserAgent: text("user_agent")}
	if subject == "invitation" {
		e.Invitation = text("invitation_id")
		if slices.Contains(bySignatory, what) {
			e.ActorKind, e.ActorID, e.ActorName, e.ActorEmail = "signatory", e.Invitation, text("name"), text("email")
		}
	}
	e.Data = map[string]string{}
	for _, name := range data[kind] {
		e.Data[name] = cmp.Or(datums[name], fmt.Sprint(values[name]))
	}
	out := trail.FeedEvent{Entry: record.Entry{ID: text("event_id"), At: at, Value: e,
		Hash: hash(text("hash")), ChainPrevious: hash(text("previous_hash"))}}
	if kind != record.EventDocumentPurged {
		out.Document = row(kind, at)
	}
	return out
}

// row returns the document of an event.
func row(kind record.EventType, at time.Time) *record.Row {
	d := record.Document{ID: text("document_id"), Title: text("title"), Status: cmp.Or(states[kind], record.Sent),
		Owner: record.Person{ID: text("user_id"), Name: text("user_name"), Email: text("email")}, Files: make([]record.File, 1),
		Invitations: []record.Invitation{{Name: text("name"), Email: text("email"), Role: record.Signer, Status: record.Notified}},
		CreatedAt:   at, UpdatedAt: at}
	if d.Status != record.Draft {
		d.SentAt = &at
	}
	r := record.RowOf(&d)
	return &r
}

// text returns the example value of a member that is a string.
func text(name string) string { return fmt.Sprint(values[name]) }

// hash reads an example of a SHA-256 hash in hexadecimal.
func hash(s string) (h [32]byte) {
	if n, err := hex.Decode(h[:], []byte(s)); err != nil || n != len(h) {
		panic("examples: " + s + " is no SHA-256 hash")
	}
	return h
}
