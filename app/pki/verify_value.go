package pki

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// verifyContent compares the content's digest with the message-digest attribute.
func (r *SignatureReport) verifyContent(d *signedData, s *signerInfo, content Content) {
	digest := digestByOID(s.digest.oid)
	if digest == nil {
		r.unjudged("digest_unsupported", "algorithm", s.digest.oid)
		return
	}
	r.Digest = digest.String()
	if digest.weak {
		r.Weak = append(r.Weak, finding("weak_content", nil, "algorithm", digest))
	}
	sum, err := content.sum(digest)
	switch {
	case errors.Is(err, errOtherContent):
		r.broken("content_other")
		return
	case err != nil:
		r.broken("content_unreadable", "detail", err)
		return
	}
	if s.signed == nil {
		// The signature itself covers the digest; verifySignature decides. Content of another type must have attributes.
		if r.DigestOK = d.contentType.Equal(oidData); !r.DigestOK {
			r.broken("content_type_wrong")
		}
		return
	}
	typeOK := r.checkContentType(d, s)
	value, ok := one(s.attributes, oidMessageDigest)
	claimed, isOctets := contents(value, cbasn1.OCTET_STRING)
	switch {
	case !ok || !isOctets:
		r.broken("message_digest_count")
	case !bytes.Equal(claimed, sum):
		r.broken("signed_bytes_changed")
	default:
		r.DigestOK = typeOK
	}
}

// checkContentType compares the signed type with that of the content, so that a signature over
// something else, such as a timestamp, cannot be passed off as one over a document. A missing
// type is only reported, since old producers omitted it.
func (r *SignatureReport) checkContentType(d *signedData, s *signerInfo) bool {
	value, ok := one(s.attributes, oidContentType)
	if ok && value == nil {
		r.problem("content_type_missing")
		return true
	}
	input := cryptobyte.String(value)
	var oid asn1.ObjectIdentifier
	if !ok || !readOID(&input, &oid) || !oid.Equal(d.contentType) {
		r.broken("content_type_wrong")
		return false
	}
	return true
}

// verifySignature finds the signer's certificate and checks the signature value and the binding
// to the certificate. The content is used if there are no signed attributes.
func (r *SignatureReport) verifySignature(d *signedData, s *signerInfo, o VerifyOptions, content Content) {
	candidates := candidates(s, o)
	if len(candidates) == 0 {
		r.unjudged("certificate_missing")
		return
	}
	r.Certificate = candidates[0]
	r.verifyValue(d, s, candidates, content)
	if s.signed == nil && !r.SignatureOK {
		r.DigestOK = false
	}
	r.checkBinding(s)
}

func (r *SignatureReport) verifyValue(d *signedData, s *signerInfo, candidates []*x509.Certificate, content Content) {
	digest := digestByOID(s.digest.oid)
	scheme, err := resolveScheme(s.signature, digest)
	if err != nil {
		r.unjudged("algorithm_unsupported", "algorithm", s.signature.oid)
		return
	}
	if s.signed != nil && !scheme.takes(digest) {
		r.unjudged("algorithm_unsupported", "algorithm", s.signature.oid.String()+", "+s.digest.oid.String())
	}
	err = r.tryCandidates(candidates, scheme, s, signedMessage(d, s, scheme, content))
	key := keyOf(r.Certificate)
	r.Algorithm = scheme.name(key)
	r.Weak = append(r.Weak, scheme.weaknesses("weak_signature", "weak_signature_key", nil, key)...)
	switch {
	case errors.Is(err, errUnknownAlgorithm):
		r.unjudged("algorithm_unsupported", "algorithm", s.signature.oid)
	case err != nil:
		r.broken("value_wrong")
	}
}

// candidates returns the certificates that the signer may refer to; there is more than one only
// if serial numbers were reused.
func candidates(s *signerInfo, o VerifyOptions) []*x509.Certificate {
	var found []*x509.Certificate
	for _, c := range o.Extra {
		if s.matches(c) && !slices.ContainsFunc(found, c.Equal) && len(found) < 5 {
			found = append(found, c)
		}
	}
	return found
}

// message is the input of a signature value: bytes, or only their digest.
type message struct {
	bytes, sum []byte
	err        error
}

func signedMessage(d *signedData, s *signerInfo, scheme scheme, content Content) message {
	switch {
	case s.signed != nil:
		return message{bytes: s.signed}
	case d.content != nil:
		return message{bytes: d.content}
	case scheme.digest == nil:
		return message{sum: []byte{}}
	}
	sum, err := content.sum(scheme.digest)
	return message{sum: sum, err: err}
}

func (r *SignatureReport) tryCandidates(candidates []*x509.Certificate, scheme scheme, s *signerInfo, m message) error {
	if m.err != nil {
		return m.err
	}
	var first error
	for _, c := range candidates {
		key := keyOf(c)
		err := scheme.verify(key, m.bytes, m.sum, s.value)
		if err == nil {
			r.Certificate, r.SignatureOK = c, true
			r.checkOrder(s)
			return nil
		}
		if s.signed != nil && scheme.verify(key, sortedSet(s.signed), nil, s.value) == nil {
			r.Certificate, r.SignatureOK = c, true
			r.broken("attributes_reordered")
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// checkOrder reports signed attributes that are not in DER order (RFC 5652 §5.3). The digest is
// that of their DER encoding (§5.4), so some readers sort them first and reject the signature,
// while others take the bytes unchanged and accept it: there is no verdict where readers
// disagree.
func (r *SignatureReport) checkOrder(s *signerInfo) {
	if s.signed != nil && !bytes.Equal(s.signed, sortedSet(s.signed)) {
		r.unjudged("attributes_order")
	}
}

// sortedSet sorts the elements of a SET into DER order.
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
