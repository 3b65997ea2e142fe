package plain

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func set(n *html.Node, name, value string) {
	unset(n, name)
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func unset(n *html.Node, name string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func isControl(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.Data == "input" || n.Data == "select" || n.Data == "textarea")
}

// disabled reports whether an element, or what it stands in, is disabled.
func disabled(n *html.Node) bool {
	for p := n; p != nil; p = p.Parent {
		if has(p, "disabled") && (p == n || p.Data == "fieldset") {
			return true
		}
	}
	return false
}

// hidden reports whether the page hides an element, without regard to styles.
func hidden(n *html.Node) bool {
	inSummary := false
	for p := n; p != nil; p = p.Parent {
		switch {
		case p.Data == "input" && attribute(p, "type") == "hidden", has(p, "hidden"), p.Data == "dialog" && !has(p, "open"),
			slices.Contains([]string{"head", "template", "script", "style"}, p.Data):
			return true
		case p.Data == "summary":
			inSummary = true
		case p.Data == "details":
			if !has(p, "open") && !inSummary {
				return true
			}
			inSummary = false
		}
	}
	return false
}

// options returns the values of the chosen options of a list: the first one that can be chosen, if none is.
func options(n *html.Node) (chosen []string) {
	first, any := "", false
	for o := range n.Descendants() {
		if o.Type != html.ElementNode || o.Data != "option" || disabled(o) {
			continue
		}
		if !any {
			first, any = value(o), true
		}
		if has(o, "selected") {
			chosen = append(chosen, value(o))
		}
	}
	if len(chosen) == 0 && any && !has(n, "multiple") {
		chosen = []string{first}
	}
	return chosen
}

// value returns what an input or an option stands for.
func value(n *html.Node) string {
	switch {
	case n.Data == "select":
		return strings.Join(options(n), "\n")
	case n.Data == "textarea":
		return raw(n)
	case n.Data == "option" && !has(n, "value"):
		return strings.TrimSpace(raw(n))
	}
	return attribute(n, "value")
}

func raw(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// inline are the elements that don't begin a line.
var inline = strings.Fields("a abbr b bdi bdo br code data em i img input kbd label mark q s small span strong sub sup svg time u var wbr")

// text returns what can be read in an element, its lines apart.
func text(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(strings.Map(func(r rune) rune {
				if strings.ContainsRune("\n\t\r", r) {
					return ' '
				}
				return r
			}, n.Data))
			return
		}
		if n.Type == html.ElementNode && hidden(n) {
			return
		}
		line := n.Type == html.ElementNode && !slices.Contains(inline, n.Data) || n.Data == "br"
		if line {
			b.WriteByte('\n')
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		if line {
			b.WriteByte('\n')
		}
	}
	walk(n)
	var lines []string
	for l := range strings.Lines(b.String()) {
		// Spaces that don't break stay what they are.
		if words := strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\n' }); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}
