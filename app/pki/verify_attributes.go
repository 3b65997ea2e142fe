package pki

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// checkBinding compares the certificate with signing-certificate-v2 (RFC 5035) or
// signing-certificate (RFC 2634).
func (r *SignatureReport) checkBinding(s *signerInfo) {
	v2, okV2 := one(s.attributes, oidSigningCertificateV2)
	v1, okV1 := one(s.attributes, oidSigningCertificate)
	switch {
	case !okV1 || !okV2:
		r.Binding = "signing-certificate"
		r.broken("binding_repeated")
		return
	case v2 != nil:
		r.Binding = "signing-certificate-v2"
		r.CertificateBound = certificateNamed(v2, digestOf(crypto.SHA256), r.Certificate)
	case v1 != nil:
		r.Binding = "signing-certificate"
		r.CertificateBound = certificateNamed(v1, digestOf(crypto.SHA1), r.Certificate)
	default:
		return
	}
	if !r.CertificateBound {
		r.broken("binding_wrong")
	}
}

// certificateNamed reports whether the first ESSCertID of the attribute matches the
// certificate. The default digest is that of the attribute's version.
func certificateNamed(value []byte, d *digest, c *x509.Certificate) bool {
	input := cryptobyte.String(value)
	var body, list, id, sum cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1(&list, cbasn1.SEQUENCE) || !list.ReadASN1(&id, cbasn1.SEQUENCE) {
		return false
	}
	if d.hash == crypto.SHA256 && id.PeekASN1Tag(cbasn1.SEQUENCE) {
		a, ok := readAlgorithm(&id)
		if d = digestByOID(a.oid); !ok || d == nil {
			return false
		}
	}
	return id.ReadASN1(&sum, cbasn1.OCTET_STRING) && bytes.Equal(sum, d.sum(c.Raw))
}

// claimedTime reads the signing-time attribute.
func (r *CMSReport) claimedTime(s *signerInfo) time.Time {
	value, ok := one(s.attributes, oidSigningTime)
	if value == nil {
		if !ok {
			r.problem("signing_time_repeated")
		}
		return time.Time{}
	}
	input := cryptobyte.String(value)
	var at time.Time
	if input.PeekASN1Tag(cbasn1.UTCTime) && input.ReadASN1UTCTime(&at) || input.PeekASN1Tag(cbasn1.GeneralizedTime) && input.ReadASN1GeneralizedTime(&at) {
		return at.UTC()
	}
	r.problem("signing_time_unreadable")
	return time.Time{}
}

// signatureTimestamp verifies the timestamps over the signature value and returns the first
// good one, or else the first.
func (r *CMSReport) signatureTimestamp(s *signerInfo, o VerifyOptions) *TimestampReport {
	var first *TimestampReport
	for i, token := range all(s.unattributed, oidSignatureTimestamp) {
		if i == maxTimestamps {
			r.problem("timestamps_many", "count", maxTimestamps)
			break
		}
		t := VerifyTimestamp(token, contentOf(s.value), o)
		if t.OK {
			return &t
		}
		if first == nil {
			first = &t
		}
	}
	if first != nil && !first.Intact() {
		r.problem("timestamp_invalid")
	}
	return first
}

const maxTimestamps = 8

// checkSignerUsage reports a certificate that is not meant for signing documents. It is not
// held against the signature, because producers differ in their key usages.
func (r *CMSReport) checkSignerUsage() {
	c := r.Certificate
	if c.KeyUsage != 0 && c.KeyUsage&leafUsage == 0 {
		r.problem("key_usage")
	}
	if !meantForDocuments(c) {
		r.problem("key_purpose")
	}
}

// meantForDocuments reports whether the extended key usage, if any, includes one that producers
// use for documents.
func meantForDocuments(c *x509.Certificate) bool {
	if len(c.ExtKeyUsage)+len(c.UnknownExtKeyUsage) == 0 {
		return true
	}
	usual := []x509.ExtKeyUsage{x509.ExtKeyUsageAny, x509.ExtKeyUsageEmailProtection, x509.ExtKeyUsageCodeSigning, x509.ExtKeyUsageClientAuth}
	return slices.ContainsFunc(c.ExtKeyUsage, func(u x509.ExtKeyUsage) bool { return slices.Contains(usual, u) }) ||
		slices.ContainsFunc(c.UnknownExtKeyUsage, func(oid asn1.ObjectIdentifier) bool {
			return oid.Equal(oidDocumentSigning) || oid.Equal(oidAdobeSigning) || oid.Equal(oidMicrosoftDocumentSigning)
		})
}
