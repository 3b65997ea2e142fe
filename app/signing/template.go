package signing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/convert/merge"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/intake"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// A template is stored like a document and edited by the same operations, so that it can
// hold everything a draft can. [Document.Template] distinguishes it: it appears in separate
// lists and is never sent.

func templateVisibilities() []string {
	out := make([]string, 0, len(lists.Visibilities))
	for _, v := range lists.Visibilities {
		out = append(out, record.TemplatePrefix+v)
	}
	return out
}

// Template is a template with its usage.
type Template struct {
	*record.Document
	Documents  int    // made from it
	LastUsedAt string // RFC 3339; "" means never
}

// ListTemplates returns a page of the company's templates, and their total.
func (s *Drafts) ListTemplates(
	ctx context.Context, who account.Call, q lists.Query,
) (list []Template, total int, err error) {
	q.Templates = true
	page, err := s.lists.List(ctx, who, q)
	if err != nil {
		return nil, 0, err
	}
	rows, err := page.Items()
	if err != nil {
		return nil, 0, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		for _, r := range rows {
			d, err := loadTemplate(tx, who, r.ID)
			if err != nil {
				return err
			}
			t, err := usage(tx, d)
			if err != nil {
				return err
			}
			list = append(list, t)
		}
		return nil
	})
	return list, page.Total, err
}

// GetTemplate returns one template.
func (s *Drafts) GetTemplate(who account.Call, id string) (t Template, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return Template{}, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		d, err := loadTemplate(tx, who, id)
		if err != nil {
			return err
		}
		t, err = usage(tx, d)
		return err
	})
	return t, err
}

// KnownTemplates returns the identifiers of templates of the caller's company. What is none is a fault of template_ids.
func (s *Drafts) KnownTemplates(f *fault.Fields, who account.Call, ids []string) (known []string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		for i, id := range ids {
			switch _, err := loadTemplate(tx, who, id); {
			case fault.KindOf(err) == fault.KindNotFound:
				f.Selected(fmt.Sprintf("template_ids.%d", i))
			case err != nil:
				return err
			}
			known = append(known, id)
		}
		return nil
	})
	return known, err
}

// TemplateOf returns the identifier of the template that a document was made from, if there is one.
func (s *Drafts) TemplateOf(who account.Call, id string) (template string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		switch {
		case err != nil:
			return err
		case d.Template || d.MadeFrom == nil:
			return fault.NotFound("document")
		}
		template = d.MadeFrom.Template
		return nil
	})
	return template, err
}

func loadTemplate(tx *kv.Tx, who account.Call, id string) (*record.Document, error) {
	d, err := store.Load(tx, who, id)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && !d.Template {
		return nil, fault.NotFound("template")
	}
	return d, err
}

// usage counts the documents made from a template.
func usage(tx *kv.Tx, d *record.Document) (Template, error) {
	_, raw, total, err := store.Rows.PageRaw(tx, kv.Query{
		Index: store.ByTemplate, Prefix: kv.K(d.Company, d.ID), Descending: true, Limit: 1,
	})
	if err != nil {
		return Template{}, err
	}
	t := Template{Document: d, Documents: total}
	for _, b := range raw {
		r, err := store.RowCodec.Decode(b)
		if err != nil {
			return Template{}, err
		}
		t.LastUsedAt = r.CreatedAt
	}
	return t, nil
}

// SaveTemplate makes a template from a document in any state: its files, fields and
// rules, with a role in place of each person. names holds the names of the roles in the
// order of the invitations; roles without one are numbered.
func (s *Drafts) SaveTemplate(
	who account.Call, id string, title *string, names []string,
) (Template, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return Template{}, err
	}
	from, err := s.store.Get(who, id)
	if err != nil {
		return Template{}, err
	}
	var f fault.Fields
	d := s.copyOf(from, who)
	d.Template, d.ExpiresAt, d.ExpiresDays = true, nil, from.DeadlineDays()
	(&record.DocumentInput{Title: title}).Apply(&f, d, s.limits, s.now(who.CompanyID))
	roles := d.Invitations
	d.Invitations = nil
	for i := range roles {
		inv, at := &roles[i], f.At("roles", i)
		inv.Name, inv.Email, inv.Company, inv.JobTitle = "", "", "", ""
		inv.RoleName = roleName(at, inv, names, i)
		d.Distinct(at, inv)
		d.Invitations = append(d.Invitations, *inv)
	}
	if err := f.Err(); err != nil {
		return Template{}, err
	}
	return Template{Document: d}, s.insertCopy(who, d, d.CreatedEvent().With("document", id))
}

