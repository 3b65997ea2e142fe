package pki

import (
	"crypto/x509"
	"math/big"
	"slices"
	"time"
)

// VerifyOptions configure the verification of a signature.
type VerifyOptions struct {
	// Roots are the trusted certificates.
	Roots []*x509.Certificate
	// Extra are additional certificates for building chains, such as those of a PDF's DSS.
	Extra []*x509.Certificate
	// CRLs and OCSPs are DER revocation lists and OCSP responses; unreadable ones are ignored.
	CRLs, OCSPs [][]byte
	// At is the latest time at which the signature is known to have existed: that of a later
	// document timestamp, or now. The zero value means now. An earlier trusted signature
	// timestamp takes precedence.
	At time.Time
	// Unvouched is the time of a later document timestamp whose authority is not trusted, or
	// zero. It is believed only for signatures whose own root is not trusted either.
	Unvouched time.Time

	evidence *evidence
}

// Integrity is the verdict on whether the signed bytes are unchanged.
type Integrity string

// Verdicts on integrity.
const (
	// Intact: content, signature value and certificate belong together.
	Intact Integrity = "intact"
	// Broken: they do not match, or the signature cannot be read.
	Broken Integrity = "broken"
	// NotJudged: an algorithm is unknown, the signer's certificate is missing, or readers
	// disagree.
	NotJudged Integrity = "not_judged"
)

// Identity is the verdict on whether the signer's certificate can be believed.
type Identity string

// Verdicts on identity, from good to bad.
const (
	// Trusted: the chain ends in a trusted root, was valid, and was not revoked.
	Trusted Identity = "trusted"
	// NoRevocationData: the same, but without revocation data for that time.
	NoRevocationData Identity = "no_revocation_data"
	// UnknownRoot: the chain is incomplete or ends in a root that is not trusted.
	UnknownRoot Identity = "unknown_root"
	// Expired: a certificate of the chain was not valid at the proven time.
	Expired Identity = "expired"
	// Untrusted: a certificate was used for a forbidden purpose.
	Untrusted Identity = "untrusted"
	// RevokedIdentity: a certificate of the chain had been revoked by then.
	RevokedIdentity Identity = "revoked"
	// NoIdentity: there is no certificate to judge.
	NoIdentity Identity = "not_judged"
)

// SignatureReport holds the facts common to signatures and timestamps. Each is reported
// separately; Problems explains those that are false.
type SignatureReport struct {
	// DigestOK: the signed digest matches the content.
	DigestOK bool
	// SignatureOK: the signature value was made with the key of Certificate over the signed attributes.
	SignatureOK bool
	// Binding names the attribute that binds the signature to its certificate:
	// "signing-certificate-v2", "signing-certificate", or "" if there is none, as in signatures
	// older than PAdES.
	Binding string
	// CertificateBound: that attribute is present and matches Certificate.
	CertificateBound bool
	// Certificate is the signer's, nil if it cannot be found; Certificates are all those in the
	// signature.
	Certificate  *x509.Certificate
	Certificates []*x509.Certificate
	// Chain is the path from Certificate to a root, as far as the available certificates go.
	Chain []*x509.Certificate
	// ChainOK: the chain is complete, and each certificate was valid at JudgedAt and allowed to
	// sign the previous one.
	ChainOK bool
	// TrustedRoot: the chain ends in one of VerifyOptions.Roots.
	TrustedRoot bool
	// JudgedAt is the time at which chain and revocation are judged.
	JudgedAt time.Time
	// Revocation is the worst state in the chain.
	Revocation Revocation
	// Algorithm is for display, for example "ECDSA P-256 with SHA-256"; Digest is the digest of
	// the content.
	Algorithm, Digest string
	// Weak lists the algorithms and keys that no longer resist forgery.
	Weak []Finding
	// Problems lists all faults and peculiarities. Faults are those that make the signature
	// broken, Gaps those that prevent a verdict; both are included in Problems.
	Problems, Faults, Gaps []Finding

	chainProblems          []Finding
	path                   path
	options                VerifyOptions
	ownLists, ownResponses [][]byte // revocation data inside the signature
}

func (r *SignatureReport) problem(code string, args ...any) {
	r.Problems = append(r.Problems, finding(code, nil, args...))
}

func (r *SignatureReport) broken(code string, args ...any) {
	r.problem(code, args...)
	r.Faults = append(r.Faults, r.Problems[len(r.Problems)-1])
}

