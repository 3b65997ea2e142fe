package web

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
)

// trustCards is the page of certificates.
type trustCards struct {
	Company certificateView
	Root    certificateView
	Own     bool // the company's certificate was brought along
	Renewal time.Time
	Stamps  string // address of the timestamp authority, "" for the built-in one
}

// certificateView is one certificate for people.
type certificateView struct {
	Subject, Issuer, Serial, Key string
	From, Until                  time.Time
	Over                         int // per cent of its time
	Left                         string
}

func (r *request) showCertificates() error {
	signer, err := r.door.Keys.Company(r.who.Company.ID, r.who.Company.Name)
	if err != nil && (signer == nil || !errors.Is(err, pki.ErrExpired)) {
		return err
	}
	c := trustCards{Company: r.certificate(signer.Certificate), Root: r.certificate(r.door.Keys.Root()), Own: !r.door.Keys.Made(signer),
		Renewal: signer.Certificate.NotAfter.Add(-pki.Renewal), Stamps: r.door.Setup.TimestampURL}
	return r.settings(http.StatusOK, "settings-trust", page{Title: r.say("settings.trust"), Data: c})
}

func (r *request) certificate(c *x509.Certificate) certificateView {
	return certificateView{Subject: c.Subject.CommonName, Issuer: c.Issuer.CommonName, Serial: fmt.Sprintf("%X", c.SerialNumber), Key: keyName(c),
		From: c.NotBefore, Until: c.NotAfter, Over: percent(c.NotBefore, c.NotAfter, r.door.Now()), Left: r.daysLeft(c.NotAfter)}
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
