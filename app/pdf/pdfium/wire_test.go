package pdfium

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"testing"
)

func TestPageRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []PageText{
		{Words: []Word{}},
		{Text: "a b\nc", Words: []Word{{"a", .5, .25, .125, 1, .5, .75, false}, {"b", -1, 0, 0, 0, 0, 0, true}, {"", 0, 0, 0, 0, 0, 0, false}}},
	} {
		b := encodePage(want)
		got, err := decodePage(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
		for n := range b {
			if _, err := decodePage(b[:n]); err == nil {
				t.Errorf("%d of %d bytes are enough", n, len(b))
			}
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	f.Add(encodePage(PageText{Text: "a b", Words: []Word{{"a", 0, 0, 1, 1, 0, 1, false}, {"b", 1, 2, 3, 4, 5, 6, true}}}))
	f.Add([]byte{0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePage(b)
		if err != nil {
			return
		}
		if q, err := decodePage(encodePage(p)); err != nil || q.Text != p.Text || len(q.Words) != len(p.Words) {
			t.Errorf("%+v became %+v, %v", p, q, err)
		}
	})
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("e\x00\x00\x00\x02{}"))
	f.Add([]byte("d\x0f\xff\xff\xffx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, payload, err := readFrame(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := writeFrame(&out, kind, payload); err != nil || !bytes.HasPrefix(b, out.Bytes()) {
			t.Errorf("%q became %q, %v", b, out.Bytes(), err)
		}
	})
}

// TestErrorsRoundTrip checks that an error is the same in both processes.
func TestErrorsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{
		ErrPassword, ErrDamaged, ErrUnsupported, ErrTooLarge, ErrCrashed, ErrNoPage, fs.ErrNotExist, fs.ErrPermission,
	} {
		sent := fmt.Errorf("it: %w", kind)
		if got := endingOf(sent).err(); !errors.Is(got, kind) || got.Error() != sent.Error() {
			t.Errorf("%v became %v", sent, got)
		}
	}
	if got := endingOf(errors.New("other")).err(); got == nil || got.Error() != "other" {
		t.Errorf("other became %v", got)
	}
	if got := endingOf(nil).err(); got != nil {
		t.Errorf("nil became %v", got)
	}
}
