package api_test

import (
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// form makes a template that can be published: the visitor's role, and one that names somebody.
func form(t testing.TB, c *apptest.Client, more ...obj) *apptest.Response {
	t.Helper()
	return c.Post(t, "/templates", apptest.Multipart(t, merged(obj{
		"title": "Membership",
		"roles": list{obj{"role_name": "Member"}, obj{"role_name": "Club", "name": "Carla Club", "email": "carla@club.example"}},
	}, more...), apptest.File{Name: "form.pdf", Content: apptest.PDF(t, "I join.")})).Want(t, 201)
}

func TestPublicLinkIsMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	tpl := form(t, c)
	at := "/templates/" + tpl.Text(t, "id") + "/links"
	made := c.Post(t, at, obj{"role": "member", "max_uses": 5, "expires_at": "2040-12-31", "closing_text": "We are full."},
		"Idempotency-Key", "once").Want(t, 201)
	id := made.Text(t, "id")
	for path, want := range map[string]any{
		"role": tpl.Text(t, "roles.0.id"), "role_name": "Member", "max_uses": 5.0, "uses_count": 0.0, "enabled": true,
		"check_address": true, "closing_text": "We are full.", "status": "open", "owner.name": "Owner Person",
		"expires_at": "2040-12-31T23:59:59.999Z", "template_id": tpl.Text(t, "id"),
	} {
		if got := made.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	url := made.Text(t, "url")
	if token := url[strings.LastIndex(url, "/")+1:]; !strings.HasPrefix(url, s.URL+"/p/") || len(token) != 58 {
		t.Errorf("address %s", url)
	}
	if again := c.Post(t, at, obj{"role": "member", "max_uses": 5, "expires_at": "2040-12-31",
		"closing_text": "We are full."}, "Idempotency-Key", "once").Want(t, 201); again.Text(t, "id") != id {
		t.Errorf("made twice: %s", again.Body)
	}
	all := c.Get(t, at).Want(t, 200)
	if all.Int(t, "meta.total") != 1 || all.Text(t, "data.0.url") != url {
		t.Errorf("list: %s", all.Body)
	}
	off := c.Patch(t, at+"/"+id, obj{"enabled": false, "max_uses": nil, "expires_at": nil, "closing_text": nil}).Want(t, 200)
	for _, member := range []string{"max_uses", "expires_at", "closing_text"} {
		if off.At(t, member) != nil {
			t.Errorf("%s was not cleared: %s", member, off.Body)
		}
	}
	if off.Text(t, "status") != "off" || off.Text(t, "url") != url {
		t.Errorf("switched off: %s", off.Body)
	}
	c.Delete(t, at+"/"+id).Want(t, 204)
	failed(t, c.Get(t, at+"/"+id), 404)
	failed(t, c.Get(t, at+"/nonsense"), 404)
}

// TestPublicLinkOfAProgramEndsWithItsToken revokes the token that made a link. A person opens it again.
func TestPublicLinkOfAProgramEndsWithItsToken(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	at := "/templates/" + form(t, c).Text(t, "id") + "/links"
	token := c.Post(t, "/tokens", obj{"name": "site", "scopes": list{"read", "write"}}).Want(t, 201)
	link := at + "/" + s.With(token.Text(t, "token")).Post(t, at, obj{"role": "member"}).Want(t, 201).Text(t, "id")
	own := at + "/" + c.Post(t, at, obj{"role": "member"}).Want(t, 201).Text(t, "id")
	status := func(want, wantOwn string) {
		t.Helper()
		if got, other := c.Get(t, link).Text(t, "status"), c.Get(t, own).Text(t, "status"); got != want || other != wantOwn {
			t.Errorf("the program's link is %s, that of a person %s", got, other)
		}
	}
	status("open", "open")
	c.Delete(t, "/tokens/"+token.Text(t, "id")).Want(t, 204)
	status("closed", "open")
	c.Patch(t, link, obj{"max_uses": 3}).Want(t, 200)
	status("open", "open")
}

// TestPublicLinksLeaveATrail changes a link as two people, and reads the events.
func TestPublicLinksLeaveATrail(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	sender := c.Member(t, account.RoleMember)
	tpl := form(t, c).Text(t, "id")
	links := "/templates/" + tpl + "/links"
	id := c.Post(t, links, obj{"role": "Member"}).Want(t, 201).Text(t, "id")
	at := links + "/" + id
	sender.Patch(t, at, obj{"max_uses": 3, "closing_text": "Full."}).Want(t, 200)
	sender.Patch(t, at, obj{"max_uses": 3}).Want(t, 200) // changes nothing
	sender.Patch(t, at, obj{"enabled": false}).Want(t, 200)
	c.Patch(t, at, obj{"enabled": true, "max_uses": 4}).Want(t, 200)
	c.Delete(t, at).Want(t, 204)
	var trail struct {
		Data []struct {
			Type  string
			Actor struct{ ID string }
			Data  map[string]string
		}
	}
	c.Get(t, "/documents/"+tpl+"/events?sort=at|asc&per_page=100").Want(t, 200).Decode(t, &trail)
	var got []string
	for _, e := range trail.Data {
		if what, ok := strings.CutPrefix(e.Type, "template.link_"); ok {
			if e.Data["link"] != id || e.Data["name"] != "Member" {
				t.Errorf("%s: %v", e.Type, e.Data)
			}
			by := map[string]string{c.UserID: "owner", sender.UserID: "sender"}[e.Actor.ID]
			got = append(got, strings.TrimSpace(by+" "+what+" "+e.Data["changed"]))
		}
	}
	want := []string{"owner opened", "sender changed max_uses, closing_text", "sender closed", "owner changed max_uses", "owner opened", "owner deleted"}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// TestPublicLinkCanAlwaysBeTurnedOff changes a template so that its link no longer works.
func TestPublicLinkCanAlwaysBeTurnedOff(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	tpl := form(t, c)
	at := "/templates/" + tpl.Text(t, "id")
	link := at + "/links/" + c.Post(t, at+"/links", obj{"role": "member"}).Want(t, 201).Text(t, "id")
	c.Patch(t, at, obj{"title": "Membership of {{kind}}"}).Want(t, 200)
	if off := c.Patch(t, link, obj{"enabled": false}).Want(t, 200); off.Text(t, "status") != "off" {
		t.Errorf("turned off: %s", off.Body)
	}
	failed(t, c.Patch(t, link, obj{"enabled": true}), 422, "variables.kind")
	c.Patch(t, link, obj{"enabled": true, "variables": obj{"kind": "friends"}}).Want(t, 200)
}

func TestPublicLinkNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	nobody := list{obj{"role_name": "Member"}, obj{"role_name": "Club"}}
	inOrder := obj{"signing_order": "sequential", "roles": list{obj{"role_name": "Club", "name": "C", "email": "c@club.example"},
		obj{"role_name": "Member"}}}
	for name, tt := range map[string]struct {
		template, link obj
		field          string
	}{
		"no role":          {obj{}, obj{}, "role"},
		"unknown role":     {obj{}, obj{"role": "Nobody"}, "role"},
		"role later":       {inOrder, obj{"role": "Member"}, "role"},
		"role of a reader": {obj{"roles": list{obj{"role_name": "Member", "role": "viewer"}}}, obj{"role": "Member"}, "role"},
		"role with a code": {obj{"roles": list{obj{"role_name": "Member", "authentication": "access_code", "access_code": "secret"}}},
			obj{"role": "Member"}, "role"},
		"role without a person": {obj{"roles": nobody}, obj{"role": "Member"}, "people"},
		"person of no role":     {obj{}, obj{"role": "Member", "people": list{obj{"role": "X"}}}, "people.0.role"},
		"person's address": {obj{"roles": nobody}, obj{"role": "Member", "people": list{obj{"role": "Club", "name": "C", "email": "c"}}},
			"people.0.email"},
		"variable":      {obj{"message": "{{rent}}"}, obj{"role": "Member"}, "variables.rent"},
		"limit":         {obj{}, obj{"role": "Member", "max_uses": -1}, "max_uses"},
		"past":          {obj{}, obj{"role": "Member", "expires_at": "2001-01-01"}, "expires_at"},
		"no time":       {obj{}, obj{"role": "Member", "expires_at": "soon"}, "expires_at"},
		"closing text":  {obj{}, obj{"role": "Member", "closing_text": strings.Repeat("x", 1001)}, "closing_text"},
		"kind of value": {obj{}, obj{"role": "Member", "check_address": "yes"}, "check_address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed(t, c.Post(t, "/templates/"+form(t, c, tt.template).Text(t, "id")+"/links", tt.link), 422, tt.field)
		})
	}
}

