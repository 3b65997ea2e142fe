package signing_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/signing/lists"
)

type counts struct{ sign, approve, back int }

// waits returns how many documents need a member's action, and checks that lists,
// totals and counts agree.
func waits(t *testing.T, c *apptest.Client) counts {
	t.Helper()
	who, err := c.Accounts.Operator.ActorFor(c.Email, c.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Signing.Lists.ListWaiting(account.Call{Actor: who})
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.Signing.Lists.CountWaiting(account.Call{Actor: who})
	if err != nil {
		t.Fatal(err)
	}
	got := counts{len(w.Sign), len(w.Approve), len(w.Back)}
	if totals := (counts{w.SignTotal, w.ApproveTotal, w.BackTotal}); totals != got || n != got.sign+got.approve+got.back {
		t.Errorf("%s: listed %v, totals %v, count %d", c.Email, got, totals, n)
	}
	return got
}

// document creates a draft with a file and invitations to the given addresses.
func document(t *testing.T, c *apptest.Client, more apptest.Map, addresses ...string) string {
	t.Helper()
	people := apptest.List{}
	for i, a := range addresses {
		people = append(people, apptest.Map{"name": "Person", "email": a, "position": i + 1})
	}
	data := apptest.Map{"title": "Contract", "invitations": people, "signing_order": "sequential"}
	for k, v := range more {
		data[k] = v
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A page.")})).Want(t, 201)
	return "/documents/" + d.Text(t, "id")
}

// TestWaitingListsFollowTheDocument takes documents through everything that makes them
// need action from someone in the company.
func TestWaitingListsFollowTheDocument(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member, approver, second := owner.Member(t, account.RoleMember), owner.Member(t, account.RoleApprover), owner.Member(t, account.RoleApprover)
	stranger := s.Company(t)
	expect := func(step string, want map[*apptest.Client]counts) {
		t.Helper()
		for _, c := range []*apptest.Client{owner, member, approver, second, stranger} {
			if got := waits(t, c); got != want[c] {
				t.Errorf("%s: %s has %+v, want %+v", step, c.Email, got, want[c])
			}
		}
	}
	type all = map[*apptest.Client]counts
	at := document(t, member, nil, strings.ToUpper(approver.Email), second.Email, stranger.Email)
	expect("draft", nil)
	member.Post(t, at+"/submit", nil).Want(t, 200)
	expect("submitted", all{owner: {approve: 1}, approver: {approve: 1}, second: {approve: 1}})
	member.Post(t, at+"/archive", nil).Want(t, 200)
	expect("archived", nil)
	member.Post(t, at+"/restore", nil).Want(t, 200)
	approver.Post(t, at+"/reject", apptest.Map{"reason": "No."}).Want(t, 200)
	expect("rejected", all{member: {back: 1}})
	member.Post(t, at+"/reopen", nil).Want(t, 200)
	member.Patch(t, at, apptest.Map{"approver_id": second.UserID}).Want(t, 200)
	member.Post(t, at+"/submit", nil).Want(t, 200)
	expect("submitted to one", all{second: {approve: 1}})
	second.Post(t, at+"/approve", nil).Want(t, 200)
	expect("approved", nil)
	d := member.Post(t, at+"/send", nil).Want(t, 200)
	expect("sent", all{approver: {sign: 1}})
	member.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", nil).Want(t, 200)
	expect("signed by the first", all{second: {sign: 1}})
	member.Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/decline", apptest.Map{"reason": "No."}).Want(t, 200)
	expect("declined", all{member: {back: 1}})
	member.Post(t, at+"/void", apptest.Map{"reason": "Over."}).Want(t, 200)
	expect("voided", nil)
	own := document(t, approver, nil, "x@signer.example")
	approver.Post(t, own+"/submit", nil).Want(t, 200)
	expect("someone else must approve", all{owner: {approve: 1}, second: {approve: 1}})
	alone := document(t, stranger, nil, "x@signer.example")
	stranger.Post(t, alone+"/submit", nil).Want(t, 200)
	expect("alone", all{owner: {approve: 1}, second: {approve: 1}, stranger: {approve: 1}})
	stranger.Delete(t, alone).Want(t, 200)
	stranger.Post(t, alone+"/purge", apptest.Map{"title": "Contract"}).Want(t, 204)
	expect("purged", all{owner: {approve: 1}, second: {approve: 1}})
	for _, err := range s.App.Check(t.Context(), false) {
		t.Error(err)
	}
}

// TestFiltersCombine filters by owner and by date, alone and together with a search and a status.
func TestFiltersCombine(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member := owner.Member(t, account.RoleMember)
	document(t, owner, apptest.Map{"title": "First", "expires_at": "2040-03-05T12:00:00Z"}, "x@signer.example")
	s.Advance(t, "72h")
	owner, member = s.Login(t, owner.Email), s.Login(t, member.Email)
	document(t, member, apptest.Map{"title": "Second", "expires_at": "2041-12-31T12:00:00Z"}, "x@signer.example")
	at := document(t, member, apptest.Map{"title": "Third"}, "x@signer.example")
	member.Post(t, at+"/send", nil).Want(t, 200)
	today := s.Clock.Now().Format("2006-01-02")
	for query, want := range map[string]string{
		"": "Third Second First", "owner=me": "First", "owner=" + member.UserID: "Third Second", "owner=" + member.UserID + "&status=sent": "Third",
		"owner=" + member.UserID + "&search=second": "Second", "created_from=" + today: "Third Second", "created_to=" + today: "Third Second First",
		"expires_from=2040-03-05&expires_to=2040-03-05": "First", "expires_from=2040-03-06": "Second", "expires_to=2041-12-30": "First",
		"expires_from=2040-01-01&expires_to=2041-12-31&sort=title|desc": "Second First", "owner=nobody": "", "expires_from=2041-01-01&owner=me": "",
	} {
		r := owner.Get(t, "/documents?"+query).Want(t, 200)
		if got := strings.Join(r.Texts(t, "data", "title"), " "); got != want || r.Int(t, "meta.total") != len(strings.Fields(want)) {
			t.Errorf("%s: got %q of %d, want %q", query, got, r.Int(t, "meta.total"), want)
		}
	}
	for _, query := range []string{"created_from=tomorrow", "expires_to=2026-02-30", "created_to=0001-01-01"} {
		owner.Get(t, "/documents?"+query).Want(t, 422)
	}
	who, err := s.Accounts.Operator.ActorFor(owner.Email, owner.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		q                lists.Query
		all, draft, sent int
	}{{lists.Query{}, 3, 2, 1}, {lists.Query{Owner: "me"}, 1, 1, 0}, {lists.Query{Search: "third"}, 1, 0, 1}} {
		c, err := s.Signing.Lists.Counts(t.Context(), account.Call{Actor: who}, x.q)
		if err != nil || c.All != x.all || c.ByStatus["draft"] != x.draft || c.ByStatus["sent"] != x.sent {
			t.Errorf("%+v counts %+v, %v", x.q, c, err)
		}
	}
}
