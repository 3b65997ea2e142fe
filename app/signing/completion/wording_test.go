package completion_test

import (
	"testing"

	"paraph/app/pdf/text"
	"paraph/app/words"
)

// TestFontsCanDrawEveryText finds texts that would appear as empty boxes in
// certificates.
func TestFontsCanDrawEveryText(t *testing.T) {
	t.Parallel()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	fonts := text.New()
	for _, l := range c.Languages() {
		for _, area := range []string{"certificate.", "date.", "device"} {
			keys := l.Keys(area)
			if len(keys) == 0 {
				t.Errorf("%s has no texts of %s", l.Tag(), area)
			}
			for _, key := range keys {
				if s := l.Say(area + key); len(fonts.Missing(s)) > 0 {
					t.Errorf("%s, %s%s can't be drawn: %q", l.Tag(), area, key, fonts.Missing(s))
				}
			}
		}
	}
}
