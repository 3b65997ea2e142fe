package pki

import (
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Renewal is how long before its expiry a company certificate created here is replaced.
const Renewal = 90 * 24 * time.Hour

// Lifetimes. An issuer is replaced while it has more than a company certificate's lifetime
// left, so that it always outlives the certificates it issues.
const (
	year              = 365 * 24 * time.Hour
	rootLife          = 30 * year
	issuerLife        = 12 * year
	issuerRenewal     = 6 * year
	companyLife       = 3 * year
	timestampLife     = 5 * year
	timestampRenewal  = 2 * year // a renewed timestamp must be valid for noticeably longer
	warningTime       = 60 * 24 * time.Hour
	backdating        = 24 * time.Hour // tolerates clocks that are slightly slow
	signatoryBackdate = 5 * time.Minute
	shortTermLife     = 24 * time.Hour // the longest lifetime without revocation (ETSI EN 319 412-1 §5.2)
)

// Options of an Authority.
type Options struct {
	// Now is the clock; by default time.Now.
	Now func() time.Time
	// NowIn is the clock of a company; by default Now for all of them.
	NowIn func(company string) time.Time
	// Organization is named in the authority's own certificates; by default "Paraph".
	Organization string
	// SignatoryValidity is how long a signatory's certificate is valid after the act; by default 15 minutes.
	SignatoryValidity time.Duration
	// Seed makes keys, serial numbers and signatures repeatable, for test doubles. It is
	// refused together with a folder, because such keys can be guessed.
	Seed []byte
	// Register remembers which files of the folder are needed; by default nothing does.
	Register Register
}

// Register remembers which files of a keys folder are needed, so that a lost one is not replaced.
type Register interface {
	// Needs reports whether a file was kept under the name.
	Needs(name string) (bool, error)
	// Keep is called when a file has been written, with the mark of its key; see Mark.
	Keep(name string, mark []byte) error
	// Drop is called before a file is removed.
	Drop(name string) error
}

// Authority is an installation's certification authority, opened with Open.
type Authority struct {
	options Options
	random  *entropy
	folder  folder

	tokenSizes sync.Map // of timestamp certificates by serial number

	mu        sync.RWMutex
	root      *Signer
	issuers   []*Signer // the last one issues; earlier ones still sign revocation lists
	timestamp *Signer
	companies map[string]*Signer
	past      []*x509.Certificate // superseded ones of an in-memory authority
	lists     map[string]*x509.RevocationList
	movedHere map[string][]byte // by company, of an in-memory authority; see Adopt
}

// Open reads the authority in a folder, or creates a new one there; with an empty dir it is
// kept in memory only. If a folder is in use but its root is missing or damaged, the error
// wraps ErrKeyFile and names the file: a new root is never created in its place, because all
// existing signatures chain to the old one.
func Open(dir string, o Options) (*Authority, error) {
	if dir != "" && o.Seed != nil {
		return nil, errors.New("pki: seeded keys can be guessed and are never written to a folder")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Organization == "" {
		o.Organization = "Paraph"
	}
	if o.SignatoryValidity <= 0 {
		o.SignatoryValidity = 15 * time.Minute
	}
	a := &Authority{
		options:   o,
		random:    &entropy{seed: slices.Clone(o.Seed)},
		folder:    folder{dir, o.Register},
		companies: map[string]*Signer{},
		lists:     map[string]*x509.RevocationList{},
		movedHere: map[string][]byte{},
	}
	if err := a.load(); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Authority) load() error {
	if err := a.folder.open(); err != nil {
		return err
	}
	if err := a.loadRoot(); err != nil {
		return err
	}
	now := a.now()
	if now.Before(a.root.Certificate.NotBefore) {
		return fmt.Errorf("pki: the clock says %s, but the root is valid only from %s: set the clock",
			now.Format(time.RFC3339), a.root.Certificate.NotBefore.Format(time.RFC3339))
	}
	if err := a.loadIssuers(); err != nil {
		return err
	}
	if _, err := a.currentIssuer(now); err != nil && !errors.Is(err, ErrExpired) {
		return err
	}
	var err error
	if a.timestamp, err = a.folder.load(timestampFile); err != nil && !isMissing(err) {
		return err
	}
	if _, err = a.currentTimestamp(now); errors.Is(err, ErrExpired) {
		return nil // an expired imported issuer must not prevent the start; Warnings reports it
	}
	return err
}

func (a *Authority) loadRoot() error {
	var err error
	a.root, err = a.folder.load(rootFile)
	if err == nil || !isMissing(err) {
		return err
	}
	others, err := a.folder.list("")
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(others, func(name string) bool { return strings.HasSuffix(name, pemSuffix) }); i >= 0 {
		return fmt.Errorf("%w: %s is missing from %s although %s is there; restore it from a backup",
			ErrKeyFile, rootFile, a.folder.dir, others[i])
	}
	if a.root, err = a.newRoot(); err != nil {
		return err
	}
	return a.folder.save(rootFile, a.root)
}

func (a *Authority) loadIssuers() error {
	names, err := a.folder.list(issuerPrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		issuer, err := a.folder.load(name)
		if err != nil {
			return err
		}
		a.issuers = append(a.issuers, issuer)
	}
	return nil
}

// now returns the clock in UTC and whole seconds, the resolution of certificates.
func (a *Authority) now() time.Time { return a.options.Now().UTC().Truncate(time.Second) }

// nowIn is now by the clock of a company, "" for that of the authority.
func (a *Authority) nowIn(company string) time.Time {
	if company == "" || a.options.NowIn == nil {
		return a.now()
	}
	return a.options.NowIn(company).UTC().Truncate(time.Second)
}

func (a *Authority) newRoot() (*Signer, error) {
	key, err := a.random.key()
	if err != nil {
		return nil, err
	}
	// The mark distinguishes the roots of two installations in a trust store, where names have
	// to be unique.
	mark := strings.ToUpper(hex.EncodeToString(a.random.bytes(4)))
	subject, err := distinguishedName(organization(a.options.Organization), commonName(a.title("Root "+mark)))
	if err != nil {
		return nil, err
	}
	now := a.now()
	certificate, err := template{
		serial:     a.random.serial(),
		subject:    subject,
		notBefore:  now.Add(-backdating),
		notAfter:   now.Add(rootLife),
		usage:      x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		authority:  true,
		pathLength: -1,
	}.issue(key.Public(), nil, key)
	if err != nil {
		return nil, err
	}
	return &Signer{Certificate: certificate, Key: key}, nil
}

// title returns a common name that begins with the organisation, shortened so that its end
// stays readable.
func (a *Authority) title(what string) string {
	return strings.TrimSpace(directoryText(a.options.Organization, maxCommonName-len(what)-1) + " " + what)
}

// currentIssuer returns the current issuer, replacing the authority's own one in time. The
// caller holds the lock.
func (a *Authority) currentIssuer(now time.Time) (*Signer, error) {
	if n := len(a.issuers); n > 0 {
		issuer := a.issuers[n-1]
		switch {
		case !a.isOwn(issuer):
			return issuer, checkTime(issuer.Certificate, now)
		case !now.Before(issuer.Certificate.NotBefore) && !a.outlived(issuer, a.root, now, issuerRenewal):
			return issuer, nil
		}
	}
	return a.addOwnIssuer(now)
}

func (a *Authority) addOwnIssuer(now time.Time) (*Signer, error) {
	if err := checkTime(a.root.Certificate, now); err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("Issuing %d", len(a.issuers)+1)
	subject, err := distinguishedName(organization(a.options.Organization), commonName(a.title(mark)), serialAttribute(rootMark(a.root.Certificate)))
	if err != nil {
		return nil, err
	}
	issuer, err := a.issue(a.root, template{
		subject:    subject,
		notBefore:  now.Add(-backdating),
		notAfter:   now.Add(issuerLife),
		usage:      x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		authority:  true,
		pathLength: 0,
	})
	if err != nil {
		return nil, err
	}
	return issuer, a.addIssuer(issuer)
}

// rootMark is the last word of the root's common name, which distinguishes installations.
func rootMark(root *x509.Certificate) string {
	words := strings.Fields(root.Subject.CommonName)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func (a *Authority) addIssuer(issuer *Signer) error {
	name := fmt.Sprintf("%s%04d%s", issuerPrefix, len(a.issuers)+1, pemSuffix)
	if err := a.folder.save(name, issuer); err != nil {
		return err
	}
	a.issuers = append(a.issuers, issuer)
	return nil
}

// issue creates a key and a certificate for it, valid within the issuer's validity.
func (a *Authority) issue(issuer *Signer, t template) (*Signer, error) {
	key, err := a.random.key()
	if err != nil {
		return nil, err
	}
	t.serial = a.random.serial()
	if t.notBefore.Before(issuer.Certificate.NotBefore) {
		t.notBefore = issuer.Certificate.NotBefore
	}
	if t.notAfter.After(issuer.Certificate.NotAfter) {
		t.notAfter = issuer.Certificate.NotAfter
	}
	certificate, err := t.issue(key.Public(), issuer.Certificate, issuer.Key)
	if err != nil {
		return nil, err
	}
	return &Signer{Certificate: certificate, Key: key, Chain: issuer.Certificates()}, nil
}

// isOwn reports whether a signer's chain ends in this authority's own root.
func (a *Authority) isOwn(s *Signer) bool {
	return len(s.Chain) > 0 && s.Chain[len(s.Chain)-1].Equal(a.root.Certificate)
}

// outlived reports whether a certificate has less than margin left and a new one from the
// issuer would last longer.
func (a *Authority) outlived(s, issuer *Signer, now time.Time, margin time.Duration) bool {
	return s.Certificate.NotAfter.Sub(now) < margin && s.Certificate.NotAfter.Before(issuer.Certificate.NotAfter)
}

// current reports whether a leaf issued by this authority can still be used.
func (a *Authority) current(s, issuer *Signer, now time.Time, margin time.Duration) bool {
	return s != nil && len(s.Chain) > 0 && s.Chain[0].Equal(issuer.Certificate) &&
		checkTime(s.Certificate, now) == nil && !a.outlived(s, issuer, now, margin)
}

func checkTime(c *x509.Certificate, now time.Time) error {
	if now.After(c.NotAfter) {
		return fmt.Errorf("%w: %s, on %s", ErrExpired, describe(c), c.NotAfter.Format(time.DateOnly))
	}
	if now.Before(c.NotBefore) {
		return fmt.Errorf("pki: %s is valid only from %s", describe(c), c.NotBefore.Format(time.RFC3339))
	}
	return nil
}

// describe returns a readable name of a certificate.
func describe(c *x509.Certificate) string {
	for _, s := range append([]string{c.Subject.CommonName}, c.Subject.Organization...) {
		if s = directoryText(s, 256); s != "" {
			return s
		}
	}
	return "certificate " + c.SerialNumber.Text(16)
}
