package pki

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// leafUsage and leafPurposes are the purposes of signing certificates. Email protection is
// included because NSS, and therefore pdfsig, trusts a signer's chain only for that.
const leafUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment

func leafPurposes() []asn1.ObjectIdentifier {
	return []asn1.ObjectIdentifier{oidDocumentSigning, oidAdobeSigning, oidEmailProtection}
}

// Person is the subject of a signatory's certificate.
type Person struct {
	// Name is the common name; if it is empty, the address is used.
	Name string
	// Email goes into the subject and the alternative name.
	Email string
	// Organization is optional.
	Organization string
	// RecordedFor names somebody else, in whose name the person recorded an act. The certificate is
	// the person's own, and its common name says so: it never is that of somebody who did not act.
	RecordedFor string
	// Serial distinguishes persons of the same name, for example the invitation's identifier.
	Serial string
}

// Signatory issues a certificate for a single act of signing. Its key is new and kept only by
// the caller, and the certificate is valid from a few minutes before the act until
// Options.SignatoryValidity after it.
func (a *Authority) Signatory(p Person, at time.Time) (*Signer, error) {
	return a.SignatoryFor(p, at, a.options.SignatoryValidity)
}

// SignatoryValidity is how long Signatory's certificates are valid after the act.
func (a *Authority) SignatoryValidity() time.Duration { return a.options.SignatoryValidity }

// SignatoryFor is Signatory with another validity after the act, for a signature without a
// timestamp: its certificate must still be valid when a later timestamp proves that the
// signature exists.
func (a *Authority) SignatoryFor(p Person, at time.Time, validity time.Duration) (*Signer, error) {
	name := p.Name
	if directoryText(name, 1) == "" {
		name = p.Email
	}
	if directoryText(name, 1) == "" {
		return nil, errors.New("pki: a signatory needs a name or an e-mail address")
	}
	if p.RecordedFor != "" {
		name = "Recorded by " + name + " for " + p.RecordedFor // first, so that no length cuts it off
	}
	subject, err := distinguishedName(commonName(name), organization(p.Organization), serialAttribute(p.Serial), emailAttribute(cleanEmail(p.Email)))
	if err != nil {
		return nil, fmt.Errorf("pki: encoding name: %w", err)
	}
	at = at.UTC().Truncate(time.Second)
	issuer, err := a.issuerAt(at)
	if err != nil {
		return nil, err
	}
	return a.issue(issuer, template{
		subject:   subject,
		notBefore: at.Add(-signatoryBackdate),
		notAfter:  at.Add(validity),
		usage:     leafUsage,
		purposes:  leafPurposes(),
		email:     cleanEmail(p.Email),
		shortTerm: validity+signatoryBackdate <= shortTermLife,
	})
}

// cleanEmail drops an address that a certificate cannot contain.
func cleanEmail(s string) string {
	if s != directoryText(s, maxEmailAddress) {
		return ""
	}
	return s
}

// issuerAt finds the issuer for an act, if possible without the write lock.
func (a *Authority) issuerAt(at time.Time) (*Signer, error) {
	a.mu.RLock()
	if n := len(a.issuers); n > 0 {
		issuer := a.issuers[n-1]
		usable := !a.isOwn(issuer) || !a.outlived(issuer, a.root, at, issuerRenewal)
		if usable && checkTime(issuer.Certificate, at) == nil {
			a.mu.RUnlock()
			return issuer, nil
		}
	}
	a.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.currentIssuer(at)
}

// Company returns the company's certification signer. It is created at the first call and
// replaced before it expires or when the name has changed; an imported certificate is used as
// long as it is valid, and afterwards the error wraps ErrExpired.
func (a *Authority) Company(id, name string) (*Signer, error) {
	if id == "" {
		return nil, errors.New("pki: a company needs an identifier")
	}
	now, key := a.nowIn(id), companyName(id)
	a.mu.RLock()
	signer, ok := a.companies[key]
	ok = ok && a.companyUsable(signer, name, now)
	a.mu.RUnlock()
	if ok {
		return signer, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.company(id, name, now)
}

func (a *Authority) companyUsable(s *Signer, name string, now time.Time) bool {
	if !a.issued(s) {
		return checkTime(s.Certificate, now) == nil
	}
	if len(a.issuers) == 0 {
		return false
	}
	issuer := a.issuers[len(a.issuers)-1]
	return a.current(s, issuer, now, Renewal) && s.Certificate.Subject.CommonName == companyTitle(name)
}

// issued reports whether one of this authority's issuers made the certificate.
func (a *Authority) issued(s *Signer) bool {
	for _, issuer := range a.issuers {
		if len(s.Chain) > 0 && s.Chain[0].Equal(issuer.Certificate) {
			return true
		}
	}
	return a.isOwn(s)
}

// Made reports whether a company's certificate was created here, as opposed to imported.
func (a *Authority) Made(s *Signer) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.issued(s)
}

