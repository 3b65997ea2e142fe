package api_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// world is the fixture of the tests of states: a company with members, and
// documents in each state on demand.
type world struct {
	*apptest.Server
	owner, approver *apptest.Client
}

// in creates a document in a state, with one file, a field and two signers who
// have not signed.
func (w *world) in(t testing.TB, status int) *apptest.Response {
	t.Helper()
	c := w.owner
	box := obj{"type": "text", "invitation_id": "0", "name": "note", "required": false, "x": 0, "y": 0, "width": 0.1, "height": 0.1}
	more := obj{"fields": list{box}}
	if status == 7 {
		more["expires_at"] = w.Clock.Now().Add(1e9 * 3600).Format("2006-01-02T15:04:05Z07:00")
	}
	d := draft(t, c, 2, more)
	at := "/documents/" + d.Text(t, "id")
	step := func(who *apptest.Client, path string, body any) {
		t.Helper()
		who.Post(t, at+path, body).Want(t, 200)
	}
	switch status {
	case 2, 3, 4:
		step(c, "/submit", nil)
		switch status {
		case 3:
			step(w.approver, "/approve", nil)
		case 4:
			step(w.approver, "/reject", obj{"reason": "No."})
		}
	case 5, 6, 7, 8:
		step(c, "/send", nil)
		switch status {
		case 6:
			for i := range 2 {
				step(c, "/"+d.Text(t, fmt.Sprintf("invitations.%d.id", i))+"/sign", nil)
			}
		case 7:
			w.Advance(t, "2h")
		case 8:
			step(c, "/void", obj{"reason": "Over."})
		}
	}
	d = c.Get(t, at).Want(t, 200)
	if got := d.Int(t, "status_id"); got != status {
		t.Fatalf("made a document in state %d, want %d", got, status)
	}
	return d
}

// operation is one way to change a document: its actor, and the resulting state
// for each state. A state that is missing refuses it with 409.
type operation struct {
	name   string
	method string
	path   string // {f}, {x}, {i}: the first file, field, invitation
	body   any
	by     string // "" is the owner
	to     map[int]int
	status int // of success
}

func same(states ...int) map[int]int {
	out := map[int]int{}
	for _, s := range states {
		out[s] = s
	}
	return out
}

