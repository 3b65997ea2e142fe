// Package rehearse lets the recipients of a document act in a test double, the way they would on
// its pages. Nothing but proofs of identity is left out: codes count as entered.
package rehearse

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

// Service acts for recipients.
type Service struct {
	Authentication *account.Authentication
	Signing        *signing.Services
	Now            func(company string) time.Time
}

// Input says who acts, and how. Zero members leave it to the service.
type Input struct {
	Invitation string            // the only one to act, by identifier or address; "": everybody
	Decline    bool              // instead of acting
	Reason     *string           // of declining
	Fields     map[string]string // by identifier, name, or group of radio buttons
	Next       *record.InvitationInput
}

// Act lets the recipients of a sent document act one after the other, in the signing order and of
// a group only one; with Decline, the first of them declines.
func (s *Service) Act(ctx context.Context, who account.Call, id string, in Input) (*record.Document, error) {
	d, err := s.Signing.Drafts.Get(who, id)
	if err != nil {
		return nil, err
	}
	now := s.Now(d.Company)
	if err := d.Running(now); err != nil {
		return nil, err
	}
	if err := in.check(d); err != nil {
		return nil, err
	}
	if in.Invitation != "" {
		inv := d.Invitations[in.index(d)]
		return s.actAs(ctx, who, d, &inv, in)
	}
	inv := next(d, now)
	if inv == nil {
		return nil, standstill(d, now)
	}
	for ; inv != nil; inv = next(d, now) {
		if d, err = s.actAs(ctx, who, d, inv, in); err != nil || in.Decline {
			return d, err
		}
	}
	return d, nil
}

// check refuses recipients and fields that the document does not have.
func (in *Input) check(d *record.Document) error {
	var f fault.Fields
	if in.Invitation != "" && in.index(d) < 0 {
		f.Selected("invitation")
	}
	all := make([]*record.Field, len(d.Fields))
	for i := range d.Fields {
		all[i] = &d.Fields[i]
	}
	for key := range in.Fields {
		if len(among(all, map[string]string{key: in.Fields[key]})) == 0 {
			f.Add("fields."+key, "no_such_field")
		}
	}
	return f.Err()
}

func (in *Input) index(d *record.Document) int {
	return slices.IndexFunc(d.Invitations, func(inv record.Invitation) bool {
		theirs := inv.Status != record.Delegated && strings.EqualFold(inv.Email, in.Invitation)
		return theirs || strings.EqualFold(inv.ID, in.Invitation)
	})
}

// next returns whose turn it is; nil if it is nobody's.
func next(d *record.Document, now time.Time) *record.Invitation {
	var first *record.Invitation
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if d.Signable(inv, now) == nil && (first == nil || inv.Position < first.Position) {
			first = inv
		}
	}
	return first
}

// standstill returns why nobody could act: somebody declined, or everybody has acted.
func standstill(d *record.Document, now time.Time) error {
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Open() {
			return d.Signable(inv, now)
		}
	}
	if d.Declined() != nil {
		return fault.Conflict("document_declined")
	}
	return d.Running(now)
}

// actAs lets one recipient open the document and act.
func (s *Service) actAs(
	ctx context.Context, by account.Call, d *record.Document, inv *record.Invitation, in Input,
) (*record.Document, error) {
	if err := d.Signable(inv, s.Now(d.Company)); err != nil {
		return nil, err
	}
	signatory, err := s.recipient(d, inv)
	if err != nil {
		return nil, err
	}
	who := signatory.Call(by.From)
	v, err := s.Signing.Signing.Open(who)
	if err == nil && v.Stage == record.StageConsent {
		if _, err = s.Signing.Signing.Agree(who, d.ID, inv.ID, ""); err == nil {
			v, err = s.Signing.Signing.Open(who)
		}
	}
	if err == nil {
		_, err = s.Signing.Signing.MarkViewed(who, d.ID, inv.ID)
	}
	switch {
	case err != nil:
		return nil, err
	case in.Decline:
		reason := cmp.Or(in.Reason, new(sampleReason))
		return s.Signing.Signing.Decline(who, d.ID, inv.ID, signing.DeclineInput{Reason: reason})
	case inv.Action() == record.ActionRead:
		return s.Signing.Signing.Confirm(ctx, who, d.ID, inv.ID,
			signing.SignInput{Next: in.next(v), Read: record.Reading{Confirmed: true}})
	case inv.Action() == record.ActionFillIn:
		asked := record.FieldsIn(record.AskedOf(v.Document, v.Invitation))
		return s.Signing.Signing.FillIn(ctx, who, d.ID, inv.ID,
			signing.SignInput{Fields: among(asked, in.Fields), Next: in.next(v)})
	}
	return s.Signing.Signing.Sign(ctx, who, d.ID, inv.ID, in.signature(v, s.Now(d.Company)))
}

// recipient returns the actor that an invitation's link belongs to, identified.
func (s *Service) recipient(
	d *record.Document, inv *record.Invitation,
) (account.Actor, error) {
	if !record.LinkWorks(d, inv) {
		return account.Actor{}, fault.Conflict("access_code_needed", fault.Text("name", inv.DisplayName()))
	}
	who, err := s.Signing.Sending.Signatory(s.Signing.Sending.LinkToken(inv))
	if err != nil || record.IsIdentified(who, inv) {
		return who, err
	}
	token, err := s.Authentication.SignatoryToken(d.Company, d.ID, inv.ID, inv.Name, inv.Email, record.IdentifiedFor)
	if err != nil {
		return who, err
	}
	return s.Authentication.Authenticate(token)
}

// signature returns what a recipient submits to sign.
func (in *Input) signature(v *signing.Visit, now time.Time) signing.SignInput {
	d, inv, consent := v.Document, v.Invitation, true
	own := d.UnsortedFieldsOf(inv.ID)
	out := signing.SignInput{Fields: among(own, in.Fields), Consent: &consent, Next: in.next(v),
		Read: record.Reading{Confirmed: true}}
	complete(out.Fields, d, inv, own, now.In(v.Company.Zone()))
	out.Signature, out.Initials = marksOf(d, inv)
	return out
}

// next returns the person whom the recipient names, nil if they name nobody.
func (in *Input) next(v *signing.Visit) *record.InvitationInput {
	named := record.Names(v.Document, v.Invitation)
	switch {
	case named == nil && in.Invitation == "":
		return nil // somebody else may
	case named == nil || in.Next != nil:
		return in.Next
	}
	name, email := sampleName, strings.ToLower(named.ID)+"@example.com"
	return &record.InvitationInput{Name: &name, Email: &email}
}
