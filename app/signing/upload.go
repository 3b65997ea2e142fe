package signing

import (
	"context"
	"errors"
	"fmt"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/kv"
)

// attach inspects and converts the uploads and adds them to the record. Problems that a
// person can fix are reported as faults; an unsupported type is an error.
func (s *Drafts) attach(ctx context.Context, f *fault.Fields, d *Document, uploads []*Upload) error {
	if len(d.Files)+len(uploads) > s.limits.Files {
		f.TooMany("files", s.limits.Files)
		return nil
	}
	for i, u := range uploads {
		at := f.At("files", i)
		name := intake.FileName(at, "name", u.Name)
		if !f.Empty() {
			continue
		}
		file, err := s.intake.Accept(ctx, u)
		var bad *intake.Refusal
		switch {
		case errors.As(err, &bad):
			f.Add(fmt.Sprintf("files.%d", i), bad.Code, bad.Args...)
			continue
		case err != nil:
			return err
		}
		file.ID, file.Name, file.Position, file.CreatedAt = s.id(), name, len(d.Files)+1, s.now()
		d.Files = append(d.Files, file)
	}
	return nil
}

// roomFor refuses uploads of a company that is over its quota, before they are converted
// and stored.
func (s *Drafts) roomFor(who account.Actor, documents int, uploads []*Upload) error {
	var bytes int64
	for _, u := range uploads {
		bytes += u.Raw.Size()
	}
	return s.db.View(func(tx *kv.Tx) error { return s.quota.Room(tx, who.CompanyID, documents, bytes) })
}

func fileAdded(f *File) Event {
	return record.NewEvent(record.EventFileAdded).With("file", f.ID).With("name", f.Name).With("sha256", f.SHA256)
}

// Attach adds uploads to a draft: all or none. The caller closes the uploads.
func (s *Drafts) Attach(
	ctx context.Context, who account.Actor, id string, uploads []*Upload, seen ...int64,
) (*Document, []File, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, nil, err
	}
	d, err := s.store.Get(who, id, seen...)
	if err != nil {
		return nil, nil, err
	}
	if err := d.Editable(); err != nil {
		return nil, nil, err
	}
	if len(uploads) == 0 {
		return nil, nil, fault.Invalid("files", "required")
	}
	if err := s.roomFor(who, 0, uploads); err != nil {
		return nil, nil, err
	}
	var faults fault.Fields
	before := len(d.Files)
	if err := s.attach(ctx, &faults, d, uploads); err != nil {
		return nil, nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	if err := intake.CommitUploads(uploads); err != nil {
		return nil, nil, err
	}
	added := d.Files[before:]
	d, err = s.draft(who, id, func(tx *kv.Tx, d *Document, f *fault.Fields) ([]Event, error) {
		if len(d.Files)+len(added) > s.limits.Files {
			f.TooMany("files", s.limits.Files)
			return nil, nil
		}
		var events []Event
		for i := range added {
			added[i].Position, added[i].CreatedAt = len(d.Files)+1, tx.Now
			d.Files = append(d.Files, added[i])
			events = append(events, fileAdded(&added[i]))
		}
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		return events, s.lists.ReadLater(tx, d, added)
	}, seen...)
	return d, added, err
}
