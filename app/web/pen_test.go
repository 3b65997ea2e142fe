package web_test

import (
	"bytes"
	"image/png"
	"net/http"
	"testing"

	"paraph/app/apptest"
)

// TestPen signs in blue and in black, and checks the colour on the page.
func TestPen(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	const strokes = "[[[0,0],[60,40],[120,0],[180,40],[240,0]]]"
	blue := func(ink string) int {
		d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 1, 0.5))
		v, at := invited(t, s), path(t, d.links[0])
		v.send(at, "do", "save", "signature.type", "drawn", "signature.data", strokes, "signature.ink", ink)
		_, page := v.get(at)
		want(t, page, `name="signature.ink" value="`+map[string]string{"black": "black"}[ink]+`"`, `value="`+ink+`" checked`)
		_, page = v.send(at, "do", "finish", "signature.type", "drawn", "signature.data", strokes, "signature.ink", ink)
		want(t, page, "Everyone has signed")
		file := d.Get(t, "/documents/"+d.id).Text(t, "files.0.id")
		picture, err := png.Decode(bytes.NewReader(d.Get(t, "/documents/"+d.id+"/files/"+file+"/pages/1.png?width=800").Want(t, http.StatusOK).Body))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		high := picture.Bounds().Dy() // the strokes, without the small print under them
		for y := high / 2; y < high*516/1000; y++ {
			for x := range picture.Bounds().Dx() {
				if r, _, b, _ := picture.At(x, y).RGBA(); b > r+0x3000 {
					n++
				}
			}
		}
		return n
	}
	if n := blue("blue"); n < 30 {
		t.Errorf("blue ink gives %d blue pixels", n)
	}
	if n := blue("black"); n > 0 {
		t.Errorf("black ink gives %d blue pixels", n)
	}
	d := send(t, s, []apptest.Map{maria()})
	inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.id")
	d.Post(t, "/documents/"+d.id+"/"+inv+"/sign", apptest.Map{"signature": apptest.Map{"type": "typed", "ink": "red"}}).Want(t, http.StatusUnprocessableEntity)
}
