package pki

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/cryptobyte"
)

// listLife is the validity of the revocation lists issued here.
const listLife = 30 * 24 * time.Hour

// CRLs returns the DER revocation lists of the root and of every issuer in use, each with a
// thisUpdate later than after, which proves that nothing signed until then had been revoked
// (ETSI EN 319 102-1 §5.2.5). Sufficiently recent lists are reused.
func (a *Authority) CRLs(after time.Time) ([][]byte, error) {
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	var lists [][]byte
	for _, issuer := range append([]*Signer{a.root}, a.issuers...) {
		c := issuer.Certificate
		if c.KeyUsage&x509.KeyUsageCRLSign == 0 || now.After(c.NotAfter) {
			continue
		}
		list, err := a.revocationList(issuer, after.UTC(), now)
		if err != nil {
			return nil, err
		}
		lists = append(lists, slices.Clone(list.Raw))
	}
	return lists, nil
}

func (a *Authority) revocationList(issuer *Signer, after, now time.Time) (*x509.RevocationList, error) {
	at := now
	if !at.After(after) { // lists have a resolution of whole seconds
		at = after.Truncate(time.Second).Add(time.Second)
	}
	key := string(issuer.Certificate.Raw)
	if list, ok := a.lists[key]; ok && reusable(list, after, now, at) {
		return list, nil
	}
	since, err := expiredOnList(issuer.Certificate.NotBefore)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number:          big.NewInt(at.UnixMilli()),
		ThisUpdate:      at,
		NextUpdate:      at.Add(listLife),
		ExtraExtensions: []pkix.Extension{since},
	}, issuer.Certificate, issuer.Key)
	if err != nil {
		return nil, fmt.Errorf("pki: revocation list of %s: %w", describe(issuer.Certificate), err)
	}
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		return nil, fmt.Errorf("pki: revocation list of %s: %w", describe(issuer.Certificate), err)
	}
	a.lists[key] = list
	return list, nil
}

// reusable reports whether a list is recent enough, or would be made with the same time.
func reusable(list *x509.RevocationList, after, now, at time.Time) bool {
	recent := !list.ThisUpdate.After(now) && now.Sub(list.ThisUpdate) < listLife/2
	return recent && list.ThisUpdate.After(after) || list.ThisUpdate.Equal(at.Truncate(time.Second))
}

// expiredOnList declares that revoked certificates stay on the list after they expire: a
// signatory's certificate is valid for minutes, and a later list must still cover it (ITU-T
// X.509 §9.5.2.8).
func expiredOnList(since time.Time) (pkix.Extension, error) {
	var b cryptobyte.Builder
	b.AddASN1GeneralizedTime(since)
	value, err := b.Bytes()
	if err != nil {
		return pkix.Extension{}, fmt.Errorf("pki: encoding revocation list: %w", err)
	}
	return pkix.Extension{Id: oidExpiredOnList, Value: value}, nil
}
