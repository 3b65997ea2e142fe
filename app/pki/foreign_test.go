package pki_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/pki"
)

// opensslSign has openssl sign data and returns the CMS structure.
func opensslSign(t *testing.T, s *pki.Signer, data []byte, args ...string) []byte {
	t.Helper()
	out := write(t, "foreign.der", nil)
	openssl(t, append([]string{"cms", "-sign", "-binary", "-in", write(t, "data", data), "-signer", pemFile(t, s.Certificate),
		"-inkey", write(t, "key.pem", pkcs8(t, s.Key)), "-certfile", pemFile(t, s.Chain...), "-outform", "DER", "-out", out}, args...)...)
	der, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestForeignSignatures(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p521, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaSigner, ecSigner := f.signer(t, rsaKey, nil), f.signer(t, p256(t), nil)
	for name, c := range map[string]struct {
		signer    *pki.Signer
		args      string
		algorithm string
		weak      bool
		binding   string
		noTime    bool
	}{
		"RSA SHA-256":         {rsaSigner, "-md sha256", "RSA 2048 with SHA-256", false, "", false},
		"RSA SHA-1":           {rsaSigner, "-md sha1", "RSA 2048 with SHA-1", true, "", false},
		"RSA MD5":             {rsaSigner, "-md md5", "RSA 2048 with MD5", true, "", false},
		"RSA SHA-384":         {rsaSigner, "-md sha384", "RSA 2048 with SHA-384", false, "", false},
		"RSA SHA-512":         {rsaSigner, "-md sha512", "RSA 2048 with SHA-512", false, "", false},
		"RSA-PSS SHA-256":     {rsaSigner, "-md sha256 -keyopt rsa_padding_mode:pss", "RSA-PSS 2048 with SHA-256", false, "", false},
		"RSA-PSS SHA-512":     {rsaSigner, "-md sha512 -keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:20", "RSA-PSS 2048 with SHA-512", false, "", false},
		"RSA-PSS SHA-1":       {rsaSigner, "-md sha1 -keyopt rsa_padding_mode:pss", "RSA-PSS 2048 with SHA-1", true, "", false},
		"ECDSA":               {ecSigner, "-md sha256", "ECDSA P-256 with SHA-256", false, "", false},
		"ECDSA SHA-1":         {ecSigner, "-md sha1", "ECDSA P-256 with SHA-1", true, "", false},
		"ECDSA P-521":         {f.signer(t, p521, nil), "-md sha512", "ECDSA P-521 with SHA-512", false, "", false},
		"CAdES":               {ecSigner, "-md sha256 -cades", "ECDSA P-256 with SHA-256", false, "signing-certificate-v2", false},
		"CAdES SHA-512":       {ecSigner, "-md sha512 -cades", "ECDSA P-256 with SHA-512", false, "signing-certificate-v2", false},
		"CAdES SHA-1":         {ecSigner, "-md sha1 -cades", "ECDSA P-256 with SHA-1", true, "signing-certificate", false},
		"no attributes":       {rsaSigner, "-md sha256 -noattr", "RSA 2048 with SHA-256", false, "", true},
		"no attributes ECDSA": {ecSigner, "-md sha384 -noattr", "ECDSA P-256 with SHA-384", false, "", true},
		"key identifier":      {f.signer(t, p256(t), func(c *x509.Certificate) { c.SubjectKeyId = []byte("12345678") }), "-md sha256 -keyid", "ECDSA P-256 with SHA-256", false, "", false},
		"BER":                 {ecSigner, "-md sha256 -stream -nodetach", "ECDSA P-256 with SHA-256", false, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := []byte(strings.Repeat("signed elsewhere ", 100))
			cms := opensslSign(t, c.signer, data, strings.Fields(c.args)...)
			cms = append(cms, make([]byte, 500)...) // the padding of Contents
			o := pki.VerifyOptions{Roots: []*x509.Certificate{f.root}}
			r := pki.VerifyCMS(cms, contentOf(data), o)
			if !r.Trusted() || r.Algorithm != c.algorithm || (len(r.Weak) > 0) != c.weak || r.Binding != c.binding || r.CertificateBound != (c.binding != "") {
				t.Errorf("%+v", r)
			}
			if r.SigningTime.IsZero() != c.noTime || !c.noTime && time.Since(r.SigningTime).Abs() > time.Minute || r.CAdES {
				t.Errorf("claimed time %s, CAdES %v", r.SigningTime, r.CAdES)
			}
			if len(r.Problems) > 0 && (name != "BER" || codes(r.Problems) != "enveloping") {
				t.Errorf("problems: %q", r.Problems)
			}
			if r := pki.VerifyCMS(cms, contentOf(data[1:]), o); r.Intact() || r.DigestOK {
				t.Errorf("over other bytes: %+v", r)
			}
			if r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{}); !r.Intact() || r.TrustedRoot || !r.ChainOK {
				t.Errorf("without roots: %+v", r)
			}
		})
	}
}

