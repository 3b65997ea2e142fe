package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"paraph/app/fault"
)

// AttentionKind is the reason why a document can't proceed, as the API names it.
type AttentionKind string

// The kinds of attention.
const (
	AttentionDeclined      AttentionKind = "declined"
	AttentionSealing       AttentionKind = "sealing"
	AttentionSealingFailed AttentionKind = "sealing_failed" // given up, until somebody retries it
	AttentionMailFailed    AttentionKind = "mail_failed"
	AttentionAccessCode    AttentionKind = "access_code" // the sender has to set one
	AttentionOverdue       AttentionKind = "overdue"     // a job that was due has been given up
	AttentionNotSent       AttentionKind = "not_sent"    // at the scheduled time
)

// AttentionKinds returns the kinds of attention as the API names them.
func AttentionKinds() []string {
	return []string{string(AttentionDeclined), string(AttentionSealing), string(AttentionSealingFailed), string(AttentionMailFailed),
		string(AttentionAccessCode), string(AttentionOverdue), string(AttentionNotSent)}
}

// Attention is the reason why a document can't proceed, with the invitation or
// address concerned. The zero value means there is none.
type Attention struct {
	Kind       AttentionKind `json:",omitempty"`
	Code       fault.Code    `json:",omitempty"` // names the sentence; "" in older records, see Document.AttentionText
	Invitation string        `json:",omitempty"`
	Address    string        `json:",omitempty"` // the undeliverable address
}

// UnmarshalJSON also reads records of older versions, which hold only the kind.
func (a *Attention) UnmarshalJSON(b []byte) error {
	*a = Attention{}
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, &a.Kind)
	}
	type plain Attention
	return json.Unmarshal(b, (*plain)(a))
}

// RequestMissingCode asks the sender for the access code that an invitation lacks,
// unless something else needs attention first.
func (d *Document) RequestMissingCode() {
	if d.Attention.Kind == AttentionAccessCode {
		d.SetAttention(Attention{})
	}
	i := slices.IndexFunc(d.Invitations, func(inv Invitation) bool { return inv.Open() && inv.lacksCode() })
	if i >= 0 && d.Attention.Kind == "" {
		d.SetAttention(Attention{Kind: AttentionAccessCode, Code: "access_code_needed", Invitation: d.Invitations[i].ID})
	}
}

// SetAttention sets the reason why the document can't proceed.
func (d *Document) SetAttention(a Attention) { d.Attention, d.AttentionText = a, "" }

// Concerns reports whether a message to the invited person could not be delivered.
func (a Attention) Concerns(inv *Invitation) bool {
	return a.Kind == AttentionMailFailed &&
		(a.Invitation == inv.ID || a.Invitation == "" && a.Address != "" && a.Address == inv.Email)
}

// AttentionSentence describes why the document can't proceed; "" means it can.
func (d *Document) AttentionSentence(say fault.Sayer) string {
	a := d.Attention
	if a.Code == "" {
		return d.AttentionText
	}
	if d.Unsealed() && a.Code != "sealing" {
		rest := fault.Code("sealing.retried")
		if a.Kind == AttentionSealingFailed {
			rest = "sealing.given_up"
		}
		return strings.Join([]string{fault.Sentence(say, "sealing.delayed"), fault.Sentence(say, a.Code), fault.Sentence(say, rest)}, " ")
	}
	args := []fault.Arg{fault.Text("address", a.Address)}
	if inv := d.Invitation(a.Invitation); inv != nil {
		args = append(args, fault.Text("name", inv.Name))
	}
	return fault.Sentence(say, a.Code, args...)
}

// Undelivered returns the attention for a message that could not be delivered to an
// address, which none or several of the invited people may have.
func (d *Document) Undelivered(address string) Attention {
	a := Attention{Kind: AttentionMailFailed, Code: "mail_failed", Address: address}
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Email == address && inv.Status != Delegated {
			a.Invitation = inv.ID
		}
	}
	return a
}

// FailedFor reports whether the failed message was addressed to this address.
// Older records do not name it.
func (a Attention) FailedFor(address string) bool {
	return a.Kind == AttentionMailFailed && (a.Address == address || a.Address == "")
}
