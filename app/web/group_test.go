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
	w := open(t, look{})
	w.visit(d.links[1])
	w.see(`[name^="f."]`) // the group's field
	d.Post(t, "/documents/"+d.id+"/"+invitations[0]+"/sign", apptest.Map{"fields": apptest.Map{"city": "Lisbon"}}).Want(t, http.StatusOK)
	w.visit(d.links[1])
	w.heading("There is nothing for you to do")
	if sight := w.sight(); !strings.Contains(sight, "Maria Silva has already acted for Directors.") {
		t.Errorf("the page says %s", sight)
	}
}