func operations(t testing.TB) []operation {
	all := same(1, 2, 3, 4, 5, 6, 7, 8)
	box := obj{"type": "text", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1}
	person := obj{"name": "New Person", "email": "new@signer.example"}
	upload := apptest.Multipart(t, nil, apptest.File{Name: "more.pdf", Content: apptest.PDF(t, "More.")})
	return []operation{
		{"submit", "POST", "/submit", nil, "", map[int]int{1: 2}, 200},
		{"send", "POST", "/send", nil, "", map[int]int{1: 5, 3: 5}, 200},
		{"approve", "POST", "/approve", nil, "approver", map[int]int{2: 3}, 200},
		{"reject", "POST", "/reject", obj{"reason": "No."}, "approver", map[int]int{2: 4}, 200},
		{"withdraw", "POST", "/withdraw", nil, "", map[int]int{2: 1}, 200},
		{"reopen", "POST", "/reopen", nil, "", map[int]int{3: 1, 4: 1}, 200},
		{"unschedule", "POST", "/unschedule", nil, "", nil, 200},
		{"void", "POST", "/void", obj{"reason": "Over."}, "", map[int]int{2: 8, 3: 8, 4: 8, 5: 8, 7: 8}, 200},
		{"extend", "POST", "/extend", obj{"expires_at": "2040-01-01T00:00:00Z"}, "", map[int]int{7: 5}, 200},
		{"sign", "POST", "/{i}/sign", obj{}, "", same(5), 200},
		{"view", "POST", "/{i}/view", nil, "", same(5), 200},
		{"decline", "POST", "/{i}/decline", obj{"reason": "No."}, "", same(5), 200},
		{"delegate", "POST", "/{i}/delegate", person, "", same(5), 200},
		{"replace", "POST", "/invitations/{i}/replace", person, "", same(5), 200},
		{"remind one", "POST", "/{i}/remind", nil, "", same(5), 200},
		{"remind all", "POST", "/remind", nil, "", same(5), 200},
		{"title", "PATCH", "", obj{"title": "Renamed"}, "", same(1), 200},
		{"message", "PATCH", "", obj{"message": "Hello"}, "", same(1), 200},
		{"metadata", "PATCH", "", obj{"metadata": obj{"a": "b"}}, "", all, 200},
		{"external_id", "PATCH", "", obj{"external_id": "E-1"}, "", all, 200},
		{"upload", "POST", "/upload", upload, "", same(1), 201},
		{"rename file", "PATCH", "/files/{f}", obj{"name": "b.pdf"}, "", same(1), 200},
		{"replace file", "PUT", "/files/{f}/content", upload, "", same(1), 200},
		{"arrange pages", "PUT", "/files/{f}/pages", obj{"pages": list{obj{"page": 1}}}, "", same(1), 200},
		{"split file", "POST", "/files/{f}/split", obj{"page": 2}, "", same(1), 422},
		{"redact a file", "POST", "/files/{f}/redact", obj{"regions": list{}}, "", same(1), 422},
		{"merge files", "POST", "/files/{f}/merge", obj{"files": list{}}, "", same(1), 422},
		{"remove file", "DELETE", "/files/{f}", nil, "", same(1), 204},
		{"invite", "POST", "/invite", obj{"invitations": list{person}}, "", same(1), 201},
		{"change invitation", "PATCH", "/invitations/{i}", obj{"name": "Renamed"}, "", same(1), 200},
		{"remove invitation", "DELETE", "/invitations/{i}", nil, "", same(1), 204},
		{"replace fields", "PUT", "/fields", obj{"fields": list{box}}, "", same(1), 200},
		{"add fields", "POST", "/fields", obj{"fields": list{box}}, "", same(1), 201},
		{"change field", "PATCH", "/fields/{x}", obj{"label": "L"}, "", same(1), 200},
		{"remove field", "DELETE", "/fields/{x}", nil, "", same(1), 204},
		{"archive", "POST", "/archive", nil, "", same(1, 2, 3, 4, 6, 7, 8), 200},
		{"delete", "DELETE", "", nil, "", same(1, 2, 3, 4, 6, 7, 8), 200},
		{"restore", "POST", "/restore", nil, "", nil, 200},
		{"download", "POST", "/download", obj{}, "", same(6), 200},
		{"download certificate", "POST", "/download", obj{"content": "certificate"}, "", same(6), 200},
		{"download current", "POST", "/download", obj{"version": "current"}, "", all, 200},
	}
}

func (o operation) run(t testing.TB, w *world, d *apptest.Response) *apptest.Response {
	t.Helper()
	path := strings.NewReplacer("{f}", d.Text(t, "files.0.id"), "{x}", d.Text(t, "fields.0.id"), "{i}", d.Text(t, "invitations.0.id")).Replace(o.path)
	who := w.owner
	if o.by == "approver" {
		who = w.approver
	}
	return who.Do(t, o.method, "/documents/"+d.Text(t, "id")+path, o.body)
}

