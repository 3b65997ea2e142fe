package object_test

import (
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"paraph/app/pdf/object"
)

func TestNext(t *testing.T) {
	t.Parallel()
	type (
		array = object.Array
		dict  = object.Dict
		str   = object.String
	)
	for in, want := range map[string]any{
		"42":                           int64(42),
		"-7":                           int64(-7),
		"+3 0 R":                       int64(3),
		".5":                           0.5,
		"4.":                           4.0,
		"--5":                          int64(0),
		"1e5":                          int64(0),
		"99999999999999999999":         1e20,
		"12 0 R":                       object.Ref{Number: 12},
		"12 5 obj":                     int64(12),
		"true":                         true,
		"null":                         nil,
		"endobj":                       object.Keyword("endobj"),
		"% comment\n/A#42#c":           object.Name("AB#c"),
		"/":                            object.Name(""),
		`(a\(b\)(c)\\\n\r\t\b\f\q)`:    str("a(b)(c)\\\n\r\t\b\fq"),
		"(a\\\r\nb\\\nc\\\rd\r\ne\rf)": str("abcd\ne\nf"),
		`(\101\1012\7)`:                str("AA2\a"),
		"<41 4 2 5>":                   str("ABP"),
		"<>":                           str{},
		"[1 0 R 2 [] null]":            array{object.Ref{Number: 1}, int64(2), array{}, nil},
		"<</A 1/B null/C<<>>/A 2>>":    dict{"A": int64(2), "C": dict{}},
		"<</A>>":                       dict{},
		"<</A R/B 1>>":                 dict{"B": int64(1)},
		"]":                            object.Keyword("]"),
	} {
		got, err := object.NewLexer([]byte(in), 0).Next()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v; want %#v", in, got, err, want)
		}
	}
}

// TestReset reads with a lexer that has read before, some of it without end.
func TestReset(t *testing.T) {
	t.Parallel()
	l := object.NewLexer(nil, 0)
	for _, c := range []struct{ in, want string }{
		{"<</A[1 2 3]/B<</C 4>>>>", "<</A[1 2 3]/B<</C 4>>>>"},
		{"<</A[1 [2 ", ""},
		{"[/D]", "[/D]"},
		{"<</A 1/A 2>>", "<</A 2>>"},
		{"[" + strings.Repeat("7 ", 5000) + "]", "[" + strings.Repeat("7 ", 4999) + "7]"},
		{"<</E null/F[]>>", "<</F[]>>"},
	} {
		l.Reset([]byte(c.in))
		v, err := l.Next()
		if c.want == "" {
			if err == nil {
				t.Errorf("%s is read as %v", c.in, v)
			}
			continue
		}
		got, appendErr := object.Append(nil, v)
		spaceless := strings.NewReplacer(" ", "")
		if err != nil || appendErr != nil || spaceless.Replace(string(got)) != spaceless.Replace(c.want) {
			t.Errorf("%.40s is read as %.40s, %v", c.in, got, err)
		}
		if l.Ambiguous() != strings.Contains(c.in, "/A 1/A") {
			t.Errorf("%s: ambiguous is %t", c.in, l.Ambiguous())
		}
	}
}

func TestNextFails(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]error{
		"":                        io.EOF,
		" % only a comment":       io.EOF,
		"(open":                   io.ErrUnexpectedEOF,
		"(open\\":                 io.ErrUnexpectedEOF,
		"<41":                     io.ErrUnexpectedEOF,
		"[1 2":                    io.ErrUnexpectedEOF,
		"<</A":                    io.ErrUnexpectedEOF,
		"[1 endobj":               object.ErrSyntax,
		"<<1 2>>":                 object.ErrSyntax,
		"<</A endobj":             object.ErrSyntax,
		strings.Repeat("[", 1000): object.ErrSyntax,
	} {
		if v, err := object.NewLexer([]byte(in), 0).Next(); !errors.Is(err, want) {
			t.Errorf("%.20s: %v, %v; want %v", in, v, err, want)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		"null": nil, "true": true, "-3": -3, "7": int64(7), "0.25": 0.25, "5 1 R": object.Ref{Number: 5, Generation: 1},
		"/A#20B#23#C3": object.Name("A B#\xc3"), `(a\(\)\\\n\r)`: object.String("a()\\\n\r"), "<00FF>": object.String{0, 0xFF},
		"[1 /A]": object.Array{1, object.Name("A")}, "<</A 1/B <<>>>>": object.Dict{"B": object.Dict{}, "A": 1}, "as is": object.Raw("as is"),
		"<</K 1/Length 3>>\nstream\nabc\nendstream": &object.Stream{Dict: object.Dict{"K": 1, "Length": 99}, Data: []byte("abc")},
	} {
		got, err := object.Append(nil, v)
		if err != nil || string(got) != want {
			t.Errorf("%#v: %s, %v; want %s", v, got, err, want)
		}
	}
	for _, v := range []any{struct{}{}, object.Keyword("R"), math.NaN(), math.Inf(1), object.Array{'x'}, object.Dict{"A": []int{}}} {
		if _, err := object.Append(nil, v); !errors.Is(err, object.ErrType) {
			t.Errorf("%#v: %v", v, err)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", "line\nbreak", "Größe", "日本 😀", "\x00\x7f"} {
		if got := object.TextString(s).Text(); got != s {
			t.Errorf("%q decodes as %q", s, got)
		}
	}
	for in, want := range map[string]string{
		"\xff\xfeA\x00": "A", "\xef\xbb\xbfü": "ü", "\xa0\x8d\xe9\x18": "€“é˘", "\xfe\xff\xd8\x00": "\uFFFD",
	} {
		if got := object.String(in).Text(); got != want {
			t.Errorf("%x is %q, want %q", in, got, want)
		}
	}
}

func TestDate(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 10, 30, 5, 0, time.UTC)
	if s := object.DateString(at.In(time.FixedZone("", 3600))); string(s) != "D:20261121103005Z" {
		t.Errorf("%s", s)
	}
	for in, want := range map[string]time.Time{
		"D:20261121103005Z": at, "D:20261121113005+01'00'": at, "20261121113005+01'00": at, "D:20261121053005-05": at,
		"D:2026": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "": {}, "D:202": {}, "D:20269999": {}, "yesterday": {},
	} {
		if got, ok := object.String(in).Date(); !got.Equal(want) || ok == want.IsZero() {
			t.Errorf("%s: %v %v", in, got, ok)
		}
	}
}
