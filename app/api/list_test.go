package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// titled creates drafts with titles and returns their identifiers.
func titled(t testing.TB, c *apptest.Client, titles ...string) []string {
	t.Helper()
	var ids []string
	for _, title := range titles {
		ids = append(ids, c.Post(t, "/documents", obj{"title": title}).Want(t, 201).Text(t, "id"))
	}
	return ids
}

func TestListEnvelope(t *testing.T) {
	t.Parallel()
	c := company(t)
	for i := range 45 {
		titled(t, c, fmt.Sprintf("Document %02d", i))
	}
	for _, prefix := range []string{"", "/api"} {
		base := c.URL + prefix + "/documents"
		for _, x := range []struct {
			query                      string
			current, from, to, last, n int
			first, lastLink            string
			prev, next                 any
		}{
			{"", 1, 1, 20, 3, 20, base + "?page=1", base + "?page=3", nil, base + "?page=2"},
			{"?page=1", 1, 1, 20, 3, 20, base + "?page=1", base + "?page=3", nil, base + "?page=2"},
			{"?page=2", 2, 21, 40, 3, 20, base + "?page=1", base + "?page=3", base + "?page=1", base + "?page=3"},
			{"?page=3", 3, 41, 45, 3, 5, base + "?page=1", base + "?page=3", base + "?page=2", nil},
			{"?page=4", 4, 0, 0, 3, 0, base + "?page=1", base + "?page=3", base + "?page=3", nil},
			{"?page=1000000", 1000000, 0, 0, 3, 0, base + "?page=1", base + "?page=3", base + "?page=3", nil},
			{"?per_page=45", 1, 1, 45, 1, 45, base + "?page=1&per_page=45", base + "?page=1&per_page=45", nil, nil},
			{"?per_page=1000", 1, 1, 45, 1, 45, base + "?page=1&per_page=1000", base + "?page=1&per_page=1000", nil, nil},
			{"?per_page=1&page=45", 45, 45, 45, 45, 1, base + "?page=1&per_page=1", base + "?page=45&per_page=1", base + "?page=44&per_page=1", nil},
			{"?status=draft,archived&page=2&per_page=10", 2, 11, 20, 5, 10, base + "?page=1&status=draft,archived&per_page=10",
				base + "?page=5&status=draft,archived&per_page=10", base + "?page=1&status=draft,archived&per_page=10", base + "?page=3&status=draft,archived&per_page=10"},
			{"?sort=title%7Casc&x=%C3%A4%26", 1, 1, 20, 3, 20, base + "?page=1&sort=title%7Casc&x=%C3%A4%26", base + "?page=3&sort=title%7Casc&x=%C3%A4%26", nil, base + "?page=2&sort=title%7Casc&x=%C3%A4%26"},
		} {
			r := c.Under(prefix).Get(t, "/documents"+x.query).Want(t, 200)
			var from, to any
			if x.n > 0 {
				from, to = float64(x.from), float64(x.to)
			}
			for path, want := range map[string]any{
				"links.first": x.first, "links.last": x.lastLink, "links.prev": x.prev, "links.next": x.next,
				"meta.current_page": float64(x.current), "meta.from": from, "meta.to": to, "meta.last_page": float64(x.last), "meta.total": 45.,
			} {
				if got := r.At(t, path); got != want {
					t.Errorf("%s: %s is %v, want %v", r.What, path, got, want)
				}
			}
			if n := len(r.At(t, "data").(list)); n != x.n {
				t.Errorf("%s: %d records, want %d", r.What, n, x.n)
			}
		}
	}
	// Following the links visits everything once.
	seen := map[string]bool{}
	next, ok := c.URL+"/documents?per_page=7&sort=created_at%7Casc", true
	for ok {
		r := c.Get(t, strings.TrimPrefix(next, c.URL)).Want(t, 200)
		for _, id := range r.Texts(t, "data", "id") {
			if seen[id] {
				t.Errorf("%s is on two pages", id)
			}
			seen[id] = true
		}
		next, ok = r.At(t, "links.next").(string)
	}
	if len(seen) != 45 {
		t.Errorf("the pages hold %d documents", len(seen))
	}
}

