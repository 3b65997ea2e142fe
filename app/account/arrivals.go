package account

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image/png"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// maxArrivals is the maximum number of people, and of memberships, of one import.
const maxArrivals = 100_000

// Arrivals checks the accounts in an import before any of it is stored: an export may have been
// written by anybody, so it has to satisfy what a member's input would.
type Arrivals struct {
	Company string

	joined  map[string]bool // people by identifier: whether they have joined the company
	invited map[string]bool // addresses of people who have not
	members []memberRecord
	known   map[string]bool // keys of the memberships
}

// Add checks one record by itself. Records of other packages are ignored.
func (a *Arrivals) Add(it kv.Item) (err error) {
	switch it.In {
	case companies.Name():
		err = checked(it, Company.check)
	case logos.Name():
		err = checked(it, Logo.check)
	case users.Name():
		err = checked(it, a.addPerson)
	case members.Name():
		err = checked(it, a.addMember)
	case consents.Name():
		err = checked(it, func(v ConsentVersion) error { return a.own(v.CompanyID) })
	case signIns.Name():
		err = checked(it, func(e SignInEntry) error { return a.own(e.Companies...) })
	}
	if err != nil {
		return fmt.Errorf("%w: %s %q: %w", kv.ErrCorrupt, it.In, it.ID, err)
	}
	return nil
}

func checked[T any](it kv.Item, check func(T) error) error {
	v, err := kv.Read[T](it)
	if err != nil {
		return err
	}
	return check(v)
}

func (c Company) check() error {
	p := CompanyPatch{Name: &c.Name, Locale: unlessZero(&c.Locale), Timezone: unlessZero(&c.Timezone),
		BrandColor: &c.BrandColor, DefaultExpiryDays: &c.DefaultExpiryDays, ReminderDays: &c.ReminderDays,
		ConsentText: &c.ConsentText, ConsentMode: unlessZero(&c.ConsentMode), RetentionDays: &c.RetentionDays,
		OnDecline: unlessZero(&c.OnDecline), Phone: &c.Phone, PrivacyURL: &c.PrivacyURL,
		SignatureTypes: &c.SignatureTypes}
	if !strings.HasPrefix(c.LogoURL, "/logo/"+c.ID+"?v=") {
		p.LogoURL = &c.LogoURL
	}
	return p.apply(&c)
}

// unlessZero returns nil for a setting that older records lack.
func unlessZero[T comparable](v *T) *T {
	if *v == *new(T) {
		return nil
	}
	return v
}

func (l Logo) check() error {
	sum := sha256.Sum256(l.PNG)
	size, err := png.DecodeConfig(bytes.NewReader(l.PNG))
	if err == nil && (size.Width > maxLogoWidth || size.Height > maxLogoHeight || l.Hash != hex.EncodeToString(sum[:])) {
		err = errors.New("not a stored logo")
	}
	return err
}

func (a *Arrivals) addPerson(m movedUser) error {
	u := m.User
	var f fault.Fields
	setPerson(&f, "name", &u.Name, &u.Name, u.Email)
	input.CheckEmail(&f, "email", u.Email)
	input.SetLocale(&f, "locale", unlessZero(&u.Locale), &u.Locale)
	setTimezone(&f, unlessZero(&u.Timezone), &u.Timezone)
	_, notULID := ulid.ParseStrict(u.ID)
	if err := errors.Join(f.Err(), notULID, affordable(u.Password)); err != nil {
		return err
	}
	if a.joined == nil {
		a.joined, a.invited, a.known = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	if _, twice := a.joined[u.ID]; twice || len(a.joined) == maxArrivals {
		return errors.New("the same person twice, or too many people")
	}
	if a.joined[u.ID] = m.Joined; !m.Joined {
		a.invited[input.FoldEmail(u.Email)] = true
	}
	return nil
}

func (a *Arrivals) addMember(m memberRecord) error {
	if !m.Role.Valid() || len(a.members) == maxArrivals {
		return errors.New("unknown role, or too many members")
	}
	a.members = append(a.members, m)
	return a.own(m.CompanyID)
}

func (a *Arrivals) own(companies ...string) error {
	if !slices.Equal(companies, []string{a.Company}) {
		return errors.New("belongs to another company")
	}
	return nil
}

// Complete compares memberships and people, after everything was added: nobody becomes a member
// of the company unless the export describes them.
func (a *Arrivals) Complete() error {
	for _, m := range a.members {
		if !a.described(m) || a.known[m.key()] {
			return fmt.Errorf("%w: the membership of %s has no person, or occurs twice", kv.ErrCorrupt, m.UserID)
		}
		a.known[m.key()] = true
	}
	return nil
}

func (a *Arrivals) described(m memberRecord) bool {
	if m.JoinedAt == nil && m.Invited != nil {
		return a.invited[input.FoldEmail(m.Invited.Email)]
	}
	joined, ok := a.joined[m.UserID]
	return ok && (joined || m.JoinedAt == nil)
}

// maxPasses bounds the cost of checking a password that was set elsewhere.
const maxPasses = 16

// affordable refuses the hash of a password that takes more memory or time to check than all
// passwords together may take here.
func affordable(encoded string) error {
	if encoded == "" {
		return nil
	}
	cost, _, sum, err := decodeHash(encoded)
	if err == nil && (int64(cost.Memory)<<10 > passwordMemory || cost.Passes > maxPasses || len(sum) > 2*hashSize) {
		err = errBadHash
	}
	return err
}
