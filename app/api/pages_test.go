package api_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// chosen returns a request for pages of an upload; the number after the colon is the rotation.
func chosen(pages string) obj {
	var out list
	for _, p := range strings.Fields(pages) {
		var page, turn int
		fmt.Sscanf(strings.ReplaceAll(p, ":", " "), "%d %d", &page, &turn) //nolint:errcheck // without a colon, the page isn't turned
		out = append(out, obj{"page": page, "rotate": turn})
	}
	return obj{"pages": out}
}

// TestPagesOfAFile removes, moves and rotates pages of an upload before signing.
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
	// Back to the upload: the field is back in its place.
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

// TestSplitAFile splits a file into two; each is signed.
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

// TestMergeFiles merges two files into one, which is signed.
func TestMergeFiles(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	apples, dates := apptest.PDF(t, "Apples.", "Secret bananas.", "Cherries."), apptest.PDF(t, "Dates.", "Elderberries.")
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "apples.pdf", Content: apples}, apptest.File{Name: "dates.docx", Content: apptest.DOCX(t, "Figs.")},
		apptest.File{Name: "dates.pdf", Content: dates})).Want(t, 201)
	at, files := "/documents/"+d.Text(t, "id"), d.Texts(t, "files", "id")
	merge := at + "/files/" + files[2] + "/merge"
	box := obj{"invitation_id": d.Text(t, "invitations.0.id"), "width": .2, "height": .05, "x": .1, "y": .2}
	c.Post(t, at+"/fields", obj{"fields": list{
		merged(box, obj{"file_id": files[0], "type": "signature", "name": "sign", "page": 3,
			"covered": list{obj{"page": 3, "x": .1, "y": .1, "width": .1, "height": .1}}}),
		merged(box, obj{"file_id": files[2], "type": "initials", "name": "initials", "page": 2}),
	}}).Want(t, 201)
	c.Put(t, at+"/files/"+files[0]+"/pages", chosen("3 1")).Want(t, 200)

	const none = "01K8XN2V8A2M4P6R8T0W2Y4Z6B"
	for _, tt := range []struct {
		files list
		field string
	}{{list{}, "files"}, {list{none}, "files.0"}, {list{files[0], files[0]}, "files.1"}, {list{files[0], files[2]}, "files.1"}} {
		failed(t, c.Post(t, merge, obj{"files": tt.files}), 422, tt.field)
	}
	all := c.Post(t, at+"/duplicate", nil).Want(t, 201)
	whole := c.Post(t, "/documents/"+all.Text(t, "id")+"/files/"+all.Text(t, "files.0.id")+"/merge", obj{}).Want(t, 200)
	if got := len(whole.Texts(t, "merged", "name")); got != len(files) {
		t.Errorf("%d of %d files were merged: %s", got, len(files), whole.Body)
	}
	c.Post(t, strings.Replace(merge, files[2], none, 1), obj{"files": list{files[0]}}).Want(t, 404)
	s.Company(t).Post(t, merge, obj{"files": list{files[0]}}).Want(t, 404)
	c.Post(t, merge, obj{"files": list{files[0]}}, "If-Match", `"99"`).Want(t, 412)

	made := c.Post(t, merge, obj{"files": list{files[0]}}).Want(t, 200)
	if got := fmt.Sprint(made.Text(t, "id") == files[2], made.Text(t, "name"), made.At(t, "position"), made.At(t, "pages")); got != "truedates.pdf2 4" {
		t.Errorf("the file is %s", got)
	}
	if got := made.Texts(t, "merged", "name"); !slices.Equal(got, []string{"dates.pdf", "apples.pdf"}) {
		t.Errorf("it is made of %v", got)
	}
	content := at + "/files/" + files[2] + "/content"
	if got := apptest.PagesText(t, c.Get(t, content).Want(t, 200).Body); got != "Dates. | Elderberries. | Cherries. | Apples." {
		t.Errorf("it says %q", got)
	}
	now := c.Get(t, at).Want(t, 200)
	if got := fmt.Sprint(now.At(t, "fields.0.page"), now.At(t, "fields.0.covered"), now.At(t, "fields.1.page"), len(now.At(t, "files").(list))); !strings.HasPrefix(got, "3 ") || !strings.Contains(got, "page:3") || !strings.HasSuffix(got, " 2 2") {
		t.Errorf("the fields are at %s", got)
	}
	// Its pages can be chosen like those of an upload.
	c.Put(t, at+"/files/"+files[2]+"/pages", chosen("1 3")).Want(t, 200)
	failed(t, c.Post(t, at+"/files/"+files[2]+"/split", obj{"page": 9}), 422, "page")
	c.Put(t, at+"/files/"+files[2]+"/pages", chosen("1 2 3 4")).Want(t, 200)
	c.Delete(t, at+"/files/"+files[1]).Want(t, 204)
	if zip := c.Get(t, at+"/download?version=original").Want(t, 200).Body; !bytes.Contains(zip, apples) || !bytes.Contains(zip, dates) {
		t.Error("the uploads are not in the ZIP")
	}
	sent := c.Post(t, at+"/send", nil).Want(t, 200)
	recipient := s.With(link(t, sent, 0))
	if got := recipient.Get(t, at+"/files/"+files[2]).Want(t, 200); len(got.At(t, "merged").(list)) > 0 {
		t.Error("the recipient sees the uploads")
	}
	for _, address := range []string{at + "/download?version=original", content + "?version=original"} {
		if got := recipient.Get(t, address).Want(t, 200).Body; bytes.Contains(got, apples[:len(apples)/2]) {
			t.Errorf("the recipient gets an upload from %s", address)
		}
	}
	if got := c.Get(t, at+"/events").Want(t, 200).Texts(t, "data", "type"); !slices.Contains(got, "file.merged") {
		t.Errorf("the trail has %v", got)
	}
	failed(t, c.Post(t, merge, obj{"files": list{files[0]}}), 409)
	if got := c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200).At(t, "status_id"); got != 6.0 {
		t.Errorf("the signed document has the status %v", got)
	}
}

