// Package crypt decrypts password-protected PDF files: the standard security handler in revisions 2 to 6 (ISO 32000-2
// §7.6). It supports what is needed to examine a file and never encrypts.
package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"fmt"

	"paraph/app/pdf/object"
)

var (
	// ErrPassword indicates that the password is neither the user's nor the owner's.
	ErrPassword = errors.New("wrong password")
	// ErrUnsupported indicates that the file is protected by other means, such as certificates.
	ErrUnsupported = errors.New("unsupported encryption")
	errMalformed   = errors.New("malformed encryption dictionary")
)

// method is the encryption method of strings or streams.
type method int

const (
	identity method = iota
	rc4Cipher
	aes128
	aes256
)

// Handler decrypts the objects of one file.
type Handler struct {
	key              []byte
	strings, streams method
	filters          map[object.Name]method
	clearMetadata    bool
}

// New reads an encryption dictionary, whose values must all be direct, and tries password as the user's and as the
// owner's. id is the first element of the file's ID.
func New(d object.Dict, id []byte, password string) (*Handler, error) {
	if d.Name("Filter") != "Standard" {
		return nil, fmt.Errorf("%w: security handler %s", ErrUnsupported, d.Name("Filter"))
	}
	p, err := readParameters(d, id)
	if err != nil {
		return nil, err
	}
	h := &Handler{clearMetadata: !p.encryptMetadata}
	if err := h.readMethods(d, p); err != nil {
		return nil, err
	}
	if p.revision >= 5 {
		h.key, err = p.modernKey(password)
	} else {
		h.key, err = p.classicKey(password)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// readMethods reads which ciphers are in use (ISO 32000-2 §7.6.6).
func (h *Handler) readMethods(d object.Dict, p parameters) error {
	if p.version < 4 {
		h.strings, h.streams = rc4Cipher, rc4Cipher
		return nil
	}
	h.filters = map[object.Name]method{"Identity": identity}
	all, _ := d["CF"].(object.Dict)
	for name, v := range all {
		filter, _ := v.(object.Dict)
		m, err := methodOf(filter.Name("CFM"))
		if err != nil {
			return err
		}
		h.filters[name] = m
	}
	var err error
	if h.streams, err = h.filter(d.Name("StmF")); err != nil {
		return err
	}
	h.strings, err = h.filter(d.Name("StrF"))
	return err
}

func methodOf(cfm object.Name) (method, error) {
	switch cfm {
	case "None", "":
		return identity, nil
	case "V2":
		return rc4Cipher, nil
	case "AESV2":
		return aes128, nil
	case "AESV3":
		return aes256, nil
	}
	return identity, fmt.Errorf("%w: crypt filter method %s", ErrUnsupported, cfm)
}

// filter returns the method of a named crypt filter; an empty name means the
// identity.
func (h *Handler) filter(name object.Name) (method, error) {
	if name == "" {
		return identity, nil
	}
	m, ok := h.filters[name]
	if !ok {
		return identity, fmt.Errorf("%w: crypt filter %s", errMalformed, name)
	}
	return m, nil
}

// String decrypts a string of an indirect object.
func (h *Handler) String(of object.Ref, s []byte) ([]byte, error) { return h.decrypt(h.strings, of, s) }

// Stream decrypts the data of a stream with the given dictionary, as stored.
func (h *Handler) Stream(of object.Ref, d object.Dict, data []byte) ([]byte, error) {
	m := h.streams
	switch {
	case d.Name("Type") == "XRef":
		return data, nil
	case d.Name("Type") == "Metadata" && h.clearMetadata:
		return data, nil
	}
	if name, ok := ownFilter(d); ok {
		var err error
		if m, err = h.filter(name); err != nil {
			return nil, err
		}
	}
	return h.decrypt(m, of, data)
}

// ownFilter returns the crypt filter that a stream names for itself (ISO 32000-2 §7.4.10).
func ownFilter(d object.Dict) (object.Name, bool) {
	first := func(v any) any {
		if a, ok := v.(object.Array); ok && len(a) > 0 {
			return a[0]
		}
		return v
	}
	if first(d["Filter"]) != object.Name("Crypt") {
		return "", false
	}
	params, _ := first(d["DecodeParms"]).(object.Dict)
	return params.Name("Name"), true
}

func (h *Handler) decrypt(m method, of object.Ref, data []byte) ([]byte, error) {
	switch m {
	case rc4Cipher:
		c, err := rc4.NewCipher(h.objectKey(of, nil))
		if err != nil {
			return nil, err
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, data)
		return out, nil
	case aes128:
		return decryptCBC(h.objectKey(of, []byte("sAlT")), data)
	case aes256:
		return decryptCBC(h.key, data)
	}
	return data, nil
}

// objectKey derives the key of one object (ISO 32000-2 §7.6.3.2, algorithm 1).
func (h *Handler) objectKey(of object.Ref, salt []byte) []byte {
	sum := md5.New()
	sum.Write(h.key)
	number := binary.LittleEndian.AppendUint32(nil, uint32(of.Number))
	generation := binary.LittleEndian.AppendUint32(nil, uint32(of.Generation))
	sum.Write(number[:3])
	sum.Write(generation[:2])
	sum.Write(salt)
	return sum.Sum(nil)[:min(len(h.key)+5, md5.Size)]
}

// decryptCBC decrypts data that begins with its initialisation vector and ends with padding (PKCS #7). An empty value
// stays empty, and missing padding is ignored, as other readers do.
func decryptCBC(key, data []byte) ([]byte, error) {
	if len(data) < 2*aes.BlockSize {
		return nil, nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	vector, data := data[:aes.BlockSize], data[aes.BlockSize:]
	out := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, vector).CryptBlocks(out, data[:len(out)])
	if n := int(out[len(out)-1]); n >= 1 && n <= aes.BlockSize {
		out = out[:len(out)-n]
	}
	return out, nil
}
