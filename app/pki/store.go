package pki

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// File names in the keys folder. A file with a key also holds its certificate and chain, so
// that they always match.
const (
	rootFile        = "root.pem"
	timestampFile   = "timestamp.pem"
	issuerPrefix    = "issuer-"
	companyPrefix   = "company-"
	ownPrefix       = "own-company-" // imported by the company
	pastPrefix      = "past-"        // superseded certificates, without keys
	temporaryPrefix = ".new-"
	pemSuffix       = ".pem"
	maxKeyFile      = 1 << 20
)

// folder is the keys folder; with an empty path nothing is stored.
type folder struct {
	dir      string
	register Register // or nil
}

// open creates the folder if needed, makes it private and removes the remains of an interrupted
// write.
func (f folder) open() error {
	if f.dir == "" {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	if err := syncFolder(filepath.Dir(f.dir)); err != nil {
		return fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	if err := restrict(f.dir, 0o700); err != nil {
		return err
	}
	leftovers, err := f.list(temporaryPrefix)
	if err != nil {
		return err
	}
	for _, name := range leftovers {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
			return fmt.Errorf("%w: removing an unfinished file: %w", ErrKeyFile, err)
		}
	}
	return nil
}

// list returns the names with a prefix, sorted.
func (f folder) list(prefix string) ([]string, error) {
	if f.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	var names []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// load reads a signer; the error is fs.ErrNotExist if there never was such a file.
func (f folder) load(name string) (*Signer, error) {
	if f.dir == "" {
		return nil, fs.ErrNotExist
	}
	path := filepath.Join(f.dir, name)
	info, err := os.Stat(path)
	if isMissing(err) {
		return nil, f.missing(name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	if info.Size() > maxKeyFile {
		return nil, fmt.Errorf("%w: %s is too large (%d bytes)", ErrKeyFile, path, info.Size())
	}
	if err := restrict(path, 0o600); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	signer, err := decodeSigner(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w; restore it from a backup", ErrKeyFile, path, err)
	}
	return signer, nil
}

// missing returns the error for a file that is not there: another one if it should be.
func (f folder) missing(name string, err error) error {
	if f.register == nil {
		return err
	}
	needed, lookup := f.register.Needs(name)
	if lookup != nil {
		return lookup
	}
	if needed {
		return fmt.Errorf("%w: %s is missing; restore it from a backup", ErrKeyFile, filepath.Join(f.dir, name))
	}
	return err
}

func (f folder) save(name string, s *Signer) error {
	if f.dir == "" {
		return nil
	}
	key, err := x509.MarshalPKCS8PrivateKey(s.Key)
	if err != nil {
		return fmt.Errorf("pki: encoding key: %w", err)
	}
	var b bytes.Buffer
	if err := pem.Encode(&b, &pem.Block{Type: "PRIVATE KEY", Bytes: key}); err != nil {
		return fmt.Errorf("pki: encoding key: %w", err)
	}
	b.Write(EncodePEM(s.Certificates()...))
	return f.write(name, b.Bytes(), mark(s.Certificate))
}

// retire keeps a superseded certificate and its chain; its key is lost when its original file
// is replaced.
func (f folder) retire(s *Signer) error {
	if f.dir == "" {
		return nil
	}
	return f.write(pastName(s.Certificate), EncodePEM(s.Certificates()...), nil)
}

func pastName(c *x509.Certificate) string { return pastPrefix + c.SerialNumber.Text(16) + pemSuffix }

// write replaces a file so that after a crash either the old or the new one is there, complete.
func (f folder) write(name string, data, mark []byte) error {
	path := filepath.Join(f.dir, name)
	if err := f.writeAside(path, data); err != nil {
		return fmt.Errorf("%w: writing %s: %w", ErrKeyFile, path, err)
	}
	if f.register == nil {
		return nil
	}
	return f.register.Keep(name, mark)
}

func (f folder) writeAside(path string, data []byte) error {
	file, err := os.CreateTemp(f.dir, temporaryPrefix+"*") // CreateTemp sets the mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return syncFolder(f.dir)
}

func (f folder) remove(name string) error {
	if f.dir == "" {
		return nil
	}
	if f.register != nil {
		if err := f.register.Drop(name); err != nil {
			return err
		}
	}
	if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !isMissing(err) {
		return fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	return syncFolder(f.dir)
}

// syncFolder makes a rename durable. Windows has no such call and needs none.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// restrict removes other users' rights, which a restored backup may have introduced.
func restrict(path string, mode fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	if info.Mode().Perm()&^mode == 0 {
		return nil
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("%w: other users can read it and that cannot be changed: %w", ErrKeyFile, err)
	}
	return nil
}

// decodeSigner reads a key followed by its certificate and chain, and checks that they belong together.
func decodeSigner(data []byte) (*Signer, error) {
	block, rest := pem.Decode(data)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("does not begin with a private key")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("its private key is damaged")
	}
	key, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, errors.New("its private key cannot sign")
	}
	certificates, err := decodeCertificates(rest)
	if err != nil {
		return nil, err
	}
	if len(certificates) == 0 {
		return nil, errors.New("no certificate")
	}
	if !samePublicKey(certificates[0].PublicKey, key.Public()) {
		return nil, errors.New("its private key is not the certificate's")
	}
	if err := checkLinks(certificates); err != nil {
		return nil, err
	}
	return &Signer{Certificate: certificates[0], Key: key, Chain: certificates[1:]}, nil
}

// checkLinks verifies that each certificate is signed with the next one's key, since a
// certificate may stay readable despite a flipped bit.
func checkLinks(certificates []*x509.Certificate) error {
	e := newEvidence()
	for i, c := range certificates {
		issuer := certificates[min(i+1, len(certificates)-1)]
		if issuer == c && !bytes.Equal(c.RawIssuer, c.RawSubject) {
			return nil // an imported chain may end below its root
		}
		if !e.issued(issuer, c) {
			return fmt.Errorf("certificate %d is damaged: its signature is wrong", i+1)
		}
	}
	return nil
}

// loadPast reads the certificates of a file of pastPrefix.
func (f folder) loadPast(name string) ([]*x509.Certificate, error) {
	path := filepath.Join(f.dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeyFile, err)
	}
	certificates, err := decodeCertificates(data)
	if err == nil && len(certificates) == 0 {
		err = errors.New("it has no certificate")
	}
	if err == nil {
		err = checkLinks(certificates)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrKeyFile, path, err)
	}
	return certificates, nil
}

func decodeCertificates(data []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			if len(bytes.TrimSpace(data)) > 0 {
				return nil, errors.New("it ends in something that is not PEM")
			}
			return certificates, nil
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d is damaged: %w", len(certificates)+1, err)
		}
		certificates, data = append(certificates, certificate), rest
	}
}