// TestLeftOutPagesAreGone looks for the content of a removed page.
func TestLeftOutPagesAreGone(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "lease.docx", Content: apptest.DOCX(t, "Apples.")}, apptest.File{Name: "b.pdf", Content: apptest.PDF(t, "Secret bananas.", "Cherries.")})).Want(t, 201)
	at, file := "/documents/"+d.Text(t, "id"), d.Text(t, "files.1.id")
	picture := at + "/files/" + file + "/pages/1.png?width=200"
	found := func(word string) int {
		return len(c.Get(t, "/documents?search="+word).Want(t, 200).At(t, "data").(list))
	}
	before := c.Get(t, picture).Want(t, 200)
	if found("bananas") != 1 {
		t.Error("the page is not found to begin with")
	}
	c.Put(t, at+"/files/"+file+"/pages", chosen("2")).Want(t, 200)
	if found("bananas") != 0 || found("cherries") != 1 {
		t.Error("the removed page is still found, or the other is not")
	}
	after := c.Get(t, picture, "If-None-Match", before.Header.Get("ETag")).Want(t, 200)
	if bytes.Equal(before.Body, after.Body) || !strings.Contains(after.Header.Get("Cache-Control"), "no-cache") {
		t.Errorf("the old picture is shown, Cache-Control: %s", after.Header.Get("Cache-Control"))
	}
	c.Patch(t, at+"/files/"+d.Text(t, "files.0.id"), obj{"confirmed": true}).Want(t, 200)
	c.Put(t, at+"/files/"+d.Text(t, "files.0.id")+"/pages", chosen("1:90")).Want(t, 200)
	sent := c.Post(t, at+"/send", nil).Want(t, 200)
	recipient := s.With(link(t, sent, 0))
	shown := recipient.Get(t, at+"/files/"+file).Want(t, 200)
	if shown.At(t, "arranged") != nil || shown.Text(t, "sha256") == d.Text(t, "files.1.sha256") {
		t.Errorf("the recipient learns of the upload: %s", shown.Body)
	}
	got := recipient.Get(t, at+"/files/"+d.Text(t, "files.0.id")+"/content?version=original").Want(t, 200)
	if name := got.Header.Get("Content-Disposition"); !bytes.HasPrefix(got.Body, []byte("%PDF")) || strings.Contains(name, ".docx") {
		t.Errorf("the recipient's original is called %s", name)
	}
	answer := recipient.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	if bytes.Contains(answer.Body, []byte(d.Text(t, "files.1.sha256"))) {
		t.Error("the answer to signing names the upload")
	}
}

