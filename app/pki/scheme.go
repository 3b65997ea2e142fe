package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

type family int

const (
	familyRSA family = iota + 1
	familyPSS
	familyECDSA
	familyEd25519
)

// scheme is a signature algorithm with its parameters, as verified.
type scheme struct {
	family family
	hash   crypto.Hash // 0 for Ed25519, which hashes by itself
	salt   int         // of PSS, in bytes
}

var (
	oidPSS            = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
	oidMGF1           = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
	oidECPublicKey    = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidEd25519        = asn1.ObjectIdentifier{1, 3, 101, 112}
	schemeIdentifiers = []struct {
		oid    asn1.ObjectIdentifier
		scheme scheme
	}{
		{oidSHA256WithRSA, scheme{family: familyRSA, hash: crypto.SHA256}},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 12}, scheme{family: familyRSA, hash: crypto.SHA384}},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 13}, scheme{family: familyRSA, hash: crypto.SHA512}},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 14}, scheme{family: familyRSA, hash: crypto.SHA224}},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5}, scheme{family: familyRSA, hash: crypto.SHA1}},
		{asn1.ObjectIdentifier{1, 3, 14, 3, 2, 29}, scheme{family: familyRSA, hash: crypto.SHA1}},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 4}, scheme{family: familyRSA, hash: crypto.MD5}},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 14}, scheme{family: familyRSA, hash: crypto.SHA3_256}},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 15}, scheme{family: familyRSA, hash: crypto.SHA3_384}},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 16}, scheme{family: familyRSA, hash: crypto.SHA3_512}},
		{oidECDSAWithSHA256, scheme{family: familyECDSA, hash: crypto.SHA256}},
		{oidECDSAWithSHA384, scheme{family: familyECDSA, hash: crypto.SHA384}},
		{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 4}, scheme{family: familyECDSA, hash: crypto.SHA512}},
		{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 1}, scheme{family: familyECDSA, hash: crypto.SHA224}},
		{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}, scheme{family: familyECDSA, hash: crypto.SHA1}},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 10}, scheme{family: familyECDSA, hash: crypto.SHA3_256}},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 11}, scheme{family: familyECDSA, hash: crypto.SHA3_384}},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, 12}, scheme{family: familyECDSA, hash: crypto.SHA3_512}},
		{oidEd25519, scheme{family: familyEd25519}},
	}
)

var errUnknownAlgorithm = errors.New("the signature algorithm is not supported")

// resolveScheme finds the scheme that an identifier stands for. Identifiers of bare keys take the given digest.
func resolveScheme(a algorithm, digest crypto.Hash) (scheme, error) {
	switch {
	case a.oid.Equal(oidRSA) && digest != 0:
		return scheme{family: familyRSA, hash: digest}, nil
	case a.oid.Equal(oidECPublicKey) && digest != 0:
		return scheme{family: familyECDSA, hash: digest}, nil
	case a.oid.Equal(oidPSS):
		return parsePSS(a.params)
	}
	for _, known := range schemeIdentifiers {
		if known.oid.Equal(a.oid) {
			return known.scheme, nil
		}
	}
	return scheme{}, fmt.Errorf("%w (%v)", errUnknownAlgorithm, a.oid)
}

// parsePSS reads RSASSA-PSS-params (RFC 4055 §3.1), whose defaults are SHA-1, MGF1 with SHA-1 and a salt of 20 bytes.
func parsePSS(params cryptobyte.String) (scheme, error) {
	s := scheme{family: familyPSS, hash: crypto.SHA1, salt: 20}
	mask := crypto.SHA1
	failed := fmt.Errorf("%w: unusable RSASSA-PSS parameters", errUnknownAlgorithm)
	var body, part cryptobyte.String
	var present bool
	if params.Empty() {
		return s, nil
	}
	if !params.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadOptionalASN1(&part, &present, context0) {
		return s, failed
	}
	if present {
		a, ok := readAlgorithm(&part)
		if s.hash = digestByOID(a.oid); !ok || s.hash == 0 {
			return s, failed
		}
	}
	if !body.ReadOptionalASN1(&part, &present, context1) {
		return s, failed
	}
	if present {
		generator, ok := readAlgorithm(&part)
		hash, hashOK := readAlgorithm(&generator.params)
		if mask = digestByOID(hash.oid); !ok || !hashOK || !generator.oid.Equal(oidMGF1) {
			return s, failed
		}
	}
	trailer := 1
	if !body.ReadOptionalASN1Integer(&s.salt, cbasn1.Tag(2).ContextSpecific().Constructed(), 20) ||
		!body.ReadOptionalASN1Integer(&trailer, context3, 1) || mask != s.hash || trailer != 1 || s.salt < 0 || s.salt > 1024 {
		return s, failed
	}
	return s, nil
}

