package pki

import "crypto/x509"

// maxSignatureChecks bounds the work that one report can be made to do by a heap of crafted certificates and lists.
const maxSignatureChecks = 300

// evidence remembers what has been parsed and verified for one report: the signature, its timestamp and their lists rest
// on the same few authorities.
type evidence struct {
	checks int
	signed map[signedBy]bool
	lists  map[span]*x509.RevocationList
}

type signedBy struct{ issuer, raw string }

// span stands for a piece of memory, which does not change while a report is made.
type span struct {
	first  *byte
	length int
}

func newEvidence() *evidence {
	return &evidence{signed: map[signedBy]bool{}, lists: map[span]*x509.RevocationList{}}
}

// signs tells whether the issuer's key signed a certificate or revocation list, given whole and as what is signed of it.
func (e *evidence) signs(issuer *x509.Certificate, raw, tbs []byte) bool {
	key := signedBy{string(issuer.Raw), string(raw)}
	if known, ok := e.signed[key]; ok {
		return known
	}
	if e.exhausted() {
		return false
	}
	e.checks++
	s, signature, err := certificateScheme(raw)
	ok := err == nil && s.verify(keyOf(issuer), tbs, nil, signature) == nil
	e.signed[key] = ok
	return ok
}

func (e *evidence) issued(issuer, c *x509.Certificate) bool {
	return e.signs(issuer, c.Raw, c.RawTBSCertificate)
}

func (e *evidence) exhausted() bool { return e.checks >= maxSignatureChecks }

// list parses a revocation list; nil is one that cannot be read.
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