func TestPublicLinkRightsAndWalls(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	tpl := form(t, c).Text(t, "id")
	at := "/templates/" + tpl + "/links"
	id := c.Post(t, at, obj{"role": "Member"}).Want(t, 201).Text(t, "id")
	viewer, stranger := c.Member(t, account.RoleViewer), s.Company(t)
	if seen := viewer.Get(t, at+"/"+id).Want(t, 200); seen.At(t, "url") != nil {
		t.Errorf("a viewer sees the address: %s", seen.Body)
	}
	failed(t, viewer.Post(t, at, obj{"role": "Member"}), 403)
	failed(t, viewer.Patch(t, at+"/"+id, obj{"enabled": false}), 403)
	failed(t, viewer.Delete(t, at+"/"+id), 403)
	failed(t, stranger.Get(t, at), 404)
	failed(t, stranger.Get(t, at+"/"+id), 404)
	failed(t, stranger.Post(t, at, obj{"role": "Member"}), 404)
	failed(t, stranger.Patch(t, at+"/"+id, obj{"enabled": false}), 404)
	failed(t, stranger.Delete(t, at+"/"+id), 404)
	other := form(t, c).Text(t, "id")
	failed(t, c.Delete(t, "/templates/"+other+"/links/"+id), 404)

	copied := c.Post(t, "/templates/"+tpl+"/duplicate", nil).Want(t, 201).Text(t, "id")
	if got := c.Get(t, "/templates/"+copied+"/links").Want(t, 200); got.Int(t, "meta.total") != 0 {
		t.Errorf("a duplicate has links: %s", got.Body)
	}
	for _, step := range []string{"archive", "restore"} {
		c.Post(t, "/templates/"+tpl+"/"+step, nil).Want(t, 200)
		want := map[string]string{"archive": "closed", "restore": "open"}[step]
		if got := c.Get(t, at+"/"+id).Want(t, 200).Text(t, "status"); got != want {
			t.Errorf("%s: %s", step, got)
		}
	}
	c.Delete(t, "/templates/"+tpl).Want(t, 200)
	if got := c.Get(t, at+"/"+id).Want(t, 200).Text(t, "status"); got != "closed" {
		t.Errorf("deleted: %s", got)
	}
	failed(t, c.Post(t, at, obj{"role": "Member"}), 409)

	sender := c.Member(t, account.RoleMember)
	theirs := sender.Post(t, "/templates/"+other+"/links", obj{"role": "Member"}).Want(t, 201).Text(t, "id")
	c.Delete(t, "/members/"+sender.UserID).Want(t, 204)
	theirs = "/templates/" + other + "/links/" + theirs
	if got := c.Get(t, theirs).Want(t, 200).Text(t, "status"); got != "closed" {
		t.Errorf("the owner left: %s", got)
	}
	if got := c.Patch(t, theirs, obj{"max_uses": 3}).Want(t, 200); got.Text(t, "status") != "open" || got.Text(t, "owner.id") != c.UserID {
		t.Errorf("taken over: %s", got.Body)
	}
}

func TestPublicLinksOfATemplateAreLimited(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	at := "/templates/" + form(t, c).Text(t, "id") + "/links"
	for range 20 {
		c.Post(t, at, obj{"role": "Member"}).Want(t, 201)
	}
	failed(t, c.Post(t, at, obj{"role": "Member"}), 422, "links")
}
