package signing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// SendInput holds the settings that can be changed when a document is sent.
type SendInput struct {
	Subject         *string
	Message         *string
	ExpiresAt       *time.Time
	RemindEveryDays *int
	SendEmails      *bool
	SendAt          *time.Time // nil: now
	BaseURL         string

	due bool // the document has to be due
}

// sending is the result of the slow part of sending, done before the commit.
type sending struct {
	version int64
	files   []record.File                // with their prepare revision
	names   map[string]map[string]string // file → invitation → signature field in the PDF
}

// Send prepares and certifies the files and invites the first people to sign, or schedules that.
func (s *Sending) Send(
	ctx context.Context, who account.Call, id string, in SendInput,
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	defer s.changes.lock(id)()
	company, err := s.company(who)
	if err != nil {
		return nil, err
	}
	return retry(func() (*record.Document, error) {
		if in.SendAt != nil {
			return s.scheduleOnce(who, id, in, company)
		}
		return s.sendOnce(ctx, who, id, in, company)
	})
}

// requireSendable reports everything that prevents a document from being sent from here.
func (s *Sending) requireSendable(f *fault.Fields, d *record.Document) {
	d.Ready(f, s.paper())
	d.RequireCodesBy(f, s.mails())
}

func (s *Sending) sendOnce(
	ctx context.Context, who account.Call, id string, in SendInput, company account.Company,
) (*record.Document, error) {
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	if err := d.Sendable(company.RequireApproval); err != nil {
		return nil, err
	}
	now := s.now(d.Company)
	if in.due && !record.SendDue(d, now) {
		return nil, errNotDue
	}
	var faults fault.Fields
	in.apply(&faults, d, s.limits, company, now)
	s.requireSendable(&faults, d)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	work, err := s.prepare(ctx, d, now)
	if err != nil {
		return nil, err
	}
	return s.store.Update(who, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if err := d.Sendable(company.RequireApproval); err != nil {
			return nil, err
		}
		if err := store.RequireVersion(d, work.version); err != nil {
			return nil, err
		}
		if err := in.allow(tx, who, d, s.limits); err != nil {
			return nil, err
		}
		var faults fault.Fields
		in.apply(&faults, d, s.limits, company, tx.Now)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		s.setBase(d, in)
		return s.send(tx, d, work)
	})
}

// setBase sets the base address of the links in e-mails.
func (s *Sending) setBase(d *record.Document, in SendInput) {
	if base := s.links.base(in.BaseURL); base != "" {
		d.BaseURL = base
	}
}

// settings returns the settings of the document that the input changes.
func (in *SendInput) settings() *record.DocumentInput {
	return &record.DocumentInput{
		Subject: in.Subject, Message: in.Message, ExpiresAt: in.ExpiresAt, RemindEveryDays: in.RemindEveryDays,
		SendEmails: in.SendEmails,
	}
}

// changes reports whether the input changes a setting of the document.
func (in *SendInput) changes(d *record.Document, limits record.Limits, now time.Time) bool {
	var f fault.Fields
	next := *d
	in.settings().Apply(&f, &next, limits, now)
	same := d.ExpiresAt == next.ExpiresAt ||
		d.ExpiresAt != nil && next.ExpiresAt != nil && d.ExpiresAt.Equal(*next.ExpiresAt)
	return !same || next.Subject != d.Subject || next.Message != d.Message ||
		next.RemindEveryDays != d.RemindEveryDays || next.NoMails != d.NoMails
}

// allow refuses settings that differ from those that were approved.
func (in *SendInput) allow(tx *kv.Tx, who account.Call, d *record.Document, limits record.Limits) error {
	if !in.changes(d, limits, tx.Now) {
		return nil
	}
	return mayChangeApproved(tx, who, d)
}

func (in *SendInput) apply(f *fault.Fields, d *record.Document, limits record.Limits, company account.Company, now time.Time) {
	in.settings().Apply(f, d, limits, now)
	if d.RemindEveryDays == 0 {
		d.ReminderDays = company.ReminderDays
	}
	if d.ExpiresAt == nil && company.DefaultExpiryDays > 0 {
		t := now.AddDate(0, 0, company.DefaultExpiryDays)
		d.ExpiresAt = &t
	}
	if d.ExpiresAt != nil && in.ExpiresAt == nil && !d.ExpiresAt.After(now) {
		f.Add("expires_at", "not_a_future_time")
	}
}

