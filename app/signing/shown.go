package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
)

// What people are shown when they are asked to act has a version, which their form sends back. If
// the document, a field, the consent text or a setting that they were shown has changed since, they
// are shown it anew rather than taken to have agreed to what they never saw.

// codeFormOutdated refuses an act on a form whose content has changed since.
const codeFormOutdated fault.Code = "form_outdated"

// consentShown holds what the consent page showed the signatory.
type consentShown struct {
	Text, Title, Company string
	Owner                record.Person
}

// formShown holds what the signing form showed the signatory.
type formShown struct {
	Consent        consentShown
	ConsentMode    account.ConsentMode
	Zone, Locale   string
	Message        string
	Files          []fileShown
	Fields         []record.Field
	Person         personShown
	SignatureTypes []string
	ReadToEnd      bool
	NoDecline      bool
	NoDelegation   bool
	DeclineReason  bool
}

type personShown struct{ ID, Name, Email, Role, Company, JobTitle, Message string }

type fileShown struct{ ID, Name, SHA256 string }

// versionOf identifies what is shown.
func versionOf(shown any) (string, error) {
	b, err := json.Marshal(shown)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

func (s *core) consentShown(c account.Company, d *record.Document, inv *record.Invitation) consentShown {
	return consentShown{Text: s.consentAsked(c, inv), Title: d.Title, Company: c.Name, Owner: d.Owner}
}

// consentVersion identifies what somebody is shown who is asked for their consent only.
func (s *core) consentVersion(c account.Company, d *record.Document, inv *record.Invitation) (string, error) {
	return versionOf(s.consentShown(c, d, inv))
}

// formVersion identifies what somebody is shown who is asked to act.
func (s *core) formVersion(c account.Company, d *record.Document, inv *record.Invitation) (string, error) {
	shown := formShown{
		Consent: s.consentShown(c, d, inv), ConsentMode: c.ConsentMode, Zone: c.Timezone, Locale: d.Locale, Message: d.Message,
		Fields: d.Fields, SignatureTypes: d.SignatureTypes, ReadToEnd: d.ReadToEnd,
		NoDecline: d.NoDecline, NoDelegation: d.NoDelegation, DeclineReason: d.DeclineReason,
		Person: personShown{inv.ID, inv.Name, inv.Email, inv.Role, inv.Company, inv.JobTitle, inv.Message},
	}
	for i := range d.Files {
		f := &d.Files[i]
		shown.Files = append(shown.Files, fileShown{f.ID, f.Name, f.Current()})
	}
	return versionOf(shown)
}

// FormVersion returns the version of what an invited person is shown now, for programs to send back
// with the act; "" if they are not asked to act.
func (s *Signing) FormVersion(who account.Call, id string) (string, error) {
	d, err := s.store.Get(who, id)
	if fault.KindOf(err) == fault.KindNotFound {
		return "", nil // they have passed the invitation on
	}
	if err != nil {
		return "", err
	}
	inv := d.Invitation(who.Invitation)
	if inv == nil || d.Signable(inv, s.now(d.Company)) != nil {
		return "", nil
	}
	c, err := s.companyOf(d.Company)
	if err != nil {
		return "", err
	}
	return s.formVersion(c, d, inv)
}

// current refuses a form that shows something else than what is so now. A form that doesn't say
// what it shows is taken to show that.
func (s *core) current(shown string, c account.Company, d *record.Document, inv *record.Invitation) error {
	if shown == "" {
		return nil
	}
	now, err := s.formVersion(c, d, inv)
	if err == nil && shown != now {
		err = fault.Conflict(codeFormOutdated)
	}
	return err
}

// consentCurrent is current for a form that may ask for consent only.
func (s *core) consentCurrent(shown string, c account.Company, d *record.Document, inv *record.Invitation) error {
	now, err := s.consentVersion(c, d, inv)
	if err != nil || shown == now {
		return err
	}
	return s.current(shown, c, d, inv)
}
