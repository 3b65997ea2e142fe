package api

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/words"

	"paraph/app/notify"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
)

type eventView struct {
	ID           string            `json:"id"`
	DocumentID   string            `json:"document_id"`
	InvitationID *string           `json:"invitation_id"`
	Type         string            `json:"type" doc:"For example invitation.signed"`
	Actor        eventActor        `json:"actor"`
	IP           *string           `json:"ip"`
	UserAgent    *string           `json:"user_agent"`
	Data         map[string]string `json:"data" doc:"Details, depending on the type"`
	At           string            `json:"at" format:"date-time"`
	Hash         string            `json:"hash" doc:"SHA-256 over this event and the previous one"`
	PreviousHash string            `json:"previous_hash" doc:"Hash of the document's previous event"`
}

type eventActor struct {
	Type  string  `json:"type" enum:"user,signatory,system"`
	ID    *string `json:"id"`
	Name  string  `json:"name"`
	Email *string `json:"email"`
	Doubt *string `json:"doubt" enum:"made_by_company,unproven" doc:"Why the account does not prove that this member receives the mail sent to its address: the company created it and the address was never confirmed, or nobody has confirmed the address. null otherwise"`
}

func viewEvent(english fault.Sayer, e record.Entry) eventView {
	v := eventView{ID: e.ID, DocumentID: e.Value.Document, InvitationID: orNull(e.Value.Invitation), Type: string(e.Value.Type),
		Actor: eventActor{e.Value.ActorKind, orNull(e.Value.ActorID), e.Value.ActorName, orNull(e.Value.ActorEmail), orNull(e.Value.ActorDoubt)},
		IP:    orNull(e.Value.IP), UserAgent: orNull(e.Value.UserAgent), Data: e.Value.Details(english), At: when(e.At),
		Hash: hex.EncodeToString(e.Hash[:]), PreviousHash: hex.EncodeToString(e.ChainPrevious[:])}
	if v.Data == nil {
		v.Data = map[string]string{}
	}
	return v
}

// eventMessage is the body of a webhook and an item of the feed of events.
type eventMessage struct {
	Type      string           `json:"type" doc:"For example document.completed"`
	Timestamp string           `json:"timestamp" format:"date-time" doc:"Time of the event"`
	Data      eventMessageData `json:"data"`
}

type eventMessageData struct {
	Event    eventView   `json:"event"`
	Document *record.Row `json:"document" doc:"As in lists; null once it is deleted permanently"`
}

func viewMessageOf(english fault.Sayer, e trail.FeedEvent) eventMessage {
	data := eventMessageData{viewEvent(english, e.Entry), e.Document}
	return eventMessage{string(e.Entry.Value.Type), when(e.Entry.At), data}
}

type testMessage struct {
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Data      testMessageData `json:"data"`
}

type testMessageData struct {
	WebhookID string `json:"webhook_id"`
	Message   string `json:"message"`
}

// WebhookBody returns a function for the body of an event as webhooks receive it.
func WebhookBody(english *words.Language) func(trail.FeedEvent) (string, error) {
	return func(e trail.FeedEvent) (string, error) { return compact(viewMessageOf(english.SayOf, e)) }
}

// WebhookTestBody returns the body that a test posts to a webhook.
func WebhookTestBody(webhook string, at time.Time) (string, error) {
	return compact(testMessage{notify.TestEvent, when(at), testMessageData{webhook, "This is a test. Nothing has happened."}})
}

// compact encodes JSON without HTML escapes.
func compact[T any](v T) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
