package pki_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/cloudflare/circl/sign/ed448"

	"paraph/app/pki"
)

// selfSigned lets openssl create a key and a self-signed certificate.
func selfSigned(t *testing.T, algorithm, options string) (certificate, key string) {
	t.Helper()
	certificate, key = write(t, "c.pem", nil), write(t, "k.pem", nil)
	args := []string{"genpkey", "-algorithm", algorithm, "-out", key}
	if algorithm == "DSA" {
		params := write(t, "p.pem", nil)
		openssl(t, "dsaparam", "-out", params, "1024")
		args = []string{"genpkey", "-paramfile", params, "-out", key}
	}
	extra := strings.Fields(options)
	serial := []string{}
	for i := 0; i < len(extra); i += 2 {
		if extra[i] == "-set_serial" {
			serial = extra[i : i+2]
			continue
		}
		args = append(args, extra[i], extra[i+1])
	}
	openssl(t, args...)
	openssl(t, append([]string{"req", "-x509", "-key", key, "-subj", "/CN=Odd One", "-days", "2", "-out", certificate}, serial...)...)
	return certificate, key
}

// Verifies what crypto/x509 and crypto/rsa refuse, and detects damaged signatures of these kinds.
func TestUncommonAlgorithms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key, options, sign, algorithm string
	}{
		"brainpoolP256r1":     {"EC", "-pkeyopt ec_paramgen_curve:brainpoolP256r1", "-md sha256", "ECDSA brainpoolP256r1 with SHA-256"},
		"brainpoolP384r1":     {"EC", "-pkeyopt ec_paramgen_curve:brainpoolP384r1", "-md sha384", "ECDSA brainpoolP384r1 with SHA-384"},
		"brainpoolP512t1":     {"EC", "-pkeyopt ec_paramgen_curve:brainpoolP512t1", "-md sha512", "ECDSA brainpoolP512t1 with SHA-512"},
		"DSA":                 {"DSA", "", "-md sha256", "DSA 1024 with SHA-256"},
		"PSS, SHA-1 mask":     {"RSA", "", "-md sha256 -keyopt rsa_padding_mode:pss -keyopt rsa_mgf1_md:sha1", "RSA-PSS 2048 with SHA-256"},
		"PSS, SHA-512 mask":   {"RSA", "", "-md sha256 -keyopt rsa_padding_mode:pss -keyopt rsa_mgf1_md:sha512", "RSA-PSS 2048 with SHA-256"},
		"PSS, odd bits":       {"RSA", "-pkeyopt rsa_keygen_bits:2051", "-md sha384 -keyopt rsa_padding_mode:pss -keyopt rsa_mgf1_md:sha1 -keyopt rsa_pss_saltlen:7", "RSA-PSS 2056 with SHA-384"},
		"large exponent":      {"RSA", "-pkeyopt rsa_keygen_pubexp:4294967297", "-md sha256", "RSA 2048 with SHA-256"},
		"huge exponent":       {"RSA", "-pkeyopt rsa_keygen_pubexp:340282366920938463463374607431768211507", "-md sha256", "RSA 2048 with SHA-256"},
		"large exponent, PSS": {"RSA", "-pkeyopt rsa_keygen_pubexp:4294967297", "-md sha256 -keyopt rsa_padding_mode:pss", "RSA-PSS 2048 with SHA-256"},
		"short RSA":           {"RSA", "-pkeyopt rsa_keygen_bits:768", "-md sha256", "RSA 768 with SHA-256"},
		"SHA3-256":            {"RSA", "", "-md sha3-256", "RSA 2048 with SHA3-256"},
		"SHA3-512, RSA":       {"RSA", "", "-md sha3-512", "RSA 2048 with SHA3-512"},
		"negative serial":     {"EC", "-pkeyopt ec_paramgen_curve:P-256 -set_serial -7", "-md sha256", "ECDSA P-256 with SHA-256"},
		"Ed25519":             {"ED25519", "", "", "Ed25519"},
		"Ed448":               {"ED448", "", "", "Ed448"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certificate, key := selfSigned(t, c.key, c.options)
			raw, err := os.ReadFile(certificate)
			if err != nil {
				t.Fatal(err)
			}
			roots, err := pki.ParseCertificates(raw)
			if err != nil {
				t.Fatal(err)
			}
			data := []byte("signed in another way")
			var cms []byte
			if c.sign == "" {
				cms = edwards(t, key, roots[0], data)
			} else {
				cms = opensslCMS(t, certificate, key, data, c.sign)
			}
			o := pki.VerifyOptions{Roots: roots}
			r := pki.VerifyCMS(cms, contentOf(data), o)
			if r.Integrity() != pki.Intact || r.Identity() != pki.Trusted || r.Algorithm != c.algorithm {
				t.Fatalf("%s, %s, %q: %v", r.Integrity(), r.Identity(), r.Algorithm, r.Problems)
			}
			cms[len(cms)-3] ^= 1
			if r := pki.VerifyCMS(cms, contentOf(data), o); r.Integrity() != pki.Broken {
				t.Errorf("spoiled: %s %v", r.Integrity(), r.Problems)
			}
		})
	}
}

