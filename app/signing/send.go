package signing

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
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
	BaseURL         string
}

// sending is the result of the slow part of sending, done before the commit.
type sending struct {
	version int64
	files   []File                       // with their prepare revision
	names   map[string]map[string]string // file → invitation → signature field in the PDF
}

// attempts is the maximum number of attempts after concurrent changes.
const attempts = 5

// Send prepares and certifies the files and invites the first people to sign.
func (s *Service) Send(
	ctx context.Context, who account.Actor, id string, in SendInput, seen ...int64,
) (*Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	defer s.lock(id)()
	company, err := s.company(who)
	if err != nil {
		return nil, err
	}
	return s.retry(func() (*Document, error) { return s.sendOnce(ctx, who, id, in, company, seen...) })
}

// requireSendable reports everything that prevents a document from being sent from here.
func (s *Service) requireSendable(f *fault.Fields, d *Document) {
	d.Ready(f)
	d.RequireCodesBy(f, s.Mails())
}

// retry repeats slow work if the document changes in the meantime.
func (s *Service) retry(work func() (*Document, error)) (*Document, error) {
	var err error
	for range attempts {
		var d *Document
		if d, err = work(); !errors.Is(err, store.ErrChanged) {
			return d, err
		}
	}
	return nil, fault.Conflict("document_busy").Because(err)
}

func (s *Service) sendOnce(
	ctx context.Context, who account.Actor, id string, in SendInput, company account.Company, seen ...int64,
) (*Document, error) {
	d, err := s.Store.Get(who, id, seen...)
	if err != nil {
		return nil, err
	}
	if err := d.Sendable(company.RequireApproval); err != nil {
		return nil, err
	}
	var faults fault.Fields
	now := s.Now()
	in.apply(&faults, d, s.Limits, company, now)
	s.requireSendable(&faults, d)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	work, err := s.prepare(ctx, d, now)
	if err != nil {
		return nil, err
	}
	return s.Store.Update(who, id, func(tx *kv.Tx, d *Document) ([]Event, error) {
		if err := d.Sendable(company.RequireApproval); err != nil {
			return nil, err
		}
		if err := store.RequireVersion(d, work.version); err != nil {
			return nil, err
		}
		var faults fault.Fields
		in.apply(&faults, d, s.Limits, company, tx.Now)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if base := s.base(in.BaseURL); base != "" {
			d.BaseURL = base
		}
		return s.send(tx, d, work)
	}, seen...)
}

func (in *SendInput) apply(f *fault.Fields, d *Document, limits Limits, company account.Company, now time.Time) {
	more := DocumentInput{
		Subject: in.Subject, Message: in.Message, ExpiresAt: in.ExpiresAt, RemindEveryDays: in.RemindEveryDays,
	}
	more.Apply(f, d, limits, now)
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
func (s *Service) send(tx *kv.Tx, d *Document, work *sending) ([]Event, error) {
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
	d.Status, d.SentAt = record.Sent, &tx.Now
	events := []Event{record.NewEvent(record.EventDocumentSent)}
	events = append(events, d.Notify(tx.Now)...)
	if err := s.drawLater(tx, d); err != nil {
		return nil, err
	}
	return events, s.schedule(tx, d)
}

// timestampField is the name of the invisible field for the document timestamp.
const timestampField = "timestamp"

// prepare makes the first revision of every file, with all fields, one signature field per
// signatory and the signature page, certified by the company.
func (s *Service) prepare(ctx context.Context, d *Document, now time.Time) (*sending, error) {
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	signer, err := s.Keys.Company(d.Company, company.Name)
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

func (s *Service) prepareFile(
	ctx context.Context, d *Document, f *File, signer *pki.Signer, company string, now time.Time,
) (map[string]string, error) {
	spec := pdf.PrepareSpec{StripJavaScript: true, Timestamp: timestampField, Language: d.Locale, Title: d.Title}
	if f.PDFA != "" {
		spec.PlainFont = s.Fonts.Simple // PDF/A requires every font to be embedded
	}
	if f.Flattened {
		original, err := s.Intake.Original(f)
		if err != nil {
			return nil, err
		}
		spec.Attachments = append(spec.Attachments, original)
	}
	names, err := s.placeFields(d, f, &spec)
	if err != nil {
		return nil, err
	}
	if !f.Presigned {
		seal := s.seal(ctx, f, signer, s.timestamper(), now, company, s.Words.Match(d.Locale).Say("certificate.certified_by"))
		spec.Certify = &seal
	}
	base, closeBase, err := s.baseOf(f)
	if err != nil {
		return nil, err
	}
	rev, err := pdf.Prepare(base, spec)
	err = disk.Closing(err, closeBase)
	if err != nil {
		return nil, unprepared(f, err)
	}
	return names, s.append(f, "prepare", "", rev, now)
}

// unprepared returns the error for a file that can't be prepared for signing.
func unprepared(f *File, err error) error {
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

// seal returns a PDF seal made with one of our signers and a timestamp authority, nil for
// none. The certificates included with the signature are recorded in the file, for its
// validation data.
func (s *Service) seal(
	ctx context.Context, f *File, signer *pki.Signer, ts pki.Timestamper, now time.Time, name, reason string,
) pdf.Seal {
	return pdf.Seal{
		Size: pki.SizeCMS(signer, ts), Name: name, Reason: reason, At: now,
		Sign: func(digest []byte) ([]byte, error) {
			cms, err := pki.SignCMS(ctx, signer, digest, ts)
			if err != nil {
				return nil, err
			}
			return cms, f.AddCertificates(cms)
		},
	}
}

func (s *Service) timestamper() pki.Timestamper {
	if s.Timestamper != nil {
		return s.Timestamper
	}
	return s.Keys.Timestamper()
}

// baseOf opens the current PDF of a file, to append to.
func (s *Service) baseOf(f *File) (pdf.Base, func() error, error) {
	file, err := s.Blobs.Concat(f.Blobs()...)
	if err != nil {
		return pdf.Base{}, nil, fmt.Errorf("signing: open %s: %w", f.ID, err)
	}
	base := pdf.Base{Reader: file, Size: file.Size()}
	if n := len(f.Revisions); n > 0 {
		base.HashState = f.Revisions[n-1].HashState
	}
	return base, file.Close, nil
}

// append writes a revision to disk and adds it to the file's record.
func (s *Service) append(f *File, kind, invitation string, rev pdf.Revision, now time.Time) error {
	ref, err := s.store(rev.Bytes)
	if err != nil {
		return err
	}
	f.Append(Revision{
		Kind: kind, Invitation: invitation, Blob: ref.Hash, Size: ref.Size,
		SHA256: hex.EncodeToString(rev.SHA256[:]), HashState: rev.HashState, At: now,
	})
	return nil
}

// store writes a blob that consists of the given parts.
func (s *Service) store(parts ...[]byte) (blob.Ref, error) {
	w, err := s.Blobs.Create()
	if err != nil {
		return blob.Ref{}, disk.SpaceError(err)
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return blob.Ref{}, disk.SpaceError(disk.Closing(err, w.Abort))
		}
	}
	ref, err := w.Commit()
	return ref, disk.SpaceError(err)
}
