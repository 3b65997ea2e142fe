package pki

import (
	"bytes"
	"crypto/rsa"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// maxKeyBits limits the work of one verification; no authority issues larger keys.
const maxKeyBits = 16384

// rsaKey is an RSA key with an exponent of any size. crypto/rsa verifies what it accepts; keys with exponents above
// 2^31-1 or fewer than 1024 bits, and PSS with a mask of another digest, are verified here, after RFC 8017. All of it is
// public, so constant time does not matter.
type rsaKey struct{ n, e *big.Int }

func readRSA(bits []byte) publicKey {
	k := &rsaKey{new(big.Int), new(big.Int)}
	input := cryptobyte.String(bits)
	var body cryptobyte.String
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1Integer(k.n) || !body.ReadASN1Integer(k.e) {
		return nil
	}
	if k.n.Sign() <= 0 || k.n.Bit(0) == 0 || k.n.BitLen() > maxKeyBits || k.e.Cmp(big.NewInt(2)) <= 0 || k.e.Bit(0) == 0 || k.e.BitLen() > 256 {
		return nil
	}
	return k
}

func (k *rsaKey) suits(f family) bool { return f == familyRSA || f == familyPSS }

func (k *rsaKey) verify(s scheme, _, sum, signature []byte) bool {
	plain := k.n.BitLen() >= 1024 && k.e.IsInt64() && k.e.Int64() <= math.MaxInt32
	switch {
	case plain && s.family == familyRSA:
		return rsa.VerifyPKCS1v15(k.standard(), s.digest.hash, sum, signature) == nil
	case plain && s.mask.hash == s.digest.hash:
		o := &rsa.PSSOptions{SaltLength: s.salt, Hash: s.digest.hash}
		return rsa.VerifyPSS(k.standard(), s.digest.hash, sum, signature, o) == nil
	}
	message, ok := k.open(signature)
	if !ok {
		return false
	}
	if s.family == familyRSA {
		want, ok := pkcs1Encoding(s.digest, sum, k.size())
		return ok && subtle.ConstantTimeCompare(message, want) == 1
	}
	return pssConsistent(s, sum, message, k.n.BitLen()-1)
}

func (k *rsaKey) standard() *rsa.PublicKey { return &rsa.PublicKey{N: k.n, E: int(k.e.Int64())} }
func (k *rsaKey) size() int                { return (k.n.BitLen() + 7) / 8 }
func (k *rsaKey) kind() string             { return "RSA" }
func (k *rsaKey) name() string             { return fmt.Sprintf("RSA %d", k.size()*8) }

// strength counts whole bytes: the product of two primes may be one bit short.
func (k *rsaKey) strength() (int, int) {
	if k.size() >= 2048/8 {
		return k.size() * 8, 2048
	}
	return k.n.BitLen(), 2048
}

// open returns the encoded message over which a signature was made (RFC 8017 §5.2.2).
func (k *rsaKey) open(signature []byte) ([]byte, bool) {
	value := new(big.Int).SetBytes(signature)
	if len(signature) != k.size() || value.Cmp(k.n) >= 0 {
		return nil, false
	}
	return value.Exp(value, k.e, k.n).FillBytes(make([]byte, k.size())), true
}

// pkcs1Encoding implements EMSA-PKCS1-v1_5 (RFC 8017 §9.2).
func pkcs1Encoding(d *digest, sum []byte, size int) ([]byte, bool) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1ObjectIdentifier(d.oid)
			b.AddASN1NULL()
		})
		b.AddASN1OctetString(sum)
	})
	info, err := b.Bytes()
	if err != nil || size < len(info)+11 {
		return nil, false
	}
	padding := bytes.Repeat([]byte{0xff}, size-len(info)-3)
	return append(append(append([]byte{0, 1}, padding...), 0), info...), true
}

// pssConsistent implements EMSA-PSS-VERIFY (RFC 8017 §9.1.2).
func pssConsistent(s scheme, sum, message []byte, bits int) bool {
	size, h := (bits+7)/8, len(sum)
	if len(message) == size+1 && message[0] == 0 {
		message = message[1:] // the modulus is one bit longer than whole bytes
	}
	if len(message) != size || size < h+s.salt+2 || message[size-1] != 0xbc {
		return false
	}
	masked, hash := message[:size-h-1], message[size-h-1:size-1]
	unused := byte(0xff) >> (8*size - bits)
	if masked[0]&^unused != 0 {
		return false
	}
	block := make([]byte, len(masked))
	subtle.XORBytes(block, masked, mgf1(s.mask, hash, len(masked)))
	block[0] &= unused
	salt := block[len(block)-s.salt:]
	zeros := block[:len(block)-s.salt-1]
	if len(bytes.Trim(zeros, "\x00")) > 0 || block[len(zeros)] != 1 {
		return false
	}
	want := s.digest.sum(append(append(make([]byte, 8), sum...), salt...))
	return bytes.Equal(want, hash)
}

// mgf1 implements the mask generation function of RFC 8017 §B.2.1.
func mgf1(d *digest, seed []byte, size int) []byte {
	var mask []byte
	for counter := uint32(0); len(mask) < size; counter++ {
		mask = append(mask, d.sum(binary.BigEndian.AppendUint32(bytes.Clone(seed), counter))...)
	}
	return mask[:size]
}
