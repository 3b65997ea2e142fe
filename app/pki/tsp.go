package pki

import (
	"crypto"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// TimestampRequest is a TimeStampReq (RFC 3161 §2.4.1).
type TimestampRequest struct {
	// Hash and Digest are the message imprint.
	Hash   crypto.Hash
	Digest []byte
	// Policy is the requested one, nil for any.
	Policy asn1.ObjectIdentifier
	// Nonce is returned in the token; nil if there is none.
	Nonce *big.Int
	// Certificates requests the authority's certificates inside the token.
	Certificates bool
}

// failure is a PKIFailureInfo bit (RFC 3161 §2.4.2) with a sentence for PKIStatusInfo.
type failure struct {
	bit  int
	text string
}

func (f *failure) Error() string { return "pki: timestamp request: " + f.text }

const (
	failBadAlgorithm  = 0
	failBadFormat     = 5
	failPolicy        = 15
	failExtension     = 16
	failSystemFailure = 25

	maxTimestampRequest = 64 << 10
)

// ParseTimestampRequest reads a DER TimeStampReq and checks that it can be granted.
func ParseTimestampRequest(der []byte) (TimestampRequest, error) {
	var r TimestampRequest
	malformed := &failure{failBadFormat, "The request is not a TimeStampReq."}
	if len(der) > maxTimestampRequest {
		return r, malformed
	}
	input := cryptobyte.String(der)
	var body, imprint, digest cryptobyte.String
	var version int
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !input.Empty() || !body.ReadASN1Integer(&version) || version != 1 ||
		!body.ReadASN1(&imprint, cbasn1.SEQUENCE) {
		return r, malformed
	}
	hash, ok := readAlgorithm(&imprint)
	if !ok || !imprint.ReadASN1(&digest, cbasn1.OCTET_STRING) || !imprint.Empty() {
		return r, malformed
	}
	if !r.readOptions(&body) {
		return r, malformed
	}
	known := digestByOID(hash.oid)
	if r.Digest = digest; known != nil {
		r.Hash = known.hash
	}
	switch {
	case r.Hash == 0 || known.weak:
		return r, &failure{failBadAlgorithm, "The digest is not one that this authority timestamps."}
	case len(r.Digest) != r.Hash.Size():
		return r, &failure{failBadFormat, "The length of the digest does not fit its algorithm."}
	case r.Policy != nil && !r.Policy.Equal(timestampPolicy):
		return r, &failure{failPolicy, "The policy is not one of this authority."}
	case !body.Empty():
		return r, &failure{failExtension, "Extensions are not supported."}
	}
	return r, nil
}

// readOptions reads reqPolicy, nonce and certReq and ignores the rest.
func (r *TimestampRequest) readOptions(body *cryptobyte.String) bool {
	if body.PeekASN1Tag(cbasn1.OBJECT_IDENTIFIER) {
		if !readOID(body, &r.Policy) {
			return false
		}
		if r.Policy == nil {
			r.Policy = asn1.ObjectIdentifier{} // present but unknown
		}
	}
	if body.PeekASN1Tag(cbasn1.INTEGER) {
		r.Nonce = new(big.Int)
		if !body.ReadASN1Integer(r.Nonce) {
			return false
		}
	}
	return readOptionalBoolean(body, &r.Certificates)
}

// encode returns the DER TimeStampReq.
func (r TimestampRequest) encode() ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(1)
		addMessageImprint(b, r.Hash, r.Digest)
		if r.Policy != nil {
			b.AddASN1ObjectIdentifier(r.Policy)
		}
		if r.Nonce != nil {
			b.AddASN1BigInt(r.Nonce)
		}
		if r.Certificates {
			b.AddASN1Boolean(true)
		}
	})
	return b.Bytes()
}

// RespondTimestamp is the server side of RFC 3161: it answers a DER TimeStampReq with a DER
// TimeStampResp (media type application/timestamp-reply). A request that cannot be granted
// results in a rejection, not in an error.
func (a *Authority) RespondTimestamp(request []byte) ([]byte, error) {
	r, err := ParseTimestampRequest(request)
	var refused *failure
	if errors.As(err, &refused) {
		return encodeRejection(refused)
	}
	token, err := a.timestampToken(a.now(), r)
	if err != nil {
		refusal, encodeErr := encodeRejection(&failure{failSystemFailure, "The authority cannot sign at present."})
		return refusal, errors.Join(fmt.Errorf("%w: %w", ErrTimestamp, err), encodeErr)
	}
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1Int64(statusGranted) })
		b.AddBytes(token)
	})
	return b.Bytes()
}

// PKIStatus values.
const (
	statusGranted         = 0
	statusGrantedWithMods = 1
	statusRejection       = 2
)

func encodeRejection(f *failure) ([]byte, error) {
	bits := make([]byte, f.bit/8+1)
	bits[f.bit/8] = 0x80 >> (f.bit % 8)
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1Int64(statusRejection)
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.UTF8String, func(b *cryptobyte.Builder) { b.AddBytes([]byte(f.text)) })
			})
			b.AddASN1(cbasn1.BIT_STRING, func(b *cryptobyte.Builder) {
				b.AddUint8(uint8(7 - f.bit%8)) // a named bit list ends with its last set bit
				b.AddBytes(bits)
			})
		})
	})
	return b.Bytes()
}
