package pki

import (
	"crypto"
	"crypto/dsa" //lint:ignore SA1019 old signatures are judged, none is made
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/asn1"
	"fmt"
	"math/big"
	"strings"

	"github.com/ProtonMail/go-crypto/brainpool"
	"github.com/cloudflare/circl/sign/ed448"
	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// publicKey is a key for verifying signatures.
type publicKey interface {
	// suits reports whether such a key is used with a signature family.
	suits(family) bool
	// verify checks a signature over a message, or over its digest if the scheme has one.
	verify(s scheme, message, sum, signature []byte) bool
	// kind is the algorithm's display name; name includes the key's size or curve.
	kind() string
	name() string
	// strength returns the effective number of bits and how many are needed today.
	strength() (bits, needed int)
}

// readKey reads the contents of a SubjectPublicKeyInfo; it returns nil for an unknown or
// malformed key.
func readKey(a algorithm, bits []byte) publicKey {
	switch {
	case a.oid.Equal(oidRSA), a.oid.Equal(oidPSS):
		return readRSA(bits)
	case a.oid.Equal(oidECPublicKey):
		return readEC(a.params, bits)
	case a.oid.Equal(oidDSA):
		return readDSA(a.params, bits)
	case a.oid.Equal(oidEd25519) && len(bits) == ed25519.PublicKeySize:
		return ed25519Key(bits)
	case a.oid.Equal(oidEd448) && len(bits) == ed448.PublicKeySize:
		return ed448Key(bits)
	}
	return nil
}

// ecKey is a key on a curve of the NIST or of Brainpool (RFC 5639).
type ecKey struct {
	ecdsa.PublicKey
	curve string
}

// curveOf returns nil for an unknown curve.
func curveOf(oid asn1.ObjectIdentifier) (curve elliptic.Curve, name string) {
	switch oid.String() {
	case "1.3.132.0.33":
		return elliptic.P224(), "P-224"
	case "1.2.840.10045.3.1.7":
		return elliptic.P256(), "P-256"
	case "1.3.132.0.34":
		return elliptic.P384(), "P-384"
	case "1.3.132.0.35":
		return elliptic.P521(), "P-521"
	case "1.3.36.3.3.2.8.1.1.7":
		return brainpool.P256r1(), "brainpoolP256r1"
	case "1.3.36.3.3.2.8.1.1.8":
		return brainpool.P256t1(), "brainpoolP256t1"
	case "1.3.36.3.3.2.8.1.1.11":
		return brainpool.P384r1(), "brainpoolP384r1"
	case "1.3.36.3.3.2.8.1.1.12":
		return brainpool.P384t1(), "brainpoolP384t1"
	case "1.3.36.3.3.2.8.1.1.13":
		return brainpool.P512r1(), "brainpoolP512r1"
	case "1.3.36.3.3.2.8.1.1.14":
		return brainpool.P512t1(), "brainpoolP512t1"
	}
	return nil, ""
}

// readEC reads a point on a named curve (RFC 5480 §2.2).
func readEC(params cryptobyte.String, bits []byte) publicKey {
	var oid asn1.ObjectIdentifier
	if !readOID(&params, &oid) {
		return nil
	}
	curve, name := curveOf(oid)
	if curve == nil {
		return nil
	}
	if key, err := ecdsa.ParseUncompressedPublicKey(curve, bits); err == nil {
		return &ecKey{*key, name}
	}
	return readBrainpool(curve, name, bits)
}

// readBrainpool reads a point on a curve that crypto/ecdsa can use but does not parse.
func readBrainpool(curve elliptic.Curve, name string, bits []byte) publicKey {
	p := curve.Params().P
	size := (p.BitLen() + 7) / 8
	if !strings.HasPrefix(name, "brainpool") || len(bits) != 1+2*size || bits[0] != 4 {
		return nil
	}
	x, y := new(big.Int).SetBytes(bits[1:1+size]), new(big.Int).SetBytes(bits[1+size:])
	//lint:ignore SA1019 there is no other way for curves outside the standard library
	if x.Cmp(p) >= 0 || y.Cmp(p) >= 0 || !curve.IsOnCurve(x, y) {
		return nil
	}
	//lint:ignore SA1019 there is no other way for curves outside the standard library
	return &ecKey{ecdsa.PublicKey{Curve: curve, X: x, Y: y}, name}
}

func (k *ecKey) suits(f family) bool { return f == familyECDSA || f == familyPlainECDSA }

func (k *ecKey) verify(s scheme, _, sum, signature []byte) bool {
	if s.family == familyECDSA {
		return ecdsa.VerifyASN1(&k.PublicKey, sum, signature)
	}
	size := (k.Curve.Params().N.BitLen() + 7) / 8
	if len(signature) != 2*size {
		return false
	}
	return ecdsa.Verify(&k.PublicKey, sum, new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:]))
}

