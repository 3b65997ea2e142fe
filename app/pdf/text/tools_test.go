package text_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"paraph/app/pdf/object"
	"paraph/app/pdf/text"
)

// objects collects objects, numbered from 1.
type objects []any

func (o *objects) Add(v any) object.Ref {
	*o = append(*o, v)
	return object.Ref{Number: len(*o)}
}

// A widget is an appearance at a position on the displayed page.
type widget struct {
	x, y       float64 // of its lower left corner, as displayed
	appearance *text.Appearance
}

// writePDF writes a PDF with one page of width by height as displayed, rotated
// by rotate, with the widgets on it, and returns the path of the file.
func writePDF(t testing.TB, set *text.Set, width, height float64, rotate int, widgets ...widget) string {
	t.Helper()
	o := &objects{nil, nil, nil}
	set.Embed(o)
	var fields object.Array
	for i, w := range widgets {
		stream, err := w.appearance.Stream()
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, o.Add(object.Dict{
			"Type": object.Name("Annot"), "Subtype": object.Name("Widget"), "FT": object.Name("Tx"), "F": 4,
			"T": object.TextString(fmt.Sprint("f", i)), "Rect": w.rect(width, height, rotate), "P": object.Ref{Number: 3},
			"AP": object.Dict{"N": o.Add(stream)}, "MK": object.Dict{"R": rotate},
		}))
	}
	(*o)[0] = object.Dict{"Type": object.Name("Catalog"), "Pages": object.Ref{Number: 2}, "AcroForm": object.Dict{"Fields": fields}}
	(*o)[1] = object.Dict{"Type": object.Name("Pages"), "Kids": object.Array{object.Ref{Number: 3}}, "Count": 1}
	box := object.Array{0, 0, width, height}
	if rotate%180 != 0 {
		box = object.Array{0, 0, height, width}
	}
	(*o)[2] = object.Dict{"Type": object.Name("Page"), "Parent": object.Ref{Number: 2}, "MediaBox": box, "Rotate": rotate, "Annots": fields, "Resources": object.Dict{}}
	path := filepath.Join(t.TempDir(), "test.pdf")
	if err := os.WriteFile(path, assemble(t, *o), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rect returns the rectangle of the widget in user space (the displayed page
// rotated back).
func (w widget) rect(width, height float64, rotate int) object.Array {
	x1, y1 := w.x, w.y
	x2, y2 := x1+w.appearance.Box.Width, y1+w.appearance.Box.Height
	switch rotate {
	case 90:
		return object.Array{height - y2, x1, height - y1, x2}
	case 180:
		return object.Array{width - x2, height - y2, width - x1, height - y1}
	case 270:
		return object.Array{y1, width - x2, y2, width - x1}
	}
	return object.Array{x1, y1, x2, y2}
}

func assemble(t testing.TB, o objects) []byte {
	t.Helper()
	b := []byte("%PDF-1.7\n")
	var at []int
	var err error
	for i, v := range o {
		at = append(at, len(b))
		b = fmt.Appendf(b, "%d 0 obj\n", i+1)
		if b, err = object.Append(b, v); err != nil {
			t.Fatal(err)
		}
		b = append(b, "\nendobj\n"...)
	}
	start := len(b)
	b = fmt.Appendf(b, "xref\n0 %d\n0000000000 65535 f \n", len(o)+1)
	for _, n := range at {
		b = fmt.Appendf(b, "%010d 00000 n \n", n)
	}
	return fmt.Appendf(b, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(o)+1, start)
}

// run returns the output of a tool and fails the test on any complaint.
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

// render draws the first page at scale pixels per point.
func render(t testing.TB, path string, scale int) image.Image {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page")
	run(t, "pdftoppm", "-r", fmt.Sprint(72*scale), "-singlefile", "-png", path, out)
	data, err := os.ReadFile(out + ".png")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("SHOW"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(t.Name())+".png"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ink returns the bounding box of everything that is not white.
func ink(m image.Image, in image.Rectangle) image.Rectangle {
	var r image.Rectangle
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if red, green, blue, _ := m.At(x, y).RGBA(); red+green+blue < 3*0xC000 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}
