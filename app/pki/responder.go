package pki

import (
	"bytes"
	"crypto/x509"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
	"golang.org/x/crypto/ocsp"
)

// askResponders looks up the first certificate of a chain in every available OCSP response.
func askResponders(chain []*x509.Certificate, o VerifyOptions, at time.Time) []answer {
	var answers []answer
	for _, der := range o.OCSPs {
		r := responseFor(der, chain, o)
		if r == nil || r.Status == ocsp.Unknown {
			continue
		}
		answers = append(answers, answer{
			covers:    covers(r.ThisUpdate, r.NextUpdate, at),
			revoked:   r.Status == ocsp.Revoked,
			revokedAt: r.RevokedAt,
			reason:    r.RevocationReason,
		})
	}
	return answers
}

// responseFor reads a response by the issuer, or by a responder appointed by it or by an
// authority above it, whose certificate is inside the response or available otherwise. It
// returns nil for any other.
func responseFor(der []byte, chain []*x509.Certificate, o VerifyOptions) *ocsp.Response {
	c, issuer := chain[0], chain[1]
	r, err := ocsp.ParseResponseForCert(der, c, issuer)
	if err == nil && responderAllowed(r, issuer) && namesIssuer(r, issuer) {
		return r
	}
	for _, responder := range o.Extra {
		if !slices.Contains(responder.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) || !bytes.Equal(responder.RawIssuer, issuer.RawSubject) {
			continue
		}
		r, err := ocsp.ParseResponseForCert(der, c, responder)
		if err == nil && r.Certificate == nil && len(validity(responder, r.ProducedAt)) == 0 && o.evidence.issued(issuer, responder) && namesIssuer(r, issuer) {
			return r
		}
	}
	return responseFromAbove(der, chain, o)
}

// responderAllowed checks that a response comes from the issuer or a responder it appointed
// (RFC 6960 §4.2.2.2). The parser has checked that the issuer signed the responder's
// certificate.
func responderAllowed(r *ocsp.Response, issuer *x509.Certificate) bool {
	return r.Certificate == nil || r.Certificate.Equal(issuer) || mayRespond(r)
}

func mayRespond(r *ocsp.Response) bool {
	return slices.Contains(r.Certificate.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) && len(validity(r.Certificate, r.ProducedAt)) == 0
}

// responseFromAbove reads a response by a responder that an authority above the issuer
// appointed for everything below it, as some do. An authority that can revoke the issuer may
// also answer for it (RFC 6960 §2.2 leaves such trust to the verifier).
func responseFromAbove(der []byte, chain []*x509.Certificate, o VerifyOptions) *ocsp.Response {
	r, err := ocsp.ParseResponseForCert(der, chain[0], nil)
	if err != nil || r.Certificate == nil || !mayRespond(r) || !namesIssuer(r, chain[1]) {
		return nil
	}
	for _, authority := range chain[2:] {
		if bytes.Equal(r.Certificate.RawIssuer, authority.RawSubject) && o.evidence.issued(authority, r.Certificate) {
			return r
		}
	}
	return nil
}

// namesIssuer reports whether a response is about a certificate of this issuer: serial numbers
// are unique only per issuer.
func namesIssuer(r *ocsp.Response, issuer *x509.Certificate) bool {
	input := cryptobyte.String(r.TBSResponseData)
	var body, responses cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.SkipOptionalASN1(context0) ||
		!body.SkipASN1(anyTag(body)) || !body.SkipASN1(cbasn1.GeneralizedTime) || !body.ReadASN1(&responses, cbasn1.SEQUENCE) {
		return false
	}
	for !responses.Empty() {
		var one, id, name, key cryptobyte.String
		if !responses.ReadASN1(&one, cbasn1.SEQUENCE) || !one.ReadASN1(&id, cbasn1.SEQUENCE) {
			return false
		}
		a, ok := readAlgorithm(&id)
		d := digestByOID(a.oid)
		if !ok || !id.ReadASN1(&name, cbasn1.OCTET_STRING) || !id.ReadASN1(&key, cbasn1.OCTET_STRING) {
			return false
		}
		if d != nil && bytes.Equal(name, d.sum(issuer.RawSubject)) && bytes.Equal(key, d.sum(keyBits(issuer))) && bytes.Equal(id, serialDER(r)) {
			return true
		}
	}
	return false
}

// anyTag returns the tag of the next element.
func anyTag(s cryptobyte.String) cbasn1.Tag {
	if s.Empty() {
		return 0
	}
	return cbasn1.Tag(s[0])
}

func serialDER(r *ocsp.Response) []byte {
	var b cryptobyte.Builder
	b.AddASN1BigInt(r.SerialNumber)
	der, err := b.Bytes()
	if err != nil {
		return nil
	}
	return der
}

// keyBits returns the content of the bit string of a public key, which responses hash.
func keyBits(c *x509.Certificate) []byte {
	input := cryptobyte.String(c.RawSubjectPublicKeyInfo)
	var body, bits cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.SkipASN1(cbasn1.SEQUENCE) || !body.ReadASN1(&bits, cbasn1.BIT_STRING) || len(bits) == 0 {
		return nil
	}
	return bits[1:]
}
