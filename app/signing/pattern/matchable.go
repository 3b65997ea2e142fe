package pattern

import (
	"regexp/syntax"
	"unicode"
)

// Matchable reports whether some value of at least and at most so many characters matches a pattern. Values are
// visible texts: they neither begin nor end with white space. It errs on the side of patterns, never against them.
func Matchable(p string, least, most int) bool {
	re, err := syntax.Parse(`\A(?:`+p+`)\z`, syntax.Perl)
	if err != nil || Check(p) != nil {
		return false
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return false
	}
	now := map[place]bool{{prog.Start, edge}: true}
	for n := 0; n <= min(most, MaxValue) && len(now) > 0; n++ {
		next := map[place]bool{}
		for at := range now {
			for _, after := range []kind{edge, word, space, line, other} {
				if at.after == edge && (after == space || after == line) {
					continue // values are trimmed
				}
				s := step{prog: prog, before: at.after, after: after, seen: map[int]bool{}, next: next}
				if s.follow(at.pc) && n >= least && n > 0 && at.after != space && at.after != line {
					return true
				}
			}
		}
		now = next
	}
	return false
}

// A kind of characters, as far as patterns look at what is beside a place.
type kind int

const (
	edge  kind = iota // the beginning or the end
	word              // letters, digits and the underscore of ASCII
	space             // white space within a line
	line              // the end of a line
	other
)

func kindOf(r rune) kind {
	switch {
	case syntax.IsWordChar(r):
		return word
	case r == '\n':
		return line
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// A place is an instruction to go on from, and what kind of character was before it.
type place struct {
	pc    int
	after kind
}

// A step goes from between two characters past the second of them.
type step struct {
	prog          *syntax.Prog
	before, after kind
	seen          map[int]bool
	next          map[place]bool
}

// follow adds the places after the next character, and reports whether the value may end here.
func (s *step) follow(pc int) bool {
	if s.seen[pc] {
		return false
	}
	s.seen[pc] = true
	switch i := &s.prog.Inst[pc]; i.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		one, other := s.follow(int(i.Out)), s.follow(int(i.Arg))
		return one || other
	case syntax.InstCapture, syntax.InstNop:
		return s.follow(int(i.Out))
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(i.Arg)&^s.holds() == 0 {
			return s.follow(int(i.Out))
		}
	case syntax.InstMatch:
		return s.after == edge
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		if s.after != edge && has(i, s.after) {
			s.next[place{int(i.Out), s.after}] = true
		}
	}
	return false
}

// holds returns the conditions that hold between the two characters.
func (s *step) holds() (out syntax.EmptyOp) {
	if s.before == edge {
		out |= syntax.EmptyBeginText
	}
	if s.after == edge {
		out |= syntax.EmptyEndText
	}
	if s.before == edge || s.before == line {
		out |= syntax.EmptyBeginLine
	}
	if s.after == edge || s.after == line {
		out |= syntax.EmptyEndLine
	}
	if (s.before == word) != (s.after == word) {
		return out | syntax.EmptyWordBoundary
	}
	return out | syntax.EmptyNoWordBoundary
}

// samples are characters of each kind, of which classes of characters usually have one.
var samples = map[kind]string{word: "aA0_zZ9", space: " \t\u00a0", line: "\n", other: "é.-/@,:ßЖע漢"}

// has reports whether an instruction accepts a character of a kind.
func has(i *syntax.Inst, of kind) bool {
	for _, r := range samples[of] {
		if i.MatchRune(r) {
			return true
		}
	}
	const enough = 300 // more than there are of any kind in a row but of the last
	for at := 0; at < len(i.Rune); at++ {
		last := i.Rune[at]
		if len(i.Rune) > 1 {
			last = i.Rune[min(at+1, len(i.Rune)-1)]
		}
		for r := i.Rune[at]; r <= min(last, i.Rune[at]+enough); r++ {
			if kindOf(r) == of && i.MatchRune(r) && !unicode.IsControl(r) {
				return true
			}
		}
		at++
	}
	return false
}
