package words_test

import (
	"regexp"
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
