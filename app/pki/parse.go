package pki

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

const (
	maxCertificates = 200
	maxAttributes   = 200
)

// signedData is a parsed CMS SignedData (RFC 5652 §5.1).
type signedData struct {
	contentType  asn1.ObjectIdentifier
	content      []byte // encapsulated; nil if detached
	certificates []*x509.Certificate
	lists        [][]byte // CRLs
	signers      []signerInfo
	notes        []Finding // parts that could not be used
}

// signerInfo is one signature in a SignedData (RFC 5652 §5.3).
type signerInfo struct {
	issuer       []byte // with serial, or keyID
	serial       *big.Int
	keyID        []byte
	digest       algorithm
	signed       []byte // signed attributes as a SET, the form that was signed; nil if absent
	attributes   []attribute
	signature    algorithm
	value        []byte
	unattributed []attribute // unsigned attributes
}

type attribute struct {
	oid    asn1.ObjectIdentifier
	values [][]byte // encoded
}

// parseSignedData reads a ContentInfo, DER or BER. Trailing zeros are the padding of a PDF's
// Contents.
func parseSignedData(in []byte) (*signedData, error) {
	der, rest, err := toDER(in)
	if err != nil {
		return nil, err
	}
	d := &signedData{}
	if len(bytes.Trim(rest, "\x00")) > 0 {
		d.notes = append(d.notes, finding("padding", nil))
	}
	input := cryptobyte.String(der)
	var info, wrapped, body cryptobyte.String
	var oid asn1.ObjectIdentifier
	if !input.ReadASN1(&info, cbasn1.SEQUENCE) || !readOID(&info, &oid) || !oid.Equal(oidSignedData) ||
		!info.ReadASN1(&wrapped, context0) || !wrapped.ReadASN1(&body, cbasn1.SEQUENCE) {
		return nil, fmt.Errorf("%w: not CMS signed data", errMalformed)
	}
	if err := d.parse(body); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *signedData) parse(body cryptobyte.String) error {
	var version int
	var digests, content, certificates, lists, signers cryptobyte.String
	var present bool
	if !body.ReadASN1Integer(&version) || !body.ReadASN1(&digests, cbasn1.SET) || !body.ReadASN1(&content, cbasn1.SEQUENCE) {
		return fmt.Errorf("%w: signed data without its beginning", errMalformed)
	}
	if err := d.parseContent(content); err != nil {
		return err
	}
	if !body.ReadOptionalASN1(&certificates, &present, context0) {
		return fmt.Errorf("%w: certificates", errMalformed)
	}
	if err := d.parseCertificates(certificates); err != nil {
		return err
	}
	if !body.ReadOptionalASN1(&lists, &present, context1) || !body.ReadASN1(&signers, cbasn1.SET) {
		return fmt.Errorf("%w: signers", errMalformed)
	}
	for !lists.Empty() {
		var list cryptobyte.String
		var tag cbasn1.Tag
		if !lists.ReadAnyASN1Element(&list, &tag) {
			return fmt.Errorf("%w: revocation lists", errMalformed)
		}
		if tag == cbasn1.SEQUENCE {
			d.lists = append(d.lists, list)
		}
	}
	for !signers.Empty() {
		signer, err := parseSignerInfo(&signers)
		if err != nil {
			return err
		}
		d.signers = append(d.signers, signer)
	}
	return nil
}

func (d *signedData) parseContent(s cryptobyte.String) error {
	var wrapped, octets cryptobyte.String
	var present bool
	if !readOID(&s, &d.contentType) || !s.ReadOptionalASN1(&wrapped, &present, context0) {
		return fmt.Errorf("%w: content", errMalformed)
	}
	if !present {
		return nil
	}
	if !wrapped.ReadASN1(&octets, cbasn1.OCTET_STRING) {
		return fmt.Errorf("%w: content is not an octet string", errMalformed)
	}
	d.content = append([]byte{}, octets...)
	return nil
}

