package signing_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/fault"
	"paraph/app/signing"
)

func TestUploadResumesAfterABrokenConnection(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	who, id, ctx := actor(t, c), draft(t, c, 1), t.Context()
	file := apptest.PDF(t, "One.", "Two.")
	u, err := c.Signing.Drafts.BeginUpload(who, id, "a.pdf", int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	// The connection breaks after 100 bytes.
	u, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 0, io.MultiReader(bytes.NewReader(file[:100]), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if u.Received != 100 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(u, err)
	}
	if u, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 50, bytes.NewReader(file[50:])); fault.CodeOf(err) != "wrong_offset" || u.Received != 100 {
		t.Fatalf("a wrong offset returned %v with %d bytes received", err, u.Received)
	}
	if _, _, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, ""); fault.CodeOf(err) != "upload_incomplete" {
		t.Errorf("finishing half an upload returned %v", err)
	}
	again, err := c.Signing.Drafts.BeginUpload(who, id, "a.pdf", int64(len(file)))
	if err != nil || again.ID != u.ID || again.Received != 100 {
		t.Fatalf("beginning the same file again returned %+v, %v", again, err)
	}
	// Bytes beyond the announced size are ignored.
	if u, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 100, io.MultiReader(bytes.NewReader(file[100:]), bytes.NewReader(file))); err != nil || !u.Whole() {
		t.Fatal(u, err)
	}
	d, added, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, "")
	if err != nil || len(d.Files) != 1 || len(added.Pages) != 2 || added.Size != int64(len(file)) {
		t.Fatalf("%+v, %v", added, err)
	}
	if all, err := c.Signing.Drafts.UnfinishedUploads(who, id); len(all) != 0 || err != nil {
		t.Errorf("unfinished uploads left: %v, %v", all, err)
	}
	got := c.Get(t, "/documents/"+id+"/files/"+added.ID+"/content?version=original").Want(t, 200)
	if !bytes.Equal(got.Body, file) {
		t.Error("the stored file differs from the uploaded one")
	}
}

// TestTogetherASlowPieceBlocksNoOther stalls one piece while another one for the same offset arrives.
func TestTogetherASlowPieceBlocksNoOther(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	who, id, ctx := actor(t, c), draft(t, c, 1), t.Context()
	file := apptest.PDF(t, "One.")
	u, err := c.Signing.Drafts.BeginUpload(who, id, "a.pdf", int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	line, end := io.Pipe()
	late := make(chan error, 1)
	go func() {
		_, err := c.Signing.Drafts.AppendUpload(who, id, u.ID, 0, line)
		late <- err
	}()
	if _, err := end.Write(file[:10]); err != nil { // returns once the server reads it
		t.Fatal(err)
	}
	if u, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 0, bytes.NewReader(file)); err != nil || !u.Whole() {
		t.Fatalf("%+v, %v", u, err)
	}
	if err := end.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-late; fault.CodeOf(err) != "wrong_offset" {
		t.Errorf("the late piece returned %v", err)
	}
	if _, _, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, ""); err != nil {
		t.Error(err)
	}
}

func TestLockedUploadWaitsForItsPassword(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	who, id, ctx := actor(t, c), draft(t, c, 1), t.Context()
	file, err := os.ReadFile("../../testdata/pdf/password.pdf")
	if err != nil {
		t.Fatal(err)
	}
	u, err := c.Signing.Drafts.BeginUpload(who, id, "p.pdf", int64(len(file)))
	if err == nil {
		_, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 0, bytes.NewReader(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"", "wrong"} {
		if _, _, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, password); fault.KindOf(err) != fault.KindInvalid {
			t.Fatalf("password %q returned %v", password, err)
		}
		if u, err = c.Signing.Drafts.GetUpload(who, id, u.ID); err != nil || !u.Locked {
			t.Fatalf("the upload was not kept for another attempt: %+v, %v", u, err)
		}
	}
	if _, _, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, "secret"); err != nil {
		t.Error(err)
	}
}

