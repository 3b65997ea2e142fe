package docx

import (
	"context"
	"encoding/xml"
	"io"
	"strings"
)

// Limits of the XML.
const (
	maxDepth      = 256      // elements within elements
	maxNodes      = 400_000  // elements of one paragraph, table or small part
	maxParagraphs = 200_000  // of the document
	maxText       = 16 << 20 // bytes of text of one paragraph, table or small part
	maxToken      = 2 << 20  // bytes of one tag, text or comment
)

// node is an element. Names are those of the specification with the usual
// prefix, e.g. "w:p", whatever prefix the file uses.
type node struct {
	name  string
	attrs []attr
	kids  []*node
	text  string
}

type attr struct{ name, value string }

// attr returns an attribute by its name with prefix, "" if there is none. The
// node may be nil.
func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// val returns the attribute w:val.
func (n *node) val() string { return n.attr("w:val") }

// child returns the first child with a name, or nil. The node may be nil.
func (n *node) child(path ...string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		n = n.first(name)
	}
	return n
}

func (n *node) first(name string) *node {
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// find returns the first descendant with a name, in reading order.
func (n *node) find(name string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
		if f := k.find(name); f != nil {
			return f
		}
	}
	return nil
}

// each calls fn with every descendant with a name; it doesn't descend into
// those.
func (n *node) each(name string, fn func(*node)) {
	if n == nil {
		return
	}
	for _, k := range n.kids {
		if k.name == name {
			fn(k)
		} else {
			k.each(name, fn)
		}
	}
}

// hasText reports whether an element has text; elsewhere text is only
// indentation.
func hasText(name string) bool {
	switch name {
	case "w:t", "w:instrText", "m:t", "wp:posOffset", "wp:align":
		return true
	}
	return false
}

// runText returns the text of w:t. Without xml:space="preserve" the ends are
// trimmed, as Word does.
func (n *node) runText() string {
	if n.attr("xml:space") == "preserve" {
		return n.text
	}
	return strings.Trim(n.text, " \t\r\n")
}

// tree reads a whole small part.
func tree(ctx context.Context, in io.Reader) (*node, error) {
	r := newReader(ctx, in)
	for {
		t, err := r.next()
		if err != nil {
			return nil, notWellFormed(unexpectedEnd(err))
		}
		if e, ok := t.(xml.StartElement); ok {
			return r.subtree(e)
		}
	}
}
