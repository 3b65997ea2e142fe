package drafts

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// Review stores the form and performs the action of its button.
func (h *Handlers) Review(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	do := r.Form.Value("do")
	if d.Status == record.Draft && d.SendAt == nil &&
		slices.Contains([]string{"save", "send", "later", "submit"}, do) {
		var in record.DocumentInput
		if in, err = reviewInput(r, do); err == nil {
			d, err = h.Drafts.Update(r.Who.Call, d.ID, in)
		}
	}
	if err == nil && (do == "send" || do == "later" || do == "submit") {
		err = h.checkSeen(r, d)
	}
	if err == nil {
		err = h.act(r, d, do)
	}
	if fault.KindOf(err) != fault.KindInvalid {
		return err
	}
	if d, failed := h.draft(r); failed == nil {
		return h.showReviewOf(r, d, http.StatusUnprocessableEntity, page.Page{Values: r.Form,
			Faults: r.FailureOf(err).Faults})
	}
	return err
}

// reviewInput reads the document's settings from the form.
func reviewInput(r *page.Request, do string) (record.DocumentInput, error) {
	in := record.DocumentInput{Subject: new(r.Form.Value("subject")), Message: new(r.Form.Value("message")), RemindEveryDays: new(0)}
	var f fault.Fields
	if v := r.Form.Value("remind_every_days"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			f.Add("remind_every_days", "not_days")
		}
		in.RemindEveryDays = &n
	}
	in.ExpiresAt = &time.Time{}
	if v := r.Form.Value("expires_at"); v != "" {
		day, err := time.ParseInLocation(time.DateOnly, v, r.Who.Company.Zone())
		if err != nil {
			f.Add("expires_at", "not_a_date")
		}
		// The deadline includes the whole day.
		in.ExpiresAt = new(day.AddDate(0, 0, 1).Add(-time.Second))
	}
	if r.Form.Has("signature_types") {
		in.SignatureTypes = page.ReadSignatureTypes(r.Form.Value("signature_types"))
	}
	if r.Form.Has("redirect_url") { // the form has the checkboxes too; browsers omit unchecked ones
		in.RedirectURL = new(r.Form.Value("redirect_url"))
		in.AllowDecline, in.AllowDelegation = new(r.Form.Has("allow_decline")), new(r.Form.Has("allow_delegation"))
		in.ReadToEnd = new(r.Form.Has("read_to_end"))
		in.OnDecline = new(r.Form.Value("on_decline"))
		in.DeclineReason, in.SendEmails = new(r.Form.Has("decline_reason")), new(!r.Form.Has("no_emails"))
	}
	if do == "submit" {
		in.ApproverID = new(r.Form.Value("approver_id"))
	}
	return in, f.Err()
}

// checkSeen refuses to go on until the warnings are confirmed.
func (h *Handlers) checkSeen(r *page.Request, d *record.Document) error {
	warned := slices.ContainsFunc(h.Drafts.Problems(d),
		func(p record.Problem) bool { return p.Severity == record.SeverityWarning })
	if warned && !r.Form.Has("seen") {
		return fault.Invalid("seen", "notes_not_seen")
	}
	return nil
}

// act performs an action and redirects.
func (h *Handlers) act(r *page.Request, d *record.Document, do string) (err error) {
	ctx, who := r.UserContext(), r.Who.Call
	done := "/app/documents/" + d.ID
	switch do {
	case "save":
	case "send":
		_, err = h.Sending.Send(ctx, who, d.ID, signing.SendInput{BaseURL: r.MailURL()})
		if err == nil && (d.NoMails || !h.Notify.CanSend()) {
			return r.SeeOther(at(d.ID, "links"))
		}
	case "later":
		var at *time.Time
		if at, err = r.Form.Time("send_at", r.Who.Zone()); err == nil {
			_, err = h.Sending.Send(ctx, who, d.ID, signing.SendInput{SendAt: at, BaseURL: r.MailURL()})
		}
	case "submit":
		_, err = h.Sending.Submit(who, d.ID)
	case "approve":
		_, err = h.Sending.Approve(who, d.ID)
		done = at(d.ID, stepReview)
	case "reject":
		_, err = h.Sending.Reject(who, d.ID, new(r.Form.Value("reason")))
	case "withdraw":
		_, err = h.Sending.Withdraw(who, d.ID)
		done = at(d.ID, stepReview)
	case "reopen":
		_, err = h.Sending.Reopen(who, d.ID)
		done = at(d.ID, stepReview)
	default:
		return fault.Malformed("form_without_action")
	}
	if err != nil {
		return err
	}
	r.Flash("ok", "review.done."+do)
	return r.SeeOther(done)
}
