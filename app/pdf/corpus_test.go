package pdf_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/verify"
)

// TestCorpus runs the whole chain over the files of the directories in
// PARAPH_CORPUS: each file is refused with a reason or completes.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, dir := range filepath.SplitList(os.Getenv("PARAPH_CORPUS")) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				corpusFile(t, path)
			})
		}
	}
}

func corpusFile(t *testing.T, path string) {
	upload, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := signer(t)
	c := newChain(t, upload)
	f, err := pdf.Open(c.base().Reader, c.base().Size)
	if err != nil {
		refused(t, err)
		return
	}
	in := f.Inspect()
	if in.Err != nil {
		t.Logf("inspect: %v", in.Err)
	}
	seal := i.seal(t, "")
	spec := twoSignatories()
	if len(in.Signed) > 0 {
		spec.Fields = nil
	}
	spec.Certify, spec.StripJavaScript, spec.StripEmbeddedFiles = &seal, true, true
	r, err := pdf.Prepare(c.base(), spec)
	if err != nil {
		refused(t, err)
		return
	}
	c.add(r, nil)
	a, b := alice(t), bob(t)
	if len(in.Signed) > 0 {
		a.Values, b.Values = nil, nil
	}
	c.add(pdf.Sign(c.base(), a))
	c.add(pdf.Sign(c.base(), b))
	c.add(pdf.AddDSS(c.base(), i.certificates(), i.lists(t), nil))
	c.add(pdf.Timestamp(c.base(), "", 8192, i.stamp))
	path = file(t, c.bytes)
	out, _ := tool(t, "pdfsig", path)
	if n := strings.Count(out, "Signature is Valid"); n != 3 && len(in.Signed) == 0 || n < 2 {
		t.Errorf("pdfsig: %s", out)
	}
	corpusCheck(t, upload, path)
	sigs, err := verify.Signatures(c.open().File)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sigs {
		if strings.HasPrefix(s.Field, "paraph_") {
			authentic(t, s)
			if !s.Sound() {
				t.Errorf("%s: %v %v", s.Field, s.Problems, s.Later)
			}
		}
	}
}

func refused(t *testing.T, err error) {
	for _, known := range []error{
		pdf.ErrNotPDF, pdf.ErrDamaged, pdf.ErrEncrypted, pdf.ErrTooComplex, pdf.ErrDynamicXFA, pdf.ErrChangesForbidden,
	} {
		if errors.Is(err, known) {
			t.Logf("refused: %v", err)
			return
		}
	}
	t.Errorf("refused without a reason: %v", err)
}

// corpusCheck checks that qpdf reports no problems beyond those of the upload.
func corpusCheck(t *testing.T, upload []byte, path string) {
	before, _ := tool(t, "qpdf", "--check", file(t, upload))
	after, _ := tool(t, "qpdf", "--check", path)
	if a, b := strings.Count(before, "WARNING"), strings.Count(after, "WARNING"); b > a {
		t.Errorf("qpdf warned %d times, now %d:\n%s", a, b, after)
	}
}
