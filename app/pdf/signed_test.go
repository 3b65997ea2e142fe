package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf"
)

// foreign returns a file signed by another program, with or without a DocMDP
// level.
func foreign(t testing.TB, level int) []byte {
	t.Helper()
	reference, perms := "", ""
	if level > 0 {
		reference = fmt.Sprintf("/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P %d/V/1.2>>>>]", level)
		perms = "/Perms<</DocMDP 21 0 R>>"
	}
	return sealed(t, reference, map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[20 0 R 22 0 R]/SigFlags 3>>" + perms + ">>",
		2:  "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>",
		10: "<</Type/Page/Parent 2 0 R/Annots[20 0 R 22 0 R]>>",
		20: "<</Type/Annot/Subtype/Widget/FT/Sig/T(theirs)/V 21 0 R/Rect[0 0 0 0]/F 132/P 10 0 R>>",
		22: "<</Type/Annot/Subtype/Widget/FT/Tx/T(their text)/Rect[50 50 150 70]/F 4/P 10 0 R>>",
	})
}

// sealed returns a file of these objects with a signature in object 21 that has
// additional entries.
func sealed(t testing.TB, entries string, objects map[int]string) []byte {
	t.Helper()
	b := newBuilder()
	for _, n := range slices.Sorted(maps.Keys(objects)) {
		b.object(n, objects[n])
	}
	const size = 9000
	b.object(21, "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached"+entries+
		"/ByteRange[0 AAAAAAAAAA BBBBBBBBBB CCCCCCCCCC]/Contents<"+strings.Repeat("0", 2*size)+">>>")
	out := b.end("/Root 1 0 R")
	from := bytes.Index(out, []byte("/Contents<")) + len("/Contents")
	to := from + 2*size + 2
	for mark, n := range map[string]int{"AAAAAAAAAA": from, "BBBBBBBBBB": to, "CCCCCCCCCC": len(out) - to} {
		copy(out[bytes.Index(out, []byte(mark)):], fmt.Sprintf("%-10d", n))
	}
	digest := sum(slices.Concat(out[:from], out[to:]))
	cms, err := signer(t).seal(t, "Somebody Else").Sign(digest[:])
	if err != nil {
		t.Fatal(err)
	}
	copy(out[from+1:], fmt.Sprintf("%x", cms))
	return out
}

func TestForeignSignature(t *testing.T) {
	t.Parallel()
	i := signer(t)
	for level, fields := range map[int]bool{0: true, 2: false, 3: false} {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			t.Parallel()
			c := newChain(t, foreign(t, level))
			if in := c.open().Inspect(); !slices.Equal(in.Signed, []string{"theirs"}) || in.DocMDP != level {
				t.Fatalf("inspection %+v", in)
			}
			seal := i.seal(t, "")
			spec := twoSignatories()
			spec.Certify = &seal
			a, b := alice(t), bob(t)
			if !fields {
				if _, err := pdf.Prepare(c.base(), spec); !errors.Is(err, pdf.ErrChangesForbidden) {
					t.Errorf("fields in a certified file: %v", err)
				}
				spec.Fields = []pdf.FieldSpec{{Name: "x", Existing: "their text", Owner: "alice"}}
				a.Values, b.Values = []pdf.FieldValue{{Name: "their text", Text: "filled"}}, nil
			}
			c.add(pdf.Prepare(c.base(), spec))
			c.add(pdf.Sign(c.base(), a))
			if !fields {
				b.Values = a.Values
				if _, err := pdf.Sign(c.base(), b); !errors.Is(err, pdf.ErrLocked) {
					t.Errorf("a field locked by the other signature: %v", err)
				}
				b.Values = nil
			}
			c.add(pdf.Sign(c.base(), b))
			c.add(pdf.AddDSS(c.base(), i.certificates(), i.lists(t), nil))
			c.add(pdf.Timestamp(c.base(), "", 8192, i.stamp))
			judge(t, c.bytes, 3)
			if sigs := signatures(t, c.bytes); len(sigs) != 4 || sigs["theirs"].Certifies != level {
				t.Errorf("signatures %v", sigs)
			}
		})
	}
}

func TestForeignSignatureRefuses(t *testing.T) {
	t.Parallel()
	i := signer(t)
	appended := plain(1)
	for name, c := range map[string]struct {
		level int
		spec  pdf.PrepareSpec
	}{
		"no changes":  {1, pdf.PrepareSpec{}},
		"pages":       {0, pdf.PrepareSpec{AppendPages: &pdf.Source{Reader: bytes.NewReader(appended), Size: int64(len(appended))}}},
		"attachments": {0, pdf.PrepareSpec{Attachments: []pdf.Attachment{{Name: "a"}}}},
	} {
		_, err := pdf.Prepare(newChain(t, foreign(t, c.level)).base(), c.spec)
		if !errors.Is(err, pdf.ErrChangesForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := newChain(t, foreign(t, 1))
	if _, err := pdf.Sign(c.base(), alice(t)); !errors.Is(err, pdf.ErrChangesForbidden) {
		t.Errorf("sign: %v", err)
	}
	if _, err := pdf.Timestamp(c.base(), "", 8192, i.stamp); !errors.Is(err, pdf.ErrChangesForbidden) {
		t.Errorf("timestamp: %v", err)
	}
	if _, err := pdf.AddDSS(c.base(), nil, nil, nil); !errors.Is(err, pdf.ErrChangesForbidden) {
		t.Errorf("store: %v", err)
	}
}

// TestPrepareAgain sends a completed file again.
func TestPrepareAgain(t *testing.T) {
	t.Parallel()
	i := signer(t)
	c := complete(t, plain(1), twoSignatories())
	spec := twoSignatories()
	spec.Fields = nil
	c.add(pdf.Prepare(c.base(), spec))
	a, b := alice(t), bob(t)
	a.Values, b.Values = nil, nil
	c.add(pdf.Sign(c.base(), a))
	c.add(pdf.Sign(c.base(), b))
	c.add(pdf.AddDSS(c.base(), i.certificates(), i.lists(t), nil))
	c.add(pdf.Timestamp(c.base(), "", 8192, i.stamp))
	c.add(pdf.Timestamp(c.base(), "", 8192, i.stamp)) // years later
	c.add(pdf.Timestamp(c.base(), "", 8192, i.stamp))
	judge(t, c.bytes, 5)
	sigs := signatures(t, c.bytes)
	for _, name := range []string{"certification", "alice", "timestamp", "paraph2_alice", "paraph2_bob", "paraph2_timestamp", "paraph2_timestamp_2", "paraph2_timestamp_3"} {
		if _, ok := sigs[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	d, err := c.open().DSS()
	if err != nil || len(d.Certs) != 2*len(i.certificates()) || len(d.CRLs) != 2*len(i.lists(t)) || len(d.VRI) != 6 {
		t.Errorf("store: %d certificates, %d lists, VRI %v, %v", len(d.Certs), len(d.CRLs), d.VRI, err)
	}
}
