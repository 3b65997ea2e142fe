package account_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
)

func TestInvitingSomebodyNew(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("Acme")
	h.add(a, "boss@example.org", account.RoleOwner)
	boss := h.as("boss@example.org")
	m, err := h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: " New@example.org ", Role: account.RoleApprover, Locale: "de"})
	if err != nil || m.Status != account.MemberInvited || m.Name != "New" || m.Role != account.RoleApprover || m.InvitedAt == nil {
		t.Fatalf("got %+v, %v", m, err)
	}
	message := h.mail(account.MailInvite, "New@example.org")
	if message.Locale != "de" || message.Data["company"] != "Acme" || message.Data["inviter"] != "boss" {
		t.Errorf("got %+v", message)
	}
	again, err := h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: "new@example.org"})
	if err != nil || again.ID != m.ID || again.Role != account.RoleMember {
		t.Errorf("got %+v, %v", again, err)
	}
	old, link := message.Data["token"], h.mail(account.MailInvite, "new@example.org").Data["token"]
	_, err = h.Companies.CheckInvite(account.Call{}, old)
	wantFields(t, err, "token")
	in, err := h.Companies.CheckInvite(account.Call{}, link)
	if err != nil || in.Company != "Acme" || in.Name != "new" || in.Email != "new@example.org" || !in.New || in.Known {
		t.Errorf("got %+v, %v", in, err)
	}
	_, err = h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "a\nb", "")
	wantFields(t, err, "name", "password")
	u, err := h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "Nell", password)
	if err != nil || u.Name != "Nell" || u.EmailVerifiedAt == nil || len(u.Companies) != 1 {
		t.Fatalf("got %+v, %v", u, err)
	}
	_, err = h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "Nell", password)
	wantFields(t, err, "token")
	if got := h.as("new@example.org"); got.Role != account.RoleMember {
		t.Errorf("got %+v", got)
	}
	_, err = h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: "new@example.org"})
	wantFields(t, err, "email")
}

func TestInvitingSomebodyOfAnotherCompany(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "boss@example.org", account.RoleOwner)
	h.add(b, "bob@example.org", account.RoleMember)
	boss := h.as("boss@example.org")
	if _, err := h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: "bob@example.org", Name: "Other"}); err != nil {
		t.Fatal(err)
	}
	if u, err := h.Authentication.Login(t.Context(), "bob@example.org", password, "", account.From{}); err != nil || len(u.Companies) != 1 {
		t.Errorf("of two companies before accepting: %+v, %v", u, err)
	}
	link := h.mail(account.MailInvite, "bob@example.org").Data["token"]
	if in, err := h.Companies.CheckInvite(account.Call{}, link); err != nil || in.New {
		t.Errorf("got %+v, %v", in, err)
	}
	_, err := h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "Other", "ignored horse")
	wantKind(t, err, fault.KindForbidden, "sign_in_to_join")
	if u, err := h.Companies.AcceptInvite(t.Context(), h.as("bob@example.org"), link, "Other", "ignored horse"); err != nil || u.Name != "bob" || len(u.Companies) != 2 {
		t.Errorf("got %+v, %v", u, err)
	}
	h.login("bob@example.org", password)
}

// Somebody who registered with another person's address must lose access once the owner of the
// address accepts an invitation.
func TestAcceptingClosesWhatWasNotProven(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "thief@example.org", account.RoleOwner)
	h.add(b, "boss@example.org", account.RoleOwner)
	m, err := h.Companies.InviteMember(t.Context(), h.as("thief@example.org"), account.MemberInput{Email: "ann@example.org", Password: "the thief's"})
	if err != nil || m.Status != account.MemberInvited {
		t.Fatalf("got %+v, %v", m, err)
	}
	stolen := h.login("ann@example.org", "the thief's")
	if _, err := h.Companies.InviteMember(t.Context(), h.as("boss@example.org"), account.MemberInput{Email: "ann@example.org"}); err != nil {
		t.Fatal(err)
	}
	link := h.mail(account.MailInvite, "ann@example.org").Data["token"]
	_, err = h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "Ann", "")
	wantFields(t, err, "password")
	if _, err := h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "Ann", password); err != nil {
		t.Fatal(err)
	}
	h.refused(stolen, "the thief")
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", "the thief's", "", account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")
}

