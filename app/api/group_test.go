package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestGroup lets any one of two directors sign before a tenant does.
func TestGroup(t *testing.T) {
	t.Parallel()
	c := company(t)
	director := func(name, email string) obj { return obj{"name": name, "email": email, "group": "Directors"} }
	people := list{director("Dan Director", "dan@group.example"), merged(signer(1), obj{"position": 2}), director("Dora Director", "dora@group.example")}
	field := func(kind, who string, y float64, more ...obj) obj {
		return merged(obj{"type": kind, "name": kind, "file_id": "0", "invitation_id": who, "page": 1, "x": .1, "y": y, "width": .3, "height": .05, "required": true}, more...)
	}
	body := apptest.Multipart(t, obj{"title": "Lease", "signing_order": "sequential", "invitations": people, "fields": list{
		field("signature", "dan@group.example", .1), field("text", "dan@group.example", .3), field("signature", "signer1@signer.example", .5)}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "The lease.")})
	d := c.Post(t, "/documents", body).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	if got := d.Texts(t, "invitations", "position"); strings.Join(got, " ") != "1 2 1" || d.Text(t, "invitations.2.group") != "Directors" {
		t.Errorf("the positions are %v in %s", got, d.Body)
	}

	c.Patch(t, at+"/invitations/"+ids[2], obj{"role": "approver"}).Want(t, 200)
	failed(t, c.Post(t, at+"/send", obj{}), 422, "invitations.0.group")
	c.Patch(t, at+"/invitations/"+ids[2], obj{"role": "signer", "group": ""}).Want(t, 200)
	failed(t, c.Post(t, at+"/send", obj{}), 422, "invitations.0.group")
	c.Patch(t, at+"/invitations/"+ids[2], obj{"group": "directors"}).Want(t, 200)

	d = c.Post(t, at+"/send", obj{}).Want(t, 200)
	if got := d.Texts(t, "invitations", "status"); strings.Join(got, " ") != "notified pending notified" || d.Int(t, "progress.total") != 2 {
		t.Errorf("after sending, they are %v, and the progress %v", got, d.At(t, "progress"))
	}
	dan, dora := server(t).With(link(t, d, 0)), server(t).With(link(t, d, 2))
	if got := dora.Get(t, at+"/fields").Want(t, 200).Texts(t, "data", "invitation_id"); len(got) != 2 || got[0] != ids[2] {
		t.Errorf("Dora's fields are those of %v", got)
	}
	failed(t, company(t).Post(t, at+"/"+ids[2]+"/sign", obj{}), 404)
	failed(t, dora.Post(t, at+"/"+ids[2]+"/sign", obj{}), 422, "fields.text")
	dora.Post(t, at+"/"+ids[2]+"/sign", obj{"fields": obj{"text": "Lisbon"}}).Want(t, 200)
	d = c.Get(t, at).Want(t, 200)
	if got := d.Texts(t, "invitations", "status"); strings.Join(got, " ") != "not_needed notified signed" || d.Int(t, "progress.signed") != 1 {
		t.Errorf("after one of them signed, they are %v", got)
	}
	if r := failed(t, dan.Post(t, at+"/"+ids[0]+"/sign", obj{"fields": obj{"text": "Porto"}}), 409); r.Text(t, "code") != "group_acted" || !strings.Contains(r.Text(t, "message"), "Dora Director") {
		t.Errorf("the other is refused with %s", r.Body)
	}
	for _, act := range []string{"decline", "delegate", "remind", "replace"} {
		who := map[bool]*apptest.Client{true: dan, false: c}[act == "decline" || act == "delegate"]
		if r := failed(t, who.Post(t, at+"/"+ids[0]+"/"+act, obj{"name": "X", "email": "x@x.example"}), 409); r.Text(t, "code") != "group_acted" {
			t.Errorf("%s is refused with %s", act, r.Body)
		}
	}
	if d = c.Post(t, at+"/"+ids[1]+"/sign", obj{}).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 3)
	text := strings.Join(strings.Fields(apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)), " ")
	for _, want := range []string{"Any one of Directors", "was not needed: someone else in the group acted", "Signatures 2 of 2", "No longer needed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the certificate lacks %q:\n%s", want, text)
		}
	}
	if n := len(server(t).Mails(t, "dan@group.example")); n != 2 {
		t.Errorf("Dan got %d messages, want the invitation and the copy", n)
	}
}

