package docx

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// equation shows an equation in a row, as text that means the same (ISO/IEC 29500-1 §22.1): 1/12, x², √(a+b).
func (c *collector) equation(k *node) {
	c.d.findings.add("equation")
	f := c.d.format(c.base, c.dark)
	if k.name == "m:oMathPara" {
		first := true
		for _, e := range k.kids {
			if e.name != "m:oMath" {
				continue
			}
			if !first {
				c.add(item{kind: lineBreak, f: f})
			}
			c.text(linear(e), f)
			first = false
		}
		return
	}
	s := linear(k)
	if n := len(c.items); n > 0 && startsAtom(s) && endsAtom(c.items[n-1].text) {
		s = " " + s // 2 and 1/12 are not 21/12
	}
	c.text(s, f)
}

// linear returns the content of a node in a row.
func linear(n *node) string {
	var parts []string
	fractions := map[int]bool{}
	for _, k := range n.kids {
		s := term(k)
		if s == "" {
			continue
		}
		fractions[len(parts)] = k.name == "m:f" && strings.Contains(s, "/")
		parts = append(parts, s)
	}
	var b strings.Builder
	for i, s := range parts {
		next := ""
		if i+1 < len(parts) {
			next = parts[i+1]
		}
		// What stands beside a fraction is not part of it.
		if fractions[i] && (startsAtom(next) || strings.HasPrefix(next, "^")) {
			s = "(" + s + ")"
		}
		if fractions[i] && endsAtom(b.String()) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}

// term returns one element of an equation.
func term(k *node) string {
	part := func(name string) string {
		if p := k.child(name); p != nil {
			return linear(p)
		}
		return ""
	}
	property := func(name, otherwise string) string {
		p := k.child(k.name+"Pr", name)
		if p == nil {
			return otherwise
		}
		return p.attr("m:val")
	}
	switch k.name {
	case "m:t", "w:t":
		return k.text
	case "w:rPr", "m:rPr", "m:ctrlPr", "w:del", "w:moveFrom":
		return ""
	case "m:f":
		if property("m:type", "bar") == "noBar" {
			return part("m:num") + "¦" + part("m:den")
		}
		return atom(part("m:num")) + "/" + atom(part("m:den"))
	case "m:sSup":
		return atom(part("m:e")) + raised(part("m:sup"))
	case "m:sSub":
		return atom(part("m:e")) + lowered(part("m:sub"))
	case "m:sSubSup":
		return atom(part("m:e")) + lowered(part("m:sub")) + raised(part("m:sup"))
	case "m:sPre":
		return raised(part("m:sup")) + lowered(part("m:sub")) + atom(part("m:e"))
	case "m:limLow":
		return part("m:e") + lowered(part("m:lim"))
	case "m:limUpp":
		return part("m:e") + raised(part("m:lim"))
	case "m:rad":
		degree := part("m:deg")
		if root := roots[degree]; root != "" {
			return root + bracketed(part("m:e"))
		}
		return strings.TrimPrefix(raised(degree), "^") + "√" + bracketed(part("m:e"))
	case "m:nary":
		return property("m:chr", "∫") + lowered(part("m:sub")) + raised(part("m:sup")) + " " + part("m:e")
	case "m:func":
		return part("m:fName") + " " + part("m:e")
	case "m:d":
		return property("m:begChr", "(") + strings.Join(each(k, "m:e"), property("m:sepChr", "|")) + property("m:endChr", ")")
	case "m:m":
		var rows []string
		for _, r := range k.kids {
			if r.name == "m:mr" {
				rows = append(rows, strings.Join(each(r, "m:e"), ", "))
			}
		}
		return "[" + strings.Join(rows, "; ") + "]"
	case "m:eqArr":
		return strings.Join(each(k, "m:e"), "; ")
	case "m:acc":
		return accented(part("m:e"), property("m:chr", "\u0302"))
	case "m:bar":
		if property("m:pos", "bot") == "top" {
			return accented(part("m:e"), "\u0305")
		}
		return accented(part("m:e"), "\u0332")
	case "m:phant":
		if s := property("m:show", "1"); s == "0" || s == "off" || s == "false" {
			return ""
		}
	}
	return linear(k)
}

// roots are the signs of roots that need no degree.
var roots = map[string]string{"": "√", "2": "√", "3": "∛", "4": "∜"}

// each returns the content of every child with a name.
func each(n *node, name string) (all []string) {
	for _, k := range n.kids {
		if k.name == name {
			all = append(all, linear(k))
		}
	}
	return all
}

// atom puts what is more than a number, a letter or a bracket into brackets.
func atom(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || isAtom(s) {
		return s
	}
	return "(" + s + ")"
}

// bracketed puts anything into brackets that has none.
func bracketed(s string) string {
	if strings.HasPrefix(s, "(") && isAtom(s) {
		return s
	}
	return "(" + s + ")"
}

func isAtom(s string) bool {
	first, size := utf8.DecodeRuneInString(s)
	rest := s[size:]
	switch {
	case strings.Trim(s, "0123456789.,") == "":
		return true
	case strings.TrimFunc(rest, func(r rune) bool { return unicode.Is(unicode.M, r) || strings.ContainsRune(lows+"′", r) }) == "":
		return true
	case strings.ContainsRune("([{|", first):
		depth := 0
		for i, r := range s {
			switch {
			case strings.ContainsRune("([{", r):
				depth++
			case strings.ContainsRune(")]}", r):
				depth--
			}
			if depth == 0 && i+utf8.RuneLen(r) < len(s) && first != '|' {
				return false // the first bracket ends before the text does
			}
		}
		return depth == 0 && len(s) > 1
	}
	return false
}

const (
	plain = "0123456789+−=()"
	highs = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"
	lows  = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"
)

// raised returns an exponent, in small figures if there are such of all it has.
func raised(s string) string { return shifted(s, "^", highs) }

// lowered returns an index.
func lowered(s string) string { return shifted(s, "_", lows) }

func shifted(s, sign, figures string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "-", "−")
	if s == "" {
		return ""
	}
	small := strings.Map(func(r rune) rune {
		if i := strings.IndexRune(plain, r); i >= 0 {
			return []rune(figures)[utf8.RuneCountInString(plain[:i])]
		}
		return -1
	}, s)
	if utf8.RuneCountInString(small) == utf8.RuneCountInString(s) {
		return small
	}
	return sign + atom(s)
}

// accented puts a combining character on a letter, or names it before more than one.
func accented(s, mark string) string {
	if utf8.RuneCountInString(s) == 1 {
		return s + mark
	}
	return "\u25cc" + mark + "(" + s + ")"
}

// startsAtom and endsAtom report whether a text would join a number or a letter beside it.
func startsAtom(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isPart(r) || strings.ContainsRune("(√∛∜", r)
}

func endsAtom(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return isPart(r)
}

func isPart(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
