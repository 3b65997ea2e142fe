package signing

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// ReplaceInvitations replaces all invitations of a draft with the given people, in their
// order. An input with the identifier of an existing invitation changes it; people who
// are not among the inputs are removed with their fields. Faults are named
// invitations.N.FIELD.
func (s *Drafts) ReplaceInvitations(
	who account.Call, id string, in []record.InvitationInput,
) (*record.Document, error) {
	return s.draft(who, id, func(tx *kv.Tx, d *record.Document, f *fault.Fields) ([]record.Event, error) {
		if len(in) > s.limits.Invitations {
			f.TooMany("invitations", s.limits.Invitations)
			return nil, nil
		}
		before := d.Invitations
		d.Invitations = make([]record.Invitation, 0, len(in))
		for i := range in {
			at := f.At("invitations", i)
			inv := s.known(before, d.Invitations, in[i].ID, i+1, tx.Now)
			in[i].ApplyTo(at, &inv, s.links.proofs(), d.Template)
			d.Distinct(at, &inv)
			if !inv.Signs() && len(d.UnsortedFieldsOf(inv.ID)) > 0 {
				at.Add("role", "viewer_with_fields.remove")
			}
			d.Invitations = append(d.Invitations, inv)
		}
		if !f.Empty() {
			return nil, nil
		}
		record.AlignGroups(d, nil)
		return replaced(tx, d, before)
	})
}

// known returns the invitation with the given identifier, or a new one.
func (s *Drafts) known(before, taken []record.Invitation, id string, position int, now time.Time) record.Invitation {
	same := func(o record.Invitation) bool { return o.ID == id }
	if i := slices.IndexFunc(before, same); i >= 0 && !slices.ContainsFunc(taken, same) {
		return before[i]
	}
	return record.Invitation{ID: s.id(), Role: record.Signer, Position: position, Status: record.Pending,
		Authentication: record.ByLink, CreatedAt: now, UpdatedAt: now}
}

// replaced records who was added, changed and removed, and deletes the fields of removed people.
func replaced(tx *kv.Tx, d *record.Document, before []record.Invitation) ([]record.Event, error) {
	var events []record.Event
	var errs []error
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		was := slices.IndexFunc(before, func(o record.Invitation) bool { return o.ID == inv.ID })
		switch {
		case was < 0:
			events = append(events, record.NewEvent(record.EventInvitationAdded).To(inv.ID).With("email", inv.Email))
			errs = append(errs, store.Invited.Put(tx, inv.ID, store.InvitedTo{Company: d.Company, Document: d.ID}))
		case !reflect.DeepEqual(*inv, before[was]):
			inv.UpdatedAt = tx.Now
			events = append(events, record.NewEvent(record.EventInvitationUpdated).To(inv.ID))
		}
	}
	for i := range before {
		if gone := &before[i]; d.Invitation(gone.ID) == nil {
			record.LeaveFields(d, gone)
			events = append(events, record.NewEvent(record.EventInvitationRemoved).To(gone.ID).With("email", gone.Email))
			errs = append(errs, store.Invited.Delete(tx, gone.ID))
		}
	}
	if len(events) == 0 {
		events = append(events, record.NewEvent(record.EventDocumentUpdated))
	}
	return events, errors.Join(errs...)
}

// employment looks up the organization and the job title that a company knows of the person with
// an address. It is nil if nothing is known of anybody.
type employment func(tx *kv.Tx, company, email string) (organization, jobTitle string, err error)

// fillIn completes the company and the job title of recipients with fields for them. Through a
// public link, people enter any address they like: they are told nothing that is known of it.
func (known employment) fillIn(tx *kv.Tx, d *record.Document, people ...*record.Invitation) error {
	if known == nil || d.MadeFrom != nil && d.MadeFrom.Link != "" {
		return nil
	}
	for _, inv := range people {
		if !asksEmployment(d, inv) {
			continue
		}
		organization, title, err := known(tx, d.Company, inv.Email)
		if err != nil {
			return err
		}
		inv.Company, inv.JobTitle = cmp.Or(inv.Company, organization), cmp.Or(inv.JobTitle, title)
	}
	return nil
}

// asksEmployment reports whether a recipient has a field for a company or a job title that is
// not known yet.
func asksEmployment(d *record.Document, inv *record.Invitation) bool {
	for _, x := range d.UnsortedFieldsOf(inv.ID) {
		if x.Type == pdf.FieldCompany && inv.Company == "" || x.Type == pdf.FieldJobTitle && inv.JobTitle == "" {
			return true
		}
	}
	return false
}

// everyone lists the invitations of a document.
func everyone(d *record.Document) []*record.Invitation {
	out := make([]*record.Invitation, len(d.Invitations))
	for i := range d.Invitations {
		out[i] = &d.Invitations[i]
	}
	return out
}
