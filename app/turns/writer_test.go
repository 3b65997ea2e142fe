package turns_test

import (
	"bytes"
	"context"
	"testing"

	"paraph/app/fault"
	"paraph/app/turns"
)

// TestWritersShareWhatThereIs checks that strangers together write no more than
// their share at a time, that a member still can, and that everything is returned.
func TestWritersShareWhatThereIs(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	q := turns.New(turns.Options{Slots: 8 * mb, Group: 6 * mb, Strangers: 4 * mb, Stranger: 3 * mb})
	gone, cancel := context.WithCancel(t.Context())
	cancel() // nobody waits
	write := func(k turns.Key, n int) (*turns.Writer, error) {
		var to bytes.Buffer
		w := q.Writer(gone, k, &to)
		for range n / 1000 {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return w, err
			}
		}
		if to.Len() != n/1000*1000 {
			t.Errorf("%d bytes arrived, want %d", to.Len(), n/1000*1000)
		}
		return w, nil
	}
	first, err := write(turns.Stranger("10.0.0.1"), 5*mb/2)
	if err != nil {
		t.Fatal(err)
	}
	second, err := write(turns.Stranger("10.0.0.2"), 5*mb/2)
	if err == nil {
		t.Error("strangers write more than their share")
	}
	member, err := write(turns.Member("acme", "ann"), 3*mb)
	if err != nil {
		t.Errorf("strangers keep a member out: %v", err)
	}
	for _, w := range []*turns.Writer{first, second, member} {
		w.Close()
		w.Close() // does no harm
	}
	if err := q.Take(gone, turns.Member("acme", "ann"), 6*mb); err != nil {
		t.Errorf("not everything was returned: %v", fault.KindOf(err))
	}
}
