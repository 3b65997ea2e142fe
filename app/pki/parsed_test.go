package pki_test

import (
	"bytes"
	"crypto/x509"
	"testing"

	"paraph/app/pki"
)

// TestParsedCertificatesAreIndependentOfTheirSource reads more certificates than are remembered,
// from a buffer that is overwritten afterwards, and reads each of them again.
func TestParsedCertificatesAreIndependentOfTheirSource(t *testing.T) {
	t.Parallel()
	key := p256(t)
	var all []*x509.Certificate
	for range 200 {
		template := authorityTemplate("An Authority")
		all = append(all, certify(t, template, template, key.Public(), key))
	}
	buffer := make([]byte, 4096)
	for range 2 {
		for _, want := range all {
			der := buffer[:copy(buffer, want.Raw)]
			got, err := pki.ParseCertificate(der)
			if err != nil {
				t.Fatal(err)
			}
			clear(der)
			if !bytes.Equal(got.Raw, want.Raw) || !got.Equal(want) || got.SerialNumber.Cmp(want.SerialNumber) != 0 {
				t.Fatal("another certificate was returned")
			}
		}
	}
	damaged := bytes.Clone(all[0].Raw)
	damaged[len(damaged)-1] ^= 1
	if got, err := pki.ParseCertificate(damaged); err == nil && got.Equal(all[0]) {
		t.Error("a certificate that differs in one bit was taken for the original")
	}
}
