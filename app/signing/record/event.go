package record

import (
	"maps"
	"time"

	"paraph/app/account"
	"paraph/kv"
)

// EventType is the type of an event of a document, a file, a field or an invitation.
type EventType string

// The types of events, in the order of a document's life.
const (
	EventDocumentCreated            EventType = "document.created"
	EventDocumentUpdated            EventType = "document.updated"
	EventDocumentFieldsAdded        EventType = "document.fields_added"
	EventDocumentFieldsReplaced     EventType = "document.fields_replaced"
	EventDocumentSubmitted          EventType = "document.submitted"
	EventDocumentWithdrawn          EventType = "document.withdrawn"
	EventDocumentApproved           EventType = "document.approved"
	EventDocumentRejected           EventType = "document.rejected"
	EventDocumentReopened           EventType = "document.reopened"
	EventDocumentScheduled          EventType = "document.scheduled"
	EventDocumentUnscheduled        EventType = "document.unscheduled"
	EventDocumentNotSent            EventType = "document.not_sent"
	EventDocumentSent               EventType = "document.sent"
	EventDocumentCompleted          EventType = "document.completed"
	EventDocumentSealingDelayed     EventType = "document.sealing_delayed"
	EventDocumentSealingFailed      EventType = "document.sealing_failed"
	EventDocumentSealingRetried     EventType = "document.sealing_retried"
	EventDocumentRenewed            EventType = "document.renewed"
	EventDocumentExpired            EventType = "document.expired"
	EventDocumentExtended           EventType = "document.extended"
	EventDocumentVoided             EventType = "document.voided"
	EventDocumentArchived           EventType = "document.archived"
	EventDocumentHandedOver         EventType = "document.handed_over"
	EventDocumentDeleted            EventType = "document.deleted"
	EventDocumentRestored           EventType = "document.restored"
	EventDocumentPurged             EventType = "document.purged"
	EventDocumentMailFailed         EventType = "document.mail_failed"
	EventDocumentMailDelivered      EventType = "document.mail_delivered"
	EventDocumentOverdue            EventType = "document.overdue"
	EventDocumentCaughtUp           EventType = "document.caught_up"
	EventTemplateCreated            EventType = "template.created"
	EventTemplateLinkOpened         EventType = "template.link_opened"
	EventTemplateLinkChanged        EventType = "template.link_changed"
	EventTemplateLinkClosed         EventType = "template.link_closed"
	EventTemplateLinkDeleted        EventType = "template.link_deleted"
	EventTemplateLinkFull           EventType = "template.link_full"
	EventFileAdded                  EventType = "file.added"
	EventFileUpdated                EventType = "file.updated"
	EventFileReplaced               EventType = "file.replaced"
	EventFileArranged               EventType = "file.arranged"
	EventFileMerged                 EventType = "file.merged"
	EventFileRedacted               EventType = "file.redacted"
	EventFileRemoved                EventType = "file.removed"
	EventFieldUpdated               EventType = "field.updated"
	EventFieldRemoved               EventType = "field.removed"
	EventInvitationAdded            EventType = "invitation.added"
	EventInvitationUpdated          EventType = "invitation.updated"
	EventInvitationRemoved          EventType = "invitation.removed"
	EventInvitationNotified         EventType = "invitation.notified"
	EventInvitationViewed           EventType = "invitation.viewed"
	EventInvitationConsented        EventType = "invitation.consented"
	EventInvitationConsentWithdrawn EventType = "invitation.consent_withdrawn"
	EventInvitationInPerson         EventType = "invitation.in_person"
	EventInvitationSigned           EventType = "invitation.signed"
	EventInvitationFilledIn         EventType = "invitation.filled_in"
	EventInvitationRead             EventType = "invitation.read"
	EventInvitationNotNeeded        EventType = "invitation.not_needed"
	EventInvitationNamed            EventType = "invitation.named"
	EventInvitationDeclined         EventType = "invitation.declined"
	EventInvitationDelegated        EventType = "invitation.delegated"
	EventInvitationReplaced         EventType = "invitation.replaced"
	EventInvitationReminded         EventType = "invitation.reminded"
	EventInvitationLinkRequested    EventType = "invitation.link_requested"
	EventInvitationProblemReported  EventType = "invitation.problem_reported"
	EventInvitationMailed           EventType = "invitation.mailed"
	EventInvitationBounced          EventType = "invitation.bounced"
	EventInvitationLinkShown        EventType = "invitation.link_shown"
	EventInvitationCodeShown        EventType = "invitation.code_shown"
)

