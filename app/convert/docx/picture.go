package docx

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats found in DOCX files, converted to PNG
	"image/jpeg"
	"image/png"
	"strings"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"paraph/app/convert/internal/refuse"
	"paraph/app/convert/internal/vp8"
	"paraph/app/fault"
)

// Bounds of pictures within a document, in pixels.
const (
	maxPixels     = 40_000_000  // of one passed on unchanged
	maxDecoded    = 24_000_000  // of one that has to be decoded
	maxAllDecoded = 400_000_000 // of all that have to be decoded
)

// picture is a sized object in a line of text, or at its own position on the
// page.
type picture struct {
	width, height float64
	data          []byte // JPEG or PNG; nil: an empty frame
	rule          bool   // a horizontal line over the whole width
	anchor        *anchor
}

// anchor places a picture independently of the text.
type anchor struct {
	fromH, fromV   string // page, margin, column, paragraph, …
	alignH, alignV string // left, center, right; top, center, bottom; "" by offset
	x, y           float64
}

// graphic adds drawn content; a run's other elements show nothing.
func (c *collector) graphic(k *node, f *format) {
	switch k.name {
	case "w:drawing":
		for _, g := range k.kids {
			if g.name == "wp:inline" || g.name == "wp:anchor" {
				c.drawing(g, f)
			}
		}
	case "w:pict":
		c.vml(k, f)
	case "w:object":
		c.d.findings.add("object")
		c.vml(k, f)
	}
}

// drawing reads DrawingML (§20.4).
func (c *collector) drawing(g *node, f *format) {
	width, height := emu(g.child("wp:extent").attr("cx")), emu(g.child("wp:extent").attr("cy"))
	uri := g.child("a:graphic", "a:graphicData").attr("uri")
	at := readAnchor(g)
	if g.name == "wp:anchor" && at == nil {
		c.d.findings.add("floating_picture")
	}
	shown := false
	g.each("pic:pic", func(p *node) {
		shown = true
		c.drawingPicture(g, p, width, height, at, f)
	})
	g.each("w:txbxContent", func(t *node) {
		shown = true
		c.d.findings.add("text_box")
		c.boxes = append(c.boxes, t)
	})
	switch {
	case shown:
	case strings.HasSuffix(uri, "/chart"), strings.HasSuffix(uri, "/chartex"):
		c.d.findings.add("chart")
		c.place(&picture{width: width, height: height}, f)
	case strings.HasSuffix(uri, "/diagram"):
		c.d.findings.add("smartart")
		c.place(&picture{width: width, height: height}, f)
	default:
		c.d.findings.add("shape")
	}
}

func (c *collector) drawingPicture(g, p *node, width, height float64, at *anchor, f *format) {
	xfrm := p.child("pic:spPr", "a:xfrm")
	if xfrm.attr("rot") != "" && xfrm.attr("rot") != "0" || xfrm.attr("flipH") == "1" || xfrm.attr("flipV") == "1" {
		c.d.findings.add("picture_rotated")
	}
	if g.find("wpg:wgp") != nil { // of a group: use the picture's own size
		width, height = emu(xfrm.child("a:ext").attr("cx")), emu(xfrm.child("a:ext").attr("cy"))
		at = nil
	}
	fill := p.child("pic:blipFill")
	pic := &picture{width: width, height: height, anchor: at}
	pic.data = c.load(orString(fill.child("a:blip").attr("r:link"), fill.child("a:blip").attr("r:embed")), fill.child("a:srcRect"))
	c.place(pic, f)
}

// readAnchor returns the position of a picture that text does not flow around.
func readAnchor(g *node) *anchor {
	free := g.child("wp:wrapNone") != nil || readFlag(g.attr("behindDoc")) == on
	if g.name != "wp:anchor" || !free {
		return nil
	}
	h, v := g.child("wp:positionH"), g.child("wp:positionV")
	a := &anchor{fromH: h.attr("relativeFrom"), fromV: v.attr("relativeFrom")}
	if n := h.child("wp:align"); n != nil {
		a.alignH = strings.TrimSpace(n.text)
	} else if n := h.child("wp:posOffset"); n != nil {
		a.x = emu(n.text)
	}
	if n := v.child("wp:align"); n != nil {
		a.alignV = strings.TrimSpace(n.text)
	} else if n := v.child("wp:posOffset"); n != nil {
		a.y = emu(n.text)
	}
	return a
}

// vml reads the older kind of drawing.
func (c *collector) vml(k *node, f *format) {
	shown := false
	k.each("w:txbxContent", func(t *node) {
		shown = true
		c.d.findings.add("text_box")
		c.boxes = append(c.boxes, t)
	})
	for _, s := range shapes(k) {
		switch {
		case s.find("v:textpath") != nil:
			shown = true
			c.d.findings.add("watermark")
		case s.child("v:imagedata") != nil:
			shown = true
			w, h := vmlSize(s.attr("style"))
			pic := &picture{width: w, height: h, data: c.load(s.child("v:imagedata").attr("r:id"), nil)}
			c.place(pic, f)
		case readVMLFlag(s.attr("o:hr")):
			shown = true
			c.place(&picture{height: 1.5, rule: true}, f)
		}
	}
	if !shown && k.name == "w:pict" && len(shapes(k)) > 0 {
		c.d.findings.add("shape")
	}
}

func readVMLFlag(s string) bool { return s == "t" || s == "true" }

// shapes returns the shapes of a VML picture, including those in groups.
func shapes(k *node) (out []*node) {
	for _, s := range k.kids {
		switch s.name {
		case "v:shape", "v:rect", "v:roundrect", "v:line", "v:oval":
			out = append(out, s)
		case "v:group":
			out = append(out, shapes(s)...)
		}
	}
	return out
}

// vmlSize reads "width:10pt;height:20pt".
func vmlSize(style string) (w, h float64) {
	for _, p := range strings.Split(style, ";") {
		name, value, _ := strings.Cut(p, ":")
		switch strings.TrimSpace(name) {
		case "width":
			w = measure(strings.TrimSpace(value), 0.75).points
		case "height":
			h = measure(strings.TrimSpace(value), 0.75).points
		}
	}
	return w, h
}

// place adds a picture, with a default size if it has no sensible one.
func (c *collector) place(p *picture, f *format) {
	if p.width < 1 || p.height < 1 {
		p.width, p.height = max(p.width, 1), max(p.height, 1)
	}
	c.add(item{kind: pictureItem, f: f, pic: p})
}

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

// crop holds how much to cut off each side of a picture, as fractions of its size.
type crop struct{ left, top, right, bottom float64 }

func readCrop(n *node) crop {
	side := func(name string) float64 { return min(max(measure(n.attr(name), 1.0/100000).points, 0), 0.99) }
	return crop{side("l"), side("t"), side("r"), side("b")}
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
	config, kind, err := image.DecodeConfig(bytes.NewReader(data))
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
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPictureFormat, err)
	}
	if kind == "webp" {
		img = vp8.Correct(img)
	}
	return encodePicture(cutPicture(img, cut), kind)
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
