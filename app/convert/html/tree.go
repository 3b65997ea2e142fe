package html

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"paraph/app/convert/internal/refuse"
)

// node is an element, or a text if it has no tag.
type node struct {
	tag     string
	text    string
	attrs   []html.Attribute
	classes []string
	up      *node
	kids    []*node
}

func (n *node) attr(key string) string {
	for _, a := range n.attrs {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (n *node) readClasses() {
	all := strings.Fields(n.attr("class"))
	n.classes = all[:min(len(all), maxClasses)]
}

// words returns the text in a node.
func (n *node) words() string {
	if n.tag == "" {
		return n.text
	}
	var b strings.Builder
	for _, k := range n.kids {
		b.WriteString(k.words())
	}
	return b.String()
}

// tree reads HTML into nodes. The HTML standard's repair of misnested formatting multiplies
// elements; this only closes what a later tag ends.
type tree struct {
	ctx    context.Context
	tokens *html.Tokenizer
	found  *findings
	root   *node
	at     *node
	depth  int
	size   int
	styles strings.Builder
}

var (
	voids = set("area base br col embed hr img input link meta param source track wbr")
	// ignored have no content that is shown, and nothing is lost without them.
	ignored = set("head title meta base link template noscript style")
	// dropped can't be shown.
	dropped = set("script iframe object embed applet video audio canvas svg math frameset frame map dialog")
	// ending lists the elements that a start tag ends, and those at which the search stops.
	ending = map[string]struct{ ends, within map[string]bool }{
		"li":     {set("li"), set("ul ol menu table td th")},
		"dt":     {set("dt dd"), set("dl table td th")},
		"dd":     {set("dt dd"), set("dl table td th")},
		"option": {set("option"), set("select")},
		"tr":     {set("tr td th caption colgroup"), set("table")},
		"td":     {set("td th"), set("tr table")},
		"th":     {set("td th"), set("tr table")},
		"thead":  {set("thead tbody tfoot tr td th caption colgroup"), set("table")},
		"tbody":  {set("thead tbody tfoot tr td th caption colgroup"), set("table")},
		"tfoot":  {set("thead tbody tfoot tr td th caption colgroup"), set("table")},
	}
	paragraphEnds = set("address article aside blockquote center details div dl fieldset figcaption figure footer form h1 h2 " +
		"h3 h4 h5 h6 header hr main menu nav ol p pre section table ul")
)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

func (t *tree) read() error {
	t.root = &node{tag: "html"}
	t.at = t.root
	for n := 0; ; n++ {
		if n%1024 == 0 && t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		kind := t.tokens.Next()
		switch kind {
		case html.ErrorToken:
			return t.failure(t.tokens.Err())
		case html.TextToken:
			text := string(t.tokens.Text())
			t.size += len(text)
			t.add(&node{text: text})
		case html.StartTagToken, html.SelfClosingTagToken:
			if err := t.begin(kind == html.SelfClosingTagToken); err != nil {
				return err
			}
		case html.EndTagToken:
			name, _ := t.tokens.TagName()
			t.end(string(name))
		}
		if t.size += 8; t.size > maxText {
			return tooLong()
		}
	}
}

func (t *tree) failure(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, html.ErrBufferExceeded):
		return tooLong()
	}
	if _, refused := errors.AsType[*refuse.Error](err); refused {
		return err
	}
	return err
}

func (t *tree) add(n *node) {
	n.up = t.at
	t.at.kids = append(t.at.kids, n)
}

func (t *tree) begin(selfClosing bool) error {
	token := t.tokens.Token()
	n := &node{tag: token.Data, attrs: token.Attr[:min(len(token.Attr), maxAttrs)]}
	for _, a := range token.Attr {
		if t.size += len(a.Key) + 32; n.tag != "img" || a.Key != "src" || !strings.HasPrefix(a.Val, "data:") {
			t.size += len(a.Val)
		}
	}
	n.readClasses()
	if n.tag == "link" && strings.Contains(strings.ToLower(n.attr("rel")), "stylesheet") {
		t.found.add(LeftOut, n.tag)
	}
	if n.attr("background") != "" {
		t.found.add(Unstyled, "background")
	}
	switch {
	case n.tag == "html" || n.tag == "body":
		t.root.attrs = append(t.root.attrs, n.attrs[:min(len(n.attrs), maxAttrs-len(t.root.attrs))]...)
		t.root.readClasses()
		return nil
	case n.tag == "head":
		return nil
	}
	if e, ok := ending[n.tag]; ok {
		t.close(e.ends, e.within)
	}
	if paragraphEnds[n.tag] {
		t.close(set("p"), set("table td th li dd button"))
	}
	t.add(n)
	if voids[n.tag] || selfClosing && dropped[n.tag] || t.depth >= maxDepth {
		return nil
	}
	t.at = n
	t.depth++
	return nil
}

// close ends the outermost open element of a set within another.
func (t *tree) close(ends, within map[string]bool) {
	var last *node
	depth, lastDepth := t.depth, 0
	for n := t.at; n != t.root && !within[n.tag]; n, depth = n.up, depth-1 {
		if ends[n.tag] {
			last, lastDepth = n, depth
		}
	}
	if last != nil {
		t.at, t.depth = last.up, lastDepth-1
	}
}

var tableParts = set("table thead tbody tfoot tr td th")

func (t *tree) end(name string) {
	depth := t.depth
	for n := t.at; n != t.root; n, depth = n.up, depth-1 {
		if n.tag == name {
			t.finish(n)
			t.at, t.depth = n.up, depth-1
			return
		}
		if tableParts[n.tag] && !tableParts[name] {
			return
		}
	}
}

// finish keeps the text of a style sheet.
func (t *tree) finish(n *node) {
	if n.tag == "style" && !slices.Contains([]string{"screen", "speech"}, n.attr("media")) {
		t.styles.WriteString(n.words())
		t.styles.WriteByte('\n')
	}
}
