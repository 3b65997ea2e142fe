package signing_test

import (
	"errors"
	"strings"
	"testing"

	"paraph/app/signing"
	"paraph/app/signing/pattern"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// TestImportedPatternsAreChecked reads documents from exports that somebody has altered.
func TestImportedPatternsAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"":                        nil,
		"[A-Z]{2}[0-9]{4}":        nil,
		"(":                       pattern.ErrSyntax,
		strings.Repeat("a", 1001): pattern.ErrSyntax,
		"(.*){1000}":              pattern.ErrComplex,
	} {
		d := record.Document{ID: "d", Company: "c", Fields: []record.Field{{ID: "f", Pattern: text}}}
		it, err := store.Documents.Pack(store.DocumentKey("c", "d"), d)
		if err != nil {
			t.Fatal(err)
		}
		_, err = signing.DocumentOf("c", it)
		if !errors.Is(err, want) || errors.Is(err, kv.ErrCorrupt) != (want != nil) {
			t.Errorf("%.20q: %v, want %v", text, err, want)
		}
	}
}
