package html_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"paraph/app/convert/docx"
	"paraph/app/convert/html"
	"paraph/app/convert/internal/refuse"
)

// canvas records what is drawn.
type canvas struct {
	pages, pictures, lines, boxes int
	sizes                         []string
	texts                         []drawn
}

type drawn struct {
	x, y, size   float64
	bold, italic bool
	red          float64
	text         string
}

func (c *canvas) NewPage(w, h float64) {
	c.pages++
	c.sizes = append(c.sizes, fmt.Sprintf("%.0f×%.0f", w, h))
}

func (c *canvas) Text(x, y, size float64, bold, italic bool, red, _, _ float64, s string) {
	c.texts = append(c.texts, drawn{x, y, size, bold, italic, red, s})
}

func (c *canvas) Measure(size float64, _, _ bool, s string) float64 {
	return float64(len([]rune(s))) * size / 2
}

func (c *canvas) Line(_, _, _, _, _, _, _, _ float64)      { c.lines++ }
func (c *canvas) Rect(_, _, _, _, _, _, _ float64)         { c.boxes++ }
func (c *canvas) Image(_, _, _, _ float64, _ []byte) error { c.pictures++; return nil }

func (c *canvas) all() string {
	var out []string
	for _, t := range c.texts {
		out = append(out, strings.Fields(t.text)...)
	}
	return strings.Join(out, " ")
}

func (c *canvas) find(t *testing.T, text string) drawn {
	t.Helper()
	i := slices.IndexFunc(c.texts, func(d drawn) bool { return strings.Contains(d.text, text) })
	if i < 0 {
		t.Fatalf("%q is not on the pages: %s", text, c.all())
	}
	return c.texts[i]
}

func convert(ctx context.Context, content string) (*canvas, []html.Finding, error) {
	var b bytes.Buffer
	found, err := html.DOCX(ctx, strings.NewReader(content), &b)
	if err != nil {
		return nil, nil, err
	}
	c := &canvas{}
	_, err = docx.Render(ctx, bytes.NewReader(b.Bytes()), int64(b.Len()), "", c)
	return c, found, err
}

func shown(t *testing.T, content string) (*canvas, []html.Finding) {
	t.Helper()
	c, found, err := convert(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	return c, found
}

func TestTextIsShownInOrder(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ html, want string }{
		"paragraphs":     {"<p>One<p>Two <b>and</b>\n <i>a half</i></p>Three", "One Two and a half Three"},
		"entities":       {"<p>A &amp; B &lt; C&nbsp;D &euro;", "A & B < C D €"},
		"no space lost":  {"<p><b>One</b> <i>two</i><u>three</u></p>", "One two three"},
		"numbers":        {"<ol><li>One<li>Two<ol type=a><li>Deep</ol><li>Three</ol>", "1. One 2. Two a. Deep 3. Three"},
		"start":          {`<ol start=4 style="list-style-type: upper-roman"><li>One</ol>`, "IV. One"},
		"bullets":        {"<ul><li>One<li><p>Two</p><p>More</ul>", "• One • Two More"},
		"table":          {"<table><caption>Rent</caption><tr><th>What<th>Sum<tr><td>Flat<td>900</table>after", "Rent What Sum Flat 900 after"},
		"nested tables":  {"<table><tr><td><table><tr><td>In</table><td>Out</table>", "In Out"},
		"spans":          {"<table><tr><td rowspan=2>A<td colspan=2>B<tr><td>C<td>D</table>", "A B C D"},
		"misnested":      {"<b>One<i>two</b>three</i><div>four</span></p></div>five", "One two three four five"},
		"hidden":         {`<p hidden>No<p style="display:none">no<p style="visibility: hidden">no<p>Yes`, "Yes"},
		"breaks":         {"One<br>two<pre>a\n b</pre>", "One two a b"},
		"controls":       {`<input value="Ann"> <input type=checkbox checked> <select><option>x<option selected>Berlin</select> <textarea>Text</textarea>`, "Ann Berlin Text"},
		"field elements": {`<p>Sign: <signature-field name="Sig" role="Buyer" style="width:160px;height:40px"></signature-field>`, "Sign: {{Sig;type=signature;role=Buyer;width=120;height=30}}"},
		"no body":        {"<!doctype html><title>Lease</title><style>p{color:red}</style><script>x()</script>Text", "Text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c, _ := shown(t, "<html>"+x.html); c.all() != x.want {
				t.Errorf("%s, want %s", c.all(), x.want)
			}
		})
	}
}

