package account_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/kv"
)

// leaving is a company being moved: an owner, an invited person, and a person who also belongs to
// another company.
func leaving(t *testing.T) (*house, account.Company) {
	t.Helper()
	h := open(t)
	c, other := h.company("Acme"), h.company("Other")
	h.add(c, "boss@example.org", account.RoleOwner)
	h.add(other, "both@example.org", account.RoleOwner)
	h.add(c, "both@example.org", account.RoleMember)
	h.add(other, "stays@example.org", account.RoleMember)
	boss := h.as("boss@example.org")
	must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: "new@example.org", Name: "Nell", Locale: "de"}))
	must[account.Company](t)(h.Companies.UpdateCompany(boss, account.CompanyPatch{ConsentText: new("I agree.")}))
	if _, err := h.Companies.SetLogo(boss, bytes.NewReader(picture(t, 20, 10, png.Encode))); err != nil {
		t.Fatal(err)
	}
	return h, c
}

// items returns the records exported with a company, and the identifiers of its members.
func (h *house) items(c account.Company, secrets bool) (all []kv.Item, people []string) {
	h.t.Helper()
	err := h.db.View(func(tx *kv.Tx) (err error) {
		people, err = h.Upkeep.ExportRecords(tx, account.RecordExport{Company: c.ID, Secrets: secrets, Put: func(it kv.Item) error {
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

// take imports the records of a company: people first, memberships last.
func (h *house) take(c account.Company, all []kv.Item) error {
	in, checks := account.RecordImport{Company: c.ID, Passkeys: true}, account.Arrivals{Company: c.ID}
	for _, it := range all {
		if err := checks.Add(it); err != nil {
			return err
		}
	}
	if err := checks.Complete(); err != nil {
		return err
	}
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
		newcomers, err := h.Upkeep.Reserve(tx, c.ID, people)
		if err != nil {
			return err
		}
		in.Newcomers = newcomers
		for _, it := range append(rest, members...) {
			if err := h.Upkeep.ImportRecord(in, it)(tx); err != nil {
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
	if got, want := must[account.Company](t)(to.Companies.Company(boss)), must[account.Company](t)(from.Companies.Company(from.as("boss@example.org"))); got.Name != want.Name || got.ConsentText != want.ConsentText || got.LogoURL != want.LogoURL || got.LogoURL == "" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	page := must[list.Page[account.Member]](t)(to.Companies.ListMembers(boss, account.MemberQuery{}))
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
	u := must[account.User](t)(to.Authentication.Login(t.Context(), "both@example.org", password, "", account.From{IP: "192.0.2.1"}))
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
	_, err := to.Authentication.Login(t.Context(), "boss@example.org", password, "", account.From{IP: "192.0.2.1"})
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

// TestACraftedExportOpensNothing manipulates an export in ways that no installation would.
func TestACraftedExportOpensNothing(t *testing.T) {
	t.Parallel()
	from, c := leaving(t)
	all, people := from.items(c, true)
	record := func(in string, edit func(map[string]any)) []kv.Item {
		changed := slices.Clone(all)
		i := slices.IndexFunc(changed, func(it kv.Item) bool { return it.In == in })
		if i < 0 {
			t.Fatalf("no record of %s in %v", in, all)
		}
		var v map[string]any
		if err := json.Unmarshal(changed[i].Value, &v); err != nil {
			t.Fatal(err)
		}
		edit(v)
		it := must[kv.Item](t)(kv.NewItem(in, changed[i].ID, v))
		changed[i] = it
		return changed
	}
	user := func(edit func(u map[string]any)) []kv.Item {
		return record("users", func(v map[string]any) { edit(v["User"].(map[string]any)) })
	}
	hash := func(cost string) func(map[string]any) {
		return func(u map[string]any) {
			u["password"] = "$argon2id$v=19$" + cost + "$c29tZXNhbHQ$" + strings.Repeat("A", 43)
		}
	}
	for what, crafted := range map[string][]kv.Item{
		"a role that doesn't exist":       record("members", func(m map[string]any) { m["role"] = "god" }),
		"a membership without its person": record("members", func(m map[string]any) { m["user_id"] = "01K8XN2V8A2M4P6R8T0W2Y4Z6B" }),
		"a membership elsewhere":          record("members", func(m map[string]any) { m["company_id"] = "other" }),
		"a script as address":             record("companies", func(c map[string]any) { c["privacy_url"] = "javascript:alert(1)" }),
		"a style as color":                record("companies", func(c map[string]any) { c["brand_color"] = "red;background:url(//x)" }),
		"a page as logo":                  record("logos", func(l map[string]any) { l["png"] = []byte("<script>") }),
		"a hash that takes 4 GB":          user(hash("m=4194304,t=1,p=1")),
		"a hash that takes hours":         user(hash("m=64,t=100000000,p=1")),
		"an address that is none":         user(func(u map[string]any) { u["email"] = "a@b\r\nBcc: c@d" }),
		"an identifier that is a path":    user(func(u map[string]any) { u["id"] = "../x" }),
	} {
		if err := open(t).take(c, crafted); !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("%s: got %v", what, err)
		}
	}

	// What an export says about rights and proofs is ignored.
	to := open(t)
	if err := to.take(c, user(func(u map[string]any) {
		u["installation"], u["fresh"], u["email_verified_at"] = true, true, "2026-01-01T00:00:00Z"
	})); err != nil {
		t.Fatal(err)
	}
	got := must[account.User](t)(to.Authentication.Login(t.Context(), "boss@example.org", password, "", account.From{IP: "192.0.2.1"}))
	if got.Installation || got.EmailVerifiedAt != nil {
		t.Errorf("arrived as %+v", got)
	}

	// A passkey for somebody who has an account here gives no access.
	again := must[kv.Item](t)(kv.NewItem("passkeys", people[0]+"/x", map[string]any{"id": "x", "user_id": people[0], "credential": []byte("c")}))
	forged := account.Company{ID: "01K8XN2V8A2M4P6R8T0W2Y4Z6B"}
	moved := slices.Clone(all[:0:0])
	for _, it := range all {
		if account.IsPerson(it) {
			moved = append(moved, it)
		}
	}
	if err := to.take(forged, append(moved, again)); err != nil {
		t.Fatal(err)
	}
	if got := must[account.User](t)(to.Authentication.Login(t.Context(), "boss@example.org", password, "", account.From{IP: "192.0.2.1"})); got.Passkeys != 0 {
		t.Errorf("the import added a passkey: %+v", got)
	}
	for i, it := range moved { // whoever knows the identifier of a person has to know their address too
		if it.ID == people[0] {
			moved[i] = slices.DeleteFunc(user(func(u map[string]any) { u["email"] = "else@example.org" }), func(it kv.Item) bool { return it.ID != people[0] })[0]
		}
	}
	wantKind(t, to.take(forged, moved), fault.KindConflict, "person_known_here")
}
