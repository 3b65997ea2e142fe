// Package pattern matches values against the regular expressions that senders set
// on fields. As users write the patterns, each is bounded before it is compiled:
// by its length, by the size of its program, and by the length of the values
// matched.
package pattern

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Limits of a pattern. The time to match grows with their product.
const (
	MaxBytes   = 1000 // of the pattern
	MaxValue   = 1000 // characters of a value
	maxProgram = 1000 // instructions
)

var (
	// ErrSyntax means that a text is not a regular expression, or is much too long.
	ErrSyntax = errors.New("pattern: not a regular expression")

	// ErrComplex means that matching would be too expensive.
	ErrComplex = errors.New("pattern: too complex")
)

// Check returns an error if a field must not have the pattern.
func Check(p string) error {
	if len(p) > MaxBytes {
		return ErrSyntax
	}
	re, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return ErrSyntax
	}
	if size(re) > maxProgram {
		return ErrComplex
	}
	return nil
}

// Match reports whether the pattern matches the whole value. A value that is too long
// does not match. Patterns that predate these limits still work.
func Match(p, value string) bool {
	if len(p) > MaxBytes || utf8.RuneCountInString(value) > MaxValue {
		return false
	}
	re, err := regexp.Compile(`\A(?:` + p + `)\z`)
	return err == nil && re.MatchString(value)
}

// size estimates the number of instructions in the program of an expression. It
// does so before repetitions are expanded, which costs memory.
func size(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<20)
}

// Example returns a text that a pattern probably matches, as people would enter one. What may
// repeat does so more times than it has to, and more also chooses among alternatives; "" means
// that there is none.
func Example(p string, more int) string {
	if Check(p) != nil {
		return ""
	}
	re, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return ""
	}
	if out := example(nil, re, more); len(out) <= MaxValue {
		return string(out)
	}
	return ""
}

// example appends a text for an expression.
func example(out []rune, re *syntax.Regexp, more int) []rune {
	least, most := 1, 1
	switch re.Op {
	case syntax.OpLiteral:
		return append(out, re.Rune...)
	case syntax.OpCharClass:
		return append(out, member(re.Rune)...)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return append(out, 'a')
	case syntax.OpAlternate:
		return example(out, re.Sub[more%len(re.Sub)], more)
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		most = -1
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	}
	times := least + more
	if most >= 0 {
		times = min(times, most)
	}
	for range times {
		for _, sub := range re.Sub {
			if out = example(out, sub, more); len(out) > MaxValue {
				return out
			}
		}
	}
	return out
}

// member returns a character of a class, given as pairs of limits; one that is easy to read if
// the class has any.
func member(class []rune) []rune {
	for _, r := range "1aA" {
		for i := 0; i < len(class); i += 2 {
			if class[i] <= r && r <= class[i+1] {
				return []rune{r}
			}
		}
	}
	return class[:min(1, len(class))]
}
