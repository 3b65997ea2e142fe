package markup

import (
	"fmt"
	"strings"
)

// tag is a start tag.
type tag struct {
	name  string
	attrs []attr
	slash bool // <name/>
}

// attr is an attribute with its value, or attributes that depend on a condition.
type attr struct {
	text     string
	branches []attrBranch
}

type attrBranch struct {
	action string // {{if …}}, {{else}} or {{end}}
	attrs  []attr
}

func parseTag(src string) (tag, error) {
	t := tag{name: tagName(src[1:])}
	body := strings.TrimSuffix(src[1+len(t.name):], ">")
	if strings.HasSuffix(body, "/") && !strings.HasSuffix(body, "=/") {
		body, t.slash = strings.TrimSuffix(body, "/"), true
	}
	a := attrParser{src: body}
	if t.attrs = a.list(); a.at < len(body) || a.open {
		return t, fmt.Errorf("<%s> ends within a condition", t.name)
	}
	return t, nil
}

// attrParser reads the attributes of a tag.
type attrParser struct {
	src  string
	at   int
	open bool // a condition does not end
}

// list reads attributes up to an else or end.
func (p *attrParser) list() (out []attr) {
	for {
		p.at += len(p.src[p.at:]) - len(strings.TrimLeft(p.src[p.at:], " \t\r\n"))
		if p.at == len(p.src) {
			return out
		}
		switch v := p.verb(); {
		case v == "else" || v == "end":
			return out
		case opening[v]:
			if group, ok := p.group(); ok {
				out = append(out, group)
				continue
			}
		}
		out = append(out, attr{text: p.one()})
	}
}

// verb returns the verb of the action here, if there is one.
func (p *attrParser) verb() string {
	if !strings.HasPrefix(p.src[p.at:], "{{") {
		return ""
	}
	return verb(p.src[p.at:])
}

func (p *attrParser) action() string {
	n, err := actionLength(p.src[p.at:])
	if err != nil {
		n = len(p.src) - p.at
	}
	p.at += n
	return flat(p.src[p.at-n : p.at])
}

// group reads attributes that depend on a condition. It reports false, and reads nothing, if it
// holds a part of one: title{{if .X}}="…"{{end}}.
func (p *attrParser) group() (attr, bool) {
	begin := p.at
	var g attr
	for p.at < len(p.src) {
		b := attrBranch{action: p.action()}
		if verb(b.action) == "end" {
			g.branches = append(g.branches, b)
			after := p.at == len(p.src) || strings.IndexByte(" \t\r\n{", p.src[p.at]) >= 0
			if !after {
				break
			}
			return g, true
		}
		b.attrs = p.list()
		g.branches = append(g.branches, b)
	}
	p.at = begin
	return attr{}, false
}

// one reads an attribute: up to white space, or to a condition with attributes of its own.
func (p *attrParser) one() string {
	begin, quote, depth := p.at, byte(0), 0
	var out strings.Builder
	for p.at < len(p.src) {
		c := p.src[p.at]
		switch {
		case strings.HasPrefix(p.src[p.at:], "{{"):
			v := verb(p.src[p.at:])
			if quote == 0 && depth == 0 && p.at > begin && (opening[v] && p.separate() || v == "else" || v == "end") {
				return out.String()
			}
			if opening[v] {
				depth++
			} else if v == "end" {
				depth--
			}
			out.WriteString(p.action())
			continue
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case depth == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			return out.String()
		}
		out.WriteByte(c)
		p.at++
	}
	p.open = depth != 0
	return out.String()
}

// separate reports whether the condition here holds attributes of its own: what follows it is
// white space.
func (p *attrParser) separate() bool {
	n, err := actionLength(p.src[p.at:])
	rest := p.src[p.at+n:]
	return err == nil && rest != "" && strings.IndexByte(" \t\r\n", rest[0]) >= 0
}

// flat writes an attribute after the space before it.
func (a attr) flat() string {
	if a.branches == nil {
		return " " + a.text
	}
	var out strings.Builder
	for _, b := range a.branches {
		out.WriteString(b.action)
		for _, inner := range b.attrs {
			out.WriteString(inner.flat())
		}
	}
	return out.String()
}

// flat writes a tag on one line.
func (t tag) flat() string {
	var out strings.Builder
	out.WriteString("<" + t.name)
	for _, a := range t.attrs {
		out.WriteString(a.flat())
	}
	if t.slash {
		out.WriteString("/")
	}
	out.WriteString(">")
	return out.String()
}

// classes returns the names in the class attribute that are there in any case.
func (t tag) classes() []string {
	for _, a := range t.attrs {
		if value, ok := strings.CutPrefix(a.text, `class="`); ok {
			value, _, _ = strings.Cut(value, "{{")
			return strings.Fields(strings.TrimSuffix(value, `"`))
		}
	}
	return nil
}
