package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/verify"
)

// encryptable returns a file with a distinct string, stream and signature.
func encryptable() []byte {
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/SigFlags 3>>/DSS<</Certs[6 0 R]>>>>")
	b.object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>")
	b.object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Annots[4 0 R]>>")
	b.object(4, "<</Type/Annot/Subtype/Widget/FT/Sig/T(held)/Rect[0 0 0 0]/P 3 0 R/V 5 0 R>>")
	b.object(5, "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/Reason(a reason)/ByteRange[0 1 2 3]/Contents<30020500>>>")
	b.stream(6, "", "a certificate")
	return b.end("/Root 1 0 R/ID[<00112233445566778899AABBCCDDEEFF><00112233445566778899AABBCCDDEEFF>]")
}

// TestEncryptedFilesAreRead encrypts a file with qpdf in every way that the
// standard defines.
func TestEncryptedFilesAreRead(t *testing.T) {
	t.Parallel()
	in := file(t, encryptable())
	for name, options := range map[string]string{
		"RC4 with 40 bits":    "--allow-weak-crypto --encrypt USER owner 40 --",
		"RC4 with 128 bits":   "--allow-weak-crypto --encrypt USER owner 128 --use-aes=n --",
		"AES with 128 bits":   "--allow-weak-crypto --encrypt USER owner 128 --use-aes=y --",
		"AES with 256 bits":   "--encrypt USER owner 256 --",
		"AES of revision 5":   "--allow-weak-crypto --encrypt USER owner 256 --force-R5 --",
		"clear metadata":      "--allow-weak-crypto --encrypt USER owner 128 --use-aes=y --cleartext-metadata --",
		"with object streams": "--object-streams=generate --encrypt USER owner 256 --",
	} {
		for _, user := range []string{"", "user"} {
			t.Run(name+" "+user, func(t *testing.T) {
				t.Parallel()
				out := filepath.Join(t.TempDir(), "out.pdf")
				args := strings.Fields(options)
				for i := range args {
					if args[i] == "USER" {
						args[i] = user
					}
				}
				if said, err := tool(t, "qpdf", append(args, in, out)...); err != nil {
					t.Fatal(err, said)
				}
				b, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				for _, password := range []string{user, "owner"} {
					decrypted(t, b, password)
				}
				if _, err := document.OpenSecret(t.Context(), bytes.NewReader(b), int64(len(b)), "wrong"); !errors.Is(err, pdf.ErrPassword) || !errors.Is(err, pdf.ErrEncrypted) {
					t.Errorf("with a wrong password: %v", err)
				}
				if _, err := pdf.Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, pdf.ErrEncrypted) {
					t.Errorf("without a password: %v", err)
				}
			})
		}
	}
}

func decrypted(t *testing.T, b []byte, password string) {
	t.Helper()
	f, err := document.OpenSecret(t.Context(), bytes.NewReader(b), int64(len(b)), password)
	if err != nil {
		t.Errorf("password %q: %v", password, err)
		return
	}
	store, err := f.DSS()
	if err != nil || len(store.Certs) != 1 || string(store.Certs[0]) != "a certificate" {
		t.Errorf("password %q: store %q, %v", password, store.Certs, err)
	}
	signatures, err := verify.Signatures(f)
	if err != nil || len(signatures) != 1 || signatures[0].Reason != "a reason" || signatures[0].Field != "held" {
		t.Fatalf("password %q: %+v, %v", password, signatures, err)
	}
	if !bytes.Equal(signatures[0].Contents, []byte{0x30, 2, 5, 0}) || !f.Encrypted() {
		t.Errorf("password %q: the signature value is %x", password, signatures[0].Contents)
	}
}

// TestBrokenCrossReferencesAreRecovered judges the signatures of a file whose cross-reference table points nowhere.
func TestBrokenCrossReferencesAreRecovered(t *testing.T) {
	t.Parallel()
	whole := complete(t, plain(1), twoSignatories()).bytes
	at := bytes.LastIndex(whole, []byte("startxref\n")) + len("startxref\n")
	broken := append(bytes.Clone(whole[:at]), bytes.Replace(whole[at:], whole[at:at+3], []byte("999"), 1)...)
	if _, err := pdf.Open(bytes.NewReader(broken), int64(len(broken))); !errors.Is(err, pdf.ErrDamaged) {
		t.Fatalf("the file is not broken: %v", err)
	}
	f, err := document.Recover(t.Context(), bytes.NewReader(broken), int64(len(broken)), "")
	if err != nil || !f.Recovered() {
		t.Fatal(err)
	}
	signatures, err := verify.Signatures(f)
	if err != nil || len(signatures) != 4 {
		t.Fatalf("%d signatures, %v", len(signatures), err)
	}
	for _, s := range signatures {
		var signed bytes.Buffer
		err := s.WriteSigned(&signed)
		if err != nil || signed.Len() == 0 || len(s.Problems) > 0 || s.Unjudged == s.Whole {
			t.Errorf("%s: %v %v, unjudged %v, whole %v", s.Field, err, s.Problems, s.Unjudged, s.Whole)
		}
	}
}
