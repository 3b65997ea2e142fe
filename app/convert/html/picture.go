package html

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // formats whose sizes are read
	_ "image/png"
	"net/url"
	"strings"
)

// picture is a picture within the file.
type picture struct {
	kind string // "png" or "jpeg"
	data []byte
}

// picture writes a picture, or its description if it is not in the file.
func (w *writer) picture(n *node, s style) error {
	data := dataOf(n.attr("src"))
	size, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width < 1 || size.Height < 1 {
		w.found.add(Unlinked, "img")
		if alt := strings.TrimSpace(n.attr("alt")); alt != "" {
			w.text("["+alt+"]", s)
		}
		return nil
	}
	w.pictures = append(w.pictures, picture{kind, data})
	room := max(w.room-w.left-w.right, 12)
	width, height := s.width.of(room), s.height.points
	ratio := float64(size.Height) / float64(size.Width)
	switch {
	case width <= 0 && height <= 0:
		width, height = float64(size.Width)*0.75, float64(size.Height)*0.75
	case width <= 0:
		width = height / ratio
	case height <= 0:
		height = width * ratio
	}
	shrink := min(1, room/width, (w.page.height-w.page.top-w.page.bottom-36)/height)
	extent := fmt.Sprintf(`cx="%d" cy="%d"`, int(max(width*shrink, 1)*12700), int(max(height*shrink, 1)*12700))
	id := len(w.pictures)
	w.begin()
	w.ended = false
	fmt.Fprintf(&w.runs, `<w:r><w:drawing><wp:inline><wp:extent %s/><wp:docPr id="%d" name="%d" descr="%s"/>`+
		`<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>`+
		`<pic:nvPicPr><pic:cNvPr id="%d" name="%d"/><pic:cNvPicPr/></pic:nvPicPr>`+
		`<pic:blipFill><a:blip r:embed="m%d"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext %s/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>`+
		`</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`,
		extent, id, id, escape(n.attr("alt")), id, id, id, extent)
	return nil
}

// dataOf returns the content of a data: address (RFC 2397), nil for any other.
func dataOf(address string) []byte {
	rest, ok := strings.CutPrefix(strings.TrimSpace(address), "data:")
	kind, body, comma := strings.Cut(rest, ",")
	if !ok || !comma {
		return nil
	}
	if body, err := url.PathUnescape(body); err != nil {
		return nil
	} else if !strings.HasSuffix(kind, ";base64") {
		return []byte(body)
	} else {
		body = strings.Join(strings.Fields(body), "")
		data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))
		if err != nil {
			return nil
		}
		return data
	}
}