// adbe.pkcs7.sha1 signs the SHA-1 of the bytes, as encapsulated content.
func TestSHA1Content(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	data := []byte("the byte range")
	sum := sha1.Sum(data)
	o := pki.VerifyOptions{Roots: []*x509.Certificate{f.root}}
	for _, args := range [][]string{{"-nodetach", "-md", "sha256"}, {"-nodetach", "-md", "sha256", "-noattr"}} {
		cms := opensslSign(t, s, sum[:], args...)
		if r := pki.VerifyCMS(cms, contentOf(data), o); !r.Trusted() || len(r.Weak) == 0 {
			t.Errorf("%v: %+v", args, r)
		}
		if r := pki.VerifyCMS(cms, contentOf(data[1:]), o); r.Intact() {
			t.Errorf("%v, other bytes: %+v", args, r)
		}
	}
}

func TestForeignTimestamps(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	key := p256(t)
	data := []byte("timestamped elsewhere")
	config := write(t, "tsa.cnf", []byte(`[tsa]
default_tsa = one
[one]
serial = `+write(t, "serial", []byte("01\n"))+`
crypto_device = builtin
signer_digest = sha256
default_policy = 1.3.6.1.4.1.4146.2.3
digests = sha256, sha512
accuracy = secs:1, millisecs:500, microsecs:100
clock_precision_digits = 3
ordering = yes
tsa_name = yes
ess_cert_id_chain = yes
ess_cert_id_alg = sha256
`))
	critical := criticalPurpose(t, f, key)
	query, token := write(t, "query", nil), write(t, "token", nil)
	openssl(t, "ts", "-query", "-data", write(t, "data", data), "-sha512", "-cert", "-out", query)
	openssl(t, "ts", "-reply", "-config", config, "-section", "one", "-queryfile", query, "-signer", pemFile(t, critical.Certificate),
		"-inkey", write(t, "key.pem", pkcs8(t, key)), "-chain", pemFile(t, f.issuer, f.root), "-token_out", "-out", token)
	der, err := os.ReadFile(token)
	if err != nil {
		t.Fatal(err)
	}
	r := pki.VerifyTimestamp(der, contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}})
	if !r.OK || !r.TrustedRoot || r.Policy != "1.3.6.1.4.1.4146.2.3" || r.Digest != "SHA-512" || r.Nonce == nil {
		t.Errorf("%+v", r)
	}
	if r.Accuracy != 1500*time.Millisecond+100*time.Microsecond || time.Since(r.Time).Abs() > time.Minute {
		t.Errorf("time %s ± %s", r.Time, r.Accuracy)
	}
}

// criticalPurpose issues a timestamp certificate with openssl; the standard library writes no critical purposes.
func criticalPurpose(t *testing.T, f *foreign, key crypto.Signer) *pki.Signer {
	t.Helper()
	c := opensslCertificate(t, f, write(t, "key.pem", pkcs8(t, key)), "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n")
	return &pki.Signer{Certificate: c, Key: key, Chain: []*x509.Certificate{f.issuer, f.root}}
}

