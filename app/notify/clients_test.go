package notify

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"paraph/app/account"
)

// clipped is the size from which Gmail shows only the beginning of a message.
const clipped = 102 << 10

// known lists the properties that messages use, with the elements on which Gmail and all Outlooks apply them, or at least
// do no harm by ignoring them; "" stands for all elements.
var known = map[string]string{
	"background": "body table td", "background-image": "img", "color": "", "font-family": "td a pre", "font-size": "", "line-height": "", "font-weight": "",
	"text-decoration": "a", "margin": "body p blockquote pre", "padding": "body td a blockquote", "border": "td img", "border-left": "blockquote",
	"border-right": "blockquote", "border-radius": "td", "max-width": "table img", "max-height": "div img", "width": "img", "height": "img", "table-layout": "table",
	"display": "a div", "overflow": "div", "mso-hide": "div", "mso-padding-alt": "td", "word-break": "", "overflow-wrap": "", "white-space": "pre",
}

// unsafeValue matches values that some client does not know, and for which it drops the property or all of them.
var unsafeValue = regexp.MustCompile(`!important|\b(var|calc|rgba?|hsla?|url|min|max|clamp)\(|#([0-9a-f]{3,5}|[0-9a-f]{7,})\b|\d(rem|em|vw|vh|ch)\b`)

// plainRule matches what a style sheet may hold, so that no client drops all of it: simple selectors in one media query.
var plainRule = regexp.MustCompile(`^\s*@media \(prefers-color-scheme:dark\)\{\s*([.a-z]+\{[^{}]*\}\s*)+\}\s*$`)

// drawn is an element with the looks that it gets without any style sheet.
type drawn struct {
	*html.Node
	style          map[string]string
	text, ground   string // colours
	size, family   string
	width          int  // of the nearest table with a width in pixels
	hidden, filled bool // filled is in the box of a button
}

