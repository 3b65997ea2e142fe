package pki

import (
	"crypto"
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
	familyPlainECDSA // the signature is r and s without ASN.1 (BSI TR-03111 §5.2.1)
	familyDSA
	familyEd25519
	familyEd448
)

// scheme is a signature algorithm with its parameters, as verified.
type scheme struct {
	family family
	digest *digest // nil for Ed25519 and Ed448, which hash by themselves
	mask   *digest // of PSS
	salt   int     // of PSS, in bytes
}

var (
	oidPSS         = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
	oidMGF1        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
	oidECPublicKey = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidDSA         = asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 1}
	oidEd25519     = asn1.ObjectIdentifier{1, 3, 101, 112}
	oidEd448       = asn1.ObjectIdentifier{1, 3, 101, 113}
)

// schemeName is an identifier that determines both family and digest.
type schemeName struct {
	oid    asn1.ObjectIdentifier
	family family
	hash   crypto.Hash
}

func schemeNames() []schemeName {
	rsa := func(last int) asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, last} }
	ecdsa := func(last int) asn1.ObjectIdentifier { return asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, last} }
	nist := func(last int) asn1.ObjectIdentifier { return asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, last} }
	plain := func(last int) asn1.ObjectIdentifier {
		return asn1.ObjectIdentifier{0, 4, 0, 127, 0, 7, 1, 1, 4, 1, last}
	}
	return []schemeName{
		{oidSHA256WithRSA, familyRSA, crypto.SHA256}, {rsa(12), familyRSA, crypto.SHA384}, {rsa(13), familyRSA, crypto.SHA512},
		{rsa(14), familyRSA, crypto.SHA224}, {rsa(16), familyRSA, crypto.SHA512_256}, {rsa(5), familyRSA, crypto.SHA1},
		{asn1.ObjectIdentifier{1, 3, 14, 3, 2, 29}, familyRSA, crypto.SHA1}, {rsa(4), familyRSA, crypto.MD5},
		{nist(13), familyRSA, crypto.SHA3_224}, {nist(14), familyRSA, crypto.SHA3_256},
		{nist(15), familyRSA, crypto.SHA3_384}, {nist(16), familyRSA, crypto.SHA3_512},
		{oidECDSAWithSHA256, familyECDSA, crypto.SHA256}, {oidECDSAWithSHA384, familyECDSA, crypto.SHA384},
		{ecdsa(4), familyECDSA, crypto.SHA512}, {ecdsa(1), familyECDSA, crypto.SHA224},
		{asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 1}, familyECDSA, crypto.SHA1},
		{nist(9), familyECDSA, crypto.SHA3_224}, {nist(10), familyECDSA, crypto.SHA3_256},
		{nist(11), familyECDSA, crypto.SHA3_384}, {nist(12), familyECDSA, crypto.SHA3_512},
		{plain(1), familyPlainECDSA, crypto.SHA1}, {plain(2), familyPlainECDSA, crypto.SHA224},
		{plain(3), familyPlainECDSA, crypto.SHA256}, {plain(4), familyPlainECDSA, crypto.SHA384},
		{plain(5), familyPlainECDSA, crypto.SHA512}, {plain(8), familyPlainECDSA, crypto.SHA3_224},
		{plain(9), familyPlainECDSA, crypto.SHA3_256}, {plain(10), familyPlainECDSA, crypto.SHA3_384},
		{plain(11), familyPlainECDSA, crypto.SHA3_512},
		{asn1.ObjectIdentifier{1, 2, 840, 10040, 4, 3}, familyDSA, crypto.SHA1},
		{nist(1), familyDSA, crypto.SHA224}, {nist(2), familyDSA, crypto.SHA256},
		{nist(3), familyDSA, crypto.SHA384}, {nist(4), familyDSA, crypto.SHA512},
	}
}

// errUnknownAlgorithm reports that a signature cannot be judged, which does not count against
// it.
var errUnknownAlgorithm = errors.New("the signature algorithm is not supported")

// resolveScheme finds the scheme for an identifier. Identifiers of bare keys use the given
// digest.
func resolveScheme(a algorithm, d *digest) (scheme, error) {
	switch {
	case a.oid.Equal(oidPSS):
		return parsePSS(a.params)
	case a.oid.Equal(oidEd25519):
		return scheme{family: familyEd25519}, nil
	case a.oid.Equal(oidEd448):
		return scheme{family: familyEd448}, nil
	}
	if d != nil && d.hash != 0 {
		for oid, family := range map[string]family{oidRSA.String(): familyRSA, oidECPublicKey.String(): familyECDSA, oidDSA.String(): familyDSA} {
			if a.oid.String() == oid {
				return scheme{family: family, digest: d}, nil
			}
		}
	}
	for _, known := range schemeNames() {
		if known.oid.Equal(a.oid) {
			return scheme{family: known.family, digest: digestOf(known.hash)}, nil
		}
	}
	return scheme{}, fmt.Errorf("%w (%v)", errUnknownAlgorithm, a.oid)
}

