package html

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// declaration sets a property. The value is in lower case except for names of fonts.
type declaration struct{ property, value string }

// part is a simple selector: an element, classes and an identifier.
type part struct {
	tag, id string
	classes []string
}

// rule applies to the elements that the last part matches, if the others match elements
// around them.
type rule struct {
	parts  []part
	weight int
	set    []declaration
}

// sheet is the style sheets of a file.
type sheet struct {
	rules []rule
	page  []declaration
	left  int // of the steps
}

// readSheet reads style sheets. Selectors that it does not know match nothing, and are
// reported with the properties that are not known.
func readSheet(text string, found *findings) *sheet {
	s := &sheet{left: maxSteps}
	p := css.NewParser(parse.NewInput(bytes.NewBufferString(text)), false)
	var selectors []string
	var open []rule
	var set []declaration
	inPage, skip := false, 0
	for len(s.rules) < maxRules {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if p.Err() == nil || !p.HasParseError() {
				return s
			}
		case css.BeginAtRuleGrammar:
			at, query := string(data), joined(p.Values())
			switch {
			case at == "@font-face":
				found.add(Unstyled, at)
				skip++
			case at == "@page" && query == "":
				inPage = true
			case at != "@media" || strings.Contains(query, "screen") || strings.Contains(query, "("):
				skip++
			}
		case css.AtRuleGrammar:
			if string(data) == "@import" {
				found.add(Unstyled, "@import")
			}
		case css.EndAtRuleGrammar:
			if inPage {
				inPage = false
			} else if skip > 0 {
				skip--
			}
		case css.QualifiedRuleGrammar:
			selectors = append(selectors, strings.Split(joined(p.Values()), ",")...)
		case css.BeginRulesetGrammar:
			selectors = append(selectors, strings.Split(joined(p.Values()), ",")...)
			open, set = nil, nil
			for _, x := range selectors {
				if r, ok := readSelector(x); !ok {
					found.add(Unstyled, strings.TrimSpace(x))
				} else if len(s.rules)+len(open) < maxRules {
					open = append(open, r)
				}
			}
			selectors = nil
		case css.EndRulesetGrammar:
			for _, r := range open {
				if r.set = set; skip == 0 {
					s.rules = append(s.rules, r)
				}
			}
			open = nil
		case css.DeclarationGrammar:
			d := declaration{strings.ToLower(string(data)), value(p.Values())}
			switch {
			case inPage && len(s.page) < maxSet:
				s.page = append(s.page, d)
			case !inPage && len(set) < maxSet:
				set = append(set, d)
			}
		}
	}
	return s
}

func joined(tokens []css.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.Write(t.Data)
	}
	return strings.TrimSpace(b.String())
}

func value(tokens []css.Token) string {
	v := strings.TrimSpace(strings.ToLower(joined(tokens)))
	return strings.TrimSpace(strings.TrimSuffix(v, "!important"))
}

// inline reads a style attribute.
func inline(text string) (set []declaration) {
	p := css.NewParser(parse.NewInput(bytes.NewBufferString(text)), true)
	for len(set) < maxSet {
		switch kind, _, data := p.Next(); kind {
		case css.ErrorGrammar:
			if p.Err() == nil || !p.HasParseError() {
				return set
			}
		case css.DeclarationGrammar:
			set = append(set, declaration{strings.ToLower(string(data)), value(p.Values())})
		}
	}
	return set
}

// readSelector reads elements, classes, identifiers and their nesting.
func readSelector(text string) (r rule, ok bool) {
	if len(text) > maxChosen || strings.ContainsAny(text, ">+~:[") {
		return rule{}, false
	}
	for _, word := range strings.Fields(text) {
		var x part
		for i := 0; i < len(word); {
			end := i + 1
			for end < len(word) && word[end] != '.' && word[end] != '#' {
				end++
			}
			switch piece := word[i:end]; piece[0] {
			case '.':
				x.classes = append(x.classes, piece[1:])
				r.weight += 100
			case '#':
				x.id = piece[1:]
				r.weight += 10_000
			case '*':
			default:
				x.tag = strings.ToLower(piece)
				r.weight++
			}
			i = end
		}
		r.parts = append(r.parts, x)
	}
	return r, len(r.parts) > 0 && len(r.parts) <= 8
}

func (x part) matches(n *node) bool {
	if x.tag != "" && x.tag != n.tag && !(x.tag == "body" && n.up == nil) || x.id != "" && x.id != n.attr("id") {
		return false
	}
	for _, c := range x.classes {
		if !slices.Contains(n.classes, c) {
			return false
		}
	}
	return true
}

// matches reports whether a rule applies to an element. Once too much was compared, none does.
func (s *sheet) matches(r *rule, n *node) bool {
	last := len(r.parts) - 1
	if s.left--; s.left < 0 || !r.parts[last].matches(n) {
		return false
	}
	for n = n.up; n != nil && last > 0; n = n.up {
		if s.left--; r.parts[last-1].matches(n) {
			last--
		}
	}
	return last == 0
}

// of returns what the sheets and the style attribute of an element set, in the order in
// which they apply.
func (s *sheet) of(n *node) (set []declaration) {
	var found []*rule
	for i := range s.rules {
		if s.matches(&s.rules[i], n) {
			found = append(found, &s.rules[i])
		}
	}
	slices.SortStableFunc(found, func(a, b *rule) int { return cmp.Compare(a.weight, b.weight) })
	for _, r := range found {
		s.left -= len(r.set) * setCost
		set = append(set, r.set...)
	}
	if own := n.attr("style"); own != "" {
		set = append(set, inline(own)...)
	}
	return set
}
