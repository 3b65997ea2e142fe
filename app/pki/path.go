package pki

import (
	"bytes"
	"crypto/x509"
	"slices"
	"time"
)

// maxChain is the maximum length of a chain.
const maxChain = 12

// path is a chain with its problems.
type path struct {
	chain    []*x509.Certificate
	complete bool // ends in a trusted or a self-signed certificate
	trusted  bool
	problems []Finding
}

// better orders paths: trusted first, then complete, then those with fewer problems.
func (p path) better(q path) bool {
	rank := func(p path) int {
		n := -min(len(p.problems), 99)
		if p.complete {
			n += 100
		}
		if p.trusted {
			n += 200
		}
		if p.trusted && len(p.problems) == 0 {
			n += 1000
		}
		return n
	}
	if rank(p) != rank(q) {
		return rank(p) > rank(q)
	}
	return len(p.chain) > len(q.chain)
}

// pathFinder builds chains itself instead of using x509.Certificate.Verify: foreign
// certificates with algorithms, purposes or extensions that the library refuses have to be
// reported, each with its fault.
type pathFinder struct {
	pool, roots []*x509.Certificate
	at          time.Time
	evidence    *evidence
	best        path
}

func findPath(leaf *x509.Certificate, o VerifyOptions, at time.Time) path {
	f := &pathFinder{pool: o.Extra, roots: o.Roots, at: at, evidence: o.evidence}
	if f.evidence == nil {
		f.evidence = newEvidence()
	}
	f.extend([]*x509.Certificate{leaf})
	return f.best
}

func (f *pathFinder) extend(chain []*x509.Certificate) {
	last := chain[len(chain)-1]
	trusted := slices.ContainsFunc(f.roots, last.Equal)
	complete := trusted || bytes.Equal(last.RawIssuer, last.RawSubject) && f.evidence.issued(last, last)
	f.consider(chain, complete, trusted)
	if complete || len(chain) >= maxChain {
		return
	}
	for _, issuer := range f.issuers(last) {
		if f.evidence.exhausted() {
			return
		}
		if !slices.ContainsFunc(chain, issuer.Equal) && f.evidence.issued(issuer, last) {
			f.extend(append(slices.Clone(chain), issuer))
		}
		if f.best.trusted && len(f.best.problems) == 0 {
			return
		}
	}
}

// issuers returns the certificates that may have signed c, trusted ones and those with the
// right key identifier first.
func (f *pathFinder) issuers(c *x509.Certificate) []*x509.Certificate {
	var likely, others []*x509.Certificate
	for _, candidate := range slices.Concat(f.roots, f.pool) {
		if !bytes.Equal(candidate.RawSubject, c.RawIssuer) || slices.ContainsFunc(likely, candidate.Equal) {
			continue
		}
		if len(c.AuthorityKeyId) > 0 && bytes.Equal(candidate.SubjectKeyId, c.AuthorityKeyId) {
			likely = append(likely, candidate)
		} else {
			others = append(others, candidate)
		}
	}
	return append(likely, others...)
}

func (f *pathFinder) consider(chain []*x509.Certificate, complete, trusted bool) {
	p := path{chain: slices.Clone(chain), complete: complete, trusted: trusted}
	for i, c := range chain {
		p.problems = append(p.problems, validity(c, f.at)...)
		if i > 0 {
			p.problems = append(p.problems, authorityProblems(c, i-1)...)
		}
		for _, oid := range c.UnhandledCriticalExtensions {
			if !knownCritical(oid.String()) {
				p.problems = append(p.problems, about("critical_extension", c, "extension", oid))
			}
		}
	}
	if complete {
		p.problems = append(p.problems, nameConstraintProblems(chain, f.at)...)
	} else {
		p.problems = append(p.problems, about("issuer_unknown", chain[len(chain)-1]))
	}
	if f.best.chain == nil || p.better(f.best) {
		f.best = p
	}
}

// about makes a finding about a certificate.
func about(code string, c *x509.Certificate, args ...any) Finding {
	return finding(code, Args{"name": describe(c)}, args...)
}

func validity(c *x509.Certificate, at time.Time) []Finding {
	switch {
	case at.Before(c.NotBefore.Truncate(time.Second)):
		return []Finding{about("not_yet_valid", c, "date", moment(at))}
	case at.Truncate(time.Second).After(c.NotAfter):
		return []Finding{about("expired", c, "date", moment(at))}
	}
	return nil
}