// TestUploadsAreForThoseWhoMayChangeThem asks for uploads that have what nobody else should see.
func TestUploadsAreForThoseWhoMayChangeThem(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Sale", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "black.pdf", Content: apptest.PDF(t, "Secret.")}, apptest.File{Name: "fewer.pdf", Content: apptest.PDF(t, "Secret.", "Rest.")},
		apptest.File{Name: "deleted.docx", Content: apptest.DOCX(t, "Bananas.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	file := func(n int) string { return at + "/files/" + d.Text(t, fmt.Sprintf("files.%d.id", n)) }
	c.Post(t, file(0)+"/redact", obj{"regions": list{obj{"page": 1, "x": .1, "y": .1, "width": .5, "height": .5}}}).Want(t, 200)
	c.Put(t, file(1)+"/pages", chosen("2")).Want(t, 200)
	c.Patch(t, file(2), obj{"confirmed": true}).Want(t, 200)
	recipient := s.With(link(t, c.Post(t, at+"/send", nil).Want(t, 200), 0))
	viewer := c.Member(t, account.RoleViewer)
	token := func(scopes ...any) *apptest.Client {
		return s.With(c.Post(t, "/tokens", obj{"name": "T", "scopes": list(scopes)}).Want(t, 201).Text(t, "token"))
	}
	for who, x := range map[string]struct {
		as     *apptest.Client
		status int
	}{"viewer": {viewer, 403}, "token to read": {token("read"), 403}, "token to sign": {token("read", "sign"), 403},
		"owner": {c, 200}, "token to write": {token("read", "write"), 200}} {
		for _, address := range []string{file(0) + "/content?version=original", file(1) + "/content?version=original", at + "/download?version=original",
			at + "/download?version=original&format=zip"} {
			if got := x.as.Get(t, address); got.Status != x.status {
				t.Errorf("%s gets %d from %s: %.200s", who, got.Status, address, got.Body)
			}
		}
		for _, address := range []string{file(0) + "/content", file(2) + "/content?version=original", at + "/download?version=current"} {
			x.as.Get(t, address).Want(t, 200)
		}
	}
	got := recipient.Get(t, file(2)+"/content?version=original").Want(t, 200)
	if name := got.Header.Get("Content-Disposition"); !bytes.HasPrefix(got.Body, []byte("%PDF")) || strings.Contains(name, ".docx") {
		t.Errorf("the recipient gets %.20q as %s", got.Body, name)
	}
	all := recipient.Get(t, at+"/download?version=original&format=zip").Want(t, 200).Body
	if bytes.Contains(all, []byte("deleted.docx")) {
		t.Error("the recipient's archive has the upload")
	}
}

// TestRedactAFile redacts parts of an upload before signing, and looks for what was there.
func TestRedactAFile(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	upload := apptest.Lines(t, "The buyer is Zacharias Quux, of Utrecht.", "The price is 1234567 euros.", "The rest stays.")
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Sale", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "sale.pdf", Content: upload}, apptest.File{Name: "other.docx", Content: apptest.DOCX(t, "Bananas.")})).Want(t, 201)
	at, file := "/documents/"+d.Text(t, "id"), d.Text(t, "files.0.id")
	redact, content := at+"/files/"+file+"/redact", at+"/files/"+file+"/content"
	c.Post(t, at+"/fields", obj{"fields": list{obj{"invitation_id": d.Text(t, "invitations.0.id"), "file_id": file, "type": "signature", "page": 1,
		"x": .1, "y": .5, "width": .2, "height": .05}}}).Want(t, 201)

	place := func(page int, x, y, width, height float64) obj {
		return obj{"page": page, "x": x, "y": y, "width": width, "height": height}
	}
	words := place(1, .1, .11, .8, .03)   // the first line
	numbers := place(1, .1, .18, .8, .03) // the second
	for _, tt := range []struct {
		regions list
		fields  []string
	}{
		{list{}, []string{"regions"}}, {list{place(2, .1, .1, .1, .1)}, []string{"regions.0.page"}},
		{list{words, place(1, .5, -.1, .6, 0)}, []string{"regions.1.y", "regions.1.width", "regions.1.height"}},
	} {
		failed(t, c.Post(t, redact, obj{"regions": tt.regions}), 422, tt.fields...)
	}
	s.Company(t).Post(t, redact, obj{"regions": list{words}}).Want(t, 404)
	c.Post(t, redact, obj{"regions": list{words}}, "If-Match", `"99"`).Want(t, 412)

	before := apptest.PagesText(t, upload)
	made := c.Post(t, redact, obj{"regions": list{words}}).Want(t, 200)
	if got := fmt.Sprint(made.Text(t, "name"), made.At(t, "pages"), made.Texts(t, "merged", "name")); got != "sale.pdf1 [sale.pdf]" {
		t.Errorf("the file is %s", got)
	}
	copied := c.Get(t, content).Want(t, 200).Body
	if got := apptest.PagesText(t, copied); got != strings.Join(strings.Split(before, " | ")[1:], " | ") {
		t.Errorf("the copy says %q, the upload %q", got, before)
	}
	// After another redaction, choosing all pages brings nothing back from the first.
	c.Post(t, redact, obj{"regions": list{numbers}}).Want(t, 200)
	c.Put(t, at+"/files/"+file+"/pages", chosen("1:90")).Want(t, 200)
	c.Put(t, at+"/files/"+file+"/pages", chosen("1")).Want(t, 200)
	if got := c.Get(t, content+"?version=original").Want(t, 200).Body; !bytes.Equal(got, upload) {
		t.Error("the upload is lost")
	}
	for _, word := range []string{"zacharias", "1234567"} {
		if got := c.Get(t, "/documents?search="+word).Want(t, 200).Int(t, "meta.total"); got != 0 {
			t.Errorf("a search still finds %s", word)
		}
	}
	other := at + "/files/" + d.Text(t, "files.1.id")
	c.Patch(t, other, obj{"confirmed": true}).Want(t, 200)
	c.Post(t, other+"/redact", obj{"regions": list{words}}).Want(t, 200)

	sent := c.Post(t, at+"/send", nil).Want(t, 200)
	failed(t, c.Post(t, redact, obj{"regions": list{words}}), 409)
	recipient := s.With(link(t, sent, 0))
	for _, address := range []string{content, content + "?version=original", at + "/download?version=original&format=zip", other + "/content?version=original"} {
		if got := recipient.Get(t, address).Want(t, 200).Body; bytes.Contains(got, upload[:len(upload)/2]) || bytes.Contains(got, []byte("word/document.xml")) {
			t.Errorf("the recipient gets the upload from %s", address)
		}
	}
	if got := recipient.Get(t, at).Want(t, 200); bytes.Contains(got.Body, []byte(d.Text(t, "files.0.sha256"))) {
		t.Error("the recipient learns of the upload")
	}
	if got := c.Get(t, at+"/events").Want(t, 200).Texts(t, "data", "type"); !slices.Contains(got, "file.redacted") {
		t.Errorf("the trail has %v", got)
	}
	if got := c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200).At(t, "status_id"); got != 6.0 {
		t.Errorf("the signed document has the status %v", got)
	}
	done := c.Get(t, content).Want(t, 200).Body
	for tool, text := range extracted(t, done) {
		if !strings.Contains(text, "The rest stays.") || strings.Contains(text, "Quux") || strings.Contains(text, "1234567") {
			t.Errorf("%s: the completed file says %q", tool, text)
		}
	}
	path := filepath.Join(t.TempDir(), "done.pdf")
	if err := os.WriteFile(path, done, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := exec.CommandContext(t.Context(), "qpdf", "--qdf", "--object-streams=disable", path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"Zacharias", "Quux", "1234567"} {
		if bytes.Contains(all, []byte(secret)) {
			t.Errorf("%s is in the completed file", secret)
		}
	}
	report := c.Get(t, at+"/download?content=certificate").Want(t, 200).Body
	if got := apptest.PagesText(t, report); !strings.Contains(got, "Parts blacked out") {
		t.Error("the certificate doesn't say that parts were blacked out")
	}
}

// TestRedactASignedFile refuses what would break signatures.
func TestRedactASignedFile(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Sale", "invitations": buyerAndSeller()[:1]},
		apptest.File{Name: "sale.pdf", Content: apptest.PDF(t, "Apples.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	c.Post(t, at+"/send", nil).Want(t, 200)
	c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	signed := c.Get(t, at+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
	d = c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Signed"}, apptest.File{Name: "signed.pdf", Content: signed})).Want(t, 201)
	r := c.Post(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/redact",
		obj{"regions": list{obj{"page": 1, "x": .1, "y": .1, "width": .1, "height": .1}}}).Want(t, 409)
	if got := r.Text(t, "code"); got != "pages_signed" {
		t.Errorf("the code is %s", got)
	}
}
