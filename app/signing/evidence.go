package signing

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"paraph/app/pdf"
	"paraph/app/signing/completion"
	"paraph/app/signing/record"
)

// evidence collects everything that is known about a document.
func (s *Completion) evidence(d *record.Document) (*completion.Evidence, error) {
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	entries, err := s.store.Trail(d.ID)
	if err != nil {
		return nil, err
	}
	signed, total := record.CountSignatures(d)
	e := &completion.Evidence{
		Company: company.Name, ChainHead: d.Head, HashRule: completion.HashRule,
		Document: completion.Document{
			ID: d.ID, Title: d.Title, Status: d.Status.String(), SigningOrder: d.SigningOrder,
			Owner: completion.Person{Name: d.Owner.Name, Email: d.Owner.Email}, CreatedAt: completion.Time(d.CreatedAt),
			SentAt: completion.Maybe(d.SentAt), CompletedAt: completion.Maybe(d.CompletedAt),
			Signed: signed, Total: total,
		},
	}
	for i := range d.Files {
		e.Files = append(e.Files, evidenceOfFile(d, &d.Files[i]))
	}
	for i := range d.Invitations {
		e.Signatories = append(e.Signatories, evidenceOfSignatory(d, &d.Invitations[i]))
	}
	for _, x := range entries {
		e.Events = append(e.Events, evidenceOfEvent(x))
	}
	for i := range e.Signatories {
		e.Signatories[i].Ways = waysOf(e.Signatories[i], entries)
		e.Signatories[i].NamedBy = namedBy(e.Signatories[i].ID, entries)
	}
	return e, nil
}

func evidenceOfFile(d *record.Document, f *record.File) completion.File {
	out := completion.File{ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, SHA256: f.SHA256,
		ConvertedBy: record.Optional(f.ConvertedBy), BaseSHA256: f.Base, BaseSize: f.BaseSize, Pages: len(f.Pages)}
	for _, r := range f.Revisions {
		rev := completion.Revision{
			Kind: r.Kind, Size: r.Size, Total: r.Total, SHA256: r.SHA256, At: completion.Time(r.At),
		}
		if inv := d.Invitation(r.Invitation); inv != nil {
			rev.Signer = &completion.Person{Name: inv.Name, Email: inv.Email}
			if by := inv.RecordedBy; by != nil {
				rev.Signer, rev.RecordedFor = &completion.Person{Name: by.Name, Email: by.Email, Doubt: by.Doubt}, rev.Signer
			}
		}
		out.Revisions = append(out.Revisions, rev)
	}
	return out
}

func evidenceOfSignatory(d *record.Document, inv *record.Invitation) completion.Signatory {
	out := completion.Signatory{ID: inv.ID, Name: inv.Name, Email: inv.Email, Role: inv.Role,
		Group: inv.Group, Status: inv.Status,
		Authentication: inv.Authentication,
		NotifiedAt:     completion.Maybe(inv.NotifiedAt), ViewedAt: completion.Maybe(inv.ViewedAt),
		SignedAt: completion.Maybe(inv.SignedAt), ReadAt: completion.Maybe(inv.ReadAt),
		FilledInAt:   completion.Maybe(inv.FilledInAt),
		DeclinedAt:   completion.Maybe(inv.DeclinedAt),
		DeclinedCode: string(inv.DeclinedCode), DeclinedReason: inv.DeclinedReason}
	if by := inv.RecordedBy; by != nil {
		out.RecordedBy = &completion.Person{Name: by.Name, Email: by.Email, Doubt: by.Doubt}
		out.RecorderDoubt = by.Doubt
	}
	if inv.Replaced() {
		out.Status = "replaced"
	}
	assistance(&out, d, inv)
	if to := d.Invitation(inv.DelegatedTo); to != nil {
		out.DelegatedTo = &completion.Person{Name: to.Name, Email: to.Email}
	}
	if ev := inv.Evidence; ev != nil {
		out.Method, out.Through, out.Host, out.IP, out.UserAgent = ev.Method, ev.Through, ev.Host, ev.IP, ev.UserAgent
		out.HostDoubt, out.FormVersion = ev.HostDoubt, ev.Form
		out.Consent, out.ConsentText = ev.Consent, ev.ConsentText
		if out.Reading = ev.Reading; out.Reading != "" {
			out.Pages = record.CountPages(d)
		}
		out.SignatureType, out.Certificate = ev.SignatureType, ev.Serial
		if ev.Consent {
			out.ConsentSHA256 = consentVersion(ev.ConsentText)
		}
		out.ActedAt = completion.Maybe(&ev.At)
	}
	for _, x := range d.UnsortedFieldsOf(inv.ID) {
		if x.Hidden {
			out.NotAsked = append(out.NotAsked, x.Key())
		}
		if !x.Filled || !x.HasAnswer() {
			continue
		}
		supplied, by := supplierOf(d, inv, x)
		out.Values = append(out.Values, completion.Value{Field: x.ID, Name: x.Name, Label: shownName(x),
			File: x.File, Page: x.Page, Value: x.Evident(x.Value), Supplied: supplied, By: by})
		out.Answers = append(out.Answers, answer(x))
	}
	return out
}