// parseCertificates skips entries that are not X.509 certificates, and certificates that the
// parser refuses.
func (d *signedData) parseCertificates(s cryptobyte.String) error {
	for !s.Empty() {
		var der cryptobyte.String
		var tag cbasn1.Tag
		if !s.ReadAnyASN1Element(&der, &tag) || len(d.certificates) >= maxCertificates {
			return fmt.Errorf("%w: certificates", errMalformed)
		}
		if tag != cbasn1.SEQUENCE {
			continue
		}
		certificate, err := ParseCertificate(der)
		if err != nil {
			d.notes = append(d.notes, finding("certificate_unreadable", nil, "detail", err))
			continue
		}
		d.certificates = append(d.certificates, certificate)
	}
	return nil
}

func parseSignerInfo(s *cryptobyte.String) (signerInfo, error) {
	var i signerInfo
	var body, signed, value, unsigned cryptobyte.String
	var version int
	var ok, hasSigned, hasUnsigned bool
	failed := fmt.Errorf("%w: signer information", errMalformed)
	if !s.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1Integer(&version) || !i.parseIdentifier(&body) {
		return i, failed
	}
	if i.digest, ok = readAlgorithm(&body); !ok || !body.ReadOptionalASN1(&signed, &hasSigned, context0) {
		return i, failed
	}
	if hasSigned {
		// The signature covers the attributes as a SET, not with the tag they have here (RFC 5652 §5.4).
		i.signed = encodeElement(byte(cbasn1.SET), signed)
	}
	if i.attributes, ok = parseAttributes(signed); !ok {
		return i, failed
	}
	if i.signature, ok = readAlgorithm(&body); !ok || !body.ReadASN1(&value, cbasn1.OCTET_STRING) ||
		!body.ReadOptionalASN1(&unsigned, &hasUnsigned, context1) || !body.Empty() {
		return i, failed
	}
	i.value = value
	if i.unattributed, ok = parseAttributes(unsigned); !ok {
		return i, failed
	}
	return i, nil
}

// parseIdentifier reads the SignerIdentifier: issuer and serial number, or subject key identifier.
func (i *signerInfo) parseIdentifier(s *cryptobyte.String) bool {
	var id, issuer cryptobyte.String
	if keyTag := cbasn1.Tag(0).ContextSpecific(); s.PeekASN1Tag(keyTag) {
		ok := s.ReadASN1(&id, keyTag)
		i.keyID = id
		return ok
	}
	i.serial = new(big.Int)
	if !s.ReadASN1(&id, cbasn1.SEQUENCE) || !id.ReadASN1Element(&issuer, cbasn1.SEQUENCE) || !id.ReadASN1Integer(i.serial) {
		return false
	}
	i.issuer = issuer
	return id.Empty()
}

func parseAttributes(s cryptobyte.String) ([]attribute, bool) {
	var attributes []attribute
	for !s.Empty() {
		var body, set cryptobyte.String
		var a attribute
		if !s.ReadASN1(&body, cbasn1.SEQUENCE) || !readOID(&body, &a.oid) || !body.ReadASN1(&set, cbasn1.SET) || len(attributes) >= maxAttributes {
			return nil, false
		}
		for !set.Empty() {
			var value cryptobyte.String
			var tag cbasn1.Tag
			if !set.ReadAnyASN1Element(&value, &tag) || len(a.values) >= maxAttributes {
				return nil, false
			}
			a.values = append(a.values, value)
		}
		attributes = append(attributes, a)
	}
	return attributes, true
}

// one returns the single value of an attribute that must not be repeated (RFC 5652 §11). ok is
// false if it is.
func one(attributes []attribute, oid asn1.ObjectIdentifier) (value []byte, ok bool) {
	for _, a := range attributes {
		if !a.oid.Equal(oid) {
			continue
		}
		if value != nil || len(a.values) != 1 {
			return nil, false
		}
		value = a.values[0]
	}
	return value, true
}

// all returns every value of an attribute.
func all(attributes []attribute, oid asn1.ObjectIdentifier) [][]byte {
	var values [][]byte
	for _, a := range attributes {
		if a.oid.Equal(oid) {
			values = append(values, a.values...)
		}
	}
	return values
}

// matches reports whether the signer refers to this certificate.
func (i *signerInfo) matches(c *x509.Certificate) bool {
	if i.serial == nil {
		return len(i.keyID) > 0 && bytes.Equal(i.keyID, c.SubjectKeyId)
	}
	return i.serial.Cmp(c.SerialNumber) == 0 && bytes.Equal(i.issuer, c.RawIssuer)
}
