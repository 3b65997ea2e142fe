package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestTeamOfFiveWithoutMail sets up an installation that can't send mail, and brings four
// colleagues in: each gets a link that the owner copies from the page.
func TestTeamOfFiveWithoutMail(t *testing.T) {
	t.Parallel()
	s := apptest.Empty(t, func(c *app.Config) { c.Server.TestControls = false })
	owner := guest(t, s)
	owner.Visit(s.URL + "/setup?token=" + s.First.Setup)
	owner.Write(`[name="name"]`, "Olga Owner")
	owner.Write(`[name="email"]`, "olga@company.example")
	owner.Write(`[name="password"]`, apptest.Password)
	owner.Write(`[name="company"]`, "Acme")
	owner.Submit("/setup")
	owner.Heading("Welcome, Olga Owner")

	team := []string{"olga@company.example"}
	for i := range 4 {
		team = append(team, fmt.Sprintf("new%d@company.example", i))
	}
	owner.Visit(s.URL + "/app/team")
	owner.Click(`main a[href="/app/team/invite"]`)
	owner.Write(`[name="emails"]`, strings.Join(team[1:], ", "))
	owner.Submit("/app/team/invite")
	owner.See(`form[action$="/link"]`)
	if said := owner.Text(); !strings.Contains(said, "nothing was sent") {
		t.Errorf("after inviting the page says %s", said)
	}
	for i := range team[1:] {
		owner.Visit(s.URL + "/app/team")
		owner.Click(`form[action$="/link"] button`) // of the member who has not joined yet
		link := owner.Read(".copyline code")
		newcomer := guest(t, s)
		newcomer.Visit(link)
		newcomer.Write(`[name="name"]`, fmt.Sprint("Colleague ", i))
		newcomer.Write(`[name="password"]`, apptest.Password)
		newcomer.Click("main form button.primary")
		newcomer.See("header.shell")
		if !strings.HasPrefix(link, s.URL+"/join/") {
			t.Errorf("the link is %q", link)
		}
	}
	owner.Visit(s.URL + "/app/team")
	owner.See("table.cards")
	var seen []string
	for _, c := range team {
		if strings.Contains(owner.Read("table.cards"), c) {
			seen = append(seen, c)
		}
		s.Login(t, c)
	}
	if !slices.Equal(seen, team) {
		t.Errorf("the page lists %v, want %v", seen, team)
	}
}
