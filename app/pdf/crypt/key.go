package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"

	"golang.org/x/text/unicode/norm"

	"paraph/app/pdf/object"
)

// parameters are the entries of an encryption dictionary that keys are derived
// from.
type parameters struct {
	version, revision int
	length            int // of the key in bytes
	owner, user       []byte
	ownerKey, userKey []byte // encrypted, from revision 5 on
	permissions       int32
	encryptMetadata   bool
	id                []byte
}

func readParameters(d object.Dict, id []byte) (parameters, error) {
	p := parameters{id: id, encryptMetadata: true}
	version, _ := object.Int(d["V"])
	revision, ok := object.Int(d["R"])
	permissions, hasPermissions := object.Int(d["P"])
	if !ok || !hasPermissions || revision < 2 || revision > 6 || version < 1 || version > 5 || version == 3 {
		return p, fmt.Errorf("%w: version %d, revision %d", ErrUnsupported, version, revision)
	}
	p.version, p.revision, p.permissions = int(version), int(revision), int32(permissions)
	bits, ok := object.Int(d["Length"])
	switch {
	case p.revision >= 5:
		bits = 256
	case p.version == 4:
		bits = 128
	case p.version == 1 || !ok:
		bits = 40
	}
	if bits < 40 || bits > 256 || bits%8 != 0 {
		return p, fmt.Errorf("%w: key of %d bits", errMalformed, bits)
	}
	p.length = int(bits / 8)
	if b, ok := d["EncryptMetadata"].(bool); ok {
		p.encryptMetadata = b
	}
	return p, p.readSecrets(d)
}

// readSecrets reads the strings that passwords are checked against.
func (p *parameters) readSecrets(d object.Dict) error {
	size := 32
	if p.revision >= 5 {
		size = 48 // a hash of 32 bytes and two salts of 8
	}
	for key, to := range map[object.Name]*[]byte{"O": &p.owner, "U": &p.user} {
		s, _ := d[key].(object.String)
		if len(s) < size {
			return fmt.Errorf("%w: %s has %d bytes", errMalformed, key, len(s))
		}
		*to = s[:size]
	}
	if p.revision < 5 {
		return nil
	}
	for key, to := range map[object.Name]*[]byte{"OE": &p.ownerKey, "UE": &p.userKey} {
		s, _ := d[key].(object.String)
		if len(s) != 32 {
			return fmt.Errorf("%w: %s has %d bytes", errMalformed, key, len(s))
		}
		*to = s
	}
	return nil
}

// padding extends passwords to 32 bytes (ISO 32000-2 §7.6.4.3.2).
const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// classicKey derives the file's key in revisions 2 to 4, which hash with MD5 and encrypt with RC4.
func (p *parameters) classicKey(password string) ([]byte, error) {
	padded := pad(latin(password))
	if key := p.userHash(padded); p.opens(key) {
		return key, nil
	}
	if key := p.userHash(p.userPassword(padded)); p.opens(key) {
		return key, nil
	}
	return nil, ErrPassword
}

func pad(password []byte) []byte { return append(bytes.Clone(password), padding...)[:32] }

// latin encodes a password in the single-byte encoding of old files, with question marks for unsupported characters.
func latin(password string) []byte {
	var out []byte
	for _, r := range password {
		if r > 0xFF {
			r = '?'
		}
		out = append(out, byte(r))
	}
	return out
}

