package pki

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

const (
	maxImport     = 1 << 20
	minimumRSA    = 2048
	maximumRSA    = 8192
	importFailure = "it holds no private key"
)

// ParsePKCS12 reads a key, its certificate and its chain from a PKCS#12 file (.p12, .pfx). For
// a wrong password it returns ErrPassword, for any other fault ErrImport.
func ParsePKCS12(data []byte, password string) (*Signer, error) {
	if len(data) > maxImport {
		return nil, fmt.Errorf("%w: the file is too large", ErrImport)
	}
	der, _, err := toDER(data) // Windows and Java write BER, which the decoder does not read
	if err != nil {
		return nil, fmt.Errorf("%w: it is not a PKCS#12 file", ErrImport)
	}
	if tooManyIterations(der, 0) {
		return nil, fmt.Errorf("%w: its key derivation asks for more than %d iterations", ErrImport, maxIterations)
	}
	key, certificate, others, err := pkcs12.DecodeChain(der, password)
	if errors.Is(err, pkcs12.ErrIncorrectPassword) || errors.Is(err, pkcs12.ErrDecryption) {
		return nil, ErrPassword
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the PKCS#12 file cannot be read: %w", ErrImport, err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%w: its key cannot sign", ErrImport)
	}
	return assemble(signer, append([]*x509.Certificate{certificate}, others...))
}

// ParsePEM reads a private key and certificates in any order from PEM text. The password is for
// an encrypted key (PKCS#8, PBES2 with AES) and otherwise ignored. Its errors are those of
// ParsePKCS12.
func ParsePEM(data []byte, password string) (*Signer, error) {
	if len(data) > maxImport {
		return nil, fmt.Errorf("%w: the file is too large", ErrImport)
	}
	var key crypto.Signer
	var certificates []*x509.Certificate
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		data = rest
		switch {
		case block.Type == "CERTIFICATE":
			c, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("%w: certificate %d: %w", ErrImport, len(certificates)+1, err)
			}
			certificates = append(certificates, c)
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			if key != nil {
				return nil, fmt.Errorf("%w: there is more than one private key in it", ErrImport)
			}
			var err error
			if key, err = parsePrivateKey(block, password); err != nil {
				return nil, err
			}
		}
	}
	if key == nil {
		return nil, fmt.Errorf("%w: %s", ErrImport, importFailure)
	}
	return assemble(key, certificates)
}

func parsePrivateKey(block *pem.Block, password string) (crypto.Signer, error) {
	if block.Headers["DEK-Info"] != "" {
		return nil, fmt.Errorf("%w: the private key is encrypted in an old, weak way; convert it with \"openssl pkcs8 -topk8\"", ErrImport)
	}
	der := block.Bytes
	if block.Type == "ENCRYPTED PRIVATE KEY" {
		var err error
		if der, err = decryptPKCS8(der, password); err != nil {
			return nil, err
		}
	}
	key, err := parseKey(block.Type, der)
	if err != nil {
		return nil, fmt.Errorf("%w: the private key is damaged or of an unknown kind", ErrImport)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%w: its key cannot sign", ErrImport)
	}
	return signer, nil
}

func parseKey(kind string, der []byte) (any, error) {
	switch kind {
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(der)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(der)
	default:
		return x509.ParsePKCS8PrivateKey(der)
	}
}

// assemble finds the key's certificate among several and sorts the others into a chain.
func assemble(key crypto.Signer, certificates []*x509.Certificate) (*Signer, error) {
	if len(certificates) == 0 {
		return nil, fmt.Errorf("%w: it holds no certificate", ErrImport)
	}
	i := slices.IndexFunc(certificates, func(c *x509.Certificate) bool { return samePublicKey(c.PublicKey, key.Public()) })
	if i < 0 {
		return nil, fmt.Errorf("%w: the private key is not that of %q", ErrImport, describe(certificates[0]))
	}
	leaf := certificates[i]
	found := findPath(leaf, VerifyOptions{Extra: certificates}, leaf.NotBefore)
	return &Signer{Certificate: leaf, Key: key, Chain: found.chain[1:]}, nil
}

// CheckCompany checks that a signer can sign for a company: key, validity at a time, key usage,
// purpose. The error wraps ErrImport and states the fault.
func CheckCompany(s *Signer, at time.Time) error {
	if err := checkImported(s, at); err != nil {
		return err
	}
	c := s.Certificate
	switch {
	case c.IsCA:
		return fmt.Errorf("%w: %q is an authority's certificate; a company signs with one of its own", ErrImport, describe(c))
	case c.KeyUsage != 0 && c.KeyUsage&leafUsage == 0:
		return fmt.Errorf("%w: the key usage of %q does not allow signatures", ErrImport, describe(c))
	case !meantForDocuments(c):
		return fmt.Errorf("%w: %q is for other purposes than signing documents", ErrImport, describe(c))
	}
	return nil
}

