package signing

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/jpeg" // signatures are uploaded as JPEG or PNG
	_ "image/png"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/pdf/text"
)

// Mark is what a person signs with: a name in a script face, strokes drawn on a
// pad, or a picture.
type Mark struct {
	Type string // typed, drawn, image; "" is typed
	Data string // drawn: JSON [[[x,y],…],…] or a picture; image: PNG or JPEG as data URL or base64
	Text string // typed: the name; "" is the invitation's
	Font string // typed: script1, script2, script3
	Ink  string `json:",omitempty"` // typed and drawn: blue or black; "" is blue
}

// Colours of what is typed or drawn.
const (
	InkBlue  = "blue"
	InkBlack = "black"
)

// colorOf is the colour of an ink on paper.
func colorOf(ink string) text.Color {
	if ink == InkBlack {
		return text.Black()
	}
	return text.Ink()
}

// marks are a person's signature and initials, read and checked.
type marks struct{ signature, initials mark }

type mark struct {
	Type    string
	Text    string
	Font    string
	Strokes [][]text.Point
	Picture []byte
	Ink     string
}

// Bounds of what is drawn or uploaded as a signature.
const (
	maxMarkBytes  = 2 << 20
	maxMarkPixels = 16 << 20
	maxPoints     = 50_000
)

// readMarks checks what a person signs with; what is missing is typed.
func readMarks(f *fault.Fields, inv *Invitation, in SignInput) marks {
	signature := readMark(f, "signature", in.Signature, inv.Name)
	initials := readMark(f, "initials", in.Initials, initialsOf(inv.Name))
	return marks{signature, initials}
}

func readMark(f *fault.Fields, field string, in *Mark, typed string) mark {
	if in == nil {
		return mark{Type: "typed", Text: typed, Font: text.Script1}
	}
	at := f.Under(field)
	m := mark{Type: in.Type, Text: typed, Font: in.Font, Ink: in.Ink}
	if in.Ink != "" && in.Ink != InkBlue && in.Ink != InkBlack {
		at.OneOf("ink", InkBlue, InkBlack)
	}
	switch in.Type {
	case "", "typed":
		m.Type = "typed"
		if in.Text != "" {
			m.Text = line(at, "text", &in.Text, maxName)
		}
		m.Font = face(at, in.Font)
	case "drawn":
		readDrawn(at, &m, in.Data)
	case "image":
		readPicture(at, &m, in.Data)
	default:
		at.OneOf("type", "drawn", "typed", "image")
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

// readDrawn takes strokes of points, or the picture of a pad.
func readDrawn(f *fault.Fields, m *mark, data string) {
	if data == "" {
		f.Required("data")
		return
	}
	if !strings.HasPrefix(data, "[") {
		readPicture(f, m, data)
		return
	}
	if len(data) > maxMarkBytes {
		f.Add("data", "too_large", fault.Number("limit", 2))
		return
	}
	var strokes [][][2]float64
	if err := json.Unmarshal([]byte(data), &strokes); err != nil {
		f.Add("data", "not_strokes.picture")
		return
	}
	points := 0
	for _, s := range strokes {
		var out []text.Point
		for _, p := range s {
			if points++; points > maxPoints || !finite(p[0]) || !finite(p[1]) {
				f.Add("data", "too_many_points", fault.Number("limit", maxPoints))
				return
			}
			out = append(out, text.Point{X: p[0], Y: p[1]})
		}
		if len(out) > 0 {
			m.Strokes = append(m.Strokes, out)
		}
	}
	if points == 0 {
		f.Add("data", "empty")
	}
}

func finite(v float64) bool { return math.Abs(v) < 1e6 }

// readPicture takes a PNG or JPEG as data URL or base64.
func readPicture(f *fault.Fields, m *mark, data string) {
	if data == "" {
		f.Required("data")
		return
	}
	if len(data) > maxMarkBytes*4/3+100 {
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
	case c.Width < 1 || c.Height < 1 || c.Width*c.Height > maxMarkPixels:
		f.Add("data", "too_many_pixels", fault.Number("limit", 16))
	default:
		if _, _, err := image.Decode(bytes.NewReader(raw)); err != nil {
			f.Add("data", "damaged")
			return
		}
		m.Picture = raw
	}
}

func initialsOf(name string) string {
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

// legible refuses text that no font of ours can draw, before anything is signed.
func (s *Service) legible(f *fault.Fields, a *act) {
	check := func(field, v string) {
		if missing := s.Fonts.Missing(v); len(missing) > 0 {
			f.Add(field, "undrawable_characters", fault.Text("characters", strconv.Quote(string(missing))))
		}
	}
	for _, x := range a.document.fieldsOf(a.inv.ID) {
		if !x.drawn() {
			check("fields."+x.label(), a.values[x.ID])
		}
	}
	if a.marks.signature.Type == "typed" {
		check("signature.text", a.marks.signature.Text)
	}
	if a.marks.initials.Type == "typed" {
		check("initials.text", a.marks.initials.Text)
	}
}
