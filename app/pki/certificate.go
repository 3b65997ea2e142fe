package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"
	"math/bits"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidSubjectKeyID     = asn1.ObjectIdentifier{2, 5, 29, 14}
	oidKeyUsage         = asn1.ObjectIdentifier{2, 5, 29, 15}
	oidAltName          = asn1.ObjectIdentifier{2, 5, 29, 17}
	oidBasicConstraints = asn1.ObjectIdentifier{2, 5, 29, 19}
	oidAuthorityKeyID   = asn1.ObjectIdentifier{2, 5, 29, 35}
	oidExtendedKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 37}
	// oidShortTerm marks a certificate too short-lived to be revoked (ETSI EN 319 412-1 §5.2).
	oidShortTerm = asn1.ObjectIdentifier{0, 4, 0, 194121, 2, 1}
	// oidSMTPUTF8Mailbox is the alternative name for addresses outside ASCII (RFC 9598).
	oidSMTPUTF8Mailbox = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 8, 9}
)

// template describes a certificate to be issued. It is encoded here instead of by
// x509.CreateCertificate because that verifies each signature it has just made, which would
// double the cost of a signatory's certificate.
type template struct {
	serial              *big.Int
	subject             []byte // RDNSequence
	notBefore, notAfter time.Time
	usage               x509.KeyUsage
	authority           bool
	pathLength          int // of an authority; negative: unlimited
	purposes            []asn1.ObjectIdentifier
	purposesCritical    bool
	email               string
	shortTerm           bool
}

// issue signs a certificate for a public key. With a nil issuer it is self-signed with key.
func (t template) issue(public crypto.PublicKey, issuer *x509.Certificate, key crypto.Signer) (*x509.Certificate, error) {
	spki, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("pki: encoding public key: %w", err)
	}
	subjectID, err := keyIdentifier(spki)
	if err != nil {
		return nil, err
	}
	issuerName, issuerID := t.subject, subjectID
	if issuer != nil {
		issuerName, issuerID = issuer.RawSubject, issuer.SubjectKeyId
	}
	algorithm, err := certificateAlgorithm(key.Public())
	if err != nil {
		return nil, err
	}
	tbs, err := t.encode(algorithm, spki, subjectID, issuerName, issuerID)
	if err != nil {
		return nil, fmt.Errorf("pki: encoding certificate: %w", err)
	}
	signature, err := crypto.SignMessage(key, rand.Reader, tbs, algorithm.hash)
	if err != nil {
		return nil, fmt.Errorf("pki: signing certificate: %w", err)
	}
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(tbs)
		algorithm.add(b)
		b.AddASN1BitString(signature)
	})
	der, err := b.Bytes()
	if err != nil {
		return nil, fmt.Errorf("pki: encoding certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

// encode returns the TBSCertificate (RFC 5280 §4.1).
func (t template) encode(algorithm signatureAlgorithm, spki, subjectID, issuerName, issuerID []byte) ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(context0, func(b *cryptobyte.Builder) { b.AddASN1Int64(2) }) // version 3
		b.AddASN1BigInt(t.serial)
		algorithm.add(b)
		b.AddBytes(issuerName)
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			addTime(b, t.notBefore)
			addTime(b, t.notAfter)
		})
		b.AddBytes(t.subject)
		b.AddBytes(spki)
		b.AddASN1(context3, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { t.addExtensions(b, subjectID, issuerID) })
		})
	})
	return b.Bytes()
}

func (t template) addExtensions(b *cryptobyte.Builder, subjectID, issuerID []byte) {
	addExtension(b, oidKeyUsage, true, func(b *cryptobyte.Builder) { addKeyUsage(b, t.usage) })
	if t.authority {
		addExtension(b, oidBasicConstraints, true, t.addBasicConstraints)
	}
	if len(t.purposes) > 0 {
		addExtension(b, oidExtendedKeyUsage, t.purposesCritical, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				for _, purpose := range t.purposes {
					b.AddASN1ObjectIdentifier(purpose)
				}
			})
		})
	}
	addExtension(b, oidSubjectKeyID, false, func(b *cryptobyte.Builder) { b.AddASN1OctetString(subjectID) })
	if len(issuerID) > 0 {
		addExtension(b, oidAuthorityKeyID, false, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.Tag(0).ContextSpecific(), func(b *cryptobyte.Builder) { b.AddBytes(issuerID) })
			})
		})
	}
	if t.email != "" {
		addExtension(b, oidAltName, false, t.addAltName)
	}
	if t.shortTerm {
		addExtension(b, oidShortTerm, false, func(b *cryptobyte.Builder) { b.AddASN1NULL() })
	}
}