// TestEveryState tries every operation in every state: it leads to the state in the
// table, or is refused and changes nothing.
func TestEveryState(t *testing.T) {
	t.Parallel()
	everyCase(t)
	s := apptest.New(t)
	w := &world{s, s.Company(t), nil}
	w.approver = w.owner.Member(t, account.RoleApprover)
	for status := 1; status <= 8; status++ {
		still := w.in(t, status)
		at := "/documents/" + still.Text(t, "id")
		events := w.owner.Get(t, at+"/events?per_page=1000").Want(t, 200)
		for _, o := range operations(t) {
			to, fits := o.to[status]
			if !fits {
				failed(t, o.run(t, w, still), 409)
				continue
			}
			d := still
			if o.name != "download" && o.name != "download certificate" && o.name != "download current" {
				d = w.in(t, status)
			}
			o.run(t, w, d).Want(t, o.status)
			if got := w.owner.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200).Int(t, "status_id"); got != to {
				t.Errorf("%s in state %d leads to %d, want %d", o.name, status, got, to)
			}
		}
		unchanged(t, w.owner, still)
		if now := w.owner.Get(t, at+"/events?per_page=1000").Want(t, 200); !bytes.Equal(canonical(t, now), canonical(t, events)) {
			t.Errorf("state %d: refused operations left events:\n%s\n%s", status, events.Body, now.Body)
		}
		dup := w.owner.Post(t, at+"/duplicate", nil).Want(t, 201)
		if dup.Int(t, "status_id") != 1 || dup.Text(t, "id") == still.Text(t, "id") || dup.Text(t, "title") != "Contract" || dup.Int(t, "version") != 1 ||
			len(dup.At(t, "files").(list)) != 1 || len(dup.At(t, "invitations").(list)) != 2 || len(dup.At(t, "fields").(list)) != 1 || dup.Text(t, "invitations.0.status") != "pending" {
			t.Errorf("the duplicate of state %d is %s", status, dup.Body)
		}
	}
}

// TestStatesAside tries every operation on archived and deleted documents.
func TestStatesAside(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := &world{s, s.Company(t), nil}
	w.approver = w.owner.Member(t, account.RoleApprover)
	for _, aside := range []string{"archived", "deleted"} {
		for _, status := range []int{1, 2, 3, 4, 7} {
			d := w.in(t, status)
			at := "/documents/" + d.Text(t, "id")
			if aside == "archived" {
				d = w.owner.Post(t, at+"/archive", nil).Want(t, 200)
			} else {
				d = w.owner.Delete(t, at).Want(t, 200)
			}
			for _, name := range []string{"submit", "send", "approve", "reject", "withdraw", "reopen", "extend", "unschedule"} {
				ops := operations(t)
				o := ops[slices.IndexFunc(ops, func(o operation) bool { return o.name == name })]
				failed(t, o.run(t, w, d), 409)
			}
			unchanged(t, w.owner, d)
			back := w.owner.Post(t, at+"/restore", nil).Want(t, 200)
			if back.Int(t, "status_id") != status || back.At(t, "archived_at") != nil || back.At(t, "deleted_at") != nil {
				t.Errorf("restored it is %s", back.Body)
			}
		}
	}
}

