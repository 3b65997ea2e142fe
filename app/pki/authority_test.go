package pki_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/pki"
)

func TestOpenSSLAcceptsCertificates(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	company, err := a.Company("01COMPANY", "Grüße & Söhne GmbH")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*pki.Signer{"company": company, "signatory": signatory(t, a, time.Now())} {
		root := pemFile(t, s.Chain[len(s.Chain)-1])
		openssl(t, "verify", "-x509_strict", "-purpose", "smimesign", "-CAfile", root, "-untrusted", pemFile(t, s.Chain...), pemFile(t, s.Certificate))
		text := openssl(t, "x509", "-in", pemFile(t, s.Certificate), "-noout", "-text", "-nameopt", "utf8")
		for _, want := range []string{"Digital Signature, Non Repudiation", "1.3.6.1.5.5.7.3.36", "1.2.840.113583.1.1.5", "E-mail Protection", "X509v3 Authority Key Identifier"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: openssl does not show %q in\n%s", name, want, text)
			}
		}
	}
}

func TestCRLsAreAcceptedAndRecent(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	s := signatory(t, a, time.Now())
	after := time.Now().Add(-time.Minute)
	lists, err := a.CRLs(after)
	if err != nil {
		t.Fatal(err)
	}
	if len(lists) != 2 {
		t.Fatalf("got %d lists, want those of root and issuer", len(lists))
	}
	var joined []byte
	for _, der := range lists {
		list, err := x509.ParseRevocationList(der)
		if err != nil {
			t.Fatal(err)
		}
		if !list.ThisUpdate.After(after) {
			t.Errorf("thisUpdate %s is not after %s", list.ThisUpdate, after)
		}
		path := write(t, "list.crl", der)
		out := openssl(t, "crl", "-inform", "DER", "-in", path, "-CAfile", pemFile(t, s.Chain...), "-noout")
		if !strings.Contains(out, "verify OK") {
			t.Errorf("openssl says %s", out)
		}
		joined = append(joined, openssl(t, "crl", "-inform", "DER", "-in", path)...)
	}
	openssl(t, "verify", "-x509_strict", "-crl_check_all", "-CRLfile", write(t, "lists.pem", joined),
		"-CAfile", pemFile(t, a.Root()), "-untrusted", pemFile(t, s.Chain...), pemFile(t, s.Certificate))
}

func TestCRLsAreNewerThanTheMomentAsked(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, "", pki.Options{Now: c.now})
	for range 3 {
		after := c.now().Add(700 * time.Millisecond)
		lists, err := a.CRLs(after)
		if err != nil {
			t.Fatal(err)
		}
		again, err := a.CRLs(after)
		if err != nil {
			t.Fatal(err)
		}
		for i, der := range lists {
			list, err := x509.ParseRevocationList(der)
			if err != nil {
				t.Fatal(err)
			}
			if !list.ThisUpdate.After(after) || list.ThisUpdate.Sub(after) > time.Second {
				t.Errorf("thisUpdate %s for %s", list.ThisUpdate, after)
			}
			if list.ThisUpdate.After(c.now()) == bytes.Equal(der, again[i]) && !list.ThisUpdate.After(c.now()) {
				t.Errorf("a list that is recent enough was made again")
			}
		}
		c.advance(10 * time.Second)
	}
}

func TestFolderKeepsAuthorityAndCompanies(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "keys")
	a := open(t, dir, pki.Options{})
	before, err := a.Company("01COMPANY", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	strange, err := a.Company("../../etc/passwd", "Evil")
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, dir, pki.Options{})
	if !a.Root().Equal(b.Root()) {
		t.Error("the root changed")
	}
	after, err := b.Company("01COMPANY", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	if !after.Certificate.Equal(before.Certificate) {
		t.Error("the company's certificate changed")
	}
	if again, err := b.Company("../../etc/passwd", "Evil"); err != nil || !again.Certificate.Equal(strange.Certificate) {
		t.Errorf("a strange identifier: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v %v", info.Mode(), err)
	}
}

func TestSignatoryKeyIsNeverStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, pki.Options{})
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	signatory(t, a, time.Now())
	after, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(before) != len(after) {
		t.Errorf("a signatory left a file: %d before, %d after", len(before), len(after))
	}
}

func TestDamagedFolderIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"empty root":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, "root.pem"), nil, 0o600) }, "root.pem"},
		"missing root": {func(dir string) error { return os.Remove(filepath.Join(dir, "root.pem")) }, "root.pem"},
		"torn issuer": {func(dir string) error {
			path := filepath.Join(dir, "issuer-0001.pem")
			data, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, data[:len(data)*3/4], 0o600))
		}, "issuer-0001.pem"},
		"flipped byte": {func(dir string) error {
			path := filepath.Join(dir, "timestamp.pem")
			data, err := os.ReadFile(path)
			data[len(data)/2] ^= 1
			return errors.Join(err, os.WriteFile(path, data, 0o600))
		}, "timestamp.pem"},
		"key of another": {func(dir string) error {
			root, err := os.ReadFile(filepath.Join(dir, "root.pem"))
			issuer, err2 := os.ReadFile(filepath.Join(dir, "issuer-0001.pem"))
			key, _, _ := bytes.Cut(issuer, []byte("-----BEGIN CERTIFICATE"))
			_, certificate, _ := bytes.Cut(root, []byte("-----BEGIN CERTIFICATE"))
			mixed := append(append(key, "-----BEGIN CERTIFICATE"...), certificate...)
			return errors.Join(err, err2, os.WriteFile(filepath.Join(dir, "root.pem"), mixed, 0o600))
		}, "root.pem"},
		"a folder instead of a file": {func(dir string) error {
			path := filepath.Join(dir, "issuer-0001.pem")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, "issuer-0001.pem"},
		"garbage company": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "company-C1.pem"), []byte("garbage"), 0o600)
		}, "company-C1.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			a := open(t, dir, pki.Options{})
			if _, err := a.Company("C1", "Acme"); err != nil {
				t.Fatal(err)
			}
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
			b, err := pki.Open(dir, pki.Options{})
			if err == nil {
				_, err = b.Company("C1", "Acme")
			}
			if checked := a.Check(); name != "missing root" && (checked == nil || !strings.Contains(checked.Error(), c.want)) {
				t.Errorf("Check: got %v, want it to name %s", checked, c.want)
			}
			if !errors.Is(err, pki.ErrKeyFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to name %s", err, c.want)
			}
		})
	}
}

func TestOpenTightensAndTidies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir, pki.Options{})
	root, leftover := filepath.Join(dir, "root.pem"), filepath.Join(dir, ".new-123")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(root, 0o644), os.WriteFile(leftover, []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	open(t, dir, pki.Options{})
	for path, want := range map[string]os.FileMode{dir: 0o700, root: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if _, err := os.Stat(leftover); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unfinished file is still there: %v", err)
	}
}

// A crash at first start can leave only the root; the rest is created from it.
func TestOpenContinuesAfterTheRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := open(t, dir, pki.Options{}).Root()
	if err := errors.Join(os.Remove(filepath.Join(dir, "issuer-0001.pem")), os.Remove(filepath.Join(dir, "timestamp.pem"))); err != nil {
		t.Fatal(err)
	}
	a := open(t, dir, pki.Options{})
	if !a.Root().Equal(root) {
		t.Error("the root changed")
	}
	sign(t, signatory(t, a, time.Now()), []byte("x"), a.Timestamper())
}

func TestTwoInstallationsDiffer(t *testing.T) {
	t.Parallel()
	a, b := open(t, "", pki.Options{}).Root(), open(t, "", pki.Options{}).Root()
	if bytes.Equal(a.RawSubject, b.RawSubject) || bytes.Equal(a.RawSubjectPublicKeyInfo, b.RawSubjectPublicKeyInfo) {
		t.Error("two roots share a name or a key")
	}
}

