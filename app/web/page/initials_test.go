package page

import "testing"

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Maria Silva":            "MS",
		"Cher":                   "C",
		"ada lovelace":           "AL",
		"Anna-Lena von der Höhe": "AH",
		"e\u0301lodie Durand":    "E\u0301D",
		"李小龙":                    "李",
		"o@example.org":          "OO",
		"  ":                     "?",
		"🦊 Fox":                  "F",
	} {
		if got := initials(name); got != want {
			t.Errorf("initials of %q: %q, want %q", name, got, want)
		}
	}
}
