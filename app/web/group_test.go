package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestGroupIsToldWhoActed opens the link of somebody for whose group somebody else signed.
func TestGroupIsToldWhoActed(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria("group", "Directors"), {"name": "Dan Director", "email": "dan@group.example", "group": "Directors"},
		{"name": "Tom", "email": "tom@tenant.example"}}, place("text", "City", 1, .3))
	invitations := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Texts(t, "invitations", "id")
	w := guest(t, s)
	w.Visit(d.links[1])
	w.See(`[name^="f."]`) // the group's field
	d.Post(t, "/documents/"+d.id+"/"+invitations[0]+"/sign", apptest.Map{"fields": apptest.Map{"city": "Lisbon"}}).Want(t, http.StatusOK)
	w.Visit(d.links[1])
	w.Heading("nothing for you to do")
	if sight := w.Read("main"); !strings.Contains(sight, "Maria Silva has already acted for Directors.") {
		t.Errorf("the page says %s", sight)
	}
}

// TestConsentBeforeContentForTheWholeGroup opens the links of a group after one of it has signed:
// whoever has not consented before gets no part of the document, also when it is completed.
func TestConsentBeforeContentForTheWholeGroup(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := gated(t, s, []apptest.Map{maria("group", "Directors"), {"name": "Dan Director", "email": "dan@group.example", "group": "Directors"},
		{"name": "Dora Director", "email": "dora@group.example", "group": "Directors"}, {"name": "Tom", "email": "tom@tenant.example"}})
	was := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
	invitations, file, at := was.Texts(t, "invitations", "id"), was.Text(t, "files.0.id"), "/documents/"+d.id
	api := func(i int) *apptest.Client { _, token, _ := strings.Cut(d.links[i], "/s/"); return s.With(token) }
	agree := func(i int) {
		api(i).Post(t, at+"/"+invitations[i]+"/consent", apptest.Map{"consent": true}).Want(t, http.StatusOK)
	}
	sign := func(i int) { api(i).Post(t, at+"/"+invitations[i]+"/sign", apptest.Map{}).Want(t, http.StatusOK) }
	dan, dora := path(t, d.links[1]), path(t, d.links[2])
	agree(0)
	agree(2)
	sign(0)
	for _, state := range []string{"sent", "completed"} {
		if state == "completed" {
			agree(3)
			sign(3)
		}
		if got := d.status(t); got != state {
			t.Fatalf("the document is %s", got)
		}
		v := invited(t, s)
		_, html := v.get(dan)
		want(t, html, "nothing for you to do", "Maria Silva has already acted for Directors.", "You can no longer open the document", "not", "/pages/", "/files/", "First page")
		for _, closed := range []string{"/pages/" + file + "/1.png", "/files/current", "/files/" + file, "/text"} {
			if status, body := v.get(dan + closed); status == http.StatusOK && (!strings.Contains(body, "nothing for you to do") || strings.Contains(body, "First page")) {
				t.Errorf("%s: %s is given without consent: %.200s", state, closed, body)
			}
		}
		c := api(1)
		c.Get(t, at).Want(t, http.StatusForbidden)
		c.Get(t, at+"/files/"+file+"/content").Want(t, http.StatusForbidden)
		c.Post(t, at+"/download", apptest.Map{}).Want(t, http.StatusForbidden)
		if status, _ := v.get(dora + "/pages/" + file + "/1.png"); status != http.StatusOK {
			t.Errorf("%s: %d for somebody who consented", state, status)
		}
		api(2).Get(t, at).Want(t, http.StatusOK)
	}
}