// unchangeable returns a file whose certification forbids every change.
func unchangeable() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, body := range []string{
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/SigFlags 3>>/Perms<</DocMDP 5 0 R>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[4 0 R]>>",
		"<</Type/Annot/Subtype/Widget/FT/Sig/T(a)/F 132/Rect[0 0 0 0]/P 3 0 R/V 5 0 R>>",
		"<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/Reference[<</TransformMethod/DocMDP/TransformParams<</P 1>>>>]>>",
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := b.Len()
	b.WriteString("xref\n0 6\n0000000000 65535 f \n")
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

func TestCertifiedUploadCanBeFlattened(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	who, id, ctx := actor(t, c), draft(t, c, 1), t.Context()
	file := unchangeable()
	u, err := c.Signing.Drafts.BeginUpload(who, id, "c.pdf", int64(len(file)))
	if err == nil {
		_, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 0, bytes.NewReader(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, ""); fault.KindOf(err) != fault.KindInvalid {
		t.Fatalf("a file that must not be changed returned %v", err)
	}
	if u, err = c.Signing.Drafts.GetUpload(who, id, u.ID); err != nil || !u.Fixed || u.Locked {
		t.Fatalf("the upload was not kept: %+v, %v", u, err)
	}
	if _, f, err := c.Signing.Drafts.FinishUploadFlattened(ctx, who, id, u.ID, ""); err != nil || !f.Flattened || f.Base == f.Upload {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestUploadsAreBounded(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	who, id, ctx := actor(t, c), draft(t, c, 1), t.Context()
	begin := func(who account.Call, name string, size int64) (string, error) {
		u, err := c.Signing.Drafts.BeginUpload(who, id, name, size)
		return u.ID, err
	}
	for _, x := range []struct {
		who  account.Call
		name string
		size int64
		want fault.Kind
	}{
		{who, "a.pdf", 0, fault.KindInvalid}, {who, "a/b.pdf", 1, fault.KindInvalid}, {who, "a.pdf", 1 << 50, fault.KindTooLarge},
		{actor(t, s.Company(t)), "a.pdf", 1, fault.KindNotFound}, {actor(t, c.Member(t, account.RoleViewer)), "a.pdf", 1, fault.KindForbidden},
	} {
		if _, err := begin(x.who, x.name, x.size); fault.KindOf(err) != x.want {
			t.Errorf("%s of %d bytes returned %v", x.name, x.size, err)
		}
	}
	upload, err := begin(who, "a.pdf", 10)
	if err != nil {
		t.Fatal(err)
	}
	// Colleagues can neither continue nor see it.
	colleague := actor(t, c.Member(t, account.RoleAdmin))
	if _, err := c.Signing.Drafts.AppendUpload(colleague, id, upload, 0, bytes.NewReader([]byte("x"))); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a colleague's piece returned %v", err)
	}
	if all, err := c.Signing.Drafts.UnfinishedUploads(colleague, id); len(all) != 0 || err != nil {
		t.Errorf("a colleague sees %v, %v", all, err)
	}
	for i := range 100 {
		if _, err = begin(who, fmt.Sprint(i, ".pdf"), 10); err != nil {
			break
		}
	}
	if fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("exceeding the number of files returned %v", err)
	}
	if err := c.Signing.Drafts.CancelUpload(who, id, upload); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Signing.Drafts.GetUpload(who, id, upload); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("getting a cancelled upload returned %v", err)
	}
	s.Advance(t, "25h")
	if _, err := c.Signing.Upkeep.Sweep(ctx, s.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	if all, err := c.Signing.Drafts.UnfinishedUploads(who, id); len(all) != 0 || err != nil {
		t.Errorf("%d uploads left after a day, %v", len(all), err)
	}
}

func TestRefusedUploadIsDropped(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	who, id, ctx := actor(t, c), draft(t, c, 1), t.Context()
	u, err := c.Signing.Drafts.BeginUpload(who, id, "a.exe", 4)
	if err == nil {
		_, err = c.Signing.Drafts.AppendUpload(who, id, u.ID, 0, bytes.NewReader([]byte("MZxx")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Signing.Drafts.FinishUpload(ctx, who, id, u.ID, ""); fault.KindOf(err) != fault.KindUnsupported {
		t.Errorf("FinishUpload returned %v", err)
	}
	if all, err := c.Signing.Drafts.UnfinishedUploads(who, id); len(all) != 0 || err != nil {
		t.Errorf("unfinished uploads left: %v, %v", all, err)
	}
}

// TestUploadSurvivesARestart restarts the appliance between two pieces.
func TestUploadSurvivesARestart(t *testing.T) {
	t.Parallel()
	cfg := apptest.Config()
	cfg.Data.Dir = t.TempDir()
	if err := apptest.ShareCompiled(cfg.Data.Dir); err != nil {
		t.Fatal(err)
	}
	var id, upload string
	file := apptest.PDF(t, "One.")
	ctx := t.Context()
	// life opens the appliance, acts as a member, and closes it again.
	life := func(do func(s *signing.Services, who account.Call) error) {
		t.Helper()
		a, err := app.Open(cfg, app.Options{Cheap: true})
		if err != nil {
			t.Fatal(err)
		}
		all, err := a.Accounts.Operator.AllCompanies(ctx)
		if err == nil {
			who := account.System(all[0].ID)
			who.UserID = "somebody"
			err = do(a.Signing, who)
		}
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	life(func(s *signing.Services, who account.Call) error {
		d, err := s.Drafts.Create(ctx, who, signing.CreateInput{})
		if err != nil {
			return err
		}
		u, err := s.Drafts.BeginUpload(who, d.ID, "a.pdf", int64(len(file)))
		if err != nil {
			return err
		}
		id, upload = d.ID, u.ID
		_, err = s.Drafts.AppendUpload(who, id, upload, 0, bytes.NewReader(file[:200]))
		return err
	})
	life(func(s *signing.Services, who account.Call) error {
		u, err := s.Drafts.GetUpload(who, id, upload)
		if err != nil || u.Received != 200 {
			return fmt.Errorf("%d bytes received: %w", u.Received, err)
		}
		if _, err := s.Drafts.AppendUpload(who, id, upload, 200, bytes.NewReader(file[200:])); err != nil {
			return err
		}
		d, _, err := s.Drafts.FinishUpload(ctx, who, id, upload, "")
		if err == nil && d.Files[0].Size != int64(len(file)) {
			err = fmt.Errorf("stored %+v", d.Files[0])
		}
		return err
	})
}
