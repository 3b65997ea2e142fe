package api_test

import (
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

func TestRetention(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	m := c.Member(t, account.RoleMember)
	other := s.Company(t)
	again := func() { // sessions last a week
		c, m, other = s.Login(t, c.Email), s.Login(t, m.Email), s.Login(t, other.Email)
	}
	done := completed(t, c).Text(t, "id")
	voided := sent(t, c, 1).Text(t, "id")
	c.Post(t, "/documents/"+voided+"/void", obj{"reason": "Over."}).Want(t, 200)
	expired := sent(t, c, 1, obj{"expires_at": "2040-01-01"}).Text(t, "id")
	running := sent(t, c, 1).Text(t, "id")
	kept := draft(t, c, 1).Text(t, "id")
	archived := completed(t, c).Text(t, "id")
	c.Post(t, "/documents/"+archived+"/archive", nil).Want(t, 200)
	theirs := completed(t, other).Text(t, "id")
	is := func(id, status string) {
		t.Helper()
		r := c.Get(t, "/documents/"+id).Want(t, 200)
		deleted := r.At(t, "deleted_at") != nil
		if deleted != (status == "deleted") {
			t.Errorf("%s: deleted_at is %v, want %s", r.Text(t, "status"), r.At(t, "deleted_at"), status)
		}
	}
	s.Advance(t, "10d")
	again()
	late := completed(t, c).Text(t, "id")
	failed(t, m.Patch(t, "/company", obj{"retention_days": 30}), 403)
	c.Patch(t, "/company", obj{"retention_days": 30}).Want(t, 200)
	who, err := s.Accounts.Operator.ActorFor(c.Email, c.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]int{30: 0, 5: 3, 1: 3, 0: 0} {
		if n, err := s.Signing.Upkeep.PreviewRetention(t.Context(), account.Call{Actor: who}, days); err != nil || n != want {
			t.Errorf("with %d days %d would go, want %d: %v", days, n, want, err)
		}
	}
	s.Advance(t, "19d")
	again()
	for _, id := range []string{done, voided, expired, running, kept, archived, late} {
		is(id, "there")
	}
	s.Advance(t, "2d")
	again()
	for _, id := range []string{done, voided, archived} {
		is(id, "deleted")
	}
	for _, id := range []string{expired, running, kept, late} {
		is(id, "there")
	}
	events := c.Get(t, "/documents/"+done+"/events?sort=at%7Cdesc").Want(t, 200)
	if events.Text(t, "data.0.type") != "document.deleted" || events.Text(t, "data.0.actor.type") != "system" || events.Text(t, "data.0.data.reason") != "retention" {
		t.Errorf("the journal says %.400s", events.Body)
	}
	other.Get(t, "/documents/"+theirs).Want(t, 200)
	s.Advance(t, "31d")
	again()
	failed(t, c.Get(t, "/documents/"+done), 404)
	is(late, "deleted")
	s.Anonymous().Post(t, "/test/clock", obj{"now": "2040-01-02T12:00:00Z"}).Want(t, 200)
	again()
	is(expired, "there")
	if r := c.Get(t, "/documents/"+expired).Want(t, 200); r.Text(t, "status") != "expired" {
		t.Errorf("it is %s", r.Text(t, "status"))
	}
	s.Advance(t, "29d")
	again()
	is(expired, "there")
	s.Advance(t, "2d")
	again()
	is(expired, "deleted")
	is(running, "there")
	if problems := s.Check(t.Context(), false); len(problems) != 0 {
		t.Errorf("the store: %v", problems)
	}
}

func TestNullTakesAway(t *testing.T) {
	t.Parallel()
	c := company(t)
	id := c.Post(t, "/documents", obj{"title": "T", "expires_at": "2040-01-01", "approver_id": c.UserID, "remind_every_days": 3, "subject": "S", "message": "M", "external_id": "X"}).Want(t, 201).Text(t, "id")
	at := "/documents/" + id
	r := c.Patch(t, at, obj{"expires_at": nil, "approver_id": nil, "remind_every_days": nil, "subject": nil, "message": nil, "external_id": nil, "title": nil}).Want(t, 200)
	for _, name := range []string{"expires_at", "approver", "remind_every_days", "subject", "message", "external_id"} {
		if r.At(t, name) != nil {
			t.Errorf("%s is %v", name, r.At(t, name))
		}
	}
	if r.Text(t, "title") != "T" {
		t.Errorf("the title is %q", r.Text(t, "title"))
	}
	c.Patch(t, at, obj{"expires_at": "2040-01-01"}).Want(t, 200)
	if r := c.Patch(t, at, obj{"title": "U"}).Want(t, 200); r.At(t, "expires_at") == nil {
		t.Error("what is not said was taken away")
	}
	if r := c.Patch(t, at, obj{"expires_at": ""}).Want(t, 200); r.At(t, "expires_at") != nil {
		t.Errorf("expires_at is %v", r.At(t, "expires_at"))
	}
	out := sent(t, c, 1, obj{"expires_at": "2040-01-01"}).Text(t, "id")
	failed(t, c.Patch(t, "/documents/"+out, obj{"expires_at": nil}), 409)

	c.Patch(t, "/company", obj{"retention_days": 30, "default_expiry_days": 10, "brand_color": "#112233", "consent_text": "Yes."}).Want(t, 200)
	r = c.Patch(t, "/company", obj{"retention_days": nil, "default_expiry_days": nil, "brand_color": nil, "consent_text": nil, "name": nil}).Want(t, 200)
	for _, name := range []string{"retention_days", "default_expiry_days", "brand_color", "consent_text"} {
		if r.At(t, name) != nil {
			t.Errorf("%s is %v", name, r.At(t, name))
		}
	}
	contact := contactOf(t, c, "A", "a@b.example", obj{"phone": "1", "tags": list{"x"}}).Text(t, "id")
	if r := c.Patch(t, "/contacts/"+contact, obj{"phone": nil, "tags": nil}).Want(t, 200); r.At(t, "phone") != nil || len(r.At(t, "tags").(list)) != 0 {
		t.Errorf("the contact is %s", r.Body)
	}
}