// EventTypes lists all types of events, in the order of a document's life.
func EventTypes() []EventType {
	return []EventType{
		EventDocumentCreated, EventDocumentUpdated, EventDocumentFieldsAdded, EventDocumentFieldsReplaced,
		EventDocumentSubmitted, EventDocumentWithdrawn, EventDocumentApproved, EventDocumentRejected,
		EventDocumentReopened, EventDocumentScheduled, EventDocumentUnscheduled, EventDocumentNotSent,
		EventDocumentSent, EventDocumentCompleted, EventDocumentSealingDelayed,
		EventDocumentSealingFailed, EventDocumentSealingRetried, EventDocumentRenewed,
		EventDocumentExpired, EventDocumentExtended, EventDocumentVoided,
		EventDocumentArchived, EventDocumentHandedOver, EventDocumentDeleted, EventDocumentRestored,
		EventDocumentPurged, EventDocumentMailFailed, EventDocumentMailDelivered, EventDocumentOverdue, EventDocumentCaughtUp,
		EventTemplateCreated, EventTemplateLinkOpened, EventTemplateLinkChanged, EventTemplateLinkClosed,
		EventTemplateLinkDeleted, EventTemplateLinkFull,
		EventFileAdded, EventFileUpdated, EventFileReplaced, EventFileArranged, EventFileMerged, EventFileRedacted,
		EventFileRemoved,
		EventFieldUpdated, EventFieldRemoved,
		EventInvitationAdded, EventInvitationUpdated, EventInvitationRemoved, EventInvitationNotified,
		EventInvitationViewed, EventInvitationConsented, EventInvitationConsentWithdrawn,
		EventInvitationInPerson, EventInvitationSigned, EventInvitationFilledIn, EventInvitationRead,
		EventInvitationNotNeeded,
		EventInvitationNamed,
		EventInvitationDeclined, EventInvitationDelegated,
		EventInvitationReplaced, EventInvitationReminded, EventInvitationLinkRequested,
		EventInvitationProblemReported, EventInvitationMailed, EventInvitationBounced,
		EventInvitationLinkShown, EventInvitationCodeShown,
	}
}

// EventNames lists the names of all types of events, as the API uses them.
func EventNames() []string {
	names := make([]string, 0, len(EventTypes()))
	for _, t := range EventTypes() {
		names = append(names, string(t))
	}
	return names
}

// Entry is an event with its place in the hash chains of the audit trail.
type Entry = kv.Entry[Event]

// Event is one entry of the audit trail, as it is stored and hashed.
type Event struct {
	Type       EventType
	Company    string
	Document   string
	Invitation string `json:",omitempty"`
	ActorKind  string // user, signatory, system
	ActorID    string
	ActorName  string
	ActorEmail string
	ActorDoubt string `json:",omitempty"` // see account.Actor.Doubt
	IP         string
	UserAgent  string
	Data       map[string]string `json:",omitempty"`
	Version    int64             `json:",omitempty"` // of the document after the change; 0 in older events
}

// Acts reports whether the event records that a person has done what they were asked to do.
func (t EventType) Acts() bool {
	return t == EventInvitationSigned || t == EventInvitationFilledIn || t == EventInvitationRead
}

// NewEvent returns an event of the given type. What all events of a change have in
// common is added when they are saved.
func NewEvent(kind EventType) Event { return Event{Type: kind} }

// To names the invitation that the event is about.
func (e Event) To(invitation string) Event { e.Invitation = invitation; return e }

// With adds a detail.
func (e Event) With(key, value string) Event {
	data := make(map[string]string, len(e.Data)+1)
	maps.Copy(data, e.Data)
	data[key] = value
	e.Data = data
	return e
}

// By records the actor and where they acted from.
func (e Event) By(who account.Call) Event {
	e.ActorKind, e.ActorID, e.ActorName, e.ActorEmail = actorKind(who.Actor), actorID(who.Actor), who.Name, who.Email
	e.ActorDoubt = who.Doubt()
	e.IP, e.UserAgent = who.IP, who.UserAgent
	return e
}

// Recorded adds who did it in the person's name, if they did not do it themself.
func (e Event) Recorded(inv *Invitation) Event {
	if by := inv.RecordedBy; by != nil {
		e = e.With("recorded_by", by.Name+" <"+by.Email+">").With("recorded_for", inv.Name)
	}
	return e
}

// actorKind returns the journal's name for the actor: user, signatory or system.
func actorKind(who account.Actor) string {
	switch who.Kind {
	case account.ActorSignatory:
		return "signatory"
	case account.ActorSystem:
		return "system"
	}
	return "user"
}

func actorID(who account.Actor) string {
	if who.Kind == account.ActorSignatory {
		return who.Invitation
	}
	return who.UserID
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// FormatTime writes a time as the API does: RFC 3339, UTC, milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }
