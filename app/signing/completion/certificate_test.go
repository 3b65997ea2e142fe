package completion_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

type (
	obj  = apptest.Map
	list = apptest.List
)

func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0"

// persons returns people who between them sign in every possible way.
func persons(n int) list {
	names := []string{"Zoë Łuczak", "محمد الفاتح", "山田 太郎", "Олена Коваль"}
	var out list
	for i := range n {
		p := obj{"name": fmt.Sprintf("%s %d", names[i%len(names)], i+1), "email": fmt.Sprintf("person%d@signer.example", i+1)}
		if i%4 == 1 {
			p["role"] = "approver"
		}
		out = append(out, p)
	}
	return out
}

// marks returns the marks they sign with.
func marks(t testing.TB) list {
	picture := "data:image/png;base64," + base64.StdEncoding.EncodeToString(apptest.Picture(t, png.Encode))
	return list{
		obj{"type": "drawn", "data": "[[[0,40],[20,10],[40,45],[60,5],[80,40],[110,38]],[[10,60],[120,52]]]"},
		obj{"type": "typed", "font": "script3"},
		obj{"type": "image", "data": picture},
		obj{"type": "typed", "text": "O. Kowal", "font": "script2"},
	}
}

// certified returns a completed document and its certificate as a file.
func certified(t testing.TB, c *apptest.Client, locale string, people, reminders int) (*apptest.Response, string) {
	t.Helper()
	invitations := persons(people)
	fields := list{
		obj{"type": "text", "name": "iban", "label": "IBAN", "invitation_id": "0", "file_id": "0", "page": 1, "x": 0.1, "y": 0.5, "width": 0.3, "height": 0.05},
		obj{"type": "checkbox", "name": "terms", "label": "AGB", "invitation_id": "0", "file_id": "0", "page": 1, "x": 0.1, "y": 0.6, "width": 0.03, "height": 0.02},
		obj{"type": "signature", "invitation_id": "0", "file_id": "0", "page": 1, "x": 0.1, "y": 0.7, "width": 0.3, "height": 0.08},
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Mietvertrag Größe 漢字", "locale": locale, "send": true, "invitations": invitations, "fields": fields},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	for range reminders {
		c.Advance(t, "2m")
		c.Post(t, at+"/remind", obj{}).Want(t, 200)
	}
	with := marks(t)
	for i := range people {
		_, token, _ := strings.Cut(d.Text(t, fmt.Sprintf("invitations.%d.sign_url", i)), "/s/")
		body := obj{"consent": true, "signature": with[i%len(with)]}
		if i == 0 {
			body["fields"] = obj{"iban": "AT61 1904 3002 3457 3201", "terms": "true"}
		}
		path := at + "/" + d.Text(t, fmt.Sprintf("invitations.%d.id", i)) + "/sign"
		c.Server.With(token).Post(t, path, body, "User-Agent", firefox).Want(t, 200)
	}
	d = c.Get(t, at).Want(t, 200)
	if d.Text(t, "status") != "completed" {
		t.Fatalf("the document is %s", d.Body)
	}
	path := filepath.Join(t.TempDir(), "certificate.pdf")
	if err := os.WriteFile(path, c.Post(t, at+"/download", obj{"content": "certificate"}).Want(t, 200).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("SHOW"); dir != "" {
		name := fmt.Sprintf("%s-%d-%d", locale, people, reminders)
		run(t, "cp", path, filepath.Join(dir, name+".pdf"))
		if err := os.WriteFile(filepath.Join(dir, name+"-doc.pdf"), c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d, path
}

// vienna returns a company with its own time zone.
func vienna(t testing.TB, s *apptest.Server) *apptest.Client {
	t.Helper()
	c := s.Company(t)
	c.Patch(t, "/company", obj{"timezone": "Europe/Vienna", "consent_text": "I agree to sign this document electronically."}).Want(t, 200)
	return c
}

func TestCertificateInTheLanguageOfTheDocument(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for locale, want := range map[string][]string{
		"en":    {"Certificate of completion", "Firefox 132 on Windows", "UTC+0"},
		"de-AT": {"Abschlusszertifikat", "Firefox 132 unter Windows"},
		"ar":    {"شهادة"},
		"he":    {"תעודת"},
		"ja":    {"完了証明書"},
		"ko":    {"완료"},
		"zh":    {"完成证书"},
		"uk":    {"Свідоцтво"},
		"tr":    {"Tamamlanma"},
		"th":    {"Certificate of completion"}, // not in the catalogue: English
	} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			d, path := certified(t, vienna(t, s), locale, 4, 0)
			run(t, "qpdf", "--check", path)
			got := run(t, "pdftotext", "-layout", path, "-")
			sum := sha256.Sum256([]byte("I agree to sign this document electronically."))
			for _, w := range append(want, d.Text(t, "id"), "AT61 1904 3002 3457 3201", "person4@signer.example", hex.EncodeToString(sum[:])[:12],
				"Europe/Vienna", "127.0.0.1", "invitation.signed", d.Text(t, "files.0.sha256")) {
				if !strings.Contains(got, w) {
					t.Errorf("no %q in\n%s", w, got)
				}
			}
		})
	}
}

