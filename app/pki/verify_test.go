package pki_test

import (
	"context"
	"crypto"
	"crypto/sha256"
	"testing"
	"time"

	"paraph/app/pki"
)

func digestOf(data []byte) pki.DigestFunc {
	return func(h crypto.Hash) ([]byte, error) {
		sum := h.New()
		sum.Write(data)
		return sum.Sum(nil), nil
	}
}

func TestSmokeVerify(t *testing.T) {
	a, err := pki.Open("", pki.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Signatory(pki.Person{Name: "Zoë 王", Email: "zoe@example.com", Serial: "01ABC"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("x")
	d := sha256.Sum256(data)
	cms, err := pki.SignCMS(context.Background(), s, d[:], a.Timestamper())
	if err != nil {
		t.Fatal(err)
	}
	crls, err := a.CRLs(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := pki.VerifyCMS(cms, digestOf(data), pki.VerifyOptions{Roots: a.Roots(), CRLs: crls})
	t.Logf("%+v %+v", r, r.Timestamp)
	if !r.Trusted() {
		t.Fatal("no")
	}
}
