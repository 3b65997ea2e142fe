package api_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// packed returns zeros packed several times, each time to a thousandth.
func packed(t *testing.T, size int64, times int) []byte {
	t.Helper()
	source := io.LimitReader(zeros{}, size)
	for range times {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		if _, err := io.Copy(w, source); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		source = &b
	}
	b, err := io.ReadAll(source)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// packedPDF returns a PDF of a few kilobytes with a stream that unpacks to a gigabyte: its
// cross-reference table, the objects of the document, or the content of its page.
func packedPDF(t *testing.T, where string, unpacked []byte) apptest.File {
	t.Helper()
	stream := func(entries string) string {
		return fmt.Sprintf("<<%s/Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%s\nendstream", entries, len(unpacked), unpacked)
	}
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>", stream("")}
	if where == "objects" {
		objects = append(objects[:0], stream("/Type/ObjStm/N 100000000/First 1000"))
	}
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	table := "0000000000 65535 f \n"
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	if where == "table" {
		fmt.Fprintf(&b, "9 0 obj%s\nendobj\n", stream("/Type/XRef/Size 100000000/W[1 4 4]/Root 1 0 R"))
	} else {
		fmt.Fprintf(&b, "xref\n0 %d\n%strailer<</Size %d/Root 1 0 R>>\n", len(objects)+1, table, len(objects)+1)
	}
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", at)
	return apptest.File{Name: where + ".pdf", Content: []byte(b.String())}
}

// TestEveryPackedBomb sends small files that unpack to very large ones wherever a file is accepted.
// They are refused, or are taken without being unpacked whole.
func TestEveryPackedBomb(t *testing.T) {
	everyCase(t)
	t.Parallel()
	c := company(t)
	unpacked := packed(t, 1<<30, 2)
	d := draft(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	out := sent(t, c, 1)
	template := lease(t, c)
	for _, bomb := range []struct {
		apptest.File
		code string // of refused files
	}{
		{packedPDF(t, "table", unpacked), "file_too_complex"},
		{packedPDF(t, "objects", unpacked), "file_damaged"},
		{packedPDF(t, "page", unpacked), ""},
		{apptest.File{Name: "a.docx", Content: apptest.DOCX(t, strings.Repeat(strings.Repeat("bomb ", 1<<20), 40))}, "docx_too_large"},
		{apptest.File{Name: "a.html", Content: []byte("<html>" + strings.Repeat("<b>", 1<<20))}, "docx_too_large"},
		{apptest.File{Name: "a.png", Content: hugePNG(t, 100_000, 100_000)}, "image_too_large"},
	} {
		form := func(data any) apptest.Raw { return apptest.Multipart(t, data, bomb.File) }
		content := func(of *apptest.Response) string {
			return "/documents/" + of.Text(t, "id") + "/files/" + of.Text(t, "files.0.id") + "/content"
		}
		for where, r := range map[string]*apptest.Response{
			"a new document":  c.Post(t, "/documents", form(obj{"title": "Bomb"})),
			"a document":      c.Post(t, at+"/upload", form(nil)),
			"another content": c.Do(t, http.MethodPut, content(d), form(nil)),
			"a new template":  c.Post(t, "/templates", form(obj{"title": "Bomb"})),
			"a template":      c.Do(t, http.MethodPut, content(template), form(nil)),
		} {
			if bomb.code == "" && r.Status < 300 {
				continue
			}
			if r.Status != http.StatusUnprocessableEntity || !strings.Contains(string(r.Body), `"`+bomb.code+`"`) {
				t.Errorf("%s as %s: %s", bomb.Name, where, r.Body)
			}
		}
		if r := c.Post(t, "/verify", apptest.Raw{Type: "application/pdf", Body: bomb.Content}); r.Status >= 500 || strings.Contains(string(r.Body), `"sound":true`) {
			t.Errorf("%s verified: %d %s", bomb.Name, r.Status, r.Body)
		}
		mark := obj{"type": "image", "data": base64.StdEncoding.EncodeToString(bomb.Content)}
		failed(t, c.Post(t, "/documents/"+out.Text(t, "id")+"/"+out.Text(t, "invitations.0.id")+"/sign", obj{"signature": mark}), 422, "signature.data")
	}
	// A page is unpacked only when it is drawn or read.
	file := c.Get(t, at).Want(t, 200).Text(t, "files.0.id")
	failed(t, c.Get(t, at+"/files/"+file+"/pages/1.png"), 503)
	failed(t, c.Post(t, at+"/fields/detect", obj{}), 422, "files")
}
