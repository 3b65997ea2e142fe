package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// plain returns a JPEG of one colour.
func plain(t testing.TB, c color.Color) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 400, 200))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	for x := range 40 { // what is signed
		m.Set(20+x, 20, color.Black)
		m.Set(20+x, 21, color.Black)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestNobodysFieldHidesAnother sends documents with overlapping fields of two people.
func TestNobodysFieldHidesAnother(t *testing.T) {
	t.Parallel()
	c := company(t)
	place := func(invitation, kind, name string, x float64) obj {
		return obj{"type": kind, "name": name, "label": name, "file_id": "0", "invitation_id": invitation, "page": 1,
			"x": x, "y": 0.5, "width": 0.2, "height": 0.1, "required": false, "value": map[bool]string{true: "text"}[kind == "label"]}
	}
	for _, tt := range []struct {
		what    string
		a, b    obj
		refused bool
	}{
		{"an image over a signature", place("0", "signature", "Bob", .1), place("1", "image", "Ann", .15), true},
		{"a text over a text", place("0", "text", "Bob", .1), place("1", "text", "Ann", .15), true},
		{"initials over a date", place("0", "initials", "Bob", .1), place("1", "date", "Ann", .15), true},
		{"an image over a label", place("0", "image", "Bob", .1), place("0", "label", "Ann", .15), true},
		{"a corner over a signature", place("0", "signature", "Bob", .1), place("1", "text", "Ann", .29), true},
		{"side by side", place("0", "signature", "Bob", .1), place("1", "image", "Ann", .3), false},
		{"one's own fields", place("0", "text", "Bob", .1), place("0", "text", "Ann", .15), false},
		{"a line through another's", place("0", "text", "Bob", .1), place("1", "strikethrough", "Ann", .15), false},
	} {
		for _, reversed := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.what, reversed), func(t *testing.T) {
				t.Parallel()
				fields := list{tt.a, tt.b}
				if reversed {
					fields = list{tt.b, tt.a}
				}
				d := draft(t, c, 2, obj{"fields": fields})
				r := c.Post(t, "/documents/"+d.Text(t, "id")+"/send", obj{})
				if !tt.refused {
					r.Want(t, 200)
					return
				}
				failed(t, r, 422, "fields")
				for _, part := range []string{`["overlap"]`, "“Ann” on page 1", "“Bob” on page 1"} {
					if !strings.Contains(string(r.Body), part) {
						t.Errorf("no %s in %s", part, r.Body)
					}
				}
				failed(t, c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "x", "send": true, "invitations": signers(2), "fields": fields},
					apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})), 422, "fields")
			})
		}
	}
}

// inkOf counts the black pixels of the first page.
func inkOf(t *testing.T, file []byte) (n int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := exec.CommandContext(t.Context(), "pdftoppm", "-r", "72", "-f", "1", "-l", "1", "-png", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for y := range page.Bounds().Dy() {
		for x := range page.Bounds().Dx() {
			if r, g, b, _ := page.At(x, y).RGBA(); max(r, g, b) < 0x6000 {
				n++
			}
		}
	}
	return n
}

// TestPicturesLeaveTheTextBeneathVisible signs with pictures over the whole page.
func TestPicturesLeaveTheTextBeneathVisible(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1, obj{"fields": list{obj{"type": "signature", "name": "s", "file_id": "0", "invitation_id": "0", "page": 1, "x": 0, "y": 0, "width": 1, "height": 1}}})
	at := "/documents/" + d.Text(t, "id")
	sign := at + "/" + d.Text(t, "invitations.0.id") + "/sign"
	with := func(c color.Color) obj { return obj{"signature": obj{"type": "image", "data": plain(t, c)}} }
	r := failed(t, c.Post(t, sign, with(color.Gray{20})), 422, "signature.data")
	if !strings.Contains(string(r.Body), `["too_dark"]`) {
		t.Errorf("a black picture is refused with %s", r.Body)
	}
	before := inkOf(t, c.Get(t, at+"/download?version=current").Want(t, 200).Body)
	c.Post(t, sign, with(color.RGBA{255, 250, 200, 255})).Want(t, 200)
	if after := inkOf(t, c.Get(t, at+"/download?version=current").Want(t, 200).Body); before == 0 || after < before {
		t.Errorf("of %d black pixels, %d are left under a picture", before, after)
	}
}

// TestWhitePicturesSignNothing signs with pictures that can't be seen on paper.
func TestWhitePicturesSignNothing(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1)
	var white bytes.Buffer
	m := image.NewRGBA(image.Rect(0, 0, 40, 20))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{250, 255, 250, 255}), image.Point{}, draw.Src)
	if err := png.Encode(&white, m); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"image", "drawn"} {
		data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(white.Bytes())
		r := failed(t, c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign",
			obj{"signature": obj{"type": kind, "data": data}}), 422, "signature.data")
		if !strings.Contains(string(r.Body), `["empty"]`) {
			t.Errorf("refused with %s", r.Body)
		}
	}
}
