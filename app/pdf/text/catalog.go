package text

// A source is a font embedded in the program.
type source struct {
	name   string // of the file, and of the font in a PDF
	bold   bool   // only for bold text; precedes its regular font in the catalog
	ranges []rune // pairs of first and last rune to use it for; nil: by name only
}

// catalog lists the fonts. Fallback fonts are tried in this order, and only for
// runes in their ranges, so that fonts are not read needlessly.
var catalog = []source{
	{name: "NotoSans-Regular"},
	{name: "NotoSans-Bold"},
	{name: "NotoSans-Italic"},
	{name: "NotoSans-BoldItalic"},
	{name: "Caveat-Regular"},
	{name: "DancingScript-Regular"},
	{name: "GreatVibes-Regular"},
	{name: "MarckScript-Regular"},
	{name: "Sacramento-Regular"},
	{name: "BadScript-Regular"},
	{name: "NotoNaskhArabic-Bold", bold: true, ranges: arabic},
	{name: "NotoNaskhArabic-Regular", ranges: arabic},
	{name: "NotoSansHebrew-Bold", bold: true, ranges: hebrew},
	{name: "NotoSansHebrew-Regular", ranges: hebrew},
	{name: "NotoSansDevanagari-Bold", bold: true, ranges: devanagari},
	{name: "NotoSansDevanagari-Regular", ranges: devanagari},
	{name: "NotoSansThai-Bold", bold: true, ranges: thai},
	{name: "NotoSansThai-Regular", ranges: thai},
	{name: "NotoSansArmenian-Bold", bold: true, ranges: armenian},
	{name: "NotoSansArmenian-Regular", ranges: armenian},
	{name: "NotoSansGeorgian-Bold", bold: true, ranges: georgian},
	{name: "NotoSansGeorgian-Regular", ranges: georgian},
	{name: "NotoSansBengali-Regular", ranges: []rune{0x980, 0x9FF}},
	{name: "NotoSansGurmukhi-Regular", ranges: []rune{0xA00, 0xA7F}},
	{name: "NotoSansGujarati-Regular", ranges: []rune{0xA80, 0xAFF}},
	{name: "NotoSansOriya-Regular", ranges: []rune{0xB00, 0xB7F}},
	{name: "NotoSansTamil-Regular", ranges: []rune{0xB80, 0xBFF}},
	{name: "NotoSansTelugu-Regular", ranges: []rune{0xC00, 0xC7F}},
	{name: "NotoSansKannada-Regular", ranges: []rune{0xC80, 0xCFF}},
	{name: "NotoSansMalayalam-Regular", ranges: []rune{0xD00, 0xD7F}},
	{name: "NotoSansSinhala-Regular", ranges: []rune{0xD80, 0xDFF}},
	{name: "NotoSansLao-Regular", ranges: []rune{0xE80, 0xEFF}},
	{name: "NotoSansMyanmar-Regular", ranges: []rune{0x1000, 0x109F, 0xA9E0, 0xA9FF, 0xAA60, 0xAA7F}},
	{name: "NotoSansEthiopic-Regular", ranges: []rune{0x1200, 0x139F, 0x2D80, 0x2DDF, 0xAB00, 0xAB2F}},
	{name: "NotoSansKhmer-Regular", ranges: []rune{0x1780, 0x17FF, 0x19E0, 0x19FF}},
	{name: "NanumSquare-Bold", bold: true, ranges: hangul},
	{name: "NanumSquare-Regular", ranges: hangul},
	{name: "DroidSansFallbackFull", ranges: []rune{0x2E80, 0x9FFF, 0xF900, 0xFAFF, 0xFE30, 0xFE4F, 0xFF00, 0xFFEF, 0x20000, 0x2FFFF}},
	{name: "NanumSquare-Regular", ranges: []rune{0x2E80, 0x9FFF, 0xF900, 0xFAFF, 0xFF00, 0xFFEF}},
	{name: "NotoSansMath-Regular", ranges: []rune{0x2000, 0x23FF, 0x27C0, 0x2AFF, 0x1D400, 0x1D7FF}},
	{name: "NotoSansSymbols2-Regular", ranges: []rune{0x2000, 0x2BFF, 0x1F000, 0x1FBFF}},
}

var (
	arabic     = []rune{0x600, 0x6FF, 0x750, 0x77F, 0x8A0, 0x8FF, 0xFB50, 0xFDFF, 0xFE70, 0xFEFF}
	hebrew     = []rune{0x590, 0x5FF, 0xFB1D, 0xFB4F}
	devanagari = []rune{0x900, 0x97F, 0x1CD0, 0x1CFF, 0xA8E0, 0xA8FF}
	thai       = []rune{0xE00, 0xE7F}
	armenian   = []rune{0x530, 0x58F, 0xFB13, 0xFB17}
	georgian   = []rune{0x10A0, 0x10FF, 0x1C90, 0x1CBF, 0x2D00, 0x2D2F}
	hangul     = []rune{0x1100, 0x11FF, 0x3130, 0x318F, 0xA960, 0xA97F, 0xAC00, 0xD7FF}
)

// primary returns the names of the fonts that define the look of a style, first
// choice first. Later ones supply glyphs missing from a script face.
func (s Style) primary() []string {
	sans := "NotoSans-Regular"
	switch {
	case s.Bold && s.Italic:
		sans = "NotoSans-BoldItalic"
	case s.Bold:
		sans = "NotoSans-Bold"
	case s.Italic:
		sans = "NotoSans-Italic"
	}
	switch s.Face {
	case Script1:
		return []string{"Caveat-Regular", sans}
	case Script2:
		return []string{"DancingScript-Regular", sans}
	case Script3:
		return []string{"GreatVibes-Regular", sans}
	case Script4:
		return []string{"MarckScript-Regular", sans}
	case Script5:
		return []string{"Sacramento-Regular", sans}
	case Script6:
		return []string{"BadScript-Regular", sans}
	}
	return []string{sans}
}

// covers reports whether to try the font for r.
func (s *source) covers(r rune, bold bool) bool {
	if s.bold && !bold {
		return false
	}
	for i := 0; i+1 < len(s.ranges); i += 2 {
		if r >= s.ranges[i] && r <= s.ranges[i+1] {
			return true
		}
	}
	return false
}
