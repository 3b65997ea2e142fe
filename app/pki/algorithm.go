package pki

import (
	"crypto"
	"encoding/asn1"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// digestNames lists the digests that signatures are verified with. Those that no longer resist collisions are weak.
var digestNames = []struct {
	oid  asn1.ObjectIdentifier
	hash crypto.Hash
	weak bool
}{
	{oidSHA256, crypto.SHA256, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}, crypto.SHA384, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}, crypto.SHA512, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 4}, crypto.SHA224, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 6}, crypto.SHA512_256, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 8}, crypto.SHA3_256, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 9}, crypto.SHA3_384, false},
	{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 10}, crypto.SHA3_512, false},
	{asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}, crypto.SHA1, true},
	{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 5}, crypto.MD5, true},
}

// digestOID gives the identifier of a digest in the table, or nil.
func digestOID(hash crypto.Hash) asn1.ObjectIdentifier {
	for _, d := range digestNames {
		if d.hash == hash {
			return d.oid
		}
	}
	return nil
}

// digestByOID gives 0 for a digest that is not in the table.
func digestByOID(oid asn1.ObjectIdentifier) crypto.Hash {
	for _, d := range digestNames {
		if d.oid.Equal(oid) {
			return d.hash
		}
	}
	return 0
}

func isWeak(hash crypto.Hash) bool {
	for _, d := range digestNames {
		if d.hash == hash {
			return d.weak
		}
	}
	return false
}

// algorithm is an AlgorithmIdentifier as read.
type algorithm struct {
	oid    asn1.ObjectIdentifier // nil when its numbers are too large to be one that is known
	params cryptobyte.String     // the encoded parameters, empty when absent
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

// readOID reads an object identifier; one with numbers that do not fit gives nil, because it is valid though unknown.
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
