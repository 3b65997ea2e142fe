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

// movedPrefix begins the names of files with what a company that came from another
// installation needs of that one's authority: certificates and revocation lists.
const movedPrefix = "moved-"

const (
	pemCertificate = "CERTIFICATE"
	pemList        = "X509 CRL"
)

// Public returns the certificates that a company's signatures lead to, and
// revocation lists as of now, as PEM. With what the company brought along from
// earlier installations, they are all that is needed to judge its files elsewhere.
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

// publicChain lists the certificates of some signers and of the authority itself,
// each once.
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

// Adopt keeps what Public returned on a company's former installation.
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
	return a.folder.write(movedPrefix+companyName(id)+pemSuffix, public)
}

// Disown forgets what Adopt kept.
func (a *Authority) Disown(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.movedHere, id)
	return a.folder.remove(movedPrefix + companyName(id) + pemSuffix)
}

// moved reads what a company brought along, nil if it was founded here.
func (a *Authority) moved(id string) ([]byte, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.folder.dir == "" {
		return a.movedHere[id], nil
	}
	b, err := os.ReadFile(filepath.Join(a.folder.dir, movedPrefix+companyName(id)+pemSuffix))
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	return b, nil
}

// MovedRoots returns the roots of a company's former installations. Only files of
// that company are to be judged by them.
func (a *Authority) MovedRoots(id string) ([]*x509.Certificate, error) {
	b, err := a.moved(id)
	if err != nil || b == nil {
		return nil, err
	}
	all, _, err := parseMoved(b)
	return slices.DeleteFunc(all, func(c *x509.Certificate) bool { return !c.IsCA || !bytes.Equal(c.RawIssuer, c.RawSubject) }), err
}

// MovedLists returns the revocation lists of a company's former installations, DER.
// They speak of everything that was signed there.
func (a *Authority) MovedLists(id string) ([][]byte, error) {
	b, err := a.moved(id)
	if err != nil || b == nil {
		return nil, err
	}
	_, lists, err := parseMoved(b)
	return lists, err
}

// parseMoved reads what Public returned.
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

// checkMoved reads the file of one company again.
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
