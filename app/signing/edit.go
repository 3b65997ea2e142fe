package signing

import (
	"cmp"
	"context"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// codeClosed is returned instead of any part of a closed document.
const codeClosed fault.Code = "document_closed"

func notIdentified() error {
	return fault.Forbidden("identification_required")
}

// Update applies the changes in the input. Content can be changed only in a draft,
// metadata and the external identifier at any time.
func (s *Drafts) Update(
	who account.Call, id string, in record.DocumentInput,
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.store.Update(who, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if in.ChangesContent() {
			if err := d.Editable(); err != nil {
				return nil, err
			}
		}
		var faults fault.Fields
		in.Apply(&faults, d, s.limits, tx.Now)
		if err := setApprover(tx, who, &faults, d, in.ApproverID); err != nil {
			return nil, err
		}
		return []record.Event{record.NewEvent(record.EventDocumentUpdated)}, faults.Err()
	})
}

// draft is the common path of all changes of content.
func (s *Drafts) draft(
	who account.Call, id string,
	change func(tx *kv.Tx, d *record.Document, f *fault.Fields) ([]record.Event, error),
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.store.Update(who, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if err := d.Editable(); err != nil {
			return nil, err
		}
		var faults fault.Fields
		before := d.Bytes()
		events, err := change(tx, d, &faults)
		if err := cmp.Or(err, faults.Err()); err != nil {
			return nil, err
		}
		if more := d.Bytes() - before; more > 0 {
			return events, s.quota.Room(tx, d.Company, 0, more)
		}
		return events, nil
	})
}

// redraft is like draft, for changes that match input against user-defined patterns or
// are slow for another reason. They are made outside the transaction, because it blocks
// all others, and are repeated if the document changed in the meantime.
func (s *Drafts) redraft(
	who account.Call, id string, change func(d *record.Document, f *fault.Fields) ([]record.Event, error),
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	defer s.changes.lock(id)()
	return retry(func() (*record.Document, error) {
		d, err := s.store.Get(who, id)
		if err != nil {
			return nil, err
		}
		if err := d.Editable(); err != nil {
			return nil, err
		}
		version, faults := d.Version, fault.Fields{}
		events, err := change(d, &faults)
		if err := cmp.Or(err, faults.Err()); err != nil {
			return nil, err
		}
		return s.store.Update(who, id, func(_ *kv.Tx, stored *record.Document) ([]record.Event, error) {
			if err := store.RequireVersion(stored, version); err != nil {
				return nil, err
			}
			*stored = *d
			return events, nil
		})
	})
}

// Invite adds people to a draft and returns the new invitations.
func (s *Drafts) Invite(
	who account.Call, id string, in []record.InvitationInput,
) (*record.Document, []record.Invitation, error) {
	var made []string
	d, err := s.draft(who, id, func(tx *kv.Tx, d *record.Document, f *fault.Fields) ([]record.Event, error) {
		if len(in) == 0 {
			f.Required("invitations")
			return nil, nil
		}
		made = s.invite(f, d, in, tx.Now)
		for i := range made {
			// Nobody has fields yet when they are invited, so that any value is refused.
			d.Preset(f.At(d.People(), i), made[i], in[i].Values, s.writing(d))
		}
		if !f.Empty() {
			return nil, nil
		}
		var events []record.Event
		for _, id := range made {
			events = append(events, record.NewEvent(record.EventInvitationAdded).To(id).With("email", d.Invitation(id).Email))
			if err := store.Invited.Put(tx, id, store.InvitedTo{Company: d.Company, Document: d.ID}); err != nil {
				return nil, err
			}
		}
		return events, nil
	})
	if err != nil {
		return nil, nil, err
	}
	out := make([]record.Invitation, 0, len(made))
	for _, id := range made {
		out = append(out, *d.Invitation(id))
	}
	return d, out, nil
}

// UpdateInvitation changes an invitation of a draft. If the invitation was already sent,
// it sets the access code.
func (s *Drafts) UpdateInvitation(
	who account.Call, id, invitation string, in record.InvitationInput,
) (*record.Document, error) {
	if in.OnlyCode() {
		if d, err := s.store.Get(who, id); err == nil && d.SentAt != nil {
			return s.sending.SetAccessCode(who, id, invitation, in)
		}
	}
	return s.draft(who, id, func(tx *kv.Tx, d *record.Document, f *fault.Fields) ([]record.Event, error) {
		inv := d.Invitation(invitation)
		if inv == nil {
			return nil, fault.NotFound("invitation")
		}
		in.ApplyTo(f, inv, s.links.proofs(), d.Template)
		inv.UpdatedAt = tx.Now
		d.Distinct(f, inv)
		d.Preset(f, inv.ID, in.Values, s.writing(d))
		if in.Group != nil && in.Position == nil {
			record.AlignGroups(d, nil)
		} else {
			record.AlignGroups(d, inv)
		}
		if !inv.Signs() && len(d.UnsortedFieldsOf(inv.ID)) > 0 {
			f.Add("role", "viewer_with_fields.remove")
		}
		return []record.Event{record.NewEvent(record.EventInvitationUpdated).To(inv.ID)}, nil
	})
}

// RemoveInvitation removes a person and their fields from a draft.
func (s *Drafts) RemoveInvitation(
	who account.Call, id, invitation string,
) (*record.Document, error) {
	return s.draft(who, id, func(tx *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		inv := d.Invitation(invitation)
		if inv == nil {
			return nil, fault.NotFound("invitation")
		}
		event := record.NewEvent(record.EventInvitationRemoved).To(inv.ID).With("email", inv.Email)
		record.LeaveFields(d, inv)
		d.Invitations = slices.DeleteFunc(d.Invitations, func(o record.Invitation) bool { return o.ID == invitation })
		return []record.Event{event}, store.Invited.Delete(tx, invitation)
	})
}

