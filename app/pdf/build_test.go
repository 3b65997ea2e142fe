package pdf_test

import (
	"bytes"
	"context"
	"crypto"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/pdf"
	"paraph/app/pki"
)

// A builder writes small PDF files, object by object.
type builder struct {
	bytes.Buffer
	offsets map[int]int
	next    int
}

func newBuilder() *builder {
	b := &builder{offsets: map[int]int{}, next: 1}
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return b
}

func (b *builder) object(n int, body string) {
	b.offsets[n] = b.Len()
	b.next = max(b.next, n+1)
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", n, body)
}

func (b *builder) stream(n int, entries, data string) {
	b.object(n, fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(data), data))
}

// end writes a cross-reference table of the objects since the last one.
func (b *builder) end(trailer string) []byte {
	at := b.Len()
	b.WriteString("xref\n0 1\n0000000000 65535 f\r\n")
	for n := range b.next {
		if o, ok := b.offsets[n]; ok {
			fmt.Fprintf(b, "%d 1\n%010d 00000 n\r\n", n, o)
		}
	}
	fmt.Fprintf(b, "trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n", b.next, trailer, at)
	clear(b.offsets)
	return bytes.Clone(b.Bytes())
}

// plain returns a file with the given number of pages and some text.
func plain(pages int) []byte { return sized(pages, "/MediaBox[0 0 612 792]", 0) }

// sized is plain with page attributes and about the given number of bytes of
// padding.
func sized(pages int, attributes string, padding int) []byte {
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 10+2*i)
	}
	b.object(2, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d%s>>", kids.String(), pages, attributes))
	b.object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	if padding > 0 {
		b.stream(4, "", strings.Repeat("padding ", padding/8))
	}
	for i := range pages {
		b.object(10+2*i, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", 11+2*i))
		b.stream(11+2*i, "", fmt.Sprintf("BT /F 24 Tf 72 700 Td (Page %d) Tj ET", i+1))
	}
	return b.end("/Root 1 0 R/ID[<00112233445566778899AABBCCDDEEFF><00112233445566778899AABBCCDDEEFF>]")
}

// An issuer signs for the tests.
type issuer struct {
	authority *pki.Authority
	company   *pki.Signer
}

var testIssuer = sync.OnceValues(func() (*issuer, error) {
	a, err := pki.Open("", pki.Options{})
	if err != nil {
		return nil, err
	}
	c, err := a.Company("01", "Example Company")
	if err != nil {
		return nil, err
	}
	return &issuer{authority: a, company: c}, nil
})

func signer(t testing.TB) *issuer {
	t.Helper()
	i, err := testIssuer()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (i *issuer) seal(t testing.TB, name string) pdf.Seal {
	t.Helper()
	s := i.company
	if name != "" {
		var err error
		if s, err = i.authority.Signatory(pki.Person{Name: name, Email: "someone@example.org"}, time.Now()); err != nil {
			t.Fatal(err)
		}
	} else {
		name = "Example Company"
	}
	ts := i.authority.Timestamper()
	return pdf.Seal{
		Size: pki.SizeCMS(s, ts), Name: name, Reason: "Test", At: time.Now(),
		Sign: func(digest []byte) ([]byte, error) { return pki.SignCMS(context.Background(), s, digest, ts) },
	}
}

func (i *issuer) stamp(digest []byte) ([]byte, error) {
	return i.authority.Timestamper().Timestamp(context.Background(), digest)
}

// A chain is a file that grows by revisions.
type chain struct {
	t     testing.TB
	bytes []byte
	state []byte
	ends  []int // of each revision
}

func newChain(t testing.TB, upload []byte) *chain {
	return &chain{t: t, bytes: bytes.Clone(upload), ends: []int{len(upload)}}
}

func (c *chain) base() pdf.Base {
	return pdf.Base{Reader: bytes.NewReader(c.bytes), Size: int64(len(c.bytes)), HashState: c.state}
}

func (c *chain) add(r pdf.Revision, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	c.bytes = append(c.bytes, r.Bytes...)
	c.state = r.HashState
	c.ends = append(c.ends, len(c.bytes))
	if want := sum(c.bytes); r.SHA256 != want {
		c.t.Fatalf("reported SHA-256 %x, want %x", r.SHA256, want)
	}
}

func (c *chain) open() *pdf.File {
	c.t.Helper()
	f, err := pdf.Open(bytes.NewReader(c.bytes), int64(len(c.bytes)))
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

func sum(b []byte) [32]byte {
	h := crypto.SHA256.New()
	h.Write(b)
	return [32]byte(h.Sum(nil))
}

// file writes bytes to a file for external tools.
func file(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tool runs a program and returns its output.
func tool(t testing.TB, name string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}
