package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"paraph/app/folder"
)

// serverTLS encrypts the connections to the server.
type serverTLS struct {
	config TLSConfig
	keys   string // the folder of the keys
	out    outgoing
	log    *slog.Logger
}

func newServerTLS(c Config, dir string, log *slog.Logger) serverTLS {
	return serverTLS{c.Server.TLS, filepath.Join(dir, "keys"), outgoing{c.Network}, log}
}

// check reads the server's own certificate, if there is one.
func (s serverTLS) check() error {
	_, err := tls.LoadX509KeyPair(s.selfSignedPath(), s.selfSignedPath())
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("%s can't be used: %w; delete it, and the next start makes another", s.selfSignedPath(), err)
}

// keyPair is a certificate with its key, in files that are read again when they change: whoever
// renews them need not restart the server.
type keyPair struct {
	certificate, key string
	log              *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	read [2]fileStamp
}

// fileStamp tells the versions of a file apart. It is zero for a file that can't be found.
type fileStamp struct {
	size    int64
	changed time.Time
}

func (k *keyPair) stamps() (all [2]fileStamp) {
	for i, path := range []string{k.certificate, k.key} {
		if info, err := os.Stat(path); err == nil {
			all[i] = fileStamp{info.Size(), info.ModTime()}
		}
	}
	return all
}

// load reads the files.
func (k *keyPair) load() error {
	k.read = k.stamps()
	pair, err := tls.LoadX509KeyPair(k.certificate, k.key)
	if err != nil {
		return err
	}
	if end := pair.Leaf.NotAfter; end.Before(time.Now()) {
		k.log.Warn("the TLS certificate has expired", "file", k.certificate, "expired", end)
	}
	k.pair = &pair
	return nil
}

// get implements GetCertificate of [tls.Config]. While the files don't belong together, as between
// the replacement of the one and the other, the certificate that was read last stays in use.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stamps() == k.read {
		return k.pair, nil
	}
	if err := k.load(); err != nil {
		k.log.Warn("the TLS certificate can't be read again", "file", k.certificate, "error", err)
		return k.pair, nil
	}
	k.log.Info("the TLS certificate was read again", "file", k.certificate, "expires", k.pair.Leaf.NotAfter)
	return k.pair, nil
}

// selfSignedPath is the file with the certificate that the server creates for itself.
func (s serverTLS) selfSignedPath() string { return filepath.Join(s.keys, "tls.pem") }

// secure adds TLS to a listener, as configured.
func (s serverTLS) secure(ln net.Listener) (net.Listener, error) {
	c := s.config
	o := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	switch c.Mode {
	case "files":
		pair := &keyPair{certificate: c.Certificate, key: c.Key, log: s.log}
		if err := pair.load(); err != nil {
			return nil, fmt.Errorf("server.tls: %w", err)
		}
		o.GetCertificate = pair.get
	case "self-signed":
		pair, err := s.selfSigned()
		if err != nil {
			return nil, fmt.Errorf("server.tls: %w", err)
		}
		o.Certificates = []tls.Certificate{pair}
	case "acme":
		m := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: newACMECache(s.keys, s.log),
			HostPolicy: autocert.HostWhitelist(c.Hosts...), Email: c.ACMEEmail,
			Client: &acme.Client{DirectoryURL: c.ACMEDirectory, HTTPClient: s.out.client(30 * time.Second)},
		}
		o.GetCertificate = m.GetCertificate
		o.NextProtos = append(o.NextProtos, acme.ALPNProto)
	default:
		return ln, nil
	}
	return tls.NewListener(ln, o), nil
}

// selfSigned reads the server's own certificate, or creates one valid for ten
// years.
func (s serverTLS) selfSigned() (tls.Certificate, error) {
	path := s.selfSignedPath()
	if pair, err := tls.LoadX509KeyPair(path, path); err == nil || !errors.Is(err, os.ErrNotExist) {
		return pair, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, err
	}
	hosts := append([]string{"localhost"}, s.config.Hosts...)
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: hosts[len(hosts)-1]}, DNSNames: hosts,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := os.MkdirAll(s.keys, 0o700); err != nil {
		return tls.Certificate{}, err
	}
	if err := folder.WriteSecret(path, text); err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(text, text)
}

// files returns the files that hold the certificate and its key, empty if there are none.
func (s serverTLS) files() (certificate, key string) {
	switch s.config.Mode {
	case "files":
		return s.config.Certificate, s.config.Key
	case "self-signed":
		return s.selfSignedPath(), s.selfSignedPath()
	case "acme":
		// As autocert keeps it. It is renewed a month ahead, so one that is about to expire isn't.
		path := filepath.Join(s.keys, "acme", s.config.Hosts[0])
		return path, path
	}
	return "", ""
}

// expiry returns the address that the certificate is for, and when it expires; the zero
// time if it is renewed by itself, or there is none.
func (s serverTLS) expiry() (address string, end time.Time, err error) {
	c := s.config
	path, key := s.files()
	if path == "" {
		return "", time.Time{}, nil
	}
	pair, err := tls.LoadX509KeyPair(path, key)
	if errors.Is(err, fs.ErrNotExist) && c.Mode != "files" {
		return "", time.Time{}, nil // made at the next start, or requested with the first connection
	}
	if err != nil {
		return "", time.Time{}, err
	}
	host := pair.Leaf.Subject.CommonName
	if names := pair.Leaf.DNSNames; len(names) > 0 {
		host = names[0]
	} else if addresses := pair.Leaf.IPAddresses; len(addresses) > 0 {
		host = addresses[0].String()
	}
	return "https://" + host, pair.Leaf.NotAfter, nil
}
