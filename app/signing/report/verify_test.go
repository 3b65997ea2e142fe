package report_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/reportjson"
	"paraph/app/signing/report"
	"paraph/app/words"
)

// installation signs files and holds the file as it grows.
type installation struct {
	t         *testing.T
	authority *pki.Authority
	company   *pki.Signer
	bytes     []byte
	state     []byte
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	a, err := pki.Open("", pki.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Company("01", "Example Company")
	if err != nil {
		t.Fatal(err)
	}
	return &installation{t: t, authority: a, company: c, bytes: upload()}
}

func upload() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var offsets []int
	for n, body := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>", "<</Length 0>>\nstream\n\nendstream"} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1, body)
	}
	at := b.Len()
	b.WriteString("xref\n0 5\n0000000000 65535 f\r\n")
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n\r\n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

func (h *installation) add(r pdf.Revision, err error) *installation {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
	h.bytes, h.state = append(h.bytes, r.Bytes...), r.HashState
	return h
}

func (h *installation) base() pdf.Base {
	return pdf.Base{Reader: bytes.NewReader(h.bytes), Size: int64(len(h.bytes)), HashState: h.state}
}

func (h *installation) seal(s *pki.Signer, ts pki.Timestamper) pdf.Seal {
	return pdf.Seal{Size: pki.SizeCMS(s, ts), Name: "Somebody", At: time.Now(), Sign: func(digest []byte) ([]byte, error) {
		return pki.SignCMS(context.Background(), s, digest, ts)
	}}
}

func (h *installation) prepare() *installation {
	seal := h.seal(h.company, h.authority.Timestamper())
	return h.add(pdf.Prepare(h.base(), pdf.PrepareSpec{Certify: &seal,
		Signatures: []pdf.SignatureSpec{{Name: "alice", X: 0.1, Y: 0.8, Width: 0.3, Height: 0.08}}}))
}