func TestStylesApply(t *testing.T) {
	t.Parallel()
	c, found := shown(t, `<!doctype html><html><head><style>
		@page { size: A5 landscape; margin: 2cm }
		p { font-size: 10pt } .big { font-size: 20pt; color: #ff0000 } #one b { font-weight: normal }
		div.box p.note { font-style: italic } @media screen { p { display: none } }
		p { transform: rotate(3deg) }
	</style></head><body><h1>Title</h1><p>plain</p><p class="big">large</p><p id=one><b>thin</b></p>
	<div class="box"><p class=note>note</p></div><p style="page-break-before: always; text-align: right">last</p><hr></body></html>`)
	if c.pages != 2 || c.sizes[0] != "595×420" {
		t.Errorf("%d pages of %v", c.pages, c.sizes)
	}
	if d := c.find(t, "Title"); !d.bold || d.size != 24 {
		t.Errorf("the title is %+v", d)
	}
	if d := c.find(t, "plain"); d.size != 10 || d.bold {
		t.Errorf("the paragraph is %+v", d)
	}
	if d := c.find(t, "large"); d.size != 20 || d.red != 1 {
		t.Errorf("the class is %+v", d)
	}
	if d := c.find(t, "thin"); d.bold {
		t.Errorf("the selector with an identifier is %+v", d)
	}
	if d := c.find(t, "note"); !d.italic {
		t.Errorf("the nested selector is %+v", d)
	}
	if d := c.find(t, "last"); d.x < 400 {
		t.Errorf("the right-aligned text is %+v", d)
	}
	if len(found) != 1 || found[0].Code != html.Unstyled || strings.Join(found[0].Names, " ") != "transform" {
		t.Errorf("findings %+v", found)
	}
}

func TestPicturesAndFindings(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	c, found := shown(t, `<p>A <img alt=dot src="data:image/png;base64,`+base64.StdEncoding.EncodeToString(b.Bytes())+`">
		<img alt="The logo" src="http://127.0.0.1:9/logo.png"><script>1</script><iframe src=x>inner</iframe><svg><text>s</text></svg>`)
	if c.pictures != 1 || c.all() != "A [The logo]" {
		t.Errorf("%d pictures, %s", c.pictures, c.all())
	}
	if fmt.Sprint(found) != "[{html_left_out [script iframe svg]} {html_picture [img]}]" {
		t.Errorf("findings %v", found)
	}
}

// TestWhatIsElsewhereIsNamed converts what only other files would show.
func TestWhatIsElsewhereIsNamed(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`<link rel="Stylesheet" href="http://127.0.0.1:9/x.css"><p>A`:                "[{html_left_out [link]}]",
		`<link rel=icon href=x.png><p>A`:                                             "[]",
		`<style>@import url(x.css); p { color: red }</style><p>A`:                    "[{html_unstyled [@import]}]",
		`<style>@font-face { font-family: x; src: url(x.woff) }</style><p>A`:         "[{html_unstyled [@font-face]}]",
		`<body background="x.png"><p>A`:                                              "[{html_unstyled [background]}]",
		`<p style="background-image: url(x.png)">A`:                                  "[{html_unstyled [background-image]}]",
		`<p>A<object data=x></object><embed src=x><video src=x poster=x></video><p>`: "[{html_left_out [object embed video]}]",
	} {
		if _, found := shown(t, in); fmt.Sprint(found) != want {
			t.Errorf("%s: findings %v, want %s", in, found, want)
		}
	}
}

func TestCharacterSets(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"\xef\xbb\xbf<html><p>Gr\xc3\xbc\xc3\x9fe", "<html><meta charset=iso-8859-1><p>Gr\xfc\xdfe", "<html><p>Gr\xc3\xbc\xc3\x9fe",
	} {
		if c, _ := shown(t, content); c.all() != "Grüße" {
			t.Errorf("%q is shown as %s", content, c.all())
		}
	}
}

