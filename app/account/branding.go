package account

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	_ "image/jpeg" // the other format of a logo, besides PNG

	"golang.org/x/image/draw"

	"paraph/app/fault"
	"paraph/kv"
)

// Limits of a logo: as uploaded, and as stored, which is twice the largest size
// that a page shows.
const (
	maxLogoBytes  = 2 << 20
	maxLogoPixels = 16 << 20
	maxLogoWidth  = 640
	maxLogoHeight = 160
)

// Logo is a company's picture as it is served: a redrawn PNG, so that only the pixels of the
// uploaded file remain.
type Logo struct {
	PNG  []byte `json:"png"`
	Hash string `json:"hash"`
}

// logos are stored by company. A logo is small, and is backed up with its company.
var logos = kv.NewCollection("logos", kv.JSON[Logo]())

// logoPath returns the path under which pages and mails find the logo of a
// company. It stays the same, so that old mails show the current logo; the
// version after it changes, so that a browser may cache the picture.
func logoPath(companyID, hash string) string { return "/logo/" + companyID + "?v=" + hash[:12] }

// SetLogo sets a PNG or JPEG as the logo of the caller's company.
func (s *Companies) SetLogo(who Call, r io.Reader) (c Company, err error) {
	if err := staff(who, ScopeAdmin); err != nil {
		return Company{}, err
	}
	logo, err := redraw(r)
	if err != nil {
		return Company{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if c, err = LoadCompany(tx, who.CompanyID); err != nil {
			return err
		}
		c.LogoURL, c.UpdatedAt = logoPath(c.ID, logo.Hash), tx.Now
		return errors.Join(logos.Put(tx, c.ID, logo), companies.Put(tx, c.ID, c))
	})
	return c, err
}

// LogoOf returns the logo of a company to anybody: it is shown on the pages for signatories.
func (s *Companies) LogoOf(companyID string) (logo Logo, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		logo, err = logos.Get(tx, companyID)
		return found(err, "logo")
	})
	return logo, err
}

// OwnLogo returns the path of the company's logo if it is stored here, or the inline logo; ""
// if there is none or it is on another host, from which pages load nothing.
func (c Company) OwnLogo() string {
	if strings.HasPrefix(c.LogoURL, "/logo/") || strings.HasPrefix(c.LogoURL, "data:image/") {
		return c.LogoURL
	}
	return ""
}

// dropLogo deletes a stored logo that has been replaced.
func dropLogo(tx *kv.Tx, before, after Company) error {
	if before.LogoURL == after.LogoURL || !strings.HasPrefix(before.LogoURL, "/logo/") {
		return nil
	}
	return logos.Delete(tx, after.ID)
}

func redraw(r io.Reader) (Logo, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxLogoBytes+1))
	switch {
	case err != nil:
		return Logo{}, fault.Malformed("picture_cut_short").Because(err)
	case len(raw) == 0:
		return Logo{}, fault.Invalid("logo", "picture_missing")
	case len(raw) > maxLogoBytes:
		return Logo{}, fault.Invalid("logo", "picture_too_large", fault.Number("limit", 2))
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return Logo{}, fault.Invalid("logo", "picture_type")
	}
	if size.Width < 1 || size.Height < 1 || size.Width > maxLogoPixels/size.Height {
		return Logo{}, fault.Invalid("logo", "picture_too_many_pixels")
	}
	from, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return Logo{}, fault.Invalid("logo", "picture_damaged")
	}
	var out bytes.Buffer
	if err := png.Encode(&out, fitted(from)); err != nil {
		return Logo{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return Logo{PNG: out.Bytes(), Hash: hex.EncodeToString(sum[:])}, nil
}

// fitted scales a picture down to the bounds of a logo; it never enlarges it.
func fitted(from image.Image) image.Image {
	b := from.Bounds()
	scale := min(1, float64(maxLogoWidth)/float64(b.Dx()), float64(maxLogoHeight)/float64(b.Dy()))
	to := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))))
	draw.CatmullRom.Scale(to, to.Bounds(), from, b, draw.Src, nil)
	return to
}

// minContrast is the minimum contrast of text (WCAG 2.2, 1.4.3).
const minContrast = 4.5

// ContrastOnWhite returns the contrast of a colour such as "#1a2b3c" with white,
// from 1 (none) to 21, by WCAG 2. For an invalid colour it returns the lowest
// contrast.
func ContrastOnWhite(c string) float64 {
	if !color.MatchString(c) {
		return 1
	}
	channel := func(i int) float64 {
		v := float64(channelOf(c, i)) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 1.05 / (0.2126*channel(1) + 0.7152*channel(3) + 0.0722*channel(5) + 0.05)
}

// Readable reports whether text of this colour can be read on white, and white
// text on it.
func Readable(c string) bool { return ContrastOnWhite(c) >= minContrast }

// NearestReadable returns the lightest shade of a colour that can be read on
// white: the colour itself if it can.
func NearestReadable(c string) string {
	if Readable(c) || !color.MatchString(c) {
		return c
	}
	for strength := 254; strength > 0; strength-- {
		shade := fmt.Sprintf("#%02x%02x%02x", channelOf(c, 1)*strength/255, channelOf(c, 3)*strength/255, channelOf(c, 5)*strength/255)
		if Readable(shade) {
			return shade
		}
	}
	return "#000000"
}

// channelOf returns the number in the two hexadecimal digits at i.
func channelOf(c string, i int) int {
	n, err := strconv.ParseUint(c[i:i+2], 16, 8)
	if err != nil {
		return 0
	}
	return int(n)
}
