package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"paraph/app"
)

// writePair writes a certificate for TLS and its key to one file.
func writePair(t *testing.T, path string, until time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: until.AddDate(-1, 0, 0), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	private, e := x509.MarshalPKCS8PrivateKey(key)
	if err := errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExpiringServerCertificateIsWarnedOf lets the certificate of server.tls expire, and renews it.
func TestExpiringServerCertificateIsWarnedOf(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tls.pem")
	end := time.Now().AddDate(0, 0, 60)
	writePair(t, path, end)
	w := toBeWarned(t, func(c *app.Config) {
		c.Server.TLS.Mode, c.Server.TLS.Certificate, c.Server.TLS.Key, c.Retention.OutboxDays = "files", path, path, 0
	})
	w.expect(t, "two months before", "certificate", "", 0, 0)
	w.Advance(t, (end.Sub(w.Clock.Now()) - 20*24*time.Hour).String())
	w.expect(t, "in twenty days", "certificate", "is valid until", 1, 1)
	w.Advance(t, (14 * 24 * time.Hour).String())
	w.expect(t, "in six days", "certificate", "is valid until!", 2, 2)
	writePair(t, path, w.Clock.Now().AddDate(1, 0, 0))
	w.expect(t, "renewed", "certificate", "", 2, 0)
}
