package pki_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"testing"
	"time"

	"paraph/app/pki"
)

// BenchmarkBare is the minimum cost of an act: a key, the signature on its certificate, and its own
// signature.
func BenchmarkBare(b *testing.B) {
	issuer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256.Sum256([]byte("x"))
	for b.Loop() {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		for _, k := range []*ecdsa.PrivateKey{issuer, key} {
			if _, err := ecdsa.SignASN1(rand.Reader, k, sum[:]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkSignatory(b *testing.B) {
	a := open(b, "", pki.Options{})
	now := time.Now()
	for b.Loop() {
		signatory(b, a, now)
	}
}

// BenchmarkAct issues a signatory's certificate and signs with it, without and with a timestamp.
func BenchmarkAct(b *testing.B) {
	a := open(b, "", pki.Options{})
	now := time.Now()
	sum := sha256.Sum256([]byte("x"))
	for name, ts := range map[string]pki.Timestamper{"B-B": nil, "B-T": a.Timestamper()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := pki.SignCMS(context.Background(), signatory(b, a, now), sum[:], ts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTimestamp(b *testing.B) {
	a := open(b, "", pki.Options{})
	sum := sha256.Sum256([]byte("x"))
	for b.Loop() {
		if _, err := a.Timestamper().Timestamp(context.Background(), sum[:]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSizeCMS(b *testing.B) {
	a := open(b, "", pki.Options{})
	s := signatory(b, a, time.Now())
	for b.Loop() {
		pki.SizeCMS(s, a.Timestamper())
	}
}

func BenchmarkVerifyCMS(b *testing.B) {
	a := open(b, "", pki.Options{})
	data := []byte("x")
	cms := sign(b, signatory(b, a, time.Now()), data, a.Timestamper())
	lists, err := a.CRLs(time.Now())
	if err != nil {
		b.Fatal(err)
	}
	o := pki.VerifyOptions{Roots: a.Roots(), CRLs: lists}
	for b.Loop() {
		if r := pki.VerifyCMS(cms, contentOf(data), o); !r.Trusted() {
			b.Fatal(r.Problems)
		}
	}
}
