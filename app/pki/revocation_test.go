package pki_test

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"paraph/app/pki"
)

// list makes a revocation list of the foreign issuer.
func (f *foreign) list(t *testing.T, issuer *x509.Certificate, key crypto.Signer, edit func(*x509.RevocationList), revoked ...x509.RevocationListEntry) []byte {
	t.Helper()
	template := &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(day),
		RevokedCertificateEntries: revoked,
	}
	if edit != nil {
		edit(template)
	}
	der, err := x509.CreateRevocationList(rand.Reader, template, issuer, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestRevocationLists(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	serial := s.Certificate.SerialNumber
	entry := func(ago time.Duration) x509.RevocationListEntry {
		return x509.RevocationListEntry{SerialNumber: serial, RevocationTime: time.Now().Add(-ago), ReasonCode: 1}
	}
	extension := func(oid asn1.ObjectIdentifier, value []byte) func(*x509.RevocationList) {
		return func(l *x509.RevocationList) {
			l.ExtraExtensions = []pkix.Extension{{Id: oid, Critical: true, Value: value}}
		}
	}
	point := asn1.ObjectIdentifier{2, 5, 29, 28}
	root := f.list(t, f.root, f.rootKey, nil)
	forged := f.list(t, f.issuer, f.issuerKey, nil, entry(time.Hour))
	forged[len(forged)-1] ^= 1 // in the signature
	for name, c := range map[string]struct {
		lists [][]byte
		want  pki.RevocationStatus
	}{
		"none":                 {nil, pki.RevocationUnknown},
		"root only":            {[][]byte{root}, pki.RevocationUnknown},
		"good":                 {[][]byte{root, f.list(t, f.issuer, f.issuerKey, nil)}, pki.NotRevoked},
		"garbage among them":   {[][]byte{[]byte("x"), root, f.list(t, f.issuer, f.issuerKey, nil)}, pki.NotRevoked},
		"another revoked":      {[][]byte{root, f.list(t, f.issuer, f.issuerKey, nil, x509.RevocationListEntry{SerialNumber: big.NewInt(7), RevocationTime: time.Now()})}, pki.NotRevoked},
		"revoked":              {[][]byte{root, f.list(t, f.issuer, f.issuerKey, nil, entry(time.Hour))}, pki.Revoked},
		"revoked, good before": {[][]byte{root, f.list(t, f.issuer, f.issuerKey, nil), f.list(t, f.issuer, f.issuerKey, nil, entry(time.Hour))}, pki.Revoked},
		"revoked later":        {[][]byte{root, f.list(t, f.issuer, f.issuerKey, nil, entry(-time.Hour))}, pki.NotRevoked},
		"stale": {[][]byte{root, f.list(t, f.issuer, f.issuerKey, func(l *x509.RevocationList) {
			l.ThisUpdate, l.NextUpdate = time.Now().Add(-2*day), time.Now().Add(-day)
		})}, pki.RevocationUnknown},
		"forged":               {[][]byte{root, forged}, pki.RevocationUnknown},
		"of authorities only":  {[][]byte{root, f.list(t, f.issuer, f.issuerKey, extension(point, []byte{0x30, 3, 0x82, 1, 0xff}))}, pki.RevocationUnknown},
		"of users only":        {[][]byte{root, f.list(t, f.issuer, f.issuerKey, extension(point, []byte{0x30, 3, 0x81, 1, 0xff}))}, pki.NotRevoked},
		"delta":                {[][]byte{root, f.list(t, f.issuer, f.issuerKey, extension(asn1.ObjectIdentifier{2, 5, 29, 27}, []byte{2, 1, 1}))}, pki.RevocationUnknown},
		"unknown and critical": {[][]byte{root, f.list(t, f.issuer, f.issuerKey, extension(asn1.ObjectIdentifier{1, 2, 3}, []byte{5, 0}))}, pki.RevocationUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := []byte("x")
			r := pki.VerifyCMS(sign(t, s, data, nil), contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}, CRLs: c.lists})
			if r.Revocation.Status != c.want || r.Trusted() != (c.want != pki.Revoked) {
				t.Errorf("%+v, want %s", r.Revocation, c.want)
			}
			if c.want == pki.Revoked && (r.Revocation.Reason != 1 || !r.Revocation.Certificate.Equal(s.Certificate) || len(r.Problems) == 0) {
				t.Errorf("%+v", r.Revocation)
			}
		})
	}
}

