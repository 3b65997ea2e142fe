package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// fromMenu chooses an entry of the menu beside the title.
func fromMenu(b pages, entry string) {
	b.Click(`.kebab > summary`)
	b.Click(entry)
}

func TestContactsInTheBrowser(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := colleague(t, owner)
	w.Visit(s.URL + "/app/contacts")
	w.Click(`main .head a.btn`)
	w.Write(`input[name="name"]`, "Ben Buyer")
	w.Write(`input[name="email"]`, "ben@example.org")
	w.Write(`input[name="tags"]`, "client, lease")
	w.Submit("/app/contacts/new")
	w.Heading("Ben Buyer")
	w.Visit(s.URL + "/app/contacts/new")
	w.Write(`input[name="email"]`, "BEN@example.org")
	w.Submit("/app/contacts/new")
	w.See("#i-email-error")
	w.Visit(s.URL + "/app/contacts?search=buy")
	w.Click(`tbody a`)
	fromMenu(w, `form[action$="/archive"] button`)
	w.See(`form[action$="/restore"]`)
	w.Click(`form[action$="/restore"] button`)
	w.Gone(`form[action$="/restore"]`)
	fromMenu(w, `form[action$="/delete"] button`)
	w.See(`.chip.danger`)
	w.Visit(s.URL + "/app/contacts")
	w.See(`main .empty`)
	w.Visit(s.URL + "/app/contacts?status=deleted")
	if got := w.Read("tbody"); !strings.Contains(got, "Ben Buyer") {
		t.Errorf("the trash holds %q", got)
	}
}

// TestContactFileWithBadRows imports a file whose columns must be chosen, and in
// which some rows are invalid.
func TestContactFileWithBadRows(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	file := plain.File{Name: "people.csv", Content: []byte("who;reach\nBen Buyer;ben@example.org\nNobody;not an address\nCleo <b>;cleo@example.org\n")}
	w := colleague(t, owner)
	w.Visit(s.URL + "/app/contacts/import")
	w.Choose(`input[name="file"]`, file)
	w.Click(`button[value="check"]`)
	w.See("#errors")
	w.Pick(`select[name="column.email"]`, "reach")
	w.Pick(`select[name="column.name"]`, "who")
	w.Click(`button[value="check"]`)
	text := w.Read("tbody")
	if !strings.Contains(text, "3") || !strings.Contains(text, "not an address") || strings.Contains(text, "cleo") {
		t.Errorf("the problems are %q", text)
	}
	if got := owner.Get(t, "/contacts").Want(t, 200).Int(t, "meta.total"); got != 0 {
		t.Errorf("looking made %d contacts", got)
	}
	w.Click(`button[value="import"]`)
	if got := w.Read(".notice.ok"); !strings.Contains(got, "New contacts: 2") || !strings.Contains(got, "skipped: 1") {
		t.Errorf("it says %q", got)
	}
	if got := owner.Get(t, "/contacts").Want(t, 200).Int(t, "meta.total"); got != 2 {
		t.Errorf("there are %d contacts", got)
	}
	v := browse(t, owner)
	status, body := v.get("/app/contacts/export")
	if status != http.StatusOK || !strings.Contains(body, "cleo@example.org") {
		t.Errorf("%d: %s", status, body)
	}
	for name, content := range map[string]string{"nothing": "", "no text": "\x00\x01\x02\xff\xfe\xfd", "large": strings.Repeat("a,b\n", 1<<20+1)} {
		if status, html := v.sendFile("/app/contacts/import", "file", "x.csv", []byte(content), "do", "import"); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %.300s", name, status, html)
		}
	}
}

func TestContactsByRole(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	id := owner.Post(t, "/contacts", apptest.Map{"name": "Ben", "email": "ben@example.org"}).Want(t, http.StatusCreated).Text(t, "id")
	document, _ := ask(t, owner, "ben@example.org")
	page := "/app/contacts/" + id
	for _, role := range account.Roles() {
		v := browse(t, owner.Member(t, role))
		status, html := v.get(page)
		v.contains(html, "/app/documents/"+document)
		may := role.Allows(account.ScopeWrite)
		if status != http.StatusOK || strings.Contains(html, page+"/archive") != may {
			t.Errorf("%s: %d", role, status)
		}
		want := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[may]
		for _, path := range []string{"/app/contacts/new", "/app/contacts/import", page + "/edit"} {
			if status, _ := v.get(path); status != want {
				t.Errorf("%s gets %d from %s", role, status, path)
			}
		}
		if status, _ := v.send(page+"/edit", "name", "Ben "+string(role), "email", "ben@example.org"); status != want {
			t.Errorf("%s saves: %d", role, status)
		}
	}
	stranger := browse(t, s.Company(t))
	for _, path := range []string{page, page + "/edit"} {
		if status, _ := stranger.get(path); status != http.StatusNotFound {
			t.Errorf("another company gets %d from %s", status, path)
		}
	}
	for _, action := range []string{"edit", "archive", "restore", "delete"} {
		if status, _ := stranger.send(page+"/"+action, "name", "X", "email", "x@y.example"); status != http.StatusNotFound {
			t.Errorf("another company may %s: %d", action, status)
		}
	}
}
