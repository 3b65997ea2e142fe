package notify

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// isNotified reports whether an event calls for messages.
func isNotified(_ *kv.Tx, e record.Entry) (bool, error) { return notifiers[e.Value.Type] != nil, nil }

// perTransaction is how many messages are recorded in one transaction.
const perTransaction = 50

// tell writes the messages for one event, starting with number from.
func (s *Service) tell(tx *kv.Tx, e record.Entry, from int) (next int, err error) {
	d, err := s.records.Load(tx, e.Value.Company, e.Value.Document)
	if fault.KindOf(err) == fault.KindNotFound {
		return 0, nil // purged in the meantime
	}
	if err != nil {
		return 0, err
	}
	company, err := account.LoadCompany(tx, d.Company)
	if err != nil {
		return 0, err
	}
	t := &notice{event: e.Value, document: d, company: company, from: from}
	if err := notifiers[e.Value.Type](s, tx, t); err != nil {
		return 0, err
	}
	if to := from + perTransaction; t.count > to {
		next = to
	}
	return next, nil
}

// notice holds one event together with everything that a message about it may contain.
type notice struct {
	event    record.Event
	document *record.Document
	company  account.Company

	from  int // earlier messages are already recorded
	count int // messages so far
}

// takes counts a message, and reports whether to record it in this transaction.
func (t *notice) takes() bool {
	n := t.count
	t.count++
	return n >= t.from && n < t.from+perTransaction
}

// notifiers maps each type of event to the function that notifies people of it.
var notifiers = map[record.EventType]func(*Service, *kv.Tx, *notice) error{
	record.EventInvitationNotified:        func(s *Service, tx *kv.Tx, t *notice) error { return s.tellInvited(tx, t, "invitation") },
	record.EventInvitationReminded:        func(s *Service, tx *kv.Tx, t *notice) error { return s.tellInvited(tx, t, "reminder") },
	record.EventInvitationLinkRequested:   func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "link_requested") },
	record.EventInvitationProblemReported: func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "problem_reported") },
	record.EventInvitationDelegated:       (*Service).tellMissingCode,
	record.EventInvitationNamed:           (*Service).tellNamed,
	record.EventInvitationDeclined:        func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "declined") },
	record.EventDocumentCompleted:         (*Service).tellCompleted,
	record.EventDocumentVoided:            (*Service).tellVoided,
	record.EventDocumentExpired:           func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "expired") },
	record.EventDocumentSealingDelayed:    (*Service).tellDelay,
	record.EventDocumentSealingFailed:     func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "sealing_failed") },
	record.EventDocumentNotSent:           func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "not_sent") },
	record.EventDocumentMailFailed:        func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "mail_failed") },
	record.EventDocumentApproved:          func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "approved") },
	record.EventDocumentRejected:          func(s *Service, tx *kv.Tx, t *notice) error { return s.tellOwner(tx, t, "rejected") },
	record.EventDocumentSubmitted:         (*Service).tellApprover,
	record.EventTemplateLinkFull:          (*Service).tellPublisher,
}

// facts returns the facts common to all messages about a document.
func (t *notice) facts() map[string]string {
	d := t.document
	why, sender := t.event.Why(), d.Owner.Name
	if sender == "" {
		sender = d.Owner.Email
	}
	f := map[string]string{
		"title": d.Title, "company": t.company.Name, "sender": sender, "sender_email": d.Owner.Email,
		"subject": d.Subject, "message": d.Message, "color": brand(t.company), "logo": logoAddress(d.BaseURL, t.company),
		"timezone": t.company.Timezone,
		"reason":   why.Words, "reason_code": string(why.Code), "reason_name": why.Name, "email": t.event.Data["email"], "cause": t.event.Data["cause"],
		"document": strings.TrimSuffix(d.BaseURL, "/") + "/app/documents/" + d.ID,
	}
	if d.Template {
		f["document"] = strings.TrimSuffix(d.BaseURL, "/") + "/app/templates/" + d.ID
	}
	if d.ExpiresAt != nil {
		f["expires"] = d.ExpiresAt.UTC().Format(time.RFC3339) // formatted with the message
	}
	if inv := d.Invitation(t.event.Invitation); inv != nil {
		f["signatory"], f["named"] = inv.Name, inv.RoleName
		if inv.RecordedBy != nil {
			f["role"] = "recorded" // the text for what a member recorded in their name, if there is one
		}
	}
	return f
}

// brand returns the company's colour if it is readable in a mail.
func brand(c account.Company) string {
	if account.Readable(c.BrandColor) {
		return c.BrandColor
	}
	return ""
}

// logoAddress returns the URL of the company's logo for mail programs, if it is stored here.
func logoAddress(base string, c account.Company) string {
	logo := c.OwnLogo()
	if !strings.HasPrefix(logo, "/") {
		return ""
	}
	return strings.TrimSuffix(base, "/") + logo
}

