package markup

import "strings"

// node is a part of a template.
type node interface{}

type (
	// word is text without white space.
	word string
	// space is white space as it stands in the source.
	space string
	// output is an action that writes something.
	output struct{ text string }
	// silent prints nothing: a comment, or an action that sets a variable.
	silent struct{ text string }
	// element has an end tag, unless it is void.
	element struct {
		tag      tag
		children []node
		void     bool
	}
	// verbatimElement is kept as it is, but for its start tag.
	verbatimElement struct {
		tag  tag
		rest string
	}
	// loose is a start or end tag whose counterpart is in another branch.
	loose struct {
		tag  tag
		end  bool
		text string
	}
	// control is an action with branches: if, with, range, define or block.
	control struct {
		verb     string
		branches []branch
		end      string // {{end}}
	}
	branch struct {
		action string
		nodes  []node
	}
)

var voids = set("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")

// verb returns the first word of an action.
func verb(action string) string {
	body := strings.TrimLeft(strings.TrimPrefix(action, "{{"), "- \t\n")
	n := 0
	for n < len(body) && body[n] >= 'a' && body[n] <= 'z' {
		n++
	}
	return body[:n]
}

var opening = set("if", "with", "range", "define", "block")

// isSilent reports whether an action writes nothing: comments, assignments, break and continue.
func isSilent(action string) bool {
	body := strings.TrimLeft(strings.TrimPrefix(action, "{{"), "- \t\n")
	if strings.HasPrefix(body, "/*") {
		return true
	}
	switch verb(action) {
	case "break", "continue":
		return true
	}
	name, _, set := strings.Cut(body, "=")
	name = strings.TrimSpace(strings.TrimSuffix(name, ":"))
	return set && strings.HasPrefix(name, "$") && !strings.ContainsAny(name, " \"`(|")
}

// parser builds the tree of a template.
type parser struct {
	all []token
	at  int
	in  []string // names of the elements that are open in this branch
	err error
}

// parse returns the parts of a template.
func parse(src string) ([]node, error) {
	all, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{all: all}
	var out []node
	for {
		nodes := p.list()
		out = append(out, nodes...)
		if p.at == len(p.all) {
			return out, p.err
		}
		out = append(out, p.stray())
	}
}

func (p *parser) tag(src string) tag {
	t, err := parseTag(src)
	if err != nil && p.err == nil {
		p.err = err
	}
	return t
}

// stray consumes a token that ends nothing.
func (p *parser) stray() node {
	t := p.all[p.at]
	p.at++
	if t.kind == closing {
		return loose{tag: tag{name: t.name}, end: true, text: t.text}
	}
	return output{t.text}
}

// list reads up to an end tag of an element that is open, or an else or end.
func (p *parser) list() (out []node) {
	for p.at < len(p.all) {
		t := p.all[p.at]
		switch t.kind {
		case text:
			out = append(out, words(t.text)...)
		case remark:
			out = append(out, silent{t.text})
		case raw:
			out = append(out, verbatimElement{p.tag(t.tag), t.text[len(t.tag):]})
		case action:
			switch v := verb(t.text); {
			case v == "else" || v == "end":
				return out
			case opening[v]:
				out = append(out, p.control())
				continue
			case isSilent(t.text):
				out = append(out, silent{flat(t.text)})
			default:
				out = append(out, output{flat(t.text)})
			}
		case open:
			out = append(out, p.element()...)
			continue
		case closing:
			for _, name := range p.in {
				if name == t.name {
					return out
				}
			}
			out = append(out, p.stray())
			continue
		}
		p.at++
	}
	return out
}

// element reads an element. If it does not end in its branch, its start tag stands alone.
func (p *parser) element() []node {
	t := p.all[p.at]
	p.at++
	start := p.tag(t.text)
	if voids[t.name] {
		return []node{element{tag: start, void: true}}
	}
	p.in = append(p.in, t.name)
	children := p.list()
	p.in = p.in[:len(p.in)-1]
	if p.at < len(p.all) && p.all[p.at].kind == closing && p.all[p.at].name == t.name {
		p.at++
		return []node{element{tag: start, children: children}}
	}
	return append([]node{loose{tag: start}}, children...)
}

func (p *parser) control() node {
	c := control{verb: verb(p.all[p.at].text)}
	outside := p.in
	defer func() { p.in = outside }()
	for p.at < len(p.all) {
		t := p.all[p.at]
		p.at++
		if verb(t.text) == "end" {
			c.end = flat(t.text)
			return c
		}
		p.in = nil
		c.branches = append(c.branches, branch{flat(t.text), p.list()})
	}
	return c
}

// words splits a text into words and the white space between them.
func words(s string) (out []node) {
	for s != "" {
		n := strings.IndexAny(s, " \t\r\n")
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			out = append(out, word(s[:n]))
			s = s[n:]
			continue
		}
		rest := strings.TrimLeft(s, " \t\r\n")
		out = append(out, space(s[:len(s)-len(rest)]))
		s = rest
	}
	return out
}

// flat writes an action on one line, except a comment.
func flat(action string) string {
	if strings.Contains(action, "/*") && strings.HasPrefix(strings.TrimLeft(action[2:], "- "), "/*") {
		return action
	}
	return strings.Join(parts(action), " ")
}

// parts splits an action at its white space, but not within strings.
func parts(action string) (out []string) {
	begin := 0
	for i := 0; i <= len(action); i++ {
		switch {
		case i == len(action) || strings.IndexByte(" \t\r\n", action[i]) >= 0:
			if i > begin {
				out = append(out, action[begin:i])
			}
			begin = i + 1
		case action[i] == '"' || action[i] == '`':
			i += max(quoted(action[i:]), 1) - 1
		}
	}
	return out
}