func (d drawn) attribute(name string) string {
	for _, a := range d.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// below returns how a child is drawn.
func (d drawn) below(n *html.Node) drawn {
	c := d
	c.Node, c.style = n, map[string]string{}
	for declaration := range strings.SplitSeq(c.attribute("style"), ";") {
		if name, value, ok := strings.Cut(declaration, ":"); ok {
			c.style[name] = value
		}
	}
	for name, at := range map[string]*string{"color": &c.text, "background": &c.ground, "font-size": &c.size, "font-family": &c.family} {
		if value := c.style[name]; value != "" {
			*at = value
		}
	}
	if n.Data == "table" {
		if width, err := strconv.Atoi(c.attribute("width")); err == nil {
			c.width = width
		}
	}
	c.hidden = c.hidden || c.style["display"] == "none"
	c.filled = c.filled || c.style["mso-padding-alt"] != ""
	return c
}

// sheets returns the style sheets of a message, and the message as Outlook or as everybody else reads it without them.
func sheets(page string, asOutlook bool) (styles []string, bare string) {
	const begin, end = "<!--[if mso]>", "<![endif]-->"
	if asOutlook {
		page = regexp.MustCompile(`<xml>.*?</xml>`).ReplaceAllString(strings.NewReplacer(begin, "", end, "").Replace(page), "")
	} else {
		page = regexp.MustCompile(regexp.QuoteMeta(begin)+`(?s:.*?)`+regexp.QuoteMeta(end)).ReplaceAllString(page, "")
	}
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	for _, m := range style.FindAllStringSubmatch(page, -1) {
		styles = append(styles, m[1])
	}
	return styles, style.ReplaceAllString(page, "")
}

// schemes are the ways in which clients show the lightness of texts and backgrounds of a message that says nothing about
// the dark, from 0 (black) to 100.
var schemes = map[string]func(text, ground float64) (float64, float64){
	"light":              func(text, ground float64) (float64, float64) { return text, ground },
	"inverted":           func(text, ground float64) (float64, float64) { return 100 - text, 100 - ground },
	"partially inverted": func(text, ground float64) (float64, float64) { return max(text, 100-text), min(ground, 100-ground) },
}

// lightness returns that of a colour in CIELAB.
func lightness(c string) float64 {
	return max(0, 116*math.Cbrt(1.05/account.ContrastOnWhite(c)-0.05)-16)
}

// contrast returns that between two kinds of lightness.
func contrast(a, b float64) float64 {
	luminance := func(l float64) float64 {
		if l == 0 {
			return 0
		}
		return math.Pow((l+16)/116, 3)
	}
	return (luminance(max(a, b)) + 0.05) / (luminance(min(a, b)) + 0.05)
}

// examine lists the rules of mail programs that a message breaks.
func examine(page string, asOutlook bool) (found []string) {
	styles, bare := sheets(page, asOutlook)
	for _, style := range styles {
		if !asOutlook && !plainRule.MatchString(style) {
			found = append(found, "a style sheet that a client may drop: "+style)
		}
	}
	if len(page) > clipped {
		found = append(found, fmt.Sprintf("%d bytes", len(page)))
	}
	root, err := html.Parse(strings.NewReader(bare))
	if err != nil {
		return append(found, err.Error())
	}
	var walk func(d drawn)
	walk = func(d drawn) {
		switch d.Type {
		case html.TextNode:
			found = append(found, d.legible(asOutlook)...)
		case html.ElementNode:
			found = append(found, d.sound()...)
		}
		for n := range d.ChildNodes() {
			if n.Type != html.ElementNode || n.Data != "head" {
				walk(d.below(n))
			}
		}
	}
	walk(drawn{Node: root})
	return found
}

// legible checks a text.
func (d drawn) legible(asOutlook bool) (found []string) {
	text := strings.TrimSpace(d.Data)
	if d.hidden || text == "" {
		return nil
	}
	if d.size == "" || d.family == "" || d.text == "" || d.ground == "" {
		return []string{fmt.Sprintf("text without %q, %q, %q on %q: %s", d.family, d.size, d.text, d.ground, text)}
	}
	if asOutlook && d.width != 576 {
		found = append(found, fmt.Sprintf("text in %d px: %s", d.width, text))
	}
	for name, shown := range schemes {
		if c := contrast(shown(lightness(d.text), lightness(d.ground))); c < 4.5 {
			found = append(found, fmt.Sprintf("%s: contrast of %.2f, %s on %s: %s", name, c, d.text, d.ground, text))
		}
	}
	return found
}

// sound checks an element.
func (d drawn) sound() (found []string) {
	fault := func(what string) { found = append(found, what+": <"+d.Data+" "+fmt.Sprint(d.Attr)+">") }
	for _, name := range slices.Sorted(maps.Keys(d.style)) {
		on, ok := known[name]
		if !ok || on != "" && !slices.Contains(strings.Fields(on), d.Data) || unsafeValue.MatchString(d.style[name]) {
			fault(name + ":" + d.style[name])
		}
	}
	if ground := d.style["background"]; ground != d.attribute("bgcolor") {
		fault("background is not " + ground + " as an attribute")
	}
	switch d.Data {
	case "table":
		if d.attribute("role") != "presentation" || d.attribute("cellpadding") != "0" || d.attribute("cellspacing") != "0" || d.attribute("border") != "0" {
			fault("a table read out, or with borders")
		}
		if d.style["max-width"] != "" && d.attribute("width") == "" {
			fault("no width for Outlook")
		}
	case "td":
		if side := d.attribute("align"); d.style["font-size"] != "" && (d.attribute("dir") == "" || side != map[string]string{"rtl": "right", "ltr": "left"}[d.attribute("dir")]) {
			fault("text aligned to the wrong side")
		}
	case "a":
		if d.style["padding"] != "" && !d.filled {
			fault("no padding in Outlook")
		}
	case "img":
		if d.attribute("alt") == "" || d.attribute("height") == "" {
			fault("no text, or no height for Outlook")
		}
	case "body":
		wrapper := drawn{}.below(elementIn(d.Node))
		if wrapper.attribute("lang") == "" || wrapper.attribute("dir") == "" || wrapper.attribute("aria-label") == "" {
			fault("language and direction are lost with the body")
		}
	}
	return found
}

// elementIn returns the first element in another.
func elementIn(n *html.Node) *html.Node {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return &html.Node{}
}

// TestEveryMessageSurvivesMailPrograms checks every kind of message, in both directions and several colours, by the rules at
// the top of the layout.
func TestEveryMessageSurvivesMailPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("every message in several brands, one after the other")
	}
	t.Parallel()
	s, _ := service(t)
	w := s.Texts.wording
	own := &MailText{Subject: "Lease", Body: "Dear {{name}},\nhere it is.\n\n{{message}}\n\n{{link}}\n\nKind regards\nHarbour Homes"}
	for _, language := range []string{"en", "he"} {
		for _, brand := range []string{"", "#000000", "#767676", "#6f4cff", "#b00020", "#006400"} {
			for _, kind := range kinds(s.Words) {
				for _, text := range []*MailText{nil, own} {
					facts := genuine()
					facts["color"], facts["logo"] = brand, "https://sign.harbour.example/logo/1?v=2"
					m, err := w.compose(Message{Kind: kind}, language, facts, text)
					if err != nil {
						t.Fatal(err)
					}
					for _, asOutlook := range []bool{false, true} {
						for _, fault := range examine(m.HTML, asOutlook) {
							t.Errorf("%s in %s, %s, Outlook %v: %s", kind, language, brand, asOutlook, fault)
						}
					}
					if button := strings.Contains(m.HTML, `class="fill"`); button != (len(m.Links) > 0) {
						t.Errorf("%s in %s: %v, but links are %q", kind, language, button, m.Links)
					}
				}
			}
		}
	}
}

