package api_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// chosen returns a request for pages of an upload; a page is turned by the number after its colon.
func chosen(pages string) obj {
	var out list
	for _, p := range strings.Fields(pages) {
		var page, turn int
		fmt.Sscanf(strings.ReplaceAll(p, ":", " "), "%d %d", &page, &turn) //nolint:errcheck // without a colon, the page isn't turned
		out = append(out, obj{"page": page, "rotate": turn})
	}
	return obj{"pages": out}
}

// TestPagesOfAFile leaves out, moves and turns pages of an upload before it is signed.
func TestPagesOfAFile(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Apples.", "Secret bananas.", "Cherries.")})).Want(t, 201)
	at, file := "/documents/"+d.Text(t, "id"), d.Text(t, "files.0.id")
	pages, content := at+"/files/"+file+"/pages", at+"/files/"+file+"/content"
	box := obj{"invitation_id": d.Text(t, "invitations.0.id"), "file_id": file, "width": .2, "height": .05}
	c.Post(t, at+"/fields", obj{"fields": list{
		merged(box, obj{"type": "signature", "name": "apples", "page": 1, "x": .1, "y": .2}),
		merged(box, obj{"type": "text", "name": "bananas", "page": 2, "x": .1, "y": .2}),
		merged(box, obj{"type": "initials", "name": "cherries", "page": 3, "x": .1, "y": .2}),
	}}).Want(t, 201)
	upload := c.Get(t, content).Want(t, 200).Body

	places := func() string {
		var out []string
		for _, f := range c.Get(t, at).Want(t, 200).At(t, "fields").(list) {
			x := f.(obj)
			out = append(out, fmt.Sprintf("%s %v %.2f %.2f", x["name"], x["page"], x["x"], x["y"]))
		}
		return strings.Join(out, ", ")
	}
	arrange := func(choice, text, fields string) *apptest.Response {
		t.Helper()
		r := c.Put(t, pages, chosen(choice)).Want(t, 200)
		if got := apptest.PagesText(t, c.Get(t, content).Want(t, 200).Body); got != text {
			t.Errorf("pages %s say %q, want %q", choice, got, text)
		}
		if got := places(); got != fields {
			t.Errorf("the fields are at %q, want %q", got, fields)
		}
		return r
	}
	arrange("3 1 2", "Cherries. | Apples. | Secret bananas.", "apples 2 0.10 0.20, bananas 3 0.10 0.20, cherries 1 0.10 0.20")
	r := arrange("3 1:90", "Cherries. | Apples.", "apples 2 0.70 0.16, cherries 1 0.10 0.20")
	if got := r.At(t, "arranged.of"); got != 3.0 {
		t.Errorf("the file is arranged of %v pages", got)
	}
	if got := []any{r.At(t, "page_sizes.0.width"), r.At(t, "page_sizes.1.height")}; got[0] != got[1] {
		t.Errorf("the turned page is %v", r.At(t, "page_sizes"))
	}
	// All as it was uploaded, and the field is back in its place.
	r = arrange("1 2 3", "Apples. | Secret bananas. | Cherries.", "apples 1 0.10 0.20, cherries 3 0.10 0.20")
	if r.At(t, "arranged") != nil || !bytes.Equal(c.Get(t, content).Want(t, 200).Body, upload) {
		t.Error("the upload was not restored")
	}
	for choice, fields := range map[string][]string{
		"": {"pages"}, "0": {"pages.0.page"}, "4": {"pages.0.page"}, "1 2 1": {"pages.2.page"}, "1:45": {"pages.0.rotate"}, "1:-90 9": {"pages.0.rotate", "pages.1.page"},
	} {
		failed(t, c.Put(t, pages, chosen(choice)), 422, fields...)
	}
	s.Company(t).Put(t, pages, chosen("1")).Want(t, 404)
	c.Put(t, strings.Replace(pages, file, "01K8XN2V8A2M4P6R8T0W2Y4Z6B", 1), chosen("1")).Want(t, 404)
	c.Put(t, pages, chosen("1"), "If-Match", `"99"`).Want(t, 412)

	c.Put(t, pages, chosen("3 1:270")).Want(t, 200)
	sent := c.Post(t, at+"/send", nil).Want(t, 200)
	recipient := s.With(link(t, sent, 0))
	for _, version := range []string{"current", "original"} {
		pdf := recipient.Get(t, content+"?version="+version).Want(t, 200).Body
		if got := apptest.PagesText(t, pdf); !strings.HasPrefix(got, "Cherries. | Apples.") || bytes.Contains(pdf, upload[:len(upload)/2]) {
			t.Errorf("the recipient's %s file says %q", version, got)
		}
	}
	if got := c.Get(t, content+"?version=original").Want(t, 200).Body; !bytes.Equal(got, upload) {
		t.Error("the upload is lost")
	}
	if got := c.Get(t, at+"/events").Want(t, 200).Texts(t, "data", "type"); !slices.Contains(got, "file.arranged") {
		t.Errorf("the trail has %v", got)
	}
	failed(t, c.Put(t, pages, chosen("1")), 409)
	done := c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	if got := done.At(t, "status_id"); got != 6.0 {
		t.Errorf("the signed document has the status %v", got)
	}
}

