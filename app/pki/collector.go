package pki

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/ocsp"
)

// Limits on fetched data: validation data becomes part of every file.
const (
	collectTimeout     = 10 * time.Second
	maxRevocationData  = 1 << 20
	maxCollected       = 40
	maxAddresses       = 3 // of each kind in a certificate
	maxAllData         = 8 << 20
	keepRevocationData = time.Hour
	keepFailure        = 5 * time.Minute
	maxKept            = 200
)

// Collector fetches revocation data from the addresses named in certificates, for the
// validation data of files (ETSI EN 319 142-1 §5.4.2). Responses are cached for up to an hour,
// and failures for minutes, so that an unresponsive address delays few files.
type Collector struct {
	client *http.Client
	now    func() time.Time

	mu   sync.Mutex
	kept map[string]keptAnswer

	verified verified
}

type keptAnswer struct {
	data  []byte // nil after a failure
	until time.Time
}

// NewCollector returns a collector. The client restricts connections.
func NewCollector(client *http.Client, now func() time.Time) *Collector {
	return &Collector{client: client, now: now, kept: map[string]keptAnswer{}}
}

// Collected is fetched validation data.
type Collected struct {
	Certificates, CRLs, OCSPs [][]byte
	// Missing lists the certificates whose revocation status is unknown.
	Missing []string
}

// Collect fetches proof that certificates and those of their issuers were not revoked. Nothing
// is fetched for certificates covered by the given lists, nor for short-lived and self-signed
// ones. It always returns within seconds.
func (c *Collector) Collect(ctx context.Context, certificates, lists [][]byte) Collected {
	ctx, cancel := context.WithTimeout(ctx, collectTimeout)
	defer cancel()
	var out Collected
	var all []*x509.Certificate
	for _, der := range certificates {
		if one, err := ParseCertificate(der); err == nil {
			all = append(all, one)
		}
	}
	o := VerifyOptions{CRLs: slices.Clone(lists), evidence: newEvidence()}
	o.evidence.known = &c.verified
	for i := 0; i < len(all) && i < maxCollected; i++ {
		one := all[i]
		if bytes.Equal(one.RawIssuer, one.RawSubject) {
			continue
		}
		issuer, fetched := c.issuer(ctx, one, all, o.evidence)
		if issuer == nil {
			out.Missing = append(out.Missing, describe(one))
			continue
		}
		if fetched {
			all, out.Certificates = append(all, issuer), append(out.Certificates, issuer.Raw)
		}
		o.Extra = all
		if size(o.CRLs[len(lists):])+size(o.OCSPs) > maxAllData || !c.prove(ctx, one, issuer, &o) {
			out.Missing = append(out.Missing, describe(one))
		}
	}
	out.CRLs, out.OCSPs = o.CRLs[len(lists):], o.OCSPs
	return out
}

// some returns the addresses that are tried. Whoever made a certificate may have named thousands.
func some(addresses []string) []string { return addresses[:min(len(addresses), maxAddresses)] }

func size(all [][]byte) (n int) {
	for _, b := range all {
		n += len(b)
	}
	return n
}

// prove adds the revocation status of a certificate to the options, unless they have it.
func (c *Collector) prove(ctx context.Context, one, issuer *x509.Certificate, o *VerifyOptions) bool {
	known := func() bool {
		return certificateRevocation([]*x509.Certificate{one, issuer}, *o, c.now()).Status != RevocationUnknown
	}
	if known() {
		return true
	}
	for _, address := range some(one.OCSPServer) {
		if der := c.ask(ctx, address, one, issuer); der != nil {
			o.OCSPs = append(o.OCSPs, der)
			if known() {
				return true
			}
			o.OCSPs = o.OCSPs[:len(o.OCSPs)-1]
		}
	}
	for _, address := range some(one.CRLDistributionPoints) {
		if der := c.get(ctx, address, listEnds); der != nil {
			o.CRLs = append(o.CRLs, der)
			if known() {
				return true
			}
			o.CRLs = o.CRLs[:len(o.CRLs)-1]
		}
	}
	return false
}

// issuer finds the issuer's certificate, or fetches it.
func (c *Collector) issuer(ctx context.Context, one *x509.Certificate, all []*x509.Certificate, e *evidence) (issuer *x509.Certificate, fetched bool) {
	issued := func(x *x509.Certificate) bool { return bytes.Equal(x.RawSubject, one.RawIssuer) && e.issued(x, one) }
	if i := slices.IndexFunc(all, issued); i >= 0 {
		return all[i], false
	}
	for _, address := range some(one.IssuingCertificateURL) {
		found, err := ParseCertificates(c.get(ctx, address, func([]byte) (time.Time, error) { return time.Time{}, nil }))
		if i := slices.IndexFunc(found, issued); err == nil && i >= 0 {
			return found[i], true
		}
	}
	return nil, false
}

// listEnds returns when a revocation list expires.
func listEnds(der []byte) (time.Time, error) {
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		return time.Time{}, err
	}
	return list.NextUpdate, nil
}

// get fetches an address; it returns nil on failure.
func (c *Collector) get(ctx context.Context, address string, ends func([]byte) (time.Time, error)) []byte {
	return c.keep(address, func() ([]byte, time.Time, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, time.Time{}, err
		}
		data, err := c.do(request)
		if err != nil {
			return nil, time.Time{}, err
		}
		until, err := ends(data)
		return data, until, err
	})
}

// ask queries an OCSP responder about a certificate; it returns nil on failure.
func (c *Collector) ask(ctx context.Context, address string, one, issuer *x509.Certificate) []byte {
	return c.keep(address+" "+string(one.Raw), func() ([]byte, time.Time, error) {
		question, err := ocsp.CreateRequest(one, issuer, nil)
		if err != nil {
			return nil, time.Time{}, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(question))
		if err != nil {
			return nil, time.Time{}, err
		}
		request.Header.Set("Content-Type", "application/ocsp-request")
		data, err := c.do(request)
		if err != nil {
			return nil, time.Time{}, err
		}
		answer, err := ocsp.ParseResponseForCert(data, one, nil)
		if err != nil {
			return nil, time.Time{}, err
		}
		return data, answer.NextUpdate, nil
	})
}

var errRevocationData = errors.New("pki: no revocation data")

func (c *Collector) do(request *http.Request) ([]byte, error) {
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxRevocationData+1))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK, len(data) > maxRevocationData:
		return nil, fmt.Errorf("%w: status %d, %d bytes", errRevocationData, response.StatusCode, len(data))
	}
	return data, nil
}

// keep returns a recently fetched value, or fetches it.
func (c *Collector) keep(key string, fetch func() ([]byte, time.Time, error)) []byte {
	now := c.now()
	c.mu.Lock()
	known, ok := c.kept[key]
	c.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.data
	}
	data, until, err := fetch()
	latest := now.Add(keepRevocationData)
	if err != nil {
		data, until = nil, now.Add(keepFailure)
	}
	if until.IsZero() || until.After(latest) {
		until = latest
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	c.kept[key] = keptAnswer{data, until}
	return data
}
