package text_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"paraph/app/pdf/text"
)

// samples has one line for every supported script.
var samples = map[string]string{
	"latin":      "Größe Łódź office façade",
	"vietnamese": "Nguyễn Văn Ánh Đặng",
	"greek":      "Ελληνικά Ωμέγα",
	"cyrillic":   "Привет Україна Љубав",
	"arabic":     "محمد بن عبد الله لا",
	"vowels":     "مُحَمَّد",
	"persian":    "پژوهشگاه چگونه",
	"hebrew":     "שלום עולם",
	"points":     "שָׁלוֹם",
	"devanagari": "हिन्दी क्षत्रिय",
	"bengali":    "বাংলা ক্ষ",
	"gurmukhi":   "ਪੰਜਾਬੀ",
	"gujarati":   "ગુજરાતી",
	"tamil":      "தமிழ் கொ",
	"telugu":     "తెలుగు",
	"kannada":    "ಕನ್ನಡ",
	"malayalam":  "മലയാളം",
	"sinhala":    "සිංහල",
	"thai":       "ภาษาไทย น้ำ",
	"lao":        "ລາວ",
	"khmer":      "ខ្មែរ",
	"burmese":    "မြန်မာ",
	"armenian":   "Հայերեն",
	"georgian":   "ქართული",
	"amharic":    "አማርኛ",
	"japanese":   "漢字かな交じり文カタカナ",
	"chinese":    "简体中文繁體字",
	"korean":     "한국어 뷁 똠방",
	"symbols":    "€≤≥→✓",
	"rare":       "𠮷田 𠀋𨑨 羽",
	"numbers":    "Ⅳ①㊤Ⓐ",
	"tibetan":    "བོད་སྐད་",
	"tifinagh":   "ⵜⴰⵎⴰⵣⵉⵖⵜ",
	"syriac":     "ܠܫܢܐ ܣܘܪܝܝܐ",
	"mongolian":  "ᠮᠣᠩᠭᠣᠯ",
	"cherokee":   "ᏣᎳᎩ ꭰꭱ",
	"inuktitut":  "ᐃᓄᒃᑎᑐᑦ",
	"yi":         "ꆈꌠꁱꂷ",
	"vai":        "ꕙꔤ",
	"santali":    "ᱥᱟᱱᱛᱟᱲᱤ",
	"manipuri":   "ꯃꯤꯇꯩ",
	"javanese":   "ꦗꦮ",
	"balinese":   "ᬩᬮᬶ",
	"lisu":       "ꓡꓲꓢꓴ",
	"osage":      "𐓏𐓘𐓻𐓘𐓻𐓟",
}

func TestFontsAreIntact(t *testing.T) {
	t.Parallel()
	if err := text.New().Check(); err != nil {
		t.Error(err)
	}
}

func TestTextCanBeExtracted(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for _, style := range []text.Style{
		{}, {Bold: true}, {Face: text.Script1}, {Face: text.Script2}, {Face: text.Script3, Italic: true},
	} {
		t.Run(fmt.Sprint(style), func(t *testing.T) {
			t.Parallel()
			set := fonts.NewSet()
			var widgets []widget
			var want []string
			y := 40.0 * float64(len(samples))
			for _, name := range slices.Sorted(maps.Keys(samples)) {
				y -= 40
				want = append(want, plain(samples[name]))
				if missing := fonts.Missing(samples[name]); len(missing) > 0 {
					t.Errorf("no font has %q of %s", missing, name)
				}
				value := text.Field{Text: samples[name], Style: style, Size: 14, Align: text.AlignLeft}
				widgets = append(widgets, widget{10, y, set.Text(text.Box{Width: 380, Height: 30}, value)})
			}
			path := writePDF(t, set, 400, 40*float64(len(samples)), 0, widgets...)
			run(t, "qpdf", "--check", path)
			var got []string
			for line := range strings.Lines(run(t, "pdftotext", path, "-")) {
				if line = plain(line); line != "" {
					got = append(got, line)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("extracted text is\n%+q, want\n%+q", got, want)
			}
		})
	}
}

// plain removes what a reader adds, such as directional marks.
func plain(s string) string {
	return norm.NFC.String(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == '\f' {
			return -1
		}
		return r
	}, s)))
}

