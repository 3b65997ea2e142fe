package record

import (
	"cmp"
	"slices"
	"strings"

	"paraph/app/fault"
)

// Unsealed reports whether everyone has signed but the seal is missing.
func (d *Document) Unsealed() bool {
	return d.Status == Sent && (d.Attention.Kind == AttentionSealing || d.Attention.Kind == AttentionSealingFailed)
}

// Sealable refuses to seal a document that is not waiting for its seal.
func (d *Document) Sealable() error {
	if err := d.Live(); err != nil {
		return err
	}
	if !d.Unsealed() {
		return fault.Conflict("nothing_to_seal")
	}
	return nil
}

// SealingFailed records why the document could not be sealed, and the job that gave
// up, if any. It returns no event if nothing new is recorded: the owner is notified
// of each cause once, and whenever a job gives up.
func (d *Document) SealingFailed(cause fault.Code, dead string) []Event {
	next, event := Attention{Kind: AttentionSealing, Code: cause}, NewEvent(EventDocumentSealingDelayed)
	if dead != "" {
		next.Kind, event = AttentionSealingFailed, NewEvent(EventDocumentSealingFailed)
	}
	if !d.Unsealed() || d.Attention == next {
		return nil
	}
	event = event.With("cause", strings.TrimPrefix(string(cause), "sealing."))
	if slices.Contains(d.SealCauses, cause) {
		event = event.With("repeated", "true")
	} else {
		d.SealCauses = append(d.SealCauses, cause)
	}
	d.SetAttention(next)
	d.SealJob = cmp.Or(dead, d.SealJob)
	return []Event{event}
}
