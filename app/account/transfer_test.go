package account_test

import (
	"bytes"
	"errors"
	"image/png"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/kv"
)

// leaving is a company that moves: an owner, somebody who was invited, and a person who
// belongs to another company too.
func leaving(t *testing.T) (*house, account.Company) {
	t.Helper()
	h := open(t)
	c, other := h.company("Acme"), h.company("Other")
	h.add(c, "boss@example.org", account.RoleOwner)
	h.add(other, "both@example.org", account.RoleOwner)
	h.add(c, "both@example.org", account.RoleMember)
	h.add(other, "stays@example.org", account.RoleMember)
	boss := h.as("boss@example.org")
	must[account.Member](t)(h.Members.InviteMember(t.Context(), boss, account.MemberInput{Email: "new@example.org", Name: "Nell", Locale: "de"}))
	must[account.Company](t)(h.Companies.UpdateCompany(t.Context(), boss, account.CompanyPatch{ConsentText: new("I agree.")}))
	if _, err := h.Companies.SetLogo(t.Context(), boss, bytes.NewReader(picture(t, 20, 10, png.Encode))); err != nil {
		t.Fatal(err)
	}
	return h, c
}

// items returns what leaves with a company, and the identifiers of its members.
func (h *house) items(c account.Company, secrets bool) (all []kv.Item, people []string) {
	h.t.Helper()
	err := h.db.View(func(tx *kv.Tx) (err error) {
		people, err = h.Transfer.ExportRecords(tx, account.RecordExport{Company: c.ID, Secrets: secrets, Put: func(it kv.Item) error {
			all = append(all, it)
			return nil
		}})
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all, people
}

// take stores what left with a company: first the people, last who belongs to it.
func (h *house) take(c account.Company, all []kv.Item) error {
	in := account.RecordImport{Company: c.ID}
	var people, rest, members []kv.Item
	for _, it := range all {
		switch {
		case account.IsPerson(it):
			people = append(people, it)
		case account.IsMembership(it):
			members = append(members, it)
		default:
			rest = append(rest, it)
		}
	}
	return h.db.Update(func(tx *kv.Tx) error {
		if err := h.Transfer.Reserve(tx, c.ID, people); err != nil {
			return err
		}
		for _, it := range append(rest, members...) {
			if err := h.Transfer.ImportRecord(in, it)(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestACompanyMovesWithItsPeople(t *testing.T) {
	t.Parallel()
	from, c := leaving(t)
	all, people := from.items(c, true)
	if len(people) != 2 {
		t.Errorf("%d members leave, want 2", len(people))
	}
	to := open(t)
	if err := to.take(c, all); err != nil {
		t.Fatal(err)
	}
	boss := to.as("boss@example.org")
	if got, want := must[account.Company](t)(to.Companies.Company(t.Context(), boss)), must[account.Company](t)(from.Companies.Company(t.Context(), from.as("boss@example.org"))); got.Name != want.Name || got.ConsentText != want.ConsentText || got.LogoURL != want.LogoURL || got.LogoURL == "" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	page := must[list.Page[account.Member]](t)(to.Members.ListMembers(t.Context(), boss, account.MemberQuery{}))
	roles := map[string]account.Role{}
	for _, m := range page.Items {
		roles[m.Email+" "+m.Name+" "+string(m.Status)] = m.Role
	}
	for _, want := range []string{"boss@example.org boss active", "both@example.org both active", "new@example.org Nell invited"} {
		if roles[want] == "" {
			t.Errorf("%q did not arrive: %v", want, roles)
		}
	}
	if len(roles) != 3 {
		t.Errorf("got %v, want three people", roles)
	}
	u := must[account.User](t)(to.Logins.Login(t.Context(), "both@example.org", password, "", account.From{IP: "192.0.2.1"}))
	if len(u.Companies) != 1 || u.Companies[0].ID != c.ID || u.Companies[0].Role != account.RoleMember {
		t.Errorf("the person of two companies belongs to %+v", u.Companies)
	}
	wantKind(t, to.take(c, all), fault.KindConflict, "company_known_here")
}

func TestPasswordsStayUnlessTheyMayLeave(t *testing.T) {
	t.Parallel()
	from, c := leaving(t)
	all, _ := from.items(c, false)
	to := open(t)
	if err := to.take(c, all); err != nil {
		t.Fatal(err)
	}
	_, err := to.Logins.Login(t.Context(), "boss@example.org", password, "", account.From{IP: "192.0.2.1"})
	wantKind(t, err, fault.KindUnauthenticated, "")
}

func TestACompanyDoesNotMoveIntoTheAccountsOfOthers(t *testing.T) {
	t.Parallel()
	from, c := leaving(t)
	all, _ := from.items(c, true)
	to := open(t)
	to.add(to.company("Here"), "boss@example.org", account.RoleOwner)
	wantKind(t, to.take(c, all), fault.KindConflict, "person_known_here")
	to = open(t)
	known := to.company("Here")
	to.add(known, "new@example.org", account.RoleMember)
	if err := to.take(c, all); err != nil { // who is merely invited is invited as who they are here
		t.Fatal(err)
	}
	if got := to.as("new@example.org"); got.CompanyID != known.ID {
		t.Errorf("got %+v", got)
	}
	foreign := open(t)
	if err := foreign.take(account.Company{ID: "another"}, all); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("records of another company: got %v", err)
	}
}