// TestGroupDelegates lets one of a group pass their invitation on.
func TestGroupDelegates(t *testing.T) {
	t.Parallel()
	c := company(t)
	people := list{merged(signer(1), obj{"group": "Desk"}), merged(signer(2), obj{"group": "Desk"})}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Order", "send": true, "invitations": people},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	server(t).With(link(t, d, 1)).Post(t, at+"/"+ids[1]+"/delegate", obj{"name": "Eve", "email": "eve@desk.example"}).Want(t, 200)
	eve := c.Get(t, at).Want(t, 200).Texts(t, "invitations", "id")[2]
	if d = c.Post(t, at+"/"+eve+"/sign", obj{}).Want(t, 200); d.Text(t, "status") != "completed" || strings.Join(d.Texts(t, "invitations", "status"), " ") != "not_needed delegated signed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 2)
}

// TestRolesOfTemplates makes a document without messages of a template whose roles are a group
// and a reader.
func TestRolesOfTemplates(t *testing.T) {
	t.Parallel()
	c := company(t)
	roles := list{obj{"role_name": "Director 1", "group": "Directors"}, obj{"role_name": "Director 2", "group": "Directors"},
		obj{"role_name": "Clerk", "role": "reader"}}
	tpl := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Order", "roles": roles, "send_emails": false},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
	if tpl.Text(t, "roles.1.group") != "Directors" || tpl.Text(t, "roles.2.role") != "reader" {
		t.Errorf("the template is %s", tpl.Body)
	}
	people := list{obj{"role": "Director 1", "name": "Dan", "email": "dan@quiet.example"}, obj{"role": "Director 2", "name": "Dora", "email": "dora@quiet.example"},
		obj{"role": "Clerk", "name": "Cleo", "email": "cleo@quiet.example"}}
	d := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", obj{"people": people, "send": true}).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	failed(t, server(t).With(link(t, d, 2)).Post(t, at+"/"+ids[2]+"/delegate", obj{"name": "X", "email": "x@x.example"}), 409)
	server(t).With(link(t, d, 2)).Post(t, at+"/"+ids[2]+"/read", obj{}).Want(t, 200)
	server(t).With(link(t, d, 0)).Post(t, at+"/"+ids[0]+"/sign", obj{}).Want(t, 200)
	if d = c.Get(t, at).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
	for _, address := range []string{"dan@quiet.example", "dora@quiet.example", "cleo@quiet.example"} {
		if mails := server(t).Mails(t, address); len(mails) > 0 {
			t.Errorf("%s got %+v", address, mails)
		}
	}
	if copied := c.Post(t, at+"/duplicate", nil).Want(t, 201); strings.Join(copied.Texts(t, "invitations", "group"), " ") != "Directors Directors <nil>" {
		t.Errorf("the copy is %s", copied.Body)
	}
}

// TestTagsOfGroups places fields of a group with text tags that name the group as their role.
func TestTagsOfGroups(t *testing.T) {
	t.Parallel()
	c := company(t)
	people := list{merged(signer(1), obj{"role_name": "Clerk"}), merged(signer(2), obj{"group": "The Board"}), merged(signer(3), obj{"group": "The Board"})}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Order", "text_tags": true, "invitations": people},
		apptest.File{Name: "order.pdf", Content: apptest.Lines(t, "{{signature;role=the board}}", "{{Place;role=The Board}}", "{{signature;role=Clerk}}")})).Want(t, 201)
	ids := d.Texts(t, "invitations", "id")
	if got := d.Texts(t, "fields", "invitation_id"); strings.Join(got, " ") != strings.Join([]string{ids[1], ids[1], ids[0]}, " ") {
		t.Errorf("the fields are those of %v, want the first of the group, then the clerk", got)
	}
	at := "/documents/" + d.Text(t, "id")
	c.Post(t, at+"/send", obj{}).Want(t, 200)
	c.Post(t, at+"/"+ids[0]+"/sign", obj{}).Want(t, 200)
	if d = c.Post(t, at+"/"+ids[2]+"/sign", obj{"fields": obj{"Place": "Lisbon"}}).Want(t, 200); d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s", d.Body)
	}
}

