package input_test

import (
	"testing"

	"paraph/app/input"
)

func TestWhatNobodySeesIsRemoved(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                      "plain",
		"Bob \u202Eelba\u202C":       "Bob elba",
		"\u2066a\u2069\u200E\u061Cb": "ab",
		"pay\u200Bpal\uFEFF":         "paypal",
		"soft\u00ADhyphen":           "softhyphen",
		"tag\U000E0041\U000E007F":    "tag",
		"fill\u3164\u115F\u2800":     "fill",
		"a\u200Db":                   "ab", // joins nothing
		"می\u200Cخواهم":              "می\u200Cخواهم",
		"👩\u200D🚀":                   "👩\u200D🚀",
		"line\u2028break":            "linebreak",
		"\uFE0F \u3000":              "",
		"❤\uFE0F":                    "❤\uFE0F",
	} {
		if got := input.Visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	if got := input.OneLine("Bob\n\nfile.pdf: sound\r\u2028\u202E\x1b[1A"); got != "Bob  file.pdf: sound  [1A" {
		t.Errorf("%q", got)
	}
}