// TestCertificateOfManyPeopleAndEvents checks that page breaks lose nothing.
func TestCertificateOfManyPeopleAndEvents(t *testing.T) {
	t.Parallel()
	d, path := certified(t, vienna(t, apptest.New(t)), "de", 12, 15)
	run(t, "qpdf", "--check", path)
	got := run(t, "pdftotext", "-layout", path, "-")
	for i := range 12 {
		if n := strings.Count(got, fmt.Sprintf("person%d@signer.example", i+1)); n < 17 {
			t.Errorf("person %d is named %d times", i+1, n)
		}
	}
	pages := strings.Count(got, "\f")
	if !strings.Contains(got, fmt.Sprintf("%d / %d", pages, pages)) || strings.Count(got, d.Text(t, "id")) < pages {
		t.Errorf("%d pages are not numbered and named", pages)
	}
}

type evidence struct {
	Files []struct {
		SHA256    string
		Revisions []struct {
			SHA256 string
			Total  int64
		}
	}
	Events []struct {
		ID, At, Hash, Scope, Chain, Raw string
		Seq                             uint64
		Previous                        string `json:"previous_hash"`
		Journal                         string `json:"journal_previous_hash"`
	}
	Head string `json:"chain_head"`
}

// TestEvidenceInsideTheCertificate applies the rule stated in the evidence itself,
// without using any of our code.
func TestEvidenceInsideTheCertificate(t *testing.T) {
	t.Parallel()
	c := vienna(t, apptest.New(t))
	d, path := certified(t, c, "en", 2, 0)
	run(t, "pdfdetach", "-savefile", "evidence.json", "-o", path+".json", path)
	raw, err := os.ReadFile(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(raw)
	if text := run(t, "pdftotext", "-layout", path, "-"); !strings.Contains(text, hex.EncodeToString(sum[:])) {
		t.Errorf("the certificate does not name the hash %x of the evidence", sum)
	}
	var e evidence
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	previous := strings.Repeat("0", 64)
	for _, x := range e.Events {
		if x.Previous != previous {
			t.Errorf("event %s follows %s, not %s", x.ID, x.Previous, previous)
		}
		at, err := time.Parse(time.RFC3339Nano, x.At)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		for _, part := range [][]byte{[]byte("kv log entry 1"), number(x.Seq), []byte(x.ID), []byte(x.Scope), []byte(x.Chain),
			number(uint64(at.UnixMilli())), unhex(t, x.Journal), unhex(t, x.Previous), []byte(x.Raw)} {
			write(h, number(uint64(len(part))), part)
		}
		if previous = hex.EncodeToString(h.Sum(nil)); previous != x.Hash {
			t.Errorf("event %s has the hash %s, the rule yields %s", x.ID, x.Hash, previous)
		}
	}
	if e.Head != previous || len(e.Events) < 5 {
		t.Errorf("%d events lead to %s, the head is %s", len(e.Events), previous, e.Head)
	}
	file := c.Post(t, "/documents/"+d.Text(t, "id")+"/download", obj{}).Want(t, 200).Body
	for _, r := range e.Files[0].Revisions {
		if sum := sha256.Sum256(file[:r.Total]); hex.EncodeToString(sum[:]) != r.SHA256 {
			t.Errorf("the first %d bytes of the file have the hash %x, not %s", r.Total, sum, r.SHA256)
		}
	}
	if last := e.Files[0].Revisions; last[len(last)-1].Total != int64(len(file)) {
		t.Error("the last step is not the whole file")
	}
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func write(h hash.Hash, parts ...[]byte) {
	h.Write(bytes.Join(parts, nil)) // writing to a hash never fails
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSignaturePageInTheLanguageOfTheDocument reads the page for people without a field.
func TestSignaturePageInTheLanguageOfTheDocument(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Vertrag", "locale": "de", "send": true, "invitations": persons(1)},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, "pdftotext", "-layout", path, "-"); !strings.Contains(got, "Unterschriften") || !strings.Contains(got, "Unterschrift 1 von 1") {
		t.Errorf("the signature page reads\n%s", got)
	}
}
