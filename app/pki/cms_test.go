package pki_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"paraph/app/pki"
)

// signers returns a signer for each kind of key that SignCMS supports.
func signers(t testing.TB, a *pki.Authority) map[string]*pki.Signer {
	t.Helper()
	f := newForeign(t)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	company, err := a.Company("C1", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*pki.Signer{
		"company":   company,
		"signatory": signatory(t, a, time.Now()),
		"P-384":     f.signer(t, p384, nil),
		"RSA":       f.signer(t, rsaKey, nil),
	}
}

func TestOpenSSLVerifiesSignatures(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	data := []byte("the bytes of the byte range")
	content := write(t, "content", data)
	for name, s := range signers(t, a) {
		for level, ts := range map[string]pki.Timestamper{"B-B": nil, "B-T": a.Timestamper()} {
			t.Run(name+" "+level, func(t *testing.T) {
				t.Parallel()
				cms := sign(t, s, data, ts)
				if limit := pki.SizeCMS(s, ts); len(cms) > limit || limit > len(cms)*5/4 {
					t.Errorf("%d bytes, placeholder %d", len(cms), limit)
				}
				file := write(t, "signature.der", cms)
				root := pemFile(t, s.Chain[len(s.Chain)-1])
				out := openssl(t, "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", file, "-content", content,
					"-CAfile", root, "-out", write(t, "out", nil))
				if !strings.Contains(out, "CAdES Verification successful") {
					t.Errorf("openssl says %s", out)
				}
				text := openssl(t, "cms", "-cmsout", "-print", "-inform", "DER", "-in", file)
				if strings.Contains(text, "signingTime") || !strings.Contains(text, "signingCertificateV2") {
					t.Errorf("attributes are not those of PAdES:\n%s", text)
				}
				r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: append(a.Roots(), s.Chain[len(s.Chain)-1])})
				if !r.Trusted() || !r.CAdES || (r.Timestamp != nil) != (ts != nil) || len(r.Weak)+len(r.Problems) > 0 {
					t.Errorf("our own report: %+v", r)
				}
			})
		}
	}
}

func TestOpenSSLRefusesOtherContent(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	data := []byte("signed")
	cms := sign(t, signatory(t, a, time.Now()), data, nil)
	r := pki.VerifyCMS(cms, contentOf([]byte("other")), pki.VerifyOptions{Roots: a.Roots()})
	if r.DigestOK || r.Intact() || !r.SignatureOK {
		t.Errorf("%+v", r)
	}
}

// Every bit matters, of the signed content and of the signature.
func TestFlippedBitsAreNoticed(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	data := []byte("signed")
	s := signatory(t, a, time.Now())
	cms := sign(t, s, data, nil)
	last := 0
	for _, c := range s.Certificates() {
		if i := strings.LastIndex(string(cms), string(c.Raw)); i >= 0 {
			last = max(last, i+len(c.Raw))
		}
	}
	// After the certificates come the SignerInfo's header, identifier, digest algorithm, attributes and signature.
	for i := last; i < len(cms); i++ {
		for bit := range 8 {
			changed := append([]byte{}, cms...)
			changed[i] ^= 1 << bit
			r := pki.VerifyCMS(changed, contentOf(data), pki.VerifyOptions{Roots: a.Roots()})
			if r.Intact() && r.Certificate != nil && r.CertificateBound && !harmless(cms, changed, last, i) {
				t.Fatalf("bit %d of byte %d of %d changed nothing", bit, i, len(cms))
			}
		}
	}
}

// harmless returns the index of the byte whose change has no effect: the version of the SignerInfo.
func harmless(cms, _ []byte, signers, i int) bool {
	version := strings.Index(string(cms[signers:]), "\x02\x01\x01") + signers + 2
	return i == version
}