func TestListEmpty(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := c.Post(t, "/documents", nil).Want(t, 201)
	if d.Text(t, "title") != "Untitled document" {
		t.Errorf("a document without a title is %s", d.Text(t, "title"))
	}
	at := "/documents/" + d.Text(t, "id")
	for _, path := range []string{"/documents?status=voided", "/documents?search=nothing", "/tokens", at + "/files", at + "/fields", at + "/invitations", "/members?search=nobody"} {
		r := c.Get(t, path).Want(t, 200)
		collection, _, _ := strings.Cut(path, "?")
		for at, want := range map[string]any{"meta.total": 0., "meta.last_page": 1., "meta.from": nil, "meta.to": nil, "meta.current_page": 1., "meta.per_page": 20., "links.prev": nil, "links.next": nil} {
			if got := r.At(t, at); got != want {
				t.Errorf("%s: %s is %v, want %v", path, at, got, want)
			}
		}
		if n := len(r.At(t, "data").(list)); n != 0 || !strings.Contains(string(r.Body), `"data":[]`) {
			t.Errorf("%s: data of %s", path, r.Body)
		}
		if !strings.HasPrefix(r.Text(t, "links.first"), c.URL+collection+"?page=1") || !strings.HasPrefix(r.Text(t, "links.last"), c.URL+collection+"?page=1") {
			t.Errorf("%s: links of %s", path, r.Body)
		}
	}
}

// TestListParameters requests every list with invalid parameters.
func TestListParameters(t *testing.T) {
	t.Parallel()
	c := company(t)
	at := "/documents/" + titled(t, c, "A")[0]
	paging := []string{"per_page=0", "per_page=-1", "per_page=1001", "per_page=x", "per_page=", "per_page=1.5", "per_page=99999999999999999999",
		"page=0", "page=-1", "page=x", "page=", "page=1e3", "page=99999999999999999999"}
	whole := []string{"sort=title", "sort=nope%7Cdesc", "sort=title%7Csideways", "sort=%7C", "sort=title%7Casc%7Cdesc", "sort=%7Cdesc", "sort=TITLE%7Casc",
		"status=nope", "status=draft,nope", "status=0", "status=9", "status=05", "status=%2B5", "with_trashed=maybe", "with_trashed=TRUE1", "with_trashed="}
	for _, path := range []string{"/documents", "/api/documents", "/members", "/tokens", "/contacts", at + "/files", at + "/fields", at + "/invitations", at + "/events"} {
		all := paging
		if !strings.Contains(path, "/documents/") {
			all = append(slices.Clone(paging), whole...)
		}
		for _, query := range all {
			name, _, _ := strings.Cut(query, "=")
			r := failed(t, c.Get(t, path+"?"+query), 422, name)
			if n := len(r.At(t, "errors").(obj)); n != 1 {
				t.Errorf("%s: %s", r.What, r.Body)
			}
		}
	}
	failed(t, c.Get(t, "/documents?per_page=0&page=x&sort=nope&status=nope&with_trashed=maybe"), 422, "per_page", "page", "sort", "status", "with_trashed")
	failed(t, c.Get(t, at+"/events?sort=title%7Casc"), 422, "sort")
}

func TestListSort(t *testing.T) {
	t.Parallel()
	c := company(t)
	ids := titled(t, c, "banana", "Äpfel", "apple", "Cherry", "apple")
	c.Patch(t, "/documents/"+ids[1], obj{"expires_at": "2031-01-01T00:00:00Z"}).Want(t, 200)
	c.Patch(t, "/documents/"+ids[3], obj{"expires_at": "2030-01-01T00:00:00Z"}).Want(t, 200)
	pick := func(n ...int) (out []string) {
		for _, i := range n {
			out = append(out, ids[i])
		}
		return out
	}
	for query, want := range map[string][]string{
		"":                                  pick(4, 3, 2, 1, 0),
		"?sort=created_at|desc":             pick(4, 3, 2, 1, 0),
		"?sort=created_at%7Casc":            pick(0, 1, 2, 3, 4),
		"?sort=title%7Casc":                 pick(1, 2, 4, 0, 3),
		"?sort=title%7Cdesc":                pick(3, 0, 4, 2, 1),
		"?sort=expires_at%7Casc&per_page=2": pick(3, 1),
		"?sort=status_id%7Casc":             pick(0, 1, 2, 3, 4),
		"?sort=completed_at%7Cdesc":         pick(4, 3, 2, 1, 0),
		"?sort=title%7Casc&search=apple":    pick(2, 4),
		"?search=apple":                     pick(4, 2),
	} {
		got := c.Get(t, "/documents"+query).Want(t, 200).Texts(t, "data", "id")
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if got := c.Get(t, "/documents?sort=updated_at%7Cdesc").Want(t, 200).Texts(t, "data", "updated_at"); !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("sorted by updated_at: %v", got)
	}
}

