package web_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestPhotographOfASignature uploads ink on grey paper: only the ink becomes
// the signature.
func TestPhotographOfASignature(t *testing.T) {
	t.Parallel()
	photo := image.NewRGBA(image.Rect(0, 0, 900, 600))
	for y := range 600 {
		for x := range 900 {
			shade := uint8(190 + x/30) // light from the side
			photo.Set(x, y, color.RGBA{shade, shade, shade, 255})
			if x > 200 && x < 700 && y > 300 && y < 320 {
				photo.Set(x, y, color.RGBA{20, 30, 90, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, photo, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "signature.jpg")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7))
	w := open(t, look{})
	w.visit(d.links[0])
	w.click(`button[data-mark="signature"]`)
	w.click("#tab-signature-image")
	w.run(chromedp.SetUploadFiles("#signature-file", []string{path}))
	w.see(".mark .shown")
	kept := get(w, chromedp.Evaluate[string](`document.querySelector(".mark .shown").src`))
	raw, err := base64.StdEncoding.DecodeString(kept[strings.Index(kept, ",")+1:])
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds(); size.Dx() < 480 || size.Dx() > 520 || size.Dy() < 18 || size.Dy() > 40 {
		t.Errorf("the margins are left: %v", size)
	}
	if _, _, _, a := got.At(0, 0).RGBA(); a != 0 {
		t.Errorf("the paper is left: %v", got.At(0, 0))
	}
	if r, _, _, a := got.At(got.Bounds().Dx()/2, got.Bounds().Dy()/2).RGBA(); a < 0xF000 || r > 0x4000 {
		t.Errorf("the ink is gone: %v", got.At(got.Bounds().Dx()/2, got.Bounds().Dy()/2))
	}
	// Half of the paper is cut off on the left, and two fifths of the ink.
	w.click(".mark .crop summary")
	w.run(chromedp.Evaluate[chromedp.Void](`(e => { e.value = 45; e.dispatchEvent(new Event("change", { bubbles: true })); })(document.querySelector("#signature-crop-left"))`))
	w.until(`(i => i.src.length > 30 && i.complete && i.naturalWidth > 280 && i.naturalWidth < 320)(document.querySelector(".mark .shown"))`)
	w.click("[data-adopt]")
	w.click("#finish")
	w.heading("Everyone has signed")
}
