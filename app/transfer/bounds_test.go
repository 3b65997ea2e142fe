package transfer_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"paraph/app/archive"
	"paraph/app/transfer"
	"paraph/kv"
)

// zeros is an endless record, as a small compressed export may hold.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestRecordsAreReceivedWhileThereIsSpace(t *testing.T) {
	t.Parallel()
	full, left := errors.New("full"), 3
	space := func() error {
		if left--; left < 0 {
			return full
		}
		return nil
	}
	if err := transfer.Receive(io.Discard, space, zeros{}); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	var got bytes.Buffer
	left = 3
	if err := transfer.Receive(&got, space, strings.NewReader("records")); err != nil || got.String() != "records" {
		t.Errorf("received %q, %v", got.String(), err)
	}
}

// TestARecordHasABoundedNumberOfParts reads a record that would take gigabytes once decoded.
func TestARecordHasABoundedNumberOfParts(t *testing.T) {
	t.Parallel()
	record := func(parts int) io.Reader {
		return strings.NewReader(`{"in":"documents","id":"x","value":{"Fields":[` + strings.Repeat("{},", parts) + "{}]}}\n")
	}
	visited := 0
	visit := func(kv.Item) error { visited++; return nil }
	if err := transfer.EachLine(record(20_000), visit); err != nil || visited != 1 {
		t.Errorf("a large document was read %d times: %v", visited, err)
	}
	if err := transfer.EachLine(record(200_000), visit); !errors.Is(err, archive.ErrDamaged) || visited != 1 {
		t.Errorf("got %v after %d records", err, visited)
	}
}

func TestAnIdentifierOccursOnce(t *testing.T) {
	t.Parallel()
	a := kv.Item{In: "webhooks", ID: "x"}
	if err := transfer.Twice(a, a); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("got %v", err)
	}
	if err := transfer.Twice(a, kv.Item{In: "documents", ID: "x"}); err != nil {
		t.Error(err)
	}
}
