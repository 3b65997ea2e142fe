package api_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// scheduledIn returns a time after a document's last change on the test's clock, in API format.
func scheduledIn(t *testing.T, c *apptest.Client, d *apptest.Response, wait string) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, d.Text(t, "updated_at"))
	if err != nil {
		t.Fatal(err)
	}
	by, err := time.ParseDuration(wait)
	if err != nil {
		t.Fatal(err)
	}
	return at.Add(by).Format(time.RFC3339)
}

// scheduled creates a draft to be sent in an hour.
func scheduled(t *testing.T, c *apptest.Client) *apptest.Response {
	t.Helper()
	d := draft(t, c, 1, nil)
	return c.Post(t, "/documents/"+d.Text(t, "id")+"/send", obj{"send_at": scheduledIn(t, c, d, "1h")}).Want(t, 200)
}

// TestSendLater schedules a document and advances the clock to that time.
func TestSendLater(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := scheduled(t, c)
	at := "/documents/" + d.Text(t, "id")
	if d.Text(t, "status") != "draft" || d.At(t, "send_at") == nil || !slices.Contains(offers(t, c, d), "unschedule") {
		t.Fatalf("the document is %s", d.Body)
	}
	s.Advance(t, "59m")
	if got := c.Get(t, at).Want(t, 200).Text(t, "status"); got != "draft" {
		t.Errorf("before its time it is %s", got)
	}
	s.Advance(t, "1m")
	s.Advance(t, "1h")
	now := c.Get(t, at).Want(t, 200)
	if now.Text(t, "status") != "sent" || now.At(t, "send_at") != nil || now.Text(t, "invitations.0.status") != "notified" {
		t.Errorf("at its time it is %s", now.Body)
	}
	types := c.Get(t, at+"/events?per_page=100").Want(t, 200).Texts(t, "data", "type")
	if count(types, "document.scheduled") != 1 || count(types, "document.sent") != 1 || count(types, "invitation.notified") != 1 {
		t.Errorf("events: %q", types)
	}
}

