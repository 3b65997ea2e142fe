// Package report verifies the signatures of a PDF, ours and others'. For each signature it answers three independent
// questions: whether the signed content is intact, who signed it, and what was changed in the file afterwards.
package report

import (
	"time"

	"paraph/app/pki"
)

// Report is the verdict on a PDF's signatures, one after the other.
type Report struct {
	SHA256     string // of the whole file, in hexadecimal
	Pages      int
	Signatures []SignatureVerdict
	// Findings concern the file as a whole.
	Findings []pki.Finding
	// Sound reports that there is a signature, all three questions were answered for each, nothing is broken, no
	// certificate had been revoked, and all changes were permitted. The root need not be trusted here.
	Sound bool
	// Origin identifies the file, or its beginning, as completed here; nil if it was not.
	Origin *Origin
	// Prefixes are the file and the signed parts of it, longest first.
	Prefixes []Prefix
	// Compared shows pages that were changed although a signature forbids it, if pictures were requested.
	Compared []Comparison
}

// Prefix is the file up to the end of a signature, or the whole file.
type Prefix struct {
	SHA256 string
	Whole  bool
}

// Comparison shows a page as it was signed and as it is now, as PNG; nil if there is no such page.
type Comparison struct {
	Page        int
	Signed, Now []byte
}

// Origin identifies a document of this installation without disclosing anything else about it.
type Origin struct {
	Document    string // its identifier
	CompletedAt time.Time
	// Whole reports that the file is the completed one, byte for byte. Otherwise something was appended to it.
	Whole bool
}

// LaterChanges is the answer to the third question.
type LaterChanges string

// Answers about later changes, from best to worst.
const (
	NoChanges    LaterChanges = "none"
	Permitted    LaterChanges = "permitted"
	NotJudged    LaterChanges = "not_judged"
	NotPermitted LaterChanges = "not_permitted"
)

// SignatureVerdict is the verdict on one signature or document timestamp.
type SignatureVerdict struct {
	Field       string
	Kind        string // signature, certification, timestamp
	Signer      string
	Email       string
	Issuer      string
	Reason      string
	ClaimedAt   *time.Time
	TimestampAt *time.Time
	Authority   string // of the timestamp
	Revision    int
	End         int64 // of the signed part of the file
	CoversAll   bool  // nothing follows it in the file
	Root        string
	Revocation  pki.RevocationStatus
	Algorithm   string
	Level       string // B-B, B-T, B-LT, B-LTA; "" for a document timestamp and for signatures that are not PAdES

	Integrity        pki.Integrity
	IntegrityReasons []pki.Finding // why it is not intact
	Identity         pki.Identity
	IdentityReasons  []pki.Finding // why it is not trusted
	Later            LaterChanges
	Changes          []ChangeVerdict

	// Trusted reports that it is intact, without forbidden changes, and that its chain was not revoked and leads to a
	// trusted root.
	Trusted bool
	// Problems lists everything wrong or unusual, Notes which algorithms and keys no longer resist forgery.
	Problems, Notes []pki.Finding
}

// ChangeVerdict is one change after a signature.
type ChangeVerdict struct {
	Revision  int
	Kind      string // what was changed, see verify.Change
	Object    int    // its number, 0 if several are concerned
	Page      int    // 0 for none
	Field     string
	Key       string
	Rule      string // that permits or forbids it
	Permitted bool
}

// Intact reports whether the signature is intact and nothing forbidden was changed after it.
func (v *SignatureVerdict) Intact() bool {
	return v.Integrity == pki.Intact && v.Later != NotPermitted
}

// Sound reports whether the signature is valid, regardless of who made it.
func (v *SignatureVerdict) Sound() bool {
	return v.Integrity == pki.Intact && (v.Later == NoChanges || v.Later == Permitted) && v.Identity != pki.RevokedIdentity
}

// Integrity returns the worst answer of all signatures.
func (r *Report) Integrity() pki.Integrity {
	return worst(r.Signatures, pki.NotJudged, []pki.Integrity{pki.Intact, pki.NotJudged, pki.Broken},
		func(v *SignatureVerdict) pki.Integrity { return v.Integrity })
}

// Identity returns the worst answer of all signatures.
func (r *Report) Identity() pki.Identity {
	order := []pki.Identity{
		pki.Trusted, pki.NoRevocationData, pki.UnknownRoot, pki.Expired, pki.NoIdentity, pki.Untrusted, pki.RevokedIdentity,
	}
	return worst(r.Signatures, pki.NoIdentity, order, func(v *SignatureVerdict) pki.Identity { return v.Identity })
}

// LaterChanges returns the worst answer of all signatures.
func (r *Report) LaterChanges() LaterChanges {
	return worst(r.Signatures, NotJudged, []LaterChanges{NoChanges, Permitted, NotJudged, NotPermitted},
		func(v *SignatureVerdict) LaterChanges { return v.Later })
}

// worst returns the answer that comes last in an order, or none if there is no signature.
func worst[T comparable](all []SignatureVerdict, none T, order []T, answer func(*SignatureVerdict) T) T {
	at := -1
	for i := range all {
		for rank, a := range order {
			if a == answer(&all[i]) {
				at = max(at, rank)
			}
		}
	}
	if at < 0 {
		return none
	}
	return order[at]
}
