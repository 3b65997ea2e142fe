package docx_test

import (
	"cmp"
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The text area of the default test page begins at 72 and is 451.3 wide.
const (
	leftEdge  = 72.0
	rightEdge = 595.3 - 72
)

const words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "

func TestAlignmentPositionsText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, props string
		want        float64 // x of the text "Text", which is 20 wide
	}{
		{"left", `<w:jc w:val="left"/>`, leftEdge},
		{"right", `<w:jc w:val="right"/>`, rightEdge - 20},
		{"center", `<w:jc w:val="center"/>`, (leftEdge+rightEdge)/2 - 10},
		{"indent", `<w:ind w:left="720"/>`, leftEdge + 36},
		{"first line", `<w:ind w:left="720" w:firstLine="360"/>`, leftEdge + 54},
		{"hanging", `<w:ind w:left="720" w:hanging="360"/>`, leftEdge + 18},
		{"right to left", `<w:bidi/>`, rightEdge - 20},
		{"right to left, end", `<w:bidi/><w:jc w:val="right"/>`, leftEdge},
		{"right to left, indent", `<w:bidi/><w:ind w:left="720"/>`, rightEdge - 36 - 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := body(t, p(tt.props, "Text")).find(t, "Text")
			if !near(got.x, tt.want) {
				t.Errorf("x is %.1f, want %.1f", got.x, tt.want)
			}
		})
	}
}

func TestIndentBeyondThePageKeepsText(t *testing.T) {
	t.Parallel()
	c := body(t, p(`<w:ind w:left="72000" w:right="72000"/>`, "Text"))
	if got := strings.ReplaceAll(c.pages[0].text(), "\n", ""); got != "Text" {
		t.Errorf("page text is %q", got)
	}
	for _, d := range c.pages[0].texts {
		if d.x < leftEdge || d.x > rightEdge-5 {
			t.Errorf("text at %.1f", d.x)
		}
	}
}

func TestJustifiedLinesReachTheEdge(t *testing.T) {
	t.Parallel()
	c := body(t, p(`<w:jc w:val="both"/>`, words+words))
	ends := map[float64]float64{}
	for _, d := range c.pages[0].texts {
		ends[d.y] = max(ends[d.y], d.x+float64(len(strings.TrimSpace(d.s)))*d.size/2)
	}
	if len(ends) < 2 {
		t.Fatalf("%d lines, want several", len(ends))
	}
	last := 0.0
	for y := range ends {
		last = max(last, y)
	}
	for y, x := range ends {
		if y != last && !near(x, rightEdge) {
			t.Errorf("the line at %.1f ends at %.1f, want %.1f", y, x, rightEdge)
		}
	}
	if ends[last] > rightEdge-20 {
		t.Errorf("the last line was stretched to %.1f", ends[last])
	}
}

func TestLinesStayWithinTheColumn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 500)
	c := body(t, p("", words+long+" "+words))
	for _, d := range c.pages[0].texts {
		if end := d.x + float64(len(strings.TrimRight(d.s, " ")))*d.size/2; end > rightEdge+0.1 {
			t.Errorf("%.20q ends at %.1f", d.s, end)
		}
	}
	if got := strings.Count(strings.ReplaceAll(c.pages[0].text(), "\n", ""), "x"); got != 504 { // "six" and "sixteen" add one each, twice
		t.Errorf("%d of the long word's letters were drawn", got-4)
	}
}

