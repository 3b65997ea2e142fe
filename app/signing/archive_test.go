package signing_test

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"paraph/app/signing"
)

// Names that some file system takes for that of the evidence, or of the certificate.
func TestNothingTakesTheNameOfTheEvidence(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	a := signing.NewArchive(&b)
	for _, name := range []string{"evidence.json", "Evidence.JSON", "evidence.json.", "evidence.json ", "ｅvidence.json",
		"evi\u200Bdence.json", "../evidence.json", "evidence.json::$DATA", "Certificate of completion.pdf", "CERTIFICATE OF COMPLETION.PDF",
		"plan.pdf", "plan (2).pdf", "PLAN.pdf", "..", "/etc/passwd"} {
		a.Add(t, name, "forged")
	}
	a.Finish(t)
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, f := range z.File {
		key := strings.TrimRight(strings.ToLower(f.Name), ". ")
		if slices.Contains(seen, key) || path.Clean(f.Name) != f.Name || strings.ContainsAny(f.Name, `/\:`) {
			t.Errorf("%q is taken, or leads out of the folder", f.Name)
		}
		seen = append(seen, key)
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if trusted := key == "evidence.json" || key == "certificate of completion.pdf"; err != nil || trusted && string(content) != "true" {
			t.Errorf("%q holds %q, %v", f.Name, content, err)
		}
	}
	if len(seen) != 17 {
		t.Errorf("%d files: %q", len(seen), seen)
	}
}
