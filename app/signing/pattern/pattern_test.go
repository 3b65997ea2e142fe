package pattern_test

import (
	"errors"
	"strings"
	"testing"

	"paraph/app/signing/pattern"
)

func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]error{
		"": nil, `[A-Z]{2}\d{2}[A-Z0-9]{11,30}`: nil, `(?i)[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}`: nil, `.{0,400}`: nil, `a|b|c`: nil, `x*`: nil,
		`(`: pattern.ErrSyntax, `a{2000}`: pattern.ErrSyntax, strings.Repeat("a", 1001): pattern.ErrSyntax,
		`(.*){1000}`: pattern.ErrComplex, `((a{10}){10}){10}`: pattern.ErrComplex, `.{1000}.{1000}`: pattern.ErrComplex, strings.Repeat(`\pL{900}`, 100): pattern.ErrComplex,
	} {
		if got := pattern.Check(p); !errors.Is(got, want) {
			t.Errorf("%.40q: got %v, want %v", p, got, want)
		}
	}
}

func TestMatchCoversTheWholeValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, value string
		want           bool
	}{
		{`[A-Z]{3}`, "ABC", true}, {`[A-Z]{3}`, "ABCD", false}, {`a|b`, "b", true}, {`a|b`, "ab", false}, {`(`, "(", false},
		{`a*`, strings.Repeat("a", pattern.MaxValue), true}, {`a*`, strings.Repeat("a", pattern.MaxValue+1), false},
	} {
		if got := pattern.Match(tt.pattern, tt.value); got != tt.want {
			t.Errorf("%q with %.20q: %v", tt.pattern, tt.value, got)
		}
	}
}

func TestExamplesMatch(t *testing.T) {
	t.Parallel()
	for _, p := range []string{`[A-Z]{2}\d{2}[A-Z0-9]{11,30}`, `(?i)[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}`, `a|bc|def`, `(a|b)*c?`,
		`^\d{4}-\d{2}$`, `[^a-z0-9]+`, `.+`, `\pL+ \pN`, ``} {
		for more := range 5 {
			if got := pattern.Example(p, more); !pattern.Match(p, got) {
				t.Errorf("%q does not match the example %q", p, got)
			}
		}
	}
	for _, p := range []string{`(`, `a{2000}`, `(.*){1000}`, `(a{30}){30}`} {
		if got := pattern.Example(p, 5); got != "" && !pattern.Match(p, got) {
			t.Errorf("the example of %q is %.20q", p, got)
		}
	}
	if got := pattern.Example(`(\d{3})+`, 3); got != "111111111111" {
		t.Errorf("a longer example is %q", got)
	}
	if got := pattern.Example(`(a*b*)*(a*b*)*`, 60); got != "" {
		t.Errorf("an example has %d characters", len(got))
	}
}

// TestRefusedPatternsCostNothing counts what is allocated before a pattern is refused:
// a request can carry a thousand of them, and compiling one takes 63,000 instructions.
func TestRefusedPatternsCostNothing(t *testing.T) {
	worst := strings.Repeat(`(\pL{10}){90}`, 70)
	allocations := testing.AllocsPerRun(10, func() {
		if err := pattern.Check(worst); !errors.Is(err, pattern.ErrComplex) {
			t.Fatal(err)
		}
	})
	t.Logf("%v allocations", allocations)
	if allocations > 5000 {
		t.Errorf("refusing a pattern takes %v allocations", allocations)
	}
}
