package pki

import (
	"crypto/x509"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Root returns the certificate that new signatures chain to: the installation's own root, or
// the top of the chain of an imported issuing authority.
func (a *Authority) Root() *x509.Certificate {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if len(a.issuers) > 0 {
		return top(a.issuers[len(a.issuers)-1])
	}
	return a.root.Certificate
}

// RootPEM returns Root for download.
func (a *Authority) RootPEM() []byte { return EncodePEM(a.Root()) }

// EncodeP7B packs certificates in the form that Windows and macOS import as a set: a SignedData
// without signatures (RFC 5652 §5.2, ".p7b").
func EncodeP7B(certificates ...*x509.Certificate) ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidSignedData)
		b.AddASN1(context0, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1Int64(1)
				b.AddASN1(cbasn1.SET, func(*cryptobyte.Builder) {})
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidData) })
				b.AddASN1(context0, func(b *cryptobyte.Builder) {
					for _, c := range certificates {
						b.AddBytes(c.Raw)
					}
				})
				b.AddASN1(cbasn1.SET, func(*cryptobyte.Builder) {})
			})
		})
	})
	return b.Bytes()
}

// Roots returns every root that certificates of this authority chain to or have chained to, for
// VerifyOptions.Roots.
func (a *Authority) Roots() []*x509.Certificate {
	a.mu.RLock()
	defer a.mu.RUnlock()
	roots := []*x509.Certificate{a.root.Certificate}
	for _, issuer := range a.issuers {
		if c := top(issuer); !slices.ContainsFunc(roots, c.Equal) {
			roots = append(roots, c)
		}
	}
	return roots
}

// top returns the last certificate of a signer's chain.
func top(s *Signer) *x509.Certificate {
	if n := len(s.Chain); n > 0 {
		return s.Chain[n-1]
	}
	return s.Certificate
}

// Level says which part of the keys a certificate belongs to, and with it what to do
// when it expires.
type Level string

// The levels of certificates that are not renewed automatically.
const (
	LevelRoot    Level = "root"
	LevelIssuer  Level = "issuer"
	LevelCompany Level = "company"
)

// Warning describes a certificate that requires action.
type Warning struct {
	// Certificate is the one concerned.
	Certificate *x509.Certificate
	Level       Level
	// Expired means that it has expired; otherwise it is about to.
	Expired bool
	// Urgent means that the certificate expires within a week, or has expired.
	Urgent bool
	// Company is the one whose certificate it is, "" if it concerns all.
	Company string
}

// Name returns the name of the certificate's holder, for people.
func (w Warning) Name() string { return describe(w.Certificate) }

// urgentTime is how long before its expiry a certificate becomes urgent.
const urgentTime = 7 * 24 * time.Hour

// Warnings lists the certificates that expire within 60 days of now, or have expired, and are
// not renewed automatically: the root and everything imported.
func (a *Authority) Warnings(now time.Time) ([]Warning, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.loadImported(); err != nil {
		return nil, err
	}
	var warnings []Warning
	add := func(c *x509.Certificate, level Level, company string) {
		if left := c.NotAfter.Sub(now); left < warningTime {
			warnings = append(warnings, Warning{c, level, now.After(c.NotAfter), left < urgentTime, company})
		}
	}
	add(a.root.Certificate, LevelRoot, "")
	if n := len(a.issuers); n > 0 && !a.isOwn(a.issuers[n-1]) {
		for _, c := range a.issuers[n-1].Certificates() {
			add(c, LevelIssuer, "")
		}
	}
	for id, s := range a.companies {
		if !a.issued(s) {
			add(s.Certificate, LevelCompany, id)
		}
	}
	slices.SortFunc(warnings, func(x, y Warning) int { return x.Certificate.NotAfter.Compare(y.Certificate.NotAfter) })
	return warnings, nil
}

// Expiries returns when the certificates that are not renewed automatically expire: the "root", and if they were
// imported, the "issuer" and the first "company" to expire.
func (a *Authority) Expiries() (map[string]time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.loadImported(); err != nil {
		return nil, err
	}
	all := map[string]time.Time{"root": a.root.Certificate.NotAfter}
	add := func(what string, c *x509.Certificate) {
		if end, ok := all[what]; !ok || c.NotAfter.Before(end) {
			all[what] = c.NotAfter
		}
	}
	if n := len(a.issuers); n > 0 && !a.isOwn(a.issuers[n-1]) {
		for _, c := range a.issuers[n-1].Certificates() {
			add("issuer", c)
		}
	}
	for _, s := range a.companies {
		if !a.issued(s) {
			add("company", s.Certificate)
		}
	}
	return all, nil
}

// CompanyWarnings lists the warnings that concern one company: about its own certificate and
// its issuers', not about other companies'.
func (a *Authority) CompanyWarnings(id, name string, now time.Time) ([]Warning, error) {
	warnings, err := a.Warnings(now)
	if err != nil || len(warnings) == 0 {
		return nil, err
	}
	own, err := a.Company(id, name)
	if err != nil && !errors.Is(err, ErrExpired) {
		return nil, err
	}
	return slices.DeleteFunc(warnings, func(w Warning) bool {
		return !w.Certificate.IsCA && (own == nil || !own.Certificate.Equal(w.Certificate))
	}), nil
}

// Certificates lists the stored certificates, including superseded ones of the timestamp
// authority and the companies, in no particular order. Signatories' certificates are kept only
// in the documents they signed.
func (a *Authority) Certificates() ([]*x509.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.loadAll(); err != nil {
		return nil, err
	}
	all := append([]*x509.Certificate{a.root.Certificate}, a.past...)
	for _, s := range slices.Concat(a.issuers, []*Signer{a.timestamp}, slices.Collect(maps.Values(a.companies))) {
		if s != nil {
			all = append(all, s.Certificate)
		}
	}
	names, err := a.folder.list(pastPrefix)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		past, err := a.folder.loadPast(name)
		if err != nil {
			return nil, err
		}
		all = append(all, past[0])
	}
	return all, nil
}

// Check reads every file of the keys folder and verifies each key and certificate in it. The
// error joins one ErrKeyFile for each bad file.
func (a *Authority) Check() error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.folder.check()
}

// loadAll loads every company's signer.
func (a *Authority) loadAll() error {
	if err := a.loadImported(); err != nil {
		return err
	}
	names, err := a.folder.list(companyPrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := a.loadCompany(strings.TrimSuffix(strings.TrimPrefix(name, companyPrefix), pemSuffix)); err != nil {
			return err
		}
	}
	return nil
}
