package signing_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/signing/store"
)

// TestMigrationIndexesCompletedFiles recognizes files completed by a version that kept no
// index of them.
func TestMigrationIndexesCompletedFiles(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	doc := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "send": true,
		"invitations": apptest.List{apptest.Map{"name": "Ann", "email": "ann@guest.example"}}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")})).Want(t, 201)
	at := "/documents/" + doc.Text(t, "id")
	c.Post(t, at+"/"+doc.Text(t, "invitations.0.id")+"/sign", apptest.Map{}).Want(t, 200)
	file := c.Post(t, at+"/download", apptest.Map{"content": "certificate"}).Want(t, 200).Body
	known := func() bool {
		answer := s.Anonymous().Post(t, "/verify", apptest.Raw{Type: "application/pdf", Body: file}).Want(t, 200)
		return strings.Contains(string(answer.Body), doc.Text(t, "id"))
	}
	if !known() {
		t.Fatal("the file is not recognized")
	}
	if err := s.Signing.ForgetIssued(); err != nil || known() {
		t.Fatalf("the file is recognized without the index, or %v", err)
	}
	for range 2 {
		if err := store.MigrateIssued(s.DB()); err != nil || !known() {
			t.Fatalf("the file is not recognized after the migration, or %v", err)
		}
	}
}
