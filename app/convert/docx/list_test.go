package docx_test

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
)

const lists = `<w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/><w:pPr><w:ind w:left="1440" w:hanging="720"/></w:pPr></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:isLgl/><w:lvlText w:val="%1-%2-%3"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0A7;"/><w:rPr><w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/></w:rPr></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>`

func numbered(id, level, text string) string {
	return p(`<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="`+id+`"/></w:numPr>`, text)
}

func TestListsAreNumbered(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{
		parts: map[string]string{"numbering": lists},
		body: numbered("1", "0", "A") + numbered("1", "1", "B") + numbered("1", "1", "C") + numbered("1", "2", "D") + numbered("1", "2", "E") +
			numbered("1", "0", "F") + numbered("1", "1", "G") + numbered("2", "0", "H") + numbered("2", "0", "I") + numbered("0", "0", "J") +
			numbered("99", "0", "K"),
	})
	got := strings.Join(strings.Fields(c.pages[0].text()), " ")
	want := "1. A 1.a) B 1.b) C 1-2-3 D 1-2-4 E 2. F 2.a) G 7. H 8. I J K"
	if got != want {
		t.Errorf("page text is\n%s, want\n%s", got, want)
	}
	label, _ := c.find(t, "1.")
	text, _ := c.find(t, "A")
	if !near(label.x, leftEdge+18) || !near(text.x, leftEdge+36) {
		t.Errorf("label at %.1f, text at %.1f", label.x, text.x)
	}
}

func TestNumberFormatsAreWritten(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"decimal": "28", "decimalZero": "28", "lowerLetter": "bb", "upperLetter": "BB", "lowerRoman": "xxviii", "upperRoman": "XXVIII",
		"ordinal": "28th", "none": "", "russianLower": "ю", "numberInDash": "- 28 -", "chineseCounting": "28",
	} {
		c, _ := render(t, docxFile{
			parts: map[string]string{"numbering": `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="28"/><w:numFmt w:val="` + format + `"/><w:lvlText w:val="%1"/><w:suff w:val="space"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`},
			body:  numbered("1", "0", "text"),
		})
		if got := strings.TrimSpace(strings.TrimSuffix(c.pages[0].text(), "text")); got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

func TestSquareBulletIsDrawn(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{parts: map[string]string{"numbering": lists}, body: numbered("3", "0", "text")})
	if len(c.pages[0].rects) != 1 || c.pages[0].text() != "text" {
		t.Errorf("%d squares and %q", len(c.pages[0].rects), c.pages[0].text())
	}
}

const grid = `<w:tblPr><w:tblBorders><w:top w:val="single" w:sz="8"/><w:left w:val="single" w:sz="8"/><w:bottom w:val="single" w:sz="8"/><w:right w:val="single" w:sz="8"/><w:insideH w:val="single" w:sz="8"/><w:insideV w:val="single" w:sz="8"/></w:tblBorders></w:tblPr>`

func table(props, columns string, rows ...string) string {
	return "<w:tbl>" + props + "<w:tblGrid>" + columns + "</w:tblGrid>" + strings.Join(rows, "") + "</w:tbl>"
}

func tr(props string, cells ...string) string {
	return "<w:tr><w:trPr>" + props + "</w:trPr>" + strings.Join(cells, "") + "</w:tr>"
}

const twoColumns = `<w:gridCol w:w="2000"/><w:gridCol w:w="4000"/>`

func TestTableColumnsFollowTheGrid(t *testing.T) {
	t.Parallel()
	c := body(t, table(grid, twoColumns,
		tr("", cellOf("", p("", "a")), cellOf("", p("", "b"))),
		tr("", cellOf(`<w:gridSpan w:val="2"/>`, p(`<w:jc w:val="right"/>`, "wide"))),
		tr(`<w:gridBefore w:val="1"/>`, cellOf("", p("", "late")))))
	for s, want := range map[string]float64{"a": leftEdge + 5.4, "b": leftEdge + 105.4, "wide": leftEdge + 300 - 5.4 - 20, "late": leftEdge + 105.4} {
		if d, _ := c.find(t, s); !near(d.x, want) {
			t.Errorf("%s is at %.1f, want %.1f", s, d.x, want)
		}
	}
	a, _ := c.find(t, "a")
	b, _ := c.find(t, "b")
	if a.y != b.y {
		t.Error("cells of a row are not on one line")
	}
	if n := len(c.pages[0].lines); n != 4*4 {
		t.Errorf("%d lines around 4 cells", n)
	}
}