func TestInviteFaults(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "adm@example.org", account.RoleAdmin)
	adm := h.as("adm@example.org")
	_, err := h.Companies.InviteMember(t.Context(), adm, account.MemberInput{})
	wantFields(t, err, "email")
	_, err = h.Companies.InviteMember(t.Context(), adm, account.MemberInput{
		Email: "x", Name: strings.Repeat("x", 300), Role: "king", Locale: "!", Password: "short",
	})
	wantFields(t, err, "email", "name", "role", "locale", "password")
	_, err = h.Companies.InviteMember(t.Context(), adm, account.MemberInput{Email: "x@example.org", Role: account.RoleOwner})
	wantFields(t, err, "role")
}

func TestListMembers(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "zed@example.org", account.RoleOwner)
	h.advance(time.Second)
	ann := h.add(a, "ann@example.org", account.RoleViewer)
	h.add(b, "bob@example.org", account.RoleOwner)
	zed := h.as("zed@example.org")
	h.advance(time.Second)
	if _, err := h.Companies.InviteMember(t.Context(), zed, account.MemberInput{Email: "inv@example.org", Name: "Ínés"}); err != nil {
		t.Fatal(err)
	}
	names := func(who account.Call, q account.MemberQuery) string {
		t.Helper()
		list, err := h.Companies.ListMembers(who, q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range list.Items {
			got = append(got, m.Name)
		}
		return strings.Join(got, " ")
	}
	check := func(q account.MemberQuery, want string) {
		t.Helper()
		if got := names(zed, q); got != want {
			t.Errorf("%+v: got %q, want %q", q, got, want)
		}
	}
	check(account.MemberQuery{}, "zed ann Ínés")
	check(account.MemberQuery{Sort: "name"}, "ann Ínés zed")
	check(account.MemberQuery{Sort: "role", Descending: true}, "ann Ínés zed")
	check(account.MemberQuery{Sort: "email", Limit: 1, Offset: 1}, "Ínés")
	check(account.MemberQuery{Search: "ines"}, "Ínés")
	check(account.MemberQuery{Search: "example zed"}, "zed")
	check(account.MemberQuery{Statuses: []string{"invited"}}, "Ínés")
	if _, err := h.Companies.UpdateMember(zed, ann.ID, account.MemberPatch{Active: new(false)}); err != nil {
		t.Fatal(err)
	}
	check(account.MemberQuery{}, "zed Ínés")
	check(account.MemberQuery{WithTrashed: true, Sort: "status"}, "zed ann Ínés")
	check(account.MemberQuery{Statuses: []string{"archived"}}, "ann")
	check(account.MemberQuery{Statuses: []string{"deleted"}}, "")
	if got := names(h.as("bob@example.org"), account.MemberQuery{WithTrashed: true}); got != "bob" {
		t.Errorf("another company sees %q", got)
	}
}

func TestWhoMayChangeMembers(t *testing.T) {
	t.Parallel()
	admin := account.RoleAdmin
	for _, tt := range []struct {
		name     string
		actor    account.Role
		target   account.Role
		role     account.Role
		kind     fault.Kind // KindInternal: allowed
		patchErr string
	}{
		{"an admin promotes a member", account.RoleAdmin, account.RoleMember, admin, 0, ""},
		{"an admin makes no owner", account.RoleAdmin, account.RoleMember, account.RoleOwner, fault.KindInvalid, ""},
		{"an admin demotes no owner", account.RoleAdmin, account.RoleOwner, admin, fault.KindForbidden, ""},
		{"a member changes nobody", account.RoleMember, account.RoleViewer, admin, fault.KindForbidden, ""},
		{"a viewer changes nobody", account.RoleViewer, account.RoleViewer, admin, fault.KindForbidden, ""},
		{"an owner demotes another", account.RoleOwner, account.RoleOwner, admin, 0, ""},
		{"no such role", account.RoleOwner, account.RoleMember, "king", fault.KindInvalid, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			a, b := h.company("A"), h.company("B")
			h.add(a, "first@example.org", account.RoleOwner)
			h.add(a, "actor@example.org", tt.actor)
			target := h.add(a, "target@example.org", tt.target)
			stranger := h.add(b, "stranger@example.org", account.RoleMember)
			who := h.as("actor@example.org")
			got, err := h.Companies.UpdateMember(who, target.ID, account.MemberPatch{Role: &tt.role})
			if tt.kind == fault.KindInternal {
				if err != nil || got.Role != tt.role {
					t.Errorf("got %+v, %v", got, err)
				}
			} else {
				wantKind(t, err, tt.kind, "")
			}
			if who.IsAdmin() {
				_, err = h.Companies.UpdateMember(who, stranger.ID, account.MemberPatch{Role: &admin})
				wantKind(t, err, fault.KindNotFound, "")
				wantKind(t, h.Companies.RemoveMember(who, stranger.ID), fault.KindNotFound, "")
			}
			_, err = h.Companies.GetMember(who, stranger.ID)
			wantKind(t, err, fault.KindNotFound, "")
		})
	}
}

