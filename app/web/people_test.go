package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/fault"
	"paraph/app/signing/record"
)

// TestInvitedPeopleAreFoundInTheTeam searches for somebody who hasn't joined yet, whose role can be changed.
func TestInvitedPeopleAreFoundInTheTeam(t *testing.T) {
	t.Parallel()
	owner := apptest.New(t).Company(t)
	v := browse(t, owner)
	v.send("/app/team/invite", "emails", "ben@new.example, cleo@new.example", "role", "member")
	id := owner.Get(t, "/members?search=cleo").Want(t, http.StatusOK).Text(t, "data.0.id")
	_, html := v.get("/app/team?search=cleo")
	want(t, html, `href="/app/team/`+id+`"`, "not", "ben@new.example", "No members found")
	_, html = v.get("/app/team/" + id)
	want(t, html, `action="/app/team/`+id+`/role"`)
	_, html = v.get("/app/team?search=nobody")
	want(t, html, "No members found", "not", "@new.example")
}

// TestInviteToTheTeam invites several people at once, one of them with an
// unusable address.
func TestInviteToTheTeam(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := colleague(t, owner)
	w.Visit(s.URL + "/app/team")
	w.Click(`main a[href="/app/team/invite"]`)
	w.Write(`textarea[name="emails"]`, "Ben Buyer <ben@new.example>, wrong\ncleo@new.example")
	w.Submit("/app/team/invite")
	w.See("#errors")
	if got := w.Value(`textarea[name="emails"]`); got != "wrong" {
		t.Errorf("the form keeps %q", got)
	}
	said := w.Text()
	w.Visit(s.URL + "/app/team")
	said += w.Text()
	for _, want := range []string{"Ben Buyer", "cleo@new.example", "Invitations being sent: 2.", "wrong:"} {
		if !strings.Contains(said, want) {
			t.Errorf("the pages lack %q: %s", want, said)
		}
	}
	old := s.Link(t, "ben@new.example", "/join/")
	v := browse(t, owner)
	id := owner.Get(t, "/members?search=ben").Want(t, 200).Text(t, "data.0.id")
	_, html := v.send("/app/team/" + id + "/resend")
	v.contains(html, "A new link is on its way to ben@new.example")
	if s.Link(t, "ben@new.example", "/join/") == old {
		t.Error("the link is the old one")
	}
	if _, err := s.Accounts.Companies.CheckInvite(account.Call{}, old); err == nil {
		t.Error("the old link still works")
	}
	_, html = v.get("/app/team/" + id + "/remove")
	v.contains(html, "Revoke")
	v.send("/app/team/" + id + "/remove")
	if _, err := s.Accounts.Companies.CheckInvite(account.Call{}, s.Link(t, "ben@new.example", "/join/")); err == nil {
		t.Error("an invitation that was taken back still works")
	}
	if status, _ := v.send("/app/team/invite", "emails", " , ", "role", "member"); status != http.StatusUnprocessableEntity {
		t.Errorf("nobody to invite: %d", status)
	}
	if status, _ := v.send("/app/team/invite", "emails", strings.Repeat("a@b.example\n", 51), "role", "member"); status != http.StatusUnprocessableEntity {
		t.Errorf("too many: %d", status)
	}
}

