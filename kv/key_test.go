package kv_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"paraph/kv"
)

func FuzzKey(f *testing.F) {
	f.Add("a", "", "a", "b")
	f.Add("a\x00", "b", "a", "\x00b")
	f.Add("\x00\x01", "\x00\xff", "\x00", "\x01\x00")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		left, right := kv.K(a, b), kv.K(c, d)
		if got, want := bytes.Compare(left, right), slices.Compare([]string{a, b}, []string{c, d}); got != want {
			t.Errorf("K(%q, %q) against K(%q, %q): %d, want %d", a, b, c, d, got, want)
		}
		if parts := left.Parts(); !slices.Equal(parts, []string{a, b}) {
			t.Errorf("K(%q, %q) has parts %q", a, b, parts)
		}
		if !bytes.Equal(kv.K(a).With(b), left) {
			t.Errorf("K(%q).With(%q) is not K of both", a, b)
		}
		if got, want := bytes.HasPrefix(left, kv.K(c)), a == c; got != want {
			t.Errorf("K(%q) is a prefix of K(%q, %q): %v", c, a, b, got)
		}
		if !bytes.HasPrefix(left, kv.K(a).Starting(b[:len(b)/2])) {
			t.Errorf("K(%q).Starting(half of %q) is not a prefix", a, b)
		}
	})
}

func TestKeyPartsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	times := []time.Time{{}, time.Unix(-1, 0), time.Unix(0, 0), now, now.Add(time.Microsecond), now.Add(time.Hour), now.AddDate(500, 0, 0)}
	numbers := []uint64{0, 1, 31, 32, 33, 1 << 40, 1<<64 - 1}
	for i := range times[1:] {
		if kv.KeyTime(times[i]) >= kv.KeyTime(times[i+1]) {
			t.Errorf("%v is not before %v", times[i], times[i+1])
		}
	}
	for i := range numbers[1:] {
		if kv.KeyUint(numbers[i]) >= kv.KeyUint(numbers[i+1]) {
			t.Errorf("%d is not before %d", numbers[i], numbers[i+1])
		}
	}
}
