package pki_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"paraph/app/pki"
)

func TestOpenSSLVerifiesTimestamps(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	data := []byte("timestamped")
	sum := sha256.Sum256(data)
	token, err := a.Timestamper().Timestamp(context.Background(), sum[:])
	if err != nil {
		t.Fatal(err)
	}
	if len(token) > a.Timestamper().TokenSize() || a.Timestamper().TokenSize() > len(token)+16 {
		t.Errorf("%d bytes, foretold %d", len(token), a.Timestamper().TokenSize())
	}
	file, root := write(t, "token.der", token), pemFile(t, a.Root())
	out := openssl(t, "ts", "-verify", "-data", write(t, "data", data), "-in", file, "-token_in", "-CAfile", root)
	if !strings.Contains(out, "Verification: OK") {
		t.Errorf("openssl says %s", out)
	}
	r := pki.VerifyTimestamp(token, contentOf(data), pki.VerifyOptions{Roots: a.Roots()})
	if !r.OK || !r.Trusted() || !r.PurposeOK || r.Authority == "" || r.Policy == "" || time.Since(r.Time) > time.Minute || r.Accuracy != time.Second || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
	if r := pki.VerifyTimestamp(token, contentOf([]byte("other")), pki.VerifyOptions{Roots: a.Roots()}); r.OK || r.DigestOK {
		t.Errorf("over something else: %+v", r)
	}
}