// TestSplitAFile makes two files of one; each is signed.
func TestSplitAFile(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "Apples.", "Bananas.", "Cherries.")},
		apptest.File{Name: "last.pdf", Content: apptest.PDF(t, "Dates.")})).Want(t, 201)
	at, file := "/documents/"+d.Text(t, "id"), d.Text(t, "files.0.id")
	box := obj{"invitation_id": d.Text(t, "invitations.0.id"), "file_id": file, "width": .2, "height": .05, "x": .1, "y": .2}
	c.Post(t, at+"/fields", obj{"fields": list{
		merged(box, obj{"type": "signature", "name": "apples", "page": 1}),
		merged(box, obj{"type": "initials", "name": "cherries", "page": 3, "covered": list{obj{"page": 3, "x": .1, "y": .1, "width": .1, "height": .1}}}),
	}}).Want(t, 201)
	for _, page := range []int{0, 1, 4} {
		failed(t, c.Post(t, at+"/files/"+file+"/split", obj{"page": page}), 422, "page")
	}
	s.Company(t).Post(t, at+"/files/"+file+"/split", obj{"page": 2}).Want(t, 404)
	c.Put(t, at+"/files/"+file+"/pages", chosen("3 2 1")).Want(t, 200)
	made := c.Post(t, at+"/files/"+file+"/split", obj{"page": 2}).Want(t, 201)
	if got := fmt.Sprint(made.Text(t, "name"), " ", made.At(t, "position"), made.At(t, "pages")); got != "lease (2).pdf 2 2" {
		t.Errorf("the new file is %s", got)
	}
	now := c.Get(t, at).Want(t, 200)
	if got := now.Texts(t, "files", "name"); !slices.Equal(got, []string{"lease.pdf", "lease (2).pdf", "last.pdf"}) {
		t.Errorf("the files are %v", got)
	}
	for i, want := range map[string]string{"0": made.Text(t, "id") + " 2", "1": file + " 1"} {
		if got := fmt.Sprint(now.Text(t, "fields."+i+".file_id"), " ", now.At(t, "fields."+i+".page")); got != want {
			t.Errorf("field %s is on %s, want %s", i, got, want)
		}
	}
	if got := now.At(t, "fields.1.covered.0.page"); got != 1.0 {
		t.Errorf("the covered part is on page %v", got)
	}
	text := func(file string) string {
		return apptest.PagesText(t, c.Get(t, at+"/files/"+file+"/content").Want(t, 200).Body)
	}
	if got := text(file) + " / " + text(made.Text(t, "id")); got != "Cherries. / Bananas. | Apples." {
		t.Errorf("the files say %s", got)
	}
	c.Post(t, at+"/send", nil).Want(t, 200)
	done := c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	if got := done.At(t, "status_id"); got != 6.0 {
		t.Errorf("the signed document has the status %v", got)
	}
}
