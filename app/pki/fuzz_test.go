package pki_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"testing"

	"paraph/app/pki"
)

// fuzzAuthority creates the same signatures in every run, so that found inputs stay meaningful.
func fuzzAuthority(f *testing.F) (*pki.Authority, *pki.Signer, *clock) {
	f.Helper()
	c := newClock()
	a := open(f, "", pki.Options{Now: c.now, Seed: []byte("fuzz")})
	return a, signatory(f, a, c.now()), c
}

func FuzzVerifyCMS(f *testing.F) {
	a, s, c := fuzzAuthority(f)
	data := []byte("signed")
	lists, err := a.CRLs(c.now())
	if err != nil {
		f.Fatal(err)
	}
	original := sign(f, s, data, a.Timestamper())
	f.Add(original)
	f.Add(sign(f, s, data, nil))
	f.Add(append(sign(f, s, data, nil), 0, 0, 0))
	f.Add([]byte("\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80\x30\x80\x00\x00\x00\x00\x00\x00"))
	f.Add(bytes.Repeat([]byte{0x30, 0x80}, 100))
	f.Fuzz(func(t *testing.T, der []byte) {
		o := pki.VerifyOptions{Roots: a.Roots(), CRLs: append(lists, der), OCSPs: [][]byte{der}, At: c.now()}
		r := pki.VerifyCMS(der, contentOf(data), o)
		if r.Trusted() && (r.Certificate == nil || r.Algorithm == "") {
			t.Errorf("trusted without a signer: %+v", r)
		}
		if r := pki.VerifyCMS(der, contentOf([]byte("other")), o); r.Intact() {
			t.Errorf("valid for what nobody signed: %+v", r)
		}
	})
}

func FuzzVerifyTimestamp(f *testing.F) {
	a, _, c := fuzzAuthority(f)
	sum := sha256.Sum256([]byte("stamped"))
	token, err := a.Timestamper().Timestamp(context.Background(), sum[:])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Add(token[:len(token)/2])
	f.Fuzz(func(t *testing.T, der []byte) {
		r := pki.VerifyTimestamp(der, contentOf([]byte("never signed")), pki.VerifyOptions{Roots: a.Roots(), At: c.now()})
		if r.OK {
			t.Errorf("valid for what nobody stamped: %+v", r)
		}
	})
}

func FuzzTimestampRequest(f *testing.F) {
	a, _, _ := fuzzAuthority(f)
	f.Add([]byte("\x30\x39\x02\x01\x01\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x2001234567890123456789012345678901\x01\x01\xff"))
	f.Fuzz(func(t *testing.T, der []byte) {
		request, err := pki.ParseTimestampRequest(der)
		if err == nil && len(request.Digest) != request.Hash.Size() {
			t.Errorf("a digest of %d bytes", len(request.Digest))
		}
		if answer, err := a.RespondTimestamp(der); err != nil || len(answer) == 0 {
			t.Errorf("no answer: %v", err)
		}
	})
}

func FuzzParsePEM(f *testing.F) {
	a, s, _ := fuzzAuthority(f)
	f.Add(pki.EncodePEM(s.Certificates()...), "")
	f.Add([]byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n"), "x")
	f.Add(a.RootPEM(), "")
	f.Fuzz(func(t *testing.T, data []byte, password string) {
		if s, err := pki.ParsePEM(data, password); (s == nil) == (err == nil) {
			t.Errorf("signer %v and error %v", s, err)
		}
		if s, err := pki.ParsePKCS12(data, password); (s == nil) == (err == nil) {
			t.Errorf("signer %v and error %v", s, err)
		}
	})
}