func TestCharacterFormatIsDrawn(t *testing.T) {
	t.Parallel()
	c := body(t, "<w:p>"+
		r(`<w:b/>`, "bold")+r(`<w:i/>`, "italic")+r(`<w:b w:val="0"/>`, "plain")+
		r(`<w:color w:val="FF0000"/><w:sz w:val="40"/>`, "red")+r(`<w:caps/>`, "caps")+r(`<w:vertAlign w:val="superscript"/>`, "up")+
		r(`<w:vanish/>`, "hidden")+r(`<w:u w:val="single"/><w:strike/>`, "ruled")+r(`<w:highlight w:val="yellow"/>`, "marked")+"</w:p>")
	get := func(s string) drawnText {
		d, _ := c.find(t, s)
		return d
	}
	switch {
	case !get("bold").bold || get("plain").bold:
		t.Error("bold is wrong")
	case !get("italic").italic:
		t.Error("italic is wrong")
	case get("red").colour != [3]float64{1, 0, 0} || get("red").size != 20:
		t.Error("colour or size is wrong")
	case get("CAPS").size != 10:
		t.Error("capitals are wrong")
	case get("up").size >= 10 || get("up").y >= get("bold").y:
		t.Error("superscript is not raised and small")
	case strings.Contains(c.pages[0].text(), "hidden"):
		t.Error("hidden text is shown")
	case len(c.pages[0].lines) != 2:
		t.Errorf("%d lines were drawn, want an underline and a strike", len(c.pages[0].lines))
	case len(c.pages[0].rects) != 1:
		t.Error("the highlight is missing")
	}
}

const testStyles = `<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="24"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:rPr><w:i/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="H"><w:basedOn w:val="N"/><w:pPr><w:jc w:val="right"/></w:pPr><w:rPr><w:b/><w:sz w:val="40"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:basedOn w:val="H"/><w:rPr><w:i w:val="0"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Strong"><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:basedOn w:val="Loop2"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop2"><w:basedOn w:val="Loop"/></w:style>`

func TestStylesAreResolved(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{
		parts: map[string]string{"styles": testStyles},
		body: p("", "default") + p(`<w:pStyle w:val="H"/>`, "heading") + p(`<w:pStyle w:val="H2"/>`, "derived") +
			"<w:p><w:pPr><w:pStyle w:val=\"H\"/></w:pPr>" + r(`<w:rStyle w:val="Strong"/>`, "toggled") + r(`<w:rStyle w:val="Strong"/><w:b/>`, "direct") + "</w:p>" +
			"<w:p>" + r(`<w:rStyle w:val="Strong"/>`, "strong") + "</w:p>" + p(`<w:pStyle w:val="Loop"/>`, "looped"),
	})
	for _, tt := range []struct {
		s            string
		size         float64
		bold, italic bool
	}{
		{"default", 12, false, true}, {"heading", 20, true, true}, {"derived", 20, true, false},
		{"toggled", 20, false, true}, {"direct", 20, true, true}, {"strong", 12, true, true}, {"looped", 12, false, false},
	} {
		if d, _ := c.find(t, tt.s); d.size != tt.size || d.bold != tt.bold || d.italic != tt.italic {
			t.Errorf("%s: got %+v, want %+v", tt.s, d, tt)
		}
	}
	if d, _ := c.find(t, "derived"); !near(d.x, rightEdge-70) {
		t.Errorf("alignment is not inherited: x is %.1f", d.x)
	}
}

func TestSpacingMovesTheNextParagraph(t *testing.T) {
	t.Parallel()
	at := func(props string) float64 {
		c := body(t, p("", "first")+p(props, "second"))
		a, _ := c.find(t, "first")
		b, _ := c.find(t, "second")
		return b.y - a.y
	}
	plain := at("")
	for _, tt := range []struct {
		name, props string
		more        float64
	}{
		{"before", `<w:spacing w:before="240"/>`, 12},
		{"double", `<w:spacing w:line="480" w:lineRule="auto"/>`, plain},
		{"exact", `<w:spacing w:line="600" w:lineRule="exact"/>`, 30 - plain},
		{"at least, met", `<w:spacing w:line="20" w:lineRule="atLeast"/>`, 0},
	} {
		if got := at(tt.props) - plain; !near(got, tt.more) {
			t.Errorf("%s: %.1f points more, want %.1f", tt.name, got, tt.more)
		}
	}
	c := body(t, p(`<w:spacing w:after="400"/><w:contextualSpacing/>`, "first")+p(`<w:contextualSpacing/>`, "second"))
	a, _ := c.find(t, "first")
	b, _ := c.find(t, "second")
	if !near(b.y-a.y, plain) {
		t.Errorf("contextual spacing leaves %.1f", b.y-a.y)
	}
}

