package documents

import (
	"cmp"
	"encoding/hex"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
	"paraph/app/web/page"
	"paraph/app/words"
)

// activity is a document's events by day, newest first.
type activity struct {
	Days  []activityDay
	Pager page.Pager
	Zone  string
}

type activityDay struct {
	Title   string
	Entries []activityEntry
}

// activityEntry describes one event with its evidence.
type activityEntry struct {
	ID, Text, Icon  string
	At              time.Time
	Time, UTC       string
	Who, Mail       string
	IP, Agent, Hash string
	Seq             uint64
	Reason          string
	Folded          []activityEntry // earlier events that belong to this one

	kind       record.EventType
	invitation string
}

// foldTime is the maximum time between events that belong together.
const foldTime = 30 * time.Minute

// milestones are the events that are always shown on their own.
var milestones = []record.EventType{
	record.EventDocumentApproved, record.EventDocumentRejected, record.EventDocumentSent, record.EventDocumentCompleted,
	record.EventDocumentExpired, record.EventDocumentVoided, record.EventInvitationSigned, record.EventInvitationDeclined,
	record.EventInvitationDelegated, record.EventInvitationReplaced,
}

// fold adds an event to the newer one to which it belongs, and reports whether there is one: the
// preceding one, if both are about the same recipient, or if the same person did the same.
func (d *activityDay) fold(e activityEntry) bool {
	if len(d.Entries) == 0 {
		return false
	}
	last := &d.Entries[len(d.Entries)-1]
	alike := e.kind == last.kind && e.Who == last.Who
	samePerson := e.invitation != "" && e.invitation == last.invitation
	if slices.Contains(milestones, e.kind) || last.At.Sub(e.At) > foldTime || !alike && !samePerson {
		return false
	}
	last.Folded = append(last.Folded, e)
	return true
}

func (h *Handlers) activity(r *page.Request, d *record.Document) (activity, error) {
	number, size := r.PageOf()
	q := trail.EventsQuery{Page: number, PerPage: size, Descending: true}
	events, total, err := h.Trail.Events(r.Who.Call, d.ID, q)
	if err != nil {
		return activity{}, err
	}
	a := activity{Pager: r.Pager(number, size, total), Zone: r.Who.Zone().String()}
	for _, e := range events {
		at := e.At.In(r.Who.Zone())
		title := r.Words.Date(at)
		if n := len(a.Days); n == 0 || a.Days[n-1].Title != title {
			a.Days = append(a.Days, activityDay{Title: title})
		}
		day := &a.Days[len(a.Days)-1]
		entry := activityEntry{
			kind:       e.Value.Type,
			invitation: e.Value.Invitation,

			ID:     "e-" + e.ID,
			Text:   eventText(r.Words, d, &e),
			Icon:   eventIcon(e.Value.Type),
			At:     e.At,
			Time:   at.Format("15:04:05 MST"),
			UTC:    words.UTC(e.At),
			Who:    cmp.Or(e.Value.ActorName, e.Value.ActorEmail),
			Mail:   e.Value.ActorEmail,
			IP:     e.Value.IP,
			Agent:  e.Value.UserAgent,
			Hash:   hex.EncodeToString(e.Hash[:]),
			Seq:    e.Number(),
			Reason: e.Value.Why().Sentence(r.Words.SayOf),
		}
		if !day.fold(entry) {
			day.Entries = append(day.Entries, entry)
		}
	}
	return a, nil
}

// eventText describes an event. A type without a text, perhaps from a later version,
// is shown by its name.
func eventText(l *words.Language, d *record.Document, e *record.Entry) string {
	who := cmp.Or(e.Value.ActorName, e.Value.ActorEmail)
	if e.Value.ActorKind == "system" {
		who = l.Say("event.system")
	}
	person := e.Value.Data["email"]
	if inv := d.Invitation(e.Value.Invitation); inv != nil {
		person = inv.DisplayName()
	}
	pairs := []any{"who", who, "person", person, "title", d.Title, "fields", cmp.Or(e.Value.Data["fields"], "–")}
	for _, name := range []string{"name", "from", "to", "email", "by"} {
		pairs = append(pairs, name, e.Value.Data[name])
	}
	if e.Value.Data["recorded_by"] != "" { // the one who recorded it is the actor
		return l.Say("certificate.recorded_by", "by", who, "name", person) + ": " + l.SayOr("certificate.event."+string(e.Value.Type), string(e.Value.Type))
	}
	text, err := l.Text("event."+string(e.Value.Type), pairs...)
	if err != nil {
		return string(e.Value.Type)
	}
	return text
}