func (t template) addBasicConstraints(b *cryptobyte.Builder) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Boolean(true)
		if t.pathLength >= 0 {
			b.AddASN1Int64(int64(t.pathLength))
		}
	})
}

func (t template) addAltName(b *cryptobyte.Builder) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		if isASCII(t.email) {
			b.AddASN1(cbasn1.Tag(1).ContextSpecific(), func(b *cryptobyte.Builder) { b.AddBytes([]byte(t.email)) })
			return
		}
		b.AddASN1(context0, func(b *cryptobyte.Builder) {
			b.AddASN1ObjectIdentifier(oidSMTPUTF8Mailbox)
			b.AddASN1(context0, func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.UTF8String, func(b *cryptobyte.Builder) { b.AddBytes([]byte(t.email)) })
			})
		})
	})
}

func addExtension(b *cryptobyte.Builder, oid asn1.ObjectIdentifier, critical bool, value cryptobyte.BuilderContinuation) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oid)
		if critical {
			b.AddASN1Boolean(true)
		}
		b.AddASN1(cbasn1.OCTET_STRING, value)
	})
}

// addKeyUsage writes the named bits; bit 0 is the most significant one of the first octet.
func addKeyUsage(b *cryptobyte.Builder, usage x509.KeyUsage) {
	octet := bits.Reverse8(uint8(usage)) // decipherOnly, the ninth bit, is never used here
	b.AddASN1(cbasn1.BIT_STRING, func(b *cryptobyte.Builder) {
		b.AddUint8(uint8(bits.TrailingZeros8(octet)))
		b.AddUint8(octet)
	})
}

// addTime writes UTCTime up to 2049 and GeneralizedTime from 2050 (RFC 5280 §4.1.2.5).
func addTime(b *cryptobyte.Builder, at time.Time) {
	at = at.UTC()
	if year := at.Year(); year >= 1950 && year < 2050 {
		b.AddASN1UTCTime(at)
		return
	}
	b.AddASN1GeneralizedTime(at)
}

// signatureAlgorithm describes how a key of this authority signs.
type signatureAlgorithm struct {
	oid  asn1.ObjectIdentifier
	hash crypto.Hash
	null bool // RSA identifiers carry a NULL parameter
}

func (a signatureAlgorithm) add(b *cryptobyte.Builder) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(a.oid)
		if a.null {
			b.AddASN1NULL()
		}
	})
}

// certificateAlgorithm returns the algorithm for signing certificates and revocation lists.
func certificateAlgorithm(public crypto.PublicKey) (signatureAlgorithm, error) {
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P384() {
			return signatureAlgorithm{oidECDSAWithSHA384, crypto.SHA384, false}, nil
		}
		return signatureAlgorithm{oidECDSAWithSHA256, crypto.SHA256, false}, nil
	case *rsa.PublicKey:
		return signatureAlgorithm{oidSHA256WithRSA, crypto.SHA256, true}, nil
	default:
		return signatureAlgorithm{}, fmt.Errorf("%w: %T", ErrUnsupported, public)
	}
}

// keyIdentifier implements method 1 of RFC 7093 §2: the leftmost 160 bits of the SHA-256 of the
// public key's bits.
func keyIdentifier(spki []byte) ([]byte, error) {
	var key []byte
	info := cryptobyte.String(spki)
	var body cryptobyte.String
	if !info.ReadASN1(&body, cbasn1.SEQUENCE) || !body.SkipASN1(cbasn1.SEQUENCE) || !body.ReadASN1BitStringAsBytes(&key) {
		return nil, fmt.Errorf("pki: public key is not a SubjectPublicKeyInfo")
	}
	sum := sha256.Sum256(key)
	return sum[:20], nil
}
