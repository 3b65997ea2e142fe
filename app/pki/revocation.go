package pki

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidIssuingPoint             = asn1.ObjectIdentifier{2, 5, 29, 28}
	oidExpiredOnList            = asn1.ObjectIdentifier{2, 5, 29, 60}
	oidDeltaList                = asn1.ObjectIdentifier{2, 5, 29, 27}
	oidMicrosoftDocumentSigning = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 10, 3, 12}
)

// chainRevocation returns the worst status of the certificates below the root.
func chainRevocation(p path, o VerifyOptions, at time.Time) Revocation {
	worst := Revocation{Status: NotRevoked}
	if !p.complete {
		worst = Revocation{Status: RevocationUnknown, Certificate: p.chain[len(p.chain)-1]}
	}
	for i := 0; i+1 < len(p.chain); i++ {
		if state := certificateRevocation(p.chain[i:], o, at); state.rank() > worst.rank() {
			worst = state
		}
	}
	return worst
}

func (r Revocation) rank() int {
	rank := slices.Index([]RevocationStatus{NotRevoked, ShortTerm, RevocationUnknown, Revoked}, r.Status) * 2
	if !r.RevokedAt.IsZero() {
		rank++ // a later revocation outranks none
	}
	return rank
}

// certificateRevocation looks up the first certificate of a chain in every available list and
// response. A revocation applies from its date on, whichever of them reports it.
func certificateRevocation(chain []*x509.Certificate, o VerifyOptions, at time.Time) Revocation {
	c, issuer := chain[0], chain[1]
	state := Revocation{Status: RevocationUnknown, Certificate: c}
	if isShortTerm(c) {
		state.Status = ShortTerm
	}
	for _, answer := range slices.Concat(askLists(c, issuer, o, at), askResponders(chain, o, at)) {
		if answer.revoked {
			if state.RevokedAt.IsZero() || answer.revokedAt.Before(state.RevokedAt) {
				state.RevokedAt, state.Reason = answer.revokedAt, answer.reason
			}
		}
		if answer.covers && state.Status != Revoked {
			state.Status = NotRevoked
		}
		if answer.revoked && !answer.revokedAt.After(at) {
			state.Status = Revoked
		}
	}
	return state
}

func isShortTerm(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidShortTerm) }) &&
		c.NotAfter.Sub(c.NotBefore) <= shortTermLife
}

// answer holds the status of one certificate in one list or response.
type answer struct {
	covers    bool // applies to the requested time
	revoked   bool
	revokedAt time.Time
	reason    int
}

// covers reports whether a statement for a period holds for a time: a later statement holds for
// earlier times.
func covers(thisUpdate, nextUpdate, at time.Time) bool {
	return !thisUpdate.Before(at) || nextUpdate.IsZero() || !nextUpdate.Before(at)
}

// stillListed reports whether a list would contain a certificate if it were revoked: lists may
// drop expired ones, unless they declare since when they keep them (expiredCertsOnCRL, ITU-T
// X.509 §9.5.2.8).
func stillListed(list *x509.RevocationList, c *x509.Certificate) bool {
	if !list.ThisUpdate.After(c.NotAfter) {
		return true
	}
	for _, e := range list.Extensions {
		if value, ok := contents(e.Value, cbasn1.GeneralizedTime); ok && e.Id.Equal(oidExpiredOnList) {
			since, ok := parseGeneralizedTime(string(value))
			return ok && !c.NotAfter.Before(since)
		}
	}
	return false
}

func askLists(c, issuer *x509.Certificate, o VerifyOptions, at time.Time) []answer {
	var answers []answer
	for _, der := range o.CRLs {
		list := o.evidence.list(der)
		if list == nil || !bytes.Equal(list.RawIssuer, issuer.RawSubject) || !speaksOf(list, c) ||
			!o.evidence.signs(issuer, list.Raw, list.RawTBSRevocationList) {
			continue
		}
		a := answer{covers: covers(list.ThisUpdate, list.NextUpdate, at) && stillListed(list, c)}
		for _, entry := range list.RevokedCertificateEntries {
			if entry.SerialNumber.Cmp(c.SerialNumber) == 0 {
				a.revoked, a.revokedAt, a.reason = true, entry.RevocationTime, entry.ReasonCode
			}
		}
		answers = append(answers, a)
	}
	return answers
}

// speaksOf reports whether a list is complete for certificates of this kind (RFC 5280 §5.2.4,
// §5.2.5).
func speaksOf(list *x509.RevocationList, c *x509.Certificate) bool {
	for _, e := range list.Extensions {
		switch {
		case e.Id.Equal(oidDeltaList):
			return false
		case e.Id.Equal(oidIssuingPoint):
			if !pointSpeaksOf(e.Value, c.IsCA) {
				return false
			}
		case e.Critical:
			return false
		}
	}
	return true
}

// pointSpeaksOf reads IssuingDistributionPoint: [1] only users, [2] only authorities, [3] some reasons, [4] indirect,
// [5] only attribute certificates.
func pointSpeaksOf(der []byte, authority bool) bool {
	input := cryptobyte.String(der)
	var body cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) {
		return false
	}
	for !body.Empty() {
		var value cryptobyte.String
		var tag cbasn1.Tag
		if !body.ReadAnyASN1(&value, &tag) {
			return false
		}
		set := len(value) == 1 && value[0] != 0
		switch tag {
		case cbasn1.Tag(1).ContextSpecific():
			if set && authority {
				return false
			}
		case cbasn1.Tag(2).ContextSpecific():
			if set && !authority {
				return false
			}
		case cbasn1.Tag(3).ContextSpecific():
			return false
		case cbasn1.Tag(4).ContextSpecific(), cbasn1.Tag(5).ContextSpecific():
			if set {
				return false
			}
		}
	}
	return true
}

// adobeRevocation returns the lists and responses of the signed attribute adbe-revocationInfoArchival (ISO 32000-1
// §12.8.3.3.2): SEQUENCE { [0] SEQUENCE OF CRL, [1] SEQUENCE OF OCSPResponse, [2] others }.
func adobeRevocation(s *signerInfo) (lists, responses [][]byte) {
	for _, value := range all(s.attributes, oidAdobeRevocation) {
		input := cryptobyte.String(value)
		var body, part, sequence cryptobyte.String
		var present bool
		if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadOptionalASN1(&part, &present, context0) {
			continue
		}
		if present && part.ReadASN1(&sequence, cbasn1.SEQUENCE) {
			lists = append(lists, elements(sequence)...)
		}
		if body.ReadOptionalASN1(&part, &present, context1) && present && part.ReadASN1(&sequence, cbasn1.SEQUENCE) {
			responses = append(responses, elements(sequence)...)
		}
	}
	return lists, responses
}

// elements splits a sequence's contents, as far as they can be read.
func elements(s cryptobyte.String) [][]byte {
	var out [][]byte
	for !s.Empty() && len(out) < maxAttributes {
		var element cryptobyte.String
		var tag cbasn1.Tag
		if !s.ReadAnyASN1Element(&element, &tag) {
			break
		}
		out = append(out, element)
	}
	return out
}
