package pki_test

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudflare/circl/sign/ed448"
	"golang.org/x/crypto/ocsp"

	"paraph/app/pki"
)

// The structures of RFC 5652, encoded by encoding/asn1: independent of the code under test, and able
// to express what no proper producer writes.
type (
	cmsAttribute struct {
		Type   asn1.ObjectIdentifier
		Values []any `asn1:"set"`
	}
	cmsIdentifier struct {
		Issuer asn1.RawValue
		Serial *big.Int
	}
	cmsSigner struct {
		Version    int
		Identifier cmsIdentifier
		Digest     pkix.AlgorithmIdentifier
		Attributes asn1.RawValue
		Algorithm  pkix.AlgorithmIdentifier
		Signature  []byte
	}
	cmsContent struct{ Type asn1.ObjectIdentifier }
	cmsBody    struct {
		Version      int
		Digests      []pkix.AlgorithmIdentifier `asn1:"set"`
		Content      cmsContent
		Certificates asn1.RawValue
		Signers      []cmsSigner `asn1:"set"`
	}
	cmsInfo struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue
	}
)

var (
	oidData          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSignedData    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidContentType   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigningTime   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}
	oidAdobe         = asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}
)

func marshal(t *testing.T, v any, params string) []byte {
	t.Helper()
	der, err := asn1.MarshalWithParams(v, params)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func compound(class, tag int, inner []byte) asn1.RawValue {
	return asn1.RawValue{Class: class, Tag: tag, IsCompound: true, Bytes: inner}
}

// cmsShape describes what is unusual about a test signature.
type cmsShape struct {
	reversed   bool // attributes are encoded in a different order than they were signed in
	disordered bool // attributes are signed as encoded, in an order other than DER's
	signers    int
	bare       bool                  // without certificates
	value      func([]byte) []byte   // signs a digest in place of the key
	algorithm  asn1.ObjectIdentifier // named in place of ECDSA with SHA-256
	digest     asn1.ObjectIdentifier // named in place of the usual one
}

func buildCMS(t *testing.T, s *pki.Signer, attributes []cmsAttribute, shape cmsShape) []byte {
	t.Helper()
	digest, signing := oidOfSHA256, asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
	set := marshal(t, attributes, "set")
	if shape.disordered {
		set = reverseSet(t, set)
	}
	var signature []byte
	var err error
	switch key := s.Key.(type) {
	case ed25519.PrivateKey:
		digest, signing = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}, asn1.ObjectIdentifier{1, 3, 101, 112}
		signature, err = s.Key.Sign(nil, set, crypto.Hash(0))
	case ed448.PrivateKey:
		digest, signing = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 12}, asn1.ObjectIdentifier{1, 3, 101, 113}
		signature = ed448.Sign(key, set, "")
	default:
		sum := sha256.Sum256(set)
		if signature, err = s.Key.Sign(rand.Reader, sum[:], crypto.SHA256); shape.value != nil {
			signature = shape.value(sum[:])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if shape.algorithm != nil {
		signing = shape.algorithm
	}
	if shape.digest != nil {
		digest = shape.digest
	}
	if shape.reversed {
		set = reverseSet(t, set)
	}
	set[0] = 0xa0
	id := pkix.AlgorithmIdentifier{Algorithm: digest}
	signer := cmsSigner{
		Version:    1,
		Identifier: cmsIdentifier{asn1.RawValue{FullBytes: s.Certificate.RawIssuer}, s.Certificate.SerialNumber},
		Digest:     id,
		Attributes: asn1.RawValue{FullBytes: set},
		Algorithm:  pkix.AlgorithmIdentifier{Algorithm: signing},
		Signature:  signature,
	}
	var certificates []byte
	for _, c := range s.Certificates() {
		if shape.bare {
			break
		}
		certificates = append(certificates, c.Raw...)
	}
	body := marshal(t, cmsBody{1, []pkix.AlgorithmIdentifier{id}, cmsContent{oidData},
		compound(asn1.ClassContextSpecific, 0, certificates), slices.Repeat([]cmsSigner{signer}, max(shape.signers, 1))}, "")
	return marshal(t, cmsInfo{oidSignedData, compound(asn1.ClassContextSpecific, 0, body)}, "")
}

var oidOfSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}

func reverseSet(t *testing.T, set []byte) []byte {
	t.Helper()
	var outer asn1.RawValue
	if _, err := asn1.Unmarshal(set, &outer); err != nil {
		t.Fatal(err)
	}
	var elements [][]byte
	for rest := outer.Bytes; len(rest) > 0; {
		var element asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &element); err != nil {
			t.Fatal(err)
		}
		elements = append(elements, element.FullBytes)
	}
	slices.Reverse(elements)
	return append(slices.Clone(set[:len(set)-len(outer.Bytes)]), slices.Concat(elements...)...)
}

func attributes(digest []byte, more ...cmsAttribute) []cmsAttribute {
	return append([]cmsAttribute{{oidContentType, []any{oidData}}, {oidMessageDigest, []any{digest}}}, more...)
}

