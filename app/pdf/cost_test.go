package pdf_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/verify"
)

// TestMemory signs a file of 500 MB. It must not run in parallel with other
// tests: it counts every byte that the process allocates.
func TestMemory(t *testing.T) {
	const size = 500 << 20
	path := filepath.Join(t.TempDir(), "large.pdf")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := largeFile(t, f, size)
	i := signer(t)
	seal, act := i.seal(t, ""), alice(t)
	spec := twoSignatories()
	spec.Certify = &seal
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	base := pdf.Base{Reader: f, Size: n}
	for _, step := range []func() (pdf.Revision, error){
		func() (pdf.Revision, error) { return pdf.Prepare(base, spec) },
		func() (pdf.Revision, error) { return pdf.Sign(base, act) },
		func() (pdf.Revision, error) { return pdf.Timestamp(base, "", 8192, i.stamp) },
	} {
		r, err := step()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(r.Bytes, base.Size); err != nil {
			t.Fatal(err)
		}
		base.Size, base.HashState = base.Size+int64(len(r.Bytes)), r.HashState
	}
	file, err := pdf.Open(f, base.Size)
	if err != nil {
		t.Fatal(err)
	}
	sigs, err := verify.Signatures(file.File)
	if err != nil || len(sigs) != 3 {
		t.Fatalf("%d signatures, %v", len(sigs), err)
	}
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 {
		t.Errorf("allocated %d MB in total", used)
	}
	for _, s := range sigs {
		authentic(t, s)
	}
}

// largeFile writes a file with a hole of the given size in one stream.
func largeFile(t testing.TB, f *os.File, size int64) int64 {
	t.Helper()
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R>>")
	b.object(2, "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>")
	b.object(3, "<</Type/Page/Parent 2 0 R/Resources<</XObject<</I 4 0 R>>>>>>")
	at := b.Len()
	fmt.Fprintf(b, "4 0 obj\n<</Type/XObject/Subtype/Image/Length %d>>\nstream\n", size)
	end := int64(b.Len()) + size
	var tail bytes.Buffer
	tail.WriteString("\nendstream\nendobj\n")
	table := end + int64(tail.Len())
	tail.WriteString("xref\n0 5\n0000000000 65535 f\r\n")
	for n := 1; n < 4; n++ {
		fmt.Fprintf(&tail, "%010d 00000 n\r\n", b.offsets[n])
	}
	fmt.Fprintf(&tail, "%010d 00000 n\r\ntrailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", at, table)
	for _, part := range []struct {
		at   int64
		data []byte
	}{{0, b.Bytes()}, {end, tail.Bytes()}} {
		if _, err := f.WriteAt(part.data, part.at); err != nil {
			t.Fatal(err)
		}
	}
	return end + int64(tail.Len())
}

// BenchmarkSign compares one signature with the minimum cost.
func BenchmarkSign(b *testing.B) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	bare := pdf.Seal{Size: 2048, Sign: func(digest []byte) ([]byte, error) {
		return ecdsa.SignASN1(rand.Reader, key, digest)
	}}
	for _, size := range []int{100 << 10, 10 << 20} {
		upload := sized(1, "/MediaBox[0 0 612 792]", size)
		c := newChain(b, upload)
		c.add(pdf.Prepare(c.base(), twoSignatories()))
		act := alice(b)
		act.Seal = bare
		b.Run(fmt.Sprintf("%dK/bare", size>>10), func(b *testing.B) {
			for b.Loop() {
				h := sha256.Sum256(c.bytes)
				if _, err := bare.Sign(h[:]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%dK/whole", size>>10), func(b *testing.B) {
			base := c.base()
			base.HashState = nil
			benchmarkSign(b, base, act)
		})
		b.Run(fmt.Sprintf("%dK/saved", size>>10), func(b *testing.B) { benchmarkSign(b, c.base(), act) })
		b.Run(fmt.Sprintf("%dK/one", size>>10), func(b *testing.B) {
			one := act
			one.Values = one.Values[:1]
			benchmarkSign(b, c.base(), one)
		})
	}
}

func benchmarkSign(b *testing.B, base pdf.Base, s pdf.SignSpec) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pdf.Sign(base, s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	c := newChain(b, sized(20, "/MediaBox[0 0 612 792]", 100<<10))
	spec := twoSignatories()
	for b.Loop() {
		if _, err := pdf.Prepare(c.base(), spec); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignatures examines a completed file of 2,000 pages.
func BenchmarkSignatures(b *testing.B) {
	c := complete(b, sized(2000, "/MediaBox[0 0 612 792]", 0), twoSignatories())
	for b.Loop() {
		if _, err := verify.Signatures(c.open().File); err != nil {
			b.Fatal(err)
		}
	}
}

// TestManyRevisions checks that files of many revisions can be signed as long
// as there is room for everyone's signatures and for some years' timestamps.
func TestManyRevisions(t *testing.T) {
	t.Parallel()
	out := plain(1)
	for range 1900 {
		out = patch(out, nil)
	}
	c := newChain(t, out)
	seal := smallSeal()
	spec := func(people int) pdf.PrepareSpec {
		s := pdf.PrepareSpec{Certify: &seal}
		for i := range people {
			s.Signatures = append(s.Signatures, pdf.SignatureSpec{Name: fmt.Sprint("s", i), Page: -1})
		}
		return s
	}
	if _, err := pdf.Prepare(c.base(), spec(20)); err != nil {
		t.Error(err)
	}
	if _, err := pdf.Prepare(c.base(), spec(90)); !errors.Is(err, pdf.ErrTooComplex) {
		t.Errorf("there is room for 90: %v", err)
	}
}