// ParseCertificates reads the certificates of a file: PEM with any surrounding text, or a
// single one in DER.
func ParseCertificates(data []byte) ([]*x509.Certificate, error) {
	if c, err := ParseCertificate(data); err == nil {
		return []*x509.Certificate{c}, nil
	}
	var all []*x509.Certificate
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		c, err := ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no certificate in it, neither as PEM nor as DER")
	}
	return all, nil
}

// EncodePEM encodes certificates in sequence.
func EncodePEM(certificates ...*x509.Certificate) []byte {
	var out []byte
	for _, c := range certificates {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return out
}

// Kept reports whether a name is that of a file of the keys folder that belongs to an authority.
func Kept(name string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	own := []string{issuerPrefix, companyPrefix, ownPrefix, pastPrefix, movedPrefix}
	return name == rootFile || name == timestampFile || strings.HasSuffix(name, pemSuffix) && slices.ContainsFunc(own, begins)
}

// Lacking lists the files that a keys folder must have, and doesn't, if its authority has certified documents of some
// companies.
func Lacking(dir string, companies []string) (names []string, err error) {
	f := folder{dir: dir}
	lacks := func(name string, prefixes ...string) error {
		for _, prefix := range prefixes {
			found, err := f.list(prefix)
			if err != nil || len(found) > 0 {
				return err
			}
		}
		names = append(names, name)
		return nil
	}
	errs := []error{lacks(rootFile, rootFile), lacks(issuerPrefix+"0001"+pemSuffix, issuerPrefix), lacks(timestampFile, timestampFile)}
	for _, id := range companies {
		name := companyName(id) + pemSuffix
		errs = append(errs, lacks(companyPrefix+name, companyPrefix+name, ownPrefix+name))
	}
	return names, errors.Join(errs...)
}

// Mark reads a file of a keys folder and returns the mark of its key: the hash of its
// certificate. Files without a key have none. The error is fs.ErrNotExist if the file is missing.
func Mark(dir, name string) ([]byte, error) {
	f := folder{dir: dir}
	switch {
	case strings.HasPrefix(name, pastPrefix):
		past, err := f.loadPast(name)
		if err == nil && name != pastName(past[0]) {
			err = fmt.Errorf("%w: %s is of another certificate", ErrKeyFile, name)
		}
		return nil, err
	case strings.HasPrefix(name, movedPrefix):
		return nil, f.checkMoved(name)
	}
	s, err := f.load(name)
	if err != nil {
		return nil, err
	}
	return mark(s.Certificate), nil
}

// Superseded reports whether the certificate with a mark was superseded by another one.
func Superseded(dir string, m []byte) (bool, error) {
	f := folder{dir: dir}
	names, err := f.list(pastPrefix)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		past, err := f.loadPast(name)
		if err != nil {
			return false, err
		}
		if bytes.Equal(mark(past[0]), m) {
			return true, nil
		}
	}
	return false, nil
}

func mark(c *x509.Certificate) []byte {
	sum := sha256.Sum256(c.Raw)
	return sum[:]
}

// companyName returns the part of a file name that represents a company. Identifiers that a
// file system might misinterpret or fold together are replaced by their hash.
func companyName(id string) string {
	safe := len(id) > 0 && len(id) <= 64
	for _, r := range id {
		safe = safe && (r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	}
	if safe {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "-" + hex.EncodeToString(sum[:])
}

func samePublicKey(a, b crypto.PublicKey) bool {
	if key, ok := a.(interface{ Equal(crypto.PublicKey) bool }); ok {
		return key.Equal(b)
	}
	return false
}

// check reads every file and joins all errors.
func (f folder) check() error {
	names, err := f.list("")
	if err != nil {
		return err
	}
	for _, name := range names {
		var fault error
		switch {
		case !Kept(name): // another's, such as the certificate of the web server
		case strings.HasPrefix(name, pastPrefix):
			_, fault = f.loadPast(name)
		case strings.HasPrefix(name, movedPrefix):
			fault = f.checkMoved(name)
		default:
			_, fault = f.load(name)
		}
		err = errors.Join(err, fault)
	}
	return err
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
