package pdf

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"paraph/app/pdf/object"
)

// helvetica is the resource name of the font in the default appearance string.
const helvetica = "PpHelv"

// helveticaFont is one of the 14 standard fonts; it is for text whose callers
// bring no appearance, and for viewers that ask the form for a font.
func helveticaFont() dict {
	return dict{"Type": name("Font"), "Subtype": name("Type1"), "BaseFont": name("Helvetica"), "Encoding": name("WinAnsiEncoding")}
}

// plainText draws a value in Helvetica.
func (f *File) plainText(fd *field, w dict, text string) (*object.Appearance, error) {
	width, height := f.widgetSize(w)
	size := 0.0
	if da, ok := f.resolve(fd.dict["DA"]).(object.String); ok {
		var font string
		_, _ = fmt.Sscanf(string(da), "%s %g", &font, &size) // absent: 0, which fits
	}
	return plainText(text, width, height, size)
}

// widgetSize is the size of a widget as displayed.
func (f *File) widgetSize(w dict) (width, height float64) {
	r, _ := f.rect(w["Rect"])
	width, height = r.size()
	if t := f.turn(w); t == 90 || t == 270 {
		return height, width
	}
	return width, height
}

func plainText(text string, width, height, size float64) (*object.Appearance, error) {
	if size <= 0 {
		size = min(max(height*0.6, 4), 12)
	}
	encoded, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		return nil, fmt.Errorf("%w: text that Helvetica lacks needs an appearance", ErrSpec)
	}
	a := &object.Appearance{Width: width, Height: height}
	if encoded == "" {
		return a, nil
	}
	lines := strings.Split(strings.ReplaceAll(encoded, "\r\n", "\n"), "\n")
	y := (height-size*0.72)/2 + max(0, float64(len(lines)-1)*size*0.6)
	a.Content = fmt.Appendf(nil, "/Tx BMC q BT /%s %g Tf 0 g %g TL 2 %g Td", helvetica, round(size), round(size*1.2), round(y))
	for i, line := range lines {
		op := " Tj"
		if i > 0 {
			op = " '"
		}
		a.Content = append(a.Content, ' ')
		// A String can always be written.
		a.Content, _ = object.Append(a.Content, object.String(line))
		a.Content = append(a.Content, op...)
	}
	a.Content = append(a.Content, " ET Q EMC"...)
	a.Resources = func(w object.Writer) dict {
		return dict{"Font": dict{helvetica: w.Add(helveticaFont())}}
	}
	return a, nil
}

// checkMark and radioMark draw the on state of buttons, in vectors.
func checkMark(width, height float64) *object.Appearance {
	s := min(width, height)
	x, y := (width-s)/2, (height-s)/2
	at := func(fx, fy float64) string { return fmt.Sprintf("%g %g", round(x+fx*s), round(y+fy*s)) }
	return &object.Appearance{Width: width, Height: height, Content: fmt.Appendf(nil, "q %g w 1 J 1 j %s m %s l %s l S Q",
		round(s*0.11), at(0.2, 0.52), at(0.42, 0.26), at(0.82, 0.78))}
}

func radioMark(width, height float64) *object.Appearance {
	const k = 0.5523 // of a circle drawn with Bézier curves
	r := min(width, height) * 0.3
	x, y := width/2, height/2
	c := fmt.Appendf(nil, "q %g %g m", round(x+r), round(y))
	for _, q := range [][6]float64{
		{1, k, k, 1, 0, 1}, {-k, 1, -1, k, -1, 0}, {-1, -k, -k, -1, 0, -1}, {k, -1, 1, -k, 1, 0},
	} {
		for i, v := range q {
			c = fmt.Appendf(c, " %g", round([2]float64{x, y}[i%2]+v*r))
		}
		c = append(c, " c"...)
	}
	return &object.Appearance{Width: width, Height: height, Content: append(c, " f Q"...)}
}
