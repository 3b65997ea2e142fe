package signing_test

import (
	"bytes"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// signedFile returns a PDF with a signature.
func signedFile(t *testing.T, c *apptest.Client) []byte {
	t.Helper()
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "send": true,
		"invitations": apptest.List{apptest.Map{"name": "Ann", "email": "ann@guest.example"}}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", apptest.Map{}).Want(t, 200)
	return c.Get(t, at+"/files/"+d.Text(t, "files.0.id")+"/content?version=current").Want(t, 200).Body
}

// TestTogetherAnUploadInPiecesTakesItsSendersTurn fills the share of one company: only its own
// uploads have to wait.
func TestTogetherAnUploadInPiecesTakesItsSendersTurn(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	a, b := s.Company(t), s.Company(t)
	file, queue := signedFile(t, a), s.Signing.Verifier.Queue
	finish := func(c *apptest.Client) error {
		who, id := actor(t, c), draft(t, c, 1)
		u, err := s.Signing.Drafts.BeginUpload(who, id, "a.pdf", int64(len(file)))
		if err == nil {
			_, err = s.Signing.Drafts.AppendUpload(who, id, u.ID, 0, bytes.NewReader(file))
		}
		if err == nil {
			_, _, err = s.Signing.Drafts.FinishUpload(t.Context(), who, id, u.ID, "")
		}
		return err
	}
	leave := hold(t, queue, actor(t, a).Turn())
	done := make(chan error, 1)
	go func() { done <- finish(a) }()
	patience.Until(t, "the first company waits", func() (string, bool) {
		return "", queue.Load().Waiting == 1
	})
	if err := finish(b); err != nil {
		t.Error(err)
	}
	leave()
	if err := patience.Receive(t, "the first company's upload", done); err != nil {
		t.Error(err)
	}
}
