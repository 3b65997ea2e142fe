package pki

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// SignCMS makes the detached CAdES signature for a PDF's Contents entry (ETSI EN 319 122-1 §5,
// EN 319 142-1 §6): signed attributes content-type, message-digest and signing-certificate-v2,
// no signing-time. The digest is the SHA-256 of the signed bytes. With a Timestamper the
// signature value is timestamped (level B-T), without one it is B-B. ECDSA on P-256 and P-384
// and RSA (PKCS#1 v1.5) keys are supported; others fail with ErrUnsupported. If no timestamp
// can be obtained the error wraps ErrTimestamp and there is no signature: the level is never
// lowered silently.
func SignCMS(ctx context.Context, s *Signer, digest []byte, ts Timestamper) ([]byte, error) {
	if len(digest) != sha256.Size {
		return nil, fmt.Errorf("%w: a digest of %d bytes instead of a SHA-256", ErrUnsupported, len(digest))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := newSignedParts(s, oidData, digest)
	if err != nil {
		return nil, err
	}
	if p.signature, err = s.sign(p.attributes); err != nil {
		return nil, err
	}
	if ts != nil {
		imprint := sha256.Sum256(p.signature)
		if p.timestamp, err = ts.Timestamp(ctx, imprint[:]); err != nil {
			return nil, fmt.Errorf("pki: timestamping the signature: %w", err)
		}
	}
	return p.encode(nil)
}

// SizeCMS returns how many bytes to reserve for the result of SignCMS: measured with this
// signer's certificates and the longest signature of its key, plus a tenth. It makes no
// connections. It returns 0 for an unsupported key.
func SizeCMS(s *Signer, ts Timestamper) int {
	p, err := newSignedParts(s, oidData, make([]byte, sha256.Size))
	if err != nil {
		return 0
	}
	n := p.room(nil) + maxSignature(s.Key.Public())
	if ts != nil {
		n += ts.TokenSize()
	}
	return withMargin(n)
}

func withMargin(n int) int { return n + n/10 }

// maxSignature returns the maximum length of a key's signature value. An ECDSA value is a
// SEQUENCE of two INTEGERs, each of which may need a leading zero.
func maxSignature(public crypto.PublicKey) int {
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		return 2*((public.Curve.Params().BitSize+7)/8+3) + 3
	case *rsa.PublicKey:
		return public.Size()
	default:
		return 0
	}
}

// signedParts are the components of a SignedData with one signer (RFC 5652 §5).
type signedParts struct {
	signer      *Signer
	contentType asn1.ObjectIdentifier
	attributes  []byte // signed attributes as a DER SET OF, the form that is signed
	signature   []byte
	timestamp   []byte // a TimeStampToken, or nil
	bare        bool   // without certificates
}

func newSignedParts(s *Signer, contentType asn1.ObjectIdentifier, digest []byte) (*signedParts, error) {
	if _, err := signerAlgorithm(s.Key.Public()); err != nil {
		return nil, err
	}
	attributes, err := signedAttributes(s.Certificate, contentType, digest)
	if err != nil {
		return nil, fmt.Errorf("pki: encoding signed attributes: %w", err)
	}
	return &signedParts{signer: s, contentType: contentType, attributes: attributes}, nil
}

func signedAttributes(c *x509.Certificate, contentType asn1.ObjectIdentifier, digest []byte) ([]byte, error) {
	const syntax = 240
	b := cryptobyte.NewBuilder(make([]byte, 0, syntax+len(c.RawIssuer)))
	b.AddASN1(cbasn1.SET, func(b *cryptobyte.Builder) {
		// DER orders the elements of a SET OF by their encoding: the shorter of these comes first.
		addAttribute(b, oidContentType, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(contentType) })
		addAttribute(b, oidMessageDigest, func(b *cryptobyte.Builder) { b.AddASN1OctetString(digest) })
		addAttribute(b, oidSigningCertificateV2, func(b *cryptobyte.Builder) { addSigningCertificate(b, c) })
	})
	return b.Bytes()
}

func addAttribute(b *cryptobyte.Builder, oid asn1.ObjectIdentifier, value cryptobyte.BuilderContinuation) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oid)
		b.AddASN1(cbasn1.SET, value)
	})
}

// addSigningCertificate writes SigningCertificateV2 (RFC 5035 §3) with the default SHA-256, so
// that the certificate cannot be exchanged for another one with the same key.
func addSigningCertificate(b *cryptobyte.Builder, c *x509.Certificate) {
	sum := sha256.Sum256(c.Raw)
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // SigningCertificateV2
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // certs
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // ESSCertIDv2
				b.AddASN1OctetString(sum[:])
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // IssuerSerial
					b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
						directoryName := cbasn1.Tag(4).ContextSpecific().Constructed()
						b.AddASN1(directoryName, func(b *cryptobyte.Builder) { b.AddBytes(c.RawIssuer) })
					})
					b.AddASN1BigInt(c.SerialNumber)
				})
			})
		})
	})
}