// roleName returns the given name of a role, or its current one, or its number.
func roleName(f *fault.Fields, inv *record.Invitation, names []string, i int) string {
	if i < len(names) {
		if name := input.Line(f, "role_name", &names[i], record.MaxName); name != "" {
			return name
		}
	}
	if inv.RoleName != "" {
		return inv.RoleName
	}
	return fmt.Sprintf("%s%s %d", strings.ToUpper(inv.Role[:1]), inv.Role[1:], i+1)
}

// UseInput describes a document to be made from a template.
type UseInput struct {
	record.DocumentInput // overrides settings of the template
	People               []RolePerson
	Variables            map[string]string
	Values               map[string]string // values of fields, by the name of the field
	Send                 bool
	SendAt               *time.Time // sends it then; nil: now, if at all
	BaseURL              string     // of the request, for links
	Run                  string     // the run that makes many documents, for the audit trail
	Link                 string     // the public link through which somebody asked for it, likewise

	// Series groups documents that are made at the same time, so that their files are converted
	// together. All of them must come from this template and be made for the same actor.
	Series *intake.Series

	// As is recorded as the one who made the document, instead of its owner. It is nil if
	// the owner made it.
	As *account.Call

	// With is called in the transaction that stores the document, unless it is nil.
	// If it fails, the document is not stored.
	With func(tx *kv.Tx, d *record.Document) error
}

func (in *UseInput) sends() bool { return in.Send || in.SendAt != nil }

// RolePerson assigns a person to a role, given by its identifier or name. Settings that
// are missing come from the template.
type RolePerson struct {
	Role string
	record.InvitationInput
}

// RecordUse adds an event that changes nothing in a template to its audit trail. base is the address
// that messages about it lead to, unless the template has one.
func (s *Drafts) RecordUse(tx *kv.Tx, who account.Call, id, base string, e record.Event) error {
	d, err := loadTemplate(tx, who, id)
	if err != nil {
		return err
	}
	d.BaseURL = cmp.Or(d.BaseURL, base)
	return s.store.SaveEvents(tx, who, d, e)
}

// TemplateRoom refuses another document of a template that would take its company over its quota.
func (s *Drafts) TemplateRoom(tx *kv.Tx, template *record.Document) error {
	return s.quota.Room(tx, template.Company, 1, template.Bytes())
}

// UseTemplate makes a document from a template, and sends it if requested. Later changes of the
// template do not affect the document.
func (s *Drafts) UseTemplate(
	ctx context.Context, who account.Call, id string, in UseInput,
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	t, err := s.GetTemplate(who, id)
	if err != nil {
		return nil, err
	}
	if err := t.Live(); err != nil {
		return nil, err
	}
	return s.UseTemplateVersion(ctx, who, t.Document, in)
}

// UseTemplateVersion is Use with a template as it was at one version.
func (s *Drafts) UseTemplateVersion(
	ctx context.Context, who account.Call, template *record.Document, in UseInput,
) (made *record.Document, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	d, _, filling, err := s.fillTemplate(who, template, in)
	if err != nil {
		return nil, err
	}
	if err := s.roomFor(who, 1, nil); err != nil {
		return nil, err
	}
	uploads, err := s.fillFiles(ctx, who, d, filling, in.Series)
	defer func() { err = errors.Join(err, closeAll(uploads)) }()
	if err != nil {
		return nil, err
	}
	if in.sends() && len(uploads) > 0 { // fields may lie beyond the last page now
		var f fault.Fields
		if s.sending.requireSendable(&f, d); !f.Empty() {
			return nil, f.Err()
		}
	}
	return s.insert(ctx, who, d, CreateInput{Uploads: uploads, Send: in.Send, SendAt: in.SendAt, with: in.With, as: in.As})
}

