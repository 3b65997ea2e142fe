package publiclink

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Input holds the settings of a link; those that are nil keep their value.
type Input struct {
	Role         *string // its ID or name
	People       *[]Person
	Variables    *map[string]string
	MaxUses      *int       // 0 for no limit
	ExpiresAt    *time.Time // the zero time for never
	Off          *bool
	CheckAddress *bool
	ClosingText  *string
	BaseURL      string // the request's, for links in messages
}

// List returns a page of the links of a template, newest first.
func (s *Service) List(
	ctx context.Context, who account.Call, template string, offset, limit int,
) (page list.Page[Link], err error) {
	t, err := s.Drafts.GetTemplate(who, template)
	if err != nil {
		return page, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := links.Page(tx, kv.Query{Index: "template", Prefix: kv.K(who.CompanyID, t.ID), Descending: true,
			Offset: offset, Limit: limit})
		page.Items, page.Total = p.Items, p.Total
		for i := range page.Items {
			err = errors.Join(err, s.describe(tx, &page.Items[i], t.Document))
		}
		return err
	})
	return page, err
}

// Get returns a link of a template.
func (s *Service) Get(who account.Call, template, id string) (l Link, err error) {
	t, err := s.Drafts.GetTemplate(who, template)
	if err != nil {
		return Link{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		if l, err = load(tx, who.CompanyID, t.ID, id); err != nil {
			return err
		}
		return s.describe(tx, &l, t.Document)
	})
	return l, err
}

// Create makes a link for a template from which documents can be sent as soon as a visitor
// states who they are.
func (s *Service) Create(who account.Call, template string, in Input) (Link, error) {
	t, err := s.writable(who, template)
	if err != nil {
		return Link{}, err
	}
	l := Link{ID: s.NewID().String(), Company: who.CompanyID, Template: t.ID, CheckAddress: true}
	l.own(who)
	if err := s.apply(&l, who, t, in); err != nil {
		return Link{}, err
	}
	err = s.DB.For(l.Company).Update(func(tx *kv.Tx) error {
		n, err := links.Count(tx, "template", kv.K(l.Company, t.ID))
		if err != nil {
			return err
		}
		if n >= MaxLinks {
			return fault.Invalid("links", "too_many", fault.Number("limit", MaxLinks))
		}
		l.CreatedAt = tx.Now
		if err := s.put(tx, &l, t); err != nil {
			return err
		}
		opened := l.event(record.EventTemplateLinkOpened)
		return errors.Join(s.Drafts.RecordUse(tx, who, t.ID, l.BaseURL, opened), who.Once.Done(tx, t.ID, l.ID))
	})
	return l, err
}

// Update changes a link. If its owner may no longer send documents, the caller becomes its owner.
func (s *Service) Update(who account.Call, template, id string, in Input) (l Link, err error) {
	t, err := s.writable(who, template)
	if err != nil {
		return Link{}, err
	}
	now, err := s.Get(who, template, id)
	if err != nil {
		return Link{}, err
	}
	if err := s.apply(&now, who, t, in); err != nil {
		return Link{}, err
	}
	err = s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		before, err := load(tx, who.CompanyID, t.ID, id)
		if err != nil {
			return err
		}
		// What others changed meanwhile stays, such as that the link is off.
		l = before
		var f fault.Fields
		in.assign(&f, &l, tx.Now)
		if in.Role != nil {
			l.Role = now.Role
		}
		if err := f.Err(); err != nil {
			return err
		}
		_, may, err := l.owner(tx)
		if err != nil {
			return err
		}
		if !may {
			l.own(who)
		}
		if err := s.put(tx, &l, t); err != nil {
			return err
		}
		for _, e := range l.changes(&before) {
			if err := s.Drafts.RecordUse(tx, who, t.ID, l.BaseURL, e); err != nil {
				return err
			}
		}
		return nil
	})
	return l, err
}

// event returns an event about a link.
func (l *Link) event(kind record.EventType) record.Event {
	return record.NewEvent(kind).With("link", l.ID).With("name", l.RoleName)
}

// changes returns the events of a change.
func (l *Link) changes(before *Link) (events []record.Event) {
	var changed []string
	for _, x := range []struct {
		name     string
		now, was any
	}{
		{"role", l.Role, before.Role}, {"people", l.People, before.People}, {"variables", l.Variables, before.Variables},
		{"max_uses", l.MaxUses, before.MaxUses}, {"expires_at", l.ExpiresAt, before.ExpiresAt},
		{"check_address", l.CheckAddress, before.CheckAddress}, {"closing_text", l.ClosingText, before.ClosingText},
		{"owner", l.By.ID, before.By.ID},
	} {
		if !reflect.DeepEqual(x.now, x.was) {
			changed = append(changed, x.name)
		}
	}
	if len(changed) > 0 {
		events = append(events, l.event(record.EventTemplateLinkChanged).With("changed", strings.Join(changed, ", ")))
	}
	switch {
	case l.Off && !before.Off:
		events = append(events, l.event(record.EventTemplateLinkClosed))
	case before.Off && !l.Off:
		events = append(events, l.event(record.EventTemplateLinkOpened))
	}
	return events
}