func companyTitle(name string) string {
	if name = directoryText(name, maxCommonName); name == "" {
		return "Company"
	}
	return name
}

func (a *Authority) company(id, name string, now time.Time) (*Signer, error) {
	signer, err := a.loadCompany(companyName(id))
	if err != nil && !isMissing(err) {
		return nil, err
	}
	if signer != nil && !a.issued(signer) {
		return signer, checkTime(signer.Certificate, now)
	}
	issuer, err := a.currentIssuer(now)
	if err != nil {
		return nil, err
	}
	if signer != nil && a.companyUsable(signer, name, now) {
		return signer, nil
	}
	fresh, err := a.newCompany(id, name, issuer, now)
	if err != nil {
		return nil, err
	}
	if err := a.renew(companyPrefix+companyName(id)+pemSuffix, signer, fresh); err != nil {
		return nil, err
	}
	a.companies[companyName(id)] = fresh
	return fresh, nil
}

// loadCompany returns the company's signer, preferring an imported one. The key comes from
// companyName.
func (a *Authority) loadCompany(key string) (*Signer, error) {
	if signer, ok := a.companies[key]; ok {
		return signer, nil
	}
	for _, prefix := range []string{ownPrefix, companyPrefix} {
		signer, err := a.folder.load(prefix + key + pemSuffix)
		if err == nil {
			a.companies[key] = signer
		}
		if err == nil || !isMissing(err) {
			return signer, err
		}
	}
	return nil, fs.ErrNotExist
}

// loadImported loads every imported company signer.
func (a *Authority) loadImported() error {
	names, err := a.folder.list(ownPrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		key := strings.TrimSuffix(strings.TrimPrefix(name, ownPrefix), pemSuffix)
		if _, err := a.loadCompany(key); err != nil {
			return err
		}
	}
	return nil
}

func (a *Authority) newCompany(id, name string, issuer *Signer, now time.Time) (*Signer, error) {
	name = companyTitle(name)
	subject, err := distinguishedName(organization(name), commonName(name), serialAttribute(id))
	if err != nil {
		return nil, fmt.Errorf("pki: encoding name: %w", err)
	}
	return a.issue(issuer, template{
		subject:   subject,
		notBefore: now.Add(-backdating),
		notAfter:  now.Add(companyLife),
		usage:     leafUsage,
		purposes:  leafPurposes(),
	})
}

// renew replaces a signer made here, unless the file that holds it is gone: that is reported, and not
// covered up by the next one.
func (a *Authority) renew(file string, before, after *Signer) error {
	if before != nil && a.folder.dir != "" {
		stored, err := a.folder.load(file)
		if err != nil {
			return err
		}
		if !a.issued(stored) {
			return fmt.Errorf("%w: %s holds another installation's; restore it from a backup", ErrKeyFile, file)
		}
	}
	return a.replace(file, before, after)
}

// replace stores a signer; the previous certificate, if any, is kept without its key.
func (a *Authority) replace(file string, before, after *Signer) error {
	if before != nil {
		if err := a.retire(before); err != nil {
			return err
		}
	}
	return a.folder.save(file, after)
}

// retire keeps a superseded certificate without its key.
func (a *Authority) retire(s *Signer) error {
	if a.folder.dir != "" {
		return a.folder.retire(s)
	}
	a.past = append(a.past, s.Certificate)
	return nil
}

// currentTimestamp returns the built-in timestamp authority's signer. The caller holds the lock.
func (a *Authority) currentTimestamp(now time.Time) (*Signer, error) {
	issuer, err := a.currentIssuer(now)
	if err != nil {
		return nil, err
	}
	if a.current(a.timestamp, issuer, now, timestampRenewal) {
		return a.timestamp, nil
	}
	subject, err := distinguishedName(organization(a.options.Organization), commonName(a.title("Timestamps")))
	if err != nil {
		return nil, err
	}
	fresh, err := a.issue(issuer, template{
		subject:          subject,
		notBefore:        now.Add(-backdating),
		notAfter:         now.Add(timestampLife),
		usage:            x509.KeyUsageDigitalSignature,
		purposes:         []asn1.ObjectIdentifier{oidTimeStamping},
		purposesCritical: true,
	})
	if err != nil {
		return nil, err
	}
	if err := a.renew(timestampFile, a.timestamp, fresh); err != nil {
		return nil, err
	}
	a.timestamp = fresh
	return fresh, nil
}

func (a *Authority) timestampSigner(now time.Time) (*Signer, error) {
	a.mu.RLock()
	if n := len(a.issuers); n > 0 && a.current(a.timestamp, a.issuers[n-1], now, timestampRenewal) {
		defer a.mu.RUnlock()
		return a.timestamp, nil
	}
	a.mu.RUnlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.currentTimestamp(now)
}
