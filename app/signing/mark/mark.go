// Package mark reads the marks people sign with: names in a script face, strokes, and pictures.
package mark

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // signatures are uploaded as JPEG or PNG
	_ "image/png"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/pdf/text"
)

// Mark is a person's signature or initials as entered: a name in a script face, strokes drawn on a pad, or a picture.
type Mark struct {
	Type string // typed, drawn, image; "" is typed
	Data string // drawn: JSON [[[x,y,pen],…],…] or a picture; image: PNG or JPEG as data URL or base64
	Text string // typed: the name; "" is the invitation's
	Font string // typed: script1 to script6
	Ink  string `json:",omitempty"` // typed and drawn: blue or black; "" is blue
}

// The types of marks, as the API names them.
const (
	TypeTyped = "typed" // a name in a script face
	TypeDrawn = "drawn"
	TypeImage = "image"
)

// Types lists the types of marks.
func Types() []string { return []string{TypeDrawn, TypeTyped, TypeImage} }

// Colours of typed and drawn marks.
const (
	InkBlue  = "blue"
	InkBlack = "black"
)

// ColorOf returns the colour of an ink on paper.
func ColorOf(ink string) text.Color {
	if ink == InkBlack {
		return text.Black()
	}
	return text.Ink()
}

// Drawn is a mark that has been read and checked.
type Drawn struct {
	Type    string
	Text    string
	Font    string
	Strokes [][]text.Point
	Picture []byte
	Ink     string
}

// Limits of a drawn or uploaded signature.
const (
	maxBytes  = 2 << 20
	maxPixels = 16 << 20
	maxPoints = 50_000
)

// Read checks a mark entered for a field. If there is none, the name is typed.
func Read(f *fault.Fields, field string, in *Mark, typed string) Drawn {
	if in == nil {
		return Drawn{Type: TypeTyped, Text: typed, Font: text.Script1}
	}
	at := f.Under(field)
	m := Drawn{Type: in.Type, Text: typed, Font: in.Font, Ink: in.Ink}
	if in.Ink != "" && in.Ink != InkBlue && in.Ink != InkBlack {
		at.OneOf("ink", InkBlue, InkBlack)
	}
	switch in.Type {
	case "", TypeTyped:
		m.Type = TypeTyped
		if in.Text != "" {
			m.Text = in.Text
		}
		m.Font = face(at, in.Font)
	case TypeDrawn:
		readDrawn(at, &m, in.Data)
	case TypeImage:
		readPicture(at, &m, in.Data)
	default:
		at.OneOf("type", TypeDrawn, TypeTyped, TypeImage)
	}
	return m
}

func face(f *fault.Fields, font string) string {
	if font == "" {
		return text.Script1
	}
	for _, s := range append(text.Scripts(), text.Sans) {
		if font == s {
			return s
		}
	}
	f.OneOf("font", append(text.Scripts(), text.Sans)...)
	return ""
}

// readDrawn reads strokes of points, or the picture of a pad.
func readDrawn(f *fault.Fields, m *Drawn, data string) {
	if data == "" {
		f.Required("data")
		return
	}
	if !strings.HasPrefix(data, "[") {
		readPicture(f, m, data)
		return
	}
	if len(data) > maxBytes {
		f.Add("data", "too_large", fault.Number("limit", 2))
		return
	}
	strokes, err := Strokes(data)
	points := 0
	for _, s := range strokes {
		for _, p := range s {
			if points++; points > maxPoints || !finite(p.X) || !finite(p.Y) {
				f.Add("data", "too_many_points", fault.Number("limit", maxPoints))
				return
			}
		}
	}
	switch {
	case err != nil:
		f.Add("data", "not_strokes.picture")
	case points == 0, dot(strokes):
		f.Add("data", "empty")
	default:
		m.Strokes = strokes
	}
}

// dot reports whether a pen only touched one point.
func dot(strokes [][]text.Point) bool {
	first := strokes[0][0]
	return !slices.ContainsFunc(strokes, func(s []text.Point) bool {
		return slices.ContainsFunc(s, func(p text.Point) bool { return p.X != first.X || p.Y != first.Y })
	})
}

func finite(v float64) bool { return math.Abs(v) < 1e6 }

// readPicture reads a PNG or JPEG as data URL or base64.
func readPicture(f *fault.Fields, m *Drawn, data string) {
	if data == "" {
		f.Required("data")
		return
	}
	if len(data) > maxBytes*4/3+100 {
		f.Add("data", "too_large", fault.Number("limit", 2))
		return
	}
	if _, rest, ok := strings.Cut(data, ";base64,"); ok && strings.HasPrefix(data, "data:image/") {
		data = rest
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
	if err != nil {
		f.Add("data", "not_a_picture")
		return
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(raw))
	switch {
	case err != nil || format != "png" && format != "jpeg":
		f.Add("data", "not_a_picture")
	case c.Width < 1 || c.Height < 1 || c.Width*c.Height > maxPixels:
		f.Add("data", "too_many_pixels", fault.Number("limit", 16))
	default:
		decoded, _, err := image.Decode(bytes.NewReader(raw))
		if err != nil {
			f.Add("data", "damaged")
			return
		}
		switch seen, solid := inked(decoded); {
		case seen < faintest:
			f.Add("data", "empty")
		case solid:
			f.Add("data", "too_dark")
		default:
			m.Picture = raw
		}
	}
}

const (
	faintest  = 0.0005 // of a picture has to be seen on white paper
	darkest   = 0.6    // of a picture may be too dark for text beneath it to be read
	thickness = 4      // a line may be darker: it is so many times as long as it is thick
)

// inked returns how much of a picture can be seen on paper, and whether it is one dark area that would
// hide what is beneath.
func inked(picture image.Image) (seen float64, solid bool) {
	size, seen, dark := text.Inked(picture)
	long, short := max(size.X, size.Y), min(size.X, size.Y)
	return seen, dark > darkest && long < thickness*short
}

// Initials returns the first letters of a name's words.
func Initials(name string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(name) {
		r, _ := utf8.DecodeRuneInString(word)
		b.WriteRune(r)
		if b.Len() > 12 {
			break
		}
	}
	return strings.ToUpper(b.String())
}

// Oversize reports whether the data of a mark is longer than Read could accept.
func (m *Mark) Oversize() bool { return len(m.Data) > maxBytes*4/3+100 }