func TestListStatus(t *testing.T) {
	t.Parallel()
	c := company(t)
	name := map[string]string{}
	add := func(title, id string) { name[id] = title }
	for _, title := range []string{"draft", "archived draft", "deleted draft"} {
		add(title, titled(t, c, title)[0])
	}
	find := func(title string) string {
		for id, n := range name {
			if n == title {
				return "/documents/" + id
			}
		}
		return ""
	}
	c.Post(t, find("archived draft")+"/archive", nil).Want(t, 200)
	c.Delete(t, find("deleted draft")).Want(t, 200)
	add("sent", sent(t, c, 1).Text(t, "id"))
	add("completed", completed(t, c).Text(t, "id"))
	v := sent(t, c, 1)
	add("archived voided", v.Text(t, "id"))
	c.Post(t, find("archived voided")+"/void", obj{"reason": "No."}).Want(t, 200)
	c.Post(t, find("archived voided")+"/archive", nil).Want(t, 200)
	for query, want := range map[string]string{
		"":                                  "draft sent completed",
		"with_trashed=false":                "draft sent completed",
		"with_trashed=true":                 "draft archived-draft deleted-draft sent completed archived-voided",
		"status=active":                     "draft sent completed",
		"status=archived":                   "archived-draft archived-voided",
		"status=deleted":                    "deleted-draft",
		"status=active,archived,deleted":    "draft archived-draft deleted-draft sent completed archived-voided",
		"status=draft":                      "draft",
		"status=1":                          "draft",
		"status=1,5":                        "draft sent",
		"status=sent,6":                     "sent completed",
		"status=draft,archived":             "draft archived-draft archived-voided",
		"status=8":                          "",
		"status=voided&with_trashed=true":   "archived-voided",
		"status=draft&with_trashed=true":    "draft archived-draft deleted-draft",
		"status=deleted&with_trashed=false": "deleted-draft",
		"status=sent%2C%20completed":        "sent completed",
		"status=":                           "draft sent completed",
		"status=draft,draft,1":              "draft",
	} {
		for _, search := range []string{"", "&search=contract"} {
			r := c.Get(t, "/documents?"+query+search).Want(t, 200)
			var got, expect []string
			for _, id := range r.Texts(t, "data", "id") {
				got = append(got, strings.ReplaceAll(name[id], " ", "-"))
			}
			for _, w := range strings.Fields(want) {
				// Only those that were sent have a title with that word.
				if search == "" || !strings.HasSuffix(w, "draft") {
					expect = append(expect, w)
				}
			}
			slices.Sort(got)
			slices.Sort(expect)
			if !slices.Equal(got, expect) || r.Int(t, "meta.total") != len(expect) {
				t.Errorf("%s: %v (total %d), want %v", r.What, got, r.Int(t, "meta.total"), expect)
			}
		}
	}
	// Deep inside a union, and past its end.
	for _, query := range []string{"status=draft,archived&page=1000000000&per_page=1000", "search=contract&page=1000000000&per_page=1000"} {
		if r := c.Get(t, "/documents?"+query).Want(t, 200); len(r.At(t, "data").(list)) != 0 {
			t.Errorf("%s: %s", r.What, r.Body)
		}
	}
}