func (h *installation) sign(ts pki.Timestamper) *installation {
	s, err := h.authority.Signatory(pki.Person{Name: "Alice", Email: "alice@example.org"}, time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	return h.add(pdf.Sign(h.base(), pdf.SignSpec{Field: "alice", Seal: h.seal(s, ts)}))
}

func (h *installation) store() *installation {
	lists, err := h.authority.CRLs(time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	var certificates [][]byte
	for _, c := range h.company.Certificates() {
		certificates = append(certificates, c.Raw)
	}
	return h.add(pdf.AddDSS(h.base(), certificates, lists, nil))
}

func (h *installation) stamp() *installation {
	return h.add(pdf.Timestamp(h.base(), "", 8192, func(digest []byte) ([]byte, error) {
		return h.authority.Timestamper().Timestamp(context.Background(), digest)
	}))
}

func (h *installation) verify(roots ...*x509.Certificate) *report.Report {
	h.t.Helper()
	r, err := report.Verify(context.Background(), bytes.NewReader(h.bytes), int64(len(h.bytes)), report.Options{Roots: roots, Now: time.Now()})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// alice returns the verdict on the signature in the field of that name.
func alice(t *testing.T, r *report.Report) *report.SignatureVerdict {
	t.Helper()
	for i := range r.Signatures {
		if strings.HasSuffix(r.Signatures[i].Field, "alice") {
			return &r.Signatures[i]
		}
	}
	t.Fatalf("there is no such signature: %+v", r.Signatures)
	return nil
}

// TestLevelsNeedTheirData checks that a level is reached only if the file holds what the level requires: an
// archive timestamp must cover the validation data.
func TestLevelsNeedTheirData(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(*installation) *installation
		want string
	}{
		"nothing":         {func(h *installation) *installation { return h.prepare().sign(nil) }, "B-B"},
		"a timestamp":     {func(h *installation) *installation { return h.prepare().sign(h.authority.Timestamper()) }, "B-T"},
		"validation data": {func(h *installation) *installation { return h.prepare().sign(h.authority.Timestamper()).store() }, "B-LT"},
		"a timestamp over all": {func(h *installation) *installation {
			return h.prepare().sign(h.authority.Timestamper()).store().stamp()
		}, "B-LTA"},
		"a timestamp before the data": {func(h *installation) *installation {
			return h.prepare().sign(h.authority.Timestamper()).stamp().store()
		}, "B-LT"},
		"only a timestamp of the file":   {func(h *installation) *installation { return h.prepare().sign(nil).stamp() }, "B-T"},
		"timestamps before and after it": {func(h *installation) *installation { return h.prepare().sign(nil).stamp().store().stamp() }, "B-LTA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newInstallation(t)
			r := c.make(h).verify(h.authority.Roots()...)
			if got := alice(t, r); got.Level != c.want || !r.Sound || got.Integrity != pki.Intact {
				t.Errorf("%s (%s, %s), sound %v, want %s", got.Level, got.Integrity, got.Identity, r.Sound, c.want)
			}
		})
	}
}

// TestQuestionsAreIndependent checks that a missing root does not affect integrity, and that a later change does not
// affect who signed.
func TestQuestionsAreIndependent(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.prepare().sign(h.authority.Timestamper()).store().stamp()
	for name, c := range map[string]struct {
		change    func([]byte) []byte
		roots     []*x509.Certificate
		integrity pki.Integrity
		identity  pki.Identity
		later     report.LaterChanges
		sound     bool
	}{
		"unchanged":        {bytes.Clone, h.authority.Roots(), pki.Intact, pki.Trusted, report.Permitted, true},
		"without the root": {bytes.Clone, nil, pki.Intact, pki.UnknownRoot, report.Permitted, true},
		"another content": {func(b []byte) []byte { return append(bytes.Clone(b), otherContent(b)...) }, h.authority.Roots(),
			pki.Intact, pki.Trusted, report.NotPermitted, false},
		"a flipped byte": {func(b []byte) []byte {
			return bytes.Replace(b, []byte("/MediaBox[0 0 612"), []byte("/MediaBox[0 0 613"), 1)
		},
			h.authority.Roots(), pki.Broken, pki.Trusted, report.Permitted, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.change(h.bytes)
			r, err := report.Verify(context.Background(), bytes.NewReader(b), int64(len(b)), report.Options{Roots: c.roots, Now: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			v := alice(t, r)
			if v.Integrity != c.integrity || v.Identity != c.identity || v.Later != c.later || r.Sound != c.sound {
				t.Errorf("%s, %s, %s, sound %v: %v", v.Integrity, v.Identity, v.Later, r.Sound, v.Problems)
			}
			if r.Integrity() != c.integrity || r.LaterChanges() != c.later {
				t.Errorf("of the file: %s, %s", r.Integrity(), r.LaterChanges())
			}
		})
	}
}

// cancelReader ends a context after a number of reads.
type cancelReader struct {
	*bytes.Reader
	left int
	end  context.CancelFunc
}

func (r *cancelReader) ReadAt(b []byte, at int64) (int, error) {
	if r.left--; r.left == 0 {
		r.end()
	}
	return r.Reader.ReadAt(b, at)
}

// TestInterrupted ends the verification of a sound file after each read:
// signatures without a verdict are reported as such, and nothing seems broken.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.prepare().sign(h.authority.Timestamper()).store().stamp()
	refused, partly := 0, 0
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(context.Background())
		r := &cancelReader{bytes.NewReader(h.bytes), n, cancel}
		got, err := report.Verify(ctx, r, int64(len(h.bytes)), report.Options{Roots: h.authority.Roots(), Now: time.Now()})
		cancel()
		if r.left > 0 {
			break // it finished earlier
		}
		if err != nil {
			if refused++; !errors.Is(err, pdf.ErrTooComplex) {
				t.Fatalf("after %d readings: %v", n, err)
			}
			continue
		}
		partly++
		unjudged := 0
		for _, s := range got.Signatures {
			if s.Integrity == pki.Broken || s.Later == report.NotPermitted {
				t.Fatalf("after %d readings %s is %s, %s", n, s.Field, s.Integrity, s.Later)
			}
			if s.Integrity == pki.NotJudged {
				unjudged++
			}
		}
		if got.Sound || unjudged == 0 || len(got.Findings) == 0 || got.SHA256 == "" {
			t.Fatalf("after %d readings: sound %v, %d not judged, %v", n, got.Sound, unjudged, got.Findings)
		}
	}
	if refused == 0 || partly == 0 {
		t.Errorf("%d refused, %d partly judged", refused, partly)
	}
}

// TestOverlap checks that pages with overlapping fields are named.
func TestOverlap(t *testing.T) {
	t.Parallel()
	for at, want := range map[float64]string{0.5: "", 0.4: "", 0.35: "1"} { // apart, side by side, over each other
		h := newInstallation(t)
		seal := h.seal(h.company, nil)
		h.add(pdf.Prepare(h.base(), pdf.PrepareSpec{Certify: &seal, Signatures: []pdf.SignatureSpec{
			{Name: "a", X: 0.1, Y: 0.31, Width: 0.2, Height: 0.09}, {Name: "b", X: 0.1, Y: at, Width: 0.2, Height: 0.09},
		}}))
		r := h.verify()
		i := slices.IndexFunc(r.Findings, func(f pki.Finding) bool { return f.Code == "overlap" })
		if got := i >= 0; got != (want != "") || got && r.Findings[i].Args["pages"] != want {
			t.Errorf("at %v: %v", at, r.Findings)
		}
	}
}

