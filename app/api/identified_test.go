package api_test

import (
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestIdentifiedTokenEndsWithItsInvitation checks that the token issued for a
// code ends when the company replaces that person: the token is not stored, so
// only the document shows it.
func TestIdentifiedTokenEndsWithItsInvitation(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	data := apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{
		apptest.Map{"name": "Sam", "email": "sam@signer.example", "access_code": "open sesame"}}}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "Lease")})).Want(t, 201)
	path := "/documents/" + d.Text(t, "id")
	_, link, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	invitation := d.Text(t, "invitations.0.id")
	token := s.With(link).Post(t, path+"/"+invitation+"/identify", apptest.Map{"code": "open sesame"}).Want(t, 200).Text(t, "token")
	sam := s.With(token)
	sam.Get(t, path).Want(t, 200)
	c.Post(t, path+"/"+invitation+"/replace", apptest.Map{"name": "Kim", "email": "kim@signer.example", "access_code": "another"}).Want(t, 200)
	sam.Get(t, path).Want(t, 404)
	sam.Get(t, path+"/invitations/"+invitation).Want(t, 404)
	sam.Post(t, path+"/"+invitation+"/sign", nil).Want(t, 404)
}