// TestTheLongestMessageIsNotClipped fills a company's text, and what people write, to their limits.
func TestTheLongestMessageIsNotClipped(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	facts := genuine()
	facts["message"] = strings.Repeat("ü<", 5_000)
	const body = "{{message}}\n\n{{link}}\n\n"
	for _, own := range []*MailText{nil, {Subject: "Lease", Body: body + strings.Repeat("ü", maxTextBody-len(body))}} {
		m, err := s.Texts.wording.compose(Message{Kind: "invitation"}, "ar", facts, own)
		if err != nil || len(m.HTML) > clipped {
			t.Errorf("%d bytes, %v", len(m.HTML), err)
		}
	}
}

// TestBrokenRulesAreFound checks the checks.
func TestBrokenRulesAreFound(t *testing.T) {
	t.Parallel()
	s, _ := service(t)
	m, err := s.Texts.wording.compose(Message{Kind: "invitation"}, "en", genuine(), nil)
	if err != nil || len(examine(m.HTML, false)) > 0 {
		t.Fatal(err, examine(m.HTML, false))
	}
	for _, c := range []struct {
		what, from, to string
		asOutlook      bool
	}{
		{"a table that is read out", `role="presentation"`, "", false},
		{"a width only in style", `width="576"`, "", true},
		{"a background only in style", `bgcolor="#1d5bd1"`, "", false},
		{"a variable", "color:#16202c", "color:var(--ink)", false},
		{"a position", "margin:0 0 16px", "position:relative", false},
		{"space outside cells", "<p style=\"margin", "<p style=\"padding:1px;margin", false},
		{"a colour too pale", "color:#4a5666;font-family", "color:#9a9a9a;font-family", false},
		{"a button too pale when inverted", "color:#ffffff", "color:#5b8def", false},
		{"a font only in the style sheet", "font-family", "x", false},
		{"a selector for few clients", ".ground{", ":root{", false},
		{"a language only outside the body", `<div role="article" aria-label="` + m.Subject + `" lang="en"`, "<div", false},
		{"more than Gmail shows", "</body>", strings.Repeat(" ", clipped) + "</body>", false},
	} {
		broken := strings.ReplaceAll(m.HTML, c.from, c.to)
		if broken == m.HTML || len(examine(broken, c.asOutlook)) == 0 {
			t.Errorf("%s is not found", c.what)
		}
	}
}
