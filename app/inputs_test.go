package app_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// paper is one page of a PDF made by a test.
type paper struct {
	media, crop [4]float64 // no crop box when empty
	rotate      int
}

// papers writes a PDF of pages, with further objects from number 100 on.
func papers(catalog string, pages []paper, more ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	at := map[int]int{}
	object := func(n int, body string) {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, body)
	}
	kids := ""
	for i, p := range pages {
		n := 10 + 2*i
		kids += fmt.Sprintf("%d 0 R ", n)
		boxes := fmt.Sprintf("/MediaBox%v", p.media)
		if p.crop != [4]float64{} {
			boxes += fmt.Sprintf("/CropBox%v", p.crop)
		}
		extra := ""
		if i == 0 && strings.Contains(catalog, "/AcroForm") {
			extra = "/Annots[100 0 R]"
		}
		object(n, fmt.Sprintf("<</Type/Page/Parent 2 0 R%s/Rotate %d/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>%s>>", boxes, p.rotate, n+1, extra))
		content := fmt.Sprintf("BT /F 9 Tf %g %g Td (Page %d) Tj ET", p.media[0]+p.crop[0]+4, p.media[1]+p.crop[1]+4, i+1)
		object(n+1, fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content))
	}
	object(1, "<</Type/Catalog/Pages 2 0 R"+catalog+">>")
	object(2, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids, len(pages)))
	object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i, body := range more {
		object(100+i, body)
	}
	size := 100 + len(more)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", size)
	for n := 1; n < size; n++ {
		if o, ok := at[n]; ok {
			fmt.Fprintf(&b, "%010d 00000 n \n", o)
		} else {
			b.WriteString("0000000000 00000 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/ID[<00112233445566778899AABBCCDDEEFF><00112233445566778899AABBCCDDEEFF>]>>\nstartxref\n%d\n%%%%EOF\n", size, start)
	return b.Bytes()
}

// a4 is an ordinary page.
var a4 = paper{media: [4]float64{0, 0, 595, 842}}

// wavy is a signature drawn with a pen, as strokes and as a picture with a
// transparent background.
const wavy = "[[[0,40],[10,10],[20,45],[30,5],[40,42],[60,20],[90,25]],[[20,50],[80,48]]]"

func wavyPicture(t *testing.T) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 300, 100))
	for x := range 300 {
		y := 50 + 40*math.Sin(float64(x)/20)
		for d := range 6 {
			m.Set(x, int(y)+d, color.NRGBA{10, 20, 90, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }

// rendered returns the pages of a file as drawn by another program, one pixel
// per point.
func rendered(t *testing.T, by, path string) (pages []*image.RGBA) {
	t.Helper()
	dir := t.TempDir()
	var said string
	var err error
	switch by {
	case "poppler":
		said, err = run(t, "pdftoppm", "-r", "72", "-cropbox", "-png", path, filepath.Join(dir, "page"))
	case "mupdf":
		said, err = run(t, "mutool", "draw", "-q", "-r", "72", "-o", filepath.Join(dir, "page-%03d.png"), path)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", by, err, said)
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		flat := image.NewRGBA(m.Bounds())
		draw.Draw(flat, flat.Bounds(), m, m.Bounds().Min, draw.Src)
		pages = append(pages, flat)
	}
	return pages
}

// box is a rectangle on a page, in pixels.
type box struct {
	name       string
	x, y, w, h float64
}

// inkInside compares two pictures of a page: all new ink in the second must lie
// inside the boxes, and every box must contain some.
func inkInside(t *testing.T, by string, page int, before, after *image.RGBA, boxes []box) {
	t.Helper()
	if before.Bounds() != after.Bounds() {
		t.Errorf("%s, page %d: the size changed from %v to %v", by, page, before.Bounds(), after.Bounds())
		return
	}
	const slack = 1.5
	ink := make([]int, len(boxes))
	stray := 0
	var where image.Point
	for y := range after.Bounds().Dy() {
		for x := range after.Bounds().Dx() {
			if near(before, after, x, y) {
				continue
			}
			hit := false
			for i, b := range boxes {
				px, py := float64(x)+.5, float64(y)+.5
				if px > b.x-slack && px < b.x+b.w+slack && py > b.y-slack && py < b.y+b.h+slack {
					ink[i]++
					hit = true
				}
			}
			if !hit {
				stray++
				where = image.Pt(x, y)
			}
		}
	}
	if stray > 0 {
		t.Errorf("%s, page %d: %d new pixels outside the fields, e.g. %v", by, page, stray, where)
	}
	for i, b := range boxes {
		if ink[i] < 8 {
			t.Errorf("%s, page %d: %s has %d pixels of ink", by, page, b.name, ink[i])
		}
	}
}

func near(a, b *image.RGBA, x, y int) bool {
	i := a.PixOffset(x, y)
	sum := 0
	for k := range 3 {
		sum += int(max(a.Pix[i+k], b.Pix[i+k]) - min(a.Pix[i+k], b.Pix[i+k]))
	}
	return sum < 48
}

// deal is a document from its upload to its completion.
type deal struct {
	data  apptest.Map // of POST /documents
	files []apptest.File
	signs []apptest.Map // body of each person's signature, by position; {} for none
}

// send uploads and sends a deal.
func (d deal) send(t *testing.T, c *apptest.Client) *apptest.Response {
	t.Helper()
	data := apptest.Map{"title": "Deal", "send": true}
	for k, v := range d.data {
		data[k] = v
	}
	return c.Post(t, "/documents", apptest.Multipart(t, data, d.files...)).Want(t, 201)
}

// sign lets everyone sign, in order, and returns the document.
func (d deal) sign(t *testing.T, c *apptest.Client, doc *apptest.Response) *apptest.Response {
	t.Helper()
	n := 0
	for i := range doc.At(t, "invitations").(apptest.List) {
		at := fmt.Sprintf("invitations.%d.", i)
		if s := doc.Text(t, at+"status"); s == "declined" || s == "delegated" || s == "replaced" || doc.Text(t, at+"role") == "viewer" {
			continue
		}
		body := apptest.Map{}
		if n < len(d.signs) {
			body = d.signs[n]
		}
		n++
		doc = c.Post(t, "/documents/"+doc.Text(t, "id")+"/"+doc.Text(t, at+"id")+"/sign", body).Want(t, 200)
	}
	return doc
}

// complete takes a deal from upload to completion.
func (d deal) complete(t *testing.T, c *apptest.Client) *apptest.Response {
	t.Helper()
	doc := d.sign(t, c, d.send(t, c))
	if s := doc.Text(t, "status"); s != "completed" {
		t.Fatalf("the document is %s: %s", s, doc.Body)
	}
	return doc
}

// download returns the completed files of a document and its certificate.
func download(t *testing.T, c *apptest.Client, doc *apptest.Response) (files map[string][]byte, certificate []byte) {
	t.Helper()
	at := "/documents/" + doc.Text(t, "id") + "/download"
	certificate = c.Post(t, at, apptest.Map{"content": "certificate"}).Want(t, 200).Body
	files = map[string][]byte{}
	r := c.Post(t, at, apptest.Map{"format": "zip"}).Want(t, 200)
	for name, b := range unzip(t, r.Body) {
		if strings.HasSuffix(name, ".pdf") && !bytes.Equal(b, certificate) {
			files[name] = b
		}
	}
	keep(t, files)
	return files, certificate
}

// keep saves the files for inspection if PARAPH_KEEP names a folder.
func keep(t *testing.T, files map[string][]byte) {
	t.Helper()
	dir := os.Getenv("PARAPH_KEEP")
	if dir == "" {
		return
	}
	for name, b := range files {
		path := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+"_"+name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
