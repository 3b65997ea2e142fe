package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestUndoBringsRecordsBack archives and deletes a contact and a template, and undoes it, with and
// without scripts. What was archived before its deletion returns to the archive.
func TestUndoBringsRecordsBack(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	at := map[string]string{
		"/contacts/": owner.Post(t, "/contacts", apptest.Map{"name": "Ben", "email": "ben@example.org", "note": "Calls back", "tags": apptest.List{"client"}}).
			Want(t, http.StatusCreated).Text(t, "id"),
		"/templates/": owner.Post(t, "/templates", apptest.Map{"title": "Lease", "message": "Please sign."}).Want(t, http.StatusCreated).Text(t, "id"),
	}
	for _, scripts := range []bool{false, true} {
		w := either(t, owner, scripts)
		for kind, id := range at {
			before := owner.Get(t, kind+id).Want(t, http.StatusOK)
			stands := func(archived, deleted bool) {
				t.Helper()
				now := owner.Get(t, kind+id).Want(t, http.StatusOK)
				if now.At(t, "archived_at") != nil != archived || now.At(t, "deleted_at") != nil != deleted {
					t.Errorf("%s: %s, want archived: %v, deleted: %v", kind, now.Body, archived, deleted)
				}
				for _, kept := range []string{"name", "email", "note", "tags.0", "title", "message"} {
					was, _ := before.Look(t, kept)
					if is, _ := now.Look(t, kept); is != was {
						t.Errorf("%s was %v: %s", kept, was, now.Body)
					}
				}
			}
			page := s.URL + "/app" + kind + id
			w.Visit(page)
			fromMenu(w, `form[action$="/archive"] button`)
			w.See(".toast form button")
			stands(true, false)
			fromMenu(w, `form[action$="/delete"] button`)
			w.Says("was moved to the trash")
			stands(true, true)
			w.Click(".toast form button")
			w.Says("has been archived")
			stands(true, false)
			w.Click(".toast form button")
			w.Says("has been restored")
			w.Gone(".toast form")
			stands(false, false)
			fromMenu(w, `form[action$="/delete"] button`)
			w.Says("was moved to the trash")
			w.Click(".toast form button")
			w.Says("has been restored")
			stands(false, false)
		}
	}
}

// TestUndoOfADeactivation lets a member in again and returns the documents they had, and no others.
func TestUndoOfADeactivation(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	leaver, successor := owner.Member(t, account.RoleMember), owner.Member(t, account.RoleMember)
	draft := func(c *apptest.Client, title string) string {
		return c.Post(t, "/documents", apptest.Map{"title": title}).Want(t, http.StatusCreated).Text(t, "id")
	}
	theirs, own := draft(leaver, "Lease"), draft(successor, "Order")
	owners := func(want string) {
		t.Helper()
		for id, want := range map[string]string{theirs: want, own: successor.UserID} {
			if got := owner.Get(t, "/documents/"+id).Want(t, http.StatusOK).Text(t, "owner.id"); got != want {
				t.Errorf("%s belongs to %s, want %s", id, got, want)
			}
		}
	}
	page := "/app/team/" + leaver.UserID
	for _, scripts := range []bool{false, true} {
		w := either(t, owner, scripts)
		w.Visit(s.URL + page)
		w.Pick("#i-to", successor.UserID)
		w.Click(`form[action$="/deactivate"] button`)
		w.Says("Documents transferred: 1.")
		owners(successor.UserID)
		w.Click(".toast form button")
		w.Says("is active again")
		owners(leaver.UserID)
		s.Login(t, leaver.Email)
	}

	// What would stay lost is not called undone.
	s.Login(t, leaver.Email).Post(t, "/tokens", apptest.Map{"name": "Export"}).Want(t, http.StatusCreated)
	v := browse(t, owner)
	if _, html := v.send(page + "/deactivate"); strings.Contains(html, `<form method="post" action="`+page+`/activate"`) || !strings.Contains(html, "has been deactivated") {
		t.Errorf("undoing is offered, although a token was revoked: %s", html)
	}
	for name, c := range map[string]*apptest.Client{"a member": successor, "another company": s.Company(t)} {
		status, _ := browse(t, c).send(page+"/activate", "from", successor.UserID, "id", own)
		if status != http.StatusForbidden && status != http.StatusNotFound {
			t.Errorf("%s activates: %d", name, status)
		}
	}
	owners(leaver.UserID)
}
