package markup

import "strings"

// Squeeze removes from a template the white space that browsers don't show, which is there for
// those who read the template.
func Squeeze(src string) (string, error) {
	nodes, err := parse(src)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	squeeze(&out, place{left: atBlock, right: atBlock}, nodes)
	return out.String(), nil
}

func squeeze(out *strings.Builder, p place, nodes []node) {
	for i, n := range nodes {
		switch n := n.(type) {
		case space:
			if !p.free(nodes, i) {
				out.WriteByte(' ')
			}
		case word:
			out.WriteString(string(n))
		case output:
			out.WriteString(n.text)
		case silent:
			if !strings.Contains(n.text, "/*") {
				out.WriteString(n.text)
			}
		case loose:
			if n.end {
				out.WriteString(n.text)
			} else {
				out.WriteString(n.tag.flat())
			}
		case verbatimElement:
			out.WriteString(n.tag.flat() + n.rest)
		case element:
			out.WriteString(n.tag.flat())
			if !n.void {
				squeeze(out, n.inside(), n.children)
				out.WriteString("</" + n.tag.name + ">")
			}
		case control:
			in := p.within(nodes, i)
			for i, b := range n.branches {
				out.WriteString(b.action)
				squeeze(out, in.of(n, i), b.nodes)
			}
			out.WriteString(n.end)
		}
	}
}
