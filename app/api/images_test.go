package api_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// meter is a photograph of a meter, larger than it is needed, of one colour.
func meter(t testing.TB, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{20, 60, 200, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// dataURL returns a file as the value of a field.
func dataURL(media, name string, content []byte) string {
	return "data:" + media + ";name=" + url.QueryEscape(name) + ";base64," + base64.StdEncoding.EncodeToString(content)
}

func imageField(more ...obj) obj {
	return merged(obj{"type": "image", "name": "meter", "label": "Meter reading", "file_id": "0", "invitation_id": "0", "page": 1, "x": 0.1, "y": 0.5, "width": 0.5, "height": 0.2}, more...)
}

// TestImageField takes a photograph from its upload to the signed file.
func TestImageField(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := sent(t, c, 1, obj{"fields": list{imageField(), imageField(obj{"name": "detail", "required": false, "y": 0.75, "condition": obj{"when": list{obj{"field": "meter", "op": "filled"}}}})}})
	at := "/documents/" + d.Text(t, "id")
	sign := at + "/" + d.Text(t, "invitations.0.id") + "/sign"
	mine := server(t).With(link(t, d, 0))
	failed(t, mine.Post(t, sign, obj{}), 422, "fields.meter")
	failed(t, mine.Post(t, sign, obj{"fields": obj{"meter": "meter.jpg"}}), 422, "fields.meter")
	r := failed(t, mine.Post(t, sign, obj{"fields": obj{"meter": dataURL("image/jpeg", "meter.jpg", []byte("no picture"))}}), 422, "fields.meter")
	if s := string(r.Body); !strings.Contains(s, "meter.jpg can't be read") || !strings.Contains(s, `["image_unreadable"]`) {
		t.Errorf("refused with %s", r.Body)
	}
	r = failed(t, mine.Post(t, sign, obj{"fields": obj{"meter": dataURL("image/png", "wide.png", hugePNG(t, 11_000, 10_000))}}), 422, "fields.meter")
	if !strings.Contains(string(r.Body), `["image_too_large"]`) {
		t.Errorf("refused with %s", r.Body)
	}
	r = failed(t, mine.Post(t, sign, obj{"fields": obj{"meter": dataURL("image/avif", "meter.avif", []byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00"))}}), 422, "fields.meter")
	if !strings.Contains(string(r.Body), "JPEG or PNG") {
		t.Errorf("refused with %s", r.Body)
	}
	photo := meter(t, 3000, 600)
	signed := mine.Post(t, sign, obj{"fields": obj{"meter": dataURL("image/jpeg", "Meter 1.jpeg", photo), "detail": base64.StdEncoding.EncodeToString(apptest.Picture(t, png.Encode))}}).Want(t, 200)
	if got := signed.Text(t, "status"); got != "completed" {
		t.Fatalf("it is %s", got)
	}
	d = c.Get(t, at).Want(t, 200)
	name, hash, _ := strings.Cut(d.Text(t, "fields.0.value"), " sha256:")
	if name != "Meter 1.jpg" || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(hash) {
		t.Errorf("the value is %q", d.Text(t, "fields.0.value"))
	}
	if got := d.Text(t, "fields.1.value"); !strings.HasPrefix(got, "image.png sha256:") {
		t.Errorf("the value of base64 alone is %q", got)
	}
	file := c.Get(t, at+"/download").Want(t, 200).Body
	checkSigned(t, file, 2)
	shownOnPage(t, file)
	kept := unzipped(t, c.Get(t, at+"/download?format=zip").Want(t, 200).Body)
	if m, err := jpeg.Decode(strings.NewReader(kept["Meter 1.jpg"])); err != nil || m.Bounds().Max != image.Pt(2000, 400) {
		t.Errorf("kept is %v, want a picture of 2,000 × 400", err)
	}
	text := apptest.PagesText(t, c.Get(t, at+"/download?content=certificate").Want(t, 200).Body)
	if strings.Contains(text, "base64") {
		t.Errorf("the certificate has the data of the picture:\n%s", text)
	}
}

// shownOnPage checks that the picture is in the middle of its field, with its proportions kept.
func shownOnPage(t *testing.T, file []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf (%v): %s", err, out)
	}
	b, err := exec.CommandContext(t.Context(), "pdftoppm", "-r", "72", "-f", "1", "-l", "1", "-png", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var blue image.Rectangle
	for y := range page.Bounds().Dy() {
		for x := range page.Bounds().Dx() {
			if r, _, b, _ := page.At(x, y).RGBA(); y < page.Bounds().Dy()*7/10 && b > 0xA000 && r < 0x5000 {
				blue = blue.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	w, h := float64(page.Bounds().Dx()), float64(page.Bounds().Dy())
	middle := [2]float64{float64(blue.Min.X+blue.Max.X) / 2 / w, float64(blue.Min.Y+blue.Max.Y) / 2 / h}
	if near := func(a, b float64) bool { return a-b < 0.01 && b-a < 0.01 }; !near(middle[0], 0.35) || !near(middle[1], 0.6) {
		t.Errorf("the picture is at %v of a page of %v by %v", blue, w, h)
	}
	if shape := float64(blue.Dx()) / float64(blue.Dy()); shape < 4.8 || shape > 5.2 || float64(blue.Dx()) < 0.48*w {
		t.Errorf("the picture is drawn in %v, want five times as wide as high", blue)
	}
}

// TestImageFieldRules leaves out an optional image, hides one, and refuses a value in advance.
func TestImageFieldRules(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1)
	fields := "/documents/" + d.Text(t, "id") + "/fields"
	one := merged(imageField(), obj{"file_id": d.Text(t, "files.0.id"), "invitation_id": d.Text(t, "invitations.0.id")})
	r := failed(t, c.Put(t, fields, obj{"fields": list{merged(one, obj{"value": "meter.jpg"})}}), 422, "fields.0.value")
	if !strings.Contains(string(r.Body), `["image_with_value"]`) {
		t.Errorf("refused with %s", r.Body)
	}
	hidden := merged(one, obj{"name": "damage", "y": 0.75, "condition": obj{"when": list{obj{"field": "broken", "op": "filled"}}}})
	box := merged(one, obj{"type": "checkbox", "name": "broken", "y": 0.1, "required": false})
	c.Put(t, fields, obj{"fields": list{merged(one, obj{"required": false}), hidden, box}}).Want(t, 200)
	d = c.Post(t, "/documents/"+d.Text(t, "id")+"/send", obj{}).Want(t, 200)
	sign := "/documents/" + d.Text(t, "id") + "/" + d.Text(t, "invitations.0.id") + "/sign"
	failed(t, c.Post(t, sign, obj{"fields": obj{"broken": true}}), 422, "fields.damage")
	d = c.Post(t, sign, obj{"fields": obj{"damage": dataURL("image/jpeg", "x.jpg", meter(t, 20, 10))}}).Want(t, 200)
	if fields := string(d.Body); strings.Contains(fields, "sha256:") {
		t.Errorf("a value is kept: %s", fields)
	}
	checkSigned(t, c.Get(t, "/documents/"+d.Text(t, "id")+"/download").Want(t, 200).Body, 2)
}

// TestTransparentPictures draws a red ring around a line of text: in an image and in a stamp, what is
// transparent stays so, and the kept file too.
func TestTransparentPictures(t *testing.T) {
	t.Parallel()
	ring := image.NewNRGBA(image.Rect(0, 0, 200, 200))
	for y := range 200 {
		for x := range 200 {
			if r := (x-100)*(x-100) + (y-100)*(y-100); r < 99*99 && r > 80*80 {
				ring.SetNRGBA(x, y, color.NRGBA{220, 0, 0, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, ring); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"image", "stamp"} {
		c := company(t)
		d := sent(t, c, 1, obj{"fields": list{imageField(obj{"type": kind, "x": 0.3, "y": 0.3, "width": 0.2, "height": 0.14})}})
		at := "/documents/" + d.Text(t, "id")
		server(t).With(link(t, d, 0)).Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{"fields": obj{"meter": dataURL("image/png", "ring.png", b.Bytes())}}).Want(t, 200)
		kept := unzipped(t, c.Get(t, at+"/download?format=zip").Want(t, 200).Body)
		m, err := png.Decode(strings.NewReader(kept["ring.png"]))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if _, _, _, a := m.At(100, 100).RGBA(); a != 0 {
			t.Errorf("%s: the middle of the kept picture has opacity %d", kind, a)
		}
		file := c.Get(t, at+"/download").Want(t, 200).Body
		checkSigned(t, file, 2)
		if !regexp.MustCompile(`/SMask \d+ 0 R`).Match(file) {
			t.Errorf("%s: it is drawn without its opacity", kind)
		}
	}
}
