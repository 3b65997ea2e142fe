package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestMarkAsRead follows a reader through their pages, with a script and without one.
func TestMarkAsRead(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		s := apptest.New(t, withConsent)
		d := send(t, s, []apptest.Map{maria(), {"name": "Rea Reader", "email": "rea@reader.example", "role": "reader"}}, lease()...)
		w := either(t, s.Anonymous(), scripts)
		w.Visit(d.links[1])
		if sight := w.Read("body"); !strings.Contains(sight, "asks you to read this document and to confirm that you have") || strings.Contains(sight, "I agree") || strings.Contains(sight, "Finish and sign") {
			t.Errorf("the reader's page says %s", sight)
		}
		w.Click("#finish")
		w.Heading("You're done")
		if sight := w.Read("body"); !strings.Contains(sight, "You marked it as read on") {
			t.Errorf("the reader's last page says %s", sight)
		}
		r := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
		if got := r.Texts(t, "invitations", "status"); got[0] != "notified" || got[1] != "read" || r.Text(t, "status") != "sent" {
			t.Errorf("the invitations are %q of a document that is %s", got, r.Text(t, "status"))
		}
	}
}
