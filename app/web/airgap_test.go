package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app"
	"paraph/app/apptest"
)

// TestTeamOfFiveWithoutMail sets up an installation that can't send mail, and brings four
// colleagues in: each gets a link that the owner copies from the page.
func TestTeamOfFiveWithoutMail(t *testing.T) {
	t.Parallel()
	s := apptest.Empty(t, func(c *app.Config) { c.Server.TestControls = false })
	owner := open(t, look{})
	owner.visit(s.URL + "/setup?token=" + s.First.Setup)
	owner.write(`[name="name"]`, "Olga Owner")
	owner.write(`[name="email"]`, "olga@company.example")
	owner.write(`[name="password"]`, apptest.Password)
	owner.write(`[name="company"]`, "Acme")
	owner.send("/setup")
	owner.heading("Welcome, Olga Owner")

	team := []string{"olga@company.example"}
	for i := range 4 {
		team = append(team, fmt.Sprintf("new%d@company.example", i))
	}
	owner.visit(s.URL + "/app/team")
	owner.click(`main a[href="/app/team/invite"]`)
	owner.write(`[name="emails"]`, strings.Join(team[1:], ", "))
	owner.send("/app/team/invite")
	owner.see(`form[action$="/link"]`)
	if said := owner.text(); !strings.Contains(said, "nothing was sent") {
		t.Errorf("after inviting the page says %s", said)
	}
	for i := range team[1:] {
		owner.visit(s.URL + "/app/team")
		owner.click(`form[action$="/link"] button`) // of the member who has not joined yet
		link := owner.read(".copyline code")
		colleague := open(t, look{})
		colleague.visit(link)
		colleague.write(`[name="name"]`, fmt.Sprint("Colleague ", i))
		colleague.write(`[name="password"]`, apptest.Password)
		colleague.click("main form button.primary")
		colleague.see("header.shell")
		if !strings.HasPrefix(link, s.URL+"/join/") {
			t.Errorf("the link is %q", link)
		}
		colleague.close()
	}
	owner.visit(s.URL + "/app/team")
	owner.see("table.cards")
	var seen []string
	for _, c := range team {
		if get(owner, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector('table.cards').innerText.includes(%q)", c))) {
			seen = append(seen, c)
		}
		s.Login(t, c)
	}
	if !slices.Equal(seen, team) {
		t.Errorf("the page lists %v, want %v", seen, team)
	}
}
