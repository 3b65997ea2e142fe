package pki

import (
	"bytes"
	"crypto"
	"crypto/sha1"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// DigestFunc hashes what is signed: in a PDF the bytes of the ByteRange.
type DigestFunc func(crypto.Hash) ([]byte, error)

// VerifyCMS judges a signature as found in a PDF's Contents: ours and those of other producers (ETSI.CAdES.detached,
// adbe.pkcs7.detached, adbe.pkcs7.sha1), DER or BER, zero padding included. Whatever the input, there is a report.
func VerifyCMS(der []byte, digest DigestFunc, o VerifyOptions) CMSReport {
	var r CMSReport
	data, signer, ok := r.open(der)
	if !ok {
		return r
	}
	o = o.withDefaults(data)
	r.verifyContent(data, signer, data.pdfDigest(digest, &r.SignatureReport))
	r.verifySignature(data, signer, o, digest)
	r.SigningTime = r.claimedTime(signer)
	r.Timestamp = r.signatureTimestamp(signer, o)
	o.CRLs, o.OCSPs = withAdobeRevocation(signer, o)
	r.judgeChain(o, r.Timestamp)
	if r.Certificate != nil {
		r.checkSignerUsage()
	}
	r.CAdES = r.Binding != "" && r.SigningTime.IsZero() && signer.signed != nil
	return r
}

// open parses the structure and picks its signer; a signature in a PDF has exactly one.
func (r *SignatureReport) open(der []byte) (*signedData, *signerInfo, bool) {
	r.Revocation.Status = RevocationUnknown
	data, err := parseSignedData(der)
	if err != nil {
		r.problem("The signature cannot be read: %s.", strings.TrimPrefix(err.Error(), "pki: "))
		return nil, nil, false
	}
	r.Problems = append(r.Problems, data.notes...)
	r.Certificates = data.certificates
	if len(data.signers) == 0 {
		r.problem("There is no signer in the signature.")
		return nil, nil, false
	}
	if len(data.signers) > 1 {
		r.problem("There are %d signers in one signature; only the first one is judged.", len(data.signers))
	}
	return data, &data.signers[0], true
}

func (r *SignatureReport) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (o VerifyOptions) withDefaults(d *signedData) VerifyOptions {
	if o.At.IsZero() {
		o.At = time.Now()
	}
	if o.evidence == nil {
		o.evidence = newEvidence()
	}
	o.Extra = append(slices.Clone(d.certificates), o.Extra...)
	o.CRLs = append(slices.Clone(d.lists), o.CRLs...)
	return o
}

// pdfDigest gives the function that the content's digest is compared with. With adbe.pkcs7.sha1 the content is itself
// the SHA-1 of the bytes, and the digest is of those 20 bytes (ISO 32000-1 §12.8.3.3.1).
func (d *signedData) pdfDigest(digest DigestFunc, r *SignatureReport) DigestFunc {
	if d.content == nil {
		return digest
	}
	if len(d.content) == sha1.Size {
		if sum, err := digest(crypto.SHA1); err == nil && bytes.Equal(sum, d.content) {
			r.Weak = append(r.Weak, "The signed bytes are hashed with SHA-1, which can be forged.")
			return hashOf(d.content)
		}
	}
	return func(h crypto.Hash) ([]byte, error) {
		want, err := digest(h)
		if err != nil {
			return nil, err
		}
		have, err := hashOf(d.content)(h)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(have, want) {
			return nil, errors.New("the content inside the signature is something else")
		}
		return have, nil
	}
}

// hashOf hashes bytes that are at hand.
func hashOf(content []byte) DigestFunc {
	return func(h crypto.Hash) ([]byte, error) {
		if !h.Available() {
			return nil, fmt.Errorf("digest %d is not available", h)
		}
		sum := h.New()
		sum.Write(content)
		return sum.Sum(nil), nil
	}
}

// verifyContent compares the content's digest with the message-digest attribute.
func (r *SignatureReport) verifyContent(d *signedData, s *signerInfo, digest DigestFunc) {
	hash := digestByOID(s.digest.oid)
	if hash == 0 {
		r.problem("The digest algorithm %v is not supported.", s.digest.oid)
		return
	}
	r.Digest = hash.String()
	if isWeak(hash) {
		r.Weak = append(r.Weak, fmt.Sprintf("The signed bytes are hashed with %s, which can be forged.", hash))
	}
	sum, err := digest(hash)
	if err != nil {
		r.problem("What is signed cannot be checked: %s.", err)
		return
	}
	if s.signed == nil {
		// The signature itself covers the digest; verifySignature decides. Content of another type must have attributes.
		r.DigestOK = d.contentType.Equal(oidData)
		return
	}
	typeOK := r.checkContentType(d, s)
	value, ok := one(s.attributes, oidMessageDigest)
	claimed, isOctets := contents(value, cbasn1.OCTET_STRING)
	switch {
	case !ok || !isOctets:
		r.problem("The signed attributes do not have exactly one message digest.")
	case !bytes.Equal(claimed, sum):
		r.problem("The signed bytes have been changed since they were signed.")
	default:
		r.DigestOK = typeOK
	}
}

// checkContentType holds the signed type against the content's, so that a signature over something else, a timestamp for
// example, cannot be passed off as one over a document. A missing one is said, but old producers left it out.
func (r *SignatureReport) checkContentType(d *signedData, s *signerInfo) bool {
	value, ok := one(s.attributes, oidContentType)
	if ok && value == nil {
		r.problem("The signed attributes do not name the content type.")
		return true
	}
	input := cryptobyte.String(value)
	var oid asn1.ObjectIdentifier
	if !ok || !readOID(&input, &oid) || !oid.Equal(d.contentType) {
		r.problem("The signed content type is not that of the content.")
		return false
	}
	return true
}

// verifySignature finds the signer's certificate and checks the signature value and the certificate's binding. The digest
// function is used when there are no signed attributes.
func (r *SignatureReport) verifySignature(d *signedData, s *signerInfo, o VerifyOptions, digest DigestFunc) {
	hash := digestByOID(s.digest.oid)
	scheme, err := resolveScheme(s.signature, hash)
	if err != nil {
		r.problem("The signature cannot be checked: %s.", err)
	}
	candidates := r.candidates(s, o)
	if len(candidates) == 0 {
		r.problem("The signer's certificate is missing.")
		return
	}
	r.Certificate = candidates[0]
	if err == nil {
		err = r.tryCandidates(candidates, scheme, s, r.signedMessage(d, s, scheme, digest))
		r.Algorithm = scheme.name(publicKey(r.Certificate))
		r.Weak = append(r.Weak, scheme.weaknesses("The signature", publicKey(r.Certificate))...)
		if err != nil {
			r.problem("The signature value is wrong: %s.", err)
		}
	}
	if s.signed == nil && !r.SignatureOK {
		r.DigestOK = false
	}
	r.checkBinding(s)
}

// candidates are the certificates that the signer may mean; more than one only if somebody made two of the same number.
func (r *SignatureReport) candidates(s *signerInfo, o VerifyOptions) []*x509.Certificate {
	var found []*x509.Certificate
	for _, c := range o.Extra {
		if s.matches(c) && !slices.ContainsFunc(found, c.Equal) && len(found) < 5 {
			found = append(found, c)
		}
	}
	return found
}

// message is what a signature value covers: bytes, or only their digest.
type message struct {
	bytes, digest []byte
	err           error
}

func (r *SignatureReport) signedMessage(d *signedData, s *signerInfo, scheme scheme, digest DigestFunc) message {
	switch {
	case s.signed != nil:
		return message{bytes: s.signed}
	case d.content != nil:
		return message{bytes: d.content}
	case scheme.hash == 0:
		return message{digest: []byte{}}
	}
	sum, err := digest(scheme.hash)
	return message{digest: sum, err: err}
}

func (r *SignatureReport) tryCandidates(candidates []*x509.Certificate, scheme scheme, s *signerInfo, m message) error {
	if m.err != nil {
		return m.err
	}
	var first error
	for _, c := range candidates {
		err := scheme.verify(publicKey(c), m.bytes, m.digest, s.value)
		if err != nil && s.signed != nil && scheme.verify(publicKey(c), sortedSet(s.signed), nil, s.value) == nil {
			err = nil // Some producers sign the attributes in DER order but write them in another.
		}
		if err == nil {
			r.Certificate, r.SignatureOK = c, true
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// sortedSet puts the elements of a SET into DER order.
func sortedSet(set []byte) []byte {
	body, ok := contents(set, cbasn1.SET)
	if !ok {
		return set
	}
	var elements [][]byte
	for s := cryptobyte.String(body); !s.Empty(); {
		var element cryptobyte.String
		var tag cbasn1.Tag
		if !s.ReadAnyASN1Element(&element, &tag) {
			return set
		}
		elements = append(elements, element)
	}
	slices.SortFunc(elements, bytes.Compare)
	return encodeElement(byte(cbasn1.SET), bytes.Join(elements, nil))
}

// checkBinding holds the certificate against signing-certificate-v2 (RFC 5035) or signing-certificate (RFC 2634).
func (r *SignatureReport) checkBinding(s *signerInfo) {
	v2, okV2 := one(s.attributes, oidSigningCertificateV2)
	v1, okV1 := one(s.attributes, oidSigningCertificate)
	switch {
	case !okV1 || !okV2:
		r.Binding = "signing-certificate"
		r.problem("The attribute that names the signing certificate is there more than once.")
		return
	case v2 != nil:
		r.Binding = "signing-certificate-v2"
		r.CertificateBound = certificateNamed(v2, crypto.SHA256, r.Certificate)
	case v1 != nil:
		r.Binding = "signing-certificate"
		r.CertificateBound = certificateNamed(v1, crypto.SHA1, r.Certificate)
	default:
		return
	}
	if !r.CertificateBound {
		r.problem("The signing certificate is not the one that the signature names.")
	}
}

// certificateNamed tells whether the first ESSCertID of the attribute is the certificate's. The default digest is that
// of the attribute's version.
func certificateNamed(value []byte, hash crypto.Hash, c *x509.Certificate) bool {
	input := cryptobyte.String(value)
	var body, list, id, sum cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1(&list, cbasn1.SEQUENCE) || !list.ReadASN1(&id, cbasn1.SEQUENCE) {
		return false
	}
	if hash == crypto.SHA256 && id.PeekASN1Tag(cbasn1.SEQUENCE) {
		a, ok := readAlgorithm(&id)
		if hash = digestByOID(a.oid); !ok || hash == 0 {
			return false
		}
	}
	if !id.ReadASN1(&sum, cbasn1.OCTET_STRING) {
		return false
	}
	want, err := hashOf(c.Raw)(hash)
	return err == nil && bytes.Equal(sum, want)
}

// claimedTime reads the signing-time attribute.
func (r *CMSReport) claimedTime(s *signerInfo) time.Time {
	value, ok := one(s.attributes, oidSigningTime)
	if value == nil {
		if !ok {
			r.problem("The signing time is there more than once.")
		}
		return time.Time{}
	}
	input := cryptobyte.String(value)
	var at time.Time
	if input.PeekASN1Tag(cbasn1.UTCTime) && input.ReadASN1UTCTime(&at) || input.PeekASN1Tag(cbasn1.GeneralizedTime) && input.ReadASN1GeneralizedTime(&at) {
		return at.UTC()
	}
	r.problem("The claimed signing time cannot be read.")
	return time.Time{}
}

// signatureTimestamp judges the timestamps over the signature value and gives the first good one, or else the first.
func (r *CMSReport) signatureTimestamp(s *signerInfo, o VerifyOptions) *TimestampReport {
	var first *TimestampReport
	for i, token := range all(s.unattributed, oidSignatureTimestamp) {
		if i == maxTimestamps {
			r.problem("There are more than %d signature timestamps; the others are not judged.", maxTimestamps)
			break
		}
		t := VerifyTimestamp(token, hashOf(s.value), o)
		if t.OK {
			return &t
		}
		if first == nil {
			first = &t
		}
	}
	if first != nil {
		r.problem("The signature timestamp is not valid.")
	}
	return first
}

const maxTimestamps = 8

// checkSignerUsage says when the certificate is not meant for signing documents. It is reported, not held against the
// signature, because producers differ in what they put there.
func (r *CMSReport) checkSignerUsage() {
	c := r.Certificate
	if c.KeyUsage != 0 && c.KeyUsage&leafUsage == 0 {
		r.problem("The certificate's key usage does not allow signatures.")
	}
	if !meantForDocuments(c) {
		r.problem("The certificate is not meant for signing documents.")
	}
}

// meantForDocuments tells whether the extended key usage allows what producers use for documents; having none does.
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