func TestSignCMSRefuses(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p521, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := f.signer(t, p256(t), nil)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		signer *pki.Signer
		digest int
		want   error
	}{
		"Ed25519":      {context.Background(), f.signer(t, edKey, nil), 32, pki.ErrUnsupported},
		"P-521":        {context.Background(), f.signer(t, p521, nil), 32, pki.ErrUnsupported},
		"short digest": {context.Background(), good, 20, pki.ErrUnsupported},
		"cancelled":    {stopped, good, 32, context.Canceled},
	} {
		if _, err := pki.SignCMS(c.ctx, c.signer, make([]byte, c.digest), nil); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if n := pki.SizeCMS(f.signer(t, edKey, nil), nil); n != 0 {
		t.Errorf("a size of %d for a key that cannot be used", n)
	}
}

// elsewhere is a key behind an interface, like a hardware token or a remote service.
type elsewhere struct {
	crypto.Signer
	spoil bool
	fail  error
}

func (e elsewhere) Sign(r io.Reader, digest []byte, o crypto.SignerOpts) ([]byte, error) {
	if e.fail != nil {
		return nil, e.fail
	}
	signature, err := e.Signer.Sign(r, digest, o)
	if e.spoil && err == nil {
		signature[len(signature)-1] ^= 1
	}
	return signature, err
}

func TestKeysElsewhere(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	key := p256(t)
	s := f.signer(t, key, nil)
	sum := sha256.Sum256([]byte("x"))
	broken := errors.New("token removed")
	for name, c := range map[string]struct {
		key elsewhere
		bad bool
	}{
		"good":   {elsewhere{Signer: key}, false},
		"faulty": {elsewhere{Signer: key, spoil: true}, true},
		"absent": {elsewhere{Signer: key, fail: broken}, true},
	} {
		_, err := pki.SignCMS(context.Background(), &pki.Signer{Certificate: s.Certificate, Key: c.key, Chain: s.Chain}, sum[:], nil)
		if (err != nil) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
		if c.key.fail != nil && !errors.Is(err, broken) {
			t.Errorf("%s: the cause is lost: %v", name, err)
		}
	}
}

// Without its timestamp no signature is made at all, rather than one of a lower level.
func TestNoSignatureWithoutItsTimestamp(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	s := f.signer(t, p256(t), nil)
	sum := sha256.Sum256([]byte("x"))
	cms, err := pki.SignCMS(context.Background(), s, sum[:], silent{})
	if !errors.Is(err, pki.ErrTimestamp) || cms != nil {
		t.Errorf("got %d bytes and %v", len(cms), err)
	}
}

type silent struct{}

func (silent) Timestamp(context.Context, []byte) ([]byte, error) { return nil, pki.ErrTimestamp }
func (silent) TokenSize() int                                    { return 0 }

func TestSignatoryIsBriefAndItsOwn(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, "", pki.Options{Now: c.now, SignatoryValidity: 10 * time.Minute})
	x, y := signatory(t, a, c.now()), signatory(t, a, c.now())
	if x.Certificate.SerialNumber.Cmp(y.Certificate.SerialNumber) == 0 || x.Key.Public().(*ecdsa.PublicKey).Equal(y.Key.Public()) {
		t.Error("two acts share a serial number or a key")
	}
	if got := x.Certificate.NotAfter.Sub(c.now()); got != 10*time.Minute {
		t.Errorf("valid for %s", got)
	}
	if got := x.Certificate.KeyUsage; got != x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment {
		t.Errorf("key usage %b", got)
	}
	data := []byte("x")
	bare, stamped := sign(t, x, data, nil), sign(t, x, data, a.Timestamper())
	c.advance(365 * day)
	o := pki.VerifyOptions{Roots: a.Roots(), At: c.now()}
	if r := pki.VerifyCMS(bare, contentOf(data), o); r.ChainOK || !r.Intact() {
		t.Errorf("a year later without timestamp: %+v", r)
	}
	if r := pki.VerifyCMS(stamped, contentOf(data), o); !r.Trusted() || r.Revocation.Status != pki.RevocationUnknown && r.Revocation.Status != pki.ShortTerm {
		t.Errorf("a year later with timestamp: %+v", r)
	}
}
