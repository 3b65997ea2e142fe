package words_test

import (
	"regexp"
	"strings"
	"testing"
)

// breaking matches French punctuation after, or within guillemets beside, an ordinary space.
var breaking = regexp.MustCompile(` [:;?!»%]|« `)

// TestFrenchPunctuationStaysWithItsWord expects no-break spaces, so that no line starts with
// punctuation.
func TestFrenchPunctuationStaysWithItsWord(t *testing.T) {
	t.Parallel()
	for key, text := range texts(t, "fr") {
		if breaking.MatchString(text) {
			t.Errorf("%s: put a no-break space (U+00A0) beside the punctuation in %q", key, text)
		}
	}
}

// TestPercentSignStaysWithItsNumber expects no breakable space between a value and its sign:
// languages write 5%, %5 or 5 % with a no-break space.
func TestPercentSignStaysWithItsNumber(t *testing.T) {
	t.Parallel()
	for _, language := range load(t).Languages() {
		for key, text := range texts(t, language.Tag()) {
			if strings.Contains(text, "} %") {
				t.Errorf("%s %s: put no space or U+00A0 before the per cent sign in %q", language.Tag(), key, text)
			}
		}
	}
}
