package settings

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"paraph/app/pki"
	"paraph/app/web/page"
)

// Trust serves the page about certificates.
type Trust struct {
	*Frame
	TimestampURL string // "" for the built-in authority
}

// trustCards is the data of the page about certificates.
type trustCards struct {
	Company certificateView
	Root    certificateView
	Own     bool // the company's certificate was imported
	Renewal time.Time
	Stamps  string // address of the timestamp authority, "" for the built-in one
}

// certificateView describes one certificate.
type certificateView struct {
	Subject, Issuer, Serial, Key string
	From, Until                  time.Time
	Over                         int // elapsed percentage of its lifetime
	Left                         string
}

// ShowCertificates serves the certificates behind the company's signatures.
func (h *Trust) ShowCertificates(r *page.Request) error {
	signer, err := h.Keys.Company(r.Who.Company.ID, r.Who.Company.Name)
	if err != nil && (signer == nil || !errors.Is(err, pki.ErrExpired)) {
		return err
	}
	c := trustCards{
		Company: h.certificate(r, signer.Certificate),
		Root:    h.certificate(r, h.Keys.Root()),
		Own:     !h.Keys.Made(signer),
		Renewal: signer.Certificate.NotAfter.Add(-pki.Renewal),
		Stamps:  h.TimestampURL,
	}
	return show(h.Frame, r, http.StatusOK, trustTemplate, sheet[trustCards]{Title: r.Say("settings.trust"), Own: c})
}

func (h *Trust) certificate(r *page.Request, c *x509.Certificate) certificateView {
	return certificateView{Subject: c.Subject.CommonName, Issuer: c.Issuer.CommonName, Serial: fmt.Sprintf("%X", c.SerialNumber), Key: keyName(c),
		From:  c.NotBefore,
		Until: c.NotAfter,
		Over:  percent(c.NotBefore, c.NotAfter, h.Now(r.Who.Company.ID)),
		Left:  h.daysLeft(r, c.NotAfter),
	}
}

func keyName(c *x509.Certificate) string {
	switch k := c.PublicKey.(type) {
	case *ecdsa.PublicKey:
		return "ECDSA " + k.Curve.Params().Name
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA %d", k.N.BitLen())
	}
	return strings.TrimSpace(c.PublicKeyAlgorithm.String())
}