// TestHandOver deactivates a member and reassigns their documents.
func TestHandOver(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	leaver, newOwner, viewer := owner.Member(t, account.RoleMember), owner.Member(t, account.RoleMember), owner.Member(t, account.RoleViewer)
	draft := leaver.Post(t, "/documents", apptest.Map{"title": "Draft"}).Want(t, http.StatusCreated).Text(t, "id")
	out, _ := ask(t, leaver, "ben@signer.example")
	done, _ := ask(t, leaver, "cleo@signer.example")
	leaver.Post(t, "/documents/"+done+"/void", apptest.Map{"reason": "Not needed"}).Want(t, http.StatusOK)
	archived := leaver.Post(t, "/documents", apptest.Map{"title": "Archived"}).Want(t, http.StatusCreated).Text(t, "id")
	leaver.Post(t, "/documents/"+archived+"/archive", nil).Want(t, http.StatusOK)

	v := browse(t, owner)
	page := "/app/team/" + leaver.UserID
	if status, html := v.get(page); status != http.StatusOK || strings.Contains(html, `value="`+viewer.UserID) || !strings.Contains(html, "3 open documents") {
		t.Errorf("%d: %s", status, html)
	}
	_, html := v.send(page+"/deactivate", "to", newOwner.UserID)
	v.contains(html, "Documents transferred: 3.")
	leaver.Get(t, "/documents").Want(t, http.StatusUnauthorized)
	events := owner.Get(t, "/documents/"+out+"/events?sort=at|desc").Want(t, 200)
	if got := events.Text(t, "data.0.type"); got != "document.handed_over" {
		t.Errorf("the trail ends with %s", got)
	}
	for id, want := range map[string]string{draft: newOwner.UserID, out: newOwner.UserID, archived: newOwner.UserID, done: leaver.UserID} {
		if got := owner.Get(t, "/documents/"+id).Want(t, 200).Text(t, "owner.id"); got != want {
			t.Errorf("%s belongs to %s, want %s", id, got, want)
		}
	}
	if errs := s.Signing.Upkeep.Check(t.Context(), func() {}, func(record.Sizes) {}); len(errs) > 1 || errs[0] != nil {
		t.Error(errs)
	}
	for name, to := range map[string]string{"a viewer": viewer.UserID, "nobody": "", "themselves": leaver.UserID, "a stranger": s.Company(t).UserID} {
		if status, _ := v.send(page+"/hand-over", "to", to); status != http.StatusUnprocessableEntity {
			t.Errorf("to %s: %d", name, status)
		}
	}
	_, html = v.send(page + "/activate")
	v.contains(html, "is active again")
	if _, err := s.Signing.Sending.TransferOwnership(account.Call{Actor: account.Actor{Kind: account.ActorUser, CompanyID: owner.CompanyID, Role: account.RoleMember, Scopes: account.Scopes()}}, leaver.UserID, newOwner.UserID); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("a member hands over: %v", err)
	}
}

// TestLastOwner shows the reason instead of the unavailable action.
func TestLastOwner(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	admin := owner.Member(t, account.RoleAdmin)
	v := browse(t, owner)
	page := "/app/team/" + owner.UserID
	_, html := v.get(page)
	v.contains(html, "This is the only owner")
	if strings.Contains(html, page+"/role") || strings.Contains(html, page+"/deactivate") {
		t.Error("what can't be done is offered")
	}
	for action, form := range map[string][]string{"role": {"role", "viewer"}, "deactivate": nil, "remove": nil} {
		if status, _ := v.send(page+"/"+action, form...); status != http.StatusConflict {
			t.Errorf("%s: %d", action, status)
		}
	}
	a := browse(t, admin)
	_, html = a.get(page)
	a.contains(html, "Only an owner can change")
	if status, _ := a.send(page+"/role", "role", "viewer"); status != http.StatusForbidden {
		t.Errorf("an administrator changes an owner: %d", status)
	}
	if status, html := a.send("/app/team/"+admin.UserID+"/role", "role", "owner"); status != http.StatusUnprocessableEntity {
		t.Errorf("an administrator becomes an owner: %d %.200s", status, html)
	}
	_, html = v.send("/app/team/"+admin.UserID+"/role", "role", "owner")
	v.contains(html, "now has the role Owner")
	if _, html = v.get(page); strings.Contains(html, "This is the only owner") {
		t.Error("there are two owners now")
	}
	stranger := browse(t, s.Company(t))
	for _, path := range []string{page, page + "/remove"} {
		if status, _ := stranger.get(path); status != http.StatusNotFound {
			t.Errorf("another company gets %d from %s", status, path)
		}
	}
	for _, action := range []string{"role", "deactivate", "activate", "remove", "resend"} {
		if status, _ := stranger.send(page+"/"+action, "role", "viewer"); status != http.StatusNotFound {
			t.Errorf("another company may %s: %d", action, status)
		}
	}
}

func TestRolesTable(t *testing.T) {
	t.Parallel()
	b := colleague(t, apptest.New(t).Company(t))
	b.Visit("/app/team/roles")
	b.Heading("Roles")
	if got := b.Count("tbody tr:nth-child(4) td .icon"); got != 3 {
		t.Errorf("%d roles approve, want 3", got)
	}
}
