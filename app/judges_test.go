package app_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/pki"
	"paraph/app/signing/report"
)

// judges check files with independent tools that trust one appliance's root and
// nothing else.
type judges struct {
	root  string // PEM file
	roots []*x509.Certificate
	nss   string // certificate folder of pdfsig
	clock *app.Clock
}

// newJudges returns judges that trust the root of an appliance and further
// certificates.
func newJudges(t *testing.T, s *apptest.Server, more ...*x509.Certificate) *judges {
	t.Helper()
	return judgesOf(t, s.Clock, append(s.Keys.Roots(), more...)...)
}

func judgesOf(t *testing.T, clock *app.Clock, roots ...*x509.Certificate) *judges {
	t.Helper()
	j := &judges{root: filepath.Join(t.TempDir(), "root.pem"), roots: roots, clock: clock, nss: t.TempDir()}
	if err := os.WriteFile(j.root, pki.EncodePEM(roots...), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "certutil", "-N", "-d", "sql:"+j.nss, "--empty-password")
	for i, c := range roots {
		path := filepath.Join(j.nss, fmt.Sprintf("%d.pem", i))
		if err := os.WriteFile(path, pki.EncodePEM(c), 0o600); err != nil {
			t.Fatal(err)
		}
		tool(t, "certutil", "-A", "-d", "sql:"+j.nss, "-n", fmt.Sprint("root ", i), "-t", "CT,C,C", "-i", path)
	}
	return j
}

// moved reports whether the appliance's clock differs from that of the tools,
// which can't be set.
func (j *judges) moved() bool { return time.Until(j.clock.Now()).Abs() > time.Hour }

// sealed describes the expected properties of a completed file.
type sealed struct {
	upload     []byte // whose qpdf findings are ignored; nil for none
	first      bool   // the upload is the first revision, byte for byte
	signatures int    // of ours, without document timestamps; 0 for any number
	foreign    int    // in the upload, not trusted here
	signed     bool   // the upload had signatures
	level      string // minimum level of our signatures; "" means B-LTA
}

// completed runs every judge on a completed file and returns its path.
func (j *judges) completed(t *testing.T, file []byte, want sealed) string {
	t.Helper()
	path := j.file(t, file)
	if want.first && !bytes.HasPrefix(file, want.upload) {
		t.Error("the upload is not the first revision, byte for byte")
	}
	found := extract(t, file, 0)
	ours := 0
	for _, x := range found {
		if !x.stamp {
			ours++
		}
	}
	if want.signatures > 0 && ours != want.signatures+want.foreign {
		t.Errorf("found %d signatures, want %d", ours, want.signatures+want.foreign)
	}
	j.pdfsig(t, path, ours, want.foreign)
	qpdfCheck(t, path, want.upload)
	j.verify(t, path, want.foreign, cmp.Or(want.level, "B-LTA"))
	j.openssl(t, found[want.foreign:])
	if !want.signed {
		mutoolHistory(t, file, found)
	}
	bouncyCastle(t, path, len(found))
	return path
}

// file writes bytes to a file that a tool can read.
func (*judges) file(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a judge and returns its output.
func run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	return string(out), err
}

// pdfsig requires every signature to be valid and trusted. It can't validate
// document timestamps, and returns no verdict on them.
func (j *judges) pdfsig(t *testing.T, path string, signatures, foreign int) {
	t.Helper()
	args := []string{"-nssdir", j.nss, path}
	if j.moved() {
		args, foreign = []string{"-nocert", path}, signatures
	}
	out, err := run(t, "pdfsig", args...)
	valid, trusted := 0, 0
	for i, block := range strings.Split(out, "\nSignature #") {
		if i == 0 || strings.Contains(block, "Signature Type: unknown") {
			continue
		}
		if strings.Contains(block, "Signature is Valid.") {
			valid++
		}
		if strings.Contains(block, "Certificate is Trusted.") {
			trusted++
		}
	}
	if err != nil || valid != signatures || trusted < signatures-foreign {
		t.Errorf("pdfsig (%v): %d of %d valid, %d trusted:\n%s", err, valid, signatures, trusted, out)
	}
}

var qpdfPlace = regexp.MustCompile(`\([^)]*offset \d+\)|\(offset \d+\)|object \d+ \d+|\d+`)

// qpdfFindings returns qpdf's findings about a file, without positions.
func qpdfFindings(t *testing.T, path string) (map[string]int, string) {
	t.Helper()
	out, err := run(t, "qpdf", "--check", path)
	all := map[string]int{}
	for line := range strings.Lines(strings.ReplaceAll(out, path, "FILE")) {
		if strings.HasPrefix(line, "WARNING") || strings.HasPrefix(line, "ERROR") || strings.HasPrefix(line, "FILE") {
			all[qpdfPlace.ReplaceAllString(strings.TrimSpace(line), "#")]++
		}
	}
	if err != nil && len(all) == 0 {
		all[err.Error()]++
	}
	return all, out
}

