package signing

import (
	"testing"

	"paraph/app/signing/record"
)

func TestPageHashIsTheLastRevisionThatChangedThePage(t *testing.T) {
	t.Parallel()
	d := &record.Document{
		Fields: []record.Field{{File: "f", Page: 2, Invitation: "ann"}, {File: "f", Page: 3, Invitation: "ben"}, {File: "other", Page: 1, Invitation: "ann"}},
		Files: []record.File{{ID: "f", Base: "base", Revisions: []record.Revision{
			{Kind: "prepare", SHA256: "prepared"}, {Kind: "signature", Invitation: "ann", SHA256: "ann's"},
			{Kind: "signature", Invitation: "ben", SHA256: "ben's"}, {Kind: "validation", SHA256: "dss"}, {Kind: "timestamp", SHA256: "stamp"}}}},
	}
	for i, want := range []string{"base", "ann's", "ben's"} {
		if got := d.PageHash(&d.Files[0], i+1); got != want {
			t.Errorf("page %d: got %s, want %s", i+1, got, want)
		}
	}
	d.Files[0].Revisions = d.Files[0].Revisions[:2]
	if got := d.PageHash(&d.Files[0], 3); got != "prepared" {
		t.Errorf("before Ben signs, the hash of his page is %s", got)
	}
}
