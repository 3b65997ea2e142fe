package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestNamedByPrevious lets a signer name the manager who signs after them with a code.
func TestNamedByPrevious(t *testing.T) {
	t.Parallel()
	c := company(t)
	placeholder := obj{"role_name": "Manager", "named_by_previous": true, "authentication": "email_code"}
	failed(t, c.Post(t, "/documents", obj{"invitations": list{signer(1), obj{"named_by_previous": true}}}), 422, "invitations.1.role_name")
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Leave", "invitations": list{signer(1), placeholder}},
		apptest.File{Name: "leave.pdf", Content: apptest.PDF(t, "Three weeks.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	failed(t, c.Post(t, at+"/send", obj{}), 422, "invitations.1.named_by_previous")
	c.Patch(t, at, obj{"signing_order": "sequential"}).Want(t, 200)
	d = c.Post(t, at+"/send", obj{}).Want(t, 200)
	if d.Text(t, "invitations.0.names_next") != "Manager" || d.Text(t, "invitations.1.status") != "pending" {
		t.Errorf("after sending it is %s", d.Body)
	}
	failed(t, c.Post(t, at+"/"+ids[1]+"/view", nil), 409, "not_your_turn")
	sign := at + "/" + ids[0] + "/sign"
	mine := server(t).With(link(t, d, 0))
	failed(t, mine.Post(t, sign, obj{}), 422, "next.name", "next.email")
	failed(t, mine.Post(t, sign, obj{"next": obj{"name": "Mia", "email": "nowhere"}}), 422, "next.email")
	failed(t, mine.Post(t, sign, obj{"next": obj{"name": "Mia", "email": "signer1@signer.example"}}), 422, "next.email")
	mine.Post(t, sign, obj{"next": obj{"name": "Mia Manager", "email": "mia@manager.example"}}).Want(t, 200)
	d = c.Get(t, at).Want(t, 200)
	if d.Text(t, "invitations.1.name") != "Mia Manager" || d.Text(t, "invitations.1.status") != "notified" || d.Text(t, "invitations.1.authentication") != "email_code" {
		t.Errorf("after naming it is %s", d.Body)
	}
	failed(t, c.Post(t, at+"/"+ids[1]+"/sign", obj{"next": obj{"name": "X", "email": "x@x.example"}}), 422, "next")
	manager := server(t).With(link(t, d, 1))
	failed(t, manager.Get(t, at), 403)
	manager.Post(t, at+"/"+ids[1]+"/code", nil).Want(t, 202)
	code := ""
	for _, m := range server(t).Mails(t, "mia@manager.example") {
		if m.Kind == "signing_code" {
			code = digits(m.Text)
		}
	}
	manager.Post(t, at+"/"+ids[1]+"/sign", obj{"code": code}).Want(t, 200)
	if d = c.Get(t, at).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 3)
	text := strings.Join(strings.Fields(apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)), " ")
	if !strings.Contains(text, "(invitation.named)") || !strings.Contains(text, "Mia Manager") || !strings.Contains(text, "Named by Signer 1 <signer1@signer.example>") {
		t.Errorf("the certificate does not say who was named:\n%s", text)
	}
	told := false
	for _, m := range server(t).Mails(t, d.Text(t, "owner.email")) {
		told = told || strings.Contains(m.Text, "Mia Manager (mia@manager.example) was named as the next recipient")
	}
	if !told {
		t.Error("the sender was not told who was named")
	}
}

// TestSenderNames lets the sender name the person, before or after the previous recipient signs.
func TestSenderNames(t *testing.T) {
	t.Parallel()
	c := company(t)
	placeholder := obj{"role_name": "Manager", "named_by_previous": true}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Leave", "send": true, "signing_order": "sequential", "invitations": list{signer(1), placeholder}},
		apptest.File{Name: "leave.pdf", Content: apptest.PDF(t, "Three weeks.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	failed(t, c.Post(t, at+"/"+ids[1]+"/replace", obj{"name": "Mia"}), 422, "email")
	failed(t, company(t).Post(t, at+"/"+ids[1]+"/replace", obj{"name": "Mia", "email": "mia@boss.example"}), 404)
	d = c.Post(t, at+"/"+ids[1]+"/replace", obj{"name": "Mia", "email": "mia@boss.example"}).Want(t, 200)
	if got := d.Texts(t, "invitations", "email"); len(got) != 2 || got[1] != "mia@boss.example" {
		t.Errorf("the recipients are %v", got)
	}
	c.Post(t, at+"/"+ids[0]+"/sign", obj{}).Want(t, 200)
	if d = c.Post(t, at+"/"+ids[1]+"/sign", obj{}).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	if copied := c.Post(t, at+"/duplicate", nil).Want(t, 201); copied.Text(t, "invitations.1.email") != "" || copied.Text(t, "invitations.1.role_name") != "Manager" {
		t.Errorf("the copy is %s", copied.Body)
	}
}

// TestNamedTakesSomebody lets nobody be named, or take over from whoever was, without a name and an
// address.
func TestNamedTakesSomebody(t *testing.T) {
	t.Parallel()
	c := company(t)
	manager := obj{"role_name": "Manager", "named_by_previous": true}
	send := func(who obj) *apptest.Response {
		return c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Leave", "signing_order": "sequential", "send": true, "invitations": list{signer(1), who}},
			apptest.File{Name: "leave.pdf", Content: apptest.PDF(t, "Three weeks.")}))
	}
	failed(t, send(merged(manager, obj{"email": "mia@manager.example"})), 422, "invitations.1.name")
	d := send(manager).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	d = c.Post(t, at+"/"+ids[0]+"/sign", obj{"next": obj{"name": "Mia", "email": "mia@manager.example"}}).Want(t, 200)
	mia := server(t).With(link(t, d, 1))
	failed(t, mia.Post(t, at+"/"+ids[1]+"/delegate", obj{"name": "", "email": ""}), 422, "name", "email")
	failed(t, mia.Post(t, at+"/"+ids[1]+"/delegate", obj{"email": "noa@manager.example"}), 422, "name")
	failed(t, c.Post(t, at+"/"+ids[1]+"/replace", obj{"name": " ", "email": " "}), 422, "name", "email")
	c.Post(t, at+"/"+ids[1]+"/replace", obj{"name": "Noa", "email": "noa@manager.example"}).Want(t, 200)
}

// TestReplacingKeepsGroups replaces people of a sent document, who are in no other group afterwards.
func TestReplacingKeepsGroups(t *testing.T) {
	t.Parallel()
	c := company(t)
	desk := obj{"group": "Desk"}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Order", "send": true,
		"invitations": list{merged(signer(1), desk), merged(signer(2), desk), signer(3)}},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	c.Post(t, at+"/"+ids[0]+"/replace", obj{"name": "Eve", "email": "eve@desk.example", "group": ""}).Want(t, 200)
	d = c.Post(t, at+"/"+ids[2]+"/replace", obj{"name": "Noa", "email": "noa@desk.example", "group": "Desk", "named_by_previous": true}).Want(t, 200)
	if d.At(t, "invitations.3.group") != "Desk" || d.At(t, "invitations.4.group") != nil || d.At(t, "invitations.4.named_by_previous") != false {
		t.Errorf("after replacing them it is %s", d.Body)
	}
}
