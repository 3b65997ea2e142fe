package app

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/acme/autocert"
)

// accountName is the file in which autocert keeps the key of its account with the authority.
const accountName = "acme_account+key"

// errAccountLost says that certificates were issued to an account whose key is gone.
var errAccountLost = errors.New("the key is missing")

// acmeCache is where certificates that are renewed by themselves are kept, with the key of the account
// that they were issued to. Without that key, certificates go on being issued, to a new account: nobody's
// signature depends on it. But who says in DNS which account may have certificates (RFC 8657) gets none
// any more, so it is not done without a word.
type acmeCache struct {
	autocert.DirCache
	log *slog.Logger
}

func newACMECache(keys string, log *slog.Logger) acmeCache {
	return acmeCache{autocert.DirCache(filepath.Join(keys, "acme")), log}
}

func (c acmeCache) path() string { return filepath.Join(string(c.DirCache), accountName) }

// account checks the key of the account. There is none before the first certificate.
func (c acmeCache) account() error {
	b, err := os.ReadFile(c.path())
	if errors.Is(err, fs.ErrNotExist) {
		return c.lost()
	}
	if err != nil {
		return err
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return errors.New("it holds no key")
	}
	_, err = x509.ParseECPrivateKey(block.Bytes)
	return err
}

// lost returns [errAccountLost] if there are certificates.
func (c acmeCache) lost() error {
	all, err := os.ReadDir(string(c.DirCache))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), "acme_account") && !strings.HasSuffix(e.Name(), "+token") {
			return errAccountLost
		}
	}
	return nil
}

// Put implements [autocert.Cache].
func (c acmeCache) Put(ctx context.Context, name string, data []byte) error {
	if err := c.lost(); name == accountName && err != nil {
		c.log.Error("another account is registered for TLS certificates", "file", c.path(), "error", err)
	}
	return c.DirCache.Put(ctx, name, data)
}
