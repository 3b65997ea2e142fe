package web_test

import (
	"image/png"
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// TestUploadPictureForField signs with a picture in an image or of a stamp, with a script and without
// one: first one that can't be read, then one that can.
func TestUploadPictureForField(t *testing.T) {
	t.Parallel()
	broken := plain.File{Name: "broken.jpg", Content: []byte("no picture")}
	meter := plain.File{Name: "meter.png", Content: apptest.Picture(t, png.Encode)}
	s := apptest.New(t)
	for _, c := range []struct {
		kind    string
		scripts bool
	}{{"image", true}, {"image", false}, {"stamp", false}} {
		d := send(t, s, []apptest.Map{maria()}, place(c.kind, "Meter", 1, 0.4, "height", 0.2), place("signature", "Signature", 2, 0.7))
		p := either(t, s.Anonymous(), c.scripts)
		p.Visit(d.links[0])
		if c.scripts {
			p.Click(`[data-mark="signature"]`)
			p.Click("dialog[open] [data-adopt]")
		} else {
			p.Write(`[name="signature.text"]`, "Maria Silva")
		}
		p.Choose(`input[type=file][accept*="image/png"]`, broken)
		p.Click("#finish")
		p.See(".f.bad .error")
		p.Says("broken.jpg can't be read")
		p.Choose(`input[type=file][accept*="image/png"]`, meter)
		p.Click("#finish")
		p.Heading("Everyone has signed")
		r := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
		if got := r.Text(t, "fields.0.value"); !strings.HasPrefix(got, "meter.png sha256:") {
			t.Errorf("the value of the %s is %q", c.kind, got)
		}
	}
}
