package lists

import (
	"testing"

	"paraph/app/fault"
)

func TestSortOrdersAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Sort{
		"": {}, "created_at|desc": {By: ByCreation}, "title|asc": {ByTitle, true}, "status_id|desc": {By: ByStatus},
	} {
		got := ParseSort(text)
		var f fault.Fields
		if got.check(&f); got != want || !f.Empty() {
			t.Errorf("%q: got %+v, %v", text, got, f.Err())
		}
		if text != "" && got.String() != text {
			t.Errorf("%q is written %q", text, got)
		}
	}
}

func TestMalformedSortOrdersAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"title", "title|", "|asc", "|", "title|up", "title|asc|desc", "name|asc", "created_at", "Title|asc"} {
		var f fault.Fields
		if ParseSort(text).check(&f); len(fault.FieldsOf(f.Err())) != 1 {
			t.Errorf("%q is accepted", text)
		}
	}
}