// Ed25519 over signed attributes (RFC 8419), which openssl 3.0 does not sign yet.
func TestEd25519(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("x")
	sum := sha512.Sum512(data)
	cms := buildCMS(t, f.signer(t, key, nil), attributes(sum[:]), cmsShape{})
	o := pki.VerifyOptions{Roots: []*x509.Certificate{f.root}}
	if r := pki.VerifyCMS(cms, contentOf(data), o); !r.Trusted() || r.Algorithm != "Ed25519" {
		t.Errorf("%+v", r)
	}
	cms[len(cms)-1] ^= 1
	if r := pki.VerifyCMS(cms, contentOf(data), o); r.SignatureOK || r.Intact() {
		t.Errorf("spoiled: %+v", r)
	}
}

func TestUnusualAttributes(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	data := []byte("x")
	sum, other := sha256.Sum256(data), sha256.Sum256([]byte("other"))
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		attributes []cmsAttribute
		shape      cmsShape
		intact     bool
		problem    string
	}{
		"plain":                 {attributes(sum[:]), cmsShape{}, true, ""},
		"claimed time":          {attributes(sum[:], cmsAttribute{oidSigningTime, []any{at}}), cmsShape{}, true, ""},
		"not in DER order":      {attributes(sum[:]), cmsShape{reversed: true}, false, "attributes_reordered"},
		"signed in no order":    {attributes(sum[:]), cmsShape{disordered: true}, false, "attributes_order"},
		"no digest":             {attributes(sum[:])[:1], cmsShape{}, false, "message_digest_count"},
		"two digests":           {attributes(sum[:], cmsAttribute{oidMessageDigest, []any{other[:]}}), cmsShape{}, false, "message_digest_count"},
		"two values of one":     {[]cmsAttribute{{oidContentType, []any{oidData}}, {oidMessageDigest, []any{sum[:], other[:]}}}, cmsShape{}, false, "message_digest_count"},
		"digest of other bytes": {attributes(other[:]), cmsShape{}, false, "signed_bytes_changed"},
		"digest of other type":  {[]cmsAttribute{{oidContentType, []any{oidData}}, {oidMessageDigest, []any{7}}}, cmsShape{}, false, "message_digest_count"},
		"no content type":       {attributes(sum[:])[1:], cmsShape{}, true, "content_type_missing"},
		"other content type":    {[]cmsAttribute{{oidContentType, []any{oidSignedData}}, {oidMessageDigest, []any{sum[:]}}}, cmsShape{}, false, "content_type_wrong"},
		"two times":             {attributes(sum[:], cmsAttribute{oidSigningTime, []any{at, at.Add(time.Hour)}}), cmsShape{}, true, "signing_time_repeated"},
		"time as number":        {attributes(sum[:], cmsAttribute{oidSigningTime, []any{7}}), cmsShape{}, true, "signing_time_unreadable"},
		"two signers":           {attributes(sum[:]), cmsShape{signers: 2}, false, "several_signers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := pki.VerifyCMS(buildCMS(t, s, c.attributes, c.shape), contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}})
			if r.Intact() != c.intact || !r.SignatureOK {
				t.Errorf("%+v", r)
			}
			if got := codes(r.Problems); got != c.problem {
				t.Errorf("problems %q, want %q", got, c.problem)
			}
			if strings.Contains(name, "claimed") && !r.SigningTime.Equal(at) {
				t.Errorf("claimed time %s", r.SigningTime)
			}
		})
	}
}

// Acrobat puts CRLs and OCSP responses into its own signed attribute.
func TestAdobeRevocation(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	data := []byte("x")
	sum := sha256.Sum256(data)
	root := f.list(t, f.root, f.rootKey, nil)
	good := f.list(t, f.issuer, f.issuerKey, nil)
	response, err := ocsp.CreateResponse(f.issuer, f.issuer, ocsp.Response{Status: ocsp.Good, SerialNumber: s.Certificate.SerialNumber,
		ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(time.Hour)}, f.issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	archive := func(lists, responses []byte) cmsAttribute {
		var inner []byte
		for tag, der := range [][]byte{lists, responses} {
			if der != nil {
				sequence := marshal(t, compound(asn1.ClassUniversal, asn1.TagSequence, der), "")
				inner = append(inner, marshal(t, compound(asn1.ClassContextSpecific, tag, sequence), "")...)
			}
		}
		return cmsAttribute{oidAdobe, []any{compound(asn1.ClassUniversal, asn1.TagSequence, inner)}}
	}
	for name, c := range map[string]struct {
		attribute cmsAttribute
		want      pki.RevocationStatus
	}{
		"lists":              {archive(slices.Concat(root, good), nil), pki.NotRevoked},
		"list and response":  {archive(root, response), pki.NotRevoked},
		"response alone":     {archive(nil, response), pki.RevocationUnknown}, // without the issuer
		"something else":     {cmsAttribute{oidAdobe, []any{7}}, pki.RevocationUnknown},
		"lists and nonsense": {archive(slices.Concat(root, good, []byte{5, 0}), nil), pki.NotRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cms := buildCMS(t, s, attributes(sum[:], c.attribute), cmsShape{})
			r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}})
			if !r.Trusted() || r.Revocation.Status != c.want {
				t.Errorf("%+v", r)
			}
		})
	}
}