// ReplaceFields replaces all fields with the given ones. An input with the identifier of
// an existing field keeps that identifier.
func (s *Drafts) ReplaceFields(
	ctx context.Context, who account.Call, id string, in []record.FieldInput,
) (*record.Document, error) {
	return s.redraft(who, id, func(d *record.Document, f *fault.Fields) ([]record.Event, error) {
		before := d.Fields
		d.Fields = nil
		in, err := s.placeAnchored(ctx, who, f, d, in, nil)
		if err != nil {
			return nil, err
		}
		used := map[string]bool{}
		for i := range d.Fields {
			known := slices.IndexFunc(before, func(x record.Field) bool { return x.ID == in[i].ID })
			if known >= 0 && !used[in[i].ID] {
				d.Fields[i].Succeed(&before[known], &in[i], d.File(d.Fields[i].File))
				used[in[i].ID] = true
			}
		}
		return []record.Event{record.NewEvent(record.EventDocumentFieldsReplaced)}, nil
	})
}

// AddFields adds fields.
func (s *Drafts) AddFields(
	ctx context.Context, who account.Call, id string, in []record.FieldInput,
) (*record.Document, error) {
	return s.redraft(who, id, func(d *record.Document, f *fault.Fields) ([]record.Event, error) {
		if _, err := s.placeAnchored(ctx, who, f, d, in, nil); err != nil {
			return nil, err
		}
		return []record.Event{record.NewEvent(record.EventDocumentFieldsAdded)}, nil
	})
}

// UpdateField changes one field of a draft.
func (s *Drafts) UpdateField(
	ctx context.Context, who account.Call, id, field string, in record.FieldInput,
) (*record.Document, error) {
	return s.redraft(who, id, func(d *record.Document, f *fault.Fields) ([]record.Event, error) {
		x := d.Field(field)
		if x == nil {
			return nil, fault.NotFound("field")
		}
		if err := s.resolve(ctx, who, f, d, &in, x); err != nil {
			return nil, err
		}
		in.Apply(f, x, s.placement(d))
		record.CheckConditions(d, func(int) *fault.Fields { return f })
		return []record.Event{record.NewEvent(record.EventFieldUpdated).With("field", x.ID)}, nil
	})
}

// RemoveField removes one field from a draft.
func (s *Drafts) RemoveField(
	who account.Call, id, field string,
) (*record.Document, error) {
	return s.redraft(who, id, func(d *record.Document, f *fault.Fields) ([]record.Event, error) {
		if d.Field(field) == nil {
			return nil, fault.NotFound("field")
		}
		d.Fields = slices.DeleteFunc(d.Fields, func(x record.Field) bool { return x.ID == field })
		record.CheckConditions(d, func(int) *fault.Fields { return f })
		return []record.Event{record.NewEvent(record.EventFieldRemoved).With("field", field)}, nil
	})
}

// FileInput holds the changes to a file of a draft.
type FileInput struct {
	Name      *string
	Position  *int
	Confirmed *bool // the owner has checked the pages that the built-in renderer made
}

// UpdateFile renames, moves or confirms a file of a draft.
func (s *Drafts) UpdateFile(
	who account.Call, id, file string, in FileInput,
) (*record.Document, error) {
	return s.draft(who, id, func(_ *kv.Tx, d *record.Document, f *fault.Fields) ([]record.Event, error) {
		x := d.File(file)
		if x == nil {
			return nil, fault.NotFound("file")
		}
		if in.Name != nil {
			x.Name = intake.FileName(f, "name", *in.Name)
		}
		if in.Confirmed != nil {
			x.Confirmed = *in.Confirmed
		}
		if in.Position != nil {
			if *in.Position < 1 || *in.Position > len(d.Files) {
				f.Between("position", 1, len(d.Files))
			} else {
				moveFile(d, file, *in.Position)
			}
		}
		return []record.Event{record.NewEvent(record.EventFileUpdated).With("file", file)}, nil
	})
}

// moveFile moves a file to a position, counted from 1, and renumbers all files.
func moveFile(d *record.Document, file string, position int) {
	i := slices.IndexFunc(d.Files, func(f record.File) bool { return f.ID == file })
	moved := d.Files[i]
	d.Files = slices.Insert(slices.Delete(d.Files, i, i+1), position-1, moved)
	numberFiles(d)
}

func numberFiles(d *record.Document) {
	for i := range d.Files {
		d.Files[i].Position = i + 1
	}
}

// RemoveFile removes a file and its fields from a draft.
func (s *Drafts) RemoveFile(who account.Call, id, file string) (*record.Document, error) {
	return s.draft(who, id, func(_ *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		x := d.File(file)
		if x == nil {
			return nil, fault.NotFound("file")
		}
		event := record.NewEvent(record.EventFileRemoved).With("file", file).With("name", x.Name).With("sha256", x.SHA256)
		d.Fields = slices.DeleteFunc(d.Fields, func(x record.Field) bool { return x.File == file })
		d.Files = slices.DeleteFunc(d.Files, func(f record.File) bool { return f.ID == file })
		numberFiles(d)
		return []record.Event{event}, nil
	})
}

// Problems lists everything that is, or may be, wrong with a draft, errors first.
func (s *Drafts) Problems(d *record.Document) []record.Problem { return record.Problems(d, s.paper()) }

// Undrawable returns the characters of a name that no font has.
func (s *Drafts) Undrawable(name string) string { return string(s.fonts.Missing(name)) }