func opensslCertificate(t *testing.T, f *foreign, keyFile, extensions string) *x509.Certificate {
	t.Helper()
	request, out := write(t, "request", nil), write(t, "certificate.der", nil)
	openssl(t, "req", "-new", "-key", keyFile, "-subj", "/CN=Made by openssl", "-out", request)
	openssl(t, "x509", "-req", "-in", request, "-CA", pemFile(t, f.issuer), "-CAkey", write(t, "ca.pem", pkcs8(t, f.issuerKey)),
		"-days", "10", "-outform", "DER", "-out", out, "-extfile", write(t, "ext", []byte(extensions)))
	der, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// crypto/x509 doesn't return a public key restricted to RSASSA-PSS.
func TestKeyForPSSAlone(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	key, out := write(t, "key.pem", nil), write(t, "foreign.der", nil)
	openssl(t, "genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)
	c := opensslCertificate(t, f, key, "keyUsage=digitalSignature\n")
	data := []byte("x")
	openssl(t, "cms", "-sign", "-binary", "-in", write(t, "data", data), "-signer", pemFile(t, c), "-inkey", key, "-md", "sha256",
		"-keyopt", "rsa_padding_mode:pss", "-outform", "DER", "-out", out)
	cms, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}, Extra: []*x509.Certificate{f.issuer}})
	if !r.Trusted() || r.Algorithm != "RSA-PSS 2048 with SHA-256" {
		t.Errorf("%+v", r)
	}
}

func TestChainFaults(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	key := p256(t)
	data := []byte("x")
	issued := func(parent *x509.Certificate, parentKey crypto.Signer, edit func(*x509.Certificate)) *x509.Certificate {
		c := &x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature}
		c.Subject.CommonName = "Signer"
		if edit != nil {
			edit(c)
		}
		return certify(t, c, parent, key.Public(), parentKey)
	}
	user := f.signer(t, key, nil)
	noSign := authorityTemplate("No Signing")
	noSign.KeyUsage = x509.KeyUsageCRLSign
	noSignKey := p256(t)
	noSignCert := certify(t, noSign, f.root, noSignKey.Public(), f.rootKey)
	short := authorityTemplate("Short")
	short.MaxPathLenZero = true
	shortKey, belowKey := p256(t), p256(t)
	shortCert := certify(t, short, f.root, shortKey.Public(), f.rootKey)
	belowCert := certify(t, authorityTemplate("Below"), shortCert, belowKey.Public(), shortKey)
	named := authorityTemplate("Named")
	named.PermittedEmailAddresses, named.PermittedDNSDomainsCritical = []string{"example.org"}, true
	namedKey := p256(t)
	namedCert := certify(t, named, f.root, namedKey.Public(), f.rootKey)
	for name, c := range map[string]struct {
		certificate *x509.Certificate
		chain       []*x509.Certificate
		want        string
		identity    pki.Identity
	}{
		"good":           {issued(f.issuer, f.issuerKey, nil), []*x509.Certificate{f.issuer, f.root}, "", pki.NoRevocationData},
		"wrong order":    {issued(f.issuer, f.issuerKey, nil), []*x509.Certificate{f.root, f.issuer, user.Certificate}, "", pki.NoRevocationData},
		"root not sent":  {issued(f.issuer, f.issuerKey, nil), []*x509.Certificate{f.issuer}, "", pki.NoRevocationData},
		"issuer missing": {issued(f.issuer, f.issuerKey, nil), []*x509.Certificate{f.root}, "issuer_unknown", pki.UnknownRoot},
		"expired":        {issued(f.issuer, f.issuerKey, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), []*x509.Certificate{f.issuer}, "expired", pki.Expired},
		"not yet":        {issued(f.issuer, f.issuerKey, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) }), []*x509.Certificate{f.issuer}, "not_yet_valid", pki.Expired},
		"issued by user": {issued(user.Certificate, key, nil), []*x509.Certificate{user.Certificate, f.issuer}, "not_an_authority", pki.Untrusted},
		"key usage":      {issued(noSignCert, noSignKey, nil), []*x509.Certificate{noSignCert}, "may_not_issue", pki.Untrusted},
		"path length":    {issued(belowCert, belowKey, nil), []*x509.Certificate{belowCert, shortCert}, "chain_too_long", pki.Untrusted},
		"extension": {issued(f.issuer, f.issuerKey, func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Critical: true, Value: []byte{5, 0}}}
		}), []*x509.Certificate{f.issuer}, "critical_extension", pki.Untrusted},
		"name constraint": {issued(namedCert, namedKey, func(c *x509.Certificate) { c.EmailAddresses = []string{"x@example.com"} }), []*x509.Certificate{namedCert}, "name_constraint", pki.Untrusted},
		"name allowed":    {issued(namedCert, namedKey, func(c *x509.Certificate) { c.EmailAddresses = []string{"x@example.org"} }), []*x509.Certificate{namedCert}, "", pki.NoRevocationData},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cms := sign(t, &pki.Signer{Certificate: c.certificate, Key: key, Chain: c.chain}, data, nil)
			r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}})
			if !r.Intact() || r.Trusted() != (c.want == "") {
				t.Errorf("%+v", r)
			}
			if got := r.Identity(); got != c.identity || r.Integrity() != pki.Intact {
				t.Errorf("%s, identity %s, want %s", r.Integrity(), got, c.identity)
			}
			if c.want != "" && !strings.Contains(codes(r.Problems), c.want) {
				t.Errorf("problems %q lack %q", codes(r.Problems), c.want)
			}
		})
	}
}

