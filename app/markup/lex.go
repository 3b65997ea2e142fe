package markup

import (
	"fmt"
	"strings"
)

// kind tells the tokens of a template apart.
type kind int

const (
	text    kind = iota // between tags and actions
	action              // {{…}}
	open                // <name …>
	closing             // </name>
	remark              // <!--…--> and <!doctype …>
	raw                 // a whole element whose contents are kept as they are
)

// token is a piece of a template as it stands in the source.
type token struct {
	kind kind
	name string // of the tag, in lower case
	text string
	tag  string // of a raw element, its start tag
}

// verbatim lists elements in which every space counts, or that hold another language.
var verbatim = set("pre", "textarea", "script", "style")

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// lexer cuts a template into tokens.
type lexer struct {
	src string
	at  int
}

func lex(src string) ([]token, error) {
	l := lexer{src: src}
	var all []token
	for l.at < len(src) {
		t, err := l.next()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+strings.Count(src[:l.at], "\n"), err)
		}
		all = append(all, t)
	}
	return all, nil
}

func (l *lexer) next() (token, error) {
	rest := l.src[l.at:]
	switch {
	case strings.HasPrefix(rest, "{{"):
		n, err := actionLength(rest)
		return l.take(token{kind: action}, n), err
	case strings.HasPrefix(rest, "<!--"):
		n := strings.Index(rest, "-->")
		if n < 0 {
			return token{}, fmt.Errorf("a comment does not end")
		}
		return l.take(token{kind: remark}, n+len("-->")), nil
	case strings.HasPrefix(rest, "<!"):
		n := strings.IndexByte(rest, '>')
		if n < 0 {
			return token{}, fmt.Errorf("a declaration does not end")
		}
		return l.take(token{kind: remark}, n+1), nil
	case startsTag(rest):
		return l.tag(rest)
	}
	n := 1
	for n < len(rest) && !strings.HasPrefix(rest[n:], "{{") && !strings.HasPrefix(rest[n:], "<!") && !startsTag(rest[n:]) {
		n++
	}
	return l.take(token{kind: text}, n), nil
}

func (l *lexer) take(t token, n int) token {
	t.text = l.src[l.at : l.at+n]
	l.at += n
	return t
}

func (l *lexer) tag(rest string) (token, error) {
	n, err := tagLength(rest)
	if err != nil {
		return token{}, err
	}
	t := token{kind: open, name: tagName(rest[1:])}
	if rest[1] == '/' {
		t.kind, t.name = closing, tagName(rest[2:])
	}
	if t.kind == open && verbatim[t.name] {
		end := strings.Index(rest[n:], "</"+t.name)
		if end < 0 {
			return token{}, fmt.Errorf("<%s> does not end", t.name)
		}
		t.kind, t.tag = raw, rest[:n]
		n += end + len("</"+t.name+">")
	}
	return l.take(t, n), nil
}

// startsTag reports whether s begins with a start or end tag.
func startsTag(s string) bool {
	if len(s) < 2 || s[0] != '<' {
		return false
	}
	s = strings.TrimPrefix(s[1:], "/")
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

func tagName(s string) string {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= '0' && s[n] <= '9' || s[n] == '-') {
		n++
	}
	return strings.ToLower(s[:n])
}

// tagLength returns the length of the tag at the beginning of s. Actions and quoted
// values may hold any character.
func tagLength(s string) (int, error) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"):
			n, err := actionLength(s[i:])
			if err != nil {
				return 0, err
			}
			i += n - 1
		case quote != 0:
			if s[i] == quote {
				quote = 0
			}
		case s[i] == '"' || s[i] == '\'':
			quote = s[i]
		case s[i] == '>':
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("a tag does not end")
}

// actionLength returns the length of the action at the beginning of s.
func actionLength(s string) (int, error) {
	if body := strings.TrimLeft(s[2:], "- "); strings.HasPrefix(body, "/*") {
		if n := strings.Index(s, "*/"); n >= 0 {
			if end := strings.Index(s[n:], "}}"); end >= 0 {
				return n + end + 2, nil
			}
		}
		return 0, fmt.Errorf("a comment does not end")
	}
	for i := 2; i < len(s); i++ {
		switch {
		case s[i] == '"' || s[i] == '`':
			n := quoted(s[i:])
			if n == 0 {
				return 0, fmt.Errorf("a string does not end")
			}
			i += n - 1
		case strings.HasPrefix(s[i:], "}}"):
			return i + 2, nil
		}
	}
	return 0, fmt.Errorf("an action does not end")
}

// quoted returns the length of the string literal at the beginning of s, or 0 if it does not end.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' && s[0] == '"' {
			i++
		} else if s[i] == s[0] {
			return i + 1
		}
	}
	return 0
}
