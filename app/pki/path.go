package pki

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"slices"
	"time"
)

// maxChain is the longest chain that is followed.
const maxChain = 12

// path is a chain and what is wrong with it.
type path struct {
	chain    []*x509.Certificate
	complete bool // ends in a trusted or a self-signed certificate
	trusted  bool
	problems []string
}

// better orders paths: trusted, then complete, then with fewer problems.
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

// pathFinder builds chains by itself, not with x509.Certificate.Verify: foreign certificates with algorithms, purposes
// or extensions that it refuses have to be reported, each by its fault.
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

// issuers are the certificates that may have signed c, trusted ones and those with the right key identifier first.
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
		if problem := validity(c, f.at); problem != "" {
			p.problems = append(p.problems, problem)
		}
		if i > 0 {
			p.problems = append(p.problems, authorityProblems(c, i-1)...)
		}
		for _, oid := range c.UnhandledCriticalExtensions {
			if !knownCritical(oid.String()) {
				p.problems = append(p.problems, fmt.Sprintf("The certificate %q has a critical extension (%v) that is not understood.", describe(c), oid))
			}
		}
	}
	if complete {
		p.problems = append(p.problems, nameConstraintProblems(chain, f.at)...)
	} else {
		p.problems = append(p.problems, fmt.Sprintf("The issuer of %q is not known.", describe(chain[len(chain)-1])))
	}
	if f.best.chain == nil || p.better(f.best) {
		f.best = p
	}
}

func validity(c *x509.Certificate, at time.Time) string {
	switch {
	case at.Before(c.NotBefore.Truncate(time.Second)):
		return fmt.Sprintf("The certificate %q was not yet valid on %s.", describe(c), at.UTC().Format(time.DateTime))
	case at.Truncate(time.Second).After(c.NotAfter):
		return fmt.Sprintf("The certificate %q had expired on %s.", describe(c), at.UTC().Format(time.DateTime))
	}
	return ""
}

// authorityProblems checks that a certificate may issue others, with the given number of authorities below it.
func authorityProblems(c *x509.Certificate, below int) []string {
	var problems []string
	if c.Version == 3 && (!c.BasicConstraintsValid || !c.IsCA) {
		problems = append(problems, fmt.Sprintf("The certificate %q is not an authority's, but another was issued with it.", describe(c)))
	}
	if c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0 {
		problems = append(problems, fmt.Sprintf("The key usage of %q does not allow it to issue certificates.", describe(c)))
	}
	if limit := c.MaxPathLen; c.BasicConstraintsValid && (limit > 0 || limit == 0 && c.MaxPathLenZero) && below > limit {
		problems = append(problems, fmt.Sprintf("The chain below %q is longer than it allows.", describe(c)))
	}
	return problems
}

// knownCritical lists extensions that bear on nothing judged here: certificate policies and their constraints.
func knownCritical(oid string) bool {
	return slices.Contains([]string{"2.5.29.32", "2.5.29.33", "2.5.29.36", "2.5.29.54", "2.5.29.37"}, oid)
}

// nameConstraintProblems lets crypto/x509 judge the chain when an authority in it constrains names.
func nameConstraintProblems(chain []*x509.Certificate, at time.Time) []string {
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
		return []string{fmt.Sprintf("The chain breaks a constraint on names: %v.", err)}
	}
	return nil
}

// judgeChain finds the chain of the signer's certificate, the moment to judge it at, and its revocation. A trusted
// timestamp proves that the signature is older than o.At. One that nobody vouches for is believed only where no trust
// rests on it: when the signer's own root is not trusted either.
func (r *SignatureReport) judgeChain(o VerifyOptions, ts *TimestampReport) {
	if r.Certificate == nil {
		return
	}
	r.JudgedAt = o.At
	if ts != nil && ts.OK && ts.TrustedRoot && ts.Time.Before(o.At) {
		r.JudgedAt = ts.Time
	}
	found := findPath(r.Certificate, o, r.JudgedAt)
	if !found.trusted && ts != nil && ts.OK && ts.Time.Before(o.At) {
		r.JudgedAt = ts.Time
		found = findPath(r.Certificate, o, r.JudgedAt)
	}
	r.Chain, r.TrustedRoot = found.chain, found.trusted
	r.ChainOK = found.complete && len(found.problems) == 0
	r.Problems = append(r.Problems, found.problems...)
	for i, c := range found.chain {
		if i == len(found.chain)-1 && found.complete {
			break // Nothing rests on the signature of a root.
		}
		if s, _, err := certificateScheme(c.Raw); err == nil && i+1 < len(found.chain) {
			r.Weak = append(r.Weak, s.weaknesses(fmt.Sprintf("The certificate %q", describe(c)), publicKey(found.chain[i+1]))...)
		}
	}
	r.Revocation = chainRevocation(found, o, r.JudgedAt)
	if r.Revocation.Status == Revoked {
		r.problem("The certificate %q was revoked on %s.", describe(r.Revocation.Certificate), r.Revocation.RevokedAt.UTC().Format(time.DateTime))
	}
}
