package publiclink

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/mail"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/turns"
	"paraph/kv"
)

// ErrClosed means that a link does not work, for whatever reason.
var ErrClosed = errors.New("publiclink: the link is closed")

// ErrFull means that a link works, but there is no room for more documents of its company.
var ErrFull = errors.New("publiclink: no room for more documents")

// Visit holds the facts that a link shows to everybody.
type Visit struct {
	Link
	CompanyInfo account.Company
	Locale      string // of the template
	Code        bool   // a code is mailed to the visitor's address

	template *record.Document
	owner    account.Actor
}

// Open reports whether visitors can start.
func (v Visit) Open() bool { return v.Status == Open }

// Visitor holds what the person who opened a link says about themselves, and where they connect from.
type Visitor struct {
	Name, Email string
	Code        string // that was mailed to them, "" before
	Locale      string
	IP, Agent   string
}

// Start is the result of a visitor's request.
type Start struct {
	Mailed bool   // a code was mailed; nothing else was done
	Path   string // of the visitor's signing page
	Proof  string // that the code was entered, for [signing.Visits]; "" without a code
}

// Visit returns what a link shows. It changes nothing.
func (s *Service) Visit(token string) (v Visit, err error) {
	var company string
	err = s.DB.View(func(tx *kv.Tx) error {
		if v.Link, err = s.opened(tx, token); err != nil {
			return err
		}
		company = v.Company
		if v.CompanyInfo, err = account.LoadCompany(tx, company); err != nil {
			return fault.NotFound("public_link").Because(err)
		}
		return nil
	})
	if err != nil {
		return Visit{}, err
	}
	t, err := s.Drafts.GetTemplate(account.System(company), v.Template)
	if fault.KindOf(err) == fault.KindNotFound {
		v.Status = Closed
		return v, nil
	}
	if err != nil {
		return Visit{}, err
	}
	v.template, v.Locale, v.Code = t.Document, t.Locale, s.checks(&v.Link, t.Document)
	err = s.DB.View(func(tx *kv.Tx) error {
		if v.owner, _, err = v.Link.owner(tx); err != nil {
			return err
		}
		return s.describe(tx, &v.Link, t.Document)
	})
	if v.Open() && asksForCode(&v.Link, t.Document) && !s.Mails() {
		v.Status = Closed // without the check that the role demands, nobody gets in
	}
	return v, err
}

// TurnedAway tells the owner of a link, once a day, that visitors can't fill it in because there is
// no room for more documents.
func (s *Service) TurnedAway(v *Visit) error {
	if v.FullAt != nil && s.NowIn(v.Company).Before(v.FullAt.Add(fullAgain)) {
		return nil
	}
	return s.DB.For(v.Company).Update(func(tx *kv.Tx) error {
		l, err := links.Get(tx, v.key())
		if errors.Is(err, kv.ErrNotFound) || err == nil && l.FullAt != nil && tx.Now.Before(l.FullAt.Add(fullAgain)) {
			return nil
		}
		if err != nil {
			return err
		}
		l.FullAt = &tx.Now
		l.RoleName = v.RoleName
		full := l.event(record.EventTemplateLinkFull).With("owner", v.owner.Name).With("email", v.owner.Email)
		as := account.System(l.Company)
		return errors.Join(links.Put(tx, l.key(), l), s.Drafts.RecordUse(tx, as, l.Template, l.BaseURL, full))
	})
}

func (s *Service) full(v *Visit) error {
	return cmp.Or(s.TurnedAway(v), ErrFull)
}

// fullAgain is how long the owner of a link is not told again that there is no room.
const fullAgain = 24 * time.Hour

// checks reports whether visitors prove their address with a code: the role demands it, or the
// link wants it and e-mail works.
func (s *Service) checks(l *Link, t *record.Document) bool {
	return asksForCode(l, t) || l.CheckAddress && s.Mails()
}

// asksForCode reports whether the role that visitors take demands a code by e-mail.
func asksForCode(l *Link, t *record.Document) bool {
	i := t.RoleIndex(l.Role)
	return i >= 0 && t.Invitations[i].Authentication == record.ByEmailCode
}