func TestFontsAreEmbedded(t *testing.T) {
	t.Parallel()
	set := text.New().NewSet()
	a := set.Text(text.Box{Width: 380, Height: 40}, text.Field{Text: samples["latin"] + samples["arabic"] + samples["korean"]})
	path := writePDF(t, set, 400, 100, 0, widget{10, 30, a})
	lines := strings.Split(strings.TrimSpace(run(t, "pdffonts", path)), "\n")[2:]
	if len(lines) != 3 {
		t.Errorf("%d fonts, want 3: %q", len(lines), lines)
	}
	for _, l := range lines {
		// embedded, a subset, with Unicode
		if !strings.Contains(l, "CID TrueType") || !strings.Contains(l, "Identity-H       yes yes yes") || l[6] != '+' {
			t.Errorf("font is not an embedded subset: %s", l)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for s, want := range map[string][]rune{
		"":                        nil,
		"Zoë\tŁuczak\r\n漢字":       nil,
		"a\u200Db\u200C\uFE0F":    nil,
		"e\u0301 ạ\u0302":         nil,
		"😀 and 😀":                 {'😀'},
		"\x00a\x07":               {0, 7},
		"a\xFFb":                  {unicode.ReplacementChar},
		"\uFFFD":                  nil,
		"𓀀 \uE000 a":              {'𓀀', '\uE000'},
		"👩\u200D👩\u200D👦":         {'👩', '👦'},
		strings.Repeat("x😀", 300): {'😀'},
	} {
		if got := fonts.Missing(s); !slices.Equal(got, want) {
			t.Errorf("Missing(%+q) = %+q, want %+q", s, got, want)
		}
	}
	r := fonts.Layout(text.Style{}, 10, "a😀b")
	if len(r.Glyphs) != 3 || r.Glyphs[1].Text() != "😀" || !slices.Equal(r.Missing, []rune{'😀'}) {
		t.Errorf("a missing character is not shown as one that can be copied: %+v", r)
	}
}

func TestScriptsThatPopplerTakesForLeftToRight(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for _, s := range []string{"ދިވެހި", "ߒߞߏ", "𞤆𞤵𞤤𞤢𞤪", "𐴌𐴟𐴇"} {
		if r := fonts.Layout(text.Style{}, 10, s); !r.RightToLeft || len(r.Missing) > 0 || []rune(r.Glyphs[len(r.Glyphs)-1].Text())[0] != []rune(s)[0] {
			t.Errorf("%q is set as %q, right to left %v, without %q", s, seen(r), r.RightToLeft, r.Missing)
		}
	}
}

func TestMissingCharactersAreWrittenAsCodePoints(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	set := fonts.NewSet()
	box := text.Box{Width: 380, Height: 30}
	unnamed := set.Text(box, text.Field{Text: "𓀀 Amun", Size: 14, Align: text.AlignLeft})
	written := set.Text(box, text.Field{Text: "[U+13000] Amun", Size: 14, Align: text.AlignLeft})
	path := writePDF(t, set, 400, 80, 0, widget{10, 40, unnamed}, widget{10, 0, written})
	if got := fonts.Measure(text.Style{}, 14, "𓀀 Amun"); math.Abs(got-fonts.Measure(text.Style{}, 14, "[U+13000] Amun")) > 0.01 {
		t.Errorf("the code point takes %v points", got)
	}
	if got := run(t, "pdftotext", path, "-"); !strings.Contains(got, "𓀀 Amun") {
		t.Errorf("copied as %q", got)
	}
	a, err := unnamed.Stream()
	if err != nil || len(a.Data) == 0 {
		t.Errorf("nothing is drawn: %v", err)
	}
	if outline, _, _ := fonts.Outline(text.Style{}, 14, "𓀀"); outline == "" {
		t.Error("nothing is shown")
	}
}

func TestTypedNamesKeepToOneHand(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for _, tt := range []struct{ face, name, want string }{
		{"", "Zoë Łuczak", text.Script1},
		{text.Script5, "Zoe", text.Script5},
		{text.Script5, "Ева Петрова", text.Script1},
		{text.Script2, "Ελένη", text.Sans},
		{text.Script1, "김 Kim", "NanumSquare-Regular"},
		{text.Script1, "𓀀", text.Sans},
	} {
		if got := fonts.TypedIn(tt.face, tt.name); got != (text.Style{Face: tt.want}) {
			t.Errorf("%s in %q is typed in %v, want %s", tt.name, tt.face, got, tt.want)
		}
	}
}

func TestInked(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for s, want := range map[string]bool{"": false, "  \u3000": false, "\u200B": false, "\u3164": false, "\uFE0F": false, "\u2800": false, ".": true, "𓀀": true, "吉": true} {
		if got := fonts.Inked(s); got != want {
			t.Errorf("Inked(%+q) = %v", s, got)
		}
	}
}

// seen returns the text of a run from left to right.
func seen(r text.Run) string {
	var b strings.Builder
	for _, g := range r.Glyphs {
		b.WriteString(g.Text())
	}
	return b.String()
}

func TestDirections(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for s, want := range map[string]struct {
		seen string
		rtl  bool
	}{
		"abc":             {"abc", false},
		"אבג":             {"גבא", true},
		"אבג abc":         {"abc גבא", true},
		"abc אבג 123 def": {"abc 123 גבא def", false},
		"abc אבג 1.5":     {"abc 1.5 גבא", false},
		"אבג 123":         {"123 גבא", true},
		"abc ١٢٣ ابج":     {"abc جبا ١٢٣", false},
		"(א) 1*2":         {"2*1 )א(", true},
		"x (א) 1*2":       {"x (א) 2*1", false},
		"123":             {"123", false},
		"a\u202Egpj.exe":  {"agpj.exe", false}, // must not look like a.jpg
	} {
		r := fonts.Layout(text.Style{}, 10, s)
		if got := seen(r); got != want.seen || r.RightToLeft != want.rtl {
			t.Errorf("Layout(%q) is seen as %q, right to left %v; want %q, %v", s, got, r.RightToLeft, want.seen, want.rtl)
		}
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	one, ten := fonts.Measure(text.Style{}, 10, "Hamburg"), fonts.Measure(text.Style{}, 100, "Hamburg")
	if math.Abs(one*10-ten) > 1e-6 || one < 30 || one > 60 {
		t.Errorf("width is %v at 10 points, %v at 100", one, ten)
	}
	if bold := fonts.Measure(text.Style{Bold: true}, 10, "Hamburg"); bold <= one {
		t.Errorf("bold is %v wide, regular %v", bold, one)
	}
	if w := fonts.Measure(text.Style{Face: "no such face"}, 10, "Hamburg"); w != one {
		t.Errorf("an unknown face measures %v, sans %v", w, one)
	}
	r := fonts.Layout(text.Style{}, 10, "")
	if r.Width != 0 || r.Height() < 10 || r.Height() > 20 {
		t.Errorf("an empty line is %v by %v", r.Width, r.Height())
	}
}

func TestWrapLines(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for name, c := range map[string]struct {
		s     string
		width float64
		want  []string
	}{
		"fits":        {"one two", 200, []string{"one two"}},
		"words":       {"one two three", 40, []string{"one two", "three"}},
		"breaks":      {"one\r\ntwo\n\nthree\u2028four", 200, []string{"one", "two", "", "three", "four"}},
		"long word":   {"a Donaudampfschiff b", 50, []string{"a", "Donauda", "mpfschiff", "b"}},
		"hyphen":      {"long-winded", 35, []string{"long-", "winded"}},
		"chinese":     {"简体中文繁體字", 41, []string{"简体中文", "繁體字"}},
		"no width":    {"abc", 0, []string{"a", "b", "c"}},
		"marks":       {"e\u0301e\u0301", 0, []string{"e\u0301", "e\u0301"}},
		"empty":       {"", 10, []string{""}},
		"many spaces": {"a" + strings.Repeat(" ", 50) + "b", 20, []string{"a", "b"}},
	} {
		var got []string
		for _, r := range fonts.WrapLines(text.Style{}, 10, c.width, c.s) {
			got = append(got, norm.NFD.String(seen(r)))
		}
		for i := range c.want {
			c.want[i] = norm.NFD.String(c.want[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: lines are %q, want %q", name, got, c.want)
		}
	}
}

// The direction of a paragraph applies to all its lines, and each line has its
// words in order.
func TestWrapKeepsDirection(t *testing.T) {
	t.Parallel()
	lines := text.New().WrapLines(text.Style{}, 10, 60, "אבגד הוזח abc def ghi jkl טיכל")
	if len(lines) < 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, l := range lines {
		if !l.RightToLeft || l.Width > 60.01 {
			t.Errorf("line %q: right to left %v, width %v", seen(l), l.RightToLeft, l.Width)
		}
	}
}

// The running time grows linearly with the length of the text, not with its
// square.
func TestLayoutTimeIsLinear(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	const n = 50_000
	for name, s := range map[string]string{
		"word": strings.Repeat("w", n), "digits": "א" + strings.Repeat("1", n) + "א b", "marks": "a" + strings.Repeat("\u0301", n),
		"missing": strings.Repeat("😀", n), "brackets": strings.Repeat("(", n/2) + "א" + strings.Repeat(")", n/2),
	} {
		start := time.Now()
		lines := fonts.WrapLines(text.Style{}, 10, 300, s)
		if took := time.Since(start); len(lines) == 0 || took > time.Minute {
			t.Errorf("%s: %d lines in %v", name, len(lines), took)
		}
	}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for _, face := range text.Scripts() {
		path, w, h := fonts.Outline(text.Style{Face: face}, 40, "Zoë محمد न्दी")
		if !strings.HasPrefix(path, "M") || !strings.HasSuffix(path, "Z") || w < 50 || h < 30 {
			t.Errorf("%s: outline %.40q, %v by %v", face, path, w, h)
		}
		if strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune("MLQCZ0123456789.- ", r) }) {
			t.Errorf("%s: not a path: %.80q", face, path)
		}
	}
	if path, w, _ := fonts.Outline(text.Style{}, 40, ""); path != "" || w != 0 {
		t.Errorf("outline of nothing is %q, %v", path, w)
	}
}

func TestScriptsFor(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for name, want := range map[string]int{"Maria da Silva-O'Neill, Jr.": 6, "Jörg Weiß": 6, "Łukasz Żółć": 6, "Ömer Çelikoğlu": 6, "Zoe\u0308": 6,
		"Ștefan Țurcanu": 4, "Ольга Ґонта": 4, "Nguyễn Văn Đức": 3, "محمد": 1, "王小明": 1, "": 6} {
		if got := fonts.ScriptsFor(name); len(got) != want {
			t.Errorf("%s: %d faces, %v, not %d", name, len(got), got, want)
		}
	}
}

// One Fonts serves many goroutines and reads each font once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			for _, s := range []string{samples["latin"], samples["hebrew"], samples["thai"]} {
				set := fonts.NewSet()
				set.Text(text.Box{Width: 100, Height: 20}, text.Field{Text: s})
				set.Embed(&objects{})
				fonts.Outline(text.Style{Face: text.Script1}, 20, s)
			}
		})
	}
	g.Wait()
}

// TestLinesBreakBetweenThaiWords wraps a sentence without spaces.
func TestLinesBreakBetweenThaiWords(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range text.New().WrapLines(text.Style{}, 10, 60, "ผู้เช่าต้องชำระค่าเช่าภายในวันที่ห้าของทุกเดือน") {
		got = append(got, seen(r))
	}
	if want := []string{"ผู้เช่าต้องชำระ", "ค่าเช่าภายในวัน", "ที่ห้าของทุก", "เดือน"}; !slices.Equal(got, want) {
		t.Errorf("lines are %q, want %q", got, want)
	}
}
