package app

import (
	"cmp"
	"context"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/api"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Controls are the controls of a test double.
type Controls struct{ app *App }

var _ api.TestControls = Controls{}

// Time returns the time of a company, "" for that of the appliance, and whether its clock is frozen.
func (c Controls) Time(company string) (time.Time, bool) {
	clock := c.app.Clock.Of(company)
	return clock.Now(), clock.IsFrozen()
}

// MoveClock moves the clock of a company, or with "" that of the appliance. Work that became due is
// finished when it returns, each piece at the time when it was due.
func (c Controls) MoveClock(ctx context.Context, company string, m api.ClockMove) error {
	a := c.app
	if m.Reset {
		a.Clock.Rejoin(company)
	}
	if company != "" {
		if err := a.db.View(func(tx *kv.Tx) error { _, err := account.LoadCompany(tx, company); return err }); err != nil {
			return err
		}
	}
	clock := a.Clock.Of(company)
	if m.Set != nil || m.Advance != 0 || m.Freeze != nil {
		clock = a.Clock.Own(company)
	}
	if m.Set != nil {
		if err := c.walk(ctx, clock, company, *m.Set); err != nil {
			return err
		}
		clock.Set(*m.Set)
	}
	if m.Advance != 0 {
		if err := c.walk(ctx, clock, company, clock.Now().Add(m.Advance)); err != nil {
			return err
		}
	}
	if m.Freeze != nil {
		if *m.Freeze {
			clock.Freeze(clock.Now())
		} else {
			clock.Set(clock.Now())
		}
	}
	a.pace.begin(a.Clock) // it was meant
	a.jobs.Nudge()
	if err := c.Settle(ctx, company); err != nil || company == "" {
		return err
	}
	return a.Signing.Upkeep.Retain(ctx, company)
}

// walk advances a clock to a time by way of everything that is due before, in order: a test that
// skips a month sees all reminders of that month. What the installation does for itself each day
// is done once.
func (c Controls) walk(ctx context.Context, clock *Clock, company string, to time.Time) error {
	next := func() (time.Time, error) { return c.app.jobs.NextIn(company) }
	if company == "" {
		next = c.app.jobs.NextInAny
	}
	for last := (time.Time{}); ; {
		due, err := next()
		if err != nil {
			return err
		}
		if due.IsZero() || !due.Before(to) || !due.After(last) {
			break
		}
		if now := clock.Now(); due.After(now) {
			clock.Advance(due.Sub(now))
		}
		if err := c.Settle(ctx, company); err != nil {
			return err
		}
		last = due
	}
	clock.Advance(to.Sub(clock.Now()))
	return nil
}

// settling bounds how long the controls wait for due work.
const settling = 90 * time.Second

// Settle waits until due work of a company, or with "" of all of them, is done and every
// notification is in the outbox.
func (c Controls) Settle(ctx context.Context, company string) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	a := c.app
	idle := a.jobs.Idle
	if company != "" {
		idle = func(ctx context.Context) error { return a.jobs.IdleIn(ctx, company) }
	} else if err := a.Accounts.Upkeep.Flush(); err != nil {
		return err
	}
	a.jobs.Nudge()
	if err := idle(ctx); err != nil {
		return err
	}
	for _, caughtUp := range []func(context.Context) error{a.Notify.CaughtUp, a.Webhooks.CaughtUp, a.Contacts.CaughtUp} {
		if err := caughtUp(ctx); err != nil {
			return err
		}
	}
	return idle(ctx)
}

// AddCompany makes a company with an owner and a token for one test. What a test does in it meets
// nothing of another's.
func (c Controls) AddCompany(ctx context.Context, name, locale, timezone string) (api.TestCompany, error) {
	operator := c.app.Accounts.Operator
	company, err := operator.AddCompany(cmp.Or(name, "Test company"), locale, timezone)
	if err != nil {
		return api.TestCompany{}, err
	}
	owner, err := operator.AddUser(ctx, account.UserInput{
		Name: "Tess Owner", Email: "tess@" + strings.ToLower(company.ID) + ".example", Password: SeedPassword,
		CompanyID: company.ID, Role: account.RoleOwner, Locale: company.Locale, Timezone: company.Timezone,
	})
	if err != nil {
		return api.TestCompany{}, err
	}
	actor, err := operator.ActorFor(owner.Email, company.ID)
	if err != nil {
		return api.TestCompany{}, err
	}
	token, err := c.app.Accounts.Profile.CreateToken(account.Call{Actor: actor}, account.TokenInput{Name: "Tests", Scopes: account.Scopes()})
	if err == nil && c.app.past.seeded != nil {
		err = c.app.past.begin(c.app.db, company.ID)
	}
	return api.TestCompany{ID: company.ID, Name: company.Name, Email: owner.Email, Password: SeedPassword, Token: token.Secret}, err
}

// The people and companies of a test double.
const (
	SeedCompany      = "Acme"
	SeedOtherCompany = "Other"
	SeedPassword     = "paraph-dev-password"
	SeedAdmin        = "ada@acme.example"
	SeedMember       = "max@acme.example"
	SeedApprover     = "ines@acme.example"
	SeedViewer       = "vera@acme.example"
	SeedOther        = "otto@other.example"
)

// seed creates the state that a test double starts with: a company with people
// in every role, a second company, and sample documents.
func seed(ctx context.Context, accounts *account.Services, documents *signing.Services) error {
	first, made, err := accounts.Operator.Bootstrap(ctx, SeedAdmin, SeedPassword)
	if err != nil || !made {
		return err
	}
	name := SeedCompany
	admin, err := accounts.Operator.ActorFor(SeedAdmin, first.Company.ID)
	if err != nil {
		return err
	}
	if _, err := accounts.Companies.UpdateCompany(account.Call{Actor: admin}, account.CompanyPatch{Name: &name}); err != nil {
		return err
	}
	own := "Ada Lovelace"
	if _, err := accounts.Profile.UpdateMe(ctx, account.Call{Actor: admin}, account.MePatch{Name: &own}); err != nil {
		return err
	}
	other, err := accounts.Operator.AddCompany(SeedOtherCompany, "en", "UTC")
	if err != nil {
		return err
	}
	for _, u := range []account.UserInput{
		{Name: "Max Member", Email: SeedMember, CompanyID: first.Company.ID, Role: account.RoleMember},
		{Name: "Ines Approver", Email: SeedApprover, CompanyID: first.Company.ID, Role: account.RoleApprover},
		{Name: "Vera Viewer", Email: SeedViewer, CompanyID: first.Company.ID, Role: account.RoleViewer},
		{Name: "Otto Other", Email: SeedOther, CompanyID: other.ID, Role: account.RoleOwner},
	} {
		u.Password = SeedPassword
		if _, err := accounts.Operator.AddUser(ctx, u); err != nil {
			return err
		}
	}
	return seedDocuments(ctx, documents.Drafts, account.Call{Actor: admin})
}

func seedDocuments(ctx context.Context, drafts *signing.Drafts, admin account.Call) error {
	text := func(s string) *string { return &s }
	for _, title := range []string{"Lease agreement", "Non-disclosure agreement", "Offer letter"} {
		_, err := drafts.Create(ctx, admin, signing.CreateInput{
			DocumentInput: record.DocumentInput{Title: text(title)},
			Invitations:   []record.InvitationInput{{Name: text("Sam Signer"), Email: text("sam@signer.example")}}})
		if err != nil {
			return err
		}
	}
	return nil
}