func (s *Service) tellInvited(tx *kv.Tx, t *notice, kind string) error {
	inv := t.document.Invitation(t.event.Invitation)
	if inv == nil || inv.Status == record.Delegated {
		return nil
	}
	link := s.sending.SignURL(account.System(t.document.Company), t.document, inv, t.document.BaseURL)
	switch {
	case link != "":
	case kind == "invitation" && (inv.Acted() || inv.Status == record.NotNeeded):
		// They, or somebody of their group, acted before this message was written. It is written
		// anyway, so that the content of the outbox does not depend on timing.
		link = strings.TrimSuffix(t.document.BaseURL, "/") + "/s/" + s.sending.LinkToken(inv)
	default:
		return nil // voided or declined in the meantime
	}
	return s.tellSignatory(tx, t, kind, inv, link)
}

// tellSignatory writes to a recipient, unless the owner passes the links on.
func (s *Service) tellSignatory(tx *kv.Tx, t *notice, kind string, inv *record.Invitation, link string) error {
	if t.document.NoMails || !t.takes() {
		return nil
	}
	m, locale, facts := t.toSignatory(kind, inv, link)
	return s.write(tx, m, locale, facts)
}

// toSignatory returns a message to an invited person, before it is composed.
func (t *notice) toSignatory(kind string, inv *record.Invitation, link string) (m Message, locale string, facts map[string]string) {
	f := t.facts()
	f["name"], f["link"] = inv.Name, link
	if inv.Message != "" {
		f["message"] = inv.Message
	}
	f["role"] = inv.Role
	m = Message{Company: t.document.Company, Document: t.document.ID, Invitation: inv.ID, Kind: kind, To: inv.Email, ToName: inv.Name}
	return m, cmp.Or(inv.Locale, t.document.Locale, t.company.Locale), f
}

// tellMissingCode writes to the owner if a person with an access code was replaced, since
// only the owner can set a new code.
func (s *Service) tellMissingCode(tx *kv.Tx, t *notice) error {
	if a := t.document.Attention; a.Kind != record.AttentionAccessCode || a.Invitation != t.event.Data["invitation"] {
		return nil
	}
	t.event.Invitation = t.event.Data["invitation"]
	return s.tellOwner(tx, t, "access_code")
}

// tellNamed writes to the owner whom a recipient has named, unless they did so themselves.
func (s *Service) tellNamed(tx *kv.Tx, t *notice) error {
	if t.event.ActorID == t.document.Owner.ID {
		return nil
	}
	return s.tellOwner(tx, t, "named")
}

// tellDelay writes to the owner about a cause not yet reported.
func (s *Service) tellDelay(tx *kv.Tx, t *notice) error {
	if t.event.Data["repeated"] != "" {
		return nil
	}
	return s.tellOwner(tx, t, "sealing_delayed")
}

// tellOwner writes to the document's owner.
func (s *Service) tellOwner(tx *kv.Tx, t *notice, kind string) error {
	o := t.document.Owner
	return s.tellMember(tx, t, kind, o.Name, o.Email, t.company.Locale)
}

func (s *Service) tellMember(tx *kv.Tx, t *notice, kind, name, email, locale string) error {
	if !t.takes() {
		return nil
	}
	f := t.facts()
	f["name"], f["link"] = name, f["document"]
	m := Message{Company: t.document.Company, Document: t.document.ID, Kind: kind, To: email, ToName: name}
	return s.write(tx, m, locale, f)
}

// tellPublisher writes to the owner of a public link.
func (s *Service) tellPublisher(tx *kv.Tx, t *notice) error {
	return s.tellMember(tx, t, "link_full", t.event.Data["owner"], t.event.Data["email"], t.company.Locale)
}

// tellApprover writes to the member asked to approve or, if none is named, to everybody allowed
// to.
func (s *Service) tellApprover(tx *kv.Tx, t *notice) error {
	if a := t.document.Approver; a != nil {
		return s.tellMember(tx, t, "approval", a.Name, a.Email, t.company.Locale)
	}
	all, err := account.ListApprovers(tx, t.document.Company)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.UserID == t.document.SubmittedBy && len(all) > 1 {
			continue
		}
		if err := s.tellMember(tx, t, "approval", m.Name, m.Email, t.company.Locale); err != nil {
			return err
		}
	}
	return nil
}

// tellCompleted writes to everybody who took part, and to those who receive a copy.
func (s *Service) tellCompleted(tx *kv.Tx, t *notice) error {
	errs := []error{s.tellOwner(tx, t, "completed_owner")}
	for i := range t.document.Invitations {
		inv := &t.document.Invitations[i]
		if inv.Status == record.Delegated {
			continue
		}
		link := strings.TrimSuffix(t.document.BaseURL, "/") + "/s/" + s.sending.LinkToken(inv)
		errs = append(errs, s.tellSignatory(tx, t, "completed", inv, link))
	}
	return errors.Join(errs...)
}

// tellVoided writes to everybody who was asked to sign.
func (s *Service) tellVoided(tx *kv.Tx, t *notice) error {
	var errs []error
	for i := range t.document.Invitations {
		inv := &t.document.Invitations[i]
		if inv.NotifiedAt == nil || !inv.Acts() || inv.Status == record.Declined {
			continue
		}
		errs = append(errs, s.tellSignatory(tx, t, "voided", inv, ""))
	}
	if t.event.ActorID != t.document.Owner.ID {
		errs = append(errs, s.tellOwner(tx, t, "voided_owner"))
	}
	return errors.Join(errs...)
}