func opensslCMS(t *testing.T, certificate, key string, data []byte, args string) []byte {
	t.Helper()
	out := write(t, "out.der", nil)
	openssl(t, append([]string{"cms", "-sign", "-binary", "-in", write(t, "data", data), "-signer", certificate, "-inkey", key,
		"-outform", "DER", "-out", out}, strings.Fields(args)...)...)
	cms, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return cms
}

// edwards signs with Ed25519 or Ed448 over signed attributes (RFC 8419), which openssl 3.0 does not do in CMS.
func edwards(t *testing.T, keyFile string, certificate *x509.Certificate, data []byte) []byte {
	t.Helper()
	raw, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(raw)
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		sum := crypto.SHA512.New()
		sum.Write(data)
		return buildCMS(t, &pki.Signer{Certificate: certificate, Key: key.(crypto.Signer)}, attributes(sum.Sum(nil)), cmsShape{})
	}
	seed := block.Bytes[len(block.Bytes)-ed448.SeedSize:]
	sum := make([]byte, 64)
	copy(sum, sha3.SumSHAKE256(data, 64))
	s := &pki.Signer{Certificate: certificate, Key: ed448.NewKeyFromSeed(seed)}
	return buildCMS(t, s, attributes(sum), cmsShape{})
}

// plainKey signs in the format of BSI TR-03111 §5.2.1: r and s, each as long as the curve order.
type plainKey struct{ *ecdsa.PrivateKey }

func (k plainKey) plain(t *testing.T, sum []byte) []byte {
	t.Helper()
	r, s, err := ecdsa.Sign(rand.Reader, k.PrivateKey, sum)
	if err != nil {
		t.Fatal(err)
	}
	return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
}

func TestPlainECDSA(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	signer := f.signer(t, p256(t), nil)
	data := []byte("x")
	sum := sha256.Sum256(data)
	key := plainKey{signer.Key.(*ecdsa.PrivateKey)}
	cms := buildCMS(t, signer, attributes(sum[:]), cmsShape{
		algorithm: asn1.ObjectIdentifier{0, 4, 0, 127, 0, 7, 1, 1, 4, 1, 3},
		value:     func(digest []byte) []byte { return key.plain(t, digest) },
	})
	o := pki.VerifyOptions{Roots: []*x509.Certificate{f.root}}
	if r := pki.VerifyCMS(cms, contentOf(data), o); r.Integrity() != pki.Intact {
		t.Errorf("%s: %v", r.Integrity(), r.Problems)
	}
	cms[len(cms)-1] ^= 1
	if r := pki.VerifyCMS(cms, contentOf(data), o); r.Integrity() != pki.Broken {
		t.Errorf("spoiled: %s", r.Integrity())
	}
}

