package pki_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"paraph/app/pki"
)

// TestCollector queries the addresses named by a certificate, trusts only what its issuer signed, and
// queries no address twice.
func TestCollector(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	var answers atomic.Pointer[map[string][]byte]
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer, ok := (*answers.Load())[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if _, err := w.Write(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	s := f.signer(t, p256(t), func(c *x509.Certificate) {
		c.OCSPServer, c.CRLDistributionPoints = []string{server.URL + "/ocsp"}, []string{server.URL + "/crl"}
		c.IssuingCertificateURL = []string{server.URL + "/issuer"}
	})
	good, err := ocsp.CreateResponse(f.issuer, f.issuer, ocsp.Response{Status: ocsp.Good, SerialNumber: s.Certificate.SerialNumber,
		ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(time.Hour)}, f.issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	list := f.list(t, f.issuer, f.issuerKey, nil)
	others := f.list(t, f.root, f.rootKey, nil)
	have := [][]byte{f.list(t, f.root, f.rootKey, nil)} // covers the issuer
	for name, c := range map[string]struct {
		answers      map[string][]byte
		given        []*x509.Certificate
		lists, ocsps int
		missing      int
	}{
		"a responder":        {map[string][]byte{"/ocsp": good}, []*x509.Certificate{f.issuer}, 0, 1, 0},
		"a list":             {map[string][]byte{"/ocsp": []byte("x"), "/crl": list}, []*x509.Certificate{f.issuer}, 1, 0, 0},
		"another's list":     {map[string][]byte{"/crl": others}, []*x509.Certificate{f.issuer}, 0, 0, 1},
		"too long":           {map[string][]byte{"/crl": append(list, make([]byte, 1<<20)...)}, []*x509.Certificate{f.issuer}, 0, 0, 1},
		"nothing":            {nil, []*x509.Certificate{f.issuer}, 0, 0, 1},
		"an issuer to fetch": {map[string][]byte{"/crl": list, "/issuer": f.issuer.Raw}, nil, 1, 0, 0},
		"no issuer":          {map[string][]byte{"/crl": list, "/issuer": f.root.Raw}, nil, 0, 0, 1},
	} {
		answers.Store(&c.answers)
		collector := pki.NewCollector(server.Client(), time.Now)
		certificates := [][]byte{s.Certificate.Raw}
		for _, one := range c.given {
			certificates = append(certificates, one.Raw)
		}
		got := collector.Collect(context.Background(), append(certificates, f.root.Raw), have)
		if len(got.CRLs) != c.lists || len(got.OCSPs) != c.ocsps || len(got.Missing) != c.missing {
			t.Errorf("%s: %d lists, %d responses, missing %v", name, len(got.CRLs), len(got.OCSPs), got.Missing)
		}
		if fetched := len(got.Certificates) == 1 && bytes.Equal(got.Certificates[0], f.issuer.Raw); fetched != (c.given == nil && c.missing == 0) {
			t.Errorf("%s: %d certificates", name, len(got.Certificates))
		}
		before := asked.Load()
		if collector.Collect(context.Background(), append(certificates, f.root.Raw), have); asked.Load() != before {
			t.Errorf("%s: asked again", name)
		}
	}
}

// TestCollectorIsBounded queries a few of the addresses that a certificate names, and follows none of them elsewhere.
func TestCollectorIsBounded(t *testing.T) {
	t.Parallel()
	f := newForeign(t)
	var asked, led atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			led.Add(1)
			return
		}
		asked.Add(1)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	s := f.signer(t, p256(t), func(c *x509.Certificate) {
		for i := range 500 {
			c.OCSPServer = append(c.OCSPServer, fmt.Sprintf("%s/ocsp%d", server.URL, i))
			c.CRLDistributionPoints = append(c.CRLDistributionPoints, fmt.Sprintf("%s/crl%d", server.URL, i))
		}
		c.CRLDistributionPoints[0], c.OCSPServer[0] = "file:///etc/passwd", "ldap://"+server.Listener.Addr().String()+"/x"
	})
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	got := pki.NewCollector(client, time.Now).Collect(t.Context(), [][]byte{s.Certificate.Raw, f.issuer.Raw, f.root.Raw}, [][]byte{f.list(t, f.root, f.rootKey, nil)})
	if len(got.Missing) != 1 || asked.Load() != 4 || led.Load() != 0 {
		t.Errorf("%d requests, %d led elsewhere, missing %v", asked.Load(), led.Load(), got.Missing)
	}
}
