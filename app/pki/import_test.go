package pki_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/pki"
)

func TestParsePKCS12FromOpenSSL(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*pki.Signer{"ECDSA": f.signer(t, p256(t), nil), "RSA": f.signer(t, rsaKey, nil)} {
		out := write(t, "own.p12", nil)
		openssl(t, "pkcs12", "-export", "-in", pemFile(t, s.Certificate), "-inkey", write(t, "key.pem", pkcs8(t, s.Key)),
			"-certfile", pemFile(t, f.root, f.issuer), "-passout", "pass:pässword", "-out", out)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pki.ParsePKCS12(data, "pässword")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !got.Certificate.Equal(s.Certificate) || len(got.Chain) != 2 || !got.Chain[0].Equal(f.issuer) || !got.Chain[1].Equal(f.root) {
			t.Errorf("%s: chain of %d", name, len(got.Chain))
		}
		if err := pki.CheckCompany(got, time.Now()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := pki.ParsePKCS12(data, "wrong"); !errors.Is(err, pki.ErrPassword) {
			t.Errorf("%s: wrong password: %v", name, err)
		}
		if _, err := pki.ParsePKCS12(data[:len(data)/2], "pässword"); !errors.Is(err, pki.ErrImport) {
			t.Errorf("%s: half a file: %v", name, err)
		}
	}
}

// A file must not keep the machine busy for hours.
func TestIterationsAreBounded(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	out := write(t, "own.p12", nil)
	for _, args := range [][]string{{"-macalg", "sha256"}, {"-nomac"}} {
		openssl(t, append([]string{"pkcs12", "-export", "-in", pemFile(t, s.Certificate), "-inkey", write(t, "key.pem", pkcs8(t, s.Key)),
			"-iter", "70001", "-passout", "pass:x", "-out", out}, args...)...)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		low, high := []byte{2, 3, 0x01, 0x11, 0x71}, []byte{2, 3, 0x7f, 0xff, 0xff}
		if !bytes.Contains(data, low) {
			t.Fatal("the number of iterations is not to be found")
		}
		if _, err := pki.ParsePKCS12(bytes.Replace(data, low, high, 1), "x"); !errors.Is(err, pki.ErrImport) || !strings.Contains(err.Error(), "iterations") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestParsePEMFromOpenSSL(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ec, rs := f.signer(t, p256(t), nil), f.signer(t, rsaKey, nil)
	convert := func(s *pki.Signer, args ...string) []byte {
		out := write(t, "key", nil)
		openssl(t, append(args, "-in", write(t, "key.pem", pkcs8(t, s.Key)), "-out", out)...)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	encrypt := func(args ...string) []string {
		return append([]string{"pkcs8", "-topk8", "-passout", "pass:secret"}, args...)
	}
	for name, c := range map[string]struct {
		signer *pki.Signer
		key    []byte
	}{
		"PKCS#8":               {ec, pkcs8(t, ec.Key)},
		"SEC 1":                {ec, convert(ec, "ec")},
		"PKCS#1":               {rs, convert(rs, "rsa", "-traditional")},
		"AES-256":              {ec, convert(ec, encrypt("-v2", "aes-256-cbc")...)},
		"AES-128 with SHA-1":   {rs, convert(rs, encrypt("-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA1")...)},
		"AES-192 with SHA-512": {ec, convert(ec, encrypt("-v2", "aes-192-cbc", "-v2prf", "hmacWithSHA512", "-iter", "5000")...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certificates := pki.EncodePEM(f.root, c.signer.Certificate, f.issuer)
			for _, data := range [][]byte{slices.Concat(c.key, certificates), slices.Concat(certificates, c.key)} {
				got, err := pki.ParsePEM(data, "secret")
				if err != nil {
					t.Fatal(err)
				}
				if !got.Certificate.Equal(c.signer.Certificate) || len(got.Chain) != 2 {
					t.Errorf("chain of %d", len(got.Chain))
				}
				sign(t, got, []byte("x"), nil)
				if bytes.Contains(c.key, []byte("ENCRYPTED")) {
					if _, err := pki.ParsePEM(data, "wrong"); !errors.Is(err, pki.ErrPassword) {
						t.Errorf("wrong password: %v", err)
					}
				}
			}
		})
	}
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	f, other := newForeign(t), newForeign(t)
	good := f.signer(t, p256(t), nil)
	smallKey, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	company := func(edit func(*x509.Certificate)) *pki.Signer { return f.signer(t, p256(t), edit) }
	a := open(t, "", pki.Options{})
	for name, c := range map[string]struct {
		signer *pki.Signer
		want   string
	}{
		"nothing":       {nil, "no private key"},
		"other key":     {&pki.Signer{Certificate: good.Certificate, Key: p256(t)}, "is not that of"},
		"small RSA":     {f.signer(t, smallKey, nil), "1024 bits"},
		"Ed25519":       {f.signer(t, edKey, nil), "not supported"},
		"expired":       {company(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), "had expired"},
		"not yet":       {company(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) }), "not yet valid"},
		"key usage":     {company(func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageKeyEncipherment }), "key usage"},
		"web server":    {company(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }), "other purposes"},
		"authority":     {f.issuerSigner(), "authority's certificate"},
		"foreign chain": {&pki.Signer{Certificate: good.Certificate, Key: good.Key, Chain: []*x509.Certificate{other.issuer}}, "was not issued by"},
		"document signing": {company(func(c *x509.Certificate) {
			c.ExtKeyUsage, c.UnknownExtKeyUsage = nil, []asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 36}}
		}), ""},
		"no purpose": {company(func(c *x509.Certificate) { c.ExtKeyUsage = nil }), ""},
	} {
		err := a.ImportCompany("C-"+name, c.signer)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, pki.ErrImport) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("company, %s: got %v, want %q", name, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		signer *pki.Signer
		want   string
	}{
		"a company's":  {good, "is not an authority's"},
		"without root": {&pki.Signer{Certificate: f.issuer, Key: f.issuerKey}, "are missing"},
	} {
		if err := a.ImportIssuer(c.signer); !errors.Is(err, pki.ErrImport) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("issuer, %s: got %v, want %q", name, err, c.want)
		}
	}
	for name, data := range map[string][]byte{
		"empty":          nil,
		"no key":         pki.EncodePEM(f.root),
		"no certificate": pkcs8(t, good.Key),
		"two keys":       slices.Concat(pkcs8(t, good.Key), pkcs8(t, good.Key), pki.EncodePEM(good.Certificate)),
		"bad key":        slices.Concat(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}), pki.EncodePEM(good.Certificate)),
		"bad encryption": slices.Concat(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")}), pki.EncodePEM(good.Certificate)),
	} {
		if _, err := pki.ParsePEM(data, ""); !errors.Is(err, pki.ErrImport) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompanyWithItsOwnCertificate(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	dir := t.TempDir()
	a := open(t, dir, pki.Options{})
	built, err := a.Company("C1", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	own := f.signer(t, p256(t), nil)
	if err := a.ImportCompany("C1", own); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*pki.Authority{a, open(t, dir, pki.Options{})} {
		s, err := a.Company("C1", "Acme")
		if err != nil || !s.Certificate.Equal(own.Certificate) {
			t.Fatalf("the import is not used: %v", err)
		}
	}
	if err := a.ImportCompany("C1", f.signer(t, p256(t), nil)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.RemoveCompanyImport("C1"), a.RemoveCompanyImport("C1"), a.RemoveCompanyImport("C2"), a.Check()); err != nil {
		t.Fatal(err)
	}
	s, err := a.Company("C1", "Acme")
	if err != nil || !s.Certificate.Equal(built.Certificate) {
		t.Errorf("the earlier certificate is not back: %v", err)
	}
}

func TestImportedIssuer(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Now().UTC()}
	f := newForeign(t)
	dir := t.TempDir()
	a := open(t, dir, pki.Options{Now: c.now})
	before, err := a.Company("C1", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	ownRoot := a.Root()
	if err := a.ImportIssuer(f.issuerSigner()); err != nil {
		t.Fatal(err)
	}
	data := []byte("x")
	for _, a := range []*pki.Authority{a, open(t, dir, pki.Options{Now: c.now})} {
		if !a.Root().Equal(f.root) || len(a.Roots()) != 2 {
			t.Error("the root is not the imported one's")
		}
		s, err := a.Company("C1", "Acme")
		if err != nil || s.Certificate.Equal(before.Certificate) {
			t.Fatalf("the company still has its old certificate: %v", err)
		}
		lists, err := a.CRLs(c.now())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*pki.Signer{s, signatory(t, a, c.now())} {
			r := pki.VerifyCMS(sign(t, s, data, a.Timestamper()), contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}, CRLs: lists, At: c.now()})
			if !r.Trusted() || !r.Timestamp.TrustedRoot {
				t.Errorf("%+v", r)
			}
		}
	}
	c.advance(400 * day) // past the imported authority's end
	if _, err := a.Company("C1", "Acme"); !errors.Is(err, pki.ErrExpired) {
		t.Errorf("an expired issuer: %v", err)
	}
	if _, err := a.Signatory(pki.Person{Name: "Ann"}, c.now()); !errors.Is(err, pki.ErrExpired) {
		t.Errorf("an expired issuer: %v", err)
	}
	a = open(t, dir, pki.Options{Now: c.now})
	if warnings, err := a.Warnings(c.now()); err != nil || len(warnings) != 2 {
		t.Errorf("warnings %v, %v", warnings, err)
	}
	if err := errors.Join(a.UseOwnIssuer(), a.UseOwnIssuer()); err != nil {
		t.Fatal(err)
	}
	if s, err := a.Company("C1", "Acme"); err != nil || !a.Root().Equal(ownRoot) || !s.Chain[1].Equal(ownRoot) {
		t.Errorf("back to the own root: %v", err)
	}
}
