package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

func contactOf(t testing.TB, c *apptest.Client, name, email string, more ...obj) *apptest.Response {
	t.Helper()
	return c.Post(t, "/contacts", merged(obj{"name": name, "email": email}, more...)).Want(t, 201)
}

func TestContactLife(t *testing.T) {
	t.Parallel()
	c := company(t)
	made := contactOf(t, c, " Zoë Ångström ", "Zoe@Contact.example", obj{"organization": "Acme", "phone": "+49 30 123", "locale": "pt-br", "note": "Likes\nlines", "tags": list{"VIP", "vip", "", "press"}})
	id := made.Text(t, "id")
	for path, want := range map[string]any{"name": "Zoë Ångström", "email": "Zoe@Contact.example", "organization": "Acme", "phone": "+49 30 123", "locale": "pt-BR",
		"note": "Likes\nlines", "tags.0": "VIP", "tags.1": "press", "status": "active", "documents_count": 0., "last_used_at": nil, "archived_at": nil, "deleted_at": nil} {
		if got := made.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if n := len(made.At(t, "tags").(list)); n != 2 {
		t.Errorf("%d tags", n)
	}
	at := "/contacts/" + id
	if r := c.Get(t, at).Want(t, 200); string(r.Body) != string(made.Body) {
		t.Errorf("read back: %s\nmade: %s", r.Body, made.Body)
	}
	r := c.Patch(t, at, obj{"organization": "", "tags": list{}, "name": "Zoe"}).Want(t, 200)
	if r.At(t, "organization") != nil || r.Text(t, "name") != "Zoe" || r.Text(t, "phone") != "+49 30 123" || len(r.At(t, "tags").(list)) != 0 {
		t.Errorf("changed to %s", r.Body)
	}
	c.Post(t, at+"/archive", nil).Want(t, 200)
	if r := c.Get(t, "/contacts").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("an archived contact is listed: %s", r.Body)
	}
	// It still occupies its address, and can be restored.
	failed(t, c.Post(t, "/contacts", obj{"name": "Other", "email": "zoe@contact.example"}), 422, "email")
	c.Post(t, at+"/restore", nil).Want(t, 200)
	// A contact in the trash may be created anew, and then can't be restored.
	if r := c.Delete(t, at).Want(t, 200); r.Text(t, "status") != "deleted" {
		t.Errorf("deleted: %s", r.Body)
	}
	failed(t, c.Delete(t, at), 409, "contact_deleted")
	failed(t, c.Post(t, at+"/archive", nil), 409, "contact_deleted")
	again := contactOf(t, c, "Zoe again", "zoe@contact.example")
	failed(t, c.Post(t, at+"/restore", nil), 409, "email_taken")
	c.Delete(t, "/contacts/"+again.Text(t, "id")).Want(t, 200)
	if r := c.Post(t, at+"/restore", nil).Want(t, 200); r.Text(t, "status") != "active" || r.At(t, "deleted_at") != nil {
		t.Errorf("restored: %s", r.Body)
	}
}

func TestContactFaults(t *testing.T) {
	t.Parallel()
	c := company(t)
	failed(t, c.Post(t, "/contacts", obj{}), 422, "name", "email")
	failed(t, c.Post(t, "/contacts", obj{"name": "A\nB", "email": "no", "phone": strings.Repeat("1", 51), "locale": "???", "note": strings.Repeat("n", 4001), "organization": strings.Repeat("o", 201)}),
		422, "name", "email", "phone", "locale", "note", "organization")
	failed(t, c.Post(t, "/contacts", obj{"name": "A", "email": "a@b.example", "tags": list{"ok", strings.Repeat("t", 51)}}), 422, "tags.1")
	failed(t, c.Post(t, "/contacts", obj{"name": "A", "email": "a@b.example", "tags": strings.Split(strings.Repeat("t,", 20), ",")}), 422, "tags")
	id := contactOf(t, c, "A", "a@b.example").Text(t, "id")
	contactOf(t, c, "B", "b@b.example")
	failed(t, c.Patch(t, "/contacts/"+id, obj{"email": "B@B.EXAMPLE"}), 422, "email")
	failed(t, c.Patch(t, "/contacts/"+id, obj{"name": " "}), 422, "name")
	c.Patch(t, "/contacts/"+id, obj{"email": "A@B.example"}).Want(t, 200)
	contactOf(t, company(t), "A", "a@b.example") // another company's does not count
}

