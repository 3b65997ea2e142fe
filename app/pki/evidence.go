package pki

import "crypto/x509"

// maxSignatureChecks limits the work that crafted certificates and lists can cause for one
// report.
const maxSignatureChecks = 300

// evidence caches parsing and verification for one report: the signature, its timestamp and
// their lists depend on the same few authorities.
type evidence struct {
	checks int
	known  *verified // nil: only what this report has verified
	signed map[signedBy]bool
	lists  map[span]*x509.RevocationList
}

type signedBy struct{ issuer, raw string }

// span identifies a piece of memory, which does not change while a report is made.
type span struct {
	first  *byte
	length int
}

func newEvidence() *evidence {
	return &evidence{signed: map[signedBy]bool{}, lists: map[span]*x509.RevocationList{}}
}

// signs reports whether the issuer's key signed a certificate or revocation list, given as a
// whole and as its signed part.
func (e *evidence) signs(issuer *x509.Certificate, raw, tbs []byte) bool {
	key := signedBy{string(issuer.Raw), string(raw)}
	if known, ok := e.signed[key]; ok {
		return known
	}
	if e.known.has(key) {
		return true
	}
	if e.exhausted() {
		return false
	}
	e.checks++
	s, signature, err := certificateScheme(raw)
	ok := err == nil && s.verify(keyOf(issuer), tbs, nil, signature) == nil
	e.signed[key] = ok
	if ok {
		e.known.add(key)
	}
	return ok
}

func (e *evidence) issued(issuer, c *x509.Certificate) bool {
	return e.signs(issuer, c.Raw, c.RawTBSCertificate)
}

func (e *evidence) exhausted() bool { return e.checks >= maxSignatureChecks }

// list parses a revocation list; it returns nil for an unreadable one.
func (e *evidence) list(der []byte) *x509.RevocationList {
	if len(der) == 0 {
		return nil
	}
	key := span{&der[0], len(der)}
	list, ok := e.lists[key]
	if !ok {
		var err error
		if list, err = x509.ParseRevocationList(der); err != nil {
			list = nil
		}
		e.lists[key] = list
	}
	return list
}