func TestTabsAlignText(t *testing.T) {
	t.Parallel()
	tabbed := func(stops, after string) *recorder {
		return body(t, "<w:p><w:pPr><w:tabs>"+stops+"</w:tabs></w:pPr>"+r("", "a")+"<w:r><w:tab/></w:r>"+r("", after)+"</w:p>")
	}
	for _, tt := range []struct {
		name, stops, after string
		want               float64
	}{
		{"default", "", "text", leftEdge + 36},
		{"left", `<w:tab w:val="left" w:pos="2000"/>`, "text", leftEdge + 100},
		{"right", `<w:tab w:val="right" w:pos="2000"/>`, "text", leftEdge + 80},
		{"center", `<w:tab w:val="center" w:pos="2000"/>`, "text", leftEdge + 90},
		{"decimal", `<w:tab w:val="decimal" w:pos="2000"/>`, "12.5", leftEdge + 90},
		{"cleared", `<w:tab w:val="clear" w:pos="2000"/>`, "text", leftEdge + 36},
	} {
		if d, _ := tabbed(tt.stops, tt.after).find(t, tt.after); !near(d.x, tt.want) {
			t.Errorf("%s: x is %.1f, want %.1f", tt.name, d.x, tt.want)
		}
	}
	if c := tabbed(`<w:tab w:val="right" w:leader="dot" w:pos="8000"/>`, "9"); !strings.Contains(c.pages[0].text(), ".....") {
		t.Error("the leader is missing")
	}
	if c := tabbed(`<w:tab w:val="left" w:leader="underscore" w:pos="8000"/>`, "9"); len(c.pages[0].lines) != 1 {
		t.Error("the signature line is missing")
	}
}

func TestBreaksStartPages(t *testing.T) {
	t.Parallel()
	br := func(kind string) string { return `<w:r><w:br w:type="` + kind + `"/></w:r>` }
	c := body(t, "<w:p>"+r("", "one")+`<w:r><w:br/></w:r>`+r("", "two")+br("page")+r("", "three")+"</w:p>"+
		"<w:p>"+br("page")+"</w:p>"+p("", "four")+p("<w:pageBreakBefore/>", "five"))
	for s, want := range map[string]int{"one": 0, "two": 0, "three": 1, "four": 2, "five": 3} {
		if _, page := c.find(t, s); page != want {
			t.Errorf("%s is on page %d, want %d", s, page, want)
		}
	}
	if len(c.pages) != 4 {
		t.Errorf("%d pages, want 4", len(c.pages))
	}
}

func TestRelatedLinesStayTogether(t *testing.T) {
	t.Parallel()
	line := p("", "filler")
	fill := strings.Repeat(line, 56) // a page holds 57 lines
	if c := body(t, fill+line+line); len(c.pages) != 2 {
		t.Fatalf("the page does not hold 57 lines: %d pages", len(c.pages))
	}
	c := body(t, fill+p("<w:keepNext/>", "Heading")+p("", "Text below"))
	if _, page := c.find(t, "Heading"); page != 1 {
		t.Error("the heading is left alone at the foot of the page")
	}
	c = body(t, fill+p("", words+words))
	if _, page := c.find(t, "one"); page != 1 {
		t.Error("a single line of a paragraph is left at the foot of the page")
	}
	c = body(t, fill+p(`<w:widowControl w:val="0"/>`, words+words))
	if _, page := c.find(t, "one"); page != 0 {
		t.Error("widow control cannot be switched off")
	}
}