// TestListItem compares the smaller record of a list with the document.
func TestListItem(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := completed(t, c, obj{"external_id": "A-1", "expires_at": "2040-01-01"})
	r := c.Get(t, "/documents").Want(t, 200)
	item := r.At(t, "data.0").(obj)
	names := strings.Fields("id title status_id status owner external_id progress attention expires_at created_at updated_at sent_at completed_at archived_at deleted_at")
	for _, f := range names {
		want := d.At(t, f)
		if fmt.Sprint(item[f]) != fmt.Sprint(want) {
			t.Errorf("%s is %v in the list, %v in the document", f, item[f], want)
		}
	}
	if r.Text(t, "data.0.signatories.0.status") != "signed" || r.Int(t, "data.0.files_count") != 1 {
		t.Errorf("the item is %v", item)
	}
	if len(item) != len(names)+2 {
		t.Errorf("the item has %d members, want %d: %v", len(item), len(names)+2, item)
	}
	for _, f := range strings.Fields("id title status_id status subject message signing_order external_id metadata locale owner.id owner.name owner.email approver expires_at remind_every_days files invitations fields progress.signed progress.total created_at updated_at submitted_at approved_at rejected_at rejected_reason sent_at completed_at expired_at voided_at voided_reason archived_at deleted_at version attention files.0.id files.0.document_id files.0.name files.0.content_type files.0.size files.0.sha256 files.0.pages files.0.page_sizes.0.width files.0.page_sizes.0.height files.0.position files.0.converted_by files.0.findings files.0.created_at invitations.0.id invitations.0.document_id invitations.0.name invitations.0.email invitations.0.role invitations.0.position invitations.0.status invitations.0.authentication invitations.0.locale invitations.0.message invitations.0.sign_url invitations.0.notified_at invitations.0.viewed_at invitations.0.signed_at invitations.0.declined_at invitations.0.declined_reason invitations.0.recorded_by invitations.0.reminded_at invitations.0.reminders_sent invitations.0.created_at invitations.0.updated_at") {
		d.At(t, f)
	}
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1)
	id := d.Text(t, "id")
	if len(id) != 26 || strings.ToUpper(id) != id {
		t.Errorf("the identifier is %s", id)
	}
	inv, file := d.Text(t, "invitations.0.id"), d.Text(t, "files.0.id")
	for name, render := range map[string]func(string) string{"upper": strings.ToUpper, "lower": strings.ToLower, "uuid": asUUID, "uuid upper": func(s string) string { return strings.ToUpper(asUUID(s)) }} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/documents/" + render(id), "/api/documents/" + render(id), "/documents/" + render(id) + "/files/" + render(file), "/documents/" + render(id) + "/invitations/" + render(inv)} {
				r := c.Get(t, path).Want(t, 200)
				if got := r.Text(t, "id"); got != id && got != file && got != inv {
					t.Errorf("%s: %s", path, got)
				}
			}
			c.Put(t, "/documents/"+render(id)+"/fields", obj{"fields": list{obj{"type": "text", "file_id": render(file), "invitation_id": render(inv), "x": 0, "y": 0, "width": 0.1, "height": 0.1}}}).Want(t, 200)
		})
	}
	for _, bad := range []string{"1", "0", "-1", "x", id + "0", id[:25], "I" + id[1:], "U" + id[1:], "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", strings.Repeat("0", 26), "..", "%2e%2e", "%00", url.PathEscape(id + "\n"), url.PathEscape("../" + id),
		asUUID(id)[:35], strings.ReplaceAll(asUUID(id), "-", "_"), "{" + asUUID(id) + "}", strings.ReplaceAll(asUUID(id), "-", ""), "%ff", strings.Repeat("A", 3000)} {
		for _, path := range []string{"/documents/" + bad, "/documents/" + bad + "/events", "/documents/" + id + "/files/" + bad, "/members/" + bad} {
			if bad == ".." || bad == "%2e%2e" {
				continue // a different path
			}
			failed(t, c.Get(t, path), 404)
		}
		if !strings.Contains(bad, "..") {
			failed(t, c.Post(t, "/documents/"+id+"/"+bad+"/sign", obj{}), 404)
		}
	}
	failed(t, c.Get(t, "/nothing"), 404)
	failed(t, c.Get(t, "/api"), 404)
}

func asUUID(id string) string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var b [16]byte
	// 26 digits of 5 bits are 130 bits; the first two are zero.
	bit := -2
	for _, c := range id {
		v := strings.IndexRune(digits, c)
		for k := 4; k >= 0; k-- {
			if bit >= 0 && v>>k&1 == 1 {
				b[bit/8] |= 0x80 >> (bit % 8)
			}
			bit++
		}
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