// qpdfCheck fails the test on findings that the upload did not have.
func qpdfCheck(t *testing.T, path string, upload []byte) {
	t.Helper()
	found, out := qpdfFindings(t, path)
	if len(found) == 0 {
		return
	}
	before := map[string]int{}
	if upload != nil {
		was := filepath.Join(t.TempDir(), "upload.pdf")
		if err := os.WriteFile(was, upload, 0o600); err != nil {
			t.Fatal(err)
		}
		before, _ = qpdfFindings(t, was)
	}
	for line := range before {
		if strings.Contains(line, "file is damaged") {
			return // qpdf's repaired version differs from that of other programs
		}
	}
	for line := range found {
		if before[line] == 0 {
			t.Errorf("qpdf reports a new finding: %s\n%s", line, tail(out, 2000))
		}
	}
}

// report returns the result of our own verifier.
func (j *judges) report(t *testing.T, path string) *report.Report {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Verify(context.Background(), bytes.NewReader(b), int64(len(b)), report.Options{Roots: j.roots, Now: j.clock.Now()})
	if err != nil {
		t.Errorf("our verifier: %v", err)
		return &report.Report{}
	}
	return r
}

// levels lists the levels of PAdES baseline signatures, each including the
// previous one (ETSI EN 319 142-1 §6).
var levels = []string{"B-B", "B-T", "B-LT", "B-LTA"}

// verify requires our verifier to report the file as valid and each of our
// signatures as trusted and at least of the level.
func (j *judges) verify(t *testing.T, path string, foreign int, level string) {
	t.Helper()
	r := j.report(t, path)
	trusted := 0
	for _, s := range r.Signatures {
		if s.Trusted && (s.Kind == "timestamp" || slices.Index(levels, s.Level) >= slices.Index(levels, level)) {
			trusted++
		}
	}
	if !r.Sound || trusted < len(r.Signatures)-foreign {
		t.Errorf("our verifier: sound %v, %d of %d trusted and %s: %+v", r.Sound, trusted, len(r.Signatures), level, r.Signatures)
	}
}

// extracted is a signature or timestamp from a file, extracted without our own
// parser.
type extracted struct {
	cms    []byte
	signed []byte
	end    int
	stamp  bool // a document timestamp
}

var byteRange = regexp.MustCompile(`/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]`)

// extract returns the signatures of a file that end after an offset, in the order
// of their revisions.
func extract(t *testing.T, file []byte, behind int) []extracted {
	t.Helper()
	var all []extracted
	for _, m := range byteRange.FindAllSubmatch(file, -1) {
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(string(m[i+1])) // the pattern matches only digits
		}
		if n[0] != 0 || n[0]+n[1] >= n[2] || n[2]+n[3] > len(file) || n[2]+n[3] <= behind {
			continue
		}
		cms, err := hex.DecodeString(strings.Trim(string(file[n[1]:n[2]]), "<> \r\n"))
		if err != nil {
			t.Errorf("the signature at %d: %v", n[1], err)
			continue
		}
		whole := cryptobyte.String(cms)
		var der cryptobyte.String
		if whole.ReadASN1Element(&der, cbasn1.SEQUENCE) { // not so with the indefinite lengths of BER
			cms = der
		}
		signed := slices.Concat(file[:n[1]], file[n[2]:n[2]+n[3]])
		// The type of the signed content is at the beginning.
		stamp := bytes.Contains(cms[:min(len(cms), 100)], tstInfo)
		all = append(all, extracted{cms, signed, n[2] + n[3], stamp})
	}
	slices.SortFunc(all, func(a, b extracted) int { return cmp.Compare(a.end, b.end) })
	return all
}

var (
	tstInfo        = []byte{6, 11, 42, 134, 72, 134, 247, 13, 1, 9, 16, 1, 4}
	signatureStamp = []byte{6, 11, 42, 134, 72, 134, 247, 13, 1, 9, 16, 2, 14}
)

// stampOf returns the timestamp in a CMS signature (RFC 3161 appendix A), and
// the signature value that it covers; nil if there is none.
func stampOf(cms []byte) (token, over []byte, err error) {
	in := cryptobyte.String(cms)
	var info, content, data, infos, signer, unsigned cryptobyte.String
	zero, one := cbasn1.Tag(0).ContextSpecific().Constructed(), cbasn1.Tag(1).ContextSpecific().Constructed()
	ok := in.ReadASN1(&info, cbasn1.SEQUENCE) && info.SkipASN1(cbasn1.OBJECT_IDENTIFIER) && info.ReadASN1(&content, zero) &&
		content.ReadASN1(&data, cbasn1.SEQUENCE) && data.SkipASN1(cbasn1.INTEGER) && data.SkipASN1(cbasn1.SET) && data.SkipASN1(cbasn1.SEQUENCE) &&
		data.SkipOptionalASN1(zero) && data.SkipOptionalASN1(one) && data.ReadASN1(&infos, cbasn1.SET) && infos.ReadASN1(&signer, cbasn1.SEQUENCE) &&
		signer.SkipASN1(cbasn1.INTEGER) && signer.SkipASN1(cbasn1.SEQUENCE) && signer.SkipASN1(cbasn1.SEQUENCE) && signer.SkipOptionalASN1(zero) &&
		signer.SkipASN1(cbasn1.SEQUENCE) && signer.ReadASN1((*cryptobyte.String)(&over), cbasn1.OCTET_STRING)
	if !ok {
		return nil, nil, fmt.Errorf("no CMS signature")
	}
	if !signer.ReadASN1(&unsigned, one) {
		return nil, nil, nil
	}
	for !unsigned.Empty() {
		var attribute, value cryptobyte.String
		if !unsigned.ReadASN1(&attribute, cbasn1.SEQUENCE) {
			return nil, nil, fmt.Errorf("no attribute")
		}
		if !bytes.HasPrefix(attribute, signatureStamp) {
			continue
		}
		if !attribute.SkipASN1(cbasn1.OBJECT_IDENTIFIER) || !attribute.ReadASN1(&value, cbasn1.SET) {
			return nil, nil, fmt.Errorf("no timestamp")
		}
		return value, over, nil
	}
	return nil, nil, nil
}