// send adds the prepared files to the record and notifies the first people.
func (s *Sending) send(tx *kv.Tx, d *record.Document, work *sending) ([]record.Event, error) {
	d.Files = work.files
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		inv.SignatureFields = nil
		for _, f := range d.Files {
			if name, ok := work.names[f.ID][inv.ID]; ok {
				inv.SignatureFields = append(inv.SignatureFields, f.ID+" "+name)
			}
		}
	}
	if err := s.known.fillIn(tx, d, everyone(d)...); err != nil {
		return nil, err
	}
	record.SetSent(d, tx.Now)
	events := []record.Event{record.NewEvent(record.EventDocumentSent)}
	events = append(events, d.Notify(tx.Now)...)
	var changed []record.File
	for _, f := range d.Files {
		if key, _ := record.TextSource(d, &f); key != f.Base {
			changed = append(changed, f)
		}
	}
	if err := cmp.Or(s.schedule.drawLater(tx, d), s.lists.ReadLater(tx, d, changed)); err != nil {
		return nil, err
	}
	return events, s.schedule.plan(tx, d)
}

// sendNew does the slow part of sending a new document, or schedules that. It returns nil if
// the document is not sent now.
func (s *Sending) sendNew(ctx context.Context, who account.Call, d *record.Document, in CreateInput) (*sending, error) {
	if !in.Send && in.SendAt == nil {
		return nil, nil
	}
	company, err := s.company(who)
	if err != nil {
		return nil, err
	}
	if err := d.Sendable(company.RequireApproval); err != nil {
		return nil, err
	}
	var faults fault.Fields
	if in.SendAt != nil {
		record.SendLater(&faults, d, *in.SendAt, who.Actor, s.now(d.Company))
		return nil, faults.Err()
	}
	new(SendInput).apply(&faults, d, s.limits, company, s.now(d.Company))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return s.prepare(ctx, d, s.now(d.Company))
}

// scheduleOnce checks a document as for sending, and leaves sending to a job.
func (s *Sending) scheduleOnce(
	who account.Call, id string, in SendInput, company account.Company,
) (*record.Document, error) {
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	if err := d.Sendable(company.RequireApproval); err != nil {
		return nil, err
	}
	var faults fault.Fields
	now, version := s.now(d.Company), d.Version
	in.settings().Apply(&faults, d, s.limits, now)
	record.SendLater(&faults, d, *in.SendAt, who.Actor, now)
	s.requireSendable(&faults, d)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	s.setBase(d, in)
	return s.store.Update(who, id, func(tx *kv.Tx, stored *record.Document) ([]record.Event, error) {
		if err := store.RequireVersion(stored, version); err != nil {
			return nil, err
		}
		if err := in.allow(tx, who, stored, s.limits); err != nil {
			return nil, err
		}
		*stored = *d
		return []record.Event{record.ScheduledEvent(d)}, s.schedule.plan(tx, stored)
	})
}

var (
	errNotDue     = errors.New("signing: the document is not due to be sent")
	errTokenEnded = errors.New("signing: the token that scheduled the document was revoked or has expired")
)

// sendDue sends a scheduled document on behalf of the member who scheduled it. If that is not
// possible, the schedule ends and the owner is told; if it failed for the moment, the job is
// repeated. The commit that sends the document ends its schedule, so that it is sent once.
func (s *Sending) sendDue(ctx context.Context, company, id string) error {
	who, err := s.sender(company, id)
	if err == nil {
		_, err = s.Send(ctx, account.Call{Actor: who}, id, SendInput{due: true})
	}
	switch kind := fault.KindOf(err); {
	case err == nil, kind == fault.KindNotFound:
		return nil
	case errors.Is(err, errNotDue):
		return s.changes.onTime(company, id, func(*kv.Tx, *record.Document) ([]record.Event, error) { return nil, nil })
	case errors.Is(err, errTokenEnded):
		return s.notSent(company, id, record.NotSentByToken)
	case kind == fault.KindForbidden:
		return s.notSent(company, id, record.NotSentByMember)
	case kind == fault.KindInvalid, kind == fault.KindConflict && fault.CodeOf(err) != codeBusy:
		return s.notSent(company, id, record.NotSentAsIs)
	}
	return err
}

// sender returns the member who scheduled a document, with the rights they have now.
func (s *Sending) sender(company, id string) (who account.Actor, err error) {
	err = s.changes.db.View(func(tx *kv.Tx) error {
		d, err := store.Load(tx, account.System(company), id)
		if err != nil {
			return err
		}
		if !record.SendDue(d, tx.NowIn(company)) {
			return errNotDue
		}
		var may bool
		if who, may, err = account.Writer(tx, company, d.SendBy.ID); err == nil && !may {
			err = fault.Forbidden("role_not_allowed")
		}
		if err != nil || d.SendToken == "" {
			return err
		}
		works, err := account.Works(tx, company, account.ActorToken, d.SendToken)
		if err == nil && !works {
			err = errTokenEnded
		}
		return err
	})
	return who, err
}

