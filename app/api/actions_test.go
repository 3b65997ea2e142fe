package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// tried returns the operations behind the actions offered for a document.
func tried(t testing.TB) map[string]operation {
	t.Helper()
	out := map[string]operation{
		"edit":      {method: "PATCH", body: obj{"message": "Hello"}},
		"remind":    {method: "POST", path: "/remind"},
		"replace":   {method: "POST", path: "/invitations/{i}/replace", body: obj{"name": "New Person", "email": "new@signer.example"}},
		"extend":    {method: "POST", path: "/extend", body: obj{"expires_at": "2040-01-01T00:00:00Z"}},
		"download":  {method: "POST", path: "/download", body: obj{"version": "current"}},
		"void":      {method: "POST", path: "/void", body: obj{"reason": "Over."}},
		"reject":    {method: "POST", path: "/reject", body: obj{"reason": "No."}},
		"delete":    {method: "DELETE"},
		"purge":     {method: "POST", path: "/purge", body: obj{"title": "Contract"}},
		"duplicate": {method: "POST", path: "/duplicate"},
	}
	for _, name := range []string{"submit", "withdraw", "approve", "reopen", "send", "unschedule", "archive", "restore"} {
		out[name] = operation{method: "POST", path: "/" + name}
	}
	return out
}

// TestEveryActionAgreesWithTheRules tries every action in every state (active, archived, in the trash)
// as every kind of caller: an action is offered if and only if it works.
func TestEveryActionAgreesWithTheRules(t *testing.T) {
	t.Parallel()
	everyCase(t)
	s := apptest.New(t)
	first := s.Company(t)
	w := &world{s, first.Member(t, account.RoleMember), first.Member(t, account.RoleApprover)}
	people := map[string]*apptest.Client{"owner of it": w.owner, "approver": w.approver, "company owner": first,
		"admin": first.Member(t, account.RoleAdmin), "member": first.Member(t, account.RoleMember), "viewer": first.Member(t, account.RoleViewer)}
	for status := 1; status <= 8; status++ {
		for _, aside := range []string{"active", "archived", "deleted"} {
			if status == 5 && aside != "active" {
				continue // it can't be archived or deleted
			}
			fresh := func() *apptest.Response {
				d := w.in(t, status)
				at := "/documents/" + d.Text(t, "id")
				switch aside {
				case "archived":
					d = w.owner.Post(t, at+"/archive", nil).Want(t, 200)
				case "deleted":
					d = w.owner.Delete(t, at).Want(t, 200)
				}
				return d
			}
			d := fresh()
			for name, who := range people {
				offered := offers(t, who, d)
				for action, o := range tried(t) {
					path := strings.ReplaceAll(o.path, "{i}", d.Text(t, "invitations.0.id"))
					got := who.Do(t, o.method, "/documents/"+d.Text(t, "id")+path, o.body)
					works := got.Status < 300
					if works != slices.Contains(offered, action) {
						t.Errorf("state %d, %s, %s: %s answers %d, offered are %v: %.200s", status, aside, name, action, got.Status, offered, got.Body)
					}
					if !works && got.Status != 409 && got.Status != 403 {
						t.Errorf("state %d, %s, %s: %s answers %d", status, aside, name, action, got.Status)
					}
					if works && action != "download" && action != "duplicate" {
						d = fresh()
					}
				}
			}
		}
	}
}

func offers(t testing.TB, who *apptest.Client, d *apptest.Response) []string {
	t.Helper()
	var out []string
	for _, a := range who.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200).At(t, "allowed_actions").(list) {
		out = append(out, fmt.Sprint(a))
	}
	return out
}

// TestActionsOfThePeopleInvited checks what an invited member, and the holder
// of a link, may do.
func TestActionsOfThePeopleInvited(t *testing.T) {
	t.Parallel()
	c := company(t)
	member := c.Member(t, account.RoleMember)
	people := list{merged(signer(1), obj{"position": 1}), obj{"name": "Member", "email": strings.ToUpper(member.Email), "position": 2}}
	d := sent(t, c, 0, obj{"signing_order": "sequential", "invitations": people})
	if slices.Contains(offers(t, member, d), "sign") {
		t.Error("signing is offered before it is somebody's turn")
	}
	link := func(n int) *apptest.Client {
		now := c.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200)
		_, token, _ := strings.Cut(now.Text(t, fmt.Sprintf("invitations.%d.sign_url", n)), "/s/")
		return c.With(token)
	}
	signatory := link(0)
	if got := offers(t, signatory, d); !slices.Equal(got, []string{"sign", "decline", "delegate", "download"}) {
		t.Errorf("the first is offered %v", got)
	}
	signatory.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	if got := offers(t, signatory, d); !slices.Equal(got, []string{"download"}) {
		t.Errorf("who has signed is offered %v", got)
	}
	if !slices.Contains(offers(t, member, d), "sign") {
		t.Error("signing is not offered when it is the member's turn")
	}
	if slices.Contains(offers(t, c, d), "sign") {
		t.Error("signing is offered to somebody who is not invited")
	}
}

// TestPurge permanently deletes a document in the trash, given its title.
func TestPurge(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	failed(t, c.Post(t, at+"/purge", obj{"title": "Contract"}), 409, "document_not_deleted")
	c.Delete(t, at).Want(t, 200)
	failed(t, c.Member(t, account.RoleMember).Post(t, at+"/purge", obj{"title": "Contract"}), 403)
	failed(t, company(t).Post(t, at+"/purge", obj{"title": "Contract"}), 404)
	failed(t, c.Post(t, at+"/purge", nil), 422, "title")
	failed(t, c.Post(t, at+"/purge", obj{"title": "Contracts"}), 422, "title")
	c.Post(t, at+"/purge", obj{"title": "Contract"}).Want(t, 204)
	failed(t, c.Get(t, at), 404)
}
