package tiff_test

import (
	"bytes"
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/convert/internal/tiff"
)

// TestPicturesOfEveryKind decodes one picture as it is stored in many ways: a red area and a blue one on white.
func TestPicturesOfEveryKind(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/tiff/*.tif")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := tiff.DecodeConfig(bytes.NewReader(b))
		if err != nil || c.Width != 120 || c.Height != 80 {
			t.Errorf("%s: %d by %d, %v", path, c.Width, c.Height, err)
		}
		m, err := tiff.Decode(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		name := filepath.Base(path)
		red, blue := color.RGBA{220, 30, 30, 255}, color.RGBA{30, 120, 220, 255}
		switch {
		case strings.HasPrefix(name, "group"), strings.HasPrefix(name, "modified"):
			red, blue = color.RGBA{0, 0, 0, 255}, color.RGBA{0, 0, 0, 255}
		case strings.HasPrefix(name, "gray"):
			red, blue = color.RGBA{93, 93, 93, 255}, color.RGBA{123, 123, 123, 255}
		}
		white := color.RGBA{255, 255, 255, 255}
		for at, want := range map[[2]int]color.RGBA{
			{5, 5}: white, {9, 40}: white, {10, 10}: red, {49, 69}: red, {50, 69}: white, {60, 10}: blue, {109, 39}: blue, {85, 40}: white, {119, 74}: white,
		} {
			r, g, b, _ := m.At(at[0], at[1]).RGBA()
			const loss = 45 // of two bits
			for i, d := range []int{int(r>>8) - int(want.R), int(g>>8) - int(want.G), int(b>>8) - int(want.B)} {
				if d < -loss || d > loss {
					t.Errorf("%s: channel %d at %v is off by %d", name, i, at, d)
				}
			}
		}
	}
}

// TestDamagedPictures cuts and changes files at every place: each is decoded or refused.
func TestDamagedPictures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/tiff/*.tif")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(whole); n += 1 + len(whole)/150 {
			for _, b := range [][]byte{whole[:n], changed(whole, n)} {
				c, err := tiff.DecodeConfig(bytes.NewReader(b))
				if err != nil || c.Width*c.Height > 1e6 { // refused before it is decoded
					continue
				}
				m, err := tiff.Decode(bytes.NewReader(b))
				if err == nil && (m.Bounds().Dx() != c.Width || m.Bounds().Dy() != c.Height) {
					t.Errorf("%s, %d: %v is not %d by %d", path, n, m.Bounds(), c.Width, c.Height)
				}
				if u, ok := errors.AsType[tiff.UnsupportedError](err); ok && u.Error() == "" {
					t.Errorf("%s, %d: no reason", path, n)
				}
			}
		}
	}
}

func changed(b []byte, n int) []byte {
	out := bytes.Clone(b)
	out[n] ^= 0xFF
	return out
}