func TestRotationKeepsOldSignaturesValid(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := t.TempDir()
	a := open(t, dir, pki.Options{Now: c.now})
	data := []byte("contract")
	type act struct {
		cms []byte
		at  time.Time
	}
	var acts []act
	serials := map[string]bool{}
	for range 60 { // fifteen years, a quarter at a time
		s, err := a.Company("C1", "Acme")
		if err != nil {
			t.Fatal(err)
		}
		if c.now().After(s.Certificate.NotAfter) {
			t.Fatalf("at %s the certificate had expired on %s", c.now(), s.Certificate.NotAfter)
		}
		serials[s.Certificate.SerialNumber.String()] = true
		acts = append(acts, act{sign(t, s, data, a.Timestamper()), c.now()})
		sign(t, signatory(t, a, c.now()), data, a.Timestamper())
		c.advance(91 * day)
	}
	if len(serials) < 5 || len(serials) > 8 {
		t.Errorf("%d certificates in fifteen years", len(serials))
	}
	a = open(t, dir, pki.Options{Now: c.now})
	lists, err := a.CRLs(c.now())
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range acts {
		r := pki.VerifyCMS(act.cms, contentOf(data), pki.VerifyOptions{Roots: a.Roots(), CRLs: lists, At: c.now()})
		if !r.Trusted() || !r.JudgedAt.Equal(act.at) {
			t.Fatalf("signature of %s: %v", act.at, r.Problems)
		}
	}
	kept, err := a.Certificates()
	if err != nil {
		t.Fatal(err)
	}
	for _, certificate := range kept {
		delete(serials, certificate.SerialNumber.String())
	}
	if len(serials) > 0 {
		t.Errorf("%d superseded certificates are gone from the store", len(serials))
	}
}

func TestCompanyFollowsItsName(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	before, err := a.Company("C1", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	same, err := a.Company("C1", "Acme")
	if err != nil || same != before {
		t.Errorf("the same company got another signer: %v", err)
	}
	after, err := a.Company("C1", "Acme Ltd")
	if err != nil {
		t.Fatal(err)
	}
	if got := after.Certificate.Subject.CommonName; got != "Acme Ltd" {
		t.Errorf("renamed company is %q", got)
	}
}

func TestSeedRepeatsEverything(t *testing.T) {
	t.Parallel()
	run := func(seed string) [32]byte {
		c := newClock()
		a := open(t, "", pki.Options{Now: c.now, Seed: []byte(seed)})
		company, err := a.Company("C1", "Acme")
		if err != nil {
			t.Fatal(err)
		}
		lists, err := a.CRLs(c.now())
		if err != nil {
			t.Fatal(err)
		}
		all := append(sign(t, company, []byte("x"), a.Timestamper()), sign(t, signatory(t, a, c.now()), []byte("x"), a.Timestamper())...)
		return sha256.Sum256(append(all, bytes.Join(lists, nil)...))
	}
	first, again := run("1"), run("1")
	if first != again {
		t.Error("the same seed gave something else")
	}
	if first == run("2") {
		t.Error("another seed gave the same")
	}
	if _, err := pki.Open(t.TempDir(), pki.Options{Seed: []byte("1")}); err == nil {
		t.Error("seeded keys were written to a folder")
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Now().UTC()}
	a := open(t, t.TempDir(), pki.Options{Now: c.now})
	f := newForeign(t)
	s := f.signer(t, p256(t), func(x *x509.Certificate) { x.NotAfter = c.now().Add(90 * day) })
	if err := a.ImportCompany("C1", s); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{
		{0, nil},
		{40 * day, []string{"company false"}},
		{100 * day, []string{"company true"}},
		{30*365*day - 10*day, []string{"company true", "root false"}},
	} {
		warnings, err := a.Warnings(c.now().Add(step.after))
		if err != nil {
			t.Fatal(err)
		}
		if len(warnings) != len(step.want) {
			t.Fatalf("after %s: %v", step.after, warnings)
		}
		for i, want := range step.want {
			if got := fmt.Sprint(warnings[i].Level, " ", warnings[i].Expired); got != want {
				t.Errorf("after %s: got %q, want %q", step.after, got, want)
			}
		}
	}
	c.advance(100 * day)
	if _, err := a.Company("C1", "Acme"); !errors.Is(err, pki.ErrExpired) {
		t.Errorf("an expired import: %v", err)
	}
	if err := a.RemoveCompanyImport("C1"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Company("C1", "Acme"); err != nil {
		t.Errorf("after removing the import: %v", err)
	}
}

func TestClockBeforeTheRoot(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := t.TempDir()
	open(t, dir, pki.Options{Now: c.now})
	c.advance(-10 * 365 * day)
	if _, err := pki.Open(dir, pki.Options{Now: c.now}); err == nil || !strings.Contains(err.Error(), "clock") {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, t.TempDir(), pki.Options{Now: c.now})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				company, err := a.Company([]string{"A", "B"}[i%2], "Acme")
				if err != nil {
					t.Error(err)
					return
				}
				sign(t, company, []byte("x"), a.Timestamper())
				sign(t, signatory(t, a, c.now()), []byte("x"), nil)
				if _, err := a.CRLs(c.now()); err != nil {
					t.Error(err)
				}
				c.advance(20 * day)
			}
		})
	}
	wg.Wait()
}