// appointed is an OCSP responder that the root authorized for everything below it.
func (f *foreign) appointed(t *testing.T) *pki.Signer {
	t.Helper()
	key := p256(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(77), Subject: pkix.Name{CommonName: "Responder"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(day),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, f.root, key.Public(), f.rootKey)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &pki.Signer{Certificate: c, Key: key}
}

func TestOCSP(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	responder := f.signer(t, p256(t), func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning} })
	stranger := f.signer(t, p256(t), nil)
	root := f.list(t, f.root, f.rootKey, nil)
	above := f.appointed(t)
	response := func(status int, by *pki.Signer, embed bool) []byte {
		template := ocsp.Response{Status: status, SerialNumber: s.Certificate.SerialNumber, ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(time.Hour)}
		if status == ocsp.Revoked {
			template.RevokedAt, template.RevocationReason = time.Now().Add(-time.Hour), 1
		}
		if embed {
			template.Certificate = by.Certificate
		}
		der, err := ocsp.CreateResponse(f.issuer, by.Certificate, template, by.Key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	issuer := f.issuerSigner()
	namesake, err := ocsp.CreateResponse(f.root, above.Certificate, ocsp.Response{Status: ocsp.Good, Certificate: above.Certificate,
		SerialNumber: s.Certificate.SerialNumber, ThisUpdate: time.Now().Add(-time.Minute)}, above.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		response []byte
		want     pki.RevocationStatus
	}{
		"by the root's":      {response(ocsp.Good, above, true), pki.NotRevoked},
		"the root's revokes": {response(ocsp.Revoked, above, true), pki.Revoked},
		"another's serial":   {namesake, pki.RevocationUnknown},
		"good":               {response(ocsp.Good, issuer, false), pki.NotRevoked},
		"revoked":            {response(ocsp.Revoked, issuer, false), pki.Revoked},
		"unknown":            {response(ocsp.Unknown, issuer, false), pki.RevocationUnknown},
		"appointed":          {response(ocsp.Good, responder, true), pki.NotRevoked},
		"appointed, revoked": {response(ocsp.Revoked, responder, true), pki.Revoked},
		"appointed, outside": {response(ocsp.Good, responder, false), pki.NotRevoked},
		"not appointed":      {response(ocsp.Revoked, stranger, true), pki.RevocationUnknown},
		"stranger, outside":  {response(ocsp.Good, stranger, false), pki.RevocationUnknown},
		"garbage":            {[]byte("x"), pki.RevocationUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := []byte("x")
			r := pki.VerifyCMS(sign(t, s, data, nil), contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}, CRLs: [][]byte{root}, OCSPs: [][]byte{c.response},
				Extra: []*x509.Certificate{responder.Certificate, stranger.Certificate}})
			if r.Revocation.Status != c.want {
				t.Errorf("%+v, want %s", r.Revocation, c.want)
			}
		})
	}
}

// A list issued after a signatory's certificate has expired still covers it.
func TestListsSpeakOfExpiredSignatories(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, "", pki.Options{Now: c.now})
	data := []byte("x")
	cms := sign(t, signatory(t, a, c.now()), data, a.Timestamper())
	c.advance(30 * day)
	lists, err := a.CRLs(c.now())
	if err != nil {
		t.Fatal(err)
	}
	r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: a.Roots(), CRLs: lists, At: c.now()})
	if !r.Trusted() || r.Revocation.Status != pki.NotRevoked || r.Timestamp.Revocation.Status != pki.NotRevoked {
		t.Errorf("%+v", r)
	}
}
