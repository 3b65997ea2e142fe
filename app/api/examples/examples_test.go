package examples

import (
	"slices"
	"testing"

	"paraph/app/signing/record"
)

func TestEveryEventHasAnExample(t *testing.T) {
	t.Parallel()
	kinds := record.EventTypes()
	for _, kind := range kinds {
		e := Event(kind)
		if e.Entry.Value.Type != kind || (e.Document == nil) != (kind == record.EventDocumentPurged) {
			t.Errorf("the example of %s is %+v", kind, e)
		}
	}
	for kind := range data {
		if !slices.Contains(kinds, kind) {
			t.Errorf("there are data for %s, which is no event", kind)
		}
	}
	for kind := range states {
		if !slices.Contains(kinds, kind) {
			t.Errorf("there is a state for %s, which is no event", kind)
		}
	}
}