// Signatures that can't be verified here are reported neither as intact nor as broken.
func TestUnknownAlgorithmIsNotJudged(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	data := []byte("x")
	sum := sha256.Sum256(data)
	o := pki.VerifyOptions{Roots: []*x509.Certificate{f.root}}
	unknown := buildCMS(t, f.signer(t, p256(t), nil), attributes(sum[:]), cmsShape{algorithm: asn1.ObjectIdentifier{1, 2, 156, 10197, 1, 501}})
	if r := pki.VerifyCMS(unknown, contentOf(data), o); r.Integrity() != pki.NotJudged || codes(r.Gaps) != "algorithm_unsupported" || r.Intact() {
		t.Errorf("unknown algorithm: %s %v", r.Integrity(), r.Problems)
	}
	if r := pki.VerifyCMS(unknown, contentOf([]byte("y")), o); r.Integrity() != pki.Broken {
		t.Errorf("unknown algorithm over other bytes: %s %v", r.Integrity(), r.Problems)
	}
	alone := buildCMS(t, f.signer(t, p256(t), nil), attributes(sum[:]), cmsShape{bare: true})
	if r := pki.VerifyCMS(alone, contentOf(data), o); r.Integrity() != pki.NotJudged || codes(r.Gaps) != "certificate_missing" || r.Identity() != pki.NoIdentity {
		t.Errorf("no certificate: %s %v", r.Integrity(), r.Problems)
	}
	odd, _ := selfSigned(t, "EC", "-pkeyopt ec_paramgen_curve:secp256k1")
	raw, err := os.ReadFile(odd)
	if err != nil {
		t.Fatal(err)
	}
	read, err := pki.ParseCertificates(raw)
	if err != nil {
		t.Fatal(err)
	}
	strange := buildCMS(t, &pki.Signer{Certificate: read[0], Key: p256(t)}, attributes(sum[:]), cmsShape{})
	if r := pki.VerifyCMS(strange, contentOf(data), o); r.Integrity() != pki.NotJudged || r.Certificate == nil {
		t.Errorf("unknown curve: %s %v", r.Integrity(), r.Problems)
	}
}

// TestForeignAlgorithmsAreNotJudged has valid signatures with curves and schemes that are not
// supported here: they are not reported as broken, even if the digest is known and correct.
func TestForeignAlgorithmsAreNotJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ key, options, sign string }{
		"secp256k1":       {"EC", "-pkeyopt ec_paramgen_curve:secp256k1", "-md sha256"},
		"secp224k1":       {"EC", "-pkeyopt ec_paramgen_curve:secp224k1", "-md sha256"},
		"a curve in full": {"EC", "-pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit", "-md sha256"},
		"a binary curve":  {"EC", "-pkeyopt ec_paramgen_curve:sect283r1", "-md sha256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certificate, key := selfSigned(t, c.key, c.options)
			data := []byte("signed elsewhere")
			r := pki.VerifyCMS(opensslCMS(t, certificate, key, data, c.sign), contentOf(data), pki.VerifyOptions{})
			if r.Integrity() != pki.NotJudged || len(r.Gaps) == 0 || r.Intact() {
				t.Errorf("%s, gaps %v, faults %v", r.Integrity(), r.Gaps, r.Faults)
			}
		})
	}
	f := newForeign(t)
	sum := sha256.Sum256([]byte("x"))
	// Ed25519 goes with SHA-512 alone (RFC 8419 §2.3), though the value can be verified.
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	mixed := buildCMS(t, f.signer(t, key, nil), attributes(sum[:]), cmsShape{digest: oidOfSHA256})
	if r := pki.VerifyCMS(mixed, contentOf([]byte("x")), pki.VerifyOptions{}); r.Integrity() != pki.NotJudged || codes(r.Gaps) != "algorithm_unsupported" {
		t.Errorf("Ed25519 with SHA-256: %s, %v", r.Integrity(), r.Problems)
	}
	for _, gost := range []asn1.ObjectIdentifier{{1, 2, 643, 7, 1, 1, 3, 2}, {1, 2, 643, 2, 2, 3}} {
		cms := buildCMS(t, f.signer(t, p256(t), nil), attributes(sum[:]), cmsShape{algorithm: gost})
		if r := pki.VerifyCMS(cms, contentOf([]byte("x")), pki.VerifyOptions{}); r.Integrity() != pki.NotJudged {
			t.Errorf("GOST %v: %s, %v", gost, r.Integrity(), r.Faults)
		}
	}
}

func TestLenientCertificatesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	file, _ := selfSigned(t, "EC", "-pkeyopt ec_paramgen_curve:brainpoolP256r1 -set_serial -7")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(raw)
	c, err := pki.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Raw) != string(block.Bytes) || c.SerialNumber.Cmp(big.NewInt(-7)) != 0 || c.Subject.CommonName != "Odd One" || !c.IsCA {
		t.Errorf("%v %s %v", c.SerialNumber, c.Subject, c.IsCA)
	}
	if _, err := pki.ParseCertificate(block.Bytes[:len(block.Bytes)-1]); err == nil {
		t.Error("a cut certificate was read")
	}
}
