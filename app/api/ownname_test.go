package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestNamesHaveNobodyElsesAddress puts addresses into the names that are certified and shown under signatures, wherever
// one can be chosen.
func TestNamesHaveNobodyElsesAddress(t *testing.T) {
	t.Parallel()
	c := company(t)
	document := func(name string) *apptest.Response {
		return c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": list{obj{"name": name, "email": "eve@else.example"}}},
			apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Lease.")}))
	}
	for _, name := range []string{"bob@bank.example", "Bob <bob@bank.example>", "Bob (BOB@bank.example), by", "Bob＠bank.example <eve@else.example>", "x <eve@else.example> bob@bank.example"} {
		refused(t, document(name), "invitations.0.name", "name_has_address")
	}
	for _, name := range []string{"eve@else.example", "Eve <Eve@else.example>", "Eve @ Bank", "@eve", "Eve v2.0"} {
		document(name).Want(t, 201)
	}

	d := document("eve@else.example").Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	refused(t, c.Patch(t, at+"/invitations/"+d.Text(t, "invitations.0.id"), obj{"email": "mallory@else.example"}), "name", "name_has_address")
	sent := c.Post(t, at+"/send", nil).Want(t, 200)
	_, token, _ := strings.Cut(sent.Text(t, "invitations.0.sign_url"), "/s/")
	link := server(t).With(token)
	refused(t, link.Post(t, at+"/"+sent.Text(t, "invitations.0.id")+"/delegate", obj{"name": "bob@bank.example", "email": "mallory@else.example"}), "name", "name_has_address")
	refused(t, c.Patch(t, "/me", obj{"name": "Bob <bob@bank.example>"}), "name", "name_has_address")
	refused(t, c.Post(t, "/members", obj{"name": "Bob <bob@bank.example>", "email": "mallory@else.example"}), "name", "name_has_address")

	const bob = "Bob <bob@bank.example>"
	refused(t, c.Patch(t, "/company", obj{"name": "bob@bank.example"}), "name", "name_has_address")
	refused(t, c.Patch(t, "/company", obj{"name": "Bank, by " + c.Email}), "name", "name_has_address")
	refused(t, c.Post(t, "/tokens", obj{"name": bob}), "name", "name_has_address")
	for _, field := range []string{"name", "organization", "job_title"} {
		contact := obj{"name": "Eve", "email": "eve@else.example"}
		contact[field] = bob
		refused(t, c.Post(t, "/contacts", contact), field, "name_has_address")
	}
	for _, field := range []string{"company", "job_title"} {
		draft := document("Eve").Want(t, 201)
		refused(t, c.Patch(t, "/documents/"+draft.Text(t, "id")+"/invitations/"+draft.Text(t, "invitations.0.id"), obj{field: bob}), field, "name_has_address")
	}
	c.Post(t, "/contacts", obj{"name": "Eve", "email": "two@else.example", "organization": "two@else.example"}).Want(t, 201)
	sign := obj{"consent": true, "signature": obj{"type": "typed", "text": bob}}
	refused(t, link.Post(t, at+"/"+sent.Text(t, "invitations.0.id")+"/sign", sign), "signature.text", "name_has_address")
}
