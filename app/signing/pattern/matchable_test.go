package pattern_test

import (
	"testing"

	"paraph/app/signing/pattern"
)

// TestPatternsThatNothingMatches tells patterns that some value matches from those that none does, within a length.
func TestPatternsThatNothingMatches(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		pattern     string
		least, most int
		want        bool
	}{
		{"[0-9]+", 0, 1000, true},
		{"", 0, 1000, false},
		{"a?", 0, 1000, true},
		{"a^b", 0, 1000, false},
		{"a$b", 0, 1000, false},
		{"^a$", 0, 1000, true},
		{`a\bb`, 0, 1000, false},
		{`a\b b`, 0, 1000, true},
		{`a\B-`, 0, 1000, false},
		{`[^\x00-\x{10FFFF}]`, 0, 1000, false},
		{`[^\x00-\x{10FFFE}]`, 0, 1000, true},
		{" +", 0, 1000, false},
		{` ?a ?`, 0, 1000, true},
		{"(?m)a$\nb", 0, 1000, true},
		{"(?m)a^\nb", 0, 1000, false},
		{"[0-9]{5}", 0, 4, false},
		{"[0-9]{5}", 5, 5, true},
		{"[0-9]{5}", 6, 1000, false},
		{"(ab)+", 3, 3, false},
		{"(ab)+", 3, 4, true},
		{"a*", 1000, 1000, true},
		{"a{1000}", 0, 999, false},
		{"(?i)ſ", 0, 1000, true},
		{"(?i)k", 0, 1000, true},
		{`\p{Thai}`, 0, 1000, true},
		{`[\x{1F600}-\x{1F64F}]`, 0, 1000, true},
		{"[", 0, 1000, false},
	} {
		if got := pattern.Matchable(x.pattern, x.least, x.most); got != x.want {
			t.Errorf("%q from %d to %d: %v", x.pattern, x.least, x.most, got)
		}
	}
}
