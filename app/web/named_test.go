package web_test

import (
	"net/http"
	"testing"

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
	w := open(t, look{width: 360, height: 740, plain: true})
	w.visit(d.Text(t, "invitations.0.sign_url"))
	w.write(`[name="next.name"]`, "Mia Manager")
	w.write(`[name="next.email"]`, "rea@reader.example")
	w.click("#finish")
	w.see(`#errors a[href="#i-next.email"]`)
	w.write(`[name="next.email"]`, "mia@manager.example")
	w.click("#finish")
	w.heading("You are done")
	now := owner.Get(t, "/documents/"+d.Text(t, "id")).Want(t, http.StatusOK)
	if now.Text(t, "invitations.1.email") != "mia@manager.example" || now.Text(t, "invitations.1.status") != "notified" {
		t.Errorf("afterwards it is %s", now.Body)
	}
}