func TestSectionsChangeThePage(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{
		body: p("", "upright") + "<w:p><w:pPr><w:sectPr>" + a4 + "</w:sectPr></w:pPr></w:p>" +
			p("", "wide") + `<w:p><w:pPr><w:sectPr><w:pgSz w:w="16838" w:h="11906"/><w:pgMar w:top="720" w:left="2880" w:right="720" w:bottom="720"/></w:sectPr></w:pPr></w:p>` +
			p("", "columns") + `<w:p><w:r><w:br w:type="column"/></w:r></w:p>` + p("", "second column"),
		sect: a4 + `<w:cols w:num="2" w:space="720"/>`,
	})
	if len(c.pages) != 3 || c.pages[0].w > c.pages[0].h || c.pages[1].w < c.pages[1].h {
		t.Fatalf("%d pages; sizes are wrong", len(c.pages))
	}
	if d, _ := c.find(t, "wide"); !near(d.x, 144) {
		t.Errorf("the left margin is %.1f, want 144", d.x)
	}
	a, _ := c.find(t, "columns")
	b, _ := c.find(t, "second column")
	if !near(a.y, b.y) || b.x < a.x+200 {
		t.Errorf("columns are at %v and %v", a, b)
	}
	c, _ = render(t, docxFile{
		body: p("", "before") + "<w:p><w:pPr><w:sectPr>" + a4 + "</w:sectPr></w:pPr></w:p>" + p("", "after"),
		sect: `<w:type w:val="continuous"/>` + a4,
	})
	if len(c.pages) != 1 {
		t.Errorf("a continuous section made %d pages", len(c.pages))
	}
}

func TestHeadersShowPageNumbers(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{
		headers: map[string]string{
			"h1": p("", "every page"), "h2": p("", "title page"),
			"f1": "<w:p>" + r("", "Page ") + complexField("PAGE", "77") + r("", " of ") + complexField(`NUMPAGES \* MERGEFORMAT`, "88") + "</w:p>",
			"f2": `<w:p><w:fldSimple w:instr=" PAGE \* roman ">` + r("", "99") + "</w:fldSimple></w:p>",
		},
		body: strings.Repeat(p("", "line"), 150),
		sect: `<w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h2"/><w:footerReference w:type="default" r:id="f1"/><w:footerReference w:type="first" r:id="f2"/>` + a4 + `<w:titlePg/>`,
	})
	want := []struct{ head, foot string }{{"title page", "i"}, {"every page", "Page 2 of 3"}, {"every page", "Page 3 of 3"}}
	if len(c.pages) != len(want) {
		t.Fatalf("%d pages, want %d", len(c.pages), len(want))
	}
	for i, w := range want {
		text := c.pages[i].text()
		foot := strings.Join(strings.Fields(text[strings.LastIndex(text, "line")+4:]), " ")
		if !strings.HasPrefix(text, w.head) || foot != w.foot {
			t.Errorf("page %d begins with %.12q and ends with %q, want %+v", i+1, text, foot, w)
		}
	}
}

func TestTallHeaderPushesTextDown(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{
		headers: map[string]string{"h1": strings.Repeat(p("", "head"), 10)},
		body:    p("", "text"), sect: `<w:headerReference r:id="h1"/>` + a4,
	})
	if d, _ := c.find(t, "text"); d.y < 35+10*12 {
		t.Errorf("the text at %.1f overlaps the header", d.y)
	}
}

func TestNotesAreAtTheEnd(t *testing.T) {
	t.Parallel()
	c, found := render(t, docxFile{
		parts: map[string]string{"footnotes": `<w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r>` + r("", " the first note") + `</w:p></w:footnote>`},
		body:  "<w:p>" + r("", "claim") + `<w:r><w:footnoteReference w:id="1"/></w:r>` + r("", "goes on") + "</w:p>" + p("", "the end"),
	})
	text := strings.ReplaceAll(c.pages[0].text(), "\n", " ")
	if text != "claim 1 goes on the end 1 the first note" {
		t.Errorf("page text is %q", text)
	}
	if !hasFinding(found, "footnotes") {
		t.Error("the notes are not in the findings")
	}
}