func TestContactRoles(t *testing.T) {
	t.Parallel()
	c := company(t)
	id := contactOf(t, c, "A", "a@b.example").Text(t, "id")
	viewer := c.Member(t, account.RoleViewer)
	viewer.Get(t, "/contacts").Want(t, 200)
	failed(t, viewer.Post(t, "/contacts", obj{"name": "B", "email": "b@b.example"}), 403)
	failed(t, viewer.Delete(t, "/contacts/"+id), 403)
	failed(t, viewer.Post(t, "/contacts/import", apptest.Raw{Type: "text/csv", Body: []byte("email\nx@y.example\n")}), 403)
	c.Member(t, account.RoleMember).Patch(t, "/contacts/"+id, obj{"name": "C"}).Want(t, 200)
}

func TestContactList(t *testing.T) {
	t.Parallel()
	c := company(t)
	var ids []string
	for i, name := range []string{"Émile Zola", "adam Smith", "Ben O'Neil", "山田太郎", "Clara Schumann"} {
		ids = append(ids, contactOf(t, c, name, fmt.Sprintf("p%d.%s@mail%d.example", 9-i, strings.Fields("zola smith neil yamada clara")[i], i), obj{"organization": fmt.Sprintf("Firm %d", i)}).Text(t, "id"))
	}
	c.Post(t, "/contacts/"+ids[2]+"/archive", nil).Want(t, 200)
	c.Delete(t, "/contacts/"+ids[3]).Want(t, 200)
	for query, want := range map[string][]int{
		"":                        {1, 4, 0},
		"sort=name%7Cdesc":        {0, 4, 1},
		"sort=email%7Casc":        {4, 1, 0},
		"sort=created_at%7Cdesc":  {4, 1, 0},
		"sort=organization%7Casc": {0, 1, 4},
		"status=archived":         {2},
		"status=deleted":          {3},
		"status=archived,active":  {1, 2, 4, 0},
		"with_trashed=true":       {1, 2, 4, 0, 3},
		"with_trashed=true&per_page=2&page=2&sort=name%7Cdesc": {4, 2},
		"per_page=1&page=2":               {4},
		"search=emi":                      {0},
		"search=ZOL":                      {0},
		"search=smith+ad":                 {1},
		"search=mit":                      {},
		"search=p8.smith%40mail1":         {1},
		"search=mail4":                    {4},
		"search=firm":                     {1, 4, 0},
		"search=neil":                     {},
		"search=neil&with_trashed=true":   {2},
		"search=%E5%A4%AA&status=deleted": {3},
		"search=%22%27%28":                {},
		"search=firm&sort=name%7Cdesc&per_page=2&page=2": {1},
	} {
		r := c.Get(t, "/contacts?"+query).Want(t, 200)
		got := r.Texts(t, "data", "id")
		wanted := []string{}
		for _, i := range want {
			wanted = append(wanted, ids[i])
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %v, want %v", query, r.Texts(t, "data", "name"), want)
		}
	}
	if r := c.Get(t, "/contacts?search=firm&per_page=1").Want(t, 200); r.Int(t, "meta.total") != 3 {
		t.Errorf("total of a search: %s", r.Body)
	}
}

func TestContactRemembered(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	known := contactOf(t, c, "Known by hand", "signer1@signer.example").Text(t, "id")
	sent(t, c, 2)
	sent(t, c, 1)
	d := sent(t, c, 1, obj{"invitations": list{obj{"name": "First", "email": "first@signer.example"}}})
	c.Post(t, "/documents/"+d.Text(t, "id")+"/invitations/"+d.Text(t, "invitations.0.id")+"/replace", obj{"name": "Second", "email": "second@signer.example"}).Want(t, 200)
	draft(t, c, 1, obj{"invitations": list{obj{"name": "Nobody", "email": "nobody@signer.example"}}})
	if err := s.Test.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	r := c.Get(t, "/contacts?sort=email%7Casc").Want(t, 200)
	if got, want := r.Texts(t, "data", "email"), []string{"first@signer.example", "second@signer.example", "signer1@signer.example", "signer2@signer.example"}; !slices.Equal(got, want) {
		t.Fatalf("remembered %v, want %v", got, want)
	}
	if got, want := r.Texts(t, "data", "documents_count"), []string{"1", "1", "2", "1"}; !slices.Equal(got, want) {
		t.Errorf("documents: %v, want %v", got, want)
	}
	if r.Text(t, "data.2.name") != "Known by hand" || r.Text(t, "data.2.id") != known || r.At(t, "data.2.last_used_at") == nil {
		t.Errorf("the contact by hand became %s", r.Body)
	}
	who, err := s.Accounts.Operator.ActorFor(c.Email, c.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "Second,First,Known by hand,Signer 2", "signer2": "Signer 2", "KNOWN b": "Known by hand", "s": "Second,First,Known by hand,Signer 2", "second@": "Second", "xyz": ""} {
		some, err := s.Contacts.Suggest(t.Context(), account.Call{Actor: who}, text, 10)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, x := range some {
			names = append(names, x.Name)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q suggests %s, want %s", text, got, want)
		}
	}
	if some, err := s.Contacts.Suggest(t.Context(), account.Call{Actor: who}, "s", 1); err != nil || len(some) != 1 {
		t.Errorf("one suggestion: %v %v", some, err)
	}
}

