package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
)

func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out.String(), complaints.String())
	}
	return out.String()
}

// save writes the document to a file and checks it with external tools.
func save(t testing.TB, b *page.Builder) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new.pdf")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	size, err := b.Write(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(path); err != nil || s.Size() != size {
		t.Errorf("reported size %d, file size %v, %v", size, s, err)
	}
	run(t, "qpdf", "--check", path)
	run(t, "mutool", "draw", "-q", "-o", "/dev/null", "-F", "png", path)
	if dir := os.Getenv("SHOW"); dir != "" {
		run(t, "pdftoppm", "-r", "60", "-png", path, filepath.Join(dir, filepath.Base(t.Name())))
		run(t, "cp", path, filepath.Join(dir, filepath.Base(t.Name())+".pdf"))
	}
	return path
}

func picture(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 120, 60))
	for y := range 60 {
		for x := range 120 {
			m.SetNRGBA(x, y, color.NRGBA{uint8(2 * x), uint8(4 * y), 100, uint8(255 - y)})
		}
	}
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }

var when = time.Date(2026, 11, 21, 12, 30, 45, 0, time.UTC)

// canvas draws with every method of a Builder.
func canvas(t testing.TB, fonts *text.Fonts) *page.Builder {
	t.Helper()
	b := page.New(fonts, page.Info{Title: "Größe & <Maß>", Author: "Zoë", Language: "de-AT", Creator: "test", Created: when})
	b.NewPage(300, 200)
	b.Rect(20, 20, 100, 50, 1, 0, 0)
	b.Line(20, 100, 280, 100, 2, 0, 0, 1)
	b.Text(20, 95, 12, false, false, 0, 0, 0, "Größe 漢字 محمد")
	b.Text(20, 120, 12, true, true, 0, 0.5, 0, "fett und kursiv")
	for x, data := range map[float64][]byte{
		20: picture(t, png.Encode), 150: picture(t, asJPEG), 151: picture(t, asJPEG),
	} {
		if err := b.Image(x, 130, 120, 60, data); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestCanvas(t *testing.T) {
	t.Parallel()
	b := canvas(t, text.New())
	if w := b.Measure(12, false, false, "Größe"); w < 20 || w > 50 {
		t.Errorf("width is %v", w)
	}
	if err := b.Image(0, 0, 1, 1, []byte("no")); !errors.Is(err, text.ErrPicture) {
		t.Errorf("no picture: %v", err)
	}
	path := save(t, b)
	if got := run(t, "pdftotext", "-layout", path, "-"); !strings.Contains(got, "Größe 漢字") || !strings.Contains(got, "fett und kursiv") {
		t.Errorf("text is %q", got)
	}
	if got := run(t, "pdfimages", "-list", path); strings.Count(got, "jpeg") != 2 || strings.Count(got, "smask") != 1 {
		t.Errorf("pictures are\n%s", got)
	}
	out := filepath.Join(t.TempDir(), "page")
	run(t, "pdftoppm", "-r", "72", "-singlefile", "-png", path, out)
	f, err := os.Open(out + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[image.Point]string{{25, 25}: "ff0000", {115, 65}: "ff0000", {125, 65}: "ffffff", {150, 100}: "0000ff", {290, 195}: "ffffff"} {
		r, g, bl, _ := m.At(at.X, at.Y).RGBA()
		if got := fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, bl>>8); got != want {
			t.Errorf("colour at %v is %s, want %s", at, got, want)
		}
	}
}

func TestInfoAndMetadataAgree(t *testing.T) {
	t.Parallel()
	path := save(t, canvas(t, text.New()))
	info := run(t, "pdfinfo", path)
	for _, want := range []string{"Größe & <Maß>", "Zoë", "PDF version:     1.7", "2026"} {
		if !strings.Contains(info, want) {
			t.Errorf("no %q in\n%s", want, info)
		}
	}
	meta := run(t, "pdfinfo", "-meta", path)
	for d := xml.NewDecoder(strings.NewReader(meta)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("metadata is not XML: %v\n%s", err, meta)
		}
	}
	for _, want := range []string{"Größe &amp; &lt;Maß&gt;", "<rdf:li>Zoë</rdf:li>", "2026-11-21T12:30:45Z", "<pdfaid:part>2</pdfaid:part>", "de-AT"} {
		if !strings.Contains(meta, want) {
			t.Errorf("no %q in\n%s", want, meta)
		}
	}
}

func TestSameCallsSameBytes(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	var first []byte
	for range 3 {
		b := page.New(fonts, page.Info{Title: "x", Created: when})
		certificate(b)
		var out bytes.Buffer
		if _, err := b.Write(&out); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		}
		if !bytes.Equal(out.Bytes(), first) {
			t.Error("bytes differ")
		}
	}
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	b := page.New(text.New(), page.Info{})
	b.Attach(page.Attachment{Name: "evidence ü.json", MediaType: "application/json", Relationship: "Data", Data: []byte(`{"a":1}`), Modified: when, Description: "Ereignisse"})
	b.Attach(page.Attachment{Name: "a.bin", Data: nil})
	b.Attach(page.Attachment{Name: "a.bin", Data: []byte{1}})
	path := save(t, b)
	if got := run(t, "pdfdetach", "-list", path); !strings.Contains(got, "3 embedded files") {
		t.Errorf("files are %q", got)
	}
	dir := t.TempDir()
	run(t, "pdfdetach", "-saveall", "-o", dir, path)
	if got, err := os.ReadFile(filepath.Join(dir, "evidence ü.json")); err != nil || string(got) != `{"a":1}` {
		t.Errorf("content is %q, %v", got, err)
	}
	if meta := run(t, "pdfinfo", "-meta", path); !strings.Contains(meta, "<pdfaid:part>3</pdfaid:part>") {
		t.Errorf("metadata is %s", meta)
	}
}

func TestEmptyAndOddPages(t *testing.T) {
	t.Parallel()
	b := page.New(text.New(), page.Info{})
	path := save(t, b)
	if got := run(t, "pdfinfo", path); !strings.Contains(got, "Pages:           1") || !strings.Contains(got, "A4") {
		t.Errorf("a document without pages:\n%s", got)
	}
	b = page.New(text.New(), page.Info{})
	b.NewPage(-5, 1e9)
	b.Text(0, 0, -3, false, false, 0, 0, 0, "a\x00\xFF")
	b.Text(0, 0, math.Inf(1), false, false, 7, -1, 0, "a")
	b.Line(0, 0, 0, 0, -1, 0, 0, 0)
	save(t, b)
}

type broken struct{ after int }

func (w *broken) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

func TestWriteReportsErrors(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for _, after := range []int{0, 5000} {
		if _, err := canvas(t, fonts).Write(&broken{after}); err == nil {
			t.Errorf("the error of a writer that is full after %d bytes is not returned", after)
		}
	}
}
