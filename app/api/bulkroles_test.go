package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestBulkRoles makes documents of a template whose roles are a group and somebody who is named
// by the recipient before them, with and without the columns of that role.
func TestBulkRoles(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	roles := list{obj{"role_name": "Dan", "group": "Directors"}, obj{"role_name": "Dora", "group": "Directors"},
		obj{"role_name": "Manager", "named_by_previous": true, "position": 2}}
	at := "/templates/" + c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Order", "signing_order": "sequential", "roles": roles},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201).Text(t, "id") + "/bulk"
	const group = "Dan.name,Dan.email,Dan.company,Dan.job_title,Dora.name,Dora.email"
	first := "Dan One,dan@one.example,One Ltd,Director,Dora One,dora@one.example"
	second := "Dan Two,dan@two.example,,,Dora Two,dora@two.example"
	made := func(table string) (out []*apptest.Response) {
		for _, id := range over(t, c, c.Post(t, at+"?send=true", text(table)).Want(t, 200).Text(t, "run.id")) {
			out = append(out, c.Get(t, "/documents/"+id).Want(t, 200))
		}
		return out
	}

	for _, d := range made(group + "\n" + first + "\n" + second + "\n") {
		if d.Text(t, "status") != "sent" || d.Text(t, "invitations.2.email") != "" || d.Text(t, "invitations.1.names_next") != "Manager" {
			t.Errorf("without columns of the manager it is %s", d.Body)
		}
	}
	documents := made(group + ",Manager.name,Manager.email,Manager.company\n" + first + ",Mia,mia@boss.example,Boss Ltd\n" + second + ",,,\n")
	if len(documents) != 2 {
		t.Fatalf("%d documents were made", len(documents))
	}
	named, open := documents[0], documents[1]
	for path, want := range map[string]any{"invitations.0.company": "One Ltd", "invitations.0.job_title": "Director", "invitations.1.group": "Directors",
		"invitations.2.name": "Mia", "invitations.2.email": "mia@boss.example", "invitations.2.company": "Boss Ltd", "invitations.0.names_next": nil} {
		if got := named.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if open.Text(t, "invitations.2.email") != "" || open.Text(t, "invitations.0.names_next") != "Manager" {
		t.Errorf("with empty cells it is %s", open.Body)
	}
	doc := "/documents/" + open.Text(t, "id")
	next := obj{"name": "Max", "email": "max@boss.example"}
	c.Post(t, doc+"/"+open.Text(t, "invitations.1.id")+"/sign", obj{"next": next}).Want(t, 200)
	d := c.Post(t, doc+"/"+open.Text(t, "invitations.2.id")+"/sign", obj{}).Want(t, 200)
	if got := strings.Join(d.Texts(t, "invitations", "status"), " "); got != "not_needed signed signed" || d.Text(t, "status") != "completed" {
		t.Errorf("in the end it is %s with %s", d.Text(t, "status"), got)
	}

	faulty := group + ",Manager.name,Manager.email\n" + first + ",Mia,nowhere\n" + first + ",Dan,dan@one.example\nDan,dan@one.example,,,,,,\n"
	failed(t, c.Post(t, at, text(faulty)), 422, "rows.2.Manager.email", "rows.3.Manager.email", "rows.4.Dora.email")
	failed(t, c.Post(t, at, text("Dan.name,Dan.email\nDan,dan@one.example\n")), 422, "columns")
	left := read(t, c.Get(t, at+".csv").Want(t, 200).Body, ',')
	if got := strings.Join(left[0], " "); got != "Dan.name Dan.email Dora.name Dora.email Manager.name Manager.email" {
		t.Errorf("the file to fill in has the columns %s", got)
	}
}

// TestBulkHeadingsThatAreAlike fills in the header file of a template whose variables are named
// like what is known of its roles' people.
func TestBulkHeadingsThatAreAlike(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	at := "/templates/" + c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "{{tenant_company}}: {{tenant-name}} {{Tenant_email}}", "roles": list{obj{"role_name": "Tenant"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, 201).Text(t, "id") + "/bulk"
	names := read(t, c.Get(t, at+".csv").Want(t, 200).Body, ',')[0]
	cells := map[string]string{"Tenant.name": "Tim", "Tenant.email": "tim@tenant.example", "tenant_company": "Harbour Ltd", "tenant-name": "Timothy", "tenant_email": "by mail"}
	row := make([]string, len(names))
	for i, name := range names {
		row[i] = cells[name]
	}
	ids := over(t, c, c.Post(t, at, text(strings.Join(names, ",")+"\n"+strings.Join(row, ",")+"\n")).Want(t, 200).Text(t, "run.id"))
	d := c.Get(t, "/documents/"+ids[0]).Want(t, 200)
	if d.Text(t, "title") != "Harbour Ltd: Timothy by mail" || d.Text(t, "invitations.0.name") != "Tim" || d.Text(t, "invitations.0.email") != "tim@tenant.example" {
		t.Errorf("the document is %s", d.Body)
	}
}

// TestBulkLeavesNothingOut writes everything that a row of JSON says to the table of rows of which
// no document was made, also about roles given by their IDs.
func TestBulkLeavesNothingOut(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Order", "roles": list{obj{"role_name": "Dan"}}},
		apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Ten chairs.")})).Want(t, 201)
	row := func(role, email string) obj {
		return obj{"title": "Chairs", "external_id": "C-1", "people": list{obj{"role": role, "name": "Dan", "email": email, "company": "One Ltd", "message": "Ten, please.", "locale": "de"}}}
	}
	rows := list{row("dan", "dan@one.example"), row(tpl.Text(t, "roles.0.id"), "dan")}
	id := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/bulk", obj{"rows": rows, "skip_invalid": true}).Want(t, 200).Text(t, "run.id")
	over(t, c, id)
	left := read(t, c.Get(t, "/bulk/"+id+"/failed.csv").Want(t, 200).Body, ',')
	if got := strings.Join(left[0], " "); got != "Dan.name Dan.email Dan.company Dan.locale Dan.message title external_id error" {
		t.Errorf("the columns are %s", got)
	}
	if got := strings.Join(left[1][:7], "|"); got != "Dan|dan|One Ltd|de|Ten, please.|Chairs|C-1" {
		t.Errorf("the row is %s", got)
	}
}

// TestBulkHeaderLeavesOutWhatNobodyEnters downloads the header file of a template with fields
// that only their signatory can fill in, or that are filled in when they sign.
func TestBulkHeaderLeavesOutWhatNobodyEnters(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	at := "/templates/" + c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Lease", "text_tags": true},
		apptest.File{Name: "lease.pdf", Content: apptest.Lines(t, "{{City;type=text;role=Tenant}}", "{{Day;type=datenow;role=Tenant}}",
			"{{Permit;type=file;role=Tenant}}", "{{Photo;type=image;role=Tenant}}", "{{signature;role=Tenant}}")})).Want(t, 201).Text(t, "id")
	left := read(t, c.Get(t, at+"/bulk.csv").Want(t, 200).Body, ',')
	if got := strings.Join(left[0], " "); got != "Tenant.name Tenant.email City" {
		t.Errorf("the columns are %s", got)
	}
}
