package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// lease creates a template with two roles, one of them assigned to a person, a field for each, and
// variables.
func lease(t *testing.T, c *apptest.Client, more ...obj) *apptest.Response {
	t.Helper()
	return c.Post(t, "/templates", apptest.Multipart(t, merged(obj{
		"title": "Lease for {{Tenant.name}}", "subject": "Your lease of {{flat}}", "message": "Rent: {{ rent }}. {{sender.name}}, {{company}}",
		"expires_days": 14, "signing_order": "sequential",
		"roles": list{obj{"role_name": "Tenant"}, obj{"role_name": "Landlord", "name": "Lara Landlord", "email": "lara@landlord.example"}},
		"fields": list{
			obj{"invitation_id": "tenant", "type": "signature", "x": .1, "y": .7, "width": .3, "height": .05},
			obj{"invitation_id": "Landlord", "type": "signature", "x": .5, "y": .7, "width": .3, "height": .05},
			obj{"invitation_id": "Tenant", "type": "text", "name": "flat", "value": "{{flat}}", "x": .1, "y": .2, "width": .3, "height": .03},
			obj{"invitation_id": "Tenant", "type": "number", "name": "deposit", "max": 5000, "x": .1, "y": .3, "width": .3, "height": .03},
		},
	}, more...), apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The lease.")})).Want(t, 201)
}

func TestTemplateBecomesDocuments(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	tpl := lease(t, c)
	id := tpl.Text(t, "id")
	if got := tpl.Text(t, "variables.0") + " " + tpl.Text(t, "variables.1"); got != "flat rent" {
		t.Errorf("variables: %s", got)
	}
	d := c.Post(t, "/templates/"+id+"/documents", obj{
		"people":    list{obj{"role": tpl.Text(t, "roles.0.id"), "name": "Tim Tenant", "email": "tim@tenant.example"}},
		"variables": obj{"Flat": "2B", "rent": "1,200"}, "values": obj{"deposit": "3600"}, "send": true,
	}).Want(t, 201)
	for path, want := range map[string]any{
		"title": "Lease for Tim Tenant", "subject": "Your lease of 2B", "message": "Rent: 1,200. Owner Person, " + c.Get(t, "/company").Text(t, "name"),
		"status": "sent", "template": false, "template_id": id, "template_version": 1.0,
		"invitations.0.name": "Tim Tenant", "invitations.0.role_name": "Tenant", "invitations.1.email": "lara@landlord.example",
		"fields.2.value": "2B", "fields.3.value": "3600", "files.0.name": "contract.pdf",
	} {
		if got := d.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if d.Text(t, "expires_at") == "" {
		t.Error("the document has no deadline")
	}
	used := c.Get(t, "/templates/"+id).Want(t, 200)
	if used.Int(t, "documents_count") != 1 || used.Text(t, "last_used_at") != d.Text(t, "created_at") {
		t.Errorf("used %v, last %v", used.At(t, "documents_count"), used.At(t, "last_used_at"))
	}
	// Changing the template does not change the document.
	c.Patch(t, "/templates/"+id, obj{"subject": "Changed"}).Want(t, 200)
	if got := c.Get(t, "/documents/"+d.Text(t, "id")).Text(t, "subject"); got != "Your lease of 2B" {
		t.Errorf("the subject became %q", got)
	}
}

func TestEverythingMissingIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	id := lease(t, c).Text(t, "id")
	failed(t, c.Post(t, "/templates/"+id+"/documents", obj{"variables": obj{"flta": "2B"}, "values": obj{"nope": "1"}}), 422,
		"people", "variables.flat", "variables.rent", "variables.flta", "values.nope")
	person := obj{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example"}
	fine := obj{"flat": "2B", "rent": "1"}
	for name, tt := range map[string]struct {
		people list
		values obj
		field  string
	}{
		"unknown role":    {list{person, obj{"role": "Buyer", "name": "B", "email": "b@b.example"}}, nil, "people.1.role"},
		"role taken":      {list{person, merged(person, obj{"email": "other@tenant.example"})}, nil, "people.1.role"},
		"same address":    {list{merged(person, obj{"email": "lara@landlord.example"})}, nil, "people.0.email"},
		"bad address":     {list{merged(person, obj{"email": "tim"})}, nil, "people.0.email"},
		"value too large": {list{person}, obj{"deposit": "5001"}, "values.deposit.value"},
	} {
		t.Run(name, func(t *testing.T) {
			failed(t, c.Post(t, "/templates/"+id+"/documents", obj{"people": tt.people, "variables": fine, "values": tt.values}), 422, tt.field)
		})
	}
}

// TestVariablesOfRolesThatNobodyKnowsAreAskedFor uses a name that only looks like one
// the service fills in, and a value that its field refuses.
func TestVariablesOfRolesThatNobodyKnowsAreAskedFor(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	tpl := lease(t, c, obj{"subject": "{{Tenant.phone}}"})
	flat := "/documents/" + tpl.Text(t, "id") + "/fields/" + tpl.Text(t, "fields.2.id")
	c.Patch(t, flat, obj{"value": "Flat no. {{flat}}, {{flat}}"}).Want(t, 200)
	if got := tpl.Text(t, "variables.2"); got != "tenant.phone" {
		t.Errorf("the third variable is %q", got)
	}
	use := "/templates/" + tpl.Text(t, "id") + "/documents"
	values := obj{"flat": "2B", "rent": "1", "tenant.phone": "1234"}
	people := list{obj{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example"}}
	c.Post(t, use, obj{"people": people, "variables": values}).Want(t, 201)
	long := merged(values, obj{"flat": strings.Repeat("x", 9_990)})
	failed(t, c.Post(t, use, obj{"people": people, "variables": long}), 422, "fields.2.value")
}

func TestTemplatesAreNoDocuments(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	id := lease(t, c).Text(t, "id")
	failed(t, c.Post(t, "/documents/"+id+"/send", nil), 409)
	failed(t, c.Post(t, "/documents/"+id+"/submit", nil), 409)
	for _, list := range []string{"/documents", "/documents?with_trashed=true", "/documents?status=draft", "/documents?search=lease"} {
		if n := c.Get(t, list).Want(t, 200).Int(t, "meta.total"); n != 0 {
			t.Errorf("%s holds %v", list, n)
		}
	}
	d := draft(t, c, 1).Text(t, "id")
	c.Get(t, "/templates/"+d).Want(t, 404)
	c.Delete(t, "/templates/"+d).Want(t, 404)
	c.Post(t, "/templates/"+d+"/documents", obj{}).Want(t, 404)
	for _, list := range []string{"/templates", "/templates?search=lease", "/templates?sort=title%7Casc"} {
		if n := c.Get(t, list).Want(t, 200).Int(t, "meta.total"); n != 1 {
			t.Errorf("%s holds %v", list, n)
		}
	}
	c.Post(t, "/templates/"+id+"/archive", nil).Want(t, 200)
	failed(t, c.Post(t, "/templates/"+id+"/documents", obj{}), 409)
	if n := c.Get(t, "/templates").Int(t, "meta.total"); n != 0 {
		t.Errorf("%v templates after archiving", n)
	}
	if n := c.Get(t, "/templates?status=archived").Int(t, "meta.total"); n != 1 {
		t.Errorf("%v archived templates", n)
	}
}

func TestTemplateOfADocument(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := sent(t, c, 2)
	tpl := c.Post(t, "/documents/"+d.Text(t, "id")+"/template", obj{"title": "Again", "roles": list{"Buyer"}}).Want(t, 201)
	for path, want := range map[string]any{
		"title": "Again", "roles.0.role_name": "Buyer", "roles.1.role_name": "Signer 2", "roles.0.name": nil, "roles.0.email": nil,
	} {
		if got := tpl.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if strings.Contains(string(tpl.Body), "signer.example") {
		t.Error("the template still names the people of the document")
	}
	failed(t, c.Post(t, "/documents/"+d.Text(t, "id")+"/template", obj{"roles": list{"Buyer", "buyer"}}), 422, "roles.1.role_name")
}