func (s *Service) put(tx *kv.Tx, l *Link, t *record.Document) error {
	l.UpdatedAt = tx.Now
	if err := links.Put(tx, l.key(), *l); err != nil {
		return err
	}
	return s.describe(tx, l, t)
}

// Delete removes a link. Its documents stay.
func (s *Service) Delete(who account.Call, template, id string) error {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return err
	}
	t, err := s.Drafts.GetTemplate(who, template)
	if err != nil {
		return err
	}
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		l, err := load(tx, who.CompanyID, template, id)
		if err != nil {
			return err
		}
		if err := errors.Join(s.describe(tx, &l, t.Document), links.Delete(tx, l.key())); err != nil {
			return err
		}
		return s.Drafts.RecordUse(tx, who, t.ID, l.BaseURL, l.event(record.EventTemplateLinkDeleted))
	})
}

// writable returns a template for which the caller may make links.
func (s *Service) writable(who account.Call, id string) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	t, err := s.Drafts.GetTemplate(who, id)
	if err != nil {
		return nil, err
	}
	return t.Document, t.Live()
}

// apply writes the input to a link, and checks that documents can be sent with it.
func (s *Service) apply(l *Link, who account.Call, t *record.Document, in Input) error {
	var f fault.Fields
	in.assign(&f, l, s.NowIn(who.CompanyID))
	if l.Off && in.Role == nil && in.People == nil && in.Variables == nil {
		return f.Err() // a link can always be turned off, whatever became of its template
	}
	switch i := t.RoleIndex(l.Role); {
	case l.Role == "":
		f.Required("role")
	case i < 0 || !mayVisit(t, &t.Invitations[i]):
		f.Selected("role")
	default:
		l.Role = t.Invitations[i].ID
		if err := s.rehearse(&f, l, who, t); err != nil {
			return err
		}
	}
	return f.Err()
}

// mayVisit reports whether strangers can take a role: they sign at once, and nobody could give
// them an access code.
func mayVisit(t *record.Document, inv *record.Invitation) bool {
	return inv.Signs() && inv.Group == "" && t.IsTurnOf(inv) && inv.Authentication != record.ByAccessCode
}

// assign writes the input to a link.
func (in *Input) assign(f *fault.Fields, l *Link, now time.Time) {
	in.settings(f, l, now)
	if in.Role != nil {
		l.Role = *in.Role
	}
	if in.People != nil {
		l.People = *in.People
	}
	if in.Variables != nil {
		l.Variables = *in.Variables
	}
	if in.BaseURL != "" {
		l.BaseURL = in.BaseURL
	}
}

func (in *Input) settings(f *fault.Fields, l *Link, now time.Time) {
	if in.MaxUses != nil {
		if l.MaxUses = *in.MaxUses; l.MaxUses < 0 || l.MaxUses > MaxUses {
			f.Between("max_uses", 0, MaxUses)
		}
	}
	if in.ExpiresAt != nil {
		l.ExpiresAt = in.ExpiresAt
		if in.ExpiresAt.IsZero() {
			l.ExpiresAt = nil
		} else if !in.ExpiresAt.After(now) {
			f.Add("expires_at", "not_a_future_time")
		}
	}
	if in.Off != nil {
		l.Off = *in.Off
	}
	if in.CheckAddress != nil {
		l.CheckAddress = *in.CheckAddress
	}
	if in.ClosingText != nil {
		l.ClosingText = input.Lines(f, "closing_text", in.ClosingText, MaxClosing)
	}
}

// rehearse reports everything that would keep a visitor's document from being sent.
func (s *Service) rehearse(f *fault.Fields, l *Link, who account.Call, t *record.Document) error {
	somebody := Visitor{Name: "Visitor", Email: "visitor@" + l.ID + ".example"}
	_, err := s.Drafts.CheckTemplateUse(who, t, s.use(l, t, somebody))
	if fields := fault.FieldsOf(err); len(fields) > 0 {
		f.Keep(fields...)
		return nil
	}
	return err
}

// Sweep removes the links of templates that no longer exist, and codes that were not used.
func (s *Service) Sweep(ctx context.Context) error {
	var gone []Link
	err := s.DB.View(func(tx *kv.Tx) error {
		return links.Each(tx, "", nil, func(_ string, l Link) (bool, error) {
			_, err := s.Drafts.GetTemplate(account.System(l.Company), l.Template)
			if fault.KindOf(err) == fault.KindNotFound {
				gone, err = append(gone, l), nil
			}
			return true, err
		})
	})
	for _, l := range gone {
		err = errors.Join(err, s.DB.For(l.Company).Update(func(tx *kv.Tx) error { return links.Delete(tx, l.key()) }))
	}
	return errors.Join(err, s.Signing.SweepVisitors(ctx))
}
