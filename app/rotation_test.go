package app_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/pki"
)

const day = 24 * time.Hour

// TestRenewal renames the company, replaces certificates as they age, and
// timestamps completed files again in time: existing signatures stay valid.
func TestRenewal(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	upload := papers("", []paper{a4})
	d := deal{files: []apptest.File{{Name: "a.pdf", Content: upload}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}
	want := sealed{upload: upload, first: true, signatures: 2}
	doc := d.complete(t, c)
	old, oldCertificate := download(t, c, doc)
	signer := func(file []byte) string {
		for _, x := range j.report(t, j.file(t, file)).Signatures {
			if x.Kind == "certification" {
				return x.Signer
			}
		}
		return ""
	}

	before := signer(old["a.pdf"])
	c.Patch(t, "/company", apptest.Map{"name": "Renamed & Sons"}).Want(t, 200)
	renamed, _ := download(t, c, d.complete(t, c))
	if now := signer(renamed["a.pdf"]); now != "Renamed & Sons" || before == now {
		t.Errorf("certified by %q, then by %q", before, now)
	}
	j.completed(t, old["a.pdf"], want)
	j.completed(t, renamed["a.pdf"], want)

	// The certificates of the company and of the timestamps have been replaced
	// by now.
	c = later(t, c, 3*365*day+day)
	fresh, freshCertificate := download(t, c, d.complete(t, c))
	for _, file := range [][]byte{old["a.pdf"], renamed["a.pdf"], fresh["a.pdf"]} {
		j.completed(t, file, want)
	}
	j.completed(t, oldCertificate, sealed{signatures: 1})
	j.completed(t, freshCertificate, sealed{signatures: 1})

	c = later(t, c, 18*30*day)
	n, err := s.Signing.Completion.Renew(t.Context(), s.Clock.Now().Add(365*day))
	if err != nil || n != 2 {
		t.Fatalf("%d documents were renewed, want the 2 old ones: %v", n, err)
	}
	if n, err = s.Signing.Completion.Renew(t.Context(), s.Clock.Now().Add(365*day)); err != nil || n != 0 {
		t.Errorf("%d documents were renewed again: %v", n, err)
	}
	c = later(t, c, 2*365*day) // the first timestamp's certificate has expired now
	renewed, certificate := download(t, c, doc)
	if !bytes.HasPrefix(renewed["a.pdf"], old["a.pdf"]) {
		t.Error("renewal changed existing bytes")
	}
	if stamps := len(extract(t, renewed["a.pdf"], len(old["a.pdf"]))); stamps != 1 {
		t.Errorf("%d timestamps were added", stamps)
	}
	j.completed(t, renewed["a.pdf"], want)
	j.completed(t, certificate, sealed{signatures: 1})
	if old, renewed := expired(t, j, old["a.pdf"]), expired(t, j, renewed["a.pdf"]); !old || renewed {
		t.Errorf("a timestamp has expired: in the old file %v, in the renewed one %v", old, renewed)
	}
}

// TestRenewalByCommand renews the timestamps of files completed years ago, with the
// operator's command.
func TestRenewalByCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := app.NewClock()
	clock.Advance(-54 * 30 * day)
	upload := papers("", []paper{a4})
	d := deal{files: []apptest.File{{Name: "a.pdf", Content: upload}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}
	var owner *apptest.Client
	var doc *apptest.Response
	var old map[string][]byte
	inFolder(t, dir, clock, func(s *apptest.Server) {
		owner = s.Company(t)
		doc = d.complete(t, owner)
		old, _ = download(t, owner, doc)
	})

	renew := func(want string) {
		t.Helper()
		if got := call(t, "check", "--renew", "--set", "data.dir="+dir); got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("check --renew: exit %d: %s%s", got.code, got.out, got.err)
		}
	}
	renew("Renewed 1 document.")
	renew("Renewed 0 documents.")

	inFolder(t, dir, app.NewClock(), func(s *apptest.Server) {
		j := newJudges(t, s)
		renewed, certificate := download(t, s.Login(t, owner.Email), doc)
		if !bytes.HasPrefix(renewed["a.pdf"], old["a.pdf"]) {
			t.Error("renewal changed existing bytes")
		}
		if stamps := len(extract(t, renewed["a.pdf"], len(old["a.pdf"]))); stamps != 1 {
			t.Errorf("%d timestamps were added", stamps)
		}
		s.Clock.Advance(2 * 365 * day) // the first timestamp's certificate has expired now
		j.completed(t, renewed["a.pdf"], sealed{upload: upload, first: true, signatures: 2})
		j.completed(t, certificate, sealed{signatures: 1})
		if old, renewed := expired(t, j, old["a.pdf"]), expired(t, j, renewed["a.pdf"]); !old || renewed {
			t.Errorf("a timestamp has expired: in the old file %v, in the renewed one %v", old, renewed)
		}
	})
}