// CheckIssuer checks that a signer can issue the certificates of companies and signatories. The
// error wraps ErrImport and states the fault.
func CheckIssuer(s *Signer, at time.Time) error {
	if err := checkImported(s, at); err != nil {
		return err
	}
	c := s.Certificate
	if problems := authorityProblems(c, 0); len(problems) > 0 {
		return fmt.Errorf("%w: %s", ErrImport, importReason(problems[0]))
	}
	if !bytes.Equal(top(s).RawIssuer, top(s).RawSubject) {
		return fmt.Errorf("%w: the certificates between %q and its root are missing; put them into the same file", ErrImport, describe(top(s)))
	}
	purposes := c.ExtKeyUsage
	restricted := len(purposes)+len(c.UnknownExtKeyUsage) > 0 && !slices.Contains(purposes, x509.ExtKeyUsageAny)
	if restricted && !(slices.Contains(purposes, x509.ExtKeyUsageEmailProtection) && slices.Contains(purposes, x509.ExtKeyUsageTimeStamping)) {
		return fmt.Errorf("%w: %q may not issue certificates for both e-mail protection and timestamping", ErrImport, describe(c))
	}
	return nil
}

// importReason explains in a sentence why a certificate cannot be imported.
func importReason(f Finding) string {
	name := strconv.Quote(f.Args["name"])
	day, _, _ := strings.Cut(f.Args["date"], "T")
	switch f.Code {
	case "expired":
		return name + " had expired on " + day
	case "not_yet_valid":
		return name + " was not yet valid on " + day
	case "not_an_authority":
		return name + " is not an authority's certificate"
	case "may_not_issue":
		return "the key usage of " + name + " does not allow it to issue certificates"
	case "chain_too_long":
		return "the chain below " + name + " would be longer than it allows"
	}
	return f.String()
}

func checkImported(s *Signer, at time.Time) error {
	if s == nil || s.Certificate == nil || s.Key == nil {
		return fmt.Errorf("%w: %s", ErrImport, importFailure)
	}
	c := s.Certificate
	if !samePublicKey(c.PublicKey, s.Key.Public()) {
		return fmt.Errorf("%w: the private key is not that of %q", ErrImport, describe(c))
	}
	if err := checkKey(c); err != nil {
		return err
	}
	for _, c := range s.Certificates() {
		if problems := validity(c, at); len(problems) > 0 {
			return fmt.Errorf("%w: %s", ErrImport, importReason(problems[0]))
		}
	}
	e, below := newEvidence(), c
	for _, issuer := range s.Chain {
		if !e.issued(issuer, below) {
			return fmt.Errorf("%w: %q was not issued by %q", ErrImport, describe(below), describe(issuer))
		}
		below = issuer
	}
	return nil
}

func checkKey(c *x509.Certificate) error {
	if _, err := signerAlgorithm(c.PublicKey); err != nil {
		return fmt.Errorf("%w: %q: %w", ErrImport, describe(c), err)
	}
	switch key := c.PublicKey.(type) {
	case *rsa.PublicKey:
		if n := key.N.BitLen(); n < minimumRSA || n > maximumRSA {
			return fmt.Errorf("%w: the RSA key of %q has %d bits; %d to %d are supported", ErrImport, describe(c), n, minimumRSA, maximumRSA)
		}
	case *ecdsa.PublicKey: // signerAlgorithm checks the curves
	}
	return nil
}

// ImportCompany makes a company sign with its own certificate from now on, after checking it
// with CheckCompany.
func (a *Authority) ImportCompany(id string, s *Signer) error {
	if id == "" {
		return errors.New("pki: a company needs an identifier")
	}
	if err := CheckCompany(s, a.now()); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := companyName(id)
	before, err := a.imported(key)
	if err != nil {
		return err
	}
	if err := a.replace(ownPrefix+key+pemSuffix, before, s); err != nil {
		return err
	}
	a.companies[key] = s
	return nil
}

// RemoveCompanyImport returns to a certificate of this authority. Without an imported one it
// does nothing.
func (a *Authority) RemoveCompanyImport(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := companyName(id)
	before, err := a.imported(key)
	if err != nil || before == nil {
		return err
	}
	if err := a.retire(before); err != nil {
		return err
	}
	if err := a.folder.remove(ownPrefix + key + pemSuffix); err != nil {
		return err
	}
	delete(a.companies, key)
	return nil
}

// imported returns a company's imported signer, or nil.
func (a *Authority) imported(key string) (*Signer, error) {
	s, err := a.loadCompany(key)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	if s == nil || a.issued(s) {
		return nil, nil
	}
	return s, nil
}

// ImportIssuer makes this authority issue with an external issuing certificate from now on,
// after checking it with CheckIssuer: companies and the timestamp authority get new
// certificates at their next use.
func (a *Authority) ImportIssuer(s *Signer) error {
	if err := CheckIssuer(s, a.now()); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.addIssuer(s)
}

// UseOwnIssuer returns to the installation's own root. Without an imported issuer it does
// nothing.
func (a *Authority) UseOwnIssuer() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.issuers); n > 0 && a.isOwn(a.issuers[n-1]) {
		return nil
	}
	_, err := a.addOwnIssuer(a.now())
	return err
}