// Start makes the document of a visitor, or first mails a code to the address that they stated.
// It returns ErrClosed if the link doesn't work, and ErrFull while its company has no room for
// more documents.
func (s *Service) Start(ctx context.Context, token string, by Visitor) (Start, error) {
	v, err := s.Visit(token)
	if err != nil {
		return Start{}, err
	}
	switch {
	case v.Status == Full:
		return Start{}, s.full(&v)
	case !v.Open():
		return Start{}, ErrClosed
	}
	// Counted before the input is checked: a refusal can tell who else is to sign.
	network := v.ID + " " + turns.Network(by.IP)
	if _, wait, ok := s.visits.Allow(network); !ok {
		return Start{}, fault.Throttled(perNetwork, wait)
	}
	if err := by.check(&v); err != nil {
		return Start{}, err
	}
	if _, wait, ok := s.crowds.Allow(v.ID); !ok {
		return Start{}, fault.Throttled(perLink, wait)
	}
	who := v.stranger(by)
	if v.Code && by.Code == "" {
		err := s.Signing.SendVisitorCode(who, func(tx *kv.Tx) error {
			if err := s.stillOpen(tx, &v, by, network); err != nil {
				return err
			}
			_, err := s.written.Spend(tx, input.FoldEmail(by.Email))
			return err
		})
		return Start{Mailed: err == nil}, err
	}
	if v.Code {
		if err := s.Signing.ProveVisitor(who, by.Code); err != nil {
			return Start{}, err
		}
	}
	d, err := s.make(ctx, &v, by, network)
	if err != nil {
		return Start{}, s.refused(&v, err)
	}
	return s.handOver(&v, by, d)
}

// check refuses a name and an address that can't be used, before anything is done for a visitor.
func (by *Visitor) check(v *Visit) error {
	var f fault.Fields
	var unknown fault.Fields // a language that messages don't have
	locale := by.Locale
	input.SetLocale(&unknown, "locale", &locale, &by.Locale)
	if !unknown.Empty() {
		by.Locale = ""
	}
	by.Name = input.Line(&f, "name", &by.Name, record.MaxName)
	if by.Name == "" && !f.Has("name") {
		f.Required("name")
	}
	switch by.Email = strings.TrimSpace(by.Email); {
	case by.Email == "":
		f.Required("email")
	case !mail.ValidEmail(by.Email):
		f.Add("email", "not_an_email")
	}
	if !f.Has("name") {
		input.OwnName(&f, "name", by.Name, by.Email)
	}
	for i := range v.template.Invitations {
		if inv := &v.template.Invitations[i]; inv.ID != v.Role && v.emailOf(inv) == input.FoldEmail(by.Email) {
			f.Add("email", "already_invited")
		}
	}
	return f.Err()
}

// emailOf returns the folded address of the person in another role.
func (l *Link) emailOf(inv *record.Invitation) string {
	for _, p := range l.People {
		if p.Email != "" && (p.Role == inv.ID || strings.EqualFold(p.Role, inv.RoleName)) {
			return input.FoldEmail(p.Email)
		}
	}
	return input.FoldEmail(inv.Email)
}

func (v *Visit) stranger(by Visitor) signing.Stranger {
	return signing.Stranger{Company: v.Company, Link: v.ID, Title: v.Title, Name: by.Name, Email: by.Email, IP: by.IP,
		Locale: by.Locale}
}

// stillOpen refuses within a transaction unless the link works and is as it was read, and the
// network and the address of the visitor have something left.
func (s *Service) stillOpen(tx *kv.Tx, v *Visit, by Visitor, network string) error {
	now, err := links.Get(tx, v.key())
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return ErrClosed
	case err != nil:
		return err
	case now.status(tx.Now) != Open || !now.UpdatedAt.Equal(v.UpdatedAt):
		return ErrClosed
	}
	if _, may, err := now.owner(tx); err != nil || !may {
		return cmp.Or(err, ErrClosed)
	}
	if wait, err := s.visited.Wait(tx, network); err != nil || wait > 0 {
		return cmp.Or[error](err, fault.Throttled(perDay, wait))
	}
	if wait, err := s.written.Wait(tx, input.FoldEmail(by.Email)); err != nil || wait > 0 {
		return cmp.Or[error](err, fault.Throttled(perAddress, wait))
	}
	return nil
}