func TestPicturesAreSizedAndPlaced(t *testing.T) {
	t.Parallel()
	c, found := render(t, docxFile{
		media:    map[string][]byte{"i1": pngOf(t, 4, 2, color.Black), "i2": []byte("not a picture")},
		external: map[string]string{"i3": "http://127.0.0.1:1/a.png"},
		body: "<w:p>" + inlinePicture("i1", 100, 50) + "</w:p>" + "<w:p>" + inlinePicture("i1", 9000, 9000) + "</w:p>" +
			"<w:p>" + inlinePicture("i2", 10, 10) + inlinePicture("i3", 10, 10) + inlinePicture("none", 10, 10) + "</w:p>",
	})
	first := c.pages[0].images[0]
	if !near(first[2], 100) || !near(first[3], 50) || !near(first[0], leftEdge) || !near(first[1], 72) {
		t.Errorf("the picture is at %v", first)
	}
	big := c.pages[0].images[1]
	if big[2] <= 0 || big[0]+big[2] > rightEdge+1 || big[1]+big[3] > 842-71 {
		t.Errorf("the large picture is at %v", big)
	}
	if !hasFinding(found, "picture_format") || !hasFinding(found, "picture_missing") {
		t.Errorf("findings: %v", found)
	}
}

func TestUnsupportedThingsAreReported(t *testing.T) {
	t.Parallel()
	drawing := func(uri, inside string) string {
		return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="635000"/><a:graphic><a:graphicData uri="` + uri + `">` + inside + `</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	}
	box := `<wps:wsp><wps:txbx><w:txbxContent>` + p("", "boxed") + `</w:txbxContent></wps:txbx></wps:wsp>`
	for _, tt := range []struct{ code, body, shown string }{
		{"chart", drawing("http://schemas.openxmlformats.org/drawingml/2006/chart", ""), ""},
		{"smartart", drawing("http://schemas.openxmlformats.org/drawingml/2006/diagram", ""), ""},
		{"shape", drawing("http://schemas.microsoft.com/office/word/2010/wordprocessingShape", ""), ""},
		{"text_box", drawing("x", box), "boxed"},
		{"equation", `<w:p><m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath></w:p>`, "a+b"},
		{"tracked_changes", "<w:p><w:ins>" + r("", "added") + "</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>", "added"},
		{"comments", `<w:p>` + r("", "said") + `<w:r><w:commentReference w:id="1"/></w:r></w:p>`, "said"},
		{"embedded_document", p("", "x") + `<w:altChunk r:id="a"/>`, "x"},
		{"object", `<w:p><w:r><w:object/></w:r></w:p>`, ""},
		{"form_field", `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>` + r("", "tick") + `</w:p>`, "tick"},
		{"day_unsaved", `<w:p>` + r("", "on") + `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> SAVEDATE </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`, "on"},
		{"day_unsaved", `<w:p>` + r("", "on") + complexField("PRINTDATE", "") + `</w:p>`, "on"},
		{"day_unsaved", `<w:p>` + r("", "on") + `<w:fldSimple w:instr="DATE"/></w:p>`, "on"},
		{"floating_table", `<w:tbl><w:tblPr><w:tblpPr w:tblpX="1"/></w:tblPr><w:tr>` + cellOf("", p("", "cell")) + `</w:tr></w:tbl>`, "cell"},
		{"hidden_text", "<w:p>" + r("<w:vanish/>", "x") + "</w:p>", ""},
		{"number_format", "", ""},
	} {
		t.Run(tt.code, func(t *testing.T) {
			t.Parallel()
			f := docxFile{body: tt.body}
			if tt.code == "number_format" {
				f.body = p(`<w:numPr><w:numId w:val="1"/></w:numPr>`, "x")
				f.parts = map[string]string{"numbering": `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="thaiLetters"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`}
			}
			c, found := render(t, f)
			if !hasFinding(found, tt.code) {
				t.Errorf("findings: %v", found)
			}
			for _, f := range found {
				if f.Severity == "" || f.Count < 1 {
					t.Errorf("incomplete finding %+v", f)
				}
			}
			if tt.shown != "" {
				c.find(t, tt.shown)
			}
			if strings.Contains(fmt.Sprint(c.pages[0].texts), "gone") {
				t.Error("deleted text is shown")
			}
		})
	}
}