// TestMistyped checks that a document timestamp that claims to be a signature counts for no level.
func TestMistyped(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.prepare().sign(h.authority.Timestamper()).store().stamp()
	h.bytes = bytes.Replace(h.bytes, []byte("/Type /DocTimeStamp"), []byte("/Type /Sig         "), 1)
	at := bytes.LastIndex(h.bytes, []byte("/Contents <")) + len("/Contents ")
	end := at + bytes.IndexByte(h.bytes[at:], '>') + 1
	digest := sha256.Sum256(slices.Concat(h.bytes[:at], h.bytes[end:]))
	token, err := h.authority.Timestamper().Timestamp(context.Background(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	copy(h.bytes[at+1:], fmt.Appendf(nil, "%x", token))
	r := h.verify(h.authority.Roots()...)
	if v := alice(t, r); v.Level != "B-LT" || v.Integrity != pki.Intact {
		t.Errorf("%s, %s, %v", v.Level, v.Integrity, v.Problems)
	}
}

// otherContent returns a revision that shows another page.
func otherContent(b []byte) []byte {
	start := b[bytes.LastIndex(b, []byte("startxref\n"))+len("startxref\n"):]
	previous, _, _ := bytes.Cut(start, []byte("\n"))
	body := "4 0 obj\n<</Length 1>>\nstream\nq\nendstream\nendobj\n"
	return fmt.Appendf(nil, "%sxref\n4 1\n%010d 00000 n\r\ntrailer\n<</Size 1000/Root 1 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n",
		body, len(b), previous, len(b)+len(body))
}

// TestBrokenTableIsReported checks that a file with broken cross-references is judged as far as possible.
func TestBrokenTableIsReported(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.prepare().sign(h.authority.Timestamper())
	at := bytes.LastIndex(h.bytes, []byte("startxref\n")) + len("startxref\n")
	copy(h.bytes[at:], "9")
	h.bytes[at+1] = '9'
	r := h.verify(h.authority.Roots()...)
	if v := alice(t, r); v.Identity != pki.NoRevocationData || v.Integrity != pki.Broken || r.Sound {
		t.Errorf("%s, %s, sound %v", v.Integrity, v.Identity, r.Sound)
	}
	certified := r.Signatures[0]
	if certified.Integrity != pki.Intact || certified.Later != report.NotJudged || len(r.Findings) != 1 || r.Findings[0].Code != "cross_references" {
		t.Errorf("%s, %s, %v", certified.Integrity, certified.Later, r.Findings)
	}
}

// TestEveryFindingHasASentence checks that everything a report can contain has a sentence in every language.
func TestEveryFindingHasASentence(t *testing.T) {
	t.Parallel()
	all, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	h := newInstallation(t)
	h.prepare().sign(h.authority.Timestamper()).store().stamp()
	h.bytes = append(h.bytes, otherContent(h.bytes)...)
	r := h.verify()
	for _, l := range all.Languages() {
		v := reportjson.Describe(r, l)
		if v.Sound || v.Integrity != "intact" || v.LaterChanges != "not_permitted" || v.Identity != "unknown_root" {
			t.Errorf("%s, %s, %s", v.Integrity, v.Identity, v.LaterChanges)
		}
		b, err := json.Marshal(v)
		if err != nil || bytes.Contains(b, []byte(`"verdict.`)) {
			t.Errorf("%s: %s %v", l.Tag(), b, err)
		}
		if forbidden := v.Signatures[0].LaterChanges.NotPermitted; len(forbidden) == 0 || !slices.Contains(v.Signatures[0].Problems, report.Sentence(l, h.forbidden(r))) {
			t.Errorf("%s: %v", l.Tag(), v.Signatures[0].Problems)
		}
	}
}

func (h *installation) forbidden(r *report.Report) pki.Finding {
	h.t.Helper()
	problems := r.Signatures[0].Problems
	i := slices.IndexFunc(problems, func(f pki.Finding) bool { return f.Code == "forbidden_change" })
	if i < 0 {
		h.t.Fatalf("no change is forbidden: %v", problems)
	}
	return problems[i]
}