func TestContactImport(t *testing.T) {
	t.Parallel()
	c := company(t)
	contactOf(t, c, "Old Name", "old@contact.example", obj{"phone": "1"})
	csv := "\ufeffFull Name;E-Mail;Company;Tags\r\nNew Name;OLD@contact.example;;\r\n;ann@contact.example;\"Acme; Inc\";a,b\r\n\r\nBad;nope;;\r\nTwice;ann@contact.example;;\r\n"
	body := apptest.Raw{Type: "text/csv; charset=utf-8", Body: []byte(csv)}
	check := c.Post(t, "/contacts/import?check=true", body).Want(t, 200)
	if check.Int(t, "created") == 0 || c.Get(t, "/contacts").Int(t, "meta.total") != 1 {
		t.Errorf("looking: %s", check.Body)
	}
	r := c.Post(t, "/contacts/import", body).Want(t, 200)
	for path, want := range map[string]any{"rows": 4., "created": 1., "updated": 2., "faults.0.row": 5., "faults.0.email": "nope", "columns.email": "E-Mail", "columns.name": "Full Name", "columns.organization": "Company"} {
		if got := r.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if r.At(t, "faults.0.errors.email") == nil || len(r.At(t, "faults").(list)) != 1 {
		t.Errorf("faults: %s", r.Body)
	}
	all := c.Get(t, "/contacts?sort=email%7Casc").Want(t, 200)
	for path, want := range map[string]any{"meta.total": 2., "data.0.name": "Twice", "data.0.organization": "Acme; Inc", "data.0.tags.1": "b", "data.1.name": "New Name", "data.1.phone": "1"} {
		if got := all.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	parts := "\"First Name\",\"Last Name\",\"E-mail Address\"\nAnn Mary,Lee,ann.lee@parts.example\n,Solo,solo@parts.example\nx\n"
	if r := c.Post(t, "/contacts/import", apptest.Raw{Type: "text/csv", Body: []byte(parts)}).Want(t, 200); r.Int(t, "created") != 2 || r.At(t, "columns.name") != "Name" {
		t.Errorf("names in two columns: %s", r.Body)
	}
	if got := c.Get(t, "/contacts?search=parts.example&sort=email%7Casc").Want(t, 200); got.Text(t, "data.0.name") != "Ann Mary Lee" || got.Text(t, "data.1.name") != "Solo" {
		t.Errorf("names in two columns are %s", got.Body)
	}
	german := "Vorname;Nachname;E-Mail-Adresse;Firma\r\nJörg;Müller;joerg@parts.example;Müller KG\r\n"
	if r := c.Post(t, "/contacts/import?check=true", apptest.Raw{Type: "text/csv", Body: []byte(german)}).Want(t, 200); r.At(t, "columns.email") != "E-Mail-Adresse" || r.At(t, "columns.organization") != "Firma" {
		t.Errorf("German columns: %s", r.Body)
	}
	warned := c.Post(t, "/contacts/import?check=true", apptest.Raw{Type: "text/csv", Body: []byte("name,email\n\U00013000,h@contact.example\nAnn,a@contact.example\n")}).Want(t, 200)
	if len(warned.At(t, "warnings").(list)) != 1 || warned.At(t, "warnings.0.codes.name.0") != "name_undrawable" || warned.Int(t, "created") != 2 {
		t.Errorf("of a name that no font has: %s", warned.Body)
	}
	for what, x := range map[string]struct {
		body   string
		status int
	}{
		"nothing": {"", 400}, "no address": {"name,phone\nA,1\n", 422}, "only a heading": {"email\n", 200}, "ends of lines of a Mac": {"name,email\rMac,mac@contact.example\r", 200},
		"no column known, on a Mac": {"a,b\rc,d\r", 422},
		"too long":                  {"email\n" + strings.Repeat("a@b.example\n", 20_001), 413}, "too large": {"email\n" + strings.Repeat("x", 8<<20), 413},
		"Windows-1252": {"name,email\nJos\xe9,jose@contact.example\n", 200}, "UTF-16": {"\xff\xfee\x00m\x00a\x00i\x00l\x00\n\x00u\x00@\x00c\x00.\x00d\x00e\x00\n\x00", 200},
	} {
		if got := c.Post(t, "/contacts/import", apptest.Raw{Type: "text/csv", Body: []byte(x.body)}); got.Status != x.status {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	if got := c.Get(t, "/contacts?search="+url.QueryEscape("josé")).Want(t, 200); got.Int(t, "meta.total") != 1 || got.Text(t, "data.0.name") != "José" {
		t.Errorf("Windows-1252 was read as %s", got.Body)
	}
	if got := c.Get(t, "/contacts?search=mac%40contact.example").Want(t, 200); got.Int(t, "meta.total") != 1 {
		t.Errorf("the lines of a Mac were read as %s", got.Body)
	}
	if got := c.Get(t, "/contacts?search=u%40c.de").Want(t, 200); got.Int(t, "meta.total") != 1 {
		t.Errorf("UTF-16 was read as %s", got.Body)
	}
	failed(t, c.Post(t, "/contacts/import", apptest.Raw{Type: "application/pdf", Body: []byte("email\n")}), 415)
}

func TestContactExport(t *testing.T) {
	t.Parallel()
	c := company(t)
	contactOf(t, c, "=cmd()", "a@contact.example", obj{"phone": "+49 (30) 1-2", "note": "Two\nlines", "tags": list{"x", "y"}, "locale": "de"})
	contactOf(t, c, "'quoted", "b@contact.example")
	gone := contactOf(t, c, "Gone", "gone@contact.example").Text(t, "id")
	for i := range 450 { // more than one batch
		contactOf(t, c, fmt.Sprintf("Person %d", i), fmt.Sprintf("p%d@contact.example", i))
	}
	c.Delete(t, "/contacts/"+gone).Want(t, 200)
	r := c.Get(t, "/contacts/export").Want(t, 200)
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/csv") || !strings.Contains(r.Header.Get("Content-Disposition"), "contacts.csv") {
		t.Errorf("headers %v", r.Header)
	}
	want := "name,email,organization,phone,locale,note,tags,job_title\n'=cmd(),a@contact.example,,+49 (30) 1-2,de,\"Two\nlines\",x;y,\n'quoted,b@contact.example,,,,,,\nPerson 0,"
	if !strings.HasPrefix(string(r.Body), want) || strings.Contains(string(r.Body), "gone@") {
		t.Errorf("exported\n%.300s\nwant\n%s", r.Body, want)
	}
	other := company(t)
	in := other.Post(t, "/contacts/import", apptest.Raw{Type: "text/csv", Body: r.Body}).Want(t, 200)
	if in.Int(t, "created") != 452 || in.Int(t, "rows") != 452 {
		t.Errorf("taken back: %.300s", in.Body)
	}
	if again := other.Get(t, "/contacts/export").Want(t, 200); string(again.Body) != string(r.Body) {
		t.Errorf("it did not come back the same:\n%.300s", again.Body)
	}
}

func TestContactPurged(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Login(t, "ada@acme.example")
	id := contactOf(t, c, "A", "a@b.example").Text(t, "id")
	kept := contactOf(t, c, "B", "b@b.example").Text(t, "id")
	c.Delete(t, "/contacts/"+id).Want(t, 200)
	c.Delete(t, "/contacts/"+kept).Want(t, 200)
	c.Post(t, "/contacts/"+kept+"/restore", nil).Want(t, 200)
	s.Advance(t, "29d")
	s.Login(t, "ada@acme.example").Get(t, "/contacts/"+id).Want(t, 200)
	s.Advance(t, "2d")
	c = s.Login(t, "ada@acme.example")
	failed(t, c.Get(t, "/contacts/"+id), 404)
	c.Get(t, "/contacts/"+kept).Want(t, 200)
	if problems := s.Check(t.Context(), false); len(problems) != 0 {
		t.Errorf("the store: %v", problems)
	}
}