// TestSendLaterFromTheStart schedules documents in the request that creates them.
func TestSendLaterFromTheStart(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	at := scheduledIn(t, c, draft(t, c, 1, nil), "1h")
	file := apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "One.")}
	tpl := lease(t, c)
	tenant := list{obj{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example"}}
	requests := map[string]func(at string) *apptest.Response{
		"in one request": func(at string) *apptest.Response {
			return c.Post(t, "/documents", apptest.Multipart(t, obj{"send": true, "send_at": at, "invitations": signers(1)}, file))
		},
		"from a template": func(at string) *apptest.Response {
			return c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", obj{"people": tenant, "send_at": at, "variables": obj{"flat": "2B", "rent": "1"}})
		},
	}
	made := map[string]string{}
	for name, post := range requests {
		failed(t, post("2020-01-01T00:00:00Z"), 422, "send_at")
		d := post(at).Want(t, 201)
		if d.Text(t, "status") != "draft" || d.At(t, "send_at") == nil {
			t.Errorf("%s: the document is %s", name, d.Body)
		}
		made[name] = "/documents/" + d.Text(t, "id")
	}
	failed(t, c.Post(t, "/documents", obj{"send_at": at, "invitations": signers(1)}), 422, "files")
	s.Advance(t, "1h")
	for name, path := range made {
		patience.Until(t, "sending "+name, func() (string, bool) {
			d := c.Get(t, path).Want(t, 200)
			return string(d.Body), d.Text(t, "status") == "sent"
		})
		types := c.Get(t, path+"/events?per_page=100").Want(t, 200).Texts(t, "data", "type")
		if count(types, "document.scheduled") != 1 || count(types, "document.sent") != 1 {
			t.Errorf("%s: events %q", name, types)
		}
	}
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// TestWrongTimesToSend checks when a document can't be scheduled.
func TestWrongTimesToSend(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := draft(t, c, 1, nil)
	at := "/documents/" + d.Text(t, "id")
	for _, x := range []struct {
		body  obj
		field string
	}{
		{obj{"send_at": scheduledIn(t, c, d, "-1h")}, "send_at"},
		{obj{"send_at": scheduledIn(t, c, d, "9000h")}, "send_at"},
		{obj{"send_at": "tomorrow"}, "send_at"},
		{obj{"send_at": "2040-01-01"}, "send_at"},
		{obj{"send_at": scheduledIn(t, c, d, "2h"), "expires_at": scheduledIn(t, c, d, "1h")}, "expires_at"},
	} {
		failed(t, c.Post(t, at+"/send", x.body), 422, x.field)
	}
	far := failed(t, c.Post(t, at+"/send", obj{"send_at": "2040-01-01T00:00:00Z"}), 422, "send_at")
	if got := far.Text(t, "errors.send_at.0"); !regexp.MustCompile(`must be \d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC or earlier\.$`).MatchString(got) {
		t.Errorf("too far ahead: %q", got)
	}
	unchanged(t, c, d)
	empty := c.Post(t, "/documents", obj{"title": "Empty"}).Want(t, 201)
	failed(t, c.Post(t, "/documents/"+empty.Text(t, "id")+"/send", obj{"send_at": scheduledIn(t, c, d, "1h")}), 422, "files", "invitations")
}

// TestScheduledDocumentsDoNotChange tries every operation that changes a draft's content.
func TestScheduledDocumentsDoNotChange(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := &world{s, s.Company(t), nil}
	w.approver = w.owner.Member(t, account.RoleApprover)
	d := w.in(t, 1)
	at := "/documents/" + d.Text(t, "id")
	d = w.owner.Post(t, at+"/send", obj{"send_at": scheduledIn(t, w.owner, d, "1h")}).Want(t, 200)
	for _, o := range operations(t) {
		if slices.Contains([]string{"title", "message", "upload", "rename file", "replace file", "arrange pages", "split file", "merge files", "remove file", "invite",
			"change invitation", "remove invitation", "replace fields", "add fields", "change field", "remove field", "submit"}, o.name) {
			if got := o.run(t, w, d); got.Status != 409 || !bytes.Contains(got.Body, []byte("document_scheduled")) {
				t.Errorf("%s answers %d %s", o.name, got.Status, got.Body)
			}
		}
	}
	unchanged(t, w.owner, d)
	w.owner.Patch(t, at, obj{"external_id": "E-1"}).Want(t, 200)
	dup := w.owner.Post(t, at+"/duplicate", nil).Want(t, 201)
	if dup.At(t, "send_at") != nil {
		t.Errorf("the copy is scheduled: %s", dup.Body)
	}
}

// TestSchedulesEnd ends the schedule of a document in every possible way: it is not sent.
func TestSchedulesEnd(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	ends := map[string]func(at string) *apptest.Response{
		"unschedule": func(at string) *apptest.Response { return c.Post(t, at+"/unschedule", nil) },
		"archive":    func(at string) *apptest.Response { return c.Post(t, at+"/archive", nil) },
		"delete":     func(at string) *apptest.Response { return c.Delete(t, at) },
	}
	var all []string
	for name, end := range ends {
		at := "/documents/" + scheduled(t, c).Text(t, "id")
		if d := end(at).Want(t, 200); d.At(t, "send_at") != nil {
			t.Errorf("%s: %s", name, d.Body)
		}
		all = append(all, at)
	}
	failed(t, c.Post(t, all[0]+"/unschedule", nil), 409)
	now := "/documents/" + scheduled(t, c).Text(t, "id")
	if d := c.Post(t, now+"/send", nil).Want(t, 200); d.Text(t, "status") != "sent" || d.At(t, "send_at") != nil {
		t.Errorf("sent now: %s", d.Body)
	}
	s.Advance(t, "2h")
	for _, at := range all {
		if got := c.Get(t, at).Want(t, 200).Text(t, "status"); got != "draft" {
			t.Errorf("%s is %s", at, got)
		}
	}
}

// TestNotSentInTime removes what a scheduled document needs: it is not sent, and its owner is told.
func TestNotSentInTime(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		lose  func(owner, member *apptest.Client)
		cause string
	}{
		"the member's role shrank": {func(owner, member *apptest.Client) {
			owner.Patch(t, "/members/"+member.Get(t, "/me").Want(t, 200).Text(t, "id"), obj{"role": "viewer"}).Want(t, 200)
		}, "may no longer send"},
		"the company requires approval": {func(owner, _ *apptest.Client) {
			owner.Patch(t, "/company", obj{"require_approval": true}).Want(t, 200)
		}, "must be resolved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t)
			owner := s.Company(t)
			member := owner.Member(t, account.RoleMember)
			at := "/documents/" + scheduled(t, member).Text(t, "id")
			x.lose(owner, member)
			s.Advance(t, "1h")
			s.Advance(t, "1h")
			d := owner.Get(t, at).Want(t, 200)
			if d.Text(t, "status") != "draft" || d.At(t, "send_at") != nil || d.Text(t, "attention") != "not_sent" ||
				!bytes.Contains(d.Body, []byte(x.cause)) {
				t.Errorf("the document is %s", d.Body)
			}
			if kinds := owner.Get(t, "/outbox").Want(t, 200).Texts(t, "data", "kind"); !slices.Contains(kinds, "not_sent") {
				t.Errorf("messages: %q", kinds)
			}
		})
	}
}