func (r *SignatureReport) unjudged(code string, args ...any) {
	r.problem(code, args...)
	r.Gaps = append(r.Gaps, r.Problems[len(r.Problems)-1])
}

// Integrity returns the verdict on the signed bytes. It does not depend on a root.
func (r *SignatureReport) Integrity() Integrity {
	switch {
	case len(r.Faults) > 0:
		return Broken
	case r.Intact():
		return Intact
	}
	return NotJudged
}

// Identity returns the verdict on the signer's certificate.
func (r *SignatureReport) Identity() Identity {
	hasFault := slices.ContainsFunc(r.chainProblems, func(f Finding) bool { return !aboutTime(f) && f.Code != "issuer_unknown" })
	switch {
	case r.Certificate == nil:
		return NoIdentity
	case r.Revocation.Status == Revoked:
		return RevokedIdentity
	case hasFault:
		return Untrusted
	case !r.TrustedRoot:
		return UnknownRoot
	case slices.ContainsFunc(r.chainProblems, aboutTime):
		return Expired
	case r.Revocation.Status == RevocationUnknown:
		return NoRevocationData
	}
	return Trusted
}

// IdentityProblems explains why the identity is not simply trusted.
func (r *SignatureReport) IdentityProblems() []Finding { return slices.Clone(r.chainProblems) }

func aboutTime(f Finding) bool { return f.Code == "expired" || f.Code == "not_yet_valid" }

// Intact reports whether the signed bytes are those signed by the holder of Certificate,
// whoever that is.
func (r *SignatureReport) Intact() bool {
	return r.DigestOK && r.SignatureOK && (r.Binding == "" || r.CertificateBound) && len(r.Faults)+len(r.Gaps) == 0
}

// Trusted reports whether the signature is intact and the certificate can be believed: chain,
// root and revocation.
func (r *SignatureReport) Trusted() bool {
	return r.Intact() && r.ChainOK && r.TrustedRoot && r.Revocation.Status != Revoked
}

// CMSReport holds the findings of VerifyCMS.
type CMSReport struct {
	SignatureReport
	// SigningTime is the time claimed by the signer, zero if there is none.
	SigningTime time.Time
	// Timestamp is the signature timestamp, nil if there is none.
	Timestamp *TimestampReport
	// CAdES: the attributes are those of ETSI EN 319 122-1 for a PAdES signature (certificate bound, no signing-time).
	CAdES bool
	// Commitment: the signed attributes state the signer's commitment (RFC 5126 §5.11.1).
	Commitment bool
}

// TimestampReport holds the findings of VerifyTimestamp.
type TimestampReport struct {
	SignatureReport
	// OK: intact, the certificate is for timestamping, and its chain is complete and was valid
	// at Time. TrustedRoot shows whether the authority is trusted.
	OK bool
	// PurposeOK: the certificate's extended key usage is timeStamping alone, and critical (RFC 3161 §2.3).
	PurposeOK bool
	// Time is when the digest existed according to the authority, Accuracy its possible error.
	Time     time.Time
	Accuracy time.Duration
	// Authority is the authority's name from its certificate.
	Authority string
	// Policy is the policy's object identifier in dotted form; Serial and Nonce are the token's, Nonce may be nil.
	Policy string
	Serial *big.Int
	Nonce  *big.Int
}

// Believable reports whether an authority, trusted or not, made this timestamp over the
// expected content.
func (r *TimestampReport) Believable() bool {
	return r != nil && r.Intact() && r.PurposeOK && r.Revocation.Status != Revoked
}

// RevocationStatus is the revocation status of a certificate.
type RevocationStatus string

// Revocation statuses, from good to bad.
const (
	// NotRevoked: according to a list or response that covers the time.
	NotRevoked RevocationStatus = "good"
	// ShortTerm: the certificate is too short-lived to be revoked (ETSI EN 319 412-1 §5.2) and
	// there is no list.
	ShortTerm RevocationStatus = "short-term"
	// RevocationUnknown: there is no revocation data for the certificate at that time.
	RevocationUnknown RevocationStatus = "unknown"
	// Revoked: it had been revoked by then.
	Revoked RevocationStatus = "revoked"
)

// Revocation is the status of a chain: that of its worst certificate.
type Revocation struct {
	Status RevocationStatus
	// Certificate has the Status; it is nil if all are good.
	Certificate *x509.Certificate
	// RevokedAt and Reason (RFC 5280 §5.3.1) are set if it is revoked, even if only after the
	// time judged.
	RevokedAt time.Time
	Reason    int
}
