package pki_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/pki"
)

// clock is a settable clock.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const day = 24 * time.Hour

func open(t testing.TB, dir string, o pki.Options) *pki.Authority {
	t.Helper()
	a, err := pki.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func signatory(t testing.TB, a *pki.Authority, at time.Time) *pki.Signer {
	t.Helper()
	s, err := a.Signatory(pki.Person{Name: "Zoë 王", Email: "zoe@example.com", Serial: "01ABC"}, at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sign(t testing.TB, s *pki.Signer, data []byte, ts pki.Timestamper) []byte {
	t.Helper()
	sum := sha256.Sum256(data)
	cms, err := pki.SignCMS(context.Background(), s, sum[:], ts)
	if err != nil {
		t.Fatal(err)
	}
	return cms
}

func contentOf(data []byte) pki.Content {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// codes joins the codes of all findings.
func codes(all []pki.Finding) string {
	var out []string
	for _, f := range all {
		out = append(out, f.Code)
	}
	return strings.Join(out, " ")
}

// write puts data into a new file and returns its path.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openssl runs the tool and, if it fails, fails the test with its output.
func openssl(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command("openssl", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("openssl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func pemFile(t testing.TB, certificates ...*x509.Certificate) string {
	t.Helper()
	return write(t, "certificates.pem", pki.EncodePEM(certificates...))
}

// foreign is another authority, implemented with the standard library.
type foreign struct {
	root, issuer       *x509.Certificate
	rootKey, issuerKey crypto.Signer
}

func p256(t testing.TB) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func certify(t testing.TB, template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) *x509.Certificate {
	t.Helper()
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = serial.SetBit(serial, 119, 1) // The same length each time.
	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(365 * day)
	}
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func authorityTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
}

func newForeign(t testing.TB) *foreign {
	t.Helper()
	f := &foreign{rootKey: p256(t), issuerKey: p256(t)}
	f.root = certify(t, authorityTemplate("Foreign Root"), nil, f.rootKey.Public(), f.rootKey)
	f.issuer = certify(t, authorityTemplate("Foreign Issuer"), f.root, f.issuerKey.Public(), f.rootKey)
	return f
}

func (f *foreign) issuerSigner() *pki.Signer {
	return &pki.Signer{Certificate: f.issuer, Key: f.issuerKey, Chain: []*x509.Certificate{f.root}}
}

// signer issues a certificate for a key; edit may change the template.
func (f *foreign) signer(t testing.TB, key crypto.Signer, edit func(*x509.Certificate)) *pki.Signer {
	t.Helper()
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "Foreign Signer"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection},
	}
	if edit != nil {
		edit(template)
	}
	c := certify(t, template, f.issuer, key.Public(), f.issuerKey)
	return &pki.Signer{Certificate: c, Key: key, Chain: []*x509.Certificate{f.issuer, f.root}}
}

// pkcs8 returns a key as PEM.
func pkcs8(t testing.TB, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}
