package pdf_test

import (
	"bytes"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
	"paraph/app/pdf/verify"
)

func seeds(f *testing.F) {
	f.Helper()
	f.Add(plain(2))
	f.Add(cluttered())
	f.Add(streamFile("", func(b []byte) string { return string(b) }))
	f.Add(qpdf(f, plain(2), "--object-streams=generate"))
	f.Add(qpdf(f, cluttered(), "--linearize"))
	f.Add(tiny(f))
}

// tiny returns a signed file small enough for fast fuzzing.
func tiny(t testing.TB) []byte {
	seal := pdf.Seal{Size: 8, Sign: func([]byte) ([]byte, error) { return []byte{0x30, 1, 0}, nil }}
	c := newChain(t, plain(1))
	c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{
		Fields:     []pdf.FieldSpec{{Name: "a", Type: pdf.FieldCheckbox, Width: 0.1, Height: 0.1, Owner: "s"}},
		Signatures: []pdf.SignatureSpec{{Name: "s", Page: -1}},
		Certify:    &seal,
	}))
	c.add(pdf.Sign(c.base(), pdf.SignSpec{Field: "s", Seal: seal, Values: []pdf.FieldValue{{Name: "a", Checked: true}}}))
	c.add(pdf.AddDSS(c.base(), [][]byte{{1}}, nil, nil))
	return c.bytes
}

// allowed checks that an error has a kind that explains why a file is refused.
func allowed(t *testing.T, err error) {
	t.Helper()
	if !pdf.Refused(err) {
		t.Fatalf("unexpected error: %v", err)
	}
}

// small keeps the fuzzer from spending its time on inputs that are merely
// large.
func small() reader.Limits {
	l := reader.DefaultLimits()
	l.Parsed, l.Inflate, l.InflateTotal = 8<<20, 1<<20, 4<<20
	return l
}

// FuzzRead opens arbitrary input and examines everything.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(fuzzRead)
}

func fuzzRead(t *testing.T, b []byte) {
	file, err := document.OpenWithin(small(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		allowed(t, err)
		return
	}
	(&pdf.File{File: file}).Inspect()
	if _, err := verify.Signatures(file); err != nil {
		allowed(t, err)
	}
	if _, err := file.DSS(); err != nil {
		allowed(t, err)
	}
}

// FuzzRevise appends to any readable input: the result must be readable, have
// the same pages, and begin with the upload.
func FuzzRevise(f *testing.F) {
	seeds(f)
	f.Fuzz(fuzzRevise)
}

func fuzzRevise(t *testing.T, b []byte) {
	sign := func([]byte) ([]byte, error) { return []byte{0x30, 1, 0}, nil }
	before, err := document.OpenWithin(small(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return
	}
	spec := twoSignatories()
	spec.Certify = &pdf.Seal{Size: 16, Sign: sign}
	spec.StripJavaScript, spec.StripEmbeddedFiles = true, true
	c := newChain(t, b)
	r, err := pdf.Prepare(c.base(), spec)
	if err != nil {
		allowed(t, err)
		return
	}
	c.add(r, nil)
	r, err = pdf.Sign(c.base(), pdf.SignSpec{
		Field: "alice", Seal: pdf.Seal{Size: 16, Sign: sign}, Values: []pdf.FieldValue{{Name: "a.text", Text: "x"}},
	})
	if err != nil {
		allowed(t, err)
		return
	}
	c.add(r, nil)
	after := c.open()
	if len(after.Pages()) != len(before.Pages()) {
		t.Fatalf("%d pages became %d", len(before.Pages()), len(after.Pages()))
	}
	sigs, err := verify.Signatures(after.File)
	if err != nil {
		allowed(t, err)
		return
	}
	for _, s := range sigs {
		if s.Field == "paraph_alice" && (len(s.Problems) > 0 || !s.Whole) {
			t.Fatalf("%v", s.Problems)
		}
	}
}

// FuzzObject writes back what it read: reading it again must yield the same.
func FuzzObject(f *testing.F) {
	for _, s := range []string{
		"<</A 1/B[1 0 R(x\\)\\n\\101)<41 4>]/C#20D true/E null/F -1.5>>", "[[[]]]", "(a(b)c)", "12 0 R", "/#", "<<", "+.5", "1 0", "%c\n[1]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l := object.NewLexer(b, 0)
		v, err := l.Next()
		if err != nil {
			return
		}
		if _, ok := v.(object.Keyword); ok {
			return
		}
		once, err := object.Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := object.NewLexer(once, 0).Next()
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		twice, err := object.Append(nil, again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
	})
}