func TestTrashIsPurged(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	ids := titled(t, c, "gone", "restored", "archived")
	c.Delete(t, "/documents/"+ids[0]).Want(t, 200)
	c.Delete(t, "/documents/"+ids[1]).Want(t, 200)
	c.Post(t, "/documents/"+ids[2]+"/archive", nil).Want(t, 200)
	s.Advance(t, "6d")
	c = s.Login(t, c.Email)
	c.Post(t, "/documents/"+ids[1]+"/restore", nil).Want(t, 200)
	s.Advance(t, "25d")
	c = s.Login(t, c.Email)
	failed(t, c.Get(t, "/documents/"+ids[0]), 404)
	c.Get(t, "/documents/"+ids[1]).Want(t, 200)
	c.Get(t, "/documents/"+ids[2]).Want(t, 200)
	for _, query := range []string{"with_trashed=true", "status=active,archived,deleted", "with_trashed=true&search=gone"} {
		if got := c.Get(t, "/documents?"+query).Want(t, 200).Texts(t, "data", "title"); slices.Contains(got, "gone") {
			t.Errorf("%s shows %v", query, got)
		}
	}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Patch(t, "/company", obj{"require_approval": true}).Want(t, 200)
	approver, member, viewer := c.Member(t, account.RoleApprover), c.Member(t, account.RoleMember), c.Member(t, account.RoleViewer)
	d := draft(t, member, 1, obj{"approver_id": approver.UserID})
	at := "/documents/" + d.Text(t, "id")
	if d.Text(t, "approver.id") != approver.UserID {
		t.Errorf("the approver is %v", d.At(t, "approver"))
	}
	failed(t, member.Post(t, at+"/send", nil), 409, "approval_required")
	failed(t, viewer.Post(t, at+"/submit", nil), 403)
	d = member.Post(t, at+"/submit", nil).Want(t, 200)
	if d.At(t, "submitted_at") == nil {
		t.Error("no submitted_at")
	}
	for _, who := range []*apptest.Client{member, viewer} {
		failed(t, who.Post(t, at+"/approve", nil), 403)
		failed(t, who.Post(t, at+"/reject", obj{"reason": "No."}), 403)
	}
	failed(t, approver.Post(t, at+"/withdraw", nil), 403)
	failed(t, approver.Post(t, at+"/reject", nil), 422, "reason")
	failed(t, approver.Post(t, at+"/reject", obj{"reason": "  "}), 422, "reason")
	d = approver.Post(t, at+"/reject", obj{"reason": "Too long."}).Want(t, 200)
	if d.Text(t, "rejected_reason") != "Too long." || d.At(t, "rejected_at") == nil || d.Int(t, "status_id") != 4 {
		t.Errorf("rejected it is %s", d.Body)
	}
	member.Post(t, at+"/reopen", nil).Want(t, 200)
	member.Post(t, at+"/submit", nil).Want(t, 200)
	d = approver.Post(t, at+"/approve", nil).Want(t, 200)
	if d.At(t, "approved_at") == nil || d.Text(t, "approver.id") != approver.UserID {
		t.Errorf("approved it is %s", d.Body)
	}
	member.Post(t, at+"/send", nil).Want(t, 200)
	// Nobody approves their own submission, unless they are the only approver.
	own := draft(t, approver, 1)
	at = "/documents/" + own.Text(t, "id")
	approver.Post(t, at+"/submit", nil).Want(t, 200)
	failed(t, approver.Post(t, at+"/approve", nil), 403, "own_submission")
	failed(t, approver.Post(t, at+"/reject", obj{"reason": "x"}), 403, "own_submission")
	c.Post(t, at+"/approve", nil).Want(t, 200)
	failed(t, member.Post(t, at+"/void", obj{"reason": "x"}), 403)
	failed(t, c.Post(t, "/documents", obj{"approver_id": member.UserID}), 422, "approver_id")
	alone := company(t)
	d = draft(t, alone, 1)
	alone.Post(t, "/documents/"+d.Text(t, "id")+"/submit", nil).Want(t, 200)
	alone.Post(t, "/documents/"+d.Text(t, "id")+"/approve", nil).Want(t, 200)
}

