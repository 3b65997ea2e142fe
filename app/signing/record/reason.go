package record

import (
	"strings"

	"paraph/app/fault"
)

// ReasonCode names a reason that the program itself knows. The catalogue describes it under
// "term.reason." and the code.
type ReasonCode string

// The reasons known to the program.
const (
	ReasonDeclined    ReasonCode = "declined"     // somebody declined to sign
	ReasonWrongPerson ReasonCode = "wrong_person" // the invitation reached someone it was not meant for
	ReasonContent     ReasonCode = "content"      // they don't agree with the content
	ReasonMistake     ReasonCode = "mistake"      // the document contains a mistake
	ReasonPerson      ReasonCode = "person"       // somebody else should sign
	ReasonRecorded    ReasonCode = "recorded"     // a member recorded that somebody declines
	ReasonPaper       ReasonCode = "paper"        // they want to sign on paper
)

// DeclineReasons lists the reasons that people can choose when they decline.
func DeclineReasons() []ReasonCode {
	return []ReasonCode{ReasonContent, ReasonMistake, ReasonPerson, ReasonPaper}
}

// Reason tells why a document or an invitation ended: what the program knows, and what people
// wrote themselves.
type Reason struct {
	Code  ReasonCode // "" if only people know
	Name  string     // of the person whom Code concerns
	Words string     // people's own
}

// Sentence returns the reason in words, "" if none is known.
func (r Reason) Sentence(say fault.Sayer) string {
	if r.Code == "" {
		return r.Words
	}
	return strings.TrimSpace(say("term.reason."+string(r.Code), map[string]any{"name": r.Name}) + " " + r.Words)
}

// WhyVoided returns the reason for which the document was voided.
func (d *Document) WhyVoided() Reason {
	return Reason{d.VoidedCode, d.VoidedName, d.VoidedReason}
}

func (d *Document) setWhyVoided(r Reason) {
	d.VoidedCode, d.VoidedName, d.VoidedReason = r.Code, r.Name, r.Words
}

// WhyDeclined returns the reason that the person stated for declining. If a member recorded that
// they decline, RecordedBy has the member's.
func (i *Invitation) WhyDeclined() Reason {
	return Reason{Code: i.DeclinedCode, Words: i.DeclinedReason}
}

// The details of an event that hold its reason.
const (
	dataReason     = "reason"
	dataReasonCode = "reason_code"
	dataReasonName = "reason_name"
)

// Because adds the reason to an event.
func (e Event) Because(r Reason) Event {
	e = e.With(dataReason, r.Words)
	if r.Code != "" {
		e = e.With(dataReasonCode, string(r.Code))
	}
	if r.Name != "" {
		e = e.With(dataReasonName, r.Name)
	}
	return e
}

// Why returns the reason of an event.
func (e Event) Why() Reason {
	return Reason{ReasonCode(e.Data[dataReasonCode]), e.Data[dataReasonName], e.Data[dataReason]}
}

// Details returns the details of the event for readers, with the reason as one text.
func (e Event) Details(say fault.Sayer) map[string]string {
	why := e.Why()
	if why.Code == "" {
		return e.Data
	}
	out := e.With(dataReason, why.Sentence(say)).Data
	delete(out, dataReasonCode)
	delete(out, dataReasonName)
	return out
}
