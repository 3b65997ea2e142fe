package signing

import (
	"context"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// CreateInput describes a new document. With Invitations, Fields, Uploads and Send, one
// request does everything up to sending, or nothing.
type CreateInput struct {
	record.DocumentInput
	Invitations []record.InvitationInput
	Fields      []record.FieldInput
	Uploads     []*intake.Upload
	TextTags    bool // make fields of the text tags in the uploads
	// Placeholders keeps names alone in DOCX uploads as variables despite TextTags.
	Placeholders bool
	Send         bool
	SendAt       *time.Time // sends it then; nil: now, if at all
	Template     bool       // make a template, whose roles are Invitations
	BaseURL      string     // of the request, for links

	with func(tx *kv.Tx, d *record.Document) error // see [UseInput]
	as   *account.Call                             // likewise
}

// Create makes a draft, or sends it immediately if requested. The caller closes the uploads.
func (s *Drafts) Create(ctx context.Context, who account.Call, in CreateInput) (*record.Document, error) {
	if err := who.Require(account.ScopeWrite); err != nil {
		return nil, err
	}
	if len(in.Uploads) > 0 {
		if err := s.roomFor(who, 1, in.Uploads); err != nil {
			return nil, err
		}
	}
	d := &record.Document{
		ID: s.id(), Company: who.CompanyID, Title: record.Untitled, Status: record.Draft, SigningOrder: record.Parallel,
		Owner: record.PersonOf(who.Actor), Metadata: map[string]string{}, BaseURL: s.links.base(in.BaseURL),
		Template: in.Template,
	}
	if err := s.defaults(who, d); err != nil {
		return nil, err
	}
	now := s.now(who.CompanyID)
	d.CreatedAt = now
	var faults fault.Fields
	in.DocumentInput.Apply(&faults, d, s.limits, now)
	if in.ApproverID != nil {
		err := s.db.View(func(tx *kv.Tx) error { return setApprover(tx, who, &faults, d, in.ApproverID) })
		if err != nil {
			return nil, err
		}
	}
	s.invite(&faults, d, in.Invitations, now)
	if err := s.attach(ctx, &faults, d, in.Uploads, in.TextTags && !in.Placeholders); err != nil {
		return nil, err
	}
	if len(d.Files) == len(in.Uploads) { // otherwise errors about a missing file would be misleading
		if err := s.placeAll(ctx, who, &faults, d, in); err != nil {
			return nil, err
		}
	}
	if (in.Send || in.SendAt != nil) && faults.Empty() {
		s.sending.requireSendable(&faults, d)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return s.insert(ctx, who, d, in)
}

// placeAll adds the fields of a new document, given by text tags and by the input.
func (s *Drafts) placeAll(
	ctx context.Context, who account.Call, f *fault.Fields, d *record.Document, in CreateInput,
) error {
	if in.TextTags && f.Empty() {
		if err := s.placeTags(ctx, who, f, d, 0, in.Uploads); err != nil {
			return err
		}
	}
	if _, err := s.placeAnchored(ctx, who, f, d, in.Fields, in.Uploads); err != nil || !f.Empty() {
		return err
	}
	for i := range in.Invitations {
		at, inv := f.At(d.People(), i), &d.Invitations[i]
		d.Preset(at, inv.ID, in.Invitations[i].Values, s.writing(d))
	}
	return nil
}

// insert commits the new document with its files.
func (s *Drafts) insert(ctx context.Context, who account.Call, d *record.Document, in CreateInput) (*record.Document, error) {
	if err := intake.CommitUploads(in.Uploads); err != nil {
		return nil, err
	}
	events := []record.Event{d.CreatedEvent()}
	for i := range d.Files {
		events = append(events, fileAdded(&d.Files[i]))
	}
	sent, err := s.sending.sendNew(ctx, who, d, in)
	if err != nil {
		return nil, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if err := s.quota.Room(tx, d.Company, 1, d.Bytes()); err != nil {
			return err
		}
		d.CreatedAt = tx.Now
		for i := range d.Invitations {
			to := store.InvitedTo{Company: d.Company, Document: d.ID}
			if err := store.Invited.Put(tx, d.Invitations[i].ID, to); err != nil {
				return err
			}
		}
		if sent != nil {
			more, err := s.sending.send(tx, d, sent)
			if err != nil {
				return err
			}
			events = append(events, more...)
		}
		if d.SendAt != nil {
			events = append(events, record.ScheduledEvent(d))
			if err := s.schedule.plan(tx, d); err != nil {
				return err
			}
		}
		if err := s.lists.ReadLater(tx, d, d.Files); err != nil {
			return err
		}
		if err := s.schedule.drawLater(tx, d); err != nil {
			return err
		}
		if in.with != nil {
			if err := in.with(tx, d); err != nil {
				return err
			}
		}
		if in.as != nil {
			return s.store.Save(tx, *in.as, d, events...)
		}
		return s.store.Save(tx, who, d, events...)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// base returns the base address of the links in a document's e-mails.
func (s *links) base(request string) string {
	if s.baseURL != "" {
		return strings.TrimSuffix(s.baseURL, "/")
	}
	return strings.TrimSuffix(request, "/")
}

// defaults applies the company's settings for new documents.
func (s *Drafts) defaults(who account.Call, d *record.Document) error {
	company, err := s.company(who)
	if err != nil {
		return err
	}
	d.Locale, d.SignatureTypes = company.Locale, slices.Clone(company.SignatureTypes)
	d.ReadToEnd = company.ReadToEnd
	return nil
}

// setApprover sets the member who is to approve.
func setApprover(tx *kv.Tx, who account.Call, f *fault.Fields, d *record.Document, id *string) error {
	if id == nil {
		return nil
	}
	if *id == "" {
		d.Approver = nil
		return nil
	}
	m, err := account.LoadMember(tx, who.CompanyID, *id)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		f.Selected("approver_id")
		return nil
	case err != nil:
		return err
	case !m.Role.Approves() || m.Status != account.MemberActive:
		f.Add("approver_id", "not_an_approver")
		return nil
	}
	d.Approver = &record.Person{ID: m.UserID, Name: m.Name, Email: m.Email}
	return nil
}

// invite adds people to the record. All faults are reported together.
func (s *Drafts) invite(f *fault.Fields, d *record.Document, in []record.InvitationInput, now time.Time) []string {
	name := d.People()
	if len(d.Invitations)+len(in) > s.limits.Invitations {
		f.TooMany(name, s.limits.Invitations)
		return nil
	}
	next := 1
	for i := range d.Invitations {
		next = max(next, d.Invitations[i].Position+1)
	}
	var ids []string
	for i := range in {
		at := f.At(name, i)
		inv := record.Invitation{ID: s.id(), Role: record.Signer, Position: next, Status: record.Pending,
			Authentication: record.ByLink, CreatedAt: now, UpdatedAt: now}
		in[i].ApplyTo(at, &inv, s.links.proofs(), d.Template)
		d.Distinct(at, &inv)
		next = max(next, inv.Position+1)
		d.Invitations = append(d.Invitations, inv)
		ids = append(ids, inv.ID)
	}
	record.AlignGroups(d, nil)
	return ids
}

// place adds fields to the record.
func (s *Drafts) place(f *fault.Fields, d *record.Document, in []placing) {
	if len(d.Fields)+len(in) > s.limits.Fields {
		f.TooMany("fields", s.limits.Fields)
		return
	}
	where, before := s.placement(d), len(d.Fields)
	for i := range in {
		x := record.Field{}
		in[i].Apply(in[i].faults, &x, where)
		x.ID = s.id()
		d.Fields = append(d.Fields, x)
	}
	if !f.Empty() {
		return
	}
	record.CheckConditions(d, func(i int) *fault.Fields {
		if i < before {
			return f
		}
		return in[i-before].faults
	})
}