// sign signs a message. The result is checked, because a faulty token or a mix-up of external
// keys would otherwise be noticed only when the document is verified.
func (s *Signer) sign(message []byte) ([]byte, error) {
	sum := sha256.Sum256(message)
	signature, err := s.Key.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("pki: signing with the key of %s: %w", describe(s.Certificate), err)
	}
	switch s.Key.(type) {
	case *ecdsa.PrivateKey, *rsa.PrivateKey, repeatable:
		return signature, nil
	}
	if !verifyDigest(s.Certificate.PublicKey, sum[:], signature) {
		return nil, fmt.Errorf("pki: the key of %s made a signature that its certificate does not verify", describe(s.Certificate))
	}
	return signature, nil
}

// verifyDigest checks a signature made here over a SHA-256 digest.
func verifyDigest(public crypto.PublicKey, digest, signature []byte) bool {
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(public, digest, signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, digest, signature) == nil
	default:
		return false
	}
}

// signerAlgorithm returns the signatureAlgorithm of a SignerInfo; for RSA the plain key
// identifier (RFC 3370 §3.2).
func signerAlgorithm(public crypto.PublicKey) (signatureAlgorithm, error) {
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		if size := public.Curve.Params().BitSize; size != 256 && size != 384 {
			return signatureAlgorithm{}, fmt.Errorf("%w: ECDSA on %s", ErrUnsupported, public.Curve.Params().Name)
		}
		return signatureAlgorithm{oidECDSAWithSHA256, crypto.SHA256, false}, nil
	case *rsa.PublicKey:
		return signatureAlgorithm{oidRSA, crypto.SHA256, true}, nil
	default:
		return signatureAlgorithm{}, fmt.Errorf("%w: a key of type %T", ErrUnsupported, public)
	}
}

func addSHA256(b *cryptobyte.Builder) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidSHA256) })
}

// room returns at least the size of the ContentInfo, and not much more.
func (p *signedParts) room(content []byte) int {
	const syntax = 200 // tags, lengths, versions and algorithms
	n := syntax + len(content) + len(p.signer.Certificate.RawIssuer)
	n += len(p.attributes) + len(p.signature) + len(p.timestamp)
	if !p.bare {
		for _, c := range p.signer.Certificates() {
			n += len(c.Raw)
		}
	}
	return n
}

// encode returns the ContentInfo; without content it is detached.
func (p *signedParts) encode(content []byte) ([]byte, error) {
	b := cryptobyte.NewBuilder(make([]byte, 0, p.room(content)))
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidSignedData)
		b.AddASN1(context0, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { p.addSignedData(b, content) })
		})
	})
	der, err := b.Bytes()
	if err != nil {
		return nil, fmt.Errorf("pki: encoding signature: %w", err)
	}
	return der, nil
}

func (p *signedParts) addSignedData(b *cryptobyte.Builder, content []byte) {
	version := int64(3) // RFC 5652 §5.1: content other than id-data
	if p.contentType.Equal(oidData) {
		version = 1
	}
	b.AddASN1Int64(version)
	b.AddASN1(cbasn1.SET, addSHA256)
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(p.contentType)
		if content != nil {
			b.AddASN1(context0, func(b *cryptobyte.Builder) { b.AddASN1OctetString(content) })
		}
	})
	if !p.bare {
		b.AddASN1(context0, func(b *cryptobyte.Builder) {
			for _, c := range p.signer.Certificates() {
				b.AddBytes(c.Raw)
			}
		})
	}
	b.AddASN1(cbasn1.SET, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, p.addSignerInfo)
	})
}

func (p *signedParts) addSignerInfo(b *cryptobyte.Builder) {
	algorithm, err := signerAlgorithm(p.signer.Key.Public())
	if err != nil {
		b.SetError(err)
		return
	}
	b.AddASN1Int64(1)
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(p.signer.Certificate.RawIssuer)
		b.AddASN1BigInt(p.signer.Certificate.SerialNumber)
	})
	addSHA256(b)
	attributes, ok := contents(p.attributes, cbasn1.SET)
	if !ok {
		b.SetError(errors.New("signed attributes are not a SET"))
		return
	}
	b.AddASN1(context0, func(b *cryptobyte.Builder) { b.AddBytes(attributes) })
	algorithm.add(b)
	b.AddASN1OctetString(p.signature)
	if p.timestamp != nil {
		b.AddASN1(context1, func(b *cryptobyte.Builder) {
			addAttribute(b, oidSignatureTimestamp, func(b *cryptobyte.Builder) { b.AddBytes(p.timestamp) })
		})
	}
}

// contents returns the contents of the single element in der.
func contents(der []byte, tag cbasn1.Tag) ([]byte, bool) {
	s := cryptobyte.String(der)
	var inner cryptobyte.String
	if !s.ReadASN1(&inner, tag) || !s.Empty() {
		return nil, false
	}
	return inner, true
}
