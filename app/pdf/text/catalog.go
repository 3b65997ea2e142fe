package text

import "slices"

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
	{name: "NotoSerifTibetan-Regular", ranges: []rune{0xF00, 0xFFF}},
	{name: "NotoSansThaana-Regular", ranges: []rune{0x780, 0x7BF}},
	{name: "NotoSansTifinagh-Regular", ranges: []rune{0x2D30, 0x2D7F}},
	{name: "NotoSansSyriac-Regular", ranges: []rune{0x700, 0x74F, 0x860, 0x86F}},
	{name: "NotoSansMongolian-Regular", ranges: []rune{0x1800, 0x18AF, 0x11660, 0x1167F}},
	{name: "NotoSansNKo-Regular", ranges: []rune{0x7C0, 0x7FF}},
	{name: "NotoSansCherokee-Regular", ranges: []rune{0x13A0, 0x13FF, 0xAB70, 0xABBF}},
	{name: "NotoSansAdlam-Regular", ranges: []rune{0x1E900, 0x1E95F}},
	{name: "NotoSansCanadianAboriginal-Regular", ranges: []rune{0x1400, 0x167F, 0x18B0, 0x18FF}},
	{name: "NotoSansYi-Regular", ranges: []rune{0xA000, 0xA4CF}},
	{name: "NotoSansVai-Regular", ranges: []rune{0xA500, 0xA63F}},
	{name: "NotoSansOlChiki-Regular", ranges: []rune{0x1C50, 0x1C7F}},
	{name: "NotoSansMeeteiMayek-Regular", ranges: []rune{0xAAE0, 0xAAFF, 0xABC0, 0xABFF}},
	{name: "NotoSansJavanese-Regular", ranges: []rune{0xA980, 0xA9DF}},
	{name: "NotoSansBalinese-Regular", ranges: []rune{0x1B00, 0x1B7F}},
	{name: "NotoSansSundanese-Regular", ranges: []rune{0x1B80, 0x1BBF, 0x1CC0, 0x1CCF}},
	{name: "NotoSansBuginese-Regular", ranges: []rune{0x1A00, 0x1A1F}},
	{name: "NotoSansBatak-Regular", ranges: []rune{0x1BC0, 0x1BFF}},
	{name: "NotoSansCham-Regular", ranges: []rune{0xAA00, 0xAA5F}},
	{name: "NotoSansLepcha-Regular", ranges: []rune{0x1C00, 0x1C4F}},
	{name: "NotoSansLimbu-Regular", ranges: []rune{0x1900, 0x194F}},
	{name: "NotoSansTaiLe-Regular", ranges: []rune{0x1950, 0x197F}},
	{name: "NotoSansNewTaiLue-Regular", ranges: []rune{0x1980, 0x19DF}},
	{name: "NotoSansTaiTham-Regular", ranges: []rune{0x1A20, 0x1AAF}},
	{name: "NotoSansTaiViet-Regular", ranges: []rune{0xAA80, 0xAADF}},
	{name: "NotoSansLisu-Regular", ranges: []rune{0xA4D0, 0xA4FF}},
	{name: "NotoSansSaurashtra-Regular", ranges: []rune{0xA880, 0xA8DF}},
	{name: "NotoSansSylotiNagri-Regular", ranges: []rune{0xA800, 0xA82F}},
	{name: "NotoSansChakma-Regular", ranges: []rune{0x11100, 0x1114F}},
	{name: "NotoSansOsage-Regular", ranges: []rune{0x104B0, 0x104FF}},
	{name: "NotoSansHanifiRohingya-Regular", ranges: []rune{0x10D00, 0x10D3F}},
	{name: "NotoSansBamum-Regular", ranges: []rune{0xA6A0, 0xA6FF, 0x16800, 0x16A3F}},
	{name: "NotoSansMro-Regular", ranges: []rune{0x16A40, 0x16A6F}},
	{name: "NotoSansWarangCiti-Regular", ranges: []rune{0x118A0, 0x118FF}},
	{name: "NotoSansNewa-Regular", ranges: []rune{0x11400, 0x1147F}},
	{name: "NotoSansKayahLi-Regular", ranges: []rune{0xA900, 0xA92F}},
	{name: "NotoSansMiao-Regular", ranges: []rune{0x16F00, 0x16F9F}},
	{name: "NotoSansPahawhHmong-Regular", ranges: []rune{0x16B00, 0x16B8F}},
	{name: "NotoSansMandaic-Regular", ranges: []rune{0x840, 0x85F}},
	{name: "NotoSansSamaritan-Regular", ranges: []rune{0x800, 0x83F}},
	{name: "NotoSansMasaramGondi-Regular", ranges: []rune{0x11D00, 0x11D5F}},
	{name: "NotoSansGunjalaGondi-Regular", ranges: []rune{0x11D60, 0x11DAF}},
	{name: "NotoSansWancho-Regular", ranges: []rune{0x1E2C0, 0x1E2FF}},
	{name: "NotoSansSoraSompeng-Regular", ranges: []rune{0x110D0, 0x110FF}},
	{name: "NotoSansTagalog-Regular", ranges: []rune{0x1700, 0x171F}},
	{name: "NotoSansTagbanwa-Regular", ranges: []rune{0x1760, 0x177F}},
	{name: "NotoSansBuhid-Regular", ranges: []rune{0x1740, 0x175F}},
	{name: "NotoSansHanunoo-Regular", ranges: []rune{0x1720, 0x173F}},
	{name: "NotoSansRejang-Regular", ranges: []rune{0xA930, 0xA95F}},
	{name: "NotoSansCoptic-Regular", ranges: []rune{0x3E2, 0x3EF, 0x2C80, 0x2CFF, 0x102E0, 0x102FF}},
	{name: "NotoSansDeseret-Regular", ranges: []rune{0x10400, 0x1044F}},
	{name: "NotoSansPhagsPa-Regular", ranges: []rune{0xA840, 0xA87F}},
	{name: "NanumSquare-Bold", bold: true, ranges: hangul},
	{name: "NanumSquare-Regular", ranges: hangul},
	{name: "DroidSansFallbackFull", ranges: []rune{0x2E80, 0x9FFF, 0xF900, 0xFAFF, 0xFE30, 0xFE4F, 0xFF00, 0xFFEF, 0x20000, 0x2FFFF}},
	{name: "NanumSquare-Regular", ranges: []rune{0x2E80, 0x9FFF, 0xF900, 0xFAFF, 0xFF00, 0xFFEF}},
	{name: "HanaMinB-Names", ranges: []rune{0x20000, 0x2FFFF}},
	{name: "HanaMinA-Names", ranges: []rune{0x2E80, 0x9FFF, 0xF900, 0xFAFF, 0x20000, 0x2FFFF}},
	{name: "NotoSansMath-Regular", ranges: []rune{0x2000, 0x23FF, 0x27C0, 0x2AFF, 0x1D400, 0x1D7FF}},
	{name: "NotoSansSymbols-Regular", ranges: []rune{0x2100, 0x2BFF, 0x1F000, 0x1FBFF}},
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
	case "", Sans:
		return []string{sans}
	}
	if slices.ContainsFunc(catalog, func(c source) bool { return c.name == s.Face }) {
		return []string{s.Face, sans}
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