func closeAll(uploads []*intake.Upload) (err error) {
	for _, u := range uploads {
		err = errors.Join(err, u.Close())
	}
	return err
}

// CheckTemplateUse reports everything that would keep UseVersion from making a document,
// and counts the messages that would be sent at once.
func (s *Drafts) CheckTemplateUse(who account.Call, template *record.Document, in UseInput) (messages int, err error) {
	d, company, _, err := s.fillTemplate(who, template, in)
	if err != nil || !in.Send {
		return 0, err
	}
	if err := d.Sendable(company.RequireApproval); err != nil {
		return 0, err
	}
	if s.mails() && !d.NoMails {
		messages = len(d.Notify(s.now(who.CompanyID)))
	}
	return messages, nil
}

// fillTemplate makes the record of a document from a template, without storing it.
func (s *Drafts) fillTemplate(
	who account.Call, template *record.Document, in UseInput,
) (d *record.Document, company account.Company, filling merge.Data, err error) {
	if company, err = s.company(who); err != nil {
		return nil, company, filling, err
	}
	now := s.now(who.CompanyID)
	d = s.copyOf(template, who)
	d.Template, d.ExpiresDays, d.BaseURL = false, 0, s.links.base(in.BaseURL)
	d.MadeFrom = &record.Source{Template: template.ID, Version: template.Version, Run: in.Run, Link: in.Link}
	if template.ExpiresDays > 0 {
		from := now
		if in.SendAt != nil && in.SendAt.After(now) {
			from = *in.SendAt
		}
		until := from.AddDate(0, 0, template.ExpiresDays)
		d.ExpiresAt = &until
	}
	var f fault.Fields
	s.assignRoles(&f, d, template, in.People)
	in.DocumentInput.Apply(&f, d, s.limits, now)
	filling = d.FillIn(&f, in.Variables, d.BuiltinVariables(who.Actor, company, now), s.writing(d))
	d.Preset(&f, "", in.Values, s.writing(d))
	for i := range in.People {
		if n := template.RoleIndex(in.People[i].Role); n >= 0 {
			d.Preset(f.At("people", i), d.Invitations[n].ID, in.People[i].Values, s.writing(d))
		}
	}
	err = s.db.View(func(tx *kv.Tx) error {
		if err := stillApprovable(tx, d); err != nil {
			return err
		}
		return setApprover(tx, who, &f, d, in.ApproverID)
	})
	if err != nil {
		return nil, company, filling, err
	}
	if in.sends() && f.Empty() {
		s.sending.requireSendable(&f, d)
	}
	return d, company, filling, f.Err()
}

// ReadTyped reads the values of a template's fields, by name, as people write them in the language of its documents.
func (s *Drafts) ReadTyped(template *record.Document, values map[string]string) {
	written := s.writing(template)
	for i := range template.Fields {
		x := &template.Fields[i]
		if v, ok := values[x.Name]; ok {
			values[x.Name] = x.Typed(v, written.Language, written.Today)
		}
	}
}

// assignRoles replaces the roles of a template with people. The document has its
// invitations in the order of the template's roles.
func (s *Drafts) assignRoles(f *fault.Fields, d, template *record.Document, people []RolePerson) {
	taken := map[string]bool{}
	for i := range people {
		p, at := &people[i], f.At("people", i)
		n := template.RoleIndex(p.Role)
		switch {
		case n < 0:
			at.Selected("role")
			continue
		case taken[d.Invitations[n].ID]:
			at.Add("role", "role_taken")
			continue
		}
		inv := &d.Invitations[n]
		taken[inv.ID] = true
		p.RoleName = nil
		if p.Email != nil && *p.Email != inv.Email { // another person than the one in the template
			inv.Company, inv.JobTitle = "", ""
		}
		p.InvitationInput.Apply(at, inv, s.links.proofs())
		d.Distinct(at, inv)
	}
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; !taken[inv.ID] && !inv.NamedByPrevious && (inv.Name == "" || inv.Email == "") {
			f.Add("people", "role_without_person", fault.Text("role", inv.RoleName))
		}
	}
}