// verify checks a signature over a message; digest, when not nil, is the message's hash and stands in for it.
func (s scheme) verify(public crypto.PublicKey, message, digest, signature []byte) error {
	if digest == nil && s.hash != 0 {
		h := s.hash.New()
		h.Write(message)
		digest = h.Sum(nil)
	}
	mismatch := errors.New("the key is not of the kind that the signature algorithm needs")
	switch s.family {
	case familyRSA, familyPSS:
		key, ok := public.(*rsa.PublicKey)
		if !ok {
			return mismatch
		}
		if s.family == familyRSA {
			return rsa.VerifyPKCS1v15(key, s.hash, digest, signature)
		}
		return rsa.VerifyPSS(key, s.hash, digest, signature, &rsa.PSSOptions{SaltLength: s.salt, Hash: s.hash})
	case familyECDSA:
		key, ok := public.(*ecdsa.PublicKey)
		if !ok {
			return mismatch
		}
		if !ecdsa.VerifyASN1(key, digest, signature) {
			return errors.New("verification error")
		}
		return nil
	case familyEd25519:
		key, ok := public.(ed25519.PublicKey)
		if !ok {
			return mismatch
		}
		if digest != nil {
			return errors.New("an Ed25519 signature needs signed attributes to be verified")
		}
		if !ed25519.Verify(key, message, signature) {
			return errors.New("verification error")
		}
		return nil
	}
	return errUnknownAlgorithm
}

// name is for people, for example "RSA 2048 with SHA-256".
func (s scheme) name(public crypto.PublicKey) string {
	switch key := public.(type) {
	case *rsa.PublicKey:
		padding := "RSA"
		if s.family == familyPSS {
			padding = "RSA-PSS"
		}
		return fmt.Sprintf("%s %d with %s", padding, key.Size()*8, s.hash)
	case *ecdsa.PublicKey:
		return fmt.Sprintf("ECDSA %s with %s", key.Curve.Params().Name, s.hash)
	case ed25519.PublicKey:
		return "Ed25519"
	}
	return "unknown"
}

// weaknesses lists, in sentences, what in a scheme and key no longer resists an attacker.
func (s scheme) weaknesses(what string, public crypto.PublicKey) []string {
	var weak []string
	if isWeak(s.hash) {
		weak = append(weak, fmt.Sprintf("%s is made with %s, which can be forged.", what, s.hash))
	}
	switch key := public.(type) {
	case *rsa.PublicKey:
		if key.Size() < 2048/8 {
			weak = append(weak, fmt.Sprintf("%s is made with an RSA key of %d bits; 2048 are needed.", what, key.N.BitLen()))
		}
	case *ecdsa.PublicKey:
		if size := key.Curve.Params().BitSize; size < 256 {
			weak = append(weak, fmt.Sprintf("%s is made with an ECDSA key of %d bits; 256 are needed.", what, size))
		}
	}
	return weak
}

// publicKey gives a certificate's key, also where it is marked for RSASSA-PSS alone, which crypto/x509 leaves out.
func publicKey(c *x509.Certificate) crypto.PublicKey {
	if c.PublicKey != nil {
		return c.PublicKey
	}
	info := cryptobyte.String(c.RawSubjectPublicKeyInfo)
	var body cryptobyte.String
	var bits []byte
	if !info.ReadASN1(&body, cbasn1.SEQUENCE) {
		return nil
	}
	if a, ok := readAlgorithm(&body); !ok || !a.oid.Equal(oidPSS) || !body.ReadASN1BitStringAsBytes(&bits) {
		return nil
	}
	key, err := x509.ParsePKCS1PublicKey(bits)
	if err != nil {
		return nil
	}
	return key
}

// certificateScheme reads how a certificate or revocation list is signed: SEQUENCE { tbs, algorithm, signature }.
func certificateScheme(raw []byte) (s scheme, signature []byte, err error) {
	input := cryptobyte.String(raw)
	var body cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.SkipASN1(cbasn1.SEQUENCE) {
		return s, nil, errMalformed
	}
	a, ok := readAlgorithm(&body)
	if !ok || !body.ReadASN1BitStringAsBytes(&signature) {
		return s, nil, errMalformed
	}
	s, err = resolveScheme(a, 0)
	return s, signature, err
}
