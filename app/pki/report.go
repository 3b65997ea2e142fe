package pki

import (
	"crypto/x509"
	"math/big"
	"slices"
	"time"
)

// VerifyOptions say what a signature is judged by.
type VerifyOptions struct {
	// Roots are the certificates that are trusted.
	Roots []*x509.Certificate
	// Extra are more certificates to build chains with, such as those of a PDF's DSS.
	Extra []*x509.Certificate
	// CRLs and OCSPs are DER revocation lists and OCSP responses; those that cannot be read are passed over.
	CRLs, OCSPs [][]byte
	// At is the latest moment at which the signature is known to have existed: the time of a later document timestamp,
	// or now. The zero value is now. A trusted signature timestamp that is earlier takes its place.
	At time.Time
	// Unvouched is the time of a later document timestamp whose authority is not trusted, or zero. It is believed only
	// of signatures whose own root is not trusted either.
	Unvouched time.Time

	evidence *evidence
}

// Integrity answers whether the signed bytes are those that the signer signed.
type Integrity string

// Answers about integrity.
const (
	// Intact: content, signature value and certificate belong together.
	Intact Integrity = "intact"
	// Broken: they do not, or the signature cannot be read.
	Broken Integrity = "broken"
	// NotJudged: an algorithm is not known here, the signer's certificate is missing, or readers disagree.
	NotJudged Integrity = "not_judged"
)

// Identity answers whether the signer's certificate can be believed.
type Identity string

// Answers about identity, from good to bad.
const (
	// Trusted: the chain leads to a trusted root, was valid, and was not revoked.
	Trusted Identity = "trusted"
	// NoRevocationData: all of that, but nothing at hand speaks of revocation at that time.
	NoRevocationData Identity = "no_revocation_data"
	// UnknownRoot: the chain is incomplete or leads to a root that is not trusted here.
	UnknownRoot Identity = "unknown_root"
	// Expired: a certificate of the chain was not valid at the time that is proven.
	Expired Identity = "expired"
	// Untrusted: a certificate was used for what it must not be used for.
	Untrusted Identity = "untrusted"
	// RevokedIdentity: a certificate of the chain had been revoked by then.
	RevokedIdentity Identity = "revoked"
	// NoIdentity: there is no certificate to judge.
	NoIdentity Identity = "not_judged"
)

// SignatureReport holds the facts that hold for signatures and timestamps alike. Each is reported by itself; Problems
// says why one is false.
type SignatureReport struct {
	// DigestOK: the signed digest is that of the content.
	DigestOK bool
	// SignatureOK: the signature value was made with the key of Certificate over the signed attributes.
	SignatureOK bool
	// Binding names the attribute that ties the signature to its certificate: "signing-certificate-v2",
	// "signing-certificate", or "" when there is none, as in signatures older than PAdES.
	Binding string
	// CertificateBound: that attribute is there and names Certificate.
	CertificateBound bool
	// Certificate is the signer's, nil when it is not to be found; Certificates are all that came with the signature.
	Certificate  *x509.Certificate
	Certificates []*x509.Certificate
	// Chain leads from Certificate up to a root, or as far as the certificates at hand go.
	Chain []*x509.Certificate
	// ChainOK: it is complete, and each certificate was valid at JudgedAt and allowed to sign the one before.
	ChainOK bool
	// TrustedRoot: the chain ends in one of VerifyOptions.Roots.
	TrustedRoot bool
	// JudgedAt is the moment that the chain and the revocation are judged at.
	JudgedAt time.Time
	// Revocation is the worst state in the chain.
	Revocation Revocation
	// Algorithm is for people, for example "ECDSA P-256 with SHA-256"; Digest is the digest of the content.
	Algorithm, Digest string
	// Weak says which algorithms or keys of it no longer resist forgery.
	Weak []Finding
	// Problems says what is wrong or unusual. Faults are those that make it broken, Gaps those that keep it from being
	// judged; both are among the problems.
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

// Integrity answers the first of the three questions asked of a signature. A root that is not at hand says nothing here.
func (r *SignatureReport) Integrity() Integrity {
	switch {
	case len(r.Faults) > 0:
		return Broken
	case r.Intact():
		return Intact
	}
	return NotJudged
}

// Identity answers the second question.
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

// IdentityProblems says why the identity is not simply trusted.
func (r *SignatureReport) IdentityProblems() []Finding { return slices.Clone(r.chainProblems) }

func aboutTime(f Finding) bool { return f.Code == "expired" || f.Code == "not_yet_valid" }

// Intact tells that the signed bytes are what the holder of Certificate signed. It says nothing of who that is.
func (r *SignatureReport) Intact() bool {
	return r.DigestOK && r.SignatureOK && (r.Binding == "" || r.CertificateBound) && len(r.Faults)+len(r.Gaps) == 0
}

// Trusted tells that it is intact and that the certificate can be believed: chain, root and revocation.
func (r *SignatureReport) Trusted() bool {
	return r.Intact() && r.ChainOK && r.TrustedRoot && r.Revocation.Status != Revoked
}

// CMSReport holds the findings of VerifyCMS.
type CMSReport struct {
	SignatureReport
	// SigningTime is the time that the signer claims, zero when it claims none.
	SigningTime time.Time
	// Timestamp is the signature timestamp, nil when there is none.
	Timestamp *TimestampReport
	// CAdES: the attributes are those of ETSI EN 319 122-1 for a PAdES signature (certificate bound, no signing-time).
	CAdES bool
	// Commitment: the signed attributes say what the signer commits to (RFC 5126 §5.11.1).
	Commitment bool
}

// TimestampReport holds the findings of VerifyTimestamp.
type TimestampReport struct {
	SignatureReport
	// OK: intact, the certificate is for timestamping, and its chain is complete and was valid at Time. Whether the
	// authority is trusted is in TrustedRoot.
	OK bool
	// PurposeOK: the certificate's extended key usage is timeStamping alone, and critical (RFC 3161 §2.3).
	PurposeOK bool
	// Time is when the authority says that the digest existed, Accuracy how far off it may be.
	Time     time.Time
	Accuracy time.Duration
	// Authority is the authority's name from its certificate.
	Authority string
	// Policy is the policy's object identifier in dotted form; Serial and Nonce are the token's, Nonce may be nil.
	Policy string
	Serial *big.Int
	Nonce  *big.Int
}

// Believable tells that it is a timestamp of an authority, trusted or not, over what it is held to be over.
func (r *TimestampReport) Believable() bool {
	return r != nil && r.Intact() && r.PurposeOK && r.Revocation.Status != Revoked
}

// RevocationStatus says whether a certificate is known to be revoked.
type RevocationStatus string

// States of revocation, from good to bad.
const (
	// NotRevoked: a list or response that covers the moment says so.
	NotRevoked RevocationStatus = "good"
	// ShortTerm: the certificate lived too briefly to be revoked (ETSI EN 319 412-1 §5.2) and no list was at hand.
	ShortTerm RevocationStatus = "short-term"
	// RevocationUnknown: nothing at hand speaks of the certificate at that moment.
	RevocationUnknown RevocationStatus = "unknown"
	// Revoked: it had been revoked by then.
	Revoked RevocationStatus = "revoked"
)

// Revocation is the state of a chain: that of its worst certificate.
type Revocation struct {
	Status RevocationStatus
	// Certificate is the one Status refers to, nil when all are good.
	Certificate *x509.Certificate
	// RevokedAt and Reason (RFC 5280 §5.3.1) are set when it is revoked, even if only later than the moment judged.
	RevokedAt time.Time
	Reason    int
}
