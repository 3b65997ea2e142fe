package pki

import (
	"crypto"
	"crypto/sha3"
	"encoding/asn1"
	"hash"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// digest is a hash function that signatures are verified with. A weak one no longer resists collisions.
type digest struct {
	oid  asn1.ObjectIdentifier
	hash crypto.Hash // 0 for SHAKE, which crypto does not number
	weak bool
}

func digests() []digest {
	return []digest{
		{oidSHA256, crypto.SHA256, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}, crypto.SHA384, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}, crypto.SHA512, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 4}, crypto.SHA224, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 6}, crypto.SHA512_256, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 7}, crypto.SHA3_224, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 8}, crypto.SHA3_256, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 9}, crypto.SHA3_384, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 10}, crypto.SHA3_512, false},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 12}, 0, false}, // SHAKE256, required by RFC 8419 for Ed448
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 18}, 0, false}, // SHAKE256 with its length in the parameters
		{asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}, crypto.SHA1, true},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 5}, crypto.MD5, true},
	}
}

// digestOf returns the digest for a crypto.Hash in the table.
func digestOf(h crypto.Hash) *digest { return findDigest(func(d digest) bool { return d.hash == h }) }

// digestByOID returns nil for an unknown digest.
func digestByOID(oid asn1.ObjectIdentifier) *digest {
	return findDigest(func(d digest) bool { return d.oid.Equal(oid) })
}

func findDigest(match func(digest) bool) *digest {
	for _, d := range digests() {
		if match(d) {
			return &d
		}
	}
	return nil
}

func (d *digest) new() hash.Hash {
	if d.hash == 0 {
		return &shake256{sha3.NewSHAKE256()}
	}
	return d.hash.New()
}

func (d *digest) sum(message []byte) []byte {
	h := d.new()
	h.Write(message) // hash.Hash never returns an error
	return h.Sum(nil)
}

func (d *digest) String() string {
	if d.hash == 0 {
		return "SHAKE256"
	}
	return d.hash.String()
}

// shake256 is SHAKE256 with the 512 bits of output that CMS uses (RFC 8702 §3.1).
type shake256 struct{ *sha3.SHAKE }

func (s *shake256) Size() int { return 64 }

func (s *shake256) Sum(b []byte) []byte {
	out := make([]byte, s.Size())
	state := *s.SHAKE // reading must not end the absorption of the original
	state.Read(out)
	return append(b, out...)
}

// algorithm is a parsed AlgorithmIdentifier.
type algorithm struct {
	oid    asn1.ObjectIdentifier // nil if its numbers are too large for a known one
	params cryptobyte.String     // the encoded parameters, empty if absent
}

func readAlgorithm(s *cryptobyte.String) (algorithm, bool) {
	var body cryptobyte.String
	var a algorithm
	if !s.ReadASN1(&body, cbasn1.SEQUENCE) || !readOID(&body, &a.oid) {
		return a, false
	}
	a.params = body
	return a, true
}

// readOID reads an object identifier. One with numbers that do not fit becomes nil, which is
// valid but unknown.
func readOID(s *cryptobyte.String, oid *asn1.ObjectIdentifier) bool {
	var element, inner cryptobyte.String
	if !s.ReadASN1Element(&element, cbasn1.OBJECT_IDENTIFIER) {
		return false
	}
	inner = element
	if !inner.ReadASN1ObjectIdentifier(oid) {
		*oid = nil
	}
	return true
}

// readOptionalBoolean reads a BOOLEAN DEFAULT FALSE.
func readOptionalBoolean(s *cryptobyte.String, out *bool) bool {
	*out = false
	return !s.PeekASN1Tag(cbasn1.BOOLEAN) || s.ReadASN1Boolean(out)
}