// openssl as the client of our authority, with and without certificates, and with refused requests.
func TestOpenSSLTimestampQueries(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	data := write(t, "data", []byte("timestamped"))
	for name, c := range map[string]struct {
		args    []string
		granted bool
	}{
		"with certificates":     {[]string{"-sha256", "-cert"}, true},
		"without":               {[]string{"-sha512"}, true},
		"SHA-384 without nonce": {[]string{"-sha384", "-no_nonce", "-cert"}, true},
		"SHA-1":                 {[]string{"-sha1", "-cert"}, false},
		"other policy":          {[]string{"-sha256", "-tspolicy", "1.2.3.4.1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query, reply := write(t, "query", nil), write(t, "reply", nil)
			openssl(t, append([]string{"ts", "-query", "-data", data, "-out", query}, c.args...)...)
			request, err := os.ReadFile(query)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := a.RespondTimestamp(request)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(reply, answer, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.granted {
				signer := timestampChain(t, a)
				openssl(t, "ts", "-verify", "-queryfile", query, "-in", reply, "-CAfile", pemFile(t, a.Root()), "-untrusted", signer)
			}
			text := openssl(t, "ts", "-reply", "-in", reply, "-text")
			if strings.Contains(text, "Status: Granted") != c.granted || strings.Contains(text, "Status: Rejected") == c.granted {
				t.Errorf("openssl reads %s", text)
			}
		})
	}
}

// timestampChain returns the timestamp authority's certificates as a file.
func timestampChain(t *testing.T, a *pki.Authority) string {
	t.Helper()
	token, err := a.Timestamper().Timestamp(context.Background(), make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	r := pki.VerifyTimestamp(token, contentOf(nil), pki.VerifyOptions{})
	return pemFile(t, r.Certificates...)
}

func TestMalformedRequestsAreRejected(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	for _, request := range []string{"", "garbage", "\x30\x00", "\x30\x03\x02\x01\x01", strings.Repeat("\x30\x80", 1000), strings.Repeat("x", 1<<20)} {
		answer, err := a.RespondTimestamp([]byte(request))
		if err != nil {
			t.Fatal(err)
		}
		if text := openssl(t, "ts", "-reply", "-in", write(t, "reply", answer), "-text"); !strings.Contains(text, "Status: Rejected") {
			t.Errorf("%.20q: %s", request, text)
		}
	}
}

// serve runs a timestamp authority over HTTP whose responses a test can tamper with.
func serve(t *testing.T, a *pki.Authority, spoil func(w http.ResponseWriter, r *http.Request, request, answer []byte)) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, err := io.ReadAll(r.Body)
		if err != nil {
			return // The client went away.
		}
		answer, err := a.RespondTimestamp(request)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/timestamp-reply")
		if spoil != nil {
			spoil(w, r, request, answer)
			return
		}
		if _, err := w.Write(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func newHTTP(t *testing.T, o pki.HTTPOptions) *pki.HTTPTimestamper {
	t.Helper()
	ts, err := pki.NewHTTPTimestamper(o)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func TestHTTPTimestamper(t *testing.T) {
	t.Parallel()
	authority, a := open(t, "", pki.Options{Organization: "Elsewhere"}), open(t, "", pki.Options{})
	server := serve(t, authority, func(w http.ResponseWriter, r *http.Request, _, answer []byte) {
		name, password, _ := r.BasicAuth()
		if name != "me" || password != "secret" || r.Header.Get("Content-Type") != "application/timestamp-query" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Write(answer)
	})
	ts := newHTTP(t, pki.HTTPOptions{URL: server.URL, Username: "me", Password: "secret", Roots: authority.Roots(), Now: time.Now})
	data := []byte("x")
	s := signatory(t, a, time.Now())
	guess := pki.SizeCMS(s, ts)
	cms := sign(t, s, data, ts)
	if known := pki.SizeCMS(s, ts); known >= guess || known < len(cms) {
		t.Errorf("size %d, then %d, for %d bytes", guess, known, len(cms))
	}
	r := pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: append(a.Roots(), authority.Roots()...)})
	if !r.Trusted() || r.Timestamp == nil || !r.Timestamp.OK || !r.Timestamp.TrustedRoot || !strings.HasPrefix(r.Timestamp.Authority, "Elsewhere") {
		t.Errorf("%+v", r)
	}
	r = pki.VerifyCMS(cms, contentOf(data), pki.VerifyOptions{Roots: a.Roots()})
	if !r.Timestamp.OK || r.Timestamp.TrustedRoot || r.JudgedAt.Equal(r.Timestamp.Time) {
		t.Errorf("a timestamp nobody vouches for was believed: %+v", r)
	}
	if _, err := newHTTP(t, pki.HTTPOptions{URL: server.URL}).Timestamp(context.Background(), make([]byte, 32)); !errors.Is(err, pki.ErrTimestamp) {
		t.Errorf("without password: %v", err)
	}
}

func TestHTTPTimestamperFaults(t *testing.T) {
	t.Parallel()
	authority, other := open(t, "", pki.Options{}), open(t, "", pki.Options{})
	old := newClock()
	past := open(t, "", pki.Options{Now: old.now})
	type spoil = func(w http.ResponseWriter, r *http.Request, request, answer []byte)
	body := func(data []byte) spoil {
		return func(w http.ResponseWriter, _ *http.Request, _, _ []byte) { w.Write(data) }
	}
	flush := func(w http.ResponseWriter) {
		// An error means that the client has closed the connection itself.
		_ = http.NewResponseController(w).Flush()
	}
	stale, err := authority.Timestamper().Timestamp(context.Background(), make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	granted := append([]byte{0x30, 0x82, byte((len(stale) + 5) >> 8), byte(len(stale) + 5), 0x30, 3, 2, 1, 0}, stale...)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for name, c := range map[string]struct {
		server *httptest.Server
		edit   func(*pki.HTTPOptions)
		want   string
	}{
		"status 500": {serve(t, authority, func(w http.ResponseWriter, _ *http.Request, _, _ []byte) { w.WriteHeader(500) }), nil, "status 500"},
		"redirect": {serve(t, authority, func(w http.ResponseWriter, r *http.Request, _, _ []byte) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}), nil, "status 302"},
		"html":          {serve(t, authority, body([]byte("<html>Sign in</html>"))), nil, "not a timestamp response"},
		"empty":         {serve(t, authority, body(nil)), nil, "not a timestamp response"},
		"half":          {serve(t, authority, func(w http.ResponseWriter, _ *http.Request, _, answer []byte) { w.Write(answer[:len(answer)/2]) }), nil, "not a timestamp response"},
		"endless":       {serve(t, authority, body(make([]byte, 1<<20))), nil, "longer than"},
		"other request": {serve(t, authority, body(granted)), nil, "another request"},
		"refusal": {serve(t, authority, func(w http.ResponseWriter, _ *http.Request, _, _ []byte) {
			answer, err := authority.RespondTimestamp(nil)
			if err != nil {
				t.Error(err)
			}
			w.Write(answer)
		}), nil, "it refused (status 2: The request is not a TimeStampReq)"},
		"spoiled signature": {serve(t, authority, func(w http.ResponseWriter, _ *http.Request, _, answer []byte) {
			answer[len(answer)-1] ^= 1
			w.Write(answer)
		}), nil, "invalid token"},
		"signer not for timestamps": {serve(t, authority, func(w http.ResponseWriter, _ *http.Request, _, _ []byte) {
			w.Write(append([]byte{0x30, 0x03, 0x30, 0x01}, 0))
		}), nil, "not a timestamp response"},
		"unknown root": {serve(t, other, nil), func(o *pki.HTTPOptions) { o.Roots = authority.Roots() }, "trusted root"},
		"wrong clock":  {serve(t, past, nil), func(o *pki.HTTPOptions) { o.Now = time.Now }, "clock"},
		"silence": {serve(t, authority, func(_ http.ResponseWriter, r *http.Request, _, _ []byte) {
			select {
			case <-r.Context().Done():
			case <-release:
			}
		}), func(o *pki.HTTPOptions) { o.Timeout = 50 * time.Millisecond }, "deadline"},
		"silence after half": {serve(t, authority, func(w http.ResponseWriter, r *http.Request, _, answer []byte) {
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			w.Write(answer[:len(answer)/2])
			flush(w)
			select {
			case <-r.Context().Done():
			case <-release:
			}
		}), func(o *pki.HTTPOptions) { o.Timeout = 300 * time.Millisecond }, "deadline"},
		"less than announced": {serve(t, authority, func(w http.ResponseWriter, _ *http.Request, _, answer []byte) {
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)+1))
			w.Write(answer)
			flush(w)
			panic(http.ErrAbortHandler)
		}), nil, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := pki.HTTPOptions{URL: c.server.URL, Username: "me", Password: "hunter2"}
			if c.edit != nil {
				c.edit(&o)
			}
			token, err := newHTTP(t, o).Timestamp(context.Background(), make([]byte, 32))
			if token != nil || !errors.Is(err, pki.ErrTimestamp) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %d bytes and %v, want %q", len(token), err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), o.Password) {
				t.Error("the password is in the error")
			}
		})
	}
}

