package pki_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
	"time"

	"paraph/app/pki"
)

func TestSeededKeysAreNeverWritten(t *testing.T) {
	t.Parallel()
	if _, err := pki.Open(t.TempDir(), pki.Options{Seed: []byte("seed")}); err == nil {
		t.Error("keys that can be guessed were written to a folder")
	}
	if _, err := pki.Open("", pki.Options{Seed: []byte("seed")}); err != nil {
		t.Error(err)
	}
}

func TestSerialNumbersArePositiveAndOfOneLength(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	seen := map[string]bool{}
	for range 40 {
		n := signatory(t, a, time.Now()).Certificate.SerialNumber
		if n.Sign() <= 0 || n.BitLen() != 127 || seen[n.String()] {
			t.Errorf("serial number %v has %d bits, or was used before", n, n.BitLen())
		}
		seen[n.String()] = true
	}
}

func TestOnlySignatoriesAreShortTerm(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	shortTerm := asn1.ObjectIdentifier{0, 4, 0, 194121, 2, 1} // ETSI EN 319 412-1 §5.2
	has := func(c *x509.Certificate) bool {
		for _, e := range c.Extensions {
			if e.Id.Equal(shortTerm) {
				return true
			}
		}
		return false
	}
	s := signatory(t, a, time.Now())
	if !has(s.Certificate) {
		t.Error("the certificate of a signatory is not marked as short-term")
	}
	for _, c := range s.Chain {
		if has(c) {
			t.Errorf("%s is marked as short-term", c.Subject)
		}
	}
}

func TestHugeFilesAreNotImported(t *testing.T) {
	t.Parallel()
	huge := make([]byte, 1<<20+1)
	if _, err := pki.ParsePEM(huge, ""); !errors.Is(err, pki.ErrImport) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}

func TestAddressesStandInTheSubject(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	for address, want := range map[string]bool{"ann@example.com": true, "用户@例子.公司": false} {
		s, err := a.Signatory(pki.Person{Name: "Ann", Email: address}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(s.Certificate.Subject.String(), "1.2.840.113549.1.9.1="); got != want {
			t.Errorf("%s: the subject is %s", address, s.Certificate.Subject)
		}
	}
}

func TestNamesKeepNoControlsOfDirection(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	for _, tt := range []struct {
		r    rune
		kept bool
	}{
		{'\u2029', false}, {'\u202A', false}, {'\u202E', false}, {'\u2066', false}, {'\u2069', false}, {'\uFEFF', false},
		{'\u2030', true}, {'\u206A', true},
	} {
		s, err := a.Signatory(pki.Person{Name: "Ann" + string(tt.r) + "Lee"}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Certificate.Subject.CommonName; bytes.ContainsRune([]byte(got), tt.r) != tt.kept {
			t.Errorf("%U: got %q", tt.r, got)
		}
	}
}

func TestImportedCertificatesBelongToACompany(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	f := newForeign(t)
	if err := a.ImportCompany("", f.signer(t, p256(t), nil)); err == nil {
		t.Error("a certificate was imported for no company")
	}
}

// blocks counts the parts of a PEM text.
func blocks(t *testing.T, text []byte) map[string]int {
	t.Helper()
	n := map[string]int{}
	for {
		b, rest := pem.Decode(text)
		if b == nil {
			return n
		}
		n[b.Type]++
		text = rest
	}
}

func TestAFormerInstallationStaysProven(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, at := range map[string]string{"in memory": "", "in a folder": dir} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := open(t, "", pki.Options{})
			public, err := before.Public("01ABC", "Acme")
			if err != nil {
				t.Fatal(err)
			}
			old := blocks(t, public)
			if old["CERTIFICATE"] < 4 || old["X509 CRL"] < 1 || len(old) != 2 {
				t.Errorf("got %v: company, timestamps, issuer, root and lists are needed, and no keys", old)
			}
			after := open(t, at, pki.Options{})
			if err := after.Adopt("01ABC", public); err != nil {
				t.Fatal(err)
			}
			again, err := after.Public("01ABC", "Acme")
			if err != nil {
				t.Fatal(err)
			}
			if now := blocks(t, again); now["CERTIFICATE"] != 2*old["CERTIFICATE"] || now["X509 CRL"] != 2*old["X509 CRL"] {
				t.Errorf("got %v after %v", now, old)
			}
			roots, err := after.MovedRoots("01ABC")
			if err != nil || len(roots) != 1 || !roots[0].Equal(before.Root()) {
				t.Errorf("got the roots %v, %v", roots, err)
			}
			if lists, err := after.MovedLists("01ABC"); err != nil || len(lists) != old["X509 CRL"] {
				t.Errorf("got %d lists, %v", len(lists), err)
			}
			other, err := after.Public("01DEF", "Other")
			if err != nil {
				t.Fatal(err)
			}
			if blocks(t, other)["CERTIFICATE"] != old["CERTIFICATE"] {
				t.Errorf("another company brought along %v", blocks(t, other))
			}
			if err := after.Disown("01ABC"); err != nil {
				t.Fatal(err)
			}
			if roots, err := after.MovedRoots("01ABC"); err != nil || roots != nil {
				t.Errorf("disowned: got %v, %v", roots, err)
			}
		})
	}
}

func TestOnlyPublicPartsAreAdopted(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	for name, public := range map[string][]byte{
		"no PEM": []byte("text"), "a key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("key")}),
		"no certificate": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("none")}),
		"no list":        pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: []byte("none")}),
	} {
		if err := a.Adopt("01ABC", public); !errors.Is(err, pki.ErrKeyFile) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if lists, err := a.MovedLists("01ABC"); err != nil || lists != nil {
		t.Errorf("got %v, %v", lists, err)
	}
}

func TestDamagedFoldersAreNotBegunAnew(t *testing.T) {
	t.Parallel()
	file := write(t, "keys", []byte("no folder"))
	if _, err := pki.Open(file, pki.Options{}); err == nil {
		t.Error("a file was opened as a folder of keys")
	} else if errors.Is(err, pki.ErrExpired) {
		t.Errorf("got %v", err)
	}
}
