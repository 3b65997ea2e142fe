package report

import (
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/verify"
	"paraph/app/pki"
)

// archive is a document timestamp with the security store that it covers.
type archive struct {
	timestamp *pki.TimestampReport
	covered   document.DSS
}

// level returns the PAdES level that an intact signature reaches (ETSI EN 319 142-1 §6.3), "" if it is not PAdES:
//
//   - B-B: the signature is detached CAdES, names its certificate, and its dictionary claims a time; it does not state
//     why it was made in two places (requirement d);
//   - B-T: a timestamp of its own, or a later document timestamp, proves that it existed;
//   - B-LT: the security store holds what proves that no certificate of its chain, or of that timestamp's, was revoked;
//   - B-LTA: a document timestamp covers that store.
func (e *examiner) level(s *verify.Signature, c *pki.CMSReport) string {
	switch {
	case s.SubFilter != "ETSI.CAdES.detached" || !c.CAdES || s.At.IsZero() || c.Commitment && s.Reason != "":
		return ""
	case !c.Timestamp.Believable() && len(e.archived) == 0:
		return "B-B"
	case !e.complete(c, e.dss):
		return "B-T"
	case !slices.ContainsFunc(e.archived, func(a archive) bool { return e.complete(c, a.covered) }):
		return "B-LT"
	}
	return "B-LTA"
}

// complete reports whether a security store holds everything needed to validate a signature and the timestamp that
// proves it later. A document timestamp that already covers what the signature needs can be that proof without
// validation data of its own, which is added with the next one.
func (e *examiner) complete(c *pki.CMSReport, d document.DSS) bool {
	if len(d.Certs)+len(d.CRLs)+len(d.OCSPs) == 0 || !c.ValidatedBy(d.CRLs, d.OCSPs) {
		return false
	}
	if c.Timestamp.Believable() {
		return c.Timestamp.ValidatedBy(d.CRLs, d.OCSPs)
	}
	proof := e.archived[len(e.archived)-1]
	if len(e.archived) == 1 && c.ValidatedBy(proof.covered.CRLs, proof.covered.OCSPs) {
		return true
	}
	return proof.timestamp.ValidatedBy(d.CRLs, d.OCSPs)
}
