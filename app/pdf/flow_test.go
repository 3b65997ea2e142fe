package pdf_test

import (
	"bytes"
	"crypto/x509"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"paraph/app/pdf"
	"paraph/app/pdf/verify"
	"paraph/app/pki"
)

// twoSignatories returns a spec with fields of all types for two signatories.
func twoSignatories() pdf.PrepareSpec {
	at := func(s pdf.FieldSpec, row int, owner string) pdf.FieldSpec {
		s.X, s.Y, s.Width, s.Height, s.Owner = 0.1, 0.05+float64(row)*0.05, 0.3, 0.03, owner
		if owner == "bob" {
			s.X = 0.5
		}
		return s
	}
	return pdf.PrepareSpec{
		Fields: []pdf.FieldSpec{
			at(pdf.FieldSpec{Name: "a.text", Type: pdf.FieldText, Label: "Größe", Value: "before"}, 1, "alice"),
			at(pdf.FieldSpec{Name: "a.check", Type: pdf.FieldCheckbox}, 2, "alice"),
			at(pdf.FieldSpec{Name: "a.one", Type: pdf.FieldRadio, Group: "choice"}, 3, "alice"),
			at(pdf.FieldSpec{Name: "a.two", Type: pdf.FieldRadio, Group: "choice", Options: []string{"zwei €"}}, 4, "alice"),
			at(pdf.FieldSpec{Name: "a.select", Type: pdf.FieldSelect, Options: []string{"red", "grün"}}, 5, "alice"),
			at(pdf.FieldSpec{Name: "a.initials", Type: pdf.FieldInitials}, 6, "alice"),
			at(pdf.FieldSpec{Name: "a.number", Type: pdf.FieldNumber, Align: "right", Required: true}, 7, "alice"),
			at(pdf.FieldSpec{Name: "b.date", Type: pdf.FieldDate, FontSize: 9}, 1, "bob"),
			at(pdf.FieldSpec{Name: "b.lines", Type: pdf.FieldText, Multiline: true, MaxLength: 80}, 2, "bob"),
			at(pdf.FieldSpec{Name: "b.file", Type: pdf.FieldAttachment}, 3, "bob"),
		},
		Signatures: []pdf.SignatureSpec{
			{Name: "alice", X: 0.1, Y: 0.8, Width: 0.3, Height: 0.08},
			{Name: "bob", Page: -1},
		},
		Title: "A title", Language: "de",
	}
}

// complete runs the whole chain.
func complete(t testing.TB, upload []byte, s pdf.PrepareSpec) *chain {
	t.Helper()
	i := signer(t)
	seal := i.seal(t, "")
	s.Certify = &seal
	c := newChain(t, upload)
	grown := pdf.NewChain(c.base())
	add := func(r pdf.Revision, err error) {
		t.Helper()
		c.add(r, err)
		grown.Add(r)
	}
	add(pdf.Prepare(grown.Base(), s))
	add(pdf.Sign(grown.Base(), alice(t)))
	add(pdf.Sign(grown.Base(), bob(t)))
	add(pdf.AddDSS(grown.Base(), i.certificates(), i.lists(t), nil))
	add(pdf.Timestamp(grown.Base(), "", 8192, i.stamp))
	b := grown.Base()
	if err := iotest.TestReader(io.NewSectionReader(b.Reader, 0, b.Size), c.bytes); err != nil {
		t.Fatal(err)
	}
	return c
}

func alice(t testing.TB) pdf.SignSpec {
	return pdf.SignSpec{Field: "alice", Seal: signer(t).seal(t, "Alice Ångström"), Values: []pdf.FieldValue{
		{Name: "a.text", Text: "Übergröße"}, {Name: "a.check", Checked: true}, {Name: "a.two", Checked: true},
		{Name: "a.select", Text: "grün"}, {Name: "a.number", Text: "42.5"},
	}}
}

func bob(t testing.TB) pdf.SignSpec {
	return pdf.SignSpec{Field: "bob", Seal: signer(t).seal(t, "Bob"), Values: []pdf.FieldValue{
		{Name: "b.date", Text: "2026-11-21"}, {Name: "b.lines", Text: "one\ntwo"}, {Name: "b.file", Text: "photo.jpg"},
	}}
}

func (i *issuer) certificates() [][]byte {
	var out [][]byte
	for _, c := range i.company.Certificates() {
		out = append(out, c.Raw)
	}
	return out
}

func (i *issuer) lists(t testing.TB) [][]byte {
	t.Helper()
	out, err := i.authority.CRLs(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// judge checks a file with every external tool and with Signatures.
func judge(t testing.TB, b []byte, signatures int) {
	t.Helper()
	path := file(t, b)
	out, err := tool(t, "pdfsig", path)
	if err != nil || strings.Count(out, "Signature is Valid") != signatures {
		t.Errorf("pdfsig: %v\n%s", err, out)
	}
	if out, err := tool(t, "qpdf", "--check", path); err != nil || strings.Contains(out, "WARNING") {
		t.Errorf("qpdf: %v\n%s", err, out)
	}
	out, err = tool(t, "mutool", "sign", "-v", path)
	if err != nil || strings.Contains(out, "igest") || strings.Contains(out, "invalid") {
		t.Errorf("mutool: %v\n%s", err, out)
	}
	f, err := pdf.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	sigs, err := verify.Signatures(f.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sigs {
		if !s.Sound() {
			t.Errorf("%s: %v %v", s.Field, s.Problems, s.Later)
		}
		authentic(t, s)
	}
}

func authentic(t testing.TB, s verify.Signature) {
	t.Helper()
	o := pki.VerifyOptions{Roots: []*x509.Certificate{signer(t).authority.Root()}}
	if s.Timestamp {
		if r := pki.VerifyTimestamp(s.CMS, s.WriteSigned, o); !r.Intact() {
			t.Errorf("%s: %+v", s.Field, r)
		}
		return
	}
	if r := pki.VerifyCMS(s.CMS, s.WriteSigned, o); !r.Intact() || !r.Trusted() {
		t.Errorf("%s: %+v", s.Field, r)
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	upload := plain(2)
	c := complete(t, upload, twoSignatories())
	if !bytes.HasPrefix(c.bytes, upload) {
		t.Fatal("the upload is not the first revision")
	}
	judge(t, c.bytes, 3)
}
