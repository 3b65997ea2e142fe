package api_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestTokensLimitedToTemplates walks every operation: a token that is limited to one template reaches that, and what was
// made from it, and nothing else.
func TestTokensLimitedToTemplates(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	tpl, other := lease(t, c).Text(t, "id"), lease(t, c).Text(t, "id")
	failed(t, c.Post(t, "/tokens", obj{"name": "x", "template_ids": list{"nothing"}}), 422, "template_ids.0")
	failed(t, s.Company(t).Post(t, "/tokens", obj{"name": "x", "template_ids": list{tpl}}), 422, "template_ids.0")
	made := c.Post(t, "/tokens", obj{"name": "rent", "scopes": list{"read", "write", "sign", "admin"}, "template_ids": list{tpl}}).Want(t, 201)
	if got := c.Get(t, "/tokens").Want(t, 200).At(t, "data.0.template_ids"); !reflect.DeepEqual(got, list{tpl}) {
		t.Errorf("the list shows the templates %v", got)
	}
	limited := s.With(made.Text(t, "token"))

	tenant := obj{"people": list{obj{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example", "values": obj{"deposit": "100"}}}, "variables": obj{"flat": "2B", "rent": "1"}, "send": true}
	d := limited.Post(t, "/templates/"+tpl+"/documents", tenant).Want(t, 201)
	id := d.Text(t, "id")
	foreign := c.Post(t, "/templates/"+other+"/documents", tenant).Want(t, 201)
	for _, path := range []string{"/me", "/templates/" + tpl, "/documents/" + id, "/documents/" + id + "/events", "/documents/" + id + "/files/" + d.Text(t, "files.0.id") + "/content"} {
		limited.Get(t, path).Want(t, 200)
	}
	limited.Post(t, "/documents/"+id+"/void", obj{"reason": "Because."}).Want(t, 200)
	if got := limited.Get(t, "/documents?template="+tpl).Want(t, 200).Texts(t, "data", "id"); !slices.Equal(got, []string{id}) {
		t.Errorf("the list has %q", got)
	}
	failed(t, limited.Get(t, "/documents?template="+other), 404)
	failed(t, limited.Patch(t, "/templates/"+tpl, obj{"title": "Mine"}), 403)
	failed(t, limited.Post(t, "/documents/"+id+"/template", obj{}), 403)
	failed(t, limited.Get(t, "/documents/"+tpl), 404)

	values := property(t, c)
	values["document"], values["template"], values["link"] = foreign.Text(t, "id"), other, "01M7Z4BMC36K290EBM3T11X3Q8"
	before := c.Get(t, "/documents/"+values["document"])
	for _, e := range endpoints(t, s) {
		if !e.protected || slices.Contains([]string{"GET /me", "POST /logout"}, e.String()) {
			continue
		}
		if r := limited.Do(t, e.method, e.at(values), e.body); r.Status != 403 && r.Status != 404 {
			t.Errorf("%s with a limited token answers %d: %s", e, r.Status, r.Body)
		}
	}
	unchanged(t, c, before)
}

// TestTokensOfAddresses uses tokens that are limited to addresses: the tests come from 127.0.0.1.
func TestTokensOfAddresses(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	create := func(c *apptest.Client, addresses ...any) *apptest.Response {
		return c.Post(t, "/tokens", obj{"name": "x", "scopes": list{"read", "admin"}, "addresses": addresses, "current_password": apptest.Password})
	}
	for _, wrong := range []string{"here", "192.0.2.0/33", "::ffff:192.0.2.0/120", ""} {
		failed(t, create(c, wrong), 422, "addresses.0")
	}
	here := create(c, "192.0.2.77/24", "127.0.0.1").Want(t, 201)
	if got := here.At(t, "addresses"); !reflect.DeepEqual(got, list{"192.0.2.0/24", "127.0.0.1"}) {
		t.Errorf("addresses: %v", got)
	}
	own := s.With(here.Text(t, "token"))
	own.Get(t, "/documents").Want(t, 200)
	elsewhere := failed(t, s.With(create(c, "192.0.2.0/24", "2001:db8::/32").Want(t, 201).Text(t, "token")).Get(t, "/documents"), 403)
	if elsewhere.Text(t, "code") != "token_address" {
		t.Errorf("refused as %s", elsewhere.Body)
	}
	// What it makes can be used at most where it can.
	failed(t, create(own, "127.0.0.0/8"), 422, "addresses.0")
	if got := create(own).Want(t, 201).At(t, "addresses"); !reflect.DeepEqual(got, here.At(t, "addresses")) {
		t.Errorf("its token can be used from %v", got)
	}
}

func TestFieldsOnRangesOfPages(t *testing.T) {
	t.Parallel()
	c := company(t)
	initials := func(more obj) obj {
		return merged(obj{"type": "initials", "invitation_id": "0", "x": 10, "y": 10, "width": 60, "height": 20, "unit": "pt", "origin": "bottom_right"}, more)
	}
	create := func(fields ...any) *apptest.Response {
		return c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": signers(1), "fields": fields}, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "1", "2", "3", "4", "5")}))
	}
	for pages, want := range map[string][]float64{
		"all": {1, 2, 3, 4, 5}, "2-": {2, 3, 4, 5}, "1, 3-4,last": {1, 3, 4, 5}, "first": {1}, "5,5,4-last": {4, 5},
	} {
		d := create(initials(obj{"pages": pages}), initials(obj{"page": 2, "type": "signature"})).Want(t, 201)
		for i, n := range append(want, 2) {
			if got := d.At(t, "fields."+string(rune('0'+i))+".page"); got != n {
				t.Errorf("%s: field %d lies on page %v, not %v", pages, i, got, n)
			}
		}
	}
	for _, pages := range []string{"6", "0", "4-2", "-3", "even", "1,,2", "1-6"} {
		failed(t, create(initials(obj{"type": "signature"}), initials(obj{"pages": pages})), 422, "fields.1.pages")
	}
	failed(t, create(initials(obj{"pages": "all", "page": 2})), 422, "fields.0.pages")
	failed(t, create(initials(obj{"pages": strings.Repeat("all,", 1000) + "all"})), 422, "fields.0.pages")
	failed(t, create(slices.Repeat(list{initials(obj{"pages": "all"})}, 1001)...), 422, "fields") // more than 5,000
	failed(t, create(initials(obj{"pages": "all", "width": 10000}), initials(obj{"pages": "all"})), 422, "fields.0.width")
	d := create(initials(obj{"pages": "first"})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id") + "/fields"
	failed(t, c.Patch(t, at+"/"+d.Text(t, "fields.0.id"), obj{"pages": "all"}), 422, "pages")
	// Fields after one on many pages keep their identifiers.
	known := d.Text(t, "fields.0.id")
	r := c.Put(t, at, obj{"fields": list{initials(obj{"pages": "2-3"}), initials(obj{"id": known, "page": 1})}}).Want(t, 200)
	if r.Text(t, "data.2.id") != known {
		t.Errorf("the third field is another one: %s", r.Body)
	}
}

func TestValuesPerRecipient(t *testing.T) {
	t.Parallel()
	c := company(t)
	text := func(of, name string, y float64) obj {
		return obj{"type": "text", "name": name, "invitation_id": of, "x": .1, "y": y, "width": .3, "height": .03}
	}
	people := func(a, b obj) list {
		return list{merged(signer(1), obj{"values": a}), merged(signer(2), obj{"values": b})}
	}
	fields := list{text("0", "city", .1), text("1", "city", .2), merged(text("1", "amount", .3), obj{"type": "number"})}
	create := func(people list) *apptest.Response {
		return c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": people, "fields": fields}, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "1")}))
	}
	d := create(people(obj{"city": "Ulm"}, obj{"city": "Bonn", "amount": 12.5})).Want(t, 201)
	for i, want := range []string{"Ulm", "Bonn", "12.5"} {
		if got := d.Text(t, "fields."+string(rune('0'+i))+".value"); got != want {
			t.Errorf("field %d has the value %q, not %q", i, got, want)
		}
	}
	at := "/documents/" + d.Text(t, "id")
	c.Patch(t, at+"/invitations/"+d.Text(t, "invitations.0.id"), obj{"values": obj{"city": "Köln"}}).Want(t, 200)
	if got := c.Get(t, at).Text(t, "fields.0.value"); got != "Köln" {
		t.Errorf("the value is %q", got)
	}
	failed(t, c.Post(t, at+"/invite", obj{"invitations": list{merged(signer(3), obj{"values": obj{"city": "Ulm"}})}}), 422, "invitations.0.values.city")
	failed(t, create(people(obj{"amount": 1}, obj{})), 422, "invitations.0.values.amount") // it is the other's
	failed(t, create(people(obj{}, obj{"amount": "much"})), 422, "invitations.1.values.amount.value")
}