// userHash derives the file's key from the padded user password (algorithm 2).
func (p *parameters) userHash(padded []byte) []byte {
	sum := md5.New()
	sum.Write(padded)
	sum.Write(p.owner)
	sum.Write(binary.LittleEndian.AppendUint32(nil, uint32(p.permissions)))
	sum.Write(p.id)
	if p.revision >= 4 && !p.encryptMetadata {
		sum.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	return p.stretch(sum.Sum(nil))
}

// stretch hashes the key fifty more times from revision 3 on.
func (p *parameters) stretch(key []byte) []byte {
	n := min(p.length, md5.Size)
	for range 50 {
		if p.revision < 3 {
			break
		}
		next := md5.Sum(key[:n])
		key = next[:]
	}
	return key[:n]
}

// opens checks a key against the stored user entry (algorithms 4, 5 and 6).
func (p *parameters) opens(key []byte) bool {
	if p.revision == 2 {
		return bytes.Equal(rc4Of(key, []byte(padding)), p.user)
	}
	sum := md5.Sum(append([]byte(padding), p.id...))
	value := sum[:]
	for i := range 20 {
		value = rc4Of(xored(key, byte(i)), value)
	}
	return bytes.Equal(value, p.user[:16])
}

// userPassword decrypts the user password with the owner's (algorithm 7).
func (p *parameters) userPassword(paddedOwner []byte) []byte {
	sum := md5.Sum(paddedOwner)
	key := p.stretch(sum[:])
	value := p.owner
	if p.revision == 2 {
		return rc4Of(key, value)
	}
	for i := 19; i >= 0; i-- {
		value = rc4Of(xored(key, byte(i)), value)
	}
	return value
}

func xored(key []byte, with byte) []byte {
	out := make([]byte, len(key))
	for i, b := range key {
		out[i] = b ^ with
	}
	return out
}

// rc4Of encrypts or decrypts data. The key never exceeds the maximum length of
// RC4.
func rc4Of(key, data []byte) []byte {
	out := make([]byte, len(data))
	c, err := rc4.NewCipher(key)
	if err != nil {
		return out
	}
	c.XORKeyStream(out, data)
	return out
}

// modernKey derives the file's key in revisions 5 and 6, where it is encrypted with the password (algorithm 2.A).
func (p *parameters) modernKey(password string) ([]byte, error) {
	secret := []byte(norm.NFKC.String(password))
	secret = secret[:min(len(secret), 127)]
	for _, who := range []struct{ entry, key, extra []byte }{{p.owner, p.ownerKey, p.user}, {p.user, p.userKey, nil}} {
		hash, check, salt := who.entry[:32], who.entry[32:40], who.entry[40:48]
		if bytes.Equal(p.hash(secret, check, who.extra), hash) {
			return decryptKey(p.hash(secret, salt, who.extra), who.key)
		}
	}
	return nil, ErrPassword
}

func decryptKey(with, key []byte) ([]byte, error) {
	block, err := aes.NewCipher(with)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(key))
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, key)
	return out, nil
}

// hash is algorithm 2.B, or plain SHA-256 in revision 5.
func (p *parameters) hash(password, salt, extra []byte) []byte {
	first := sha256.Sum256(bytes.Join([][]byte{password, salt, extra}, nil))
	k := first[:]
	if p.revision == 5 {
		return k
	}
	for round := 0; ; round++ {
		e, err := encryptRepeated(k, bytes.Join([][]byte{password, k, extra}, nil))
		if err != nil {
			return nil
		}
		k = nextHash(e)
		if round >= 63 && int(e[len(e)-1]) <= round-31 {
			return k[:32]
		}
	}
}

// encryptRepeated encrypts a block repeated 64 times, with a key and vector
// taken from k.
func encryptRepeated(k, unit []byte) ([]byte, error) {
	block, err := aes.NewCipher(k[:16])
	if err != nil {
		return nil, err
	}
	out := bytes.Repeat(unit, 64)
	cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(out, out)
	return out, nil
}

// nextHash selects the hash of a round from its first 16 bytes taken as a number modulo 3.
func nextHash(e []byte) []byte {
	total := 0
	for _, b := range e[:16] {
		total += int(b)
	}
	switch total % 3 {
	case 0:
		sum := sha256.Sum256(e)
		return sum[:]
	case 1:
		sum := sha512.Sum384(e)
		return sum[:]
	}
	sum := sha512.Sum512(e)
	return sum[:]
}
