package pki

import (
	"crypto/x509"
	"encoding/asn1"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// oidNoKnownKey replaces an algorithm that makes crypto/x509 ignore the key (ITU-T X.667: the
// arc is free for all).
var oidNoKnownKey = asn1.ObjectIdentifier{2, 25, 0}

// ParseCertificate reads a certificate for verification. Unlike crypto/x509 it accepts negative
// serial numbers, which authorities issued for years, and key types unknown to the standard
// library; their PublicKey is nil. The certificate may be shared, and must not be changed.
func ParseCertificate(der []byte) (*x509.Certificate, error) {
	return certificates.get(der, parseLeniently)
}

func parseLeniently(der []byte) (*x509.Certificate, error) {
	c, err := x509.ParseCertificate(der)
	if err == nil {
		return c, nil
	}
	p, ok := takeApart(der)
	if !ok {
		return nil, err
	}
	plain, plainErr := p.acceptable()
	if plainErr != nil {
		return nil, err
	}
	if c, plainErr = x509.ParseCertificate(plain); plainErr != nil {
		return nil, err
	}
	c.Raw, c.RawTBSCertificate, c.RawSubjectPublicKeyInfo, c.SerialNumber = der, p.tbs, p.key, p.serial
	return c, nil
}

// certificateParts is a certificate split at the parts where crypto/x509 is too strict for a
// verifier.
type certificateParts struct {
	tbs, rest             []byte // the signed part, as an element, and the rest
	version, between, key []byte // the elements around the serial number
	extensions            []byte
	serial                *big.Int
}

func takeApart(der []byte) (p certificateParts, ok bool) {
	input := cryptobyte.String(der)
	var body, tbs, version, between, key cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !input.Empty() {
		return p, false
	}
	after := body
	if !after.ReadASN1Element(&tbs, cbasn1.SEQUENCE) {
		return p, false
	}
	p.tbs, p.rest, p.serial = tbs, after, new(big.Int)
	if !tbs.ReadASN1(&tbs, cbasn1.SEQUENCE) {
		return p, false
	}
	if tbs.PeekASN1Tag(context0) && !tbs.ReadASN1Element(&version, context0) || !tbs.ReadASN1Integer(p.serial) {
		return p, false
	}
	for range 4 { // signature algorithm, issuer, validity, subject
		var element cryptobyte.String
		if !tbs.ReadASN1Element(&element, cbasn1.SEQUENCE) {
			return p, false
		}
		between = append(between, element...)
	}
	if !tbs.ReadASN1Element(&key, cbasn1.SEQUENCE) {
		return p, false
	}
	p.version, p.between, p.key, p.extensions = version, between, key, tbs
	return p, true
}

// acceptable reassembles the certificate with a positive serial number and an unknown key type.
func (p certificateParts) acceptable() ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddBytes(p.version)
			b.AddASN1BigInt(new(big.Int).Abs(p.serial))
			b.AddBytes(p.between)
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidNoKnownKey) })
				b.AddASN1BitString(nil)
			})
			b.AddBytes(p.extensions)
		})
		b.AddBytes(p.rest)
	})
	return b.Bytes()
}