func (k *ecKey) kind() string         { return "ECDSA" }
func (k *ecKey) name() string         { return "ECDSA " + k.curve }
func (k *ecKey) strength() (int, int) { return k.Curve.Params().BitSize, 256 }

// dsaKey is for signatures made before 2010.
type dsaKey struct{ dsa.PublicKey }

func readDSA(params cryptobyte.String, bits []byte) publicKey {
	k := &dsaKey{dsa.PublicKey{Y: new(big.Int)}}
	k.P, k.Q, k.G = new(big.Int), new(big.Int), new(big.Int)
	value := cryptobyte.String(bits)
	var body cryptobyte.String
	if !params.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1Integer(k.P) || !body.ReadASN1Integer(k.Q) ||
		!body.ReadASN1Integer(k.G) || !value.ReadASN1Integer(k.Y) {
		return nil
	}
	if k.P.Sign() <= 0 || k.P.BitLen() > maxKeyBits || k.Q.Sign() <= 0 || k.G.Sign() <= 0 || k.Y.Sign() <= 0 {
		return nil
	}
	return k
}

func (k *dsaKey) suits(f family) bool { return f == familyDSA }

func (k *dsaKey) verify(_ scheme, _, sum, signature []byte) bool {
	r, s := new(big.Int), new(big.Int)
	input := cryptobyte.String(signature)
	var body cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1Integer(r) || !body.ReadASN1Integer(s) || !body.Empty() {
		return false
	}
	// The leftmost bits of the digest count (FIPS 186-4 §4.7); crypto/dsa only accepts whole
	// bytes of Q.
	return dsa.Verify(&k.PublicKey, sum[:min(len(sum), k.Q.BitLen()/8)], r, s)
}

func (k *dsaKey) kind() string         { return "DSA" }
func (k *dsaKey) name() string         { return fmt.Sprintf("DSA %d", k.P.BitLen()) }
func (k *dsaKey) strength() (int, int) { return k.P.BitLen(), 2048 }

type ed25519Key ed25519.PublicKey

func (k ed25519Key) suits(f family) bool { return f == familyEd25519 }

func (k ed25519Key) verify(_ scheme, message, _, signature []byte) bool {
	return ed25519.VerifyWithOptions(ed25519.PublicKey(k), message, signature, &ed25519.Options{Hash: crypto.Hash(0)}) == nil
}

func (k ed25519Key) kind() string         { return "Ed25519" }
func (k ed25519Key) name() string         { return "Ed25519" }
func (k ed25519Key) strength() (int, int) { return 256, 256 }

type ed448Key ed448.PublicKey

func (k ed448Key) suits(f family) bool { return f == familyEd448 }

func (k ed448Key) verify(_ scheme, message, _, signature []byte) bool {
	return ed448.Verify(ed448.PublicKey(k), message, signature, "")
}

func (k ed448Key) kind() string         { return "Ed448" }
func (k ed448Key) name() string         { return "Ed448" }
func (k ed448Key) strength() (int, int) { return 448, 256 }
