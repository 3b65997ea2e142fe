package api_test

import (
	"encoding/base64"
	"slices"
	"testing"

	"paraph/app/apptest"
)

// TestReplacedFilesKeepTheirFields replaces the file of a template by a shorter one.
func TestReplacedFilesKeepTheirFields(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Lease", "roles": list{obj{"role_name": "Tenant"}}},
		apptest.File{Name: "v1.pdf", Content: apptest.PDF(t, "Sign here: the tenant.", "The rest.")})).Want(t, 201)
	at, role, file := "/documents/"+tpl.Text(t, "id"), tpl.Text(t, "roles.0.id"), tpl.Text(t, "files.0.id")
	box := obj{"invitation_id": role, "file_id": file, "width": .2, "height": .05}
	ids := c.Post(t, at+"/fields", obj{"fields": list{
		merged(box, obj{"type": "text", "name": "city", "page": 1, "x": .1, "y": .7}),
		merged(box, obj{"type": "text", "name": "street", "page": 2, "x": .1, "y": .7}),
		merged(box, obj{"type": "signature", "anchor": obj{"text": "Sign here", "position": "below", "cover": true}}),
		merged(box, obj{"type": "initials", "anchor": obj{"text": "The rest"}}),
		merged(box, obj{"type": "text", "name": "zip", "page": 1, "x": .6, "y": .7, "covered": list{obj{"page": 1, "x": .1, "y": .1, "width": .1, "height": .1}}}),
	}}).Want(t, 201).Texts(t, "data", "id")
	before := c.Get(t, at).Want(t, 200)
	people := list{obj{"role": "Tenant", "name": "Ann", "email": "ann@tenant.example"}}
	old := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", obj{"people": people}).Want(t, 201)

	r := c.Put(t, at+"/files/"+file+"/content", apptest.Multipart(t, nil,
		apptest.File{Name: "v2.pdf", Content: apptest.Lines(t, "A new first line.", "And another.", "One more.", "Sign here: the tenant.")})).Want(t, 200)
	if got := r.Text(t, "id") + " " + r.Text(t, "name"); got != file+" v2.pdf" {
		t.Errorf("the new file is %s", got)
	}
	if got := r.At(t, "unfit_fields").(list); !slices.Equal(got, list{ids[1], ids[3]}) {
		t.Errorf("unfit are %v of %v", got, ids)
	}
	now := c.Get(t, at).Want(t, 200)
	field := func(d *apptest.Response, i string) (page, y float64) {
		return d.At(t, "fields."+i+".page").(float64), d.At(t, "fields."+i+".y").(float64)
	}
	if page, y := field(now, "0"); page != 1 || y != .7 {
		t.Errorf("a field that fits is on page %v at %v", page, y)
	}
	if page, _ := field(now, "1"); page != 2 {
		t.Errorf("a field without a page is on page %v", page)
	}
	if got := before.At(t, "fields.4.covered").(list); len(got) != 1 {
		t.Fatalf("covered before: %v", got)
	}
	if got := now.At(t, "fields.4.covered").(list); len(got) != 0 {
		t.Errorf("a part of the old file is covered in the new one: %v", got)
	}
	_, was := field(before, "2")
	if _, y := field(now, "2"); y <= was {
		t.Errorf("the anchored field stayed at %v", y)
	}
	if got := now.At(t, "fields.3.anchor"); got != nil {
		t.Errorf("a field is anchored to a phrase that is gone: %v", got)
	}
	if got := old.Text(t, "files.0.name"); got != "v1.pdf" {
		t.Errorf("the document made before has %s", got)
	}
	// Fields that no longer fit prevent sending until they are moved.
	use := obj{"people": people, "send": true}
	failed(t, c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", use), 422, "fields")
	c.Patch(t, at+"/fields/"+ids[1], obj{"page": 1, "y": .8}).Want(t, 200)
	c.Patch(t, at+"/fields/"+ids[3], obj{"page": 1, "y": .9}).Want(t, 200)
	sent := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", use).Want(t, 201)
	if got := sent.Text(t, "files.0.name"); got != "v2.pdf" {
		t.Errorf("the document made afterwards has %s", got)
	}
	if got := c.Get(t, at+"/events").Want(t, 200).Texts(t, "data", "type"); !slices.Contains(got, "file.replaced") {
		t.Errorf("the trail has %v", got)
	}
}

func TestRefusedReplacementsChangeNothing(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": buyerAndSeller()}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	path, good := at+"/files/"+d.Text(t, "files.0.id")+"/content", apptest.File{Name: "b.pdf", Content: apptest.PDF(t, "B.")}
	failed(t, c.Put(t, path, obj{}), 422, "files")
	failed(t, c.Put(t, path, apptest.Multipart(t, nil, good, good)), 422, "files")
	failed(t, c.Put(t, path, apptest.Multipart(t, nil, apptest.File{Name: "b.pdf", Content: []byte("%PDF-1.7 broken")})), 422, "files.0")
	failed(t, c.Put(t, path, apptest.Multipart(t, nil, apptest.File{Name: "b.exe", Content: []byte("MZ")})), 415)
	c.Put(t, at+"/files/01K8XN2V8A2M4P6R8T0W2Y4Z6B/content", apptest.Multipart(t, nil, good)).Want(t, 404)
	c.Put(t, path, apptest.Multipart(t, nil, good), "If-Match", `"99"`).Want(t, 412)
	s.Company(t).Put(t, path, apptest.Multipart(t, nil, good)).Want(t, 404)
	if got := c.Get(t, at).Want(t, 200); got.Text(t, "files.0.name") != "a.pdf" || got.Text(t, "updated_at") != d.Text(t, "updated_at") {
		t.Errorf("the draft became %s", got.Body)
	}
	c.Put(t, path, obj{"files": list{obj{"name": "c.pdf", "content": base64.StdEncoding.EncodeToString(good.Content)}}}).Want(t, 200)
}