func TestTogetherInOrder(t *testing.T) {
	t.Parallel()
	c := company(t)
	sign := func(d *apptest.Response, n int) *apptest.Response {
		return c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, fmt.Sprintf("invitations.%d.id", n))+"/sign", obj{})
	}
	t.Run("sequential", func(t *testing.T) {
		people := list{merged(signer(1), obj{"position": 2}), merged(signer(2), obj{"position": 1}), merged(signer(3), obj{"position": 2})}
		d := sent(t, c, 0, obj{"signing_order": "sequential", "invitations": people})
		if d.Text(t, "invitations.0.status") != "pending" || d.At(t, "invitations.0.sign_url") != nil || d.Text(t, "invitations.1.status") != "notified" {
			t.Errorf("at first %s", d.Body)
		}
		failed(t, sign(d, 0), 409, "not_your_turn")
		d = sign(d, 1).Want(t, 200)
		failed(t, sign(d, 1), 409, "already_signed")
		if d.Text(t, "invitations.0.status") != "notified" || d.Text(t, "invitations.2.status") != "notified" {
			t.Errorf("then %s", d.Body)
		}
		d = sign(d, 2).Want(t, 200)
		if d = sign(d, 0).Want(t, 200); d.Int(t, "status_id") != 6 {
			t.Errorf("at last %s", d.Body)
		}
		failed(t, sign(d, 0), 409)
	})
	t.Run("parallel", func(t *testing.T) {
		d := sent(t, c, 6)
		var wg sync.WaitGroup
		answers := make([]*apptest.Response, 12)
		for i := range answers {
			wg.Go(func() { answers[i] = sign(d, i%6) })
		}
		wg.Wait()
		good := 0
		for _, r := range answers {
			if r.Status == 200 {
				good++
			} else {
				failed(t, r, 409)
			}
		}
		end := c.Get(t, "/documents/"+d.Text(t, "id")).Want(t, 200)
		if good != 6 || end.Int(t, "status_id") != 6 {
			t.Errorf("%d of 6 signatures were taken; it ends as %s", good, end.Text(t, "status"))
		}
		checkSigned(t, c.Get(t, "/documents/"+d.Text(t, "id")+"/download").Want(t, 200).Body, 7)
	})
	t.Run("roles", func(t *testing.T) {
		people := list{signer(1), obj{"name": "Ann Approver", "email": "ann@signer.example", "role": "approver"}, obj{"name": "Vic Viewer", "email": "vic@signer.example", "role": "viewer"}}
		d := sent(t, c, 0, obj{"invitations": people})
		if d.Int(t, "progress.total") != 2 || d.Text(t, "invitations.2.status") != "pending" {
			t.Errorf("at first %s", d.Body)
		}
		failed(t, sign(d, 2), 409, "viewer_does_not_sign")
		sign(d, 0).Want(t, 200)
		if d = sign(d, 1).Want(t, 200); d.Int(t, "status_id") != 6 || d.Text(t, "invitations.2.status") != "notified" {
			t.Errorf("at last %s", d.Body)
		}
		failed(t, c.Post(t, "/documents", apptest.Multipart(t, obj{"send": true, "invitations": list{people[2]}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})), 422, "invitations")
	})
}

func TestDecline(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 2)
	at := "/documents/" + d.Text(t, "id")
	first, second := at+"/"+d.Text(t, "invitations.0.id"), at+"/"+d.Text(t, "invitations.1.id")
	who := c.Server.With(link(t, d, 0))
	r := who.Post(t, first+"/decline", obj{"reason": "Not like this."}).Want(t, 200)
	if r.Int(t, "status_id") != 5 {
		t.Errorf("it is %s", r.Body)
	}
	d = c.Get(t, at)
	if d.Text(t, "attention") != "declined" || d.Text(t, "invitations.0.status") != "declined" || d.Text(t, "invitations.0.declined_reason") != "Not like this." {
		t.Errorf("it is %s", d.Body)
	}
	failed(t, who.Post(t, first+"/sign", obj{}), 409)
	failed(t, c.Post(t, second+"/sign", obj{}), 409, "document_declined")
	failed(t, c.Post(t, at+"/remind", nil), 409)
	failed(t, c.Post(t, at+"/invitations/"+d.Text(t, "invitations.0.id")+"/replace", obj{"name": "X", "email": "signer2@signer.example"}), 422, "email")
	failed(t, c.Post(t, at+"/invitations/"+d.Text(t, "invitations.0.id")+"/replace", obj{}), 422, "name", "email")
	d = c.Post(t, at+"/invitations/"+d.Text(t, "invitations.0.id")+"/replace", obj{"name": "Rita", "email": "rita@signer.example"}).Want(t, 200)
	if d.At(t, "attention") != nil || d.Text(t, "invitations.2.status") != "notified" || d.Int(t, "progress.total") != 2 {
		t.Errorf("replaced it is %s", d.Body)
	}
	c.Post(t, second+"/sign", obj{}).Want(t, 200)
	if d = c.Post(t, at+"/"+d.Text(t, "invitations.2.id")+"/sign", obj{}).Want(t, 200); d.Int(t, "status_id") != 6 {
		t.Errorf("it ends as %s", d.Body)
	}
	// The company may choose to void it at once.
	c.Patch(t, "/company", obj{"on_decline": "void"}).Want(t, 200)
	d = sent(t, c, 2)
	c.Server.With(link(t, d, 1)).Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.1.id")+"/decline", nil).Want(t, 200)
	if d = c.Get(t, "/documents/"+d.Text(t, "id")); d.Int(t, "status_id") != 8 || d.Text(t, "voided_reason") != d.Text(t, "invitations.1.name")+" declined to sign." {
		t.Errorf("with on_decline void it is %s", d.Body)
	}
	events := c.Get(t, "/documents/"+d.Text(t, "id")+"/events?sort=at|desc")
	if got := events.At(t, "data.0.data"); !reflect.DeepEqual(got, map[string]any{"reason": d.Text(t, "voided_reason")}) {
		t.Errorf("the event says %v", got)
	}
}