// use returns the input of a visitor's document.
func (s *Service) use(l *Link, t *record.Document, by Visitor) signing.UseInput {
	in := signing.UseInput{Send: true, BaseURL: l.BaseURL, Variables: l.Variables, Link: l.ID}
	for _, p := range l.People {
		person := signing.RolePerson{Role: p.Role}
		person.Name, person.Email = optional(p.Name), optional(p.Email)
		person.Locale = optional(p.Locale)
		in.People = append(in.People, person)
	}
	check := record.ByLink
	if s.checks(l, t) {
		check = record.ByEmailCode
	}
	visitor := signing.RolePerson{Role: l.Role}
	visitor.Name, visitor.Email, visitor.Authentication = &by.Name, &by.Email, &check
	visitor.Locale = optional(by.Locale)
	in.People = append(in.People, visitor)
	return in
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// make makes and sends the document of a visitor. The use is counted, and the code used up, in
// the transaction that stores it.
func (s *Service) make(ctx context.Context, v *Visit, by Visitor, network string) (*record.Document, error) {
	leave, err := s.making.Enter(ctx, turns.Guest(v.Company, v.ID))
	if err != nil {
		return nil, err
	}
	defer leave()
	// Others may have changed the link or the template, or used the link up, while this visitor waited.
	proven := v.Code
	if *v, err = s.Visit(s.Token(&v.Link)); err != nil {
		return nil, err
	}
	if v.Status == Full {
		return nil, ErrFull
	}
	if !v.Open() || v.Code && !proven {
		return nil, ErrClosed
	}
	if err := s.DB.View(func(tx *kv.Tx) error { return s.stillOpen(tx, v, by, network) }); err != nil {
		return nil, err
	}
	in := s.use(&v.Link, v.template, by)
	as := account.System(v.Company).Call(account.From{IP: by.IP, UserAgent: by.Agent})
	in.As = &as
	in.With = func(tx *kv.Tx, _ *record.Document) error {
		if err := s.stillOpen(tx, v, by, network); err != nil {
			return err
		}
		if v.Code {
			if err := s.Signing.SpendVisitor(tx, v.stranger(by), by.Code); err != nil {
				return err
			}
		}
		l, err := links.Get(tx, v.key())
		if err != nil {
			return err
		}
		l.Uses++
		if err := links.Put(tx, l.key(), l); err != nil {
			return err
		}
		_, err = s.visited.Spend(tx, network)
		_, more := s.written.Spend(tx, input.FoldEmail(by.Email))
		return errors.Join(err, more)
	}
	return s.Drafts.UseTemplateVersion(ctx, account.Call{Actor: v.owner}, v.template, in)
}

// refused returns why a visitor gets no document: what is wrong with their own input, or that the
// link doesn't work, without telling strangers about the company.
func (s *Service) refused(v *Visit, err error) error {
	if isFull(err) || errors.Is(err, ErrFull) {
		return s.full(v)
	}
	var own fault.Fields
	last := "people." + strconv.Itoa(len(v.People)) + "."
	for _, x := range fault.FieldsOf(err) {
		if name, mine := strings.CutPrefix(x.Name, last); mine || x.Name == "code" {
			x.Name = name
			own.Keep(x)
		}
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		if own.Empty() {
			return errors.Join(ErrClosed, err)
		}
		return own.Err()
	case fault.KindConflict, fault.KindForbidden, fault.KindNotFound:
		return errors.Join(ErrClosed, err)
	}
	return err
}

// handOver issues the address of the signing page to a visitor, and records that.
func (s *Service) handOver(v *Visit, by Visitor, d *record.Document) (out Start, err error) {
	i := d.RoleIndex(v.RoleName)
	inv := &d.Invitations[i]
	who := account.Actor{Kind: account.ActorSignatory, CompanyID: d.Company, Name: inv.Name, Email: inv.Email,
		Document: d.ID, Invitation: inv.ID}.Call(account.From{IP: by.IP, UserAgent: by.Agent})
	if out.Path, err = s.Sending.OpenPublicLink(who, v.Code); err != nil || !v.Code {
		return out, err
	}
	out.Proof, err = s.Accounts.Authentication.SignatoryToken(d.Company, d.ID, inv.ID, inv.Name, inv.Email,
		record.IdentifiedFor)
	return out, err
}
