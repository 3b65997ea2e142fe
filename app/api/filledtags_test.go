package api_test

import (
	"fmt"
	"testing"

	"paraph/app/apptest"
)

// TestFilledValuesMoveNoFields fills names and variables that look like text tags into a file with tags.
func TestFilledValuesMoveNoFields(t *testing.T) {
	t.Parallel()
	c := company(t)
	const page = `<p>Tenant: {{tenant.name}}, {{note}}</p><p>Between.</p><p>{{signature;role=Tenant}}</p><p>More.</p><p>Landlord: {{signature;role=Landlord}}</p>`
	template := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Lease", "text_tags": true, "placeholders": true,
		"roles": list{obj{"role_name": "Tenant"}, obj{"role_name": "Landlord", "name": "Lea", "email": "lea@x.example"}}},
		apptest.File{Name: "lease.html", Content: []byte(page)})).Want(t, 201).Text(t, "id")
	placed := func(name, note string) string {
		t.Helper()
		d := c.Post(t, "/templates/"+template+"/documents", obj{"variables": obj{"note": note}, "people": list{obj{"role": "Tenant", "name": name, "email": "bob@x.example"}}}).Want(t, 201)
		fields := c.Get(t, "/documents/"+d.Text(t, "id")+"/fields").Want(t, 200)
		at := ""
		for i := range fields.Int(t, "meta.total") {
			at += fmt.Sprint(fields.At(t, fmt.Sprintf("data.%d.y", i)), " ")
		}
		return at
	}
	want := placed("Bob", "none")
	for _, tag := range []string{"{{signature;role=Tenant}}", "{{signature;role=Landlord}}", "{{{signature;role=Landlord}}}"} {
		if got := placed(tag, "none"); got != want {
			t.Errorf("the name %s moves fields from %s to %s", tag, want, got)
		}
		if got := placed("Bob", tag); got != want {
			t.Errorf("the variable %s moves fields from %s to %s", tag, want, got)
		}
	}
}