func TestDelegate(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1, obj{"fields": list{obj{"type": "text", "name": "note", "invitation_id": "0", "x": 0, "y": 0, "width": 0.2, "height": 0.05}}})
	at := "/documents/" + d.Text(t, "id")
	who := c.Server.With(link(t, d, 0))
	mine := at + "/" + d.Text(t, "invitations.0.id")
	failed(t, who.Post(t, mine+"/delegate", obj{"email": "nope"}), 422, "name", "email")
	who.Post(t, mine+"/delegate", obj{"name": "Dora Deputy", "email": "dora@signer.example"}).Want(t, 200)
	failed(t, who.Get(t, at), 401)
	failed(t, c.Post(t, mine+"/sign", obj{"fields": obj{"note": "x"}}), 409, "invitation_delegated")
	d = c.Get(t, at)
	if d.Text(t, "invitations.0.status") != "delegated" || d.Text(t, "invitations.1.email") != "dora@signer.example" || d.Text(t, "fields.0.invitation_id") != d.Text(t, "invitations.1.id") {
		t.Errorf("it is %s", d.Body)
	}
	deputy := c.Server.With(link(t, d, 1))
	failed(t, deputy.Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/sign", obj{}), 422, "fields.note")
	if d = deputy.Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/sign", obj{"fields": obj{"note": "Fine."}}).Want(t, 200); d.Int(t, "status_id") != 6 {
		t.Errorf("it ends as %s", d.Body)
	}
}

// TestReplacedIsNotDelegated puts somebody else in the place of a recipient, who has passed nothing on.
func TestReplacedIsNotDelegated(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1, nil)
	at := "/documents/" + d.Text(t, "id")
	first := at + "/invitations/" + d.Text(t, "invitations.0.id")
	c.Post(t, first+"/replace", obj{"name": "Dora Deputy", "email": "dora@signer.example"}).Want(t, 200)
	d = c.Get(t, at)
	if d.Text(t, "invitations.0.status") != "replaced" || d.Text(t, "invitations.1.email") != "dora@signer.example" {
		t.Errorf("it is %s", d.Body)
	}
	failed(t, c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}), 409, "invitation_delegated")
}