// TestConditionsInGroups lets fields depend on those of another member of the group, and a later
// recipient's on those of the member who acts.
func TestConditionsInGroups(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		actor, last  int
		agree        bool
		other        string // what the actor's values lack; "" if nothing
		total, later string
	}{
		"the first acts":          {0, 2, true, "fields.reason", "6", "required"},
		"the second acts":         {1, 2, true, "fields.reason", "6", "required"},
		"the second disagrees":    {1, 2, false, "", "6", ""},
		"a delegate of the first": {3, 2, true, "fields.reason", "6", "required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := company(t)
			people := list{merged(signer(1), obj{"group": "Board", "position": 1}), merged(signer(2), obj{"group": "Board", "position": 1}), merged(signer(3), obj{"position": 2})}
			n := 0
			field := func(kind, name, who string, more obj) obj {
				n++
				return merged(obj{"type": kind, "name": name, "file_id": "0", "invitation_id": who + "@signer.example", "page": 1,
					"x": .1, "y": .06 * float64(n), "width": .3, "height": .04}, more)
			}
			d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Order", "signing_order": "sequential", "send": true, "invitations": people, "fields": list{
				field("signature", "s1", "signer1", nil), field("signature", "s3", "signer3", nil),
				field("checkbox", "agree", "signer1", obj{"required": false}), field("number", "amount", "signer1", obj{"required": true}),
				field("text", "reason", "signer2", merged(obj{"required": true}, on(when("agree", "equals", true)))),
				field("number", "total", "signer2", obj{"formula": "amount * 2"}),
				field("text", "comment", "signer3", obj{"required": false, "condition": obj{"then": "require", "when": list{when("reason", "filled"), when("total", "equals", "6")}}})}},
				apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
			at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
			if tc.actor == 3 {
				server(t).With(link(t, d, 0)).Post(t, at+"/"+ids[0]+"/delegate", obj{"name": "Eve", "email": "eve@desk.example"}).Want(t, 200)
				ids = c.Get(t, at).Want(t, 200).Texts(t, "invitations", "id")
			}
			act, last := at+"/"+ids[tc.actor]+"/sign", at+"/"+ids[tc.last]+"/sign"
			values := obj{"agree": tc.agree, "amount": 3}
			if tc.other != "" {
				failed(t, c.Post(t, act, obj{"fields": values}), 422, tc.other)
				values["reason"] = "Chairs break."
			}
			d = c.Post(t, act, obj{"fields": values}).Want(t, 200)
			if got := strings.Join(d.Texts(t, "fields", "value"), " "); !strings.Contains(got, " "+tc.total) {
				t.Errorf("the values are %s", got)
			}
			if tc.later != "" {
				failed(t, c.Post(t, last, obj{}), 422, "fields.comment")
			}
			if d = c.Post(t, last, obj{"fields": obj{"comment": "Fine."}}).Want(t, 200); d.Text(t, "status") != "completed" {
				t.Errorf("in the end it is %s", d.Body)
			}
		})
	}
}

// TestGroupLacksCode asks for the access code of one of a group only until another one has signed.
func TestGroupLacksCode(t *testing.T) {
	t.Parallel()
	c := company(t)
	desk := obj{"group": "Desk", "position": 1}
	people := list{merged(signer(1), desk, obj{"authentication": "access_code", "access_code": "4711"}), merged(signer(2), desk), merged(signer(3), obj{"position": 2})}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Order", "send": true, "signing_order": "sequential", "invitations": people},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
	at, ids := "/documents/"+d.Text(t, "id"), d.Texts(t, "invitations", "id")
	token := server(t).With(link(t, d, 0)).Post(t, at+"/"+ids[0]+"/identify", obj{"code": "4711"}).Want(t, 200).Text(t, "token")
	server(t).With(token).Post(t, at+"/"+ids[0]+"/delegate", obj{"name": "Eve", "email": "eve@desk.example"}).Want(t, 200)
	if d = c.Get(t, at).Want(t, 200); d.At(t, "attention") != "access_code" {
		t.Errorf("after passing on, attention is %v", d.At(t, "attention"))
	}
	if d = c.Post(t, at+"/"+ids[1]+"/sign", obj{}).Want(t, 200); d.At(t, "attention") != nil || d.Text(t, "status") != "sent" {
		t.Errorf("after another one has signed, attention is %v: %v", d.At(t, "attention"), d.At(t, "attention_message"))
	}
}
