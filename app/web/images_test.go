package web_test

import (
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestUploadPictureForField signs with a picture in an image or of a stamp, with a script and without
// one: first one that can't be read, then one that can.
func TestUploadPictureForField(t *testing.T) {
	t.Parallel()
	files := onDisk(t, apptest.File{Name: "broken.jpg", Content: []byte("no picture")},
		apptest.File{Name: "meter.png", Content: apptest.Picture(t, png.Encode)})
	plain := look{width: 360, height: 740, plain: true}
	for _, c := range []struct {
		kind string
		look look
	}{{"image", look{}}, {"image", plain}, {"stamp", look{}}, {"stamp", plain}} {
		l, s := c.look, apptest.New(t)
		d := send(t, s, []apptest.Map{maria()}, place(c.kind, "Meter", 1, 0.4, "height", 0.2), place("signature", "Signature", 2, 0.7))
		w := open(t, l)
		w.visit(d.links[0])
		upload := func(path string) {
			w.run(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file][accept*="image/png"]`), []string{path}))
		}
		if l.plain {
			w.write(`[name="signature.text"]`, "Maria Silva")
		} else {
			w.click(`[data-mark="signature"]`)
			w.click("dialog[open] [data-adopt]")
		}
		upload(files[0])
		w.click("#finish")
		w.see(".f.bad .error")
		if sight := w.sight(); !strings.Contains(sight, "broken.jpg can't be read") {
			t.Errorf("the page says %s", sight)
		}
		upload(files[1])
		w.click("#finish")
		w.heading("Everyone has signed")
		r := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
		if got := r.Text(t, "fields.0.value"); !strings.HasPrefix(got, "meter.png sha256:") {
			t.Errorf("the value of the %s is %q", c.kind, got)
		}
	}
}
