package pdf

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// A drawing is an appearance drawn by this package: marks, blanks and plain
// text.
type drawing struct {
	width, height float64 // as displayed, in points
	rotate        int     // of the page
	content       []byte
	font          ref // the plain font, if the content uses it
}

// Stream implements Appearance.
func (g drawing) Stream() (*object.Stream, error) {
	d := dict{
		"Type": name("XObject"), "Subtype": name("Form"), "Resources": dict{},
		"BBox": array{0, 0, object.Round(g.width), object.Round(g.height)},
	}
	if m := turned(g.rotate, g.width, g.height); m != nil {
		d["Matrix"] = m
	}
	if g.font != (ref{}) {
		d["Resources"] = dict{"Font": dict{plainName: g.font}}
	}
	return &stream{Dict: d, Data: g.content}, nil
}

// embed lets a caller add resources that its appearances share.
func (u *update) embed(add func(object.Writer)) error {
	if add != nil {
		add(u)
	}
	return u.err
}

// form writes the XObject of an appearance.
func (u *update) form(a Appearance) (ref, error) {
	s, err := a.Stream()
	if err != nil {
		return ref{}, fmt.Errorf("appearance: %w", err)
	}
	u.addColours(s.Dict)
	return u.Add(s), nil
}

// normal returns the appearance dictionary of a widget with a single state.
func (u *update) normal(a Appearance) (dict, error) {
	r, err := u.form(a)
	return dict{"N": r}, err
}

// plainName is the resource name of the font of default appearance strings,
// used for text without an appearance from the caller and for viewers that ask
// the form for a font. It is Helvetica, one of the 14 standard fonts, unless
// the caller of Prepare provides another one.
const plainName = "PpText"

func (u *update) plainFont() ref {
	if u.font != (ref{}) {
		return u.font
	}
	fonts := u.f.Dict(u.f.Dict(u.f.Form()["DR"])["Font"])
	if r, ok := fonts[plainName].(ref); ok {
		u.font = r
		return r
	}
	if u.embedFont == nil {
		u.embedFont = addHelvetica
	}
	var err error
	if u.font, err = u.embedFont(u); err != nil && u.err == nil {
		u.err = fmt.Errorf("font of the form: %w", err)
	}
	return u.font
}

func addHelvetica(w object.Writer) (ref, error) {
	return w.Add(dict{
		"Type": name("Font"), "Subtype": name("Type1"), "BaseFont": name("Helvetica"),
		"Encoding": name("WinAnsiEncoding"),
	}), nil
}

// plainValue draws the value of a field in the plain font.
func (u *update) plainValue(fd *document.Field, w dict, text string) (Appearance, error) {
	size := 0.0
	if da, ok := u.f.Resolve(fd.Dict["DA"]).(object.String); ok {
		if parts := strings.Fields(string(da)); len(parts) > 1 {
			size, _ = strconv.ParseFloat(parts[1], 64) // 0 if invalid, which fits the height
		}
	}
	r, _ := u.f.Rect(w["Rect"])
	width, height := r.Size()
	g := drawing{width: width, height: height, rotate: u.f.turn(w)}
	if g.rotate == 90 || g.rotate == 270 {
		g.width, g.height = height, width
	}
	return u.plainText(g, text, size)
}

// plainText fills a drawing with text; size 0 fits the height.
func (u *update) plainText(g drawing, text string, size float64) (Appearance, error) {
	if size <= 0 {
		size = min(max(g.height*0.6, 4), 12)
	}
	encoded, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		return nil, fmt.Errorf("%w: text that the plain font lacks needs an appearance", ErrSpec)
	}
	if encoded == "" {
		return g, nil
	}
	lines := strings.Split(strings.ReplaceAll(encoded, "\r\n", "\n"), "\n")
	y := (g.height-size*0.72)/2 + max(0, float64(len(lines)-1)*size*0.6)
	c := fmt.Appendf(nil, "/Tx BMC q BT /%s %g Tf 0 g %g TL 2 %g Td", plainName, object.Round(size), object.Round(size*1.2), object.Round(y))
	for i, line := range lines {
		c = append(c, ' ')
		if c, err = object.Append(c, object.String(line)); err != nil {
			return nil, err
		}
		if i == 0 {
			c = append(c, " Tj"...)
		} else {
			c = append(c, " '"...)
		}
	}
	g.content, g.font = append(c, " ET Q EMC"...), u.plainFont()
	return g, nil
}

// checkMark and radioMark draw the on state of buttons as vector graphics.
func checkMark(g drawing) drawing {
	s := min(g.width, g.height)
	x, y := (g.width-s)/2, (g.height-s)/2
	at := func(fx, fy float64) string {
		return fmt.Sprintf("%g %g", object.Round(x+fx*s), object.Round(y+fy*s))
	}
	g.content = fmt.Appendf(nil, "q %g w 1 J 1 j %s m %s l %s l S Q",
		object.Round(s*0.11), at(0.2, 0.52), at(0.42, 0.26), at(0.82, 0.78))
	return g
}

func radioMark(g drawing) drawing {
	const k = 0.5523 // control point distance for a circle of Bézier curves
	r := min(g.width, g.height) * 0.3
	x, y := g.width/2, g.height/2
	c := fmt.Appendf(nil, "q %g %g m", object.Round(x+r), object.Round(y))
	for _, q := range [][6]float64{
		{1, k, k, 1, 0, 1}, {-k, 1, -1, k, -1, 0}, {-1, -k, -k, -1, 0, -1}, {k, -1, 1, -k, 1, 0},
	} {
		for i, v := range q {
			c = fmt.Appendf(c, " %g", object.Round([2]float64{x, y}[i%2]+v*r))
		}
		c = append(c, " c"...)
	}
	g.content = append(c, " f Q"...)
	return g
}

// turned returns the form matrix that keeps an appearance of the given size
// upright on a page rotated clockwise by rotate, or nil if none is needed.
func turned(rotate int, width, height float64) array {
	switch rotate {
	case 90:
		return array{0, 1, -1, 0, object.Round(height), 0}
	case 180:
		return array{-1, 0, 0, -1, object.Round(width), object.Round(height)}
	case 270:
		return array{0, -1, 1, 0, 0, object.Round(width)}
	}
	return nil
}
