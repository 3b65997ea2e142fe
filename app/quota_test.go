package app_test

import (
	"encoding/base64"
	"net/http"
	"path"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/fault"
)

// refusedAsFull expects that a request was refused because of the company's limits.
func refusedAsFull(t *testing.T, r *apptest.Response) {
	t.Helper()
	if r.Status != http.StatusConflict || r.Text(t, "code") != "company_full" {
		t.Errorf("%s: %d %s", r.What, r.Status, r.Body)
	}
}

// TestNoCompanyTakesEverything reaches each limit of a company in every possible way, while
// another company keeps working.
func TestNoCompanyTakesEverything(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) {
		l := &c.Server.Limits
		l.CompanyDocuments, l.CompanyContacts, l.CompanyMembers = 3, 2, 2
	})
	c, other := s.Company(t), s.Company(t)
	pdf := apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A")}
	create := func(who *apptest.Client) *apptest.Response {
		return who.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "A"}, pdf))
	}
	first := "/documents/" + create(c).Want(t, 201).Text(t, "id")
	template := "/templates/" + c.Post(t, first+"/template", apptest.Map{"title": "T"}).Want(t, 201).Text(t, "id")
	c.Delete(t, "/documents/"+create(c).Want(t, 201).Text(t, "id")).Want(t, 200) // still counts in the trash
	for _, r := range []*apptest.Response{
		create(c), c.Post(t, "/documents", apptest.Map{"title": "Empty"}),
		c.Post(t, first+"/duplicate", nil), c.Post(t, first+"/template", apptest.Map{"title": "T"}),
		c.Post(t, template+"/documents", apptest.Map{}), c.Post(t, "/templates", apptest.Map{"title": "T"}),
	} {
		refusedAsFull(t, r)
	}
	create(other).Want(t, 201)

	contact := func(email string) *apptest.Response {
		return c.Post(t, "/contacts", apptest.Map{"name": "Sam", "email": email})
	}
	contact("a@signer.example").Want(t, 201)
	contact("b@signer.example").Want(t, 201)
	refusedAsFull(t, contact("c@signer.example"))

	c.Member(t, account.RoleMember)
	invited := c.Post(t, "/members", apptest.Map{"email": "third@company.example", "role": "member"})
	refusedAsFull(t, invited)
	if m := s.Mails(t, "third@company.example"); len(m) > 0 {
		t.Errorf("an invitation was sent: %s", m[0].Subject)
	}
}

// TestNoCompanyFillsTheDisk uploads, in one piece and in many, more than a company may store.
func TestNoCompanyFillsTheDisk(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.Limits.CompanyStorage = 100 * app.KB })
	c, other := s.Company(t), s.Company(t)
	file := apptest.File{Name: "a.pdf", Content: smallPDF("A", 40_000)}
	post := func(who *apptest.Client) *apptest.Response {
		return who.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "A"}, file))
	}
	first := "/documents/" + post(c).Want(t, 201).Text(t, "id")
	post(c).Want(t, 201)
	refusedAsFull(t, post(c))
	refusedAsFull(t, c.Post(t, first+"/duplicate", nil))
	refusedAsFull(t, c.Post(t, first+"/upload", apptest.Multipart(t, nil, file)))
	who, err := s.Accounts.Authentication.Authenticate(c.Token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Signing.Drafts.BeginUpload(account.Call{Actor: who}, path.Base(first), "b.pdf", 15_000); err != nil {
		t.Error(err)
	}
	if _, err := s.Signing.Drafts.BeginUpload(account.Call{Actor: who}, path.Base(first), "c.pdf", 15_000); fault.CodeOf(err) != "company_full" {
		t.Errorf("during another upload: %v", err)
	}
	post(other).Want(t, 201)
}

// TestLastTenthOfTheDiskIsForThoseWithLess lets one company take nearly all of a disk. The others keep working.
func TestLastTenthOfTheDiskIsForThoseWithLess(t *testing.T) {
	t.Parallel()
	const size = 4_000_000
	post := func(who *apptest.Client, bytes int) *apptest.Response {
		file := apptest.File{Name: "a.pdf", Content: smallPDF("A", bytes)}
		return who.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "A"}, file))
	}
	s := apptest.New(t)
	c, other := s.Company(t), s.Company(t)
	first := "/documents/" + post(c, 400_000).Want(t, 201).Text(t, "id")
	s.PretendDisk(size/10-1, size)
	more := apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: smallPDF("A", 40_000)})
	for _, r := range []*apptest.Response{
		post(c, 40_000), c.Post(t, first+"/duplicate", nil), c.Post(t, first+"/upload", more),
	} {
		refusedAsFull(t, r)
	}
	post(other, 40_000).Want(t, 201)
	s.PretendDisk(size/10, size)
	post(c, 40_000).Want(t, 201)
	s.PretendDisk(0, 0) // unknown
	post(c, 40_000).Want(t, 201)

	limited := apptest.New(t, func(c *app.Config) { c.Server.Limits.CompanyStorage = 1 * app.MB })
	c = limited.Company(t)
	limited.PretendDisk(1, size)
	post(c, 40_000).Want(t, 201) // what is configured wins

	single := apptest.Empty(t)
	login := apptest.Map{"email": single.First.User.Email, "password": single.First.Password}
	c = single.With(single.Anonymous().Post(t, "/login", login).Want(t, 200).Text(t, "companies.0.token"))
	single.PretendDisk(1, size)
	post(c, 40_000).Want(t, 201)
}

// TestSignatoriesCanSignWhenTheirCompanyIsFull attaches a file to a document of a company that
// can't add any. It was asked for before, and counts from now on.
func TestSignatoriesCanSignWhenTheirCompanyIsFull(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.Limits.CompanyStorage = 100 * app.KB })
	c := s.Company(t)
	first := invite(t, c, apptest.Map{}, apptest.Map{"type": "attachment", "name": "plan"})
	file := apptest.File{Name: "a.pdf", Content: smallPDF("A", 40_000)}
	create := func() *apptest.Response {
		return c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "A"}, file))
	}
	create().Want(t, 201)
	refusedAsFull(t, create())
	plan := "data:application/pdf;name=plan.pdf;base64," + base64.StdEncoding.EncodeToString(smallPDF("Plan", 60_000))
	body := apptest.Map{"consent": true, "fields": apptest.Map{"plan": plan}}
	first.Post(t, first.invitation+"/sign", body).Want(t, 200)
	if got := c.Get(t, first.document).Want(t, 200).Text(t, "status"); got != "completed" {
		t.Errorf("the document is %s", got)
	}
	refusedAsFull(t, create())
}