func TestHTTPOptions(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "ftp://example.com", "example.com/tsa", "https://me:pw@example.com", "http://"} {
		if _, err := pki.NewHTTPTimestamper(pki.HTTPOptions{URL: url}); err == nil || strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: %v", url, err)
		}
	}
	o := pki.HTTPOptions{URL: "https://example.com", Password: "hunter2"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if printed := fmt.Sprintf(format, o); strings.Contains(printed, "hunter2") {
			t.Errorf("%s prints the password", format)
		}
	}
}

func TestEmbeddedCertificates(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	s := signatory(t, a, time.Now())
	for want, ts := range map[int]pki.Timestamper{3: nil, 4: a.Timestamper()} { // root and issuer are the same for both
		got, err := pki.EmbeddedCertificates(sign(t, s, []byte("x"), ts))
		if err != nil || len(got) != want {
			t.Errorf("%d certificates, want %d: %v", len(got), want, err)
		}
	}
	if _, err := pki.EmbeddedCertificates([]byte("garbage")); err == nil {
		t.Error("certificates in garbage")
	}
}

// False timestamps, and those of unauthorized issuers, are not trusted.
func TestTimestampsThatAreNot(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	data := []byte("x")
	s := signatory(t, a, time.Now())
	o := pki.VerifyOptions{Roots: a.Roots()}
	token, err := a.Timestamper().Timestamp(context.Background(), make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	if r := pki.VerifyTimestamp(sign(t, s, data, nil), contentOf(data), o); r.OK || len(r.Problems) == 0 {
		t.Errorf("a signature passed off as a timestamp: %+v", r)
	}
	if r := pki.VerifyCMS(token, contentOf(data), o); r.Intact() {
		t.Errorf("a timestamp passed off as a signature: %+v", r)
	}
	cms := sign(t, s, data, fixed(token))
	r := pki.VerifyCMS(cms, contentOf(data), o)
	if !r.Intact() || r.Timestamp == nil || r.Timestamp.OK || r.Timestamp.DigestOK {
		t.Errorf("a timestamp over something else: %+v", r)
	}
	if !strings.Contains(codes(r.Problems), "timestamp_invalid") {
		t.Errorf("problems %q", r.Problems)
	}
}

// fixed returns the same token for every request.
type fixed []byte

func (f fixed) Timestamp(context.Context, []byte) ([]byte, error) { return f, nil }
func (f fixed) TokenSize() int                                    { return len(f) }