// openssl verifies each signature and each timestamp up to the root.
func (j *judges) openssl(t *testing.T, all []extracted) {
	t.Helper()
	dir := t.TempDir()
	at := ""
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stamp := func(what string, token, over []byte) {
		out, err := run(t, "openssl", "ts", "-verify", "-attime", genTime(t, token), "-token_in", "-in", write("token", token), "-data", write("over", over), "-CAfile", j.root)
		if err != nil || !strings.Contains(out, "Verification: OK") {
			t.Errorf("openssl on %s (%v): %s", what, err, out)
		}
	}
	for i := len(all) - 1; i >= 0; i-- { // later ones prove the time of earlier ones
		x := all[i]
		if x.stamp {
			at = genTime(t, x.cms)
			stamp(fmt.Sprintf("document timestamp %d", i), x.cms, x.signed)
			continue
		}
		token, over, err := stampOf(x.cms)
		if err != nil {
			t.Errorf("signature %d: %v", i, err)
		} else if token != nil {
			at = genTime(t, token)
			stamp(fmt.Sprintf("the timestamp of signature %d", i), token, over)
		}
		out, err := run(t, "openssl", "cms", "-verify", "-cades", "-attime", at, "-inform", "DER", "-in", write("cms", x.cms), "-content", write("signed", x.signed),
			"-binary", "-CAfile", j.root, "-purpose", "any", "-out", "/dev/null")
		if err != nil {
			t.Errorf("openssl on signature %d (%v): %s", i, err, out)
		}
	}
}

var generalizedTime = regexp.MustCompile(`\x18\x0f(\d{14}Z)`)

// genTime returns the time of a timestamp (RFC 3161 §2.4.2), in the form
// openssl accepts.
func genTime(t *testing.T, token []byte) string {
	t.Helper()
	m := generalizedTime.FindSubmatch(token) // the first one; certificates follow
	if m == nil {
		t.Fatal("a timestamp without a time")
	}
	at, err := time.Parse("20060102150405Z", string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatInt(at.Unix(), 10)
}

// mutoolHistory asks MuPDF whether all changes after the first signature were
// permitted. MuPDF doesn't know validation data and document timestamps, so it
// gets the file as it was before them.
func mutoolHistory(t *testing.T, file []byte, found []extracted) {
	t.Helper()
	end := 0
	for _, x := range found {
		if !x.stamp {
			end = max(end, x.end)
		}
	}
	dir := t.TempDir()
	script, path := filepath.Join(dir, "history.js"), filepath.Join(dir, "signed.pdf")
	text := "var d = new PDFDocument(scriptArgs[0]); print('history ' + d.validateChangeHistory());"
	for p, b := range map[string][]byte{script: []byte(text), path: withEmptyUpdate(t, file[:end])} {
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// 1 is the empty update.
	if out, err := run(t, "mutool", "run", script, path); err != nil || !strings.Contains(out, "history 0") && !strings.Contains(out, "history 1") {
		t.Errorf("mutool (%v): %s", err, out)
	}
}

// withEmptyUpdate appends a revision that changes nothing. Newer versions of MuPDF
// take object numbers that were never used for changes of the last revision.
func withEmptyUpdate(t *testing.T, file []byte) []byte {
	t.Helper()
	last := func(pattern string) []byte {
		all := regexp.MustCompile(pattern).FindAll(file, -1)
		if len(all) == 0 {
			t.Fatalf("no %s in the file", pattern)
		}
		return all[len(all)-1]
	}
	prev := bytes.TrimPrefix(last(`startxref\s+\d+`), []byte("startxref"))
	update := fmt.Sprintf("\nxref\n0 1\n0000000000 65535 f\r\ntrailer\n<<%s %s/Prev %s>>\nstartxref\n%d\n%%%%EOF\n",
		last(`/Root \d+ \d+ R`), last(`/Size \d+`), bytes.TrimSpace(prev), len(file)+1)
	return append(slices.Clone(file), update...)
}