// TestClock checks what happens on its own over time: reminders, the deadline.
func TestClock(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	failed(t, c.Post(t, "/documents", obj{"expires_at": "2001-01-01"}), 422, "expires_at")
	d := sent(t, c, 1, obj{"expires_at": s.Clock.Now().Add(5 * 24 * 3600e9).Format("2006-01-02T15:04:05Z07:00"), "remind_every_days": 2})
	at := "/documents/" + d.Text(t, "id")
	to := "signer1@signer.example"
	if mails := s.Mails(t, to); len(mails) != 1 || !strings.Contains(mails[0].Text, link(t, d, 0)) {
		t.Errorf("%d messages at first", len(mails))
	}
	token := s.Link(t, to, "/s/")
	s.With(token).Get(t, at).Want(t, 200)
	c.Post(t, at+"/remind", nil).Want(t, 200)
	failed(t, c.Post(t, at+"/remind", nil), 409, "nobody_to_remind")
	if n := len(s.Mails(t, to)); n != 2 {
		t.Errorf("%d messages after a reminder by hand", n)
	}
	s.Advance(t, "3d")
	if n := len(s.Mails(t, to)); n != 3 {
		t.Errorf("%d messages after three days", n)
	}
	if got := c.Get(t, at).Int(t, "invitations.0.reminders_sent"); got != 2 {
		t.Errorf("%d reminders are counted", got)
	}
	s.Advance(t, "3d")
	d = c.Get(t, at)
	if d.Int(t, "status_id") != 7 || d.At(t, "expired_at") == nil || d.At(t, "invitations.0.sign_url") != nil {
		t.Errorf("after the deadline it is %s", d.Body)
	}
	failed(t, s.With(token).Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}), 409, "document_expired")
	failed(t, c.Post(t, at+"/extend", nil), 422, "expires_at")
	failed(t, c.Post(t, at+"/extend", obj{"expires_at": "soon"}), 422, "expires_at")
	failed(t, c.Post(t, at+"/extend", obj{"expires_at": "2001-01-01"}), 422, "expires_at")
	c.Post(t, at+"/extend", obj{"expires_at": s.Clock.Now().Add(24 * 3600e9).Format("2006-01-02T15:04:05Z07:00")}).Want(t, 200)
	if d = s.With(token).Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200); d.Int(t, "status_id") != 6 {
		t.Errorf("it ends as %s", d.Body)
	}
	s.Advance(t, "5d")
	c = s.Login(t, c.Email)
	if got := c.Get(t, at).Int(t, "status_id"); got != 6 {
		t.Errorf("a completed document became %d", got)
	}
	if got := s.Anonymous().Post(t, "/test/clock", obj{"advance": "soon"}); got.Status != 422 {
		t.Errorf("a bad duration gives %d", got.Status)
	}
}

// TestEvents checks the audit trail and its chain of hashes.
func TestEvents(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	c.Server.With(link(t, d, 0)).Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/view", nil, "User-Agent", "Browser/1").Want(t, 200)
	c.Server.With(link(t, d, 0)).Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}, "User-Agent", "Browser/1").Want(t, 200)
	r := c.Get(t, at+"/events?per_page=1000").Want(t, 200)
	want := "document.created file.added document.sent invitation.notified invitation.link_shown invitation.viewed invitation.signed document.completed"
	if got := strings.Join(r.Texts(t, "data", "type"), " "); got != want {
		t.Errorf("it lists %s", got)
	}
	previous := strings.Repeat("0", 64)
	for i, hash := range r.Texts(t, "data", "hash") {
		at := fmt.Sprintf("data.%d.", i)
		if r.Text(t, at+"previous_hash") != previous || len(hash) != 64 || r.Text(t, at+"document_id") != d.Text(t, "id") {
			t.Errorf("event %d does not follow: %v", i, r.At(t, fmt.Sprintf("data.%d", i)))
		}
		previous = hash
	}
	if r.Text(t, "data.0.actor.type") != "user" || r.Text(t, "data.0.actor.email") != c.Email || r.Text(t, "data.6.actor.type") != "signatory" ||
		r.Text(t, "data.6.actor.email") != "signer1@signer.example" || r.Text(t, "data.6.ip") != "127.0.0.1" || r.Text(t, "data.6.user_agent") != "Browser/1" {
		t.Errorf("the actors are wrong: %s", r.Body)
	}
	evidence := c.Get(t, at+"/download?content=evidence").Want(t, 200)
	if got := evidence.Text(t, "chain_head"); got != previous {
		t.Errorf("the evidence ends with %s, the chain with %s", got, previous)
	}
	back := c.Get(t, at+"/events?sort=at%7Cdesc&per_page=2").Want(t, 200)
	if got := back.Texts(t, "data", "hash"); got[0] != previous || back.Int(t, "meta.total") != 8 {
		t.Errorf("backwards it begins with %v", got)
	}
}