// answer returns the field's value under its visible name.
func answer(x *record.Field) completion.Answer {
	return completion.Answer{
		Field: shownName(x), Value: x.Masked(x.Value),
		Box:    x.Type == pdf.FieldCheckbox || x.Type == pdf.FieldRadio && len(x.Options) == 0,
		Ticked: x.Value == record.Checked,
	}
}

// shownName returns the name under which people see a field.
func shownName(x *record.Field) string { return cmp.Or(x.Label, x.Name, string(x.Type)) }

// supplierOf returns who supplied the value of a person's field.
func supplierOf(d *record.Document, inv *record.Invitation, x *record.Field) (kind string, who *completion.Person) {
	person := func(p *record.Person) *completion.Person { return &completion.Person{Name: p.Name, Email: p.Email} }
	by := inv
	switch assistant := d.Invitation(x.AssistedBy); {
	case x.Computed():
		return completion.SuppliedByProgram, nil
	case x.Kept && assistant != nil:
		kind, by = completion.SuppliedByAssistant, assistant
	case x.Kept, x.ReadOnly:
		return completion.SuppliedBySender, person(&d.Owner)
	default:
		kind = completion.SuppliedByPerson
	}
	if by.RecordedBy != nil {
		return completion.SuppliedByRecorder, person(&by.RecordedBy.Person)
	}
	return kind, &completion.Person{Name: by.Name, Email: by.Email}
}

// consentVersion identifies a wording of the consent text.
func consentVersion(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// waysOf lists how a person was given their link and code, until they acted.
func waysOf(p completion.Signatory, entries []record.Entry) (ways []completion.Way) {
	for _, x := range entries {
		if x.Value.Invitation != p.ID || p.ActedAt != nil && x.At.After(time.Time(*p.ActedAt)) {
			continue
		}
		data := x.Value.Data
		way := completion.Way{At: completion.Time(x.At), Email: data["email"], Server: data["server"], Reply: data["reply"],
			Code: data["kind"] == string(MailCode) || x.Value.Type == record.EventInvitationCodeShown,
			Who:  completion.Person{Name: x.Value.ActorName, Email: x.Value.ActorEmail, Doubt: x.Value.ActorDoubt}, Token: data["token"]}
		switch x.Value.Type {
		case record.EventInvitationMailed:
			way.Kind = completion.WayMailed
		case record.EventInvitationBounced:
			way.Kind = completion.WayBounced
		case record.EventInvitationLinkShown, record.EventInvitationCodeShown:
			way.Kind = data["through"]
			if way.Kind == throughPublicCode { // one act gave them the link and used the code
				way.Kind, way.Code = throughPublic, false
				ways = append(ways, way)
				way.Kind, way.Code = throughPublicCode, true
			}
		default:
			continue
		}
		ways = append(ways, way)
	}
	return ways
}

// assistance adds the fields that an assistant has filled in, and who changed which of them.
func assistance(out *completion.Signatory, d *record.Document, inv *record.Invitation) {
	for _, x := range record.AssistedFields(d, inv) {
		out.FilledIn = append(out.FilledIn, x.Key())
		by := d.Invitation(x.AssistedBy)
		if by == nil || by.ID == inv.ID {
			continue
		}
		who := completion.Person{Name: by.Name, Email: by.Email}
		i := slices.IndexFunc(out.Changed, func(c completion.Change) bool { return c.By == who })
		if i < 0 {
			i, out.Changed = len(out.Changed), append(out.Changed, completion.Change{By: who})
		}
		out.Changed[i].Fields = append(out.Changed[i].Fields, x.Key())
	}
}

// namedBy returns who named the person of an invitation, nil if it had one from the start.
func namedBy(invitation string, entries []record.Entry) (by *completion.Person) {
	for _, x := range entries {
		if x.Value.Type == record.EventInvitationNamed && x.Value.Invitation == invitation {
			by = &completion.Person{Name: x.Value.ActorName, Email: x.Value.ActorEmail, Doubt: x.Value.ActorDoubt}
		}
	}
	return by
}

func evidenceOfEvent(x record.Entry) completion.Event {
	return completion.Event{
		ID: x.ID, Seq: x.Number(), Type: string(x.Value.Type), At: completion.Time(x.At),
		ActorType: x.Value.ActorKind, ActorID: x.Value.ActorID,
		ActorName: x.Value.ActorName, ActorEmail: x.Value.ActorEmail, ActorDoubt: x.Value.ActorDoubt,
		IP: x.Value.IP, UserAgent: x.Value.UserAgent, Data: x.Value.Data,
		Hash: hex.EncodeToString(x.Hash[:]), PreviousHash: hex.EncodeToString(x.ChainPrevious[:]),
		Scope: x.Scope, Chain: x.Chain, JournalHash: hex.EncodeToString(x.Previous[:]), Raw: string(x.Raw),
	}
}
