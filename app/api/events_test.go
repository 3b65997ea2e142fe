package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// follow fetches the events, page by page, until there are no more.
func follow(t *testing.T, c *apptest.Client, query string) (ids, types []string, pages int) {
	t.Helper()
	for after := ""; ; pages++ {
		at := "/events?" + query
		if after != "" {
			at += "&after=" + after
		}
		r := c.Get(t, at).Want(t, 200)
		for i := range r.At(t, "data").(list) {
			ids = append(ids, r.Text(t, fmt.Sprintf("data.%d.data.event.id", i)))
			types = append(types, r.Text(t, fmt.Sprintf("data.%d.type", i)))
		}
		if more, _ := r.At(t, "has_more").(bool); !more || pages > 100 {
			return ids, types, pages + 1
		}
		after = r.Text(t, "after")
	}
}

// TestEventsFeed reads a company's events in various ways.
func TestEventsFeed(t *testing.T) {
	t.Parallel()
	s := server(t)
	c, other := s.Company(t), s.Company(t)
	d := sent(t, c, 1, nil)
	second := titled(t, c, "second")[0]
	at := "/documents/" + d.Text(t, "id")
	trail := c.Get(t, at+"/events").Want(t, 200).Texts(t, "data", "id")
	all, types, _ := follow(t, c, "per_page=200")
	if len(all) != len(trail)+1 || !slices.Equal(all[:len(trail)], trail) || types[len(types)-1] != "document.created" {
		t.Errorf("the company has %v, its documents %v and one more", all, trail)
	}
	if ids, _, pages := follow(t, c, "per_page=2"); !slices.Equal(ids, all) || pages != (len(all)+1)/2 {
		t.Errorf("by two, in %d pages: %v, want %v", pages, ids, all)
	}
	if ids, _, _ := follow(t, c, "per_page=3&document_id="+strings.ToLower(d.Text(t, "id"))); !slices.Equal(ids, trail) {
		t.Errorf("of one document: %v, want %v", ids, trail)
	}
	if _, types, _ := follow(t, c, "type=document.created,document.sent"); !slices.Equal(types, []string{"document.created", "document.sent", "document.created"}) {
		t.Errorf("of two kinds: %v", types)
	}
	end := c.Get(t, "/events?per_page=200").Text(t, "after")
	if r := c.Get(t, "/events?after="+end).Want(t, 200); len(r.At(t, "data").(list)) != 0 || r.Text(t, "after") != end {
		t.Errorf("behind the end: %s", r.Body)
	}
	c.Delete(t, "/documents/"+second).Want(t, 200)
	c.Post(t, "/documents/"+second+"/purge", obj{"title": "second"}).Want(t, 204)
	r := c.Get(t, "/events?after="+end).Want(t, 200)
	if got := r.Texts(t, "data", "type"); !slices.Equal(got, []string{"document.deleted", "document.purged"}) || r.At(t, "data.1.data.document") != nil {
		t.Errorf("what went on: %s", r.Body)
	}
	if r := c.Get(t, "/events"); r.Text(t, "data.0.data.document.status") != "sent" {
		t.Errorf("the document is not as it is: %.600s", r.Body)
	}
	c.Member(t, account.RoleViewer).Get(t, "/events").Want(t, 200)
	failed(t, s.With(link(t, d, 0)).Get(t, "/events"), 403)
	for _, query := range []string{"after=" + all[0], "document_id=" + d.Text(t, "id"), "after=01M7Z4BMC36K290EBM3T11X3Q8", "after=x", "type=document.eaten", "per_page=0", "per_page=201"} {
		name, _, _ := strings.Cut(query, "=")
		failed(t, other.Get(t, "/events?"+query), 422, name)
	}
	if r := other.Get(t, "/events").Want(t, 200); len(r.At(t, "data").(list)) != 0 || r.At(t, "after") != nil || r.At(t, "has_more") != false {
		t.Errorf("a company where nothing happened: %s", r.Body)
	}
}

// TestWebhooksAreForAdministrators sends requests as every other role.
func TestWebhooksAreForAdministrators(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	at := "/webhooks/" + c.Post(t, "/webhooks", obj{"url": "https://hooks.example/"}).Want(t, 201).Text(t, "id")
	narrow := s.With(c.Post(t, "/tokens", obj{"name": "x", "scopes": list{"read", "write"}}).Want(t, 201).Text(t, "token"))
	for _, who := range []*apptest.Client{c.Member(t, account.RoleMember), c.Member(t, account.RoleApprover), narrow} {
		failed(t, who.Get(t, "/webhooks"), 403)
		failed(t, who.Get(t, at), 403)
		failed(t, who.Post(t, "/webhooks", obj{"url": "https://hooks.example/"}), 403)
		failed(t, who.Patch(t, at, obj{"enabled": false}), 403)
		failed(t, who.Get(t, at+"/deliveries"), 403)
		failed(t, who.Post(t, at+"/rotate", nil), 403)
		failed(t, who.Delete(t, at), 403)
	}
	for range 19 {
		c.Post(t, "/webhooks", obj{"url": "https://hooks.example/"}).Want(t, 201)
	}
	failed(t, c.Post(t, "/webhooks", obj{"url": "https://hooks.example/"}), 409)
}