// eventIcon returns the icon of an event type.
func eventIcon(kind record.EventType) string {
	for symbol, kinds := range map[string][]record.EventType{
		"check": {record.EventInvitationSigned, record.EventInvitationFilledIn, record.EventInvitationRead,
			record.EventDocumentApproved, record.EventInvitationConsented},
		"checks":    {record.EventDocumentCompleted, record.EventDocumentRenewed},
		"sent":      {record.EventDocumentSent, record.EventInvitationNotified},
		"bell":      {record.EventInvitationReminded, record.EventInvitationLinkRequested, record.EventInvitationProblemReported},
		"eye":       {record.EventInvitationViewed},
		"cross":     {record.EventInvitationDeclined, record.EventDocumentRejected, record.EventDocumentDeleted},
		"void":      {record.EventDocumentVoided, record.EventInvitationConsentWithdrawn},
		"clock":     {record.EventDocumentExpired, record.EventDocumentExtended},
		"hourglass": {record.EventDocumentSubmitted},
		"alert":     {record.EventDocumentMailFailed, record.EventDocumentSealingDelayed},
		"users": {record.EventInvitationReplaced, record.EventInvitationNamed, record.EventInvitationDelegated,
			record.EventDocumentHandedOver, record.EventInvitationInPerson},
	} {
		if slices.Contains(kinds, kind) {
			return symbol
		}
	}
	return "pencil"
}

// eventJSON is an event in the download.
type eventJSON struct {
	Seq               uint64            `json:"seq"`
	ID                string            `json:"id"`
	Type              string            `json:"type"`
	At                string            `json:"at"`
	Invitation        string            `json:"invitation_id,omitempty"`
	Actor             eventActor        `json:"actor"`
	IP                string            `json:"ip,omitempty"`
	UserAgent         string            `json:"user_agent,omitempty"`
	Data              map[string]string `json:"data,omitempty"`
	Hash              string            `json:"hash"`
	Previous          string            `json:"previous"`
	PreviousOfHistory string            `json:"previous_of_document"`
}

type eventActor struct {
	Kind  string `json:"kind"`
	ID    string `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
	Doubt string `json:"doubt,omitempty"`
}

// maxEvents is the maximum number of events in one download.
const maxEvents = 10_000

// DownloadEvents serves the audit trail of a document, oldest first.
func (h *Handlers) DownloadEvents(r *page.Request) error {
	entries, _, err := h.Trail.Events(r.Who.Call, r.Params("id"), trail.EventsQuery{Page: 1, PerPage: maxEvents})
	if err != nil {
		return err
	}
	out := make([]eventJSON, 0, len(entries))
	for _, e := range entries {
		v := e.Value
		out = append(out, eventJSON{
			Seq:               e.Number(),
			ID:                e.ID,
			Type:              string(v.Type),
			At:                record.FormatTime(e.At),
			Invitation:        v.Invitation,
			Actor:             eventActor{v.ActorKind, v.ActorID, v.ActorName, v.ActorEmail, v.ActorDoubt},
			IP:                v.IP,
			UserAgent:         v.UserAgent,
			Data:              v.Details(r.Words.SayOf),
			Hash:              hex.EncodeToString(e.Hash[:]),
			Previous:          hex.EncodeToString(e.Previous[:]),
			PreviousOfHistory: hex.EncodeToString(e.ChainPrevious[:]),
		})
	}
	if !r.Scripted() {
		r.Set(fiber.HeaderContentDisposition, httpkit.Disposition("audit-trail.json"))
	}
	return r.JSON(out)
}
