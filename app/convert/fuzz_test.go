package convert_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"os"
	"path/filepath"
	"testing"

	"paraph/app/convert"
)

func FuzzKind(f *testing.F) {
	for _, s := range []string{"%PDF-1.7", "\xff\xd8\xff", "PK\x03\x04", "GIF89a", "\x00\x00\x00\x18ftypheic", "BM"} {
		f.Add([]byte(s), "a.docx")
	}
	f.Add(zipOf(f, "[Content_Types].xml=x", "word/document.xml=x"), "a.zip")
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		kind, err := convert.KindOf(bytes.NewReader(b), int64(len(b)), name)
		if err != nil {
			t.Error(err)
		}
		if head := convert.Kind(b, name); head != kind && head != "zip" && kind != "zip" && !bytes.HasPrefix(b, []byte("PK")) {
			t.Errorf("%q by its head, %q as a whole", head, kind)
		}
	})
}

// FuzzImage checks that any input yields a refusal or a complete file, and a refusal or a picture.
func FuzzImage(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.*")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range seeds {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) < 8000 {
			f.Add(b)
		}
	}
	f.Add(pngOf(f, quarters(8, 8)))
	f.Add(withEXIF(jpegOf(f, quarters(8, 8)), 6, 72))
	f.Add(tiffOf(f, quarters(8, 8)))
	f.Add(exifBlock(binary.BigEndian, 3, 300))
	limits := convert.ImageLimits{Pixels: 1 << 20, Memory: 8 << 20, Pages: 4}
	f.Fuzz(func(t *testing.T, b []byte) {
		var out bytes.Buffer
		err := convert.Image(t.Context(), bytes.NewReader(b), int64(len(b)), &out, limits)
		if _, refused := errors.AsType[*convert.Refusal](err); err != nil && !refused {
			t.Error(err)
		}
		if err == nil && !bytes.HasSuffix(out.Bytes(), []byte("%%EOF\n")) {
			t.Error("the file has no end")
		}
		photo, _, err := convert.Photo(t.Context(), bytes.NewReader(b), int64(len(b)), 64, limits)
		if _, refused := errors.AsType[*convert.Refusal](err); err != nil && !refused {
			t.Error(err)
		}
		if err == nil {
			if m, _, err := image.Decode(bytes.NewReader(photo)); err != nil || max(m.Bounds().Dx(), m.Bounds().Dy()) > 64 {
				t.Errorf("no picture of at most 64 pixels: %v", err)
			}
		}
	})
}