// inFolder runs an appliance on a data folder while fn runs.
func inFolder(t *testing.T, dir string, clock *app.Clock, fn func(*apptest.Server)) {
	t.Helper()
	s, err := apptest.StartIn(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	fn(s)
}

// expired reports whether a file's timestamp is reported as expired.
func expired(t *testing.T, j *judges, file []byte) bool {
	t.Helper()
	for _, x := range j.report(t, j.file(t, file)).Signatures {
		if slices.ContainsFunc(x.Problems, func(f pki.Finding) bool { return f.Code == "timestamp_expired" }) {
			return true
		}
	}
	return false
}

// later returns a client for the same person after some time, logged in anew.
func later(t *testing.T, c *apptest.Client, d time.Duration) *apptest.Client {
	t.Helper()
	c.Advance(t, d.String())
	again := c.Server.Login(t, c.Email)
	again.CompanyID, again.UserID, again.Email = c.CompanyID, c.UserID, c.Email
	return again
}

// TestImportedCertificate makes the company certify with an RSA certificate of
// a public authority, from a PKCS#12 file of the configuration.
func TestImportedCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	extensions := "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature,nonRepudiation\nextendedKeyUsage=emailProtection,1.3.6.1.5.5.7.3.36\n"
	if err := os.WriteFile(at("extensions"), []byte(extensions), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "openssl", "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-subj", "/CN=Public Root", "-days", "3650", "-keyout", at("root.key"), "-out", at("root.pem"),
		"-addext", "keyUsage=critical,keyCertSign,cRLSign")
	tool(t, "openssl", "req", "-newkey", "rsa:3072", "-nodes", "-subj", "/O=Imported Ltd/CN=Imported Ltd", "-keyout", at("own.key"), "-out", at("own.csr"))
	tool(t, "openssl", "x509", "-req", "-in", at("own.csr"), "-CA", at("root.pem"), "-CAkey", at("root.key"), "-CAcreateserial", "-days", "365", "-extfile", at("extensions"), "-out", at("own.pem"))
	tool(t, "openssl", "pkcs12", "-export", "-in", at("own.pem"), "-inkey", at("own.key"), "-certfile", at("root.pem"), "-passout", "pass:secret", "-out", at("own.p12"))

	data := filepath.Join(dir, "data")
	p := serve(t, data, "signing.pkcs12="+at("own.p12"), "signing.pkcs12_password=secret")
	c := p.login()
	upload := papers("", []paper{a4})
	id, err := c.complete("Imported", upload)
	if err != nil {
		t.Fatal(err)
	}
	file, err := c.send(http.MethodPost, "/documents/"+id+"/download", "application/json", strings.NewReader(`{"format":"pdf"}`))
	if err != nil {
		t.Fatal(err)
	}
	j := judgesOf(t, app.NewClock(), fromPEM(t, at("root.pem")), fromPEM(t, filepath.Join(data, "keys", "root.pem")))
	path := j.file(t, file)
	for _, x := range j.report(t, path).Signatures {
		if x.Kind != "certification" {
			continue
		}
		if x.Signer != "Imported Ltd" || x.Root != "Public Root" || !x.Trusted || !strings.Contains(x.Algorithm, "RSA") {
			t.Errorf("the certification is %+v", x)
		}
	}
	found := extract(t, file, 0)
	j.pdfsig(t, path, 2, 0)
	j.openssl(t, found)
	qpdfCheck(t, path, upload)
	mutoolHistory(t, file, found)
	bouncyCastle(t, path, 3)
}

func fromPEM(t *testing.T, path string) *x509.Certificate {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for block, rest := pem.Decode(b); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Fatalf("no certificate in %s", path)
	return nil
}