func TestTrustKit(t *testing.T) {
	t.Parallel()
	a := open(t, "", pki.Options{})
	der, err := pki.EncodeP7B(a.Roots()...)
	if err != nil {
		t.Fatal(err)
	}
	if text := openssl(t, "pkcs7", "-inform", "DER", "-in", write(t, "root.p7b", der), "-print_certs"); !strings.Contains(text, "Paraph Root") {
		t.Errorf("openssl reads %s", text)
	}
	openssl(t, "verify", "-x509_strict", "-CAfile", write(t, "root.pem", a.RootPEM()), pemFile(t, a.Root()))
}

// TestCompanyWarningsLeaveOutOtherCompanies checks that a company is warned about its own
// certificate, even an expired one, and not about another company's.
func TestCompanyWarningsLeaveOutOtherCompanies(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Now().UTC()}
	a := open(t, t.TempDir(), pki.Options{Now: c.now})
	s := newForeign(t).signer(t, p256(t), func(x *x509.Certificate) { x.NotAfter = c.now().Add(90 * day) })
	if err := a.ImportCompany("C1", s); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		advance time.Duration
		want    int
		urgent  bool
	}{{20 * day, 0, false}, {30 * day, 1, false}, {34 * day, 1, true}, {20 * day, 1, true}} {
		c.advance(step.advance)
		own, err := a.CompanyWarnings("C1", "Acme", c.now())
		if err != nil || len(own) != step.want || step.want > 0 && (own[0].Urgent != step.urgent || !own[0].Certificate.Equal(s.Certificate)) {
			t.Errorf("%s before its end: %v, %v", s.Certificate.NotAfter.Sub(c.now()), own, err)
		}
		if other, err := a.CompanyWarnings("C2", "Beta", c.now()); err != nil || len(other) != 0 {
			t.Errorf("another company is warned: %v, %v", other, err)
		}
	}
}

// TestARenewalIsNoRepair loses the files of signers that are about to be renewed.
func TestARenewalIsNoRepair(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	foreign := open(t, other, pki.Options{})
	if _, err := foreign.Company("C1", "Acme"); err != nil {
		t.Fatal(err)
	}
	sign(t, signatory(t, foreign, time.Now()), []byte("x"), foreign.Timestamper())
	c := &clock{at: time.Now().UTC()}
	dir := t.TempDir()
	a := open(t, dir, pki.Options{Now: c.now})
	if _, err := a.Company("C1", "Acme"); err != nil {
		t.Fatal(err)
	}
	use := map[string]func(int) error{
		"company-C1.pem": func(n int) error { _, err := a.Company("C1", fmt.Sprint("Acme ", n)); return err },
		"timestamp.pem": func(n int) error {
			if n == 0 {
				c.advance(1200 * day)
			}
			_, err := a.Timestamper().Timestamp(t.Context(), sha256.New().Sum(nil))
			return err
		},
	}
	for name, renew := range use {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		exchanged, e := os.ReadFile(filepath.Join(other, name))
		if err := errors.Join(err, e); err != nil {
			t.Fatal(err)
		}
		for n, bad := range [][]byte{nil, {}, []byte("nonsense"), exchanged} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if bad != nil {
				if err := os.WriteFile(path, bad, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := renew(n)
			if b, _ := os.ReadFile(path); err == nil || !bytes.Equal(b, bad) {
				t.Errorf("%s, %q: %v, %q", name, bad[:min(len(bad), 20)], err, b[:min(len(b), 20)])
			}
			if err := os.WriteFile(path, good, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := renew(9); err != nil {
			t.Errorf("%s is back: %v", name, err)
		}
		if b, err := os.ReadFile(path); err != nil || bytes.Equal(b, good) {
			t.Errorf("%s was not renewed: %v", name, err)
		}
	}
}