// TestSchedulesOutlastARestart stops the appliance before the scheduled time and restarts it later.
func TestSchedulesOutlastARestart(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	s, err := apptest.StartIn(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Company(t)
	at := "/documents/" + scheduled(t, c).Text(t, "id")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(3 * time.Hour)
	for range 2 { // and once more: it is not sent twice
		if s, err = apptest.StartIn(dir, clock); err != nil {
			t.Fatal(err)
		}
		c = s.Login(t, c.Email)
		s.Advance(t, "1m") // waits for what is due
		if d := c.Get(t, at).Want(t, 200); d.Text(t, "status") != "sent" {
			t.Errorf("after the start it is %s", d.Body)
		}
		if types := c.Get(t, at+"/events?per_page=100").Want(t, 200).Texts(t, "data", "type"); count(types, "document.sent") != 1 {
			t.Errorf("events: %q", types)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScheduledDocumentsAreListed lists documents that wait to be sent, by status, with and without a search.
func TestScheduledDocumentsAreListed(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	plain := draft(t, c, 1, nil)
	later := scheduled(t, c)
	approved := draft(t, c, 1, nil)
	at := "/documents/" + approved.Text(t, "id")
	c.Post(t, at+"/submit", nil).Want(t, 200)
	c.Post(t, at+"/approve", nil).Want(t, 200)
	c.Post(t, at+"/send", obj{"send_at": later.Text(t, "send_at")}).Want(t, 200)
	expect := func(when, status string, want ...*apptest.Response) {
		t.Helper()
		for _, more := range []string{"", "&owner=me", "&sort=title|asc"} {
			got := c.Get(t, "/documents?status="+status+more).Want(t, 200)
			ids := got.Texts(t, "data", "id")
			slices.Sort(ids)
			var all []string
			for _, d := range want {
				all = append(all, d.Text(t, "id"))
			}
			slices.Sort(all)
			if !slices.Equal(ids, all) || got.Int(t, "meta.total") != len(all) {
				t.Errorf("%s, status=%s%s lists %s, want %q", when, status, more, got.Body, all)
			}
		}
	}
	expect("scheduled", "scheduled", later, approved)
	expect("scheduled", "draft", plain, later)
	expect("scheduled", "draft,scheduled", plain, later, approved)
	expect("scheduled", "approved", approved)
	expect("scheduled", "active", plain, later, approved)
	for _, row := range c.Get(t, "/documents?sort=created_at|asc").Want(t, 200).At(t, "data").(list) {
		row := row.(obj)
		want := later.At(t, "send_at")
		if row["id"] == plain.Text(t, "id") {
			want = nil
		}
		if row["send_at"] != want {
			t.Errorf("an item has send_at %v, want %v", row["send_at"], want)
		}
	}
	c.Post(t, at+"/unschedule", nil).Want(t, 200)
	expect("after one was called off", "scheduled", later)
	expect("after one was called off", "approved", approved)
	s.Advance(t, "1h")
	patience.Until(t, "sending", func() (string, bool) {
		d := c.Get(t, "/documents/"+later.Text(t, "id")).Want(t, 200)
		return string(d.Body), d.Text(t, "status") == "sent"
	})
	expect("after sending", "scheduled")
	expect("after sending", "draft", plain)
	expect("after sending", "sent", later)
	if got := c.Get(t, "/documents?status=planned"); !strings.Contains(string(got.Body), "voided, scheduled or a number") {
		t.Errorf("an unknown status: %s", got.Body)
	}
}

// TestDeadlineAsADay sets deadlines as dates: each ends with that day in the company's time zone.
func TestDeadlineAsADay(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Patch(t, "/company", obj{"timezone": "Pacific/Auckland"}).Want(t, 200)
	const day, end = "2040-07-31", "2040-07-31T11:59:59." // tokens end with whole seconds
	d := draft(t, c, 1, obj{"expires_at": day})
	at := "/documents/" + d.Text(t, "id")
	for what, got := range map[string]string{
		"created": d.Text(t, "expires_at"),
		"changed": c.Patch(t, at, obj{"expires_at": day}).Want(t, 200).Text(t, "expires_at"),
		"sent":    c.Post(t, at+"/send", obj{"expires_at": day}).Want(t, 200).Text(t, "expires_at"),
		"a token": c.Post(t, "/tokens", obj{"name": "x", "expires_at": day}).Want(t, 201).Text(t, "expires_at"),
	} {
		if !strings.HasPrefix(got, end) {
			t.Errorf("%s: it ends at %s, want %s", what, got, end)
		}
	}
	failed(t, c.Patch(t, "/documents/"+draft(t, c, 1).Text(t, "id"), obj{"expires_at": "31.7.2040"}), 422, "expires_at")
}