func TestHostileFilesAreRefusedOrBounded(t *testing.T) {
	t.Parallel()
	times := strings.Repeat
	for name, c := range map[string]struct {
		html string
		want error
	}{
		"empty":          {"", refuse.ErrDamaged},
		"much text":      {times("word ", 1<<20), refuse.ErrTooLarge},
		"many elements":  {times("<b>", 1<<20), refuse.ErrTooLarge},
		"many columns":   {"<table><tr>" + times("<td>x", 100), refuse.ErrTooLarge},
		"deep":           {times("<div>", 20_000) + "x", nil},
		"deep inline":    {times("<b class=x>", 20_000) + times("<p>", 20_000) + "x", nil},
		"wide cells":     {times(`<table><tr><td colspan=60 rowspan=1000>x</table>`, 500), nil},
		"wide list":      {times("<ul>", 1000) + "<li>x", nil},
		"many rules":     {"<style>" + times("a b c d e{color:red}", 20_000) + "</style>" + times("<a>", 2000) + "x", nil},
		"many selectors": {"<style>" + times("a,", 300_000) + "p{" + times("a:b;", 300_000) + "}</style>" + times("<a>", 10) + "x", nil},
		"long sets":      {"<style>" + times("*{"+times("color:red;", 900)+"}", 100) + "</style>" + times("<i></i>", 60_000) + "x", refuse.ErrTooLarge},
		"slow selectors": {"<style>" + times("p * a *{color:red}", 500) + "</style>" + times("<div>", 99) + times("<a></a>", 100_000) + "x", refuse.ErrTooLarge},
		"many classes": {"<style>" + times(".a.b.c{color:red}", 1000) + "</style><p class='" + times("d ", 300_000) + "'>" +
			times("<b class=a></b>", 20_000) + "x", nil},
		"many attributes":  {"<style>" + times("#a b{color:red}", 500) + "</style><p" + times(" y=1", 20_000) + ">" + times("<b></b>", 5000) + "x", nil},
		"hidden data":      {"<p class='data:" + times("a ", 3<<20) + "'>x", refuse.ErrTooLarge},
		"continued cells":  {"<table>" + times("<tr>"+times("<td rowspan=1000>x", 60)+times("<tr>", 1000), 3), refuse.ErrTooLarge},
		"many lists":       {times("<ul><li>x</ul>", 60_000), refuse.ErrTooLarge},
		"long output":      {"<table border=9><tr><td>" + times("<table border=9><tr><td style='border:1px solid'>x</table>", 40_000), refuse.ErrTooLarge},
		"negative columns": {"<table><col width=-9><col width=-9999><tr><td>x<td>y</table>", nil},
		"broken style":     {`<style>p { color: } } @media { @page { margin } </style><p style="{{{;:;">x`, nil},
		"bad lengths":      {`<p style="margin: 1e99px -999999px 5% auto; font-size: 0; line-height: -4">x<table width=-5 border=99999><tr><td width=1e9>y</table>`, nil},
		"odd picture":      {`x<img src="data:image/png;base64,AAAA" width=99999999>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _, err := convert(t.Context(), c.html); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			} else if err == nil && !strings.Contains(got.all(), "x") {
				t.Errorf("the text is lost: %q", got.all())
			}
		})
	}
}

// TestFindingsAreShort checks that names in findings are not as long as a file makes them.
func TestFindingsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 5000)
	_, found := shown(t, "<style>p>"+long+"{color:red} p{"+long+":1}</style><p style='x"+long+":1'>x")
	if len(found) != 1 {
		t.Fatalf("findings %v", found)
	}
	for _, name := range found[0].Names {
		if !utf8.ValidString(name) || utf8.RuneCountInString(name) > 41 {
			t.Errorf("a finding names %q", name)
		}
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add("<html><table><tr><td rowspan=3 colspan=2>x<tr><td>y</table><ol><li>a<ul><li>b</ol>")
	f.Add(`<style>@page{size:a5}p.x{margin:1em 2em;border:1px solid red}</style><p class=x>a<img src="data:image/png;base64,AA">`)
	f.Add("<style>a,b c{color:red;x:y}@media print{p{width:5%}}</style><table border=1><col width=9><tr><td rowspan=9 colspan=9>{{#a}}<tr>{{/a}}")
	f.Add("<select><option selected>a</select><dl><dt>a<dd>b</dl><img src=data:,x><p dir=rtl class='a b' style='padding:1em'>&nbsp;&#0;&#x110000;")
	f.Add("<pre>\n\n</pre><hr><input type=checkbox><text-field name=a role=b></text-field>")
	f.Fuzz(func(t *testing.T, content string) {
		_, _, err := convert(t.Context(), content)
		if _, refused := errors.AsType[*refuse.Error](err); err != nil && !refused {
			t.Errorf("%v", err)
		}
	})
}
