package app_test

import (
	"slices"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
)

// TestClockSetBackBetweenStartsKeepsTheOrder restarts the server with a clock three days
// behind: identifiers keep increasing, expired documents stay expired, and each document
// expires only once.
func TestClockSetBackBetweenStartsKeepsTheOrder(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	guests := apptest.List{guest(0)}
	made := func(c *apptest.Client, title string, deadline time.Duration) string {
		t.Helper()
		data := apptest.Map{"invitations": guests, "expires_at": clock.Now().Add(deadline).Format(time.RFC3339)}
		return deal{files: []apptest.File{{Name: title + ".pdf", Content: papers("", []paper{a4})}}, data: data}.send(t, c).Text(t, "id")
	}
	ended := func(c *apptest.Client, id string) (n int) {
		t.Helper()
		for _, kind := range c.Get(t, "/documents/"+id+"/events?per_page=100").Want(t, 200).Texts(t, "data", "type") {
			if kind == "document.expired" {
				n++
			}
		}
		return n
	}
	var email, first, second string
	var before []string
	inFolder(t, dir, clock, func(s *apptest.Server) {
		c := later(t, s.Company(t), 30*24*time.Hour)
		email = c.Email
		first, second = made(c, "first", time.Hour), made(c, "second", 5*time.Hour)
		c = later(t, c, 2*time.Hour)
		if n := ended(c, first); n != 1 {
			t.Errorf("the first document expired %d times", n)
		}
		before = c.Get(t, "/documents").Want(t, 200).Texts(t, "data", "id")
	})
	clock.Advance(-3 * 24 * time.Hour)
	inFolder(t, dir, clock, func(s *apptest.Server) {
		c := s.Login(t, email)
		third := made(c, "third", 30*24*time.Hour)
		all := c.Get(t, "/documents").Want(t, 200).Texts(t, "data", "id")
		if want := append([]string{third}, before...); !slices.Equal(all, want) || third < slices.Max(before) {
			t.Errorf("the documents are %v, want %v", all, want)
		}
		doc := c.Get(t, "/documents/"+third).Want(t, 200)
		c.Post(t, "/documents/"+third+"/"+doc.Text(t, "invitations.0.id")+"/sign", apptest.Map{}).Want(t, 200)
		if n := ended(c, second); n != 0 {
			t.Errorf("the second document expired %d times before its deadline", n)
		}
		c = later(t, c, 4*24*time.Hour)
		if a, b := ended(c, first), ended(c, second); a != 1 || b != 1 {
			t.Errorf("the documents expired %d and %d times", a, b)
		}
		for _, problem := range s.Check(t.Context(), false) {
			t.Error(problem)
		}
	})
}

// TestNothingOutlivesAJumpOfTheClock moves the clock of a running server three days back and then ten years on, while a
// link, a code, sessions and a link for a new password are out.
func TestNothingOutlivesAJumpOfTheClock(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	inFolder(t, dir, clock, func(s *apptest.Server) {
		owner := later(t, s.Company(t), 30*24*time.Hour) // the keys are older than the jump
		first, second := invite(t, owner, nil), invite(t, owner, apptest.Map{"email": "kim@signer.example", "authentication": "email_code"})
		second.Post(t, second.invitation+"/code", nil).Want(t, 202)
		code := codeFor(t, s, "kim@signer.example")
		forgot(t, s, owner.Email)
		reset := s.Link(t, owner.Email, "/reset/")

		clock.Advance(-3 * 24 * time.Hour)
		owner.Get(t, "/documents").Want(t, 200)
		first.Post(t, first.invitation+"/sign", apptest.Map{"consent": true}).Want(t, 200)
		events := owner.Get(t, first.document+"/events?per_page=100").Want(t, 200)
		if ids := events.Texts(t, "data", "id"); !slices.IsSorted(ids) {
			t.Errorf("the events are out of order: %v", ids)
		}
		if kinds := events.Texts(t, "data", "type"); slices.Index(kinds, "invitation.signed") < slices.Index(kinds, "document.sent") {
			t.Errorf("the events are %v", kinds)
		}

		clock.Advance(10 * 365 * 24 * time.Hour)
		owner.Get(t, "/documents").Want(t, 401)
		if r := second.Post(t, second.invitation+"/identify", apptest.Map{"code": code}); r.Status < 400 {
			t.Errorf("the code works: %s", r.Body)
		}
		if r := second.Post(t, second.invitation+"/sign", apptest.Map{"consent": true, "code": code}); r.Status < 400 {
			t.Errorf("the link works: %s", r.Body)
		}
		if r := s.Anonymous().Post(t, "/password/reset", apptest.Map{"token": reset, "password": "another horse 7731"}); r.Status < 400 {
			t.Errorf("the link for a new password works: %s", r.Body)
		}
		for _, problem := range s.Check(t.Context(), false) {
			t.Error(problem)
		}
	})
}
