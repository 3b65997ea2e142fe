package signing

import (
	"cmp"

	"paraph/app/pdf"
	"paraph/kv"
)

// employment looks up the organization and the job title that a company knows of the person with
// an address. It is nil if nothing is known of anybody.
type employment func(tx *kv.Tx, company, email string) (organization, jobTitle string, err error)

// fillIn completes the company and the job title of recipients with fields for them. Through a
// public link, people enter any address they like: they are told nothing that is known of it.
func (known employment) fillIn(tx *kv.Tx, d *Document, people ...*Invitation) error {
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
func asksEmployment(d *Document, inv *Invitation) bool {
	for _, x := range d.UnsortedFieldsOf(inv.ID) {
		if x.Type == pdf.FieldCompany && inv.Company == "" || x.Type == pdf.FieldJobTitle && inv.JobTitle == "" {
			return true
		}
	}
	return false
}

// everyone lists the invitations of a document.
func everyone(d *Document) []*Invitation {
	out := make([]*Invitation, len(d.Invitations))
	for i := range d.Invitations {
		out[i] = &d.Invitations[i]
	}
	return out
}
