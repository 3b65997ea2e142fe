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
