package redact

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/encoding/charmap"
)

//go:embed metrics.txt
var metricsText string

// standardWidths holds the widths of the characters of the standard fonts, which files don't have to
// contain (ISO 32000-2 §9.6.2.2).
type standardWidths struct {
	byName    map[string][]float64 // a width for each of standardFaces
	byUnicode map[rune][]float64
	byCode    [256][]float64             // in the standard encoding
	symbols   map[string]map[int]float64 // of symbol fonts, by code
}

// standardFaces are the faces in the order of their widths.
const (
	faceSans = iota
	faceSansBold
	faceSerif
	faceSerifBold
	faceSerifItalic
	faceSerifBoldItalic
	faceFixed
)

var standard = sync.OnceValue(func() *standardWidths {
	s := &standardWidths{
		byName: map[string][]float64{}, byUnicode: map[rune][]float64{}, symbols: map[string]map[int]float64{},
	}
	for line := range strings.Lines(metricsText) {
		words := strings.Fields(line)
		switch {
		case words[0] == "#":
		case strings.Contains(words[1], ":"):
			s.symbols[words[0]] = symbolWidths(words[1:])
		default:
			s.add(words)
		}
	}
	return s
})

func (s *standardWidths) add(words []string) {
	const fixed = 600
	widths := make([]float64, 0, faceFixed+1)
	for _, w := range words[3:] {
		widths = append(widths, number(w))
	}
	widths = append(widths, fixed)
	s.byName[words[0]] = widths
	if code := int(number(words[1])); code >= 0 {
		s.byCode[code] = widths
	}
	if r, err := strconv.ParseUint(words[2], 16, 21); err == nil && r > 0 {
		s.byUnicode[rune(r)] = widths
	}
}

func symbolWidths(pairs []string) map[int]float64 {
	out := map[int]float64{}
	for _, p := range pairs {
		code, width, _ := strings.Cut(p, ":")
		out[int(number(code))] = number(width)
	}
	return out
}

// number reads a number of the embedded table.
func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64) // its numbers are valid
	return n
}

// face returns the standard face that a font is drawn in if its file has no other.
func face(base string) (index int, ok bool) {
	if _, after, tagged := strings.Cut(base, "+"); tagged {
		base = after
	}
	base = strings.ReplaceAll(strings.ToLower(base), " ", "")
	bold := strings.Contains(base, "bold")
	italic := strings.Contains(base, "italic") || strings.Contains(base, "oblique")
	has := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(base, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("courier"):
		return faceFixed, true
	case has("arialnarrow", "arialblack", "arialunicode"):
		return 0, false
	case has("helvetica", "arial"):
		if bold {
			return faceSansBold, true
		}
		return faceSans, true
	case has("times"):
		switch {
		case bold && italic:
			return faceSerifBoldItalic, true
		case bold:
			return faceSerifBold, true
		case italic:
			return faceSerifItalic, true
		}
		return faceSerif, true
	}
	return 0, false
}

// standardCodes returns the widths of the codes of a standard font, in thousandths; ok is false if the
// font is another. differences are the names of characters that differ from the base encoding.
func standardCodes(base, encoding string, differences map[int]string) (widths map[int]float64, ok bool) {
	table := standard()
	if symbols := table.symbols[base]; symbols != nil {
		return symbols, len(differences) == 0
	}
	i, ok := face(base)
	if !ok {
		return nil, false
	}
	widths = map[int]float64{}
	for code := range 256 {
		if w := table.in(encoding, code); w != nil {
			widths[code] = w[i]
		}
	}
	for code, n := range differences {
		delete(widths, code)
		if w := table.byName[n]; w != nil {
			widths[code] = w[i]
		}
	}
	return widths, true
}

// in returns the widths of the character that a code means in an encoding.
func (s *standardWidths) in(encoding string, code int) []float64 {
	switch encoding {
	case "WinAnsiEncoding":
		switch code {
		case 0xA0:
			code = ' '
		case 0xAD:
			code = '-'
		}
		return s.byUnicode[charmap.Windows1252.DecodeByte(byte(code))]
	case "MacRomanEncoding":
		return s.byUnicode[charmap.Macintosh.DecodeByte(byte(code))]
	}
	return s.byCode[code]
}
