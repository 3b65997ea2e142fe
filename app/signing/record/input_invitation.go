package record

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/mail"
)

// InvitationInput holds the settings of an invitation.
type InvitationInput struct {
	ID             string // of the invitation being changed
	Name           *string
	Email          *string
	Role           *string
	Company        *string
	JobTitle       *string
	RoleName       *string
	Group          *string
	Named          *bool // by the recipient before them
	SharesEmail    *bool
	Position       *int
	Authentication *string
	AccessCode     *string
	AccessCodeHint *string
	Locale         *string
	Message        *string
	Values         map[string]string // of the person's fields by name, see [Document.Preset]
}

// Apply checks the input and writes it to the invitation of a document.
func (in *InvitationInput) Apply(f *fault.Fields, inv *Invitation, p Proofs) {
	in.ApplyTo(f, inv, p, false)
}

// ApplyTo checks the input and writes it to an invitation, or to a role of a
// template, which has its own name and need not name anyone.
func (in *InvitationInput) ApplyTo(f *fault.Fields, inv *Invitation, p Proofs, template bool) {
	if in.RoleName != nil {
		inv.RoleName = input.Line(f, "role_name", in.RoleName, MaxName)
	}
	if template && inv.RoleName == "" && !f.Has("role_name") {
		f.Required("role_name")
	}
	if in.Named != nil {
		inv.NamedByPrevious = *in.Named
	}
	if in.SharesEmail != nil {
		inv.SharesEmail = *in.SharesEmail
	}
	in.applyPerson(f, inv, !template && !inv.NamedByPrevious)
	switch {
	case !inv.NamedByPrevious:
	case inv.Email == "" && inv.RoleName == "" && !f.Has("role_name"):
		f.Required("role_name")
	case inv.Email != "" && inv.Name == "" && !template && !f.Has("name"):
		f.Required("name") // as nobody is asked to name them
	}
	if in.Role != nil {
		inv.Role = input.OneOf(f, "role", in.Role, Roles()...)
	}
	if in.Group != nil {
		inv.Group = input.Line(f, "group", in.Group, MaxName)
	}
	if in.Position != nil {
		if inv.Position = *in.Position; inv.Position < 1 || inv.Position > 10_000 {
			f.Between("position", 1, 10_000)
		}
	}
	in.ApplyAuthentication(f, inv, p)
	if in.Locale != nil {
		inv.Locale = locale(f, "locale", in.Locale)
	}
	if in.Message != nil {
		inv.Message = input.Lines(f, "message", in.Message, maxMessage)
	}
}

func (in *InvitationInput) applyPerson(f *fault.Fields, inv *Invitation, required bool) {
	if in.Name != nil {
		inv.Name = input.Line(f, "name", in.Name, MaxName)
	}
	if in.Company != nil {
		inv.Company = input.Line(f, "company", in.Company, MaxName)
	}
	if in.JobTitle != nil {
		inv.JobTitle = input.Line(f, "job_title", in.JobTitle, MaxName)
	}
	if required && inv.Name == "" && !f.Has("name") {
		f.Required("name")
	}
	if in.Email != nil {
		inv.Email = strings.TrimSpace(*in.Email)
	}
	switch {
	case inv.Email == "" && required:
		f.Required("email")
	case inv.Email != "" && !mail.ValidEmail(inv.Email):
		f.Add("email", "not_an_email")
	}
	input.OwnName(f, "name", inv.Name, inv.Email)
	input.OwnName(f, "company", inv.Company, inv.Email)
	input.OwnName(f, "job_title", inv.JobTitle, inv.Email)
}

func (in *InvitationInput) ApplyAuthentication(f *fault.Fields, inv *Invitation, p Proofs) {
	if in.Authentication != nil {
		if *in.Authentication == ByEmailCode && inv.Authentication != ByEmailCode && !p.Mailed {
			f.Add("authentication", "no_mail_for_codes")
		}
		inv.Authentication = input.OneOf(f, "authentication", in.Authentication, ByLink, ByEmailCode, ByAccessCode)
	}
	if in.AccessCode != nil && *in.AccessCode != "" {
		if n := utf8.RuneCountInString(*in.AccessCode); n < 4 || n > 100 {
			f.Add("access_code", "wrong_length", fault.Number("low", 4), fault.Number("high", 100))
		}
		inv.AccessCodeHash = p.Key.Hash(inv.ID, *in.AccessCode)
		if in.Authentication == nil {
			inv.Authentication = ByAccessCode
		}
	}
	if in.AccessCodeHint != nil {
		inv.AccessCodeHint = input.Line(f, "access_code_hint", in.AccessCodeHint, MaxName)
	}
	if inv.lacksCode() && (in.Authentication != nil || in.AccessCode != nil) {
		f.Required("access_code")
	}
}

// OnlyCode reports whether the input sets only the access code and its hint.
func (in *InvitationInput) OnlyCode() bool {
	only := InvitationInput{ID: in.ID, AccessCode: in.AccessCode, AccessCodeHint: in.AccessCodeHint, Values: in.Values}
	return in.AccessCode != nil && len(in.Values) == 0 && reflect.DeepEqual(*in, only)
}

// KeepAuthentication prevents an invited person from changing how their
// replacement proves who they are. Only the sender may, who is asked for a new
// access code.
func (in *InvitationInput) KeepAuthentication(f *fault.Fields, who account.Actor, from *Invitation) {
	sender := !who.IsSignatory() && who.Can(account.ScopeWrite)
	switch {
	case sender && in.Authentication == nil && from.Authentication == ByAccessCode:
		in.Authentication = &from.Authentication
	case sender || from.Authentication == ByLink:
	default:
		if in.Authentication != nil && *in.Authentication != from.Authentication {
			f.Add("authentication", "check_of_sender")
		}
		if in.AccessCode != nil && *in.AccessCode != "" {
			f.Add("access_code", "check_of_sender")
		}
		in.Authentication, in.AccessCode, in.AccessCodeHint = nil, nil, nil
	}
}
