package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestNameTheNextRecipient names somebody on the signing page, with a wrong address first.
func TestNameTheNextRecipient(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	body := apptest.Multipart(t, apptest.Map{"title": "Leave", "send": true, "signing_order": "sequential", "invitations": []apptest.Map{
		{"name": "Rea", "email": "rea@reader.example", "role": "reader"}, {"role_name": "Manager", "named_by_previous": true}}},
		apptest.File{Name: "leave.pdf", Content: apptest.PDF(t, "Three weeks.")})
	d := owner.Post(t, "/documents", body).Want(t, http.StatusCreated)
	w := guest(t, s)
	w.Visit(d.Text(t, "invitations.0.sign_url"))
	w.Write(`[name="next.name"]`, "Mia Manager")
	w.Write(`[name="next.email"]`, "rea@reader.example")
	w.Click("#finish")
	w.See(`#errors a[href="#i-next.email"]`)
	w.Write(`[name="next.email"]`, "mia@manager.example")
	w.Click("#finish")
	w.Heading("You're done")
	now := owner.Get(t, "/documents/"+d.Text(t, "id")).Want(t, http.StatusOK)
	if now.Text(t, "invitations.1.email") != "mia@manager.example" || now.Text(t, "invitations.1.status") != "notified" {
		t.Errorf("afterwards it is %s", now.Body)
	}
	_, html := browse(t, owner).get("/app/documents/" + d.Text(t, "id") + "?tab=recipients")
	want(t, html, "Named by: <bdi>Rea</bdi>")
	if n := strings.Count(html, "Named by"); n != 1 {
		t.Errorf("%d recipients are named by somebody", n)
	}
}

// TestEditorKeepsGroupsAndPlaceholders edits a recipient of a group and one who is named later in
// the editor's dialog, which leads to the page with the settings that it lacks.
func TestEditorKeepsGroupsAndPlaceholders(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	board := func(name string) apptest.Map {
		return apptest.Map{"name": name, "email": name + "@signer.example", "group": "Board"}
	}
	d := newDraft(t, c, 1, board("dan"), board("dora"), apptest.Map{"role_name": "Manager", "named_by_previous": true, "position": 2})
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.pane("people")
	w.wants(`document.querySelector("#people li:nth-child(2)").textContent.includes("Board")`, "the group is not shown")
	for n, company := range map[int]string{1: "One Ltd", 3: "Boss Ltd"} {
		w.click(chromedp.CSS(fmt.Sprintf(`#people li:nth-child(%d) [data-act="edit"]`, n)))
		w.see("#person[open]")
		w.write(`#person [name="company"]`, company)
		w.click(`#person [value="ok"]`)
		w.until(`!document.querySelector("#person").open`)
	}
	for path, want := range map[string]any{"0.group": "Board", "0.company": "One Ltd", "0.name": "dan", "2.named_by_previous": true,
		"2.role_name": "Manager", "2.name": "", "2.email": "", "2.company": "Boss Ltd"} {
		if got := c.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).At(t, "invitations."+path); got != want {
			t.Errorf("invitations.%s is %v, want %v", path, got, want)
		}
	}
	w.click(`#people li:nth-child(3) [data-act="edit"]`)
	w.click(`#person a[href$="/people"]`)
	w.see(`[name="invitations.2.named_by_previous"]`)
}
