package convert_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"paraph/app/convert"
)

// photoOf prepares a picture and decodes the result.
func photoOf(t *testing.T, in []byte, longest int) (image.Image, []byte) {
	t.Helper()
	out, kind, err := convert.Photo(t.Context(), bytes.NewReader(in), int64(len(in)), longest, convert.ImageLimits{})
	if err != nil {
		t.Fatal(err)
	}
	m, found, err := image.Decode(bytes.NewReader(out))
	if err != nil || found != kind {
		t.Fatalf("%v, a %s that is said to be a %s", err, found, kind)
	}
	return m, out
}

func TestPhotoIsUpright(t *testing.T) {
	t.Parallel()
	plain, bare := jpegOf(t, quarters(160, 96)), pngOf(t, quarters(160, 96))
	turned := func(o uint16) []byte {
		const header = 8 + 25 // the signature and IHDR
		block := chunk("eXIf", exifBlock(binary.LittleEndian, o, 72))
		return bytes.Join([][]byte{bare[:header], block, bare[header:]}, nil)
	}
	for o, want := range shown {
		for kind, in := range map[string][]byte{"JPEG": withEXIF(plain, o, 72), "PNG": turned(o)} {
			t.Run(fmt.Sprint(kind, " ", o), func(t *testing.T) {
				t.Parallel()
				m, out := photoOf(t, in, 80)
				if got := corners(m); !sameColours(got, want, 12) {
					t.Errorf("corners %v, want %v", got, want)
				}
				w, h := 80, 48
				if o >= 5 {
					w, h = h, w
				}
				if b := m.Bounds(); b.Dx() != w || b.Dy() != h {
					t.Errorf("%v, want %d × %d", b.Max, w, h)
				}
				if bytes.Contains(out, []byte("Exif")) {
					t.Error("metadata is left")
				}
			})
		}
	}
}

// TestPhotoOfEveryKind prepares pictures of every kind that is accepted.
func TestPhotoOfEveryKind(t *testing.T) {
	t.Parallel()
	m := quarters(120, 80)
	for kind, in := range map[string][]byte{"PNG": pngOf(t, m), "JPEG": jpegOf(t, m), "GIF": gifOf(t, m), "TIFF": tiffOf(t, m)} {
		got, _ := photoOf(t, in, 2000)
		if b := got.Bounds(); b.Dx() != 120 || b.Dy() != 80 {
			t.Errorf("%s: %v", kind, b)
		}
		if got := corners(got); !sameColours(got, shown[1], 40) {
			t.Errorf("%s: corners %v", kind, got)
		}
	}
}

// TestPhotoStaysTransparent averages pixels, each as much as it is opaque.
func TestPhotoStaysTransparent(t *testing.T) {
	t.Parallel()
	m := image.NewNRGBA(image.Rect(0, 0, 300, 2))
	for x := range 300 {
		m.SetNRGBA(x, x%2, color.NRGBA{200, 10, 10, 255})
	}
	got, _ := photoOf(t, pngOf(t, m), 100)
	if b := got.Bounds(); b.Dx() != 100 || b.Dy() != 1 {
		t.Fatalf("%v, want 100 × 1", b)
	}
	for x := range 100 {
		c := color.NRGBAModel.Convert(got.At(x, 0)).(color.NRGBA)
		if c.A < 120 || c.A > 135 || c.R < 197 || c.R > 203 || c.G > 13 {
			t.Fatalf("at %d: %v, want red that is half transparent", x, c)
		}
	}
}

func TestPhotosAreRefused(t *testing.T) {
	t.Parallel()
	whole := jpegOf(t, quarters(100, 100))
	for name, tt := range map[string]struct {
		in     []byte
		limits convert.ImageLimits
		want   error
		says   string
	}{
		"no picture":             {[]byte("%PDF-1.7\n%%EOF"), convert.ImageLimits{}, convert.ErrUnsupported, ""},
		"nothing":                {nil, convert.ImageLimits{}, convert.ErrUnsupported, ""},
		"cut":                    {whole[:len(whole)/2], convert.ImageLimits{}, convert.ErrDamaged, ""},
		"too many pixels":        {whole, convert.ImageLimits{Pixels: 9999}, convert.ErrTooLarge, "image_pixels"},
		"too large as PNG":       {pngOf(t, quarters(100, 100)), convert.ImageLimits{Memory: 39_999}, convert.ErrTooLarge, "image_memory"},
		"too large as JPEG":      {whole, convert.ImageLimits{Memory: 14_999}, convert.ErrTooLarge, "image_memory"},
		"GIF of 65,535 × 65,535": {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,"), convert.ImageLimits{}, convert.ErrTooLarge, "image_pixels"},
		"an animation": {[]byte("RIFF\x20\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x01\x00\x00"),
			convert.ImageLimits{}, convert.ErrUnsupported, ""},
	} {
		_, _, err := convert.Photo(t.Context(), bytes.NewReader(tt.in), int64(len(tt.in)), 100, tt.limits)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %v, %s", name, err, tt.want, tt.says)
		}
	}
}
