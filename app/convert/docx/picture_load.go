package docx

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats found in DOCX files, converted to PNG
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/webp"

	"paraph/app/convert/internal/refuse"
	"paraph/app/convert/internal/tiff"
	"paraph/app/convert/internal/vp8"
	"paraph/app/fault"
)

// Bounds of pictures within a document, in pixels.
const (
	maxPixels     = 40_000_000  // of one passed on unchanged
	maxDecoded    = 24_000_000  // of one that has to be decoded
	maxAllDecoded = 400_000_000 // of all that have to be decoded
)

func (c *collector) load(id string, crop *node) []byte {
	rel, ok := c.part.rels[id]
	if !ok || rel.external {
		c.d.findings.add("picture_missing")
		return nil
	}
	data, err := c.d.pictures.load(c.d.pack, rel.target, readCrop(crop))
	switch {
	case err == nil:
	case errors.Is(err, errPictureFormat):
		c.d.findings.add("picture_format")
	case errors.Is(err, refuse.ErrTooLarge):
		c.d.fail(err)
	default:
		c.d.findings.add("picture_missing")
	}
	return data
}

var errPictureFormat = errors.New("docx: picture format")

// pictures loads each picture once.
type pictures struct {
	loaded  map[pictureKey]loadedPicture
	total   int // bytes
	decoded int // pixels
}

type pictureKey struct {
	name string
	crop crop
}

type loadedPicture struct {
	data []byte
	err  error
}

func (p *pictures) load(pk *pack, name string, cut crop) ([]byte, error) {
	key := pictureKey{name, cut}
	if l, ok := p.loaded[key]; ok {
		return l.data, l.err
	}
	data, err := p.read(pk, name, cut)
	p.total += len(data)
	if p.total > maxAllPicture {
		return nil, refuse.TooLarge("docx_pictures", fault.Number("limit", maxAllPicture>>20))
	}
	p.loaded[key] = loadedPicture{data, err}
	return data, err
}

func (p *pictures) read(pk *pack, name string, cut crop) ([]byte, error) {
	data, err := pk.zip.Read(name, maxPicture)
	if err != nil {
		return nil, err
	}
	config, kind, err := decodeConfig(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errPictureFormat, err)
	case config.Width <= 0 || config.Height <= 0 || config.Width > maxPixels/config.Height:
		return nil, refuse.TooLarge("docx_picture", fault.Number("limit", maxPixels/1_000_000))
	case (kind == "png" || kind == "jpeg") && cut == crop{}:
		return data, nil
	case config.Width*config.Height > maxDecoded || p.decoded > maxAllDecoded:
		return nil, errPictureFormat
	}
	p.decoded += config.Width * config.Height
	img, err := decode(data, kind)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPictureFormat, err)
	}
	return encodePicture(cutPicture(img, cut), kind)
}

func decodeConfig(data []byte) (config image.Config, kind string, err error) {
	if isTIFF(data) {
		config, err = tiff.DecodeConfig(bytes.NewReader(data))
		return config, "tiff", err
	}
	return image.DecodeConfig(bytes.NewReader(data))
}

func decode(data []byte, kind string) (img image.Image, err error) {
	if kind == "tiff" {
		return tiff.Decode(bytes.NewReader(data))
	}
	img, _, err = image.Decode(bytes.NewReader(data))
	if kind == "webp" && err == nil {
		img = vp8.Correct(img)
	}
	return img, err
}

func isTIFF(data []byte) bool {
	return bytes.HasPrefix(data, []byte("II*\x00")) || bytes.HasPrefix(data, []byte("MM\x00*"))
}

func cutPicture(img image.Image, cut crop) image.Image {
	sub, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	})
	r := img.Bounds()
	w, h := float64(r.Dx()), float64(r.Dy())
	to := image.Rect(r.Min.X+int(w*cut.left), r.Min.Y+int(h*cut.top), r.Max.X-int(w*cut.right),
		r.Max.Y-int(h*cut.bottom))
	if !ok || cut.left+cut.right >= 1 || cut.top+cut.bottom >= 1 || to.Empty() {
		return img
	}
	return sub.SubImage(to)
}

func encodePicture(img image.Image, kind string) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if kind == "jpeg" {
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 92})
	} else {
		err = png.Encode(&b, img)
	}
	return b.Bytes(), err
}