func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	first := h.add(a, "first@example.org", account.RoleOwner)
	second := h.add(a, "second@example.org", account.RoleOwner)
	who := h.as("first@example.org")
	if _, err := h.Companies.UpdateMember(who, second.ID, account.MemberPatch{Active: new(false)}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"demoted": func() error {
			_, err := h.Companies.UpdateMember(who, first.ID, account.MemberPatch{Role: new(account.RoleAdmin)})
			return err
		},
		"deactivated": func() error {
			_, err := h.Companies.UpdateMember(who, first.ID, account.MemberPatch{Active: new(false)})
			return err
		},
		"removed": func() error { return h.Companies.RemoveMember(who, first.ID) },
	} {
		if err := change(); fault.CodeOf(err) != "last_owner" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := h.Companies.UpdateMember(who, second.ID, account.MemberPatch{Active: new(true)}); err != nil {
		t.Fatal(err)
	}
	if err := h.Companies.RemoveMember(who, first.ID); err != nil {
		t.Errorf("an owner who is not the last cannot leave: %v", err)
	}
}

func TestRemovingMembers(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "boss@example.org", account.RoleOwner)
	mem := h.add(a, "mem@example.org", account.RoleMember)
	vic := h.add(a, "vic@example.org", account.RoleViewer)
	boss := h.as("boss@example.org")
	wantKind(t, h.Companies.RemoveMember(h.as("mem@example.org"), vic.ID), fault.KindForbidden, "")
	wantKind(t, h.Companies.RemoveMember(boss, "nobody"), fault.KindNotFound, "")
	if err := h.Companies.RemoveMember(h.as("vic@example.org"), vic.ID); err != nil {
		t.Errorf("a viewer cannot leave: %v", err)
	}
	made := must[account.Token](t)(h.Profile.CreateToken(h.as("mem@example.org"), account.TokenInput{Name: "CI"}))
	if err := h.Companies.RemoveMember(boss, mem.ID); err != nil {
		t.Fatal(err)
	}
	h.refused(made.Secret, "a token of who was removed")
	_, err := h.Authentication.Login(t.Context(), "mem@example.org", password, "", account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")
	inv := must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: "mem@example.org"}))
	if inv.ID == mem.ID {
		t.Error("an invitation tells whose address it is")
	}
	link := h.mail(account.MailInvite, "mem@example.org").Data["token"]
	if err := h.Companies.RemoveMember(boss, inv.ID); err != nil {
		t.Fatal(err)
	}
	_, err = h.Companies.AcceptInvite(t.Context(), account.Call{}, link, "", "")
	wantFields(t, err, "token")
	if errs := h.db.Check(account.Collections()...); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestAPasswordDoesNotTellWhoHasAnAccount adds somebody who has an account elsewhere and somebody
