package pki

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/asn1"
	"fmt"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// timestampPolicy identifies the policy of the built-in timestamp authority, which serves the
// installation's own documents and promises only its clock. It is from the arc that needs no
// registration (ITU-T X.667).
var timestampPolicy = asn1.ObjectIdentifier{2, 25, 1790306127}

// timestampAccuracy in seconds covers the fraction that genTime omits.
const timestampAccuracy = 1

// Timestamper returns the built-in RFC 3161 authority. It works without any network.
func (a *Authority) Timestamper() Timestamper { return a.TimestamperFor("") }

// TimestamperFor is Timestamper by the clock of a company.
func (a *Authority) TimestamperFor(company string) Timestamper { return builtInTimestamper{a, company} }

type builtInTimestamper struct {
	authority *Authority
	company   string
}

func (t builtInTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(digest) != sha256.Size {
		return nil, fmt.Errorf("%w: a digest of %d bytes instead of a SHA-256", ErrTimestamp, len(digest))
	}
	token, err := t.authority.timestampToken(t.authority.nowIn(t.company), TimestampRequest{Hash: crypto.SHA256, Digest: digest, Certificates: true})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTimestamp, err)
	}
	return token, nil
}

// TokenSize is measured once per certificate.
func (t builtInTimestamper) TokenSize() int {
	a := t.authority
	s, err := a.timestampSigner(a.nowIn(t.company))
	if err != nil {
		return usualTokenSize // the error recurs when a timestamp is requested
	}
	if n, ok := a.tokenSizes.Load(s.Certificate.SerialNumber.String()); ok {
		return n.(int)
	}
	n, err := measureToken(s)
	if err != nil {
		return usualTokenSize
	}
	a.tokenSizes.Store(s.Certificate.SerialNumber.String(), n)
	return n
}

// measureToken builds a token without signing it.
func measureToken(s *Signer) (int, error) {
	request := TimestampRequest{Hash: crypto.SHA256, Digest: make([]byte, sha256.Size)}
	info, err := encodeTSTInfo(request, new(big.Int).Lsh(big.NewInt(1), 126), s.Certificate.NotBefore)
	if err != nil {
		return 0, err
	}
	p, err := newSignedParts(s, oidTSTInfo, make([]byte, sha256.Size))
	if err != nil {
		return 0, err
	}
	p.signature = make([]byte, maxSignature(s.Key.Public()))
	token, err := p.encode(info)
	return len(token), err
}

// timestampToken makes a TimeStampToken (RFC 3161 §2.4.2) for a validated request.
func (a *Authority) timestampToken(now time.Time, r TimestampRequest) ([]byte, error) {
	s, err := a.timestampSigner(now)
	if err != nil {
		return nil, err
	}
	info, err := encodeTSTInfo(r, a.random.serial(), now)
	if err != nil {
		return nil, fmt.Errorf("pki: encoding timestamp: %w", err)
	}
	digest := sha256.Sum256(info)
	p, err := newSignedParts(s, oidTSTInfo, digest[:])
	if err != nil {
		return nil, err
	}
	if p.signature, err = s.sign(p.attributes); err != nil {
		return nil, err
	}
	p.bare = !r.Certificates
	return p.encode(info)
}

func encodeTSTInfo(r TimestampRequest, serial *big.Int, at time.Time) ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1Int64(1)
		b.AddASN1ObjectIdentifier(timestampPolicy)
		addMessageImprint(b, r.Hash, r.Digest)
		b.AddASN1BigInt(serial)
		b.AddASN1GeneralizedTime(at)
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1Int64(timestampAccuracy) })
		if r.Nonce != nil {
			b.AddASN1BigInt(r.Nonce)
		}
	})
	return b.Bytes()
}

func addMessageImprint(b *cryptobyte.Builder, hash crypto.Hash, digest []byte) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1ObjectIdentifier(digestOf(hash).oid)
			b.AddASN1NULL()
		})
		b.AddASN1OctetString(digest)
	})
}
