package pki

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

const (
	defaultTimestampTimeout = 15 * time.Second
	maxTimestampResponse    = 256 << 10
	// usualTokenSize is assumed before the first token; those of public authorities are 3 to 8
	// KB long.
	usualTokenSize = 12 << 10
	maxClockSkew   = 5 * time.Minute
)

// HTTPOptions configure the requests to a timestamp authority.
type HTTPOptions struct {
	// URL is http or https, without a user name in it.
	URL string
	// Username and Password are for basic authentication, when Username is not empty.
	Username, Password string
	// Timeout is for a whole request; by default 15 seconds.
	Timeout time.Duration
	// Client makes the connections, so that the caller can restrict them; by default a new one.
	Client *http.Client
	// Roots, if given, are the only roots trusted for the authority.
	Roots []*x509.Certificate
	// Now, if given, is a clock that must agree with the authority's to within five minutes: a
	// signature with a timestamp outside its certificate's validity is worthless.
	Now func() time.Time
}

// String omits the password, so that it never appears in printed settings.
func (o HTTPOptions) String() string { return "timestamp authority " + o.URL }

// GoString returns String.
func (o HTTPOptions) GoString() string { return o.String() }

// HTTPTimestamper requests timestamps from an RFC 3161 authority over HTTP (RFC 3161 §3.4).
type HTTPTimestamper struct {
	options HTTPOptions
	client  http.Client
	largest atomic.Int64
}

// NewHTTPTimestamper checks the settings; it makes no connections.
func NewHTTPTimestamper(o HTTPOptions) (*HTTPTimestamper, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("pki: the timestamp authority's address is not an http or https URL")
	}
	if u.User != nil {
		return nil, errors.New("pki: the timestamp authority's user name and password belong in their own settings, not in its address")
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimestampTimeout
	}
	t := &HTTPTimestamper{options: o}
	if o.Client != nil {
		t.client = *o.Client
	}
	t.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return t, nil
}

// Timestamp requests a token over a SHA-256 digest and returns it only if it is over this
// digest, has the nonce of this request, and is properly signed with a certificate for
// timestamping. Any failure wraps ErrTimestamp.
func (t *HTTPTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	if len(digest) != sha256.Size {
		return nil, fmt.Errorf("%w: a digest of %d bytes instead of a SHA-256", ErrTimestamp, len(digest))
	}
	token, err := t.ask(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("%w from %s: %w", ErrTimestamp, t.options.URL, err)
	}
	for {
		seen := t.largest.Load()
		if int64(len(token)) <= seen || t.largest.CompareAndSwap(seen, int64(len(token))) {
			return token, nil
		}
	}
}

// TokenSize returns the length of the longest token so far, or a generous guess before the
// first one.
func (t *HTTPTimestamper) TokenSize() int {
	if n := t.largest.Load(); n > 0 {
		return int(n)
	}
	return usualTokenSize
}

func (t *HTTPTimestamper) ask(ctx context.Context, digest []byte) ([]byte, error) {
	nonce, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 63))
	if err != nil {
		return nil, fmt.Errorf("making a nonce: %w", err)
	}
	request, err := TimestampRequest{Hash: crypto.SHA256, Digest: digest, Nonce: nonce, Certificates: true}.encode()
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	answer, err := t.post(ctx, request)
	if err != nil {
		return nil, err
	}
	token, err := parseTimestampResponse(answer)
	if err != nil {
		return nil, err
	}
	return token, t.check(token, digest, nonce)
}

func (t *HTTPTimestamper) post(ctx context.Context, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.options.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/timestamp-query")
	request.Header.Set("Accept", "application/timestamp-reply")
	if t.options.Username != "" {
		request.SetBasicAuth(t.options.Username, t.options.Password)
	}
	response, err := t.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxTimestampResponse+1))
	if err != nil {
		return nil, fmt.Errorf("reading its answer: %w", err)
	}
	if len(answer) > maxTimestampResponse {
		return nil, fmt.Errorf("response longer than %d bytes", maxTimestampResponse)
	}
	return answer, nil
}

// parseTimestampResponse returns the token of a granted TimeStampResp (RFC 3161 §2.4.2).
func parseTimestampResponse(in []byte) ([]byte, error) {
	der, _, err := toDER(in)
	if err != nil {
		return nil, fmt.Errorf("not a timestamp response: %w", err)
	}
	input := cryptobyte.String(der)
	var body, info, token cryptobyte.String
	var status int
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1(&info, cbasn1.SEQUENCE) || !info.ReadASN1Integer(&status) {
		return nil, errors.New("not a timestamp response")
	}
	if status != statusGranted && status != statusGrantedWithMods {
		return nil, fmt.Errorf("it refused (status %d%s)", status, statusText(info))
	}
	if !body.ReadASN1Element(&token, cbasn1.SEQUENCE) || !body.Empty() {
		return nil, errors.New("response without a token")
	}
	return token, nil
}

// statusText reads PKIFreeText, which is foreign text and therefore shortened and cleaned.
func statusText(info cryptobyte.String) string {
	var list, text cryptobyte.String
	if !info.ReadASN1(&list, cbasn1.SEQUENCE) || !list.ReadASN1(&text, cbasn1.UTF8String) {
		return ""
	}
	return ": " + strings.TrimSuffix(directoryText(string(text), 200), ".")
}

func (t *HTTPTimestamper) check(token, sum []byte, nonce *big.Int) error {
	r := verifyToken(token, func(d *digest) ([]byte, error) {
		if d.hash != crypto.SHA256 {
			return nil, errors.New("token is over a different digest")
		}
		return sum, nil
	}, VerifyOptions{Roots: t.options.Roots})
	switch {
	case !r.Intact() || !r.CertificateBound || !r.PurposeOK:
		return fmt.Errorf("invalid token: %s", sentence(r.Problems))
	case r.Nonce == nil || r.Nonce.Cmp(nonce) != 0:
		return errors.New("token is for another request (nonce differs)")
	case len(t.options.Roots) > 0 && !(r.OK && r.TrustedRoot):
		return fmt.Errorf("its certificate does not chain to a trusted root: %s", sentence(r.Problems))
	case t.options.Now != nil && t.options.Now().Sub(r.Time).Abs() > maxClockSkew:
		return fmt.Errorf("its clock (%s) and this machine's (%s) differ", r.Time.Format(time.RFC3339), t.options.Now().UTC().Format(time.RFC3339))
	}
	return nil
}
