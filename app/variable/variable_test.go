package variable_test

import (
	"strings"
	"testing"

	"paraph/app/variable"
)

func TestValuesAreFilledIn(t *testing.T) {
	t.Parallel()
	values := map[string]string{"name": "Sam", "of itself": "{{name}}", "": "nothing"}
	for text, want := range map[string]string{
		"": "", "Dear {{name}}": "Dear Sam", "{{ Name }}, {{name}}!": "Sam, Sam!", "{{other}} {{name}}": "{{other}} Sam",
		"{{Of  Itself}}": "{{name}}", "{{}} {{name": "{{}} {{name",
	} {
		if got := variable.Fill(text, values); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestAShortTextDoesNotGrowWithoutBound names a long value thousands of times.
func TestAShortTextDoesNotGrowWithoutBound(t *testing.T) {
	t.Parallel()
	text, long := strings.Repeat("{{x}}", 2000), strings.Repeat("ä", 10_000)
	if got := variable.Fill(text, map[string]string{"x": long}); len(got) > variable.Most || !strings.HasPrefix(got, long) {
		t.Errorf("it grows to %d bytes", len(got))
	}
	if got := variable.Fill(strings.Repeat("a", 2*variable.Most), nil); len(got) != 2*variable.Most {
		t.Errorf("a text without variables is cut to %d bytes", len(got))
	}
}
