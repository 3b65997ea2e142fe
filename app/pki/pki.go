// Package pki contains all cryptography for signatures: keys, X.509 certificates, revocation
// lists, CMS signatures (ETSI EN 319 122-1) and RFC 3161 timestamps. It is independent of PDF,
// documents and storage.
//
// An Authority is one installation's own certification authority. It creates its root at the
// first start, issues a certification certificate to each company and, for each act of signing,
// a certificate valid for a few minutes to the signer; the signer's key exists in memory only.
// SignCMS makes the signatures for a PDF's Contents entry; VerifyCMS and VerifyTimestamp verify
// signatures of any producer and report every fact separately.
//
// Callers may rely on this: all methods are safe for concurrent use; private keys never appear
// in an error or a log line; key files are 0600 and always complete; no input, however
// malformed, makes the parsers panic or use memory out of proportion to its size.
package pki

import (
	"context"
	"crypto"
	_ "crypto/md5" // old foreign signatures are reported with their weak digest instead of "unknown"
	_ "crypto/sha1"
	_ "crypto/sha256" // the digests below must be linked in for crypto.Hash.New
	_ "crypto/sha3"
	_ "crypto/sha512"
	"crypto/x509"
	"encoding/asn1"
	"errors"

	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Sentinels that callers branch on; the errors that carry them name the file, certificate or service concerned.
var (
	// ErrKeyFile reports that a file in the keys folder is missing, damaged or unreadable.
	ErrKeyFile = errors.New("pki: key file cannot be used")
	// ErrImport reports that a certificate or key offered for import is unsuitable.
	ErrImport = errors.New("pki: certificate cannot be used")
	// ErrPassword reports that the password of a PKCS#12 or PEM file is wrong or missing.
	ErrPassword = errors.New("pki: wrong password")
	// ErrTimestamp reports that a timestamp authority returned no acceptable timestamp; trying
	// again later may help.
	ErrTimestamp = errors.New("pki: no timestamp")
	// ErrUnsupported reports a key or digest that cannot be used for signing.
	ErrUnsupported = errors.New("pki: not supported for signing")
	// ErrExpired reports that a certificate without automatic renewal has expired.
	ErrExpired = errors.New("pki: certificate has expired")
)

// Signer is a certificate with its key and its chain.
type Signer struct {
	// Certificate is the signer's own.
	Certificate *x509.Certificate
	// Key signs digests; it may be outside this process.
	Key crypto.Signer
	// Chain holds the issuers, the direct one first, up to and including the root if it is
	// known.
	Chain []*x509.Certificate
}

// Certificates returns the signer's certificate followed by its chain.
func (s *Signer) Certificates() []*x509.Certificate {
	return append([]*x509.Certificate{s.Certificate}, s.Chain...)
}

// Timestamper returns RFC 3161 timestamps. The implementations are Authority.Timestamper and NewHTTPTimestamper.
type Timestamper interface {
	// Timestamp returns a DER TimeStampToken over a SHA-256 digest. Errors wrap ErrTimestamp, or the context's.
	Timestamp(ctx context.Context, digest []byte) (token []byte, err error)
	// TokenSize is an upper bound, as far as known, for the length of a token in bytes. It
	// makes no connections.
	TokenSize() int
}

// Object identifiers that are both written and read.
var (
	oidData                 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidSignedData           = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidTSTInfo              = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
	oidContentType          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
	oidSigningTime          = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}
	oidSigningCertificate   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	oidSigningCertificateV2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	oidSignatureTimestamp   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 14}
	oidCommitmentType       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 16}
	oidAdobeRevocation      = asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 8}

	oidSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}

	oidRSA             = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidSHA256WithRSA   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}
	oidECDSAWithSHA256 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
	oidECDSAWithSHA384 = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 3}

	oidDocumentSigning = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 36}
	oidAdobeSigning    = asn1.ObjectIdentifier{1, 2, 840, 113583, 1, 1, 5}
	oidEmailProtection = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 4}
	oidTimeStamping    = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8}
)

// Tags of explicit and implicit context-specific elements.
var (
	context0 = cbasn1.Tag(0).ContextSpecific().Constructed()
	context1 = cbasn1.Tag(1).ContextSpecific().Constructed()
	context3 = cbasn1.Tag(3).ContextSpecific().Constructed()
)
