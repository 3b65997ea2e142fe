package pki

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// movedPrefix is the prefix of files that hold the certificates and revocation lists of the
// former installation of a company that moved here.
const movedPrefix = "moved-"

const (
	pemCertificate = "CERTIFICATE"
	pemList        = "X509 CRL"
)

// Public returns the certificates that a company's signatures chain to, and current revocation
// lists, as PEM. Together with those from earlier installations, they are all that is needed to
// verify its files elsewhere.
func (a *Authority) Public(id, name string) ([]byte, error) {
	company, err := a.Company(id, name)
	if err != nil {
		return nil, err
	}
	stamps, err := a.timestampSigner(a.now())
	if err != nil {
		return nil, err
	}
	lists, err := a.CRLs(a.now())
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(EncodePEM(a.publicChain(company, stamps)...))
	for _, der := range lists {
		if err := pem.Encode(out, &pem.Block{Type: pemList, Bytes: der}); err != nil {
			return nil, err
		}
	}
	before, err := a.moved(id)
	if err != nil {
		return nil, err
	}
	out.Write(before)
	return out.Bytes(), nil
}

// publicChain lists the certificates of some signers and of the authority itself, without
// duplicates.
func (a *Authority) publicChain(signers ...*Signer) (all []*x509.Certificate) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, s := range append(append(signers, a.root), a.issuers...) {
		for _, c := range s.Certificates() {
			if !slices.ContainsFunc(all, c.Equal) {
				all = append(all, c)
			}
		}
	}
	return all
}

// Adopt stores the result of Public from a company's former installation.
func (a *Authority) Adopt(id string, public []byte) error {
	if _, _, err := parseMoved(public); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.folder.dir == "" {
		a.movedHere[id] = bytes.Clone(public)
		return nil
	}
	return a.folder.write(movedPrefix+companyName(id)+pemSuffix, public, nil)
}

// Disown removes the data stored by Adopt.
func (a *Authority) Disown(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.movedHere, id)
	return a.folder.remove(movedPrefix + companyName(id) + pemSuffix)
}

// moved reads the data of a company's former installations, nil if there is none.
func (a *Authority) moved(id string) ([]byte, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.folder.dir == "" {
		return a.movedHere[id], nil
	}
	name := movedPrefix + companyName(id) + pemSuffix
	b, err := os.ReadFile(filepath.Join(a.folder.dir, name))
	if isMissing(err) {
		if err = a.folder.missing(name, err); isMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	return b, nil
}

// MovedRoots returns the roots of a company's former installations. Only files of that company
// may be verified against them.
func (a *Authority) MovedRoots(id string) ([]*x509.Certificate, error) {
	b, err := a.moved(id)
	if err != nil || b == nil {
		return nil, err
	}
	all, _, err := parseMoved(b)
	return slices.DeleteFunc(all, func(c *x509.Certificate) bool { return !c.IsCA || !bytes.Equal(c.RawIssuer, c.RawSubject) }), err
}

// MovedLists returns the revocation lists of a company's former installations, DER. They cover
// everything signed there.
func (a *Authority) MovedLists(id string) ([][]byte, error) {
	b, err := a.moved(id)
	if err != nil || b == nil {
		return nil, err
	}
	_, lists, err := parseMoved(b)
	return lists, err
}

// parseMoved parses the result of Public.
func parseMoved(b []byte) (certificates []*x509.Certificate, lists [][]byte, err error) {
	for {
		block, rest := pem.Decode(b)
		if block == nil {
			if len(bytes.TrimSpace(b)) > 0 {
				err = fmt.Errorf("%w: it ends in something that is not PEM", ErrKeyFile)
			}
			return certificates, lists, err
		}
		switch block.Type {
		case pemCertificate:
			c, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
			}
			certificates = append(certificates, c)
		case pemList:
			if _, err := x509.ParseRevocationList(block.Bytes); err != nil {
				return nil, nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
			}
			lists = append(lists, block.Bytes)
		default:
			return nil, nil, fmt.Errorf("%w: it holds a %s", ErrKeyFile, block.Type)
		}
		b = rest
	}
}

// checkMoved verifies the file of one company.
func (f folder) checkMoved(name string) error {
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err == nil {
		_, _, err = parseMoved(b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