func TestTableFitsThePage(t *testing.T) {
	t.Parallel()
	for _, cols := range []string{`<w:gridCol w:w="90000"/><w:gridCol w:w="90000"/>`, `<w:gridCol/><w:gridCol/>`, ``, `<w:gridCol w:w="-5"/><w:gridCol w:w="x"/>`} {
		c := body(t, table(grid, cols, tr("", cellOf("", p("", "a")), cellOf("", p("", "b")))))
		for _, l := range c.pages[0].lines {
			if l[2] > rightEdge+1 || l[0] < leftEdge-1 {
				t.Errorf("%q: a border at %v", cols, l)
			}
		}
	}
}

func TestTableBreaksOverPages(t *testing.T) {
	t.Parallel()
	rows := []string{tr("<w:tblHeader/>", cellOf("", p("", "HEAD")), cellOf("", p("", "HEAD")))}
	for range 100 {
		rows = append(rows, tr("", cellOf("", p("", "row")), cellOf("", p("", "x"))))
	}
	rows = append(rows, tr("", cellOf("", p("", "tall")), cellOf("", p("", strings.Repeat(words, 60)))))
	c := body(t, table(grid, twoColumns, rows...))
	if len(c.pages) < 4 {
		t.Fatalf("%d pages", len(c.pages))
	}
	all := 0
	for i, pg := range c.pages {
		all += strings.Count(pg.text(), "eighteen")
		if strings.Count(pg.text(), "HEAD") != 2 {
			t.Errorf("page %d has no header row", i+1)
		}
		for _, d := range pg.texts {
			if d.y > 842-72 {
				t.Errorf("page %d: text at %.1f", i+1, d.y)
			}
		}
	}
	if all != 60 {
		t.Errorf("%d of 60 pieces of the tall cell were drawn", all)
	}
}

func TestMergedCellsKeepTheirText(t *testing.T) {
	t.Parallel()
	c := body(t, table(grid, twoColumns,
		tr("", cellOf(`<w:vMerge w:val="restart"/><w:vAlign w:val="center"/>`, p("", "middle")), cellOf("", p("", "1"))),
		tr("", cellOf(`<w:vMerge/>`, p("", "")), cellOf("", p("", "2"))),
		tr("", cellOf(`<w:vMerge/>`, p("", "")), cellOf("", p("", "3")))))
	m, _ := c.find(t, "middle")
	two, _ := c.find(t, "2")
	if !near(m.y, two.y) {
		t.Errorf("the merged cell's text is at %.1f, want %.1f", m.y, two.y)
	}
	// No text may be lost across pages.
	rows := []string{tr("", cellOf(`<w:vMerge w:val="restart"/>`, p("", strings.Repeat(words, 20))), cellOf("", p("", "x")))}
	for range 80 {
		rows = append(rows, tr("", cellOf(`<w:vMerge/>`, p("", "")), cellOf("", p("", "x"))))
	}
	c = body(t, table(grid, twoColumns, rows...))
	all := ""
	for _, pg := range c.pages {
		all += pg.text() + "\n"
	}
	if strings.Count(all, "eighteen") != 20 || strings.Count(all, "x\n") < 81 {
		t.Error("text of the merged cell or its neighbours was lost")
	}
}

func TestTableStyleIsApplied(t *testing.T) {
	t.Parallel()
	c, _ := render(t, docxFile{
		parts: map[string]string{"styles": `<w:style w:type="table" w:styleId="T"><w:tblPr><w:tblBorders><w:insideH w:val="single" w:sz="4"/></w:tblBorders></w:tblPr><w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="000000"/></w:tcPr></w:tblStylePr></w:style>`},
		body: table(`<w:tblPr><w:tblStyle w:val="T"/><w:tblLook w:val="0020"/></w:tblPr>`, twoColumns,
			tr("", cellOf("", p("", "head")), cellOf("", p("", "x"))), tr("", cellOf("", p("", "plain")), cellOf("", p("", "x")))),
	})
	head, _ := c.find(t, "head")
	plain, _ := c.find(t, "plain")
	if !head.bold || plain.bold || head.colour != [3]float64{1, 1, 1} || plain.colour != [3]float64{} {
		t.Errorf("head %+v, plain %+v", head, plain)
	}
	if len(c.pages[0].rects) != 2 {
		t.Errorf("%d cells are shaded", len(c.pages[0].rects))
	}
}

