package app

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"paraph/app/convert"
	"paraph/app/pki"
	"paraph/app/webhook"
)

// dialer connects only to hosts allowed by the configuration: with network.egress = ["none"]
// nothing ever leaves.
func (a *App) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 10 * time.Second}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if !a.Config.Network.AllowsHost(host) {
			return nil, fmt.Errorf("network.egress does not allow connections to %s", host)
		}
		return d.DialContext(ctx, network, address)
	}
}

// client returns the client for all outgoing HTTP: bounded, without redirects
// and proxies.
func (a *App) client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: a.dialer(), MaxIdleConnsPerHost: 2,
			IdleConnTimeout: time.Minute, TLSHandshakeTimeout: timeout,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// webhookClient returns a client that posts to the receivers of webhooks.
func (a *App) webhookClient() *webhook.Client {
	c := a.Config.Webhooks
	return webhook.NewClient(webhook.Options{
		Timeout: c.Timeout, AllowPrivate: c.AllowPrivate, Allows: a.Config.Network.AllowsHost, Observe: a.metrics.Webhook,
	})
}

// timestamper returns the configured remote authority, or nil for the built-in
// one.
func (a *App) timestamper() (pki.Timestamper, error) {
	c := a.Config.Signing
	if c.TimestampURL == "" {
		return nil, nil
	}
	return pki.NewHTTPTimestamper(pki.HTTPOptions{
		URL: c.TimestampURL, Timeout: c.TimestampTimeout, Client: a.client(c.TimestampTimeout), Now: a.Clock.Now,
	})
}

// revocationTimeout is for one request for revocation data.
const revocationTimeout = 5 * time.Second

// office returns LibreOffice, or nil for the built-in renderer.
func (a *App) office() *convert.Office {
	if a.Config.Convert.Soffice == "none" {
		return nil
	}
	o, found := convert.FindOffice(a.Config.Convert.Soffice)
	if !found {
		return nil
	}
	o.Timeout = a.Config.Convert.Timeout
	return o
}

// importCertificate installs the certificate of signing.pkcs12: an authority's
// becomes the issuer, any other signs for the first company.
func (a *App) importCertificate(ctx context.Context) error {
	c := a.Config.Signing
	if c.PKCS12 == "" {
		return nil
	}
	data, err := os.ReadFile(c.PKCS12)
	if err != nil {
		return fmt.Errorf("signing.pkcs12: %w", err)
	}
	parse := pki.ParsePKCS12
	if bytes.Contains(data, []byte("-----BEGIN ")) {
		parse = pki.ParsePEM
	}
	signer, err := parse(data, c.PKCS12Password.Reveal())
	if err != nil {
		return fmt.Errorf("signing.pkcs12: %w", err)
	}
	if signer.Certificate.IsCA {
		err = a.Keys.ImportIssuer(signer)
	} else {
		err = a.importCompany(ctx, signer)
	}
	if err != nil {
		return fmt.Errorf("signing.pkcs12: %w", err)
	}
	return nil
}

func (a *App) importCompany(ctx context.Context, signer *pki.Signer) error {
	all, err := a.Accounts.Operator.AllCompanies(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	now, err := a.Keys.Company(all[0].ID, all[0].Name)
	if err == nil && now.Certificate.Equal(signer.Certificate) {
		return nil
	}
	return a.Keys.ImportCompany(all[0].ID, signer)
}

// secure adds TLS to a listener, as configured.
func (a *App) secure(ln net.Listener) (net.Listener, error) {
	c := a.Config.Server.TLS
	o := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	switch c.Mode {
	case "files":
		pair, err := tls.LoadX509KeyPair(c.Certificate, c.Key)
		if err != nil {
			return nil, fmt.Errorf("server.tls: %w", err)
		}
		o.Certificates = []tls.Certificate{pair}
	case "self-signed":
		pair, err := a.selfSigned()
		if err != nil {
			return nil, fmt.Errorf("server.tls: %w", err)
		}
		o.Certificates = []tls.Certificate{pair}
	case "acme":
		m := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(a.path("keys/acme")),
			HostPolicy: autocert.HostWhitelist(c.Hosts...), Email: c.ACMEEmail,
			Client: &acme.Client{DirectoryURL: c.ACMEDirectory, HTTPClient: a.client(30 * time.Second)},
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
func (a *App) selfSigned() (tls.Certificate, error) {
	path := a.path("keys/tls.pem")
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
	hosts := append([]string{"localhost"}, a.Config.Server.TLS.Hosts...)
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
	if err := os.MkdirAll(a.path("keys"), 0o700); err != nil {
		return tls.Certificate{}, err
	}
	if err := writeSecret(path, text); err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(text, text)
}
