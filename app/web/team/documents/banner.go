package documents

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// banner describes the state of a document and the next step.
type banner struct{ Kind, Icon, Title, Text, Quote string }

// banner returns the banner of a document.
func (h *Handlers) banner(r *page.Request, d *record.Document) banner {
	word := d.Status.String()
	look := page.StatusLooks[word]
	b := banner{Kind: look.Kind, Icon: look.Icon}
	approver := ""
	if d.Approver != nil {
		approver = cmp.Or(d.Approver.Name, d.Approver.Email)
	}
	done := d.Progress()
	pairs := []any{"approver", approver, "owner", cmp.Or(d.Owner.Name, d.Owner.Email), "done", done.Signed, "n", done.Total, "names", names(r, d.WaitingFor(), 3)}
	for name, at := range map[string]*time.Time{"created": &d.CreatedAt, "submitted": d.SubmittedAt, "approved": d.ApprovedAt, "rejected": d.RejectedAt, "sent": d.SentAt,
		"completed": d.CompletedAt, "send_at": d.SendAt, "expired": d.ExpiredAt, "voided": d.VoidedAt, "expires": d.ExpiresAt} {
		if at != nil {
			pairs = append(pairs, name, moment(r, *at))
		}
	}
	key := word
	switch {
	case d.Status == record.PendingApproval && approver == "":
		key = "pending_any"
	case d.Attention.Kind != "":
		key, b.Kind, b.Icon = string(d.Attention.Kind), "warn", "alert"
		b.Quote = d.AttentionSentence(r.Words.SayOf)
		if inv := declined(d); inv != nil {
			b.Kind, b.Quote = "danger", inv.WhyDeclined().Sentence(r.Words.SayOf)
			pairs = append(pairs, "person", cmp.Or(inv.Name, inv.Email))
		}
	case d.SendAt != nil:
		key, b.Icon = "scheduled", "clock"
	case d.Status == record.Rejected:
		b.Quote = d.RejectedReason
	case d.Status == record.Voided:
		b.Quote = d.WhyVoided().Sentence(r.Words.SayOf)
	}
	b.Title, b.Text = r.Say("banner."+key, pairs...), r.Say("banner."+key+".next", pairs...)
	if inv := declined(d); inv != nil && inv.RecordedBy != nil {
		b.Title = recorded(r.Words, inv) + ": " + r.Say("certificate.event.invitation.declined")
		b.Quote = inv.RecordedBy.Why.Sentence(r.Words.SayOf)
	}
	if d.Status != record.Sent || d.Attention.Kind != "" {
		return b
	}
	if at := d.NextReminder(h.Now(r.Who.Company.ID)); at != nil {
		b.Text += " " + r.Say("banner.reminder", "when", moment(r, *at))
	}
	if d.ExpiresAt != nil {
		b.Text += " " + r.Say("banner.deadline", "when", moment(r, *d.ExpiresAt))
	}
	return b
}

// declined returns the invitation of the person who stopped the document by declining, nil if
// nobody did.
func declined(d *record.Document) *record.Invitation {
	if d.Attention.Kind != record.AttentionDeclined {
		return nil
	}
	i := slices.IndexFunc(d.Invitations, func(inv record.Invitation) bool { return inv.Status == record.Declined })
	if i < 0 {
		return nil
	}
	return &d.Invitations[i]
}

// declinedChip is the status of a document that somebody declined, although it remains sent.
func declinedChip(r *page.Request) page.Chip {
	return page.Chip{Kind: "danger", Icon: "shield-no", Text: r.Say("documents.attention.declined")}
}

// scheduledChip is the status of a document that is sent later, although it is still a draft
// or approved.
func scheduledChip(r *page.Request) page.Chip {
	return page.Chip{Kind: "info", Icon: "clock", Text: r.Say("status.scheduled")}
}

// names joins the first names, at most as many as given, and counts the others.
func names(r *page.Request, all []string, most int) string {
	if len(all) > most {
		return r.Say("banner.names", "names", strings.Join(all[:most], ", "), "n", len(all)-most)
	}
	return strings.Join(all, ", ")
}