func TestNestedTableIsDrawnInItsCell(t *testing.T) {
	t.Parallel()
	inner := table(grid, twoColumns, tr("", cellOf("", p("", "inner")), cellOf("", p("", "cell"))))
	c := body(t, table(grid, twoColumns, tr("", cellOf("", p("", "outer")), cellOf("", inner+p("", "below")))))
	in, _ := c.find(t, "inner")
	below, _ := c.find(t, "below")
	if in.x < leftEdge+100 || below.y <= in.y {
		t.Errorf("inner %+v, below %+v", in, below)
	}
}

// TestCellsSayHowWideTheyAre lays out tables whose grid has any numbers, as some programs write it.
func TestCellsSayHowWideTheyAre(t *testing.T) {
	t.Parallel()
	row := func(kind string, widths ...int) string {
		out := ""
		for i, w := range widths {
			out += cellOf(fmt.Sprintf(`<w:tcW w:w="%d" w:type="%s"/>`, w, kind), p("", fmt.Sprint("c", i)))
		}
		return "<w:tr>" + out + "</w:tr>"
	}
	table := func(props, rows string) string {
		return `<w:tbl><w:tblPr>` + props + `</w:tblPr><w:tblGrid><w:gridCol w:w="100"/><w:gridCol w:w="100"/></w:tblGrid>` + rows + `</w:tbl>`
	}
	for name, x := range map[string]struct {
		body string
		want float64 // where the second column begins
	}{
		"twips":                   {table("", row("dxa", 4000, 2000)), 200},
		"percent of the table":    {table(`<w:tblW w:w="6000" w:type="dxa"/>`, row("pct", 4000, 1000)), 240},
		"percent of the page":     {table(`<w:tblW w:w="5000" w:type="pct"/>`, row("pct", 2500, 2500)), 225.6},
		"the first row that does": {table("", "<w:tr>"+cellOf(`<w:gridSpan w:val="2"/>`, p("", "wide"))+"</w:tr>"+row("dxa", 1000, 5000)+row("dxa", 3000, 3000)), 50},
	} {
		c := body(t, x.body)
		second, _ := c.find(t, "c1")
		if got := second.x - leftEdge - 5.4; !near(got, x.want) {
			t.Errorf("%s: the second column begins at %.1f, want %.1f", name, got, x.want)
		}
	}
}

// TestBordersOfRowsAndPictures draws the borders that only one row of a table has, and that of a picture.
func TestBordersOfRowsAndPictures(t *testing.T) {
	t.Parallel()
	except := `<w:tblPrEx><w:tblBorders><w:top w:val="nil"/><w:left w:val="nil"/><w:right w:val="nil"/><w:bottom w:val="nil"/><w:insideV w:val="nil"/></w:tblBorders></w:tblPrEx>`
	table := func(except string) string {
		return "<w:tbl>" + grid + "<w:tr>" + except + cellOf("", p("", "a")) + cellOf("", p("", "b")) + "</w:tr></w:tbl>"
	}
	if with, without := body(t, table("")).pages[0].lines, body(t, table(except)).pages[0].lines; len(with) == 0 || len(without) != 0 {
		t.Errorf("%d lines with borders, %d without", len(with), len(without))
	}
	if got := body(t, "<w:p>"+r(`<w:bdr w:val="single" w:sz="8"/>`, "boxed words")+r("", " and others")+"</w:p>").pages[0].lines; len(got) != 4 {
		t.Errorf("around the words are %v", got)
	}
	old := `<w:p><w:r><w:pict><v:shape stroked="t" strokecolor="#ff0000 [1]" strokeweight="2pt" style="width:60pt;height:60pt"><v:imagedata r:id="m"/></v:shape></w:pict></w:r></w:p>`
	if c, _ := render(t, docxFile{body: old, media: map[string][]byte{"m": pngOf(t, 4, 2, color.White)}}); len(c.pages[0].images) != 1 || len(c.pages[0].lines) != 4 {
		t.Errorf("around the older picture are %v", c.pages[0].lines)
	}
	line := `<a:ln w="25400"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:ln>`
	pic := strings.Replace(inlinePicture("m", 100, 50), "</pic:spPr>", line+"</pic:spPr>", 1)
	f := docxFile{body: "<w:p>" + pic + "</w:p>", media: map[string][]byte{"m": pngOf(t, 4, 2, color.White)}}
	c, _ := render(t, f)
	if len(c.pages[0].images) != 1 || len(c.pages[0].lines)+len(c.pages[0].rects) != 4 {
		t.Errorf("around the picture are %v and %v", c.pages[0].lines, c.pages[0].rects)
	}
}