// notSent ends the schedule of a document that is due.
func (s *Sending) notSent(company, id, cause string) error {
	return s.changes.onTime(company, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if !record.SendDue(d, tx.Now) {
			return nil, nil
		}
		return []record.Event{record.SetNotSent(d, cause)}, nil
	})
}

// timestampField is the name of the invisible field for the document timestamp.
const timestampField = "timestamp"

// prepare makes the first revision of every file, with all fields, one signature field per
// signatory and the signature page, certified by the company.
func (s *Sending) prepare(ctx context.Context, d *record.Document, now time.Time) (*sending, error) {
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	signer, err := s.keys.Company(d.Company, company.Name)
	if err != nil {
		return nil, fmt.Errorf("signing: the company's certificate: %w", err)
	}
	work := &sending{version: d.Version, names: map[string]map[string]string{}}
	for i := range d.Files {
		f := d.Files[i]
		names, err := s.prepareFile(ctx, d, &f, signer, company.Name, now)
		if err != nil {
			return nil, err
		}
		work.names[f.ID] = names
		work.files = append(work.files, f)
	}
	return work, nil
}

func (s *Sending) prepareFile(
	ctx context.Context, d *record.Document, f *record.File, signer *pki.Signer, company string, now time.Time,
) (map[string]string, error) {
	spec := pdf.PrepareSpec{StripJavaScript: true, Timestamp: timestampField, Language: d.Locale, Title: d.Title,
		Rehearsals: &s.rehearsals, Content: strings.Join(f.Blobs(), " ")}
	if f.PDFA != "" {
		spec.PlainFont = s.fonts.Simple // PDF/A requires every font to be embedded
	}
	if f.Flattened {
		original, err := s.intake.Original(f)
		if err != nil {
			return nil, err
		}
		spec.Attachments = append(spec.Attachments, original)
	}
	if err := s.legible(ctx, d, f); err != nil {
		return nil, err
	}
	names, err := s.placeFields(d, f, &spec)
	if err != nil {
		return nil, err
	}
	if !f.Presigned {
		seal := sealBy(ctx, f, signer, s.revisions.authority(d.Company), now, company, s.words.Match(d.Locale).Say("certificate.certified_by"))
		spec.Certify = &seal
	}
	base, closeBase, err := s.revisions.baseOf(f)
	if err != nil {
		return nil, err
	}
	rev, err := pdf.Prepare(base, spec)
	err = disk.Closing(err, closeBase)
	if hidden, ok := errors.AsType[*pdf.HideError](err); ok {
		return nil, fault.Invalid("fields", "overlap.signed", d.Placed("place", hidingField(d, f, hidden)), fault.Text("other", hidden.Over))
	}
	if err != nil {
		return nil, unprepared(f, err)
	}
	return names, s.revisions.append(f, "prepare", "", rev, now)
}

// hidingField returns the field of a file that would hide one that its upload has.
func hidingField(d *record.Document, f *record.File, e *pdf.HideError) *record.Field {
	for i := range d.Fields {
		x := &d.Fields[i]
		inv := d.Invitation(x.Invitation)
		first := x.Type == pdf.FieldSignature && inv != nil && signatureName(record.FirstOfGroup(d, inv)) == e.Field
		if x.File == f.ID && (x.ID == e.Field || first && x.Page == e.Page+1) {
			return x
		}
	}
	return &record.Field{File: f.ID, Page: e.Page + 1, Type: pdf.FieldSignature}
}

// unprepared returns the error for a file that can't be prepared for signing.
func unprepared(f *record.File, err error) error {
	file := fault.Text("file", f.Name)
	switch {
	case errors.Is(err, pdf.ErrChangesForbidden):
		return fault.Invalid("fields", "file_takes_no_fields", file)
	case errors.Is(err, pdf.ErrTooComplex):
		return fault.Invalid("files", "file_too_complex.upload", file).Because(err)
	case errors.Is(err, pki.ErrTimestamp):
		return fault.Unavailable("timestamp_unavailable").Because(err)
	case pdf.Refused(err):
		return fault.Invalid("files", "unsignable.send", file).Because(err)
	}
	return fmt.Errorf("signing: prepare %s: %w", f.ID, err)
}
