package pki

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"fmt"
	"hash"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidPBES2      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidHMACSHA1   = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 7}
	oidHMACSHA256 = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}
	oidHMACSHA384 = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 10}
	oidHMACSHA512 = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 11}
	oidAES128CBC  = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 2}
	oidAES192CBC  = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 22}
	oidAES256CBC  = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}
)

// maxIterations limits the computation that an uploaded key can cause.
const maxIterations = 2_000_000

// encryption holds the PBES2 parameters of an EncryptedPrivateKeyInfo (RFC 8018 §6.2, appendix A).
type encryption struct {
	salt, iv   []byte
	iterations int
	keySize    int
	hash       func() hash.Hash
}

// decryptPKCS8 returns the PrivateKeyInfo inside an EncryptedPrivateKeyInfo, as openssl writes them.
func decryptPKCS8(der []byte, password string) ([]byte, error) {
	input := cryptobyte.String(der)
	var body, data cryptobyte.String
	unknown := fmt.Errorf("%w: the private key is encrypted in an unknown way; convert it with \"openssl pkcs8 -topk8 -v2 aes-256-cbc\"", ErrImport)
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) {
		return nil, unknown
	}
	a, ok := readAlgorithm(&body)
	if !ok || !a.oid.Equal(oidPBES2) || !body.ReadASN1(&data, cbasn1.OCTET_STRING) {
		return nil, unknown
	}
	e, ok := parsePBES2(a.params)
	if !ok || len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, unknown
	}
	return e.decrypt(data, password)
}

func parsePBES2(params cryptobyte.String) (encryption, bool) {
	e := encryption{hash: sha1.New}
	var body, derivation, salt, iv cryptobyte.String
	if !params.ReadASN1(&body, cbasn1.SEQUENCE) {
		return e, false
	}
	kdf, ok := readAlgorithm(&body)
	if !ok || !kdf.oid.Equal(oidPBKDF2) || !kdf.params.ReadASN1(&derivation, cbasn1.SEQUENCE) ||
		!derivation.ReadASN1(&salt, cbasn1.OCTET_STRING) || !derivation.ReadASN1Integer(&e.iterations) ||
		e.iterations < 1 || e.iterations > maxIterations {
		return e, false
	}
	if derivation.PeekASN1Tag(cbasn1.INTEGER) && !derivation.SkipASN1(cbasn1.INTEGER) { // keyLength, implied by the cipher
		return e, false
	}
	if !derivation.Empty() {
		prf, ok := readAlgorithm(&derivation)
		if e.hash = hmacHash(prf.oid); !ok || e.hash == nil {
			return e, false
		}
	}
	scheme, ok := readAlgorithm(&body)
	if !ok || !scheme.params.ReadASN1(&iv, cbasn1.OCTET_STRING) || len(iv) != aes.BlockSize {
		return e, false
	}
	e.salt, e.iv, e.keySize = salt, iv, aesKeySize(scheme.oid)
	return e, e.keySize > 0
}

func hmacHash(oid asn1.ObjectIdentifier) func() hash.Hash {
	switch {
	case oid.Equal(oidHMACSHA1):
		return sha1.New
	case oid.Equal(oidHMACSHA256):
		return sha256.New
	case oid.Equal(oidHMACSHA384):
		return sha512.New384
	case oid.Equal(oidHMACSHA512):
		return sha512.New
	}
	return nil
}

func aesKeySize(oid asn1.ObjectIdentifier) int {
	switch {
	case oid.Equal(oidAES128CBC):
		return 16
	case oid.Equal(oidAES192CBC):
		return 24
	case oid.Equal(oidAES256CBC):
		return 32
	}
	return 0
}

func (e encryption) decrypt(data []byte, password string) ([]byte, error) {
	key, err := pbkdf2.Key(e.hash, password, e.salt, e.iterations, e.keySize)
	if err != nil {
		return nil, fmt.Errorf("%w: deriving the key: %w", ErrImport, err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImport, err)
	}
	plain := make([]byte, len(data))
	cipher.NewCBCDecrypter(block, e.iv).CryptBlocks(plain, data)
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil, ErrPassword
	}
	plain = plain[:len(plain)-padding]
	if s := cryptobyte.String(plain); !s.SkipASN1(cbasn1.SEQUENCE) || !s.Empty() {
		return nil, ErrPassword
	}
	return plain, nil
}

// tooManyIterations searches for key derivation parameters, SEQUENCE { salt, iterations, ... }
// alone or after a digest, with more than maxIterations, also inside octet strings.
func tooManyIterations(s cryptobyte.String, depth int) bool {
	for depth < maxDepth && !s.Empty() {
		var element cryptobyte.String
		var tag cbasn1.Tag
		if !s.ReadAnyASN1(&element, &tag) {
			return false
		}
		next, iterations := s, int64(0)
		if tag == cbasn1.OCTET_STRING && next.PeekASN1Tag(cbasn1.INTEGER) && (!next.ReadASN1Integer(&iterations) || iterations > maxIterations) {
			return true
		}
		if inside := tag == cbasn1.OCTET_STRING || tag&0x20 != 0; inside && tooManyIterations(element, depth+1) {
			return true
		}
	}
	return false
}