func TestRightToLeftTextIsReordered(t *testing.T) {
	t.Parallel()
	c := body(t, "<w:p><w:pPr><w:bidi/></w:pPr>"+r("", "שלום ")+r("<w:b/>", "עולם ")+r("", "ABC ")+r("", "12")+"</w:p>")
	first, _ := c.find(t, "שלום")
	second, _ := c.find(t, "עולם")
	latin, _ := c.find(t, "ABC")
	if !(first.x > second.x && second.x > latin.x) {
		t.Errorf("from the right: %.1f, %.1f, %.1f", first.x, second.x, latin.x)
	}
	if end := first.x + 5*5; !near(end, rightEdge) {
		t.Errorf("the line ends at %.1f", end)
	}
}

// TestBracketsInRightToLeftText reads lines from left to right: a bracket stands beside what it holds.
func TestBracketsInRightToLeftText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"שלום (ABC) 123":           "123 (ABC) שלום",
		"רחוב (Tel Aviv) 12345":    "12345 (Tel Aviv) רחוב",
		"שלום [ABC (x)] 1":         "1 [ABC (x)] שלום",
		"ABC (שלום) 1":             "1 (שלום) ABC",
		"שלום ABC (DEF) 1":         "ABC (DEF) 1 שלום",
		"שלום :) ABC":              "ABC (: שלום",
		"חברת (Acme Ltd.) ו-(Foo)": "(Foo)-ו (.Acme Ltd) חברת",
	} {
		c := body(t, "<w:p><w:pPr><w:bidi/></w:pPr>"+r("<w:rtl/>", in)+"</w:p>")
		texts := slices.Clone(c.pages[0].texts)
		slices.SortFunc(texts, func(a, b drawnText) int { return cmp.Compare(a.x, b.x) })
		var got strings.Builder
		for _, d := range texts {
			got.WriteString(seen(d.s))
		}
		want = hebrew.ReplaceAllStringFunc(want, func(word string) string { return seen(word) })
		if squeeze(got.String()) != squeeze(want) {
			t.Errorf("%s is shown as %q, want %q", in, got.String(), want)
		}
	}
}

var hebrew = regexp.MustCompile(`\p{Hebrew}+`)

// seen returns a text as it is seen from left to right: a canvas draws Hebrew from the right, and mirrors
// its brackets.
func seen(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hebrew, r) }) {
		return s
	}
	out := []rune(s)
	slices.Reverse(out)
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune("()[]", r); i >= 0 {
			return rune(")(]["[i])
		}
		return r
	}, string(out))
}

func squeeze(s string) string { return strings.ReplaceAll(s, " ", "") }

// TestPageNumbersStartWhereTheSectionSays counts pages by w:pgNumType.
func TestPageNumbersStartWhereTheSectionSays(t *testing.T) {
	t.Parallel()
	foot := `<w:footerReference w:type="default" r:id="f1"/>` + a4
	page := `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`
	ended := func(sect string) string { return "<w:p><w:pPr><w:sectPr>" + foot + sect + "</w:sectPr></w:pPr></w:p>" }
	start := func(n int) string { return fmt.Sprintf(`<w:pgNumType w:start="%d"/>`, n) }
	for name, x := range map[string]struct {
		body, sect string
		want       []string
	}{
		"the first":        {p("", "a") + page + p("", "b"), start(7), []string{"7", "8"}},
		"zero":             {p("", "a") + page + p("", "b"), start(0), []string{"0", "1"}},
		"a later one":      {p("", "a") + ended("") + p("", "b"), start(5), []string{"1", "5"}},
		"one that goes on": {p("", "a") + ended(start(3)) + p("", "b"), "", []string{"3", "4"}},
		// The page on which a section begins in the middle has the number of the section before.
		"within a page": {p("", "a") + ended(start(3)) + p("", "b") + page + p("", "c"), `<w:type w:val="continuous"/>` + start(10), []string{"3", "11"}},
		"roman":         {p("", "a"), `<w:pgNumType w:start="4" w:fmt="lowerRoman"/>`, []string{"iv"}},
	} {
		c, _ := render(t, docxFile{body: x.body, sect: foot + x.sect, headers: map[string]string{"f1": "<w:p>" + complexField("PAGE", "1") + "</w:p>"}})
		var got []string
		for _, pg := range c.pages {
			got = append(got, pg.texts[len(pg.texts)-1].s)
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}
