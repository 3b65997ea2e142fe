package pki_test

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"paraph/app/pki"
)

func TestSmoke(t *testing.T) {
	a, err := pki.Open(t.TempDir(), pki.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Signatory(pki.Person{Name: "Zoë 王", Email: "zoe@example.com", Serial: "01ABC"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	d := sha256.Sum256([]byte("x"))
	cms, err := pki.SignCMS(context.Background(), s, d[:], a.Timestamper())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(len(cms), pki.SizeCMS(s, a.Timestamper()))
}