// A certificate of the same name and key identifier but with another key is not the issuer.
func TestImpostorRoot(t *testing.T) {
	t.Parallel()
	f, impostor := newForeign(t), newForeign(t)
	s := impostor.signer(t, p256(t), nil)
	data := []byte("x")
	r := pki.VerifyCMS(sign(t, s, data, nil), contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}, Extra: []*x509.Certificate{f.issuer}})
	if !r.Intact() || r.TrustedRoot || r.Trusted() {
		t.Errorf("%+v", r)
	}
}

// Another certificate for the same key, put in the signer's place, does not match the signed attribute.
func TestSubstitutedCertificate(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	key := p256(t)
	real := f.signer(t, key, nil)
	fake := f.signer(t, key, func(c *x509.Certificate) { c.Subject.CommonName = "Somebody Else!" })
	data := []byte("x")
	// Signed for the real certificate, sent with the other one's issuer and serial number.
	forged := &pki.Signer{Certificate: real.Certificate, Key: key}
	cms := sign(t, forged, data, nil)
	cms = replaceOnce(t, cms, real.Certificate.SerialNumber.Bytes(), fake.Certificate.SerialNumber.Bytes())
	r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: []*x509.Certificate{f.root}, Extra: []*x509.Certificate{fake.Certificate, f.issuer}})
	if !r.SignatureOK || r.CertificateBound || r.Intact() || r.Trusted() {
		t.Errorf("%+v", r)
	}
}

// replaceOnce replaces what follows the certificates: the identifier in the SignerInfo.
func replaceOnce(t *testing.T, in, old, replacement []byte) []byte {
	t.Helper()
	if len(old) != len(replacement) {
		t.Fatal("the serial numbers differ in length")
	}
	first := bytes.Index(in, old) // in the certificate
	second := bytes.Index(in[first+1:], old)
	if first < 0 || second < 0 {
		t.Fatal("no serial number to replace")
	}
	out := slices.Clone(in)
	copy(out[first+1+second:], replacement)
	return out
}