// who has none, both with a password.
func TestAPasswordDoesNotTellWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "boss@example.org", account.RoleOwner)
	h.add(b, "bob@example.org", account.RoleMember)
	boss := h.as("boss@example.org")
	sent := h.mailCount()
	in := account.MemberInput{Name: "Bo", Email: "bob@example.org", Password: "my own horse"}
	known := must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, in))
	in.Email = "new@example.org"
	unknown := must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, in))
	for _, m := range []*account.Member{&known, &unknown} {
		if got := must[account.Member](t)(h.Companies.GetMember(boss, m.ID)); !reflect.DeepEqual(got, *m) {
			t.Errorf("got %+v, created %+v", got, *m)
		}
		_, err := h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: m.Email, Password: "my own horse"})
		wantFields(t, err, "email") // they are a member by now
		m.ID, m.UserID, m.Email = "", "", ""
	}
	if !reflect.DeepEqual(known, unknown) {
		t.Errorf("somebody with an account is %+v, somebody without %+v", known, unknown)
	}
	if n := h.mailCount(); n != sent {
		t.Errorf("%d messages were sent", n-sent)
	}
	// The password works for the new account only, and lets that person join.
	_, err := h.Authentication.Login(t.Context(), "bob@example.org", "my own horse", "", account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")
	u := must[account.User](t)(h.Authentication.Login(t.Context(), "bob@example.org", password, "", account.From{}))
	if len(u.Companies) != 1 || u.Companies[0].ID != b.ID {
		t.Errorf("somebody joined without accepting: %+v", u.Companies)
	}
	u = must[account.User](t)(h.Authentication.Login(t.Context(), "new@example.org", "my own horse", "", account.From{}))
	if len(u.Companies) != 1 || u.Companies[0].ID != a.ID {
		t.Errorf("somebody new is in %+v", u.Companies)
	}
	if got := must[account.Member](t)(h.Companies.GetMember(boss, u.ID)); got.Status != account.MemberActive {
		t.Errorf("after signing in: %+v", got)
	}
	// Somebody with an account joins with an invitation.
	must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: "bob@example.org"}))
	joined := must[account.User](t)(h.Companies.AcceptInvite(t.Context(), h.as("bob@example.org"), h.mail(account.MailInvite, "bob@example.org").Data["token"], "", ""))
	if len(joined.Companies) != 2 {
		t.Errorf("got %+v", joined)
	}
}

// TestACompanyFindsFewAccountsOfOthers checks that trying passwords set by a company does not reveal
// which addresses of a list have accounts.
func TestACompanyFindsFewAccountsOfOthers(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "boss@example.org", account.RoleOwner)
	h.add(a, "colleague@example.org", account.RoleMember)
	boss := h.as("boss@example.org")
	add := func(email string) error {
		_, err := h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: email, Password: "my own horse"})
		return err
	}
	found := 0
	for i := range 20 {
		h.add(b, fmt.Sprintf("bob%d@example.org", i), account.RoleMember)
		wantFields(t, add("colleague@example.org"), "email") // who are known to them
	}
	for i := range 20 {
		if err := add(fmt.Sprintf("bob%d@example.org", i)); err == nil {
			found++
			continue
		}
		wantKind(t, add(fmt.Sprintf("bob%d@example.org", i)), fault.KindThrottled, "throttled")
		wantKind(t, add(fmt.Sprintf("new%d@example.org", i)), fault.KindThrottled, "throttled")
	}
	if found != 10 {
		t.Errorf("the company found %d accounts", found)
	}
	h.advance(24 * time.Hour)
	boss = h.as("boss@example.org")
	if err := add("new@example.org"); err != nil {
		t.Error(err)
	}
}

// TestOnlyAdministratorsRemoveOthers removes a member as every role, and with tokens of an owner.
func TestOnlyAdministratorsRemoveOthers(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	victim := h.add(a, "victim@example.org", account.RoleMember)
	for _, role := range account.Roles() {
		h.add(a, string(role)+"@example.org", role)
	}
	owner := h.as("owner@example.org")
	token := func(scopes ...account.Scope) account.Call {
		made := must[account.Token](t)(h.Profile.CreateToken(owner, account.TokenInput{Name: "CI", Scopes: scopes}))
		return h.actor(made.Secret)
	}
	refused := map[string]account.Call{
		"a token to read": token(account.ScopeRead), "a token to write and sign": token(account.ScopeWrite, account.ScopeSign),
	}
	for _, role := range []account.Role{account.RoleApprover, account.RoleMember, account.RoleViewer} {
		refused[string(role)] = h.as(string(role) + "@example.org")
	}
	for what, who := range refused {
		if err := h.Companies.RemoveMember(who, victim.ID); fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("%s: got %v", what, err)
		}
		if _, err := h.Profile.CreateToken(who, account.TokenInput{Name: "x", Scopes: []account.Scope{account.ScopeAdmin}}); err == nil {
			t.Errorf("%s made a token that administers", what)
		}
	}
	// Not even a read token may be used to leave: it would remove its owner.
	wantKind(t, h.Companies.RemoveMember(refused["a token to read"], owner.UserID), fault.KindForbidden, "")
	if err := h.Companies.RemoveMember(h.as("admin@example.org"), victim.ID); err != nil {
		t.Error(err)
	}
}