// parsePSS reads RSASSA-PSS-params (RFC 4055 §3.1), whose defaults are SHA-1, MGF1 with SHA-1 and a salt of 20 bytes.
func parsePSS(params cryptobyte.String) (scheme, error) {
	s := scheme{family: familyPSS, digest: digestOf(crypto.SHA1), mask: digestOf(crypto.SHA1), salt: 20}
	if params.Empty() {
		return s, nil
	}
	failed := fmt.Errorf("%w: unusable RSASSA-PSS parameters", errUnknownAlgorithm)
	var body, part cryptobyte.String
	var present bool
	if !params.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadOptionalASN1(&part, &present, context0) {
		return s, failed
	}
	if present && !readHash(&part, &s.digest) {
		return s, failed
	}
	if !body.ReadOptionalASN1(&part, &present, context1) {
		return s, failed
	}
	if present {
		generator, ok := readAlgorithm(&part)
		if !ok || !generator.oid.Equal(oidMGF1) || !readHash(&generator.params, &s.mask) {
			return s, failed
		}
	}
	trailer := 1
	if !body.ReadOptionalASN1Integer(&s.salt, cbasn1.Tag(2).ContextSpecific().Constructed(), 20) ||
		!body.ReadOptionalASN1Integer(&trailer, context3, 1) || trailer != 1 || s.salt < 0 || s.salt > 1024 {
		return s, failed
	}
	return s, nil
}

// readHash reads the identifier of a digest that crypto numbers.
func readHash(s *cryptobyte.String, to **digest) bool {
	a, ok := readAlgorithm(s)
	*to = digestByOID(a.oid)
	return ok && *to != nil && (*to).hash != 0
}

// verify checks a signature over a message; sum, if not nil, is the message's digest and
// replaces it. The error wraps errUnknownAlgorithm if the key type cannot be judged.
func (s scheme) verify(key publicKey, message, sum, signature []byte) error {
	if key == nil {
		return fmt.Errorf("%w: unknown kind of key", errUnknownAlgorithm)
	}
	if s.digest != nil && sum == nil {
		sum = s.digest.sum(message)
	}
	if s.digest == nil && sum != nil {
		return fmt.Errorf("%w: the message itself is required", errUnknownAlgorithm)
	}
	if !key.suits(s.family) {
		return errors.New("the key is not of the kind that the signature algorithm needs")
	}
	if !key.verify(s, message, sum, signature) {
		return errors.New("verification error")
	}
	return nil
}

// takes reports whether a message digest of this kind may represent the content. Ed25519 and
// Ed448 prescribe one each, so that it cannot be weakened (RFC 8419 §3.1).
func (s scheme) takes(d *digest) bool {
	switch {
	case s.family == familyEd25519:
		return d != nil && d.hash == crypto.SHA512
	case s.family == familyEd448:
		return d != nil && d.hash == 0
	}
	return true
}

// name returns a display name, for example "RSA 2048 with SHA-256".
func (s scheme) name(key publicKey) string {
	if key == nil {
		return ""
	}
	name := key.name()
	if s.family == familyPSS {
		name = "RSA-PSS" + name[len("RSA"):]
	}
	if s.digest == nil {
		return name
	}
	return name + " with " + s.digest.String()
}

// weaknesses lists the parts of a scheme and key that no longer resist attacks. The codes are
// hash and size.
func (s scheme) weaknesses(hash, size string, args Args, key publicKey) []Finding {
	var weak []Finding
	if s.digest != nil && s.digest.weak {
		weak = append(weak, finding(hash, args, "algorithm", s.digest))
	}
	if key == nil {
		return weak
	}
	if bits, needed := key.strength(); bits < needed {
		weak = append(weak, finding(size, args, "algorithm", key.kind(), "bits", bits, "needed", needed))
	}
	return weak
}

// certificateScheme reads the signature of a certificate or revocation list: SEQUENCE { tbs,
// algorithm, signature }.
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
	s, err = resolveScheme(a, nil)
	return s, signature, err
}

// keyOf reads a certificate's key, including types not supported by crypto/x509; nil if it is
// unknown.
func keyOf(c *x509.Certificate) publicKey {
	info := cryptobyte.String(c.RawSubjectPublicKeyInfo)
	var body cryptobyte.String
	var bits []byte
	if !info.ReadASN1(&body, cbasn1.SEQUENCE) {
		return nil
	}
	a, ok := readAlgorithm(&body)
	if !ok || !body.ReadASN1BitStringAsBytes(&bits) {
		return nil
	}
	return readKey(a, bits)
}