func moment(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// authorityProblems checks that a certificate may issue others, with the given number of authorities below it.
func authorityProblems(c *x509.Certificate, below int) []Finding {
	var problems []Finding
	if c.Version == 3 && (!c.BasicConstraintsValid || !c.IsCA) {
		problems = append(problems, about("not_an_authority", c))
	}
	if c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0 {
		problems = append(problems, about("may_not_issue", c))
	}
	if limit := c.MaxPathLen; c.BasicConstraintsValid && (limit > 0 || limit == 0 && c.MaxPathLenZero) && below > limit {
		problems = append(problems, about("chain_too_long", c))
	}
	return problems
}

// knownCritical lists critical extensions irrelevant to these checks: certificate policies and
// their constraints.
func knownCritical(oid string) bool {
	return slices.Contains([]string{"2.5.29.32", "2.5.29.33", "2.5.29.36", "2.5.29.54", "2.5.29.37"}, oid)
}

// nameConstraintProblems lets crypto/x509 check the chain if an authority in it constrains
// names.
func nameConstraintProblems(chain []*x509.Certificate, at time.Time) []Finding {
	constrained := func(c *x509.Certificate) bool {
		return c.PermittedDNSDomainsCritical || len(c.PermittedDNSDomains)+len(c.ExcludedDNSDomains)+
			len(c.PermittedEmailAddresses)+len(c.ExcludedEmailAddresses)+len(c.PermittedIPRanges)+
			len(c.ExcludedIPRanges)+len(c.PermittedURIDomains)+len(c.ExcludedURIDomains) > 0
	}
	if len(chain) < 2 || !slices.ContainsFunc(chain[1:], constrained) {
		return nil
	}
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(chain[len(chain)-1])
	for _, c := range chain[1 : len(chain)-1] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if err != nil {
		return []Finding{finding("name_constraint", nil, "detail", err)}
	}
	return nil
}

// judgeChain finds the chain of the signer's certificate, the time at which to judge it, and
// its revocation status. A trusted timestamp proves that the signature is older than o.At. An
// untrusted one is believed only if no trust depends on it: when the signer's own root is not
// trusted either.
func (r *SignatureReport) judgeChain(o VerifyOptions, ts *TimestampReport) {
	if r.Certificate == nil {
		return
	}
	r.JudgedAt = o.At
	if ts != nil && ts.OK && ts.TrustedRoot {
		r.JudgedAt = earlier(r.JudgedAt, ts.Time)
	}
	found := findPath(r.Certificate, o, r.JudgedAt)
	if !found.trusted {
		at := earlier(r.JudgedAt, o.Unvouched)
		if ts != nil && ts.OK {
			at = earlier(at, ts.Time)
		}
		if at.Before(r.JudgedAt) {
			r.JudgedAt = at
			found = findPath(r.Certificate, o, at)
		}
	}
	r.judgePath(found, o)
}

// earlier returns the earlier of two times, the second of which may be unknown.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

func (r *SignatureReport) judgePath(found path, o VerifyOptions) {
	r.path, r.options = found, o
	r.Chain, r.TrustedRoot = found.chain, found.trusted
	r.ChainOK = found.complete && len(found.problems) == 0
	r.Problems, r.chainProblems = append(r.Problems, found.problems...), append(r.chainProblems, found.problems...)
	for i, c := range found.chain {
		if i == len(found.chain)-1 && found.complete {
			break // the signature of a root is irrelevant
		}
		if s, _, err := certificateScheme(c.Raw); err == nil && i+1 < len(found.chain) {
			weak := s.weaknesses("weak_certificate", "weak_certificate_key", Args{"name": describe(c)}, keyOf(found.chain[i+1]))
			r.Weak = append(r.Weak, weak...)
		}
	}
	r.Revocation = chainRevocation(found, o, r.JudgedAt)
	if r.Revocation.Status == Revoked {
		said := about("revoked", r.Revocation.Certificate, "date", moment(r.Revocation.RevokedAt))
		r.Problems, r.chainProblems = append(r.Problems, said), append(r.chainProblems, said)
	}
}

// ValidatedBy reports whether the given revocation lists and OCSP responses, together with
// those inside the signature, show that no certificate in the chain below its root was revoked
// at JudgedAt.
func (r *SignatureReport) ValidatedBy(lists, responses [][]byte) bool {
	if !r.path.complete {
		return false
	}
	o := r.options
	o.CRLs, o.OCSPs = append(slices.Clone(r.ownLists), lists...), append(slices.Clone(r.ownResponses), responses...)
	status := chainRevocation(r.path, o, r.JudgedAt).Status
	return status == NotRevoked || status == ShortTerm
}
